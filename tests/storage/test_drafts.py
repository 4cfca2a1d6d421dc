"""Drafts come back as they were, cost nothing while typing, and are never lost at the end."""

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from datetime import timedelta
from pathlib import Path

import pytest

from svc_tui.core.catalog import Collection
from svc_tui.core.draft import Draft
from svc_tui.core.jsontext import Json, Number
from svc_tui.core.records import Place
from svc_tui.core.values import replace
from svc_tui.storage.drafts import DraftOnDisk, DraftStore, SavedDraft
from svc_tui.storage.errors import StoreError
from svc_tui.storage.store import Store
from tests.storage.conftest import LOTS, NOW, OTHER_SHELF, SHELF, a_draft, an_intent


async def test_a_draft_comes_back_to_the_last_digit(path: Path) -> None:
    nested = Collection("operations", "attachments", "files", "/v1/operations/lots/lot%2F1")
    kept = [a_draft("lot/1 ü"), a_draft("a-1", nested, grade=None, massKg=Number("2.50"))]
    async with Store.open(path) as store:
        for draft in kept:
            await store.drafts(SHELF).keep(draft)
    async with Store.open(path) as store:
        found = await store.drafts(SHELF).all()
    assert sorted(found, key=lambda draft: draft.record_id) == sorted(kept, key=lambda draft: draft.record_id)


async def test_the_last_state_counts_and_the_last_changed_comes_first(store: Store) -> None:
    drafts = store.drafts(SHELF)
    await drafts.keep(a_draft("lot-1", massKg=Number("1")))
    await drafts.keep(a_draft("lot-2"))
    later = replace(a_draft("lot-1", massKg=Number("2")), changed=NOW + timedelta(seconds=1))
    await drafts.keep(later)
    assert await drafts.all() == [later, a_draft("lot-2")]


async def test_shelves_and_spellings_are_apart(store: Store) -> None:
    await store.drafts(SHELF).keep(a_draft())
    assert await store.drafts(OTHER_SHELF).all() == []
    await store.drafts(SHELF).drop(LOTS.spelled("batches"), "lot-1")
    assert await store.drafts(SHELF).all() == [a_draft()]


async def test_a_dropped_draft_is_gone_from_the_disk_at_once(store: Store, path: Path) -> None:
    drafts = store.drafts(SHELF)
    await drafts.keep(a_draft())
    await drafts.all()
    await drafts.keep(a_draft(massKg=Number("3")))
    await drafts.drop(LOTS, "lot-1")
    assert written(path) == 0
    assert await drafts.all() == []


async def test_two_programs_that_edit_one_record_lose_no_edit_of_each_other(path: Path) -> None:
    def edited(value: str, **edits: Json) -> SavedDraft:
        kept = a_draft("lot-1", LOTS, **edits)
        base = replace(kept.draft.base, fields={**kept.draft.base.fields, "name": value, "note": value})
        return replace(kept, draft=replace(kept.draft, base=base))

    async def held() -> Draft:
        async with Store.open(path) as fresh:
            (kept,) = await fresh.drafts(SHELF).all()
            return kept.draft

    async with Store.open(path) as one, Store.open(path) as two:
        mine, theirs = one.drafts(SHELF), two.drafts(SHELF)
        await kept(mine, edited("seen by one", name="Mine"))
        await kept(theirs, edited("seen by two", note="Theirs", massKg=Number("1")))
        both = await held()
        assert both.edits == {"name": "Mine", "note": "Theirs", "massKg": Number("1")}
        assert (both.base.fields["name"], both.base.fields["note"]) == ("seen by one", "seen by two")
        await kept(mine, edited("seen by one", name="Mine too"))
        await kept(theirs, edited("seen by two", note="Theirs"))
        assert (await held()).edits == {"name": "Mine too", "note": "Theirs"}
        await mine.drop(LOTS, "lot-1")
        assert (await held()).edits == {"note": "Theirs"}
        await theirs.drop(LOTS, "lot-1")
        assert await mine.all() == []


