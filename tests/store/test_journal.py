"""The journal keeps what it is told, for good, in order, whoever else is writing."""

import asyncio
import hashlib
import json
import signal
import sqlite3
import subprocess
import sys
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from svc_tui.domain.gateway import Outcome, StoreError
from svc_tui.domain.jsontext import MAX_DEPTH, Number, loads
from svc_tui.store import Store
from svc_tui.store.journal import VERIFIED
from svc_tui.store.schema import PLACE
from tests.store.conftest import NOW, OTHER_SHELF, SHELF, an_intent

WRITER = """
import asyncio, sys
from datetime import UTC, datetime
from pathlib import Path
from svc_tui.domain.credentials import Environment
from svc_tui.domain.gateway import Intent, Shelf
from svc_tui.store import Store

async def main(path, name, count):
    journal = Store.open(Path(path)).journal(Shelf("default", Environment.LIVE, "https://api.example.com"))
    for turn in range(int(count)):
        ticket = f"{name}{turn}"
        await journal.intend(Intent(datetime.now(UTC), "POST", "/v1/operations/lots", "lots", "k", ticket=ticket))
    print("intended", flush=True)
    sys.stdin.read()

asyncio.run(main(*sys.argv[1:]))
"""


def writer(path: Path, name: str, count: int) -> subprocess.Popen[str]:
    """A program of its own that writes `count` intents, says so, and then waits."""
    command = [sys.executable, "-c", WRITER, str(path), name, str(count)]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def raw_lines(path: Path) -> list[tuple[object, ...]]:
    connection = sqlite3.connect(path)
    try:
        return connection.execute("SELECT * FROM journal ORDER BY number").fetchall()
    finally:
        connection.close()


async def test_an_intent_without_an_outcome_says_that_its_fate_is_unknown(store: Store) -> None:
    journal = store.journal(SHELF)
    number = await journal.intend(an_intent())
    (entry,) = await journal.entries()
    assert (entry.number, entry.intent, entry.outcome) == (number, an_intent(), None)


async def test_the_size_of_a_body_without_fields_comes_back(store: Store) -> None:
    journal = store.journal(SHELF)
    await journal.intend(replace(an_intent(), before=None, after=None, body_bytes=34))
    (entry,) = await journal.entries()
    assert (entry.intent.after, entry.intent.body_bytes) == (None, 34)


async def test_numbers_keep_their_digits(store: Store) -> None:
    journal = store.journal(SHELF)
    await journal.intend(an_intent(massKg=Number("1.5000"), big=Number("12345678901234567890.0"), lone="\ud800"))
    (entry,) = await journal.entries()
    assert entry.intent.after == {"massKg": Number("1.5000"), "big": Number("12345678901234567890.0"), "lone": "\ud800"}


async def test_a_record_as_deep_as_json_may_be_is_kept(store: Store) -> None:
    deep = loads('{"a":' * MAX_DEPTH + "1" + "}" * MAX_DEPTH)
    assert isinstance(deep, dict)
    await store.journal(SHELF).intend(an_intent(**deep))
    (entry,) = await store.journal(SHELF).entries()
    assert entry.intent.after == deep


async def test_the_last_of_several_outcomes_counts_and_all_stay(store: Store, path: Path) -> None:
    journal = store.journal(SHELF)
    number = await journal.intend(an_intent())
    await journal.conclude(number, Outcome(NOW, "unknown", message="the connection broke"))
    found = Outcome(NOW + timedelta(minutes=1), "done", 200, "found by looking", "req-7")
    await journal.conclude(number, found)
    (entry,) = await journal.entries()
    assert entry.outcome == found
    assert [line[2] for line in raw_lines(path)] == ["intent", "outcome", "outcome"]


async def test_the_newest_entries_come_first_and_only_as_many_as_asked(store: Store) -> None:
    journal = store.journal(SHELF)
    for ticket in ("a", "b", "c"):
        await journal.intend(an_intent(ticket))
    assert [entry.intent.ticket for entry in await journal.entries(limit=2)] == ["c", "b"]


