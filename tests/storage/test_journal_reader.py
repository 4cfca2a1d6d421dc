"""The journal only looked into: page by page, narrowed down, beside those who write, and without a trace."""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest

from svc_tui.core.values import replace
from svc_tui.storage import journal_reader
from svc_tui.storage.errors import StoreError
from svc_tui.storage.journal_entries import JournalEntry, JournalSelection, Outcome, WriteInProgress
from svc_tui.storage.journal_reader import JournalReader
from svc_tui.storage.plan import Plan
from svc_tui.storage.schema import SCHEMA, VERSION
from svc_tui.storage.store import Store
from tests.storage.conftest import LOTS, NOW, OTHER_SHELF, SHELF, an_intent

ALL = JournalSelection()


def read(path: Path, wanted: JournalSelection = ALL) -> list[JournalEntry]:
    return [entry for page in JournalReader(path, SHELF).pages(wanted) for entry in page]


def tickets(path: Path, wanted: JournalSelection = ALL) -> list[str]:
    return [entry.intent.ticket for entry in read(path, wanted)]


async def test_all_writes_of_the_scope_come_in_pages_the_newest_first(
    store: Store, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(journal_reader, "PAGE", 2)
    journal = store.journal(SHELF, "env KEY")
    for name in "abcde":
        number = await journal.intend(an_intent(name))
        await journal.conclude(number, Outcome(NOW, "done", 200))
    await store.journal(OTHER_SHELF).intend(an_intent("of another scope"))
    pages = list(JournalReader(path, SHELF).pages(ALL))
    assert [[entry.intent.ticket for entry in page] for page in pages] == [["e", "d"], ["c", "b"], ["a"]]
    assert [entry for page in pages for entry in page] == await journal.entries()


async def test_what_is_written_between_two_pages_is_not_waited_for_and_disturbs_nothing(
    store: Store, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(journal_reader, "PAGE", 2)
    journal = store.journal(SHELF)
    for name in "abcd":
        await journal.intend(an_intent(name))
    with closing(JournalReader(path, SHELF).pages(ALL)) as pages:
        read = [entry.intent.ticket for entry in next(pages)]
        await journal.intend(an_intent("e"))
        assert (await journal.prune(NOW + timedelta(days=1), NOW)).writes == 5
        read += [entry.intent.ticket for page in pages for entry in page]
    assert read == ["d", "c"]


async def test_writes_are_chosen_by_their_ticket_to_the_letter(store: Store, path: Path) -> None:
    journal = store.journal(SHELF)
    for ticket in ("SUP-1", "sup-1", "SUP-11", "", "Łódź “1”", "SUP-1"):
        await journal.intend(an_intent(ticket))
    assert tickets(path, JournalSelection(ticket="SUP-1")) == ["SUP-1", "SUP-1"]
    assert tickets(path, JournalSelection(ticket="Łódź “1”")) == ["Łódź “1”"]
    assert tickets(path, JournalSelection(ticket="\ud800")) == []


async def test_writes_are_chosen_by_their_record_and_the_one_that_made_it_is_among_them(
    store: Store, path: Path
) -> None:
    journal = store.journal(SHELF)
    creation = replace(an_intent("made"), method="POST", target="/v1/operations/lots", place="operations/lots")
    number = await journal.intend(creation)
    await journal.conclude(number, Outcome(NOW, "done", 201, made="lot-1", place="operations/lots/lot-1"))
    await journal.intend(an_intent("changed"))
    await journal.intend(replace(an_intent("another"), place="operations/lots/lot-11"))
    assert tickets(path, JournalSelection(place="operations/lots/lot-1")) == ["changed", "made"]
    assert tickets(path, JournalSelection("changed", "operations/lots/lot-1")) == ["changed"]


async def test_writes_are_chosen_by_their_time_in_any_zone(store: Store, path: Path) -> None:
    journal = store.journal(SHELF)
    for hours in (2, 1, 0):
        await journal.intend(replace(an_intent(f"{hours}"), at=NOW - timedelta(hours=hours)))
    since = (NOW - timedelta(hours=1)).astimezone(timezone(timedelta(hours=-7)))
    assert tickets(path, JournalSelection(since=since)) == ["0", "1"]
    assert tickets(path, JournalSelection(since=datetime(2030, 1, 1, tzinfo=UTC))) == []


async def test_a_write_that_a_program_is_at_is_told_from_one_of_unknown_fate(store: Store, path: Path) -> None:
    await store.journal(SHELF).intend(an_intent())
    (entry,) = read(path)
    assert entry.under_way is WriteInProgress.ELSEWHERE
    await store.aclose()
    (entry,) = read(path)
    assert (entry.under_way, entry.outcome) == (None, None)


def spoil(path: Path, *statements: str) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        for statement in statements:
            connection.execute(statement)


async def test_a_write_that_can_not_be_read_is_left_out_and_told(store: Store, path: Path) -> None:
    journal = store.journal(SHELF)
    for name in "abc":
        await journal.intend(an_intent(name))
    spoil(path, "DROP TRIGGER journal_keeps_lines", "UPDATE journal SET said = '{}' WHERE number = 2")
    reader = JournalReader(path, SHELF)
    assert [entry.intent.ticket for page in reader.pages(ALL) for entry in page] == ["c", "a"]
    assert reader.unreadable == [2]


async def test_runs_and_their_first_writes_are_known(store: Store, path: Path) -> None:
    await store.runs(SHELF).keep(Plan("run-1", LOTS, (), NOW, run_title="grade of 2 lots"))
    journal = store.journal(SHELF)
    for name in "ab":
        await journal.intend(replace(an_intent(name), batch="run-1"))
    reader = JournalReader(path, SHELF)
    assert [(run.id, run.title, run.elsewhere) for run in reader.runs()] == [("run-1", "grade of 2 lots", True)]
    first = reader.first_of_run("run-1")
    assert first is not None
    assert first.intent.ticket == "a"
    assert reader.first_of_run("run-2") is None


def test_where_there_is_no_database_there_is_nothing_and_none_is_made(path: Path) -> None:
    assert (read(path), JournalReader(path, SHELF).runs()) == ([], [])
    assert not path.parent.exists()


@pytest.mark.parametrize("version", [1, VERSION - 1])
def test_a_database_of_before_is_read_as_it_is(path: Path, version: int) -> None:
    path.parent.mkdir(mode=0o700)
    steps = [statement for step in SCHEMA[:version] for statement in step]
    spoil(path, *steps, f"PRAGMA user_version = {version}")
    assert (read(path), JournalReader(path, SHELF).runs()) == ([], [])
    spoil(path, f"PRAGMA user_version = {VERSION + 1}")
    with pytest.raises(StoreError, match="was written by a newer svc-tui"):
        read(path)


def written(path: Path) -> bytes:
    return path.read_bytes()


def programs(path: Path) -> list[Path]:
    """What lies where programs say that they live."""
    return list((path.parent / "running").iterdir())


@pytest.mark.parametrize("look", [read, lambda path: JournalReader(path, SHELF).runs()])
async def test_a_look_changes_no_byte_and_is_no_program_that_uses_the_store(
    store: Store, path: Path, look: Callable[[Path], object]
) -> None:
    await store.journal(SHELF).intend(an_intent())
    await store.aclose()
    before = written(path)
    look(path)
    assert (written(path), programs(path)) == (before, [])
