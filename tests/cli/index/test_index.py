"""`svc-tui index`, `find`, `sql` and `changes`: what the index on this machine knows, and how it says what it lacks."""

import csv
import fcntl
import io
import json
import os
import re
import shutil
import signal
import sqlite3
import sys
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pexpect
import pytest

from svc_tui.cli.main import main
from svc_tui.core.catalog import COLLECTIONS
from svc_tui.sandbox.options import SandboxOptions
from svc_tui.sandbox.server.inprocess import RunningService, running_service
from tests.cli.conftest import CompletedCommand, Run, Start, UseRaw
from tests.cli.test_export import hold_from_the_second_page, until
from tests.client.raw_service import CannedReply, ReceivedRequest, Script, reply

Use = Callable[[str], None]
DONE = CompletedCommand(0, b"", "")
NONE = "svc-tui: there is no index; create it with svc-tui index update, or set index = true in the profile\n"
IN_TURN = """
import json, sys
from svc_tui.cli.main import main

for words in json.loads(sys.argv[1]):
    try:
        main(words)
    except SystemExit as ended:
        print("ended with", ended.code, flush=True)
"""
"""Runs the program on each of some words, in one process; one that fails fails what waits for it."""
ASKING = (["find", "lot"], ["sql", "select 1"], ["changes"])
PATIENCE = 60.0


def index_file(home: Path) -> Path:
    """The file of the only index there is."""
    (path,) = (home / "state" / "svc-tui" / "indexes").glob("*.db")
    return path


def in_index(home: Path, statement: str) -> list[tuple[object, ...]]:
    """What lies on the disk."""
    with closing(sqlite3.connect(index_file(home))) as connection:
        return connection.execute(statement).fetchall()


