"""The journal keeps what it is told, for good, in order, whoever else is writing."""

import asyncio
import hashlib
import json
import signal
import sqlite3
import subprocess
import sys
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from svc_tui.core.jsontext import MAX_DEPTH, Number, loads
from svc_tui.core.records import Record
from svc_tui.core.values import replace
from svc_tui.storage.errors import StoreError
from svc_tui.storage.journal import WRITES_TO_PLACE, Journal, check_chain
from svc_tui.storage.journal_entries import (
    BrokenLink,
    ChainCheck,
    JournalEntry,
    Outcome,
    Pruning,
    RowWrite,
    RunWrites,
    WrittenRecord,
)
from svc_tui.storage.journal_reader import JournalReader
from svc_tui.storage.schema import BATCH_EXPRESSION, SCHEMA, VERSION
from svc_tui.storage.store import Store
from tests.storage.conftest import NOW, OTHER_SHELF, SHELF, an_intent

LATER = NOW + timedelta(days=1)

WRITER = """
import asyncio, sys
from datetime import UTC, datetime
from pathlib import Path
from svc_tui.core.credentials import Environment
from svc_tui.storage.journal_entries import Intent, Outcome
from svc_tui.storage.scope import StorageScope
from svc_tui.storage.store import Store

async def main(path, name, count, concludes=""):
    journal = Store.open(Path(path)).journal(StorageScope("default", Environment.LIVE, "https://api.example.com"))
    for turn in range(int(count)):
        ticket = f"{name}{turn}"
        intent = Intent(datetime.now(UTC), "POST", "/v1/operations/lots", "lots", "k", ticket=ticket)
        number = await journal.intend(intent)
        if concludes:
            await journal.conclude(number, Outcome(intent.at, "done"))
    print("intended", flush=True)
    sys.stdin.read()

asyncio.run(main(*sys.argv[1:]))
"""


def writer(path: Path, name: str, count: int, *more: str) -> subprocess.Popen[str]:
    """A program of its own that writes `count` intents, says so, and then waits."""
    command = [sys.executable, "-c", WRITER, str(path), name, str(count), *more]
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


async def test_the_record_after_a_write_is_that_of_its_last_outcome_that_has_one(store: Store, path: Path) -> None:
    journal = store.journal(SHELF)
    number = await journal.intend(an_intent())
    assert await journal.record_after(number) is None
    await journal.conclude(number, Outcome(NOW, "done", 204))
    assert await journal.record_after(number) is None
    record = Record({"id": "unsent", "massKg": Number("1.50"), "lone": "\ud800"}, '"one"')
    await journal.conclude(number, Outcome(NOW, "done", 204), record)
    await journal.conclude(number, Outcome(NOW, "done", 204))
    assert await journal.record_after(number) == WrittenRecord(record)
    assert await store.journal(OTHER_SHELF).record_after(number) is None
    (entry,) = await journal.entries()
    assert entry.outcome == Outcome(NOW, "done", 204)
    assert await journal.search("unsent") == [], "only what was sent is searched"
    assert check_chain(path) == ChainCheck(4)


async def test_an_outcome_without_a_record_is_the_line_that_1_0_0_wrote(store: Store, path: Path) -> None:
    journal = store.journal(SHELF)
    await journal.conclude(await journal.intend(an_intent()), Outcome(NOW, "done", 200))
    line = raw_lines(path)[-1]
    assert loads(str(line[4])) == loads(
        f'{{"at":"{NOW.isoformat()}","result":"done","status":200,"message":"","request_id":null}}'
    )
    assert line[5:7] == (None, None)


async def test_the_writes_without_a_known_outcome_are_those_that_nothing_was_found_out_of(store: Store) -> None:
    journal = store.journal(SHELF)
    numbers = {
        ticket: await journal.intend(an_intent(ticket)) for ticket in ("sent", "unknown", "found", "done", "refused")
    }
    await store.journal(OTHER_SHELF).intend(an_intent("of another scope"))
    for ticket, results in (
        ("unknown", ["unknown"]),
        ("found", ["unknown", "done"]),
        ("done", ["done"]),
        ("refused", ["refused"]),
    ):
        for result in results:
            await journal.conclude(numbers[ticket], Outcome(NOW, result))
    assert [entry.intent.ticket for entry in await journal.unsettled(NOW - timedelta(days=1))] == ["unknown", "sent"]
    assert await journal.unsettled(NOW + timedelta(seconds=1)) == []


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
    await store.journal(OTHER_SHELF).intend(an_intent("of another scope"))
    found = await journal.entries(place="operations/lots/lot-1")
    assert [entry.intent.ticket for entry in found] == ["2", "0"]
    assert [entry.intent.ticket for entry in await journal.entries(1, place="operations/lots/lot-1")] == ["2"]
    assert await journal.entries(place="operations/lots/\ud800") == []


