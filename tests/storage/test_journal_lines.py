"""Lines of the journal one by one: which of them are asked for, what of each comes back, and which are refused."""

import asyncio
import sqlite3
from collections.abc import Iterable
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from svc_tui.core.records import Record
from svc_tui.core.values import replace
from svc_tui.storage.errors import StoreError
from svc_tui.storage.journal import check_chain
from svc_tui.storage.journal_entries import (
    BrokenLink,
    ChainCheck,
    JournalEntry,
    Outcome,
    Pruning,
    RowWrite,
    RunWrites,
    WriteInProgress,
    WrittenRecord,
)
from svc_tui.storage.key_fingerprints import FILE_NAME, KeyFingerprints, KeyInUse
from svc_tui.storage.store import Store
from tests.storage.conftest import NOW, OTHER_SHELF, SHELF, an_intent

SECOND = timedelta(seconds=1)


def spoil(path: Path, *statements: str) -> None:
    """Change lines as somebody with another program would."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        for trigger in ("journal_keeps_lines", "journal_loses_nothing"):
            connection.execute(f"DROP TRIGGER IF EXISTS {trigger}")
        for statement in statements:
            connection.execute(statement)


def rows(path: Path, query: str) -> list[tuple[object, ...]]:
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute(query).fetchall()


async def test_a_write_of_this_program_is_under_way_until_its_outcome(store: Store) -> None:
    journal = store.journal(SHELF)
    number = await journal.intend(an_intent())
    (entry,) = await journal.entries()
    assert entry.under_way is WriteInProgress.HERE
    await journal.conclude(number, Outcome(NOW, "unknown"))
    (entry,) = await journal.entries()
    assert entry.under_way is None


async def test_a_write_of_another_program_is_under_way_while_that_lives(path: Path) -> None:
    async with Store.open(path) as store:
        await store.journal(SHELF).intend(an_intent())
        async with Store.open(path) as other:
            (entry,) = await other.journal(SHELF).entries()
            assert entry.under_way is WriteInProgress.ELSEWHERE
            assert [entry.number for entry in await other.journal(SHELF).unsettled()] == [1]
    async with Store.open(path) as later:
        (entry,) = await later.journal(SHELF).entries()
        assert entry.under_way is None


async def test_a_write_whose_outcome_can_not_be_written_is_under_way_no_longer(path: Path) -> None:
    async with Store.open(path) as store:
        journal = store.journal(SHELF)
        number = await journal.intend(an_intent())
        spoil(path, "CREATE TRIGGER full BEFORE INSERT ON journal BEGIN SELECT RAISE(ABORT, 'full'); END")
        with pytest.raises(StoreError):
            await journal.conclude(number, Outcome(NOW, "done"))
        (entry,) = await journal.entries()
        assert (entry.outcome, entry.under_way) == (None, None)


async def test_an_outcome_is_of_an_intent_of_the_same_scope(store: Store) -> None:
    journal = store.journal(SHELF)
    number = await journal.intend(an_intent())
    await journal.conclude(number, Outcome(NOW, "done"))
    for where, entry in ((journal, number + 1), (journal, 99), (store.journal(OTHER_SHELF), number)):
        with pytest.raises(StoreError, match=f"entry {entry} is not in the journal, so its outcome can't be saved"):
            await where.conclude(entry, Outcome(NOW, "refused"))
    (only,) = await journal.entries()
    assert only.outcome == Outcome(NOW, "done")


async def test_two_programs_write_outcomes_at_once(path: Path) -> None:
    async with Store.open(path) as one, Store.open(path) as two:
        journals = one.journal(SHELF), two.journal(SHELF)
        numbers = [await journals[turn % 2].intend(an_intent()) for turn in range(40)]
        concluding = (journals[turn % 2].conclude(number, Outcome(NOW, "done")) for turn, number in enumerate(numbers))
        await asyncio.gather(*concluding)
    assert check_chain(path) == ChainCheck(80)


async def test_a_write_is_of_unknown_outcome_since_its_very_moment(store: Store) -> None:
    journal = store.journal(SHELF)
    await journal.intend(an_intent())
    assert len(await journal.unsettled(NOW)) == 1
    assert await journal.unsettled(NOW + SECOND) == []
    assert len(await journal.unsettled()) == 1


async def test_a_line_names_the_key_that_it_was_sent_with_by_its_fingerprint(path: Path) -> None:
    fingerprints = KeyFingerprints(path.with_name(FILE_NAME))
    keys = [KeyInUse(fingerprints, lambda name=name: name) for name in ("svc_test_a", "svc_test_b")]  # type: ignore[misc]
    async with Store.open(path) as store:
        await store.journal(SHELF, "keyring", keys[0]).intend(replace(an_intent(), batch="b-1", row=1))
        done = await store.journal(SHELF, "", keys[0]).intend(an_intent())
        await store.journal(SHELF).conclude(done, Outcome(NOW, "done"))
        for key, is_other in ((keys[0], False), (keys[1], True), (None, False)):
            journal = store.journal(SHELF, "", key)
            assert [entry.other_key for entry in await journal.entries()] == [is_other, is_other]
            assert [write.other_key for write in await journal.row_writes("b-1")] == [is_other]
        assert [entry.key for entry in await store.journal(SHELF).entries()] == ["", "keyring"]
    assert rows(path, "SELECT json_extract(said, '$.key_fingerprint') FROM journal WHERE kind = 'intent'") == [
        (keys[0].fingerprint,),
        (keys[0].fingerprint,),
    ]


async def test_runs_come_by_their_last_write_the_newest_first(store: Store) -> None:
    journal = store.journal(SHELF)
    for run in ("b-1", "b-2", "b-1"):
        await journal.intend(replace(an_intent(), batch=run))
    await journal.intend(replace(an_intent(), batch="b-3"))
    assert [run.id for run in await journal.runs_of(["b-2", "b-3", "b-4", "b-1"])] == ["b-3", "b-1", "b-2"]
    assert [write.id for write in await journal.listed() if isinstance(write, RunWrites)] == ["b-3", "b-1", "b-2"]
    (newest,) = await journal.listed(1)
    assert isinstance(newest, RunWrites)
    assert newest.id == "b-3"


async def test_a_run_counts_its_writes_by_their_last_outcome(path: Path) -> None:
    async with Store.open(path) as store:
        journal = store.journal(SHELF)
        for row, (method, results) in enumerate(
            (
                ("PATCH", ["unknown", "done"]),
                ("DELETE", ["unknown"]),
                ("POST", ["refused"]),
                ("POST", ["done"]),
                ("PATCH", []),
            ),
            1,
        ):
            number = await journal.intend(replace(an_intent(), method=method, batch="b-1", row=row))
            for result in results:
                await journal.conclude(number, Outcome(NOW, result))
    async with Store.open(path) as store:
        (run,) = await store.journal(SHELF).listed()
    assert isinstance(run, RunWrites)
    assert run.results == {"done": 2, "unknown": 2, "refused": 1}
    assert run.changed == {"PATCH": 2, "DELETE": 1, "POST": 1}
    assert (run.records, run.first.number, run.last.number) == (5, 1, 10)
    assert run.first.outcome == Outcome(NOW, "done")


async def test_a_single_write_and_a_run_are_listed_up_to_the_limit(store: Store) -> None:
    journal = store.journal(SHELF)
    for batch in ("", "b-1", "", "b-1", ""):
        await journal.intend(replace(an_intent(), batch=batch))

    def names(listed: Iterable[JournalEntry | RunWrites]) -> list[object]:
        return [write.id if isinstance(write, RunWrites) else write.number for write in listed]

    assert names(await journal.listed()) == [5, "b-1", 3, 1]
    assert names(await journal.listed(2)) == [5, "b-1"]
    assert names(await journal.listed(1)) == [5]
    assert [entry.number for entry in await journal.of_run("b-1")] == [2, 4]
    assert [entry.number for entry in await journal.newest_of_run("b-1", 5)] == [4, 2]
    assert [entry.number for entry in await journal.newest_of_run("b-1", 5, before=4)] == [2]
    assert await store.journal(OTHER_SHELF).of_run("b-1") == []
    assert await store.journal(OTHER_SHELF).listed() == []


async def test_the_last_write_of_each_row_has_what_its_outcome_says(store: Store) -> None:
    journal = store.journal(SHELF)
    refused = await journal.intend(replace(an_intent(), batch="b-1", row=1))
    await journal.conclude(refused, Outcome(NOW, "refused", 409, "others have changed it"))
    first = replace(an_intent(), batch="b-1", place="operations/lots/lot-8")
    for place in (first.place, "operations/lots/lot-9"):
        await journal.intend(replace(first, place=place))
    assert await journal.row_writes("b-1") == [
        RowWrite(refused, 1, an_intent().place, NOW, "refused", 409, "others have changed it"),
        RowWrite(3, 0, "operations/lots/lot-8", NOW, "running"),
        RowWrite(4, 0, "operations/lots/lot-9", NOW, "running"),
    ]


async def test_a_search_counts_the_writes_of_each_run_by_themselves(store: Store) -> None:
    journal = store.journal(SHELF)
    for batch in ("b-1", "b-2", "", "b-1", "", "b-2", "b-1"):
        await journal.intend(replace(an_intent(), batch=batch))
    assert [entry.number for entry in await journal.search("lot-1", per_run=1)] == [7, 6, 5, 3]
    assert [entry.number for entry in await journal.search("lot-1")] == [7, 6, 5, 4, 3, 2, 1]


async def test_the_etag_of_the_record_after_a_write_is_a_text(store: Store, path: Path) -> None:
    journal = store.journal(SHELF)
    record = Record({"id": "lot-1"})
    number = await journal.intend(an_intent())
    await journal.conclude(number, Outcome(NOW, "done"), record)
    assert await journal.record_after(number) == WrittenRecord(record)
    assert rows(path, "SELECT json_extract(said, '$.etag') FROM journal WHERE kind = 'outcome'") == [(None,)]
    await journal.conclude(number, Outcome(NOW, "done"), replace(record, etag='"two"'))
    assert await journal.record_after(number) == WrittenRecord(replace(record, etag='"two"'))
    spoil(path, "UPDATE journal SET said = json_set(said, '$.etag', 2) WHERE number = 3")
    assert await journal.record_after(number) == WrittenRecord(record)


async def test_a_prune_writes_down_what_it_removes(store: Store, path: Path) -> None:
    journal = store.journal(SHELF)
    old, cut = NOW - timedelta(days=100), NOW - timedelta(days=90)
    for at in (old, old, cut):
        await journal.conclude(await journal.intend(replace(an_intent(), at=at)), Outcome(at, "done"))
    seals = rows(path, "SELECT hash FROM journal WHERE number = 4")
    assert await journal.prunable(cut) == await journal.prune(cut, NOW) == Pruning(2)
    assert rows(path, "SELECT number, hash, lines, at FROM pruned") == [(4, *seals[0], 4, NOW.isoformat())]
    assert rows(path, "SELECT number FROM journal ORDER BY number") == [(5,), (6,)], "what is as old as the limit stays"
    await journal.prune(NOW, NOW)
    assert rows(path, "SELECT number, lines FROM pruned ORDER BY number") == [(4, 4), (6, 2)]
    assert check_chain(path) == ChainCheck(0, pruned=6)


async def test_a_prune_that_fails_removes_nothing_and_is_not_written_down(path: Path) -> None:
    async with Store.open(path) as store:
        journal = store.journal(SHELF)
        await journal.conclude(await journal.intend(an_intent()), Outcome(NOW, "done"))
        spoil(path, "CREATE TRIGGER stuck BEFORE DELETE ON journal BEGIN SELECT RAISE(ABORT, 'stuck'); END")
        with pytest.raises(StoreError):
            await journal.prune(NOW + SECOND, NOW)
        assert rows(path, "SELECT count(*) FROM journal") == [(2,)]
        assert rows(path, "SELECT count(*) FROM pruned") == [(0,)]


async def test_a_prune_removes_what_is_before_a_write_that_ended_later(store: Store, path: Path) -> None:
    journal = store.journal(SHELF)
    for ended in (NOW, NOW + 2 * SECOND):
        await journal.conclude(await journal.intend(an_intent()), Outcome(ended, "done"))
    assert await journal.prune(NOW + SECOND, NOW) == Pruning(1)
    assert rows(path, "SELECT number FROM journal ORDER BY number") == [(3,), (4,)]


async def test_a_prune_stops_at_a_line_that_does_not_say_when_it_was_written(path: Path) -> None:
    async with Store.open(path) as store:
        for _ in range(3):
            await store.journal(SHELF).intend(an_intent())
        spoil(path, "UPDATE journal SET said = '{}' WHERE number = 2")
        assert await store.journal(SHELF).prunable(NOW + SECOND) == Pruning(1, unknown=1)
        assert await store.journal(SHELF).prunable(NOW) == Pruning(0)


@pytest.mark.parametrize(
    ("statement", "lines", "at"),
    [
        ("UPDATE journal SET said = 'no JSON' WHERE number = 2", 1, None),
        ("UPDATE journal SET said = '{}' WHERE number = 2", 1, None),
        ("UPDATE journal SET said = '{\"at\":7}' WHERE number = 2", 1, None),
        ("UPDATE journal SET previous = 'x' WHERE number = 2", 1, NOW),
        ("UPDATE journal SET hash = 'x' WHERE number = 2", 1, NOW),
        ("UPDATE journal SET shelf = 'ä' WHERE number = 2", 1, NOW),
        ("UPDATE journal SET number = 4 WHERE number = 3", 2, NOW),
    ],
)
async def test_the_first_line_that_is_not_as_it_was_written_is_told_with_its_time(
    path: Path, statement: str, lines: int, at: datetime | None
) -> None:
    async with Store.open(path) as store:
        journal = store.journal(SHELF)
        await journal.conclude(await journal.intend(an_intent()), Outcome(NOW, "done"))
        await journal.intend(an_intent())
    spoil(path, statement)
    number = 4 if "number = 4" in statement else 2
    assert check_chain(path).broken == BrokenLink(number, at)
    assert check_chain(path).lines == lines


@pytest.mark.parametrize("name", ["key", "key_fingerprint", "program"])
async def test_a_line_whose_key_or_program_is_no_text_is_a_clear_error(path: Path, name: str) -> None:
    async with Store.open(path) as store:
        await store.journal(SHELF).intend(an_intent())
        spoil(path, f"UPDATE journal SET said = json_set(said, '$.{name}', 7)")
        with pytest.raises(StoreError, match="can't be read"):
            await store.journal(SHELF).entries()


async def test_a_line_of_the_first_release_has_no_program_and_is_read(path: Path) -> None:
    async with Store.open(path) as store:
        await store.journal(SHELF, "keyring").intend(an_intent())
        spoil(path, "UPDATE journal SET said = json_remove(said, '$.key', '$.program')")
        (entry,) = await store.journal(SHELF).entries()
        assert (entry.key, entry.under_way, entry.intent) == ("", None, an_intent())
        await store.journal(SHELF).intend(replace(an_intent(), batch="b-1"))
        spoil(path, "UPDATE journal SET said = json_remove(said, '$.program')")
        run, _ = await store.journal(SHELF).listed()
        assert isinstance(run, RunWrites)
        assert run.results == {"unknown": 1}


async def test_creations_of_one_collection_alone_are_found(store: Store) -> None:
    journal = store.journal(SHELF)
    post = replace(an_intent(), method="POST", place="operations/lots", body_digest="a")
    for intent in (post, replace(post, body_digest="b"), post):
        await journal.intend(intent)
    await store.journal(OTHER_SHELF).intend(post)
    assert [entry.number for entry in await journal.creations("operations/lots", frozenset("a"))] == [3, 1]
    assert [entry.number for entry in await journal.creations("operations/lots", frozenset("b"))] == [2]
    assert await journal.creations("operations/lots", frozenset()) == []


async def test_a_time_of_another_zone_is_the_same_moment(store: Store) -> None:
    early = datetime(2026, 11, 20, 1, tzinfo=UTC)
    await store.journal(SHELF).intend(replace(an_intent(), at=early))
    assert [entry.intent.at for entry in await store.journal(SHELF).unsettled(early)] == [early]