async def test_an_edit_that_the_service_did_not_take_is_told_from_others_and_both_programs_keep_it(path: Path) -> None:
    kept = a_draft("lot-1", LOTS, name="Mine", note="Mine")
    untaken = replace(kept, draft=replace(kept.draft, untaken=frozenset({"name"})))
    async with Store.open(path) as store:
        await store.drafts(SHELF).keep(untaken)
    async with Store.open(path) as one, Store.open(path) as two:
        mine, theirs = one.drafts(SHELF), two.drafts(SHELF)
        assert await mine.all() == await theirs.all() == [untaken]
        await mine.keep(replace(untaken, draft=untaken.draft.without("note")))
        await mine.all()
        await theirs.keep(replace(untaken, draft=untaken.draft.with_value("massKg", Number("9"))))
        await theirs.all()
    async with Store.open(path) as store:
        (found,) = await store.drafts(SHELF).all()
        assert found.draft.untaken == {"name"}
        assert found.draft.edits["name"] == "Mine"


async def test_a_draft_of_an_earlier_session_is_taken_back_field_by_field(path: Path) -> None:
    async with Store.open(path) as store:
        await store.drafts(SHELF).keep(a_draft(name="First", note="Second"))
    async with Store.open(path) as store:
        drafts = store.drafts(SHELF)
        drafts.take_up(await drafts.all(), [])
        await drafts.keep(a_draft(note="Second"))
    async with Store.open(path) as store:
        (kept,) = await store.drafts(SHELF).all()
    assert kept.draft.edits == {"note": "Second"}


async def test_a_draft_that_is_dropped_while_it_is_being_written_is_gone(store: Store, path: Path) -> None:
    drafts = store.drafts(SHELF)
    await drafts.keep(a_draft())
    await asyncio.gather(drafts.all(), drafts.drop(LOTS, "lot-1"))
    assert written(path) == 0


def written(path: Path) -> int:
    connection = sqlite3.connect(path)
    try:
        return int(connection.execute("SELECT count(*) FROM drafts").fetchone()[0])
    finally:
        connection.close()


async def until_written(path: Path, count: int) -> None:
    async with asyncio.timeout(5):
        while written(path) < count:  # noqa: ASYNC110  the disk tells nobody
            await asyncio.sleep(0.01)


async def test_a_burst_of_typing_is_written_together(store: Store, path: Path) -> None:
    for digits in range(500):
        await store.drafts(SHELF).keep(a_draft(massKg=Number(str(digits))))
    assert written(path) == 0
    (kept,) = await store.drafts(SHELF).all()
    assert kept.draft.edits == {"massKg": Number("499")}


async def test_drafts_reach_the_disk_by_themselves(store: Store, path: Path) -> None:
    await store.drafts(SHELF).keep(a_draft("lot-1"))
    await until_written(path, 1)
    await store.drafts(SHELF).keep(a_draft("lot-2"))
    await until_written(path, 2)


async def test_closing_writes_what_was_just_typed(path: Path) -> None:
    store = Store.open(path)
    await store.drafts(SHELF).keep(a_draft())
    await store.aclose()
    await store.aclose()
    assert written(path) == 1


async def test_a_closed_store_says_so(path: Path) -> None:
    store = Store.open(path)
    drafts = store.drafts(SHELF)
    await store.aclose()
    with pytest.raises(StoreError, match="was closed"):
        await drafts.all()


async def test_a_write_that_fails_is_told_and_tried_again(store: Store, path: Path) -> None:
    drafts = store.drafts(SHELF)
    await drafts.all()
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("CREATE TRIGGER no_room BEFORE INSERT ON drafts BEGIN SELECT RAISE(ABORT, 'no room'); END")
    await drafts.keep(a_draft())
    with pytest.raises(StoreError, match="can't be used"):
        await drafts.all()
    other.execute("DROP TRIGGER no_room")
    other.close()
    assert await drafts.all() == [a_draft()]


async def test_a_failure_in_the_background_is_told_with_the_next_edit(store: Store, path: Path) -> None:
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("CREATE TRIGGER no_room BEFORE INSERT ON drafts BEGIN SELECT RAISE(ABORT, 'no room'); END")
    drafts = store.drafts(SHELF)
    told = ""
    async with asyncio.timeout(5):
        while not told:
            try:
                await drafts.keep(a_draft())
            except StoreError as error:
                told = str(error)
            await asyncio.sleep(0.01)
    assert "can't be used" in told
    other.execute("DROP TRIGGER no_room")
    other.close()
    assert await drafts.all() == [a_draft()]