async def test_the_write_that_made_a_record_is_one_to_its_place(store: Store) -> None:
    journal = store.journal(SHELF)
    making = replace(an_intent("made"), method="POST", place="operations/lots")
    made = Outcome(NOW, "done", 201, made="lot-7", place="operations/lots/lot-7")
    await journal.conclude(await journal.intend(making), made)
    await journal.conclude(await journal.intend(replace(making, ticket="another")), Outcome(NOW, "done", 201))
    await journal.intend(replace(an_intent("changed"), place="operations/lots/lot-7"))
    entries = await journal.entries(place="operations/lots/lot-7")
    assert [(entry.intent.ticket, entry.outcome) for entry in entries] == [("changed", None), ("made", made)]
    assert [entry.intent.ticket for entry in await journal.entries(place="operations/lots")] == ["another", "made"]


async def test_entries_of_one_place_are_looked_up_not_searched_for(store: Store, path: Path) -> None:
    await store.journal(SHELF).intend(an_intent())
    connection = sqlite3.connect(path)
    try:
        plan = connection.execute(f"EXPLAIN QUERY PLAN {WRITES_TO_PLACE}", ("a", "b", "a", "b")).fetchall()
    finally:
        connection.close()
    looked = [row[3] for row in plan if "journal" in row[3]]
    assert looked == [
        "SEARCH journal USING INDEX journal_by_place (shelf=? AND <expr>=?)",
        "SEARCH journal USING INDEX journal_by_made (shelf=? AND <expr>=?)",
    ]


def of_version(version: int, path: Path, lines: list[tuple[object, ...]]) -> Path:
    """A database as an older program left it, with these lines in its journal."""
    connection = sqlite3.connect(path, isolation_level=None)
    for statement in (statement for step in SCHEMA[:version] for statement in step):
        connection.execute(statement)
    connection.executemany("INSERT INTO journal VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", lines)
    connection.execute(f"PRAGMA user_version = {version}")
    connection.close()
    return path


@pytest.mark.parametrize("version", range(1, VERSION))
async def test_a_journal_of_an_older_schema_is_brought_up_to_date(path: Path, version: int) -> None:
    async with Store.open(path) as store:
        await store.journal(SHELF).intend(an_intent())
    older = of_version(version, path.with_name("older.db"), raw_lines(path))
    assert check_chain(older) == ChainCheck(1)
    async with Store.open(older) as store:
        assert store.notice == ""
        assert len(await store.journal(SHELF).entries(place=an_intent().place)) == 1
        assert (await store.journal(SHELF).prune(LATER, LATER)).writes == 1


async def test_shelves_are_apart(store: Store) -> None:
    number = await store.journal(SHELF).intend(an_intent())
    assert await store.journal(OTHER_SHELF).entries() == []
    with pytest.raises(StoreError, match="entry 1 is not in the journal"):
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
        ("UPDATE journal SET after = NULL WHERE number = 1", 1),
        ("DELETE FROM journal WHERE number = 2", 3),
        ("DELETE FROM journal WHERE number = 1", 2),
    ],
)
async def test_a_line_that_was_changed_is_noticed_at_the_next_start(path: Path, statement: str, line: int) -> None:
    notice = await spoilt(path, 4, statement)
    assert notice == f"entry {line} of the journal in {path} was not written by svc-tui, or was changed later"


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


@pytest.fixture
def _few_lines_are_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    """Check the newest 20 lines at the start, in place of 1,000."""
    monkeypatch.setattr("svc_tui.storage.journal.CHECKED_LINES", 20)


@pytest.mark.usefixtures("_few_lines_are_checked")
@pytest.mark.parametrize(("line", "is_noticed"), [(5, False), (6, True), (22, True)])
async def test_a_long_journal_is_checked_from_its_newest_end(path: Path, line: int, is_noticed: bool) -> None:
    notice = await spoilt(path, 25, f"UPDATE journal SET after = NULL WHERE number = {line}")
    assert (f"entry {line} " in notice) is is_noticed
    assert bool(notice) is is_noticed