async def test_the_entries_of_one_place_are_found_among_all(store: Store) -> None:
    journal = store.journal(SHELF)
    places = ("operations/lots/lot-1", "operations/lots/lot-11", "operations/lots/lot-1", "workforce/workers/lot-1")
    for ticket, place in enumerate(places):
        await journal.intend(replace(an_intent(str(ticket)), place=place))
    await store.journal(OTHER_SHELF).intend(an_intent("of another shelf"))
    found = await journal.entries(place="operations/lots/lot-1")
    assert [entry.intent.ticket for entry in found] == ["2", "0"]
    assert [entry.intent.ticket for entry in await journal.entries(1, place="operations/lots/lot-1")] == ["2"]
    assert await journal.entries(place="operations/lots/\ud800") == []


async def test_entries_of_one_place_are_looked_up_not_searched_for(store: Store, path: Path) -> None:
    await store.journal(SHELF).intend(an_intent())
    connection = sqlite3.connect(path)
    try:
        plan = connection.execute(
            f"EXPLAIN QUERY PLAN SELECT number FROM journal WHERE shelf = 'a' AND kind = 'intent' AND {PLACE} = 'b' "
            "ORDER BY number DESC LIMIT 5"
        ).fetchall()
    finally:
        connection.close()
    assert [row[3] for row in plan] == ["SEARCH journal USING INDEX journal_by_place (shelf=? AND <expr>=?)"]


async def test_a_journal_of_the_first_schema_is_brought_up_to_date(path: Path) -> None:
    async with Store.open(path) as store:
        await store.journal(SHELF).intend(an_intent())
    connection = sqlite3.connect(path)
    connection.execute("DROP INDEX journal_by_place")
    connection.execute("PRAGMA user_version = 1")
    connection.close()
    async with Store.open(path) as store:
        assert len(await store.journal(SHELF).entries(place=an_intent().place)) == 1
    connection = sqlite3.connect(path)
    assert connection.execute("SELECT 1 FROM sqlite_schema WHERE name = 'journal_by_place'").fetchone()
    connection.close()


async def test_shelves_are_apart(store: Store) -> None:
    number = await store.journal(SHELF).intend(an_intent())
    assert await store.journal(OTHER_SHELF).entries() == []
    with pytest.raises(StoreError, match="no write number 1 here"):
        await store.journal(OTHER_SHELF).conclude(number, Outcome(NOW, "done"))


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE journal SET said = 'nothing'",
        "DELETE FROM journal",
        "INSERT OR REPLACE INTO journal SELECT * FROM journal",
        "INSERT OR REPLACE INTO journal SELECT number + 1, shelf, kind, entry, said, before, after, previous, hash "
        "FROM journal",
    ],
)
async def test_what_is_written_cannot_be_changed(store: Store, path: Path, statement: str) -> None:
    await store.journal(SHELF).intend(an_intent())
    before = raw_lines(path)
    connection = sqlite3.connect(path)
    with pytest.raises(sqlite3.IntegrityError, match="append-only"):
        connection.execute(statement)
    connection.close()
    assert raw_lines(path) == before


async def test_each_line_carries_the_hash_of_the_one_before(store: Store, path: Path) -> None:
    journal = store.journal(SHELF)
    number = await journal.intend(an_intent())
    await journal.conclude(number, Outcome(NOW, "done", 200))
    await store.journal(OTHER_SHELF).intend(an_intent())
    previous = "0" * 64
    for line in raw_lines(path):
        *content, seal = line
        assert content[-1] == previous
        whole = json.dumps(content, separators=(",", ":"))
        assert seal == hashlib.sha256(whole.encode()).hexdigest()
        previous = seal


async def spoilt(path: Path, lines: int, statement: str) -> str:
    """The notice on opening a journal of `lines` lines that somebody has got at with the triggers off."""
    async with Store.open(path) as store:
        journal = store.journal(SHELF)
        await asyncio.gather(*(journal.intend(an_intent(str(turn))) for turn in range(lines)))
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("DROP TRIGGER journal_keeps_lines")
    connection.execute("DROP TRIGGER journal_loses_nothing")
    connection.execute(statement)
    connection.close()
    async with Store.open(path) as store:
        return store.notice