SPOILT = [
    "base = '[1'",
    "base = '[]'",
    "edits = '{'",
    "place = 'lots'",
    "changed = 'yesterday'",
    "changed = '2026-11-20T05:12:07'",
    "base = CAST(x'7b22ff227d' AS TEXT)",
    "etag = CAST(x'ff' AS TEXT)",
    "untaken = '{}'",
    "untaken = '[1]'",
    "others = '{}'",
    "others = '[1]'",
    "edits_by_program = '[]'",
    "edits_by_program = '{\"a\": 1}'",
]


def spoil(path: Path, change: str) -> None:
    other = sqlite3.connect(path, isolation_level=None)
    other.execute(f"UPDATE drafts SET {change} WHERE place LIKE '%lot-1%'")
    other.close()


@pytest.mark.parametrize("change", SPOILT)
async def test_a_draft_that_somebody_spoilt_hides_no_other_and_stays(path: Path, change: str) -> None:
    async with Store.open(path) as store:
        for record_id in ("lot-1", "lot-2", "lot-3"):
            await store.drafts(SHELF).keep(a_draft(record_id))
    spoil(path, change)
    async with Store.open(path) as store:
        assert [kept.record_id for kept in await store.drafts(SHELF).all()] == ["lot-2", "lot-3"]
        assert store.notice == f"{path} has a draft that can't be read; it is not shown"
    assert written(path) == 3


async def test_several_spoilt_drafts_are_counted(path: Path) -> None:
    async with Store.open(path) as store:
        await store.drafts(SHELF).keep(a_draft("lot-1"))
        await store.drafts(OTHER_SHELF).keep(a_draft("lot-1"))
    spoil(path, "edits = ''")
    async with Store.open(path) as store:
        assert store.notice == f"{path} has 2 drafts that can't be read; they are not shown"


@asynccontextmanager
async def two_programs(path: Path) -> AsyncIterator[tuple[DraftStore, DraftStore]]:
    """The drafts of one scope in two programs."""
    async with Store.open(path) as one, Store.open(path) as two:
        yield one.drafts(SHELF), two.drafts(SHELF)


async def edits_on_disk(path: Path) -> list[Mapping[str, Json]]:
    """The edits that the next program finds."""
    async with Store.open(path) as store:
        return [kept.draft.edits for kept in await store.drafts(SHELF).all()]


async def kept(drafts: DraftStore, draft: SavedDraft) -> None:
    """Keep a draft, and wait until it is on the disk."""
    await drafts.keep(draft)
    await drafts.on_disk(draft.collection, draft.record_id)


async def test_what_one_program_sends_does_not_remove_the_other_ones_edit_of_the_same_field(path: Path) -> None:
    async with two_programs(path) as (one, two):
        await kept(one, a_draft(name="A"))
        await kept(two, a_draft(name="B"))
        (found,) = await two.all()
        assert found.draft.edits == {"name": "B"}
        assert [(other.name, other.new) for other in found.others] == [("name", "A")]
        await one.drop(LOTS, "lot-1")
        (found,) = await two.all()
        assert (found.draft.edits, found.others) == ({"name": "B"}, ())
        await two.drop(LOTS, "lot-1")
    assert await edits_on_disk(path) == []


async def test_the_edit_that_was_written_last_is_sent_first_and_the_other_one_stays(path: Path) -> None:
    async with two_programs(path) as (one, two):
        first = a_draft(name="A")
        base = replace(first.draft.base, fields={**first.draft.base.fields, "name": "as one read it"})
        await kept(one, replace(first, draft=replace(first.draft, base=base)))
        await kept(two, a_draft(name=None, note="N"))
        await two.drop(LOTS, "lot-1")
        (found,) = await two.all()
        assert found.draft.edits == {"name": "A"}
        assert found.draft.base.fields["name"] == "as one read it"


@pytest.mark.parametrize("last", [False, True])
async def test_an_edit_that_another_program_changed_stays_when_this_one_takes_its_own_back(
    path: Path, last: bool
) -> None:
    async with Store.open(path) as store:
        await store.drafts(SHELF).keep(a_draft(name="From before", note="N"))
    async with two_programs(path) as (one, two):
        for drafts in (one, two):
            drafts.take_up(await drafts.all(), [])
        await kept(two, a_draft(name="B", note="N"))
        if last:
            await kept(one, a_draft(name="C", note="N"))
        await kept(one, a_draft(note="N"))
    assert await edits_on_disk(path) == [{"name": "B", "note": "N"}]