@pytest.mark.usefixtures("_few_lines_are_checked")
async def test_a_sound_long_journal_has_no_notice(path: Path) -> None:
    assert await spoilt(path, 25, "SELECT 1") == ""


def test_two_programs_may_write_at_once(path: Path) -> None:
    programs = [writer(path, name, 40, "concludes") for name in ("a", "b")]
    try:
        for program in programs:
            assert program.stdout is not None
            assert program.stdout.readline() == "intended\n"
    finally:
        for program in programs:
            program.communicate("")
    lines = raw_lines(path)
    assert [line[0] for line in lines] == list(range(1, 161))
    tickets = [json.loads(str(line[4]))["ticket"] for line in lines if line[2] == "intent"]
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


async def test_a_write_names_its_key_and_its_batch(store: Store, path: Path) -> None:
    journal = store.journal(SHELF, "SVC_API_KEY")
    await journal.intend(replace(an_intent(), batch="b-1"))
    await store.journal(SHELF).intend(an_intent())
    plain, named = await journal.entries()
    assert (named.key, named.intent.batch) == ("SVC_API_KEY", "b-1")
    assert (plain.key, plain.intent.batch) == ("", "")
    assert [entry.number for entry in await journal.of_run("b-1")] == [named.number]


@pytest.mark.parametrize(
    "text", ["LOT-1", "masskg", "t-7", "1.5000", "done", "req-9", "2026-11-20", "patch t-7", "6f9619ff", "200", "b-12"]
)
async def test_a_write_is_found_by_its_record_field_value_ticket_ids_and_outcome(store: Store, text: str) -> None:
    journal = store.journal(SHELF)
    for ticket, place in (("T-7", "operations/lots/lot-1"), ("T-8", "safety/incidents/inc-2")):
        intent = replace(an_intent(ticket), place=place, batch="b-12")
        number = await journal.intend(intent if ticket == "T-7" else replace(intent, method="POST"))
        if ticket == "T-7":
            await journal.conclude(number, Outcome(NOW, "done", 200, request_id="req-9"))
    assert "T-7" in [entry.intent.ticket for entry in await journal.search(text)]


async def test_a_search_looks_through_the_whole_journal_of_its_shelf_alone(store: Store) -> None:
    journal = store.journal(SHELF)
    for ticket in ("needle", *(f"hay-{turn}" for turn in range(250))):
        await journal.intend(an_intent(ticket))
    await store.journal(OTHER_SHELF).intend(an_intent("needle too"))
    assert [entry.intent.ticket for entry in await journal.search("NEEDLE lot-1")] == ["needle"]
    assert await journal.search("needle inc-1") == []
    assert [entry.intent.ticket for entry in await journal.search("hay", limit=2)] == ["hay-249", "hay-248"]


async def test_a_search_finds_letters_whatever_their_case_and_accents(store: Store) -> None:
    await store.journal(SHELF).intend(an_intent("Łódź 札幌"))
    assert len(await store.journal(SHELF).search("łÓDŹ 札幌")) == 1
    assert len(await store.journal(SHELF).search("lodz")) == 1


async def aged(store: Store, *days: int) -> None:
    """Writes that were done so many days before now, the oldest first."""
    for ago in days:
        at = NOW - timedelta(days=ago)
        number = await store.journal(SHELF).intend(replace(an_intent(f"{ago}"), at=at))
        await store.journal(SHELF).conclude(number, Outcome(at, "done", 200))


def tickets(path: Path) -> list[str]:
    return [json.loads(str(line[4]))["ticket"] for line in raw_lines(path) if line[2] == "intent"]


async def test_old_writes_are_pruned_and_the_chain_still_checks(store: Store, path: Path) -> None:
    await aged(store, 100, 95, 20, 3)
    lines = raw_lines(path)
    journal = store.journal(SHELF)
    cut = NOW - timedelta(days=90)
    assert await journal.prunable(cut) == Pruning(2)
    assert await journal.prune(cut, NOW) == Pruning(2)
    assert tickets(path) == ["20", "3"]
    assert raw_lines(path) == lines[4:]
    assert check_chain(path) == ChainCheck(4, pruned=4)
    async with Store.open(path) as again:
        assert again.notice == ""
    assert await journal.prune(cut, NOW) == Pruning(0)
    assert check_chain(path) == ChainCheck(4, pruned=4), "nothing to prune changes nothing"