@pytest.fixture(scope="session")
def finished_state(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A state directory with an index of all records, for `indexed` to copy: building one takes 1.5 s."""
    home = tmp_path_factory.mktemp("indexed")
    with running_service(SandboxOptions(records=30)) as service, pytest.MonkeyPatch.context() as patch:
        for name in [name for name in os.environ if name.startswith("SVC_")]:
            patch.delenv(name)
        patch.setenv("XDG_CONFIG_HOME", str(home / "config"))
        patch.setenv("XDG_STATE_HOME", str(home / "state"))
        patch.setenv("SVC_API_KEY", service.key("sandbox").api_key)
        patch.setenv("SVC_SANDBOX_BASE_URL", service.base_url)
        with pytest.raises(SystemExit) as ended:
            main(["index", "update"])
    assert ended.value.code == 0
    return home / "state"


@pytest.fixture
def indexed(run: Run, use: Use, service: RunningService, home: Path, finished_state: Path) -> RunningService:
    """The service, all of which was read into the index a moment ago.

    The index is a copy of `finished_state`, made one of this service, its key and this moment.
    """
    use("sandbox")
    shutil.copytree(finished_state, home / "state")
    source = index_file(home)
    target = Path(json.loads(run("index", "status", "--json").out)["file"])
    for file in source.parent.glob(f"{source.name}*"):
        file.rename(target.with_name(file.name.replace(source.name, target.name)))
    scope = ["env", "sandbox", service.base_url, target.stem.rpartition("-")[2]]
    with closing(sqlite3.connect(target, isolation_level=None)) as connection:
        connection.execute("UPDATE about SET value = ? WHERE name = 'scope'", [json.dumps(scope)])
        connection.execute("UPDATE about SET value = ? WHERE name = 'began_at'", [str(time.time())])
        connection.execute("UPDATE collections SET completed_at = ?", [time.time()])
        connection.execute("UPDATE readings SET read_at = ?", [time.time()])
    return service


def hostile(**records: list[object]) -> Script:
    """A service that has these records, by the names of collections, and refuses finance."""

    def answer(received: ReceivedRequest) -> CannedReply:
        name = received.target.partition("?")[0].rpartition("/")[2]
        if "finance" in received.target:
            return reply(403, '{"error": {"code": "insufficient_scope", "message": "no scope"}}')
        held = records.get(name, [])
        return reply(200, json.dumps({"items": held, "meta": {"total": len(held)}}))

    return answer


# What there is


def test_where_there_is_none_that_is_said_and_nothing_is_made(run: Run, use: Use, home: Path) -> None:
    use("sandbox")
    for words in (["index"], ["index", "status"]):
        ran = run(*words)
        assert (ran.status, ran.err) == (0, "")
        first, file, how = ran.out.decode().splitlines()
        assert first == "there is no index for this profile"
        assert re.search(r"indexes/env-sandbox-[0-9a-f]{10}-unknown\.db \(does not exist yet\)$", file)
        assert re.search(r"svc-tui index update.*index = true", how)
    document = json.loads(run("index", "status", "--json").out)
    assert (document["exists"], document["records"], document["collections"]) == (False, None, [])
    for words in ASKING:
        assert run(*words) == CompletedCommand(2, b"", NONE)
    assert run("index", "drop", "--force") == CompletedCommand(0, b"", "svc-tui: there is no index to delete\n")
    assert not (home / "state").exists()


def test_an_update_reads_all_and_status_tells_it(run: Run, use: Use, home: Path) -> None:
    use("sandbox")
    assert run("index", "update") == DONE
    document = json.loads(run("index", "status", "--json").out)
    assert document["file"] == str(index_file(home))
    assert (document["problem"], document["kept_up_to_date_now"]) == ("", False)
    assert [one["collection"] for one in document["collections"]] == [one.key for one in COLLECTIONS]
    assert all(one["completed_at"] and one["records"] == one["total"] for one in document["collections"])
    assert document["records"] == sum(one["records"] for one in document["collections"])
    lines = run("index").out.decode().splitlines()
    assert re.fullmatch(r"size +[\d.]+ MB", lines[1])
    assert re.fullmatch(r"created +\d{4}-\d\d-\d\d \d\d:\d\d, just now", lines[2])
    assert lines[3] == "updates     only when you run svc-tui index update"
    assert re.fullmatch(r"operations/lots +30  updated just now \(\d{4}-\d\d-\d\d \d\d:\d\d\)", lines[6])
    assert oct(index_file(home).stat().st_mode)[-3:] == "600"


def test_only_what_is_named_is_read(run: Run, use: Use, service: RunningService) -> None:
    use("sandbox")
    assert run("index", "update", "lots", "workforce/workers") == DONE
    asked = {attempt.target.partition("?")[0] for attempt in service.attempts}
    assert asked == {"/v1/operations/lots", "/v1/workforce/workers"}
    ran = run("find", "zzzz")
    assert (ran.status, ran.out) == (1, b"")
    assert "the index is incomplete: operations/tunnels (not indexed yet)" in ran.err
    assert "lots (" not in ran.err
    assert run("find", "zzzz", "-C", "lots").err.count("\n") == 1


def test_a_refusal_is_said_and_the_rest_is_read(run: Run, use_raw: UseRaw) -> None:
    use_raw(hostile(lots=[{"id": "lot-1"}, {"name": "nameless"}, {"id": "lot-1"}]))
    ran = run("index", "update")
    assert (ran.status, ran.out) == (1, b"")
    assert ran.err.startswith("svc-tui: finance/invoices was not updated: the key does not have the scope for")
    assert ran.err.count("\n") == 1
    text = run("index").out.decode()
    assert re.search(r"lots +1  updated just now \(.*\); 1 without an id, skipped; 1 with the id of another", text)
    assert re.search(r"finance/invoices +0  update failed: .*no scope", text)
    assert "finance/invoices" in run("find", "lot").err


def test_nobody_there_is_3_and_the_rest_is_not_tried(run: Run, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SVC_API_KEY", "svc_test_x")
    monkeypatch.setenv("SVC_SANDBOX_BASE_URL", "http://127.0.0.1:9")
    ran = run("index", "update", "lots", "workers")
    assert (ran.status, ran.out) == (3, b"")
    first, rest = ran.err.splitlines()
    assert first.startswith("svc-tui: operations/lots was not updated: ")
    assert rest == "svc-tui: not started: workforce/workers"


def test_a_key_that_is_refused_is_asked_for_once(run: Run, use: Use, service: RunningService) -> None:
    use("revoked")
    ran = run("index", "update")
    assert ran.status == 1
    assert "api_key_revoked" in ran.err
    assert len(service.attempts) == 1


def test_one_program_at_a_time(run: Run, indexed: RunningService, home: Path) -> None:
    before = len(indexed.attempts)
    with Path(f"{index_file(home)}.lock").open("rb") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        assert run("index", "update").status == 2
        assert (
            "another svc-tui process is updating the index; wait until it ends, or stop that process"
            in run("index", "drop", "--force").err
        )
        assert json.loads(run("index", "status", "--json").out)["kept_up_to_date_now"]
        assert "another svc-tui process is updating it now" in run("index").out.decode()
        assert run("find", "lot-000001").status == 0
    assert len(indexed.attempts) == before
    assert index_file(home).exists()
    assert run("index", "update", "lots") == DONE


def test_an_interrupt_is_130_and_the_next_goes_on_where_it_stopped(
    run: Run, start: Start, use: Use, service: RunningService, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (home / "config" / "svc-tui" / "profiles").mkdir(parents=True, mode=0o700)
    key = service.key("sandbox").api_key
    profile = home / "config" / "svc-tui" / "profiles" / "work.toml"
    profile.write_text(f'api_key = "{key}"\nsandbox_base_url = "{service.base_url}"\npage_size = 10\n')
    profile.chmod(0o600)
    monkeypatch.setenv("SVC_TUI_PROFILE", "work")
    with hold_from_the_second_page(service):
        process = start("index", "update", "lots")
        until(lambda: service.faults.held > 0, process)
        until(lambda: "update not finished: 10 of 30, continues at page 2" in run("index").out.decode(), process)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130
    assert err == b"svc-tui: interrupted; to continue, run svc-tui index update\n"
    before = len(service.attempts)
    assert run("index", "update", "lots") == DONE
    pages = [attempt.target.partition("?")[2] for attempt in service.attempts[before:]]
    assert "page=1&limit=10" not in pages
    assert "page=2&limit=10" in pages
    assert in_index(home, "SELECT count(*) FROM records") == [(30,)]


@pytest.mark.terminal
def test_progress_is_drawn_on_a_terminal_and_removal_is_asked_for(
    home: Path, use: Use, service: RunningService
) -> None:
    use("sandbox")
    with hold_from_the_second_page(service):
        process = pexpect.spawn(
            sys.executable,
            ["-m", "svc_tui", "index", "update", "lots", "workers"],
            dimensions=(24, 100),
            timeout=PATIENCE,
        )
        process.expect(r"(lots|workers) \([12] of 2\)  0 records")
    process.expect(r"svc-tui: 330 records of 2 collections, [\d.]+ kB")
    process.expect(pexpect.EOF)
    process.close()
    assert process.exitstatus == 0
    for answers, status in ((["n"], 1), (["maybe", ""], 1), (["y"], 0)):
        process = pexpect.spawn(sys.executable, ["-m", "svc_tui", "index", "drop"], timeout=PATIENCE)
        for answer in answers:
            process.expect(
                r"Delete the index in \S+indexes \([\d.]+ kB\)\? Records on the service are not deleted\. \[y/N\]: "
            )
            process.sendline(answer)
            if answer == "maybe":
                process.expect("svc-tui: type y or n\r\n")
        process.expect(pexpect.EOF)
        process.close()
        assert process.exitstatus == status
    assert not list((home / "state" / "svc-tui" / "indexes").iterdir())


def test_drop_removes_what_was_set_aside_too_and_asks_for_nothing_at_the_service(
    run: Run, indexed: RunningService, home: Path
) -> None:
    file = index_file(home)
    aside = file.with_name(f"{file.name}.damaged-1")
    aside.write_bytes(b"x")
    other = file.with_name("other-live-0123456789.db")
    other.write_bytes(b"")
    before = len(indexed.attempts)
    assert run("index", "drop") == CompletedCommand(
        2,
        b"",
        "svc-tui: the index was not deleted: svc-tui can't ask without a terminal; add --force\n",
    )
    ran = run("index", "drop", "--force")
    assert (ran.status, ran.err) == (0, "")
    assert ran.out.decode().splitlines()[1] == f"deleted {aside} (1 B)"
    assert list(file.parent.iterdir()) == [other]
    assert len(indexed.attempts) == before


# An index that can't be used


@pytest.mark.parametrize(
    ("alter", "why"),
    [
        (lambda file: file.write_bytes(b"no database at all, by far" * 50), "is damaged"),
        (lambda file: _altered(file, "PRAGMA application_id = 7"), "is not an index of this profile"),
        (
            lambda file: _altered(file, "UPDATE about SET value = '[]' WHERE name = 'scope'"),
            "is not an index of this profile",
        ),
        (lambda file: _altered(file, "PRAGMA user_version = 99"), "another version of svc-tui"),
        (lambda file: _altered(file, "UPDATE collections SET completed_at = 1"), "older than 30 days"),
        (
            lambda file: _altered(file, "UPDATE about SET value = '[\"x\"]' WHERE name = 'masked'"),
            "masked fields have changed",
        ),
    ],
)
def test_one_that_must_not_be_used_is_left_alone_and_built_anew(
    run: Run, indexed: RunningService, home: Path, alter: Callable[[Path], object], why: str
) -> None:
    file = index_file(home)
    alter(file)
    before = file.read_bytes()
    for words in (*ASKING, ["index", "status"]):
        ran = run(*words)
        assert ran.status == 2
        assert re.fullmatch(f"svc-tui: .*{why}.*; create it again with svc-tui index update\n", ran.err)
    assert str(file) in run("index").out.decode()
    assert why in json.loads(run("index", "status", "--json").out)["problem"]
    assert why in run("doctor").out.decode().replace("\n", " ")
    assert file.read_bytes() == before
    assert run("index", "update", "lots").status == 0
    assert run("find", "lot-000001", "-C", "lots").status == 0


def _altered(file: Path, statement: str) -> None:
    with closing(sqlite3.connect(file, isolation_level=None)) as connection:
        connection.execute(statement)


def test_fields_that_are_masked_since_then_are_not_given(run: Run, indexed: RunningService, home: Path) -> None:
    assert run("find", "lot-000001", "-C", "lots").status == 0
    (home / "config" / "svc-tui").mkdir(parents=True, exist_ok=True)
    (home / "config" / "svc-tui" / "config.toml").write_text('mask_fields = ["name"]\n')
    assert run("find", "lot-000001").status == 2
    assert run("index", "update", "lots").err == (
        "svc-tui: the masked fields have changed; the index is created again\n"
    )
    ran = run("find", "lot-000001", "-C", "lots", "--format", "jsonl")
    assert "name" not in json.loads(ran.out)


# Finding


def test_find_sends_nothing_and_needs_no_service(
    run: Run, use: Use, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with running_service(SandboxOptions(records=30)) as service:
        monkeypatch.setenv("SVC_API_KEY", service.key("sandbox").api_key)
        monkeypatch.setenv("SVC_SANDBOX_BASE_URL", service.base_url)
        assert run("index", "update", "workers").status == 0
        before = len(service.attempts)
        assert run("find", "wrk-0004").status == 0
        assert len(service.attempts) == before
    for words in (["find", "wrk-0004"], ["sql", "select 1"], ["changes"], ["index"]):
        assert run(*words).status == 0


def test_the_table_says_where_it_stands_the_best_first(run: Run, indexed: RunningService) -> None:
    ran = run("find", "wrk-0004")
    head, first, *rest = ran.out.decode().splitlines()
    assert head.split() == ["collection", "id", "label", "read", "where"]
    assert re.fullmatch(r"workers +wrk-0004 +\S.* just now  id: wrk-0004", first)
    assert all("wrk-0004" in line for line in rest)
    assert re.fullmatch(
        rf"svc-tui: {len(rest) + 1} of [\d,]+ records in the index match; data updated just now\n", ran.err
    )
    assert run("find", "wrk-0004", "-C", "workers").err.startswith("svc-tui: 1 of 300 records in the index matches")


def test_terms_are_those_of_a_filter(run: Run, indexed: RunningService) -> None:
    ran = run("find", "status:open", "massKg>1000", "--collection", "lots", "--format", "jsonl")
    found = [json.loads(line) for line in ran.out.splitlines()]
    assert found
    assert all(one["status"] == "open" and one["massKg"] > 1000 for one in found)
    assert {one["_collection"] for one in found} == {"operations/lots"}


def test_a_moment_is_compared_and_a_comparison_that_can_match_nothing_says_why(
    run: Run, indexed: RunningService
) -> None:
    assert run("find", "updatedAt<today", "-C", "lots", "--max-items", "1").status == 0
    ran = run("find", "updatedAt>1h", "-C", "lots")
    assert (ran.status, "can't match" in ran.err) == (1, False)
    for most in ("100", "0"):
        ran = run("find", "massKg>1h", "-C", "lots", "--max-items", most)
        assert ran.status == 1
        assert "svc-tui: massKg contains only numbers (example: massKg>10)." in ran.err


def test_words_are_found_with_and_without_accents(run: Run, indexed: RunningService) -> None:
    for typed in ("lukasz zolkiewski", "ŁUKASZ Żółkiewski"):
        lines = run("find", typed, "-C", "workers", "--format", "jsonl").out.decode().splitlines()
        assert lines
        assert all("Łukasz Żółkiewski" in line for line in lines)


def test_no_more_than_asked_for_and_all_with_0(run: Run, indexed: RunningService) -> None:
    few = run("find", "open", "--max-items", "2", "--format", "jsonl")
    assert len(few.out.splitlines()) == 2
    assert ", showing the best 2; " in few.err
    count = int(few.err.split()[1])
    every = [json.loads(line) for line in run("find", "open", "--max-items", "0", "--format", "jsonl").out.splitlines()]
    assert len(every) == len({(one["_collection"], one["id"]) for one in every}) == count > 2


@pytest.mark.parametrize("most", ["100", "0"])
def test_records_come_in_every_format_to_the_digit(run: Run, use_raw: UseRaw, most: str) -> None:
    exact = '{"id": "lot-1", "massKg": 1.50, "au": 1234567890123456789012345, "note": "=cmd"}'
    body = f'{{"items": [{exact}], "meta": {{"total": 1}}}}'
    empty = '{"items": [], "meta": {"total": 0}}'
    use_raw(lambda received: reply(200, body if received.target.startswith("/v1/operations/lots?") else empty))
    assert run("index", "update").status == 0
    asked = ["find", "lot-1", "--max-items", most, "--format"]
    line = run(*asked, "jsonl").out.decode()
    assert re.fullmatch(
        r'\{"_collection":"operations/lots","_read_at":"[-\dT:]+Z","id":"lot-1","massKg":1\.50,'
        r'"au":1234567890123456789012345,"note":"=cmd"\}\n',
        line,
    )
    assert json.loads(run(*asked, "json").out) == [json.loads(line)]
    (row,) = csv.DictReader(io.StringIO(run(*asked, "csv").out.decode()))
    assert (row["massKg"], row["note"]) == ("1.50", "'=cmd")
    assert "| lot-1 | 1.50 | 1234567890123456789012345 |" in run(*asked, "markdown").out.decode()


def test_nothing_found_is_1_and_says_so(run: Run, indexed: RunningService) -> None:
    ran = run("find", "no such words")
    assert (ran.status, ran.out) == (1, b"")
    assert ran.err.startswith("svc-tui: 0 of ")
    assert run("find", "zzzz", "--format", "json").out == b"[]\n"


def test_what_can_not_be_asked_is_2(run: Run, indexed: RunningService) -> None:
    assert run("find", " ").status == 2
    assert run("find").status == 2
    assert run("find", "x", "-C", "lots/lot-000001").err == (
        "svc-tui: lots/lot-000001 is not a collection in the index; use one such as operations/lots\n"
    )
    assert run("find", "x", "-C", "lost").status == 2


def test_a_reader_that_goes_away_is_no_error(run: Run, start: Start, indexed: RunningService) -> None:
    for words in (["find", "0", "--max-items", "0", "--format", "jsonl"], ["sql", "select * from monitoring"]):
        process = start(*words)
        assert process.stdout is not None
        process.stdout.read(10)
        process.stdout.close()
        process.stdout = None
        _, err = process.communicate(timeout=PATIENCE)
        assert (process.returncode, err) == (0, b"")


@pytest.mark.terminal
def test_a_terminal_obeys_nothing_that_a_record_holds(run: Run, use_raw: UseRaw) -> None:
    text = "\x1b[2J\x9b2J\u202eevil\x07"
    use_raw(hostile(lots=[{"id": "lot-1", "name": text, text: "lot-1 " + text}]))
    run("index", "update")
    commands = (
        *(["find", "lot-1", "--format", form] for form in ("table", "jsonl", "json", "csv", "markdown")),
        *(["sql", "select * from lots", "--format", form] for form in ("table", "jsonl", "csv")),
        ["index"],
    )
    # One after the other on one terminal, since each start of the program takes half a second.
    process = pexpect.spawn(
        sys.executable, ["-c", IN_TURN, json.dumps(commands)], dimensions=(24, 200), timeout=PATIENCE
    )
    for words in commands:
        process.expect_exact("ended with 0\r\n")
        written = process.before.decode()
        assert words == ["index"] or "lot-1" in written
        assert not set("\x1b\x9b\u202e\x07") & set(written), words
    process.expect(pexpect.EOF)
    process.close()
    assert (process.before, process.exitstatus) == (b"", 0)
    # To a script they are what they are.
    (found,) = run("find", "lot-1", "--format", "jsonl").out.splitlines()
    assert json.loads(found)["name"] == text


# SQL


def test_sql_counts(run: Run, indexed: RunningService) -> None:
    ran = run("sql", "select count(*) as n, max(id) from lots")
    assert ran == CompletedCommand(0, b"n   max(id)\n30  lot-000030\n", "")
    asked = run("sql", "-", "--format", "jsonl", stdin=b"select id, id from lots order by 1 limit 2")
    assert [json.loads(line) for line in asked.out.splitlines()] == [
        {"id": "lot-000001", "id_2": "lot-000001"},
        {"id": "lot-000002", "id_2": "lot-000002"},
    ]
    assert run("sql", "select 1 as a where 0", "--format", "csv").out == b"a\r\n"
    assert run("sql", "select 1 as a where 0").out == b""
    values = run("sql", "select 1.5 a, 9e999 b, x'00ff' c, null d", "--format", "jsonl")
    assert json.loads(values.out) == {"a": 1.5, "b": "inf", "c": "00ff", "d": None}


def test_sql_lists_what_is_nested_in_a_record(run: Run, indexed: RunningService) -> None:
    asked = run("sql", "select j.key, j.value from lots, json_each('[7, 8]') as j limit 2", "--format", "jsonl")
    assert [json.loads(line) for line in asked.out.splitlines()] == [{"key": 0, "value": 7}, {"key": 1, "value": 8}]
    fields = run("sql", "select distinct t.key from lots, json_tree(lots.assay) as t where t.key is not null")
    assert (fields.status, fields.err) == (0, "")
    assert b"auPpm" in fields.out


@pytest.mark.parametrize(
    "statement",
    [
        *("delete from records", "drop view lots", "select nope from lots", "select * from nowhere", "selec", ""),
        *("select 1; select 2", "pragma query_only = off", "attach 'x.db' as x", "select json_extract('{', '$')"),
        *("with x as (select 1) insert into records select 1, 1, '', ''", "vacuum into 'x.db'"),
    ],
)
def test_a_mistake_in_sql_is_one_line(run: Run, indexed: RunningService, home: Path, statement: str) -> None:
    ran = run("sql", statement)
    assert (ran.status, ran.out) == (2, b"")
    assert re.fullmatch(r"svc-tui: .+\n", ran.err)
    assert in_index(home, "SELECT count(*) > 1000 FROM records") == [(1,)]


def test_a_statement_from_stdin_may_be_no_text(run: Run, indexed: RunningService) -> None:
    assert run("sql", "-", stdin=b"\xff\xfe").err == "svc-tui: the statement on stdin is not UTF-8 text\n"
    assert run("sql", "-", stdin=b"select '\0'").status == 2


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="no threads are listed")
def test_a_long_statement_is_interrupted(start: Start, indexed: RunningService) -> None:
    endless = "with recursive x(n) as (select 1 union all select n + 1 from x) select count(*) from x"
    process = start("sql", endless)
    until(lambda: len(list(Path(f"/proc/{process.pid}/task").iterdir())) > 1, process)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=PATIENCE)
    assert (process.returncode, err.strip()) == (130, b"svc-tui: interrupted")


# Changes


def test_changes_of_others_are_told_field_by_field(run: Run, indexed: RunningService) -> None:
    ran = run("changes")
    assert (ran.status, ran.out) == (0, b"")
    since = r"[-\d: ]+, when the index was created"
    assert re.fullmatch(rf"svc-tui: no changes since {since}; data updated just now\n", ran.err)
    assert run("request", "PATCH", "lots/lot-000003", "-d", '{"note": "\\u001b[2Jwet"}').status == 0
    assert run("request", "DELETE", "workers/wrk-0007").status == 0
    assert run("index", "update", "lots", "workers") == DONE
    ran = run("changes", "--since", "1h")
    lines = ran.out.decode().splitlines()
    assert lines[0].split() == ["between", "and", "collection", "id", "label", "change"]
    assert any(re.search(r'lots +lot-000003 .* note: .+ → "\\u001b\[2Jwet"$', line) for line in lines)
    assert any(re.search(r"workers +wrk-0007 .* gone$", line) for line in lines)
    assert "\x1b" not in ran.out.decode()
    assert re.match(r"svc-tui: \d changes of 2 records since ", ran.err)
    changes = [json.loads(line) for line in run("changes", "-C", "lots", "--format", "jsonl").out.splitlines()]
    note = next(one for one in changes if one["path"] == "note")
    assert (note["kind"], note["collection"], note["after"]) == ("changed", "operations/lots", "\x1b[2Jwet")
    assert note["read_before"] <= note["read_after"]
    assert {one["id"] for one in changes} == {"lot-000003"}
    head = run("changes", "--format", "csv").out.decode().splitlines()[0]
    assert head == "kind,collection,id,label,path,before,after,read_before,read_after"
    assert run("changes", "--since", "2999-01-01").out == b""


def test_a_collection_without_an_index_is_listed_by_the_times_of_its_records(
    run: Run, use: Use, service: RunningService, home: Path
) -> None:
    use("sandbox")
    assert run("request", "PATCH", "lots/lot-000003", "-d", '{"name": "\\u001b[2Jwet"}').status == 0
    assert run("request", "PATCH", "lots/lot-000002", "-d", '{"note": "wet"}').status == 0
    before = len(service.attempts)
    ran = run("changes", "-C", "lots")
    head, *lines = ran.out.decode().splitlines()
    assert (ran.status, head.split()) == (0, ["time", "collection", "id", "label", "field"])
    assert {re.search(r"lots +(lot-\d+) .* updatedAt$", line)[1] for line in lines} == {"lot-000002", "lot-000003"}  # type: ignore[index]
    assert "\x1b" not in ran.out.decode()
    assert re.fullmatch(
        r"svc-tui: 2 of 30 records changed since [-\d: ]+, by the records' own times \(updatedAt\); no values were "
        r"compared\n",
        ran.err,
    )
    assert [attempt.target for attempt in service.attempts[before:]] == ["/v1/operations/lots?page=1&limit=200"]
    changed = [json.loads(line) for line in run("changes", "-C", "lots", "--format", "jsonl").out.splitlines()]
    assert [list(one) for one in changed] == [["collection", "id", "label", "path", "time"]] * 2
    assert changed[0]["time"] >= changed[1]["time"]
    assert json.loads(service.record("operations/lots", changed[0]["id"]) or "")["updatedAt"] == changed[0]["time"]
    assert run("changes", "-C", "lots", "--since", "2999-01-01", "--format", "json").out == b"[]\n"
    assert not (home / "state" / "svc-tui" / "indexes").exists()


def test_a_record_that_was_never_updated_is_listed_by_when_it_was_created(run: Run, use_raw: UseRaw) -> None:
    use_raw(
        hostile(
            lots=[
                {"id": "a", "createdAt": "2026-02-01T00:00:00Z", "updatedAt": None},
                {"id": "b", "createdAt": "2020-01-01T00:00:00Z", "updatedAt": "2026-03-01T12:00:00+02:00"},
                {"id": "c", "createdAt": "2026-01-01T00:00:00Z", "updatedAt": "2025-01-01T00:00:00Z"},
                # All of the day on which the time begins counts.
                {"id": "d", "modifiedOn": "2026-01-15"},
                {"id": "e", "closedAt": "2026-03-01T00:00:00Z"},
            ]
        )
    )
    ran = run("changes", "-C", "lots", "--since", "2026-01-15T06:00:00Z", "--format", "csv")
    assert ran.out.decode().splitlines() == [
        "collection,id,label,path,time",
        'operations/lots,b,"",updatedAt,2026-03-01T12:00:00+02:00',
        'operations/lots,a,"",createdAt,2026-02-01T00:00:00Z',
        'operations/lots,d,"",modifiedOn,2026-01-15',
    ]
    first, second = ran.err.splitlines()
    assert re.match(r"svc-tui: 3 of 4 records changed since .* \(createdAt, updatedAt, modifiedOn\);", first)
    assert second == (
        "svc-tui: operations/lots: 1 record without a time such as updatedAt; to find all changes, run svc-tui index "
        "update operations/lots"
    )
    assert ran.status == 0


def test_records_that_say_nothing_of_changes_are_2(run: Run, use: Use) -> None:
    use("sandbox")
    ran = run("changes", "-C", "tunnels")
    assert (ran.status, ran.out) == (2, b"")
    assert ran.err == (
        "svc-tui: operations/tunnels: 64 records without a time such as updatedAt; to find all changes, run svc-tui "
        "index update operations/tunnels\n"
    )


def test_an_index_without_the_collection_is_not_asked_for_its_changes(
    run: Run, use: Use, service: RunningService
) -> None:
    use("sandbox")
    assert run("index", "update", "tunnels") == DONE
    assert run("request", "PATCH", "lots/lot-000002", "-d", '{"note": "wet"}').status == 0
    assert b"lot-000002" in run("changes", "-C", "lots", "-C", "tunnels").out
    before = len(service.attempts)
    assert "data updated just now" in run("changes", "-C", "tunnels").err
    assert "data updated just now" in run("changes").err
    assert len(service.attempts) == before


def test_masked_fields_are_not_in_a_list_by_own_times(run: Run, use: Use, home: Path) -> None:
    use("sandbox")
    (home / "config" / "svc-tui").mkdir(parents=True)
    (home / "config" / "svc-tui" / "config.toml").write_text('mask_fields = ["name"]\n')
    assert run("request", "PATCH", "lots/lot-000002", "-d", '{"note": "wet"}').status == 0
    (changed,) = json.loads(run("changes", "-C", "lots", "--format", "json").out)
    assert (changed["id"], changed["label"]) == ("lot-000002", "")


def test_a_refusal_while_records_are_loaded_is_said_and_none_is_printed(run: Run, use_raw: UseRaw, use: Use) -> None:
    use_raw(hostile(lots=[{"id": "a", "updatedAt": "2026-03-01T00:00:00Z"}]))
    ran = run("changes", "-C", "lots", "-C", "invoices", "--since", "2026-01-01")
    assert (ran.status, ran.out) == (1, b"")
    assert ran.err.startswith("svc-tui: finance/invoices was not loaded: the key does not have the scope for")
    assert ran.err.count("\n") == 1


def test_a_secret_that_a_refusal_repeats_is_masked(run: Run, use_raw: UseRaw, monkeypatch: pytest.MonkeyPatch) -> None:
    use_raw(lambda _: reply(400, '{"error": {"code": "x", "message": "not svc_test_q7secretq7"}}'))
    monkeypatch.setenv("SVC_API_KEY", "svc_test_q7secretq7")
    ran = run("changes", "-C", "lots")
    assert (ran.status, ran.out) == (1, b"")
    assert "operations/lots was not loaded: " in ran.err
    assert "q7secretq7" not in ran.err


def test_records_that_can_not_be_loaded_are_3(run: Run, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SVC_API_KEY", "svc_test_x")
    monkeypatch.setenv("SVC_SANDBOX_BASE_URL", "http://127.0.0.1:9")
    ran = run("changes", "-C", "lots")
    assert (ran.status, ran.out) == (3, b"")
    assert ran.err.startswith("svc-tui: operations/lots was not loaded: could not connect to 127.0.0.1:9")


def test_an_interrupt_while_records_are_loaded_is_130(
    start: Start, home: Path, use: Use, service: RunningService
) -> None:
    use("sandbox")
    service.faults.always("hold", method="GET")
    process = start("changes", "-C", "lots", "--since", "2020-01-01")
    until(lambda: service.faults.held > 0, process)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=PATIENCE)
    service.faults.clear()
    assert (process.returncode, out, err) == (130, b"", b"svc-tui: interrupted after 0 records\n")


@pytest.mark.terminal
def test_the_loading_of_records_is_shown_on_a_terminal(home: Path, use: Use, service: RunningService) -> None:
    use("sandbox")
    service.faults.always("hold", method="GET")
    process = pexpect.spawn(
        sys.executable,
        ["-m", "svc_tui", "changes", "-C", "lots", "--since", "2999-01-01"],
        dimensions=(24, 150),
        timeout=PATIENCE,
    )
    process.expect(r"lots \(1 of 1\)  0 records")
    service.faults.clear()
    process.expect(r"svc-tui: 0 of 30 records changed since")
    process.expect(pexpect.EOF)
    process.close()
    assert process.exitstatus == 0


def test_a_moment_that_is_none_is_2(run: Run, indexed: RunningService) -> None:
    for text in ("soon", "1y", "-1d", "٣d", "2026-13-01", ""):
        ran = run("changes", "--since", text)
        assert (ran.status, ran.out) == (2, b"")
        assert "is not valid; use one such as" in ran.err


# The profile


def test_a_secret_that_a_command_gives_is_not_asked_for(run: Run, home: Path, service: RunningService) -> None:
    profiles = home / "config" / "svc-tui" / "profiles"
    profiles.mkdir(parents=True, mode=0o700)
    key = home / "key"
    key.write_text(service.key("sandbox").api_key)
    key.chmod(0o600)
    asked = home / "asked"
    script = home / "give"
    script.write_text(f"#!/bin/sh\necho x >> {asked}\ncat {key}\n")
    script.chmod(0o700)
    (profiles / "work.toml").write_text(
        f'api_key = {{ command = ["{script}"] }}\nsandbox_base_url = "{service.base_url}"\nindex = true\n'
    )
    assert run("--profile", "work", "index", "update", "lots").status == 0
    (before,) = (asked.read_text().count("x"),)
    for words in (["find", "lot-000001"], ["sql", "select 1"], ["changes"], ["index"]):
        assert run("--profile", "work", *words).status == 0
    assert asked.read_text().count("x") == before
    assert "updates     index = true in the profile" in run("--profile", "work", "index").out.decode()
    assert run("--profile", "work", "index", "drop", "--force").err == (
        "svc-tui: the profile has index = true, so full-screen mode will create it again\n"
    )
    assert run("--profile", "nobody", "find", "x").status == 2


def test_where_both_environments_have_an_address_the_key_alone_tells_which(
    run: Run, home: Path, service: RunningService
) -> None:
    profiles = home / "config" / "svc-tui" / "profiles"
    profiles.mkdir(parents=True, mode=0o700)
    file = profiles / "work.toml"
    text = f'base_url = "{service.base_url}"\nsandbox_base_url = "{service.base_url}"\n'
    file.write_text(f'{text}api_key = "{service.key("sandbox").api_key}"\nsigning_secret = {{ env = "NOT_SET" }}\n')
    file.chmod(0o600)
    assert "work-sandbox-" in run("--profile", "work", "index").out.decode()
    assert run("--profile", "work", "index", "update").status == 2
    file.write_text(f'{text}api_key = {{ env = "NOT_SET" }}\n')
    ran = run("--profile", "work", "index")
    assert ran.status == 2
    assert "NOT_SET" in ran.err


def test_doctor_tells_of_the_index(run: Run, use: Use, service: RunningService) -> None:
    def told() -> tuple[str, str]:
        checks = json.loads(run("doctor", "--json").out)["checks"]
        return next((one["verdict"], one["message"]) for one in checks if one["check"] == "index")

    use("sandbox")
    assert told() == ("passed", "no index; for help, run svc-tui index --help")
    run("index", "update", "lots")
    verdict, message = told()
    assert verdict == "warning"
    assert re.match(r"30 records in 1 collection, [\d.]+ kB, updated just now; incomplete: operations/tun", message)
    run("index", "update")
    verdict, message = told()
    assert verdict == "passed"
    assert re.fullmatch(r"[\d,]+ records in 12 collections, [\d.]+ MB, updated just now", message)