async def test_an_edit_that_another_program_sent_does_not_come_back_with_the_next_key(path: Path) -> None:
    async with Store.open(path) as store:
        await store.drafts(SHELF).keep(a_draft(name="A"))
    async with two_programs(path) as (one, two):
        for drafts in (one, two):
            drafts.take_up(await drafts.all(), [])
        await one.drop(LOTS, "lot-1")
        await kept(two, a_draft(name="A", note="N"))
        assert await edits_on_disk(path) == [{"note": "N"}]
        # Typed once more, it is a new edit.
        await kept(two, a_draft(name="A", note="N"))
    assert await edits_on_disk(path) == [{"name": "A", "note": "N"}]


async def test_a_program_learns_which_edit_another_one_removed(path: Path) -> None:
    async with Store.open(path) as store:
        await store.drafts(SHELF).keep(a_draft(name="A", note="N"))
    async with two_programs(path) as (one, two):
        for drafts in (one, two):
            drafts.take_up(await drafts.all(), [])
        await kept(one, a_draft(note="N"))
        assert await two.on_disk(LOTS, "lot-1") == DraftOnDisk({"name": "A"})
        assert await two.on_disk(LOTS, "lot-1") == DraftOnDisk()


async def test_both_programs_learn_of_a_conflict(path: Path) -> None:
    async with two_programs(path) as (one, two):
        await kept(one, a_draft(name="A", note="N"))
        await kept(two, a_draft(name="B", massKg=Number("1")))
        for drafts, other in ((one, "B"), (two, "A")):
            look = await drafts.on_disk(LOTS, "lot-1")
            assert look.removed == {}
            assert [(change.name, change.new) for change in look.others] == [("name", other)]
        await kept(two, a_draft(name="A", massKg=Number("1")))
        assert (await one.on_disk(LOTS, "lot-1")).others == ()


async def test_null_is_an_edit_like_any_other(path: Path) -> None:
    async with two_programs(path) as (one, two):
        await kept(one, a_draft(name=None))
        await kept(two, a_draft(name="B"))
        await two.drop(LOTS, "lot-1")
        assert (await one.on_disk(LOTS, "lot-1")).removed == {}
    assert await edits_on_disk(path) == [{"name": None}]


async def test_a_draft_that_can_not_be_read_outlives_a_record_that_is_let_go_of(path: Path) -> None:
    async with Store.open(path) as store:
        await store.drafts(SHELF).keep(a_draft())
    spoil(path, "edits = '{'")
    async with Store.open(path) as store:
        await store.drafts(SHELF).drop(LOTS, "lot-1")
    assert written(path) == 1


async def test_programs_that_type_at_once_lose_no_field(path: Path) -> None:
    async with two_programs(path) as (one, two):
        for turn in range(20):
            await asyncio.gather(
                kept(one, a_draft(name=f"{turn}")), kept(two, a_draft(note=f"{turn}", massKg=Number(f"{turn}")))
            )
    assert await edits_on_disk(path) == [{"name": "19", "note": "19", "massKg": Number("19")}]


async def test_a_sent_draft_names_its_journal_entry(path: Path) -> None:
    async with Store.open(path) as store:
        drafts, journal = store.drafts(SHELF), store.journal(SHELF)
        await drafts.keep(a_draft())
        await drafts.keep(a_draft("lot-2"))
        # It is on the disk by then, however short ago it was typed.
        number = await journal.intend(an_intent(), Place(LOTS, "lot-1"))
        assert number
        await drafts.keep(a_draft(massKg=Number("2.0"), note="typed on"))
    async with Store.open(path) as store:
        found = {kept.record_id: kept.intent for kept in await store.drafts(SHELF).all()}
    assert found == {"lot-1": number, "lot-2": 0}


async def test_no_draft_names_an_entry_that_could_not_be_written(path: Path) -> None:
    async with Store.open(path) as store:
        await kept(store.drafts(SHELF), a_draft())
        other = sqlite3.connect(path, isolation_level=None)
        other.execute("CREATE TRIGGER no_mark BEFORE UPDATE ON drafts BEGIN SELECT RAISE(ABORT, 'no room'); END")
        with pytest.raises(StoreError, match="can't be used"):
            await store.journal(SHELF).intend(an_intent(), Place(LOTS, "lot-1"))
        assert await store.journal(SHELF).entries() == []
        other.execute("DROP TRIGGER no_mark")
        other.close()