async def test_a_journal_pruned_to_nothing_goes_on_with_its_chain(store: Store, path: Path) -> None:
    await aged(store, 100)
    seal = raw_lines(path)[-1][-1]
    await store.journal(SHELF).prune(NOW, NOW)
    assert raw_lines(path) == []
    assert await store.journal(SHELF).intend(an_intent()) == 3
    assert [(line[0], line[-2]) for line in raw_lines(path)] == [(3, seal)]
    assert check_chain(path) == ChainCheck(1, pruned=2)


async def test_a_write_is_pruned_with_both_its_lines_or_stays(store: Store, path: Path) -> None:
    journal = store.journal(SHELF)
    old = NOW - timedelta(days=100)
    await journal.intend(replace(an_intent("lost"), at=old))
    first = await journal.intend(replace(an_intent("a"), at=old))
    second = await journal.intend(replace(an_intent("b"), at=old))
    await journal.conclude(first, Outcome(old, "done"))
    await journal.conclude(second, Outcome(NOW, "done"))
    assert await journal.prune(NOW - timedelta(days=90), NOW) == Pruning(1, unknown=1)
    assert tickets(path) == ["a", "b"]
    assert check_chain(path) == ChainCheck(4, pruned=1)


async def test_lines_may_go_only_once_their_going_is_written_down(store: Store, path: Path) -> None:
    await aged(store, 100, 3)
    await store.journal(SHELF).prune(NOW - timedelta(days=90), NOW)
    connection = sqlite3.connect(path)
    for statement in ("DELETE FROM journal", "DELETE FROM pruned", "UPDATE pruned SET number = 9"):
        with pytest.raises(sqlite3.IntegrityError, match="append-only"):
            connection.execute(statement)
    connection.close()


async def test_a_start_of_the_journal_that_is_gone_without_pruning_is_a_broken_chain(path: Path) -> None:
    await spoilt(path, 4, "DELETE FROM journal WHERE number <= 2")
    assert check_chain(path) == ChainCheck(0, broken=BrokenLink(3, NOW))


@pytest.mark.usefixtures("_few_lines_are_checked")
async def test_the_check_of_the_chain_looks_at_every_line_and_changes_nothing(path: Path) -> None:
    assert await spoilt(path, 25, "UPDATE journal SET after = NULL WHERE number = 2") == ""
    before = raw_lines(path)
    assert check_chain(path) == ChainCheck(1, broken=BrokenLink(2, NOW))
    assert raw_lines(path) == before


def test_where_nothing_was_written_yet_there_is_nothing_to_check_and_nothing_is_made(path: Path) -> None:
    assert check_chain(path) == ChainCheck(0)
    assert not path.exists()


def test_what_is_no_journal_is_a_clear_error(path: Path) -> None:
    path.parent.mkdir()
    path.write_bytes(b"no database, " * 100)
    with pytest.raises(StoreError, match="is damaged"):
        check_chain(path)


async def written(journal: Journal, batch: str = "", result: str = "done", **given: Any) -> int:
    number = await journal.intend(replace(an_intent(), batch=batch, **given))
    await journal.conclude(number, Outcome(NOW, result))
    return number


async def test_the_writes_of_a_run_are_listed_as_one_where_the_newest_of_them_is(store: Store) -> None:
    journal = store.journal(SHELF)
    first = await written(journal, "b-1", row=1)
    await written(journal, "b-1", "refused", row=2)
    alone = await written(journal)
    again = await written(journal, "b-1", row=2)
    open_write = await journal.intend(replace(an_intent(), batch="b-1", row=3))
    newest = await written(journal)
    await written(store.journal(OTHER_SHELF), "b-1")
    last, run, single = await journal.listed()
    assert isinstance(last, JournalEntry)
    assert isinstance(run, RunWrites)
    assert isinstance(single, JournalEntry)
    assert (last.number, single.number) == (newest, alone)
    assert (run.id, run.first.number, run.last.number) == ("b-1", first, open_write)
    assert (run.writes, run.records) == (4, 3)
    assert (run.results, run.changed) == ({"done": 2, "refused": 1, "running": 1}, {"PATCH": 3})
    assert [run.id for run in await journal.runs_of(["b-1", "b-2"])] == ["b-1"]
    assert [entry.number for entry in await journal.newest_of_run("b-1", 2)] == [open_write, again]
    assert [entry.number for entry in await journal.newest_of_run("b-1", 2, before=again)] == [first + 2, first]