@pytest.mark.parametrize(
    ("statement", "line"),
    [
        ("UPDATE journal SET said = replace(said, 'PATCH', 'DELETE') WHERE number = 2", 2),
        ("UPDATE journal SET after = NULL WHERE number = 3", 3),
        ("DELETE FROM journal WHERE number = 2", 3),
        ("DELETE FROM journal WHERE number = 1", 2),
    ],
)
async def test_a_line_that_was_changed_is_noticed_at_the_next_start(path: Path, statement: str, line: int) -> None:
    notice = await spoilt(path, 4, statement)
    assert notice == f"line {line} of the journal in {path} was not written by svc-tui, or was changed since"


@pytest.mark.parametrize(
    ("kind", "old", "new"),
    [
        ("intent", '"at":"2026', '"at":"twenty'),
        ("intent", "+00:00", ""),
        ("intent", '"method":"PATCH"', '"method":1'),
        ("outcome", '"at":"2026', '"at":"twenty'),
        ("outcome", '"status":200', '"status":2e2'),
        ("outcome", '"status":200', '"status":-200'),
        ("outcome", "}", ""),
    ],
)
async def test_a_line_that_can_not_be_read_is_a_clear_error(path: Path, kind: str, old: str, new: str) -> None:
    async with Store.open(path) as store:
        journal = store.journal(SHELF)
        await journal.conclude(await journal.intend(an_intent()), Outcome(NOW, "done", 200))
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("DROP TRIGGER journal_keeps_lines")
    connection.execute("UPDATE journal SET said = replace(said, ?, ?) WHERE kind = ?", (old, new, kind))
    connection.close()
    async with Store.open(path) as store:
        with pytest.raises(StoreError, match="can't be read"):
            await store.journal(SHELF).entries()


async def test_a_long_journal_is_checked_from_its_newest_end(path: Path) -> None:
    assert await spoilt(path, VERIFIED + 5, f"UPDATE journal SET after = NULL WHERE number = {VERIFIED + 2}")
    async with Store.open(path) as store:
        assert f"line {VERIFIED + 2} " in store.notice


async def test_a_sound_long_journal_has_no_notice(path: Path) -> None:
    assert await spoilt(path, VERIFIED + 5, "SELECT 1") == ""


def test_two_programs_may_write_at_once(path: Path) -> None:
    programs = [writer(path, name, 40) for name in ("a", "b")]
    try:
        for program in programs:
            assert program.stdout is not None
            assert program.stdout.readline() == "intended\n"
    finally:
        for program in programs:
            program.communicate("")
    lines = raw_lines(path)
    assert [line[0] for line in lines] == list(range(1, 81))
    tickets = [json.loads(str(line[4]))["ticket"] for line in lines]
    assert [ticket for ticket in tickets if ticket[0] == "a"] == [f"a{turn}" for turn in range(40)]
    assert [ticket for ticket in tickets if ticket[0] == "b"] == [f"b{turn}" for turn in range(40)]
    assert Store.open(path).notice == ""


async def test_an_intent_outlives_a_kill(path: Path) -> None:
    program = writer(path, "doomed", 1)
    assert program.stdout is not None
    assert program.stdout.readline() == "intended\n"
    program.send_signal(signal.SIGKILL)
    program.communicate()
    async with Store.open(path) as store:
        assert [entry.intent.ticket for entry in await store.journal(SHELF).entries()] == ["doomed0"]
        assert store.notice == ""


async def test_a_caller_that_goes_away_does_not_undo_the_line(store: Store) -> None:
    journal = store.journal(SHELF)
    number = await journal.intend(an_intent())
    concluding = asyncio.create_task(journal.conclude(number, Outcome(NOW, "unknown")))
    await asyncio.sleep(0)
    concluding.cancel()
    with pytest.raises(asyncio.CancelledError):
        await concluding
    (entry,) = await journal.entries()
    assert entry.outcome == Outcome(NOW, "unknown")