@pytest.mark.parametrize("held", [False, True])
async def test_a_program_that_loads_again_goes_by_what_it_loaded_but_for_what_it_held(path: Path, held: bool) -> None:
    async with Store.open(path) as one:
        mine = one.drafts(SHELF)
        await kept(mine, a_draft(name="A"))
        async with Store.open(path) as two:
            theirs = two.drafts(SHELF)
            theirs.take_up(await theirs.all(), [])
            await kept(theirs, a_draft(name="B", note="N"))
        loaded = await mine.all()
        mine.take_up([] if held else loaded, [Place(LOTS, "lot-1")] if held else [])
        await mine.drop(LOTS, "lot-1")
    assert await edits_on_disk(path) == ([{"name": "B", "note": "N"}] if held else [])


@asynccontextmanager
async def a_second_program_that_loaded(path: Path) -> AsyncIterator[tuple[DraftStore, DraftStore]]:
    """A program that made an edit and still runs, and one that began after that and loaded it."""
    async with two_programs(path) as (one, two):
        await kept(one, a_draft(name="A"))
        two.take_up(await two.all(), [])
        yield one, two


async def test_an_edit_of_a_program_that_runs_stays_when_another_one_loads_and_changes_it(path: Path) -> None:
    async with a_second_program_that_loaded(path) as (one, two):
        for typed in ("B", "B2"):
            await kept(two, a_draft(name=typed, note="N"))
        (found,) = await two.all()
        assert found.draft.edits == {"name": "B2", "note": "N"}
        assert [(other.name, other.new) for other in found.others] == [("name", "A")]
        look = await one.on_disk(LOTS, "lot-1")
        assert (look.removed, [other.new for other in look.others]) == ({}, ["B2"])
        await one.drop(LOTS, "lot-1")
    assert await edits_on_disk(path) == [{"name": "B2", "note": "N"}]


@pytest.mark.parametrize("left", [None, "note"])
async def test_an_edit_of_a_program_that_runs_stays_when_another_one_drops_it(path: Path, left: str | None) -> None:
    async with a_second_program_that_loaded(path) as (one, two):
        await kept(two, a_draft(name="A", note="N"))
        if left is None:
            await two.drop(LOTS, "lot-1")
        else:
            await kept(two, a_draft(note="N"))
        assert await edits_on_disk(path) == [{"name": "A"} | ({"note": "N"} if left else {})]
        assert (await one.on_disk(LOTS, "lot-1")).removed == {}
        await one.drop(LOTS, "lot-1")
    assert await edits_on_disk(path) == ([{"note": "N"}] if left else [])


async def test_an_edit_that_another_program_only_loaded_goes_with_the_program_that_made_it(path: Path) -> None:
    async with a_second_program_that_loaded(path) as (one, two):
        await kept(two, a_draft(name="A", note="N"))
        await one.drop(LOTS, "lot-1")
        assert await two.on_disk(LOTS, "lot-1") == DraftOnDisk({"name": "A"})
    assert await edits_on_disk(path) == [{"note": "N"}]


async def test_the_same_edit_of_two_programs_stays_until_both_dropped_it(path: Path) -> None:
    async with two_programs(path) as (one, two):
        for drafts in (one, two):
            await kept(drafts, a_draft(name="A"))
        await one.drop(LOTS, "lot-1")
        assert (await two.on_disk(LOTS, "lot-1")).removed == {}
        assert await edits_on_disk(path) == [{"name": "A"}]
        await two.drop(LOTS, "lot-1")
    assert await edits_on_disk(path) == []


async def test_a_program_that_loads_its_own_edit_again_still_owns_it(path: Path) -> None:
    async with a_second_program_that_loaded(path) as (one, two):
        await kept(two, a_draft(name="B"))
        one.take_up(await one.all(), [])
        await one.drop(LOTS, "lot-1")
        assert await edits_on_disk(path) == [{"name": "B"}]


async def test_the_edit_of_a_program_that_ended_is_the_next_ones(path: Path) -> None:
    async with Store.open(path) as one:
        await one.drafts(SHELF).keep(a_draft(name="A"))
    async with Store.open(path) as two:
        drafts = two.drafts(SHELF)
        drafts.take_up(await drafts.all(), [])
        await drafts.keep(a_draft(name="B"))
        (found,) = await drafts.all()
    assert (found.draft.edits, found.others) == ({"name": "B"}, ())