async def test_a_batch_without_rows_counts_its_records_by_their_place(store: Store) -> None:
    journal = store.journal(SHELF)
    await written(journal, "b-1", place="operations/lots/lot-1")
    await written(journal, "b-1", "not sent", place="operations/lots/lot-2")
    await written(journal, "b-1", "unknown", place="operations/lots/lot-2")
    (run,) = await journal.listed()
    assert isinstance(run, RunWrites)
    assert (run.records, run.results) == (2, {"done": 1, "not sent": 1, "unknown": 1})
    assert run.changed == {"PATCH": 2}


async def test_a_run_is_one_of_the_lines_however_long_it_is(store: Store) -> None:
    journal = store.journal(SHELF)
    for _ in range(3):
        await written(journal)
    for row in range(20):
        await written(journal, "b-1", row=row)
    assert [type(line).__name__ for line in await journal.listed(3)] == ["RunWrites", "JournalEntry", "JournalEntry"]
    assert len(await journal.listed()) == 4


async def test_a_search_lists_only_so_many_of_each_run(store: Store) -> None:
    journal = store.journal(SHELF)
    alone = await written(journal)
    for row in range(5):
        await written(journal, "b-1", row=row)
    assert len(await journal.search("lot-1")) == 6
    assert [entry.intent.batch for entry in await journal.search("lot-1", per_run=2)] == ["b-1", "b-1", ""]
    assert [entry.intent.batch for entry in await journal.search("lot-1", 2, per_run=1)] == ["b-1", ""]
    entry = await journal.find(alone)
    assert entry is not None
    assert entry.intent == an_intent()
    assert await journal.find(alone + 1) is None, "that is the line of its outcome"


async def test_runs_are_found_by_an_index(path: Path) -> None:
    await Store.open(path).aclose()
    connection = sqlite3.connect(path)
    for query in (
        f"SELECT number FROM journal WHERE shelf = '' AND kind = 'intent' AND {BATCH_EXPRESSION} = 'b' ORDER BY number",
        f"SELECT said FROM journal WHERE shelf = '' AND kind = 'intent' AND {BATCH_EXPRESSION} IS NULL"
        " ORDER BY number DESC",
        f"SELECT max(number) FROM journal WHERE shelf = '' AND kind = 'intent' AND {BATCH_EXPRESSION} > ''"
        f" GROUP BY {BATCH_EXPRESSION}",
    ):
        steps = [row[-1] for row in connection.execute(f"EXPLAIN QUERY PLAN {query}")]
        assert len(steps) == 1, steps
        assert "journal_by_batch" in steps[0], steps
    connection.close()


async def test_the_last_write_of_each_row_of_a_run_is_told_without_its_values(store: Store) -> None:
    journal = store.journal(SHELF)
    first = await written(journal, "b-1", "refused", row=2)
    created = await journal.intend(replace(an_intent(), batch="b-1", row=3))
    await journal.conclude(created, Outcome(NOW, "done", 201, made="lot-9"))
    again = await written(journal, "b-1", row=2)
    await written(journal, "b-2", row=2)
    place = an_intent().place
    assert await journal.row_writes("b-1") == [
        RowWrite(again, 2, place, NOW, "done"),
        RowWrite(created, 3, place, NOW, "done", 201, "", "lot-9"),
    ]
    assert first < again


async def test_creations_are_found_by_what_they_sent(store: Store, path: Path) -> None:
    journal, place = store.journal(SHELF), "operations/lots"

    async def post(digest: str, result: str = "", **more: str) -> int:
        intent = replace(an_intent(), method="POST", place=more.get("place", place), body_digest=digest)
        number = await journal.intend(intent)
        if result:
            await journal.conclude(number, Outcome(NOW, result))
        return number

    done, lost = await post("a", "done"), await post("b", "unknown")
    open_write = await post("a")
    await post("a", "refused")
    await post("c", "done")
    await post("a", "done", place="operations/batches")
    await journal.intend(replace(an_intent(), place=place, body_digest="a"))
    found = await journal.creations(place, frozenset("ab"))
    assert [entry.number for entry in found] == [open_write, lost, done]
    assert [entry.number for entry in JournalReader(path, SHELF).creations(place, frozenset("ab"))] == [
        *(open_write, lost, done)
    ]
    assert JournalReader(path, OTHER_SHELF).creations(place, frozenset("ab")) == []
    assert JournalReader(path.with_name("none.db"), SHELF).creations(place, frozenset("ab")) == []
