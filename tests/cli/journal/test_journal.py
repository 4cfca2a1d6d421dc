"""`svc-tui journal`: what was done, for which ticket and to which record, for people, scripts and tickets."""

import csv
import io
import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from svc_tui.sandbox.server.inprocess import RunningService
from tests.cli.conftest import CompletedCommand, Run, Start

Use = Callable[[str], None]
Rows = Callable[..., list[dict[str, object]]]
NONE = "svc-tui: there is no journal yet; this computer has sent no writes\n"


def database(home: Path) -> Path:
    return home / "state" / "svc-tui" / "svc-tui.db"


def in_database(home: Path, *statements: str) -> None:
    with closing(sqlite3.connect(database(home), isolation_level=None)) as connection:
        for statement in statements:
            connection.execute(statement)


@pytest.fixture
def rows(run: Run) -> Rows:
    """Reads the journal as a script does."""

    def rows(*words: str) -> list[dict[str, object]]:
        ran = run("journal", "--format", "jsonl", *words)
        assert ran.status == 0
        return [json.loads(line) for line in ran.out.splitlines()]

    return rows


@pytest.fixture
def written(run: Run, use: Use, service: RunningService) -> RunningService:
    """The service, to which four writes went: three with a ticket, one of which was refused."""
    use("sandbox")
    for status, words in (
        (0, ["PATCH", "lots/lot-000001", "-d", '{"note": "wet"}', "--ticket", "SUP-4711"]),
        (0, ["POST", "lots", "-d", '{"name": "New", "massKg": 1.50}', "--ticket", "SUP-4711"]),
        (1, ["PATCH", "lots/nope", "-d", '{"note": "x"}', "--ticket", "SUP-47"]),
        (0, ["DELETE", "lots/lot-000002"]),
    ):
        assert run("request", *words).status == status
    return service


def test_where_nothing_was_written_that_is_said_and_nothing_is_made(run: Run, use: Use, home: Path) -> None:
    use("sandbox")
    assert run("journal") == CompletedCommand(0, b"", NONE)
    assert run("journal", "--case-file", "--ticket", "SUP-1") == CompletedCommand(0, b"", NONE)
    assert run("journal", "--format", "json") == CompletedCommand(0, b"[]\n", NONE)
    assert not (home / "state").exists()


def test_the_table_tells_each_write_on_a_line_the_newest_first(run: Run, written: RunningService) -> None:
    ran = run("journal")
    assert (ran.status, ran.err) == (0, "svc-tui: 4 writes to 4 records\n")
    head, *lines = ran.out.decode().splitlines()
    assert head.split() == ["when", "method", "record", "result", "ticket", "run", "change"]
    assert [" ".join(line.split()[2:]) for line in lines] == [
        "DELETE lots/lot-000002 done 204 delete the record",
        'PATCH lots/nope refused 404 not_found SUP-47 note: → "x"',
        'POST lots/lot-000031 done 201 SUP-4711 name: (nothing) → "New", massKg: (nothing) → 1.50',
        'PATCH lots/lot-000001 done 200 SUP-4711 note: null → "wet"',
    ]


def test_nothing_is_sent_and_no_secret_is_needed(
    run: Run, written: RunningService, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = len(written.attempts)
    monkeypatch.delenv("SVC_SIGNING_SECRET", raising=False)
    assert run("journal", "--read-only").status == 0
    assert len(written.attempts) == before


def test_a_ticket_is_taken_to_the_letter(run: Run, rows: Rows, written: RunningService) -> None:
    assert [row["method"] for row in rows("--ticket", "SUP-4711")] == ["POST", "PATCH"]
    assert [row["id"] for row in rows("--ticket", " SUP-47 ")] == ["nope"]
    assert rows("--ticket", "sup-47") == []
    assert run("journal", "--ticket", "SUP-9").err == "svc-tui: no writes\n"
    ran = run("journal", "--ticket", " ")
    assert (ran.status, ran.err) == (
        2,
        "svc-tui: --ticket is empty; add a ticket, or remove --ticket to list all writes\n",
    )


@pytest.mark.parametrize("place", ["lots/{}", "operations/lots/{}", "/v1/operations/lots/{}"])
def test_the_writes_to_a_record_have_the_one_that_made_it(
    run: Run, rows: Rows, written: RunningService, place: str
) -> None:
    (made,) = [row for row in rows() if row["method"] == "POST"]
    run("request", "PATCH", f"lots/{made['id']}", "-d", '{"note": "dry"}')
    found = rows("--record", place.format(made["id"]))
    assert [(row["method"], row["place"]) for row in found] == [
        ("PATCH", f"operations/lots/{made['id']}"),
        ("POST", f"operations/lots/{made['id']}"),
    ]


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (["--record", "lots"], "--record lots is a collection; use a record, such as operations/lots/ID"),
        (["--record", "nothing/x/y"], "is not a collection or a record"),
        (
            ["--since", "soon"],
            "--since soon is not valid; use one such as 30m, 12h, 1d, 2w, today, yesterday, 2026-11-20 or",
        ),
        (
            ["--case-file", "--format", "csv"],
            "--case-file prints Markdown, not csv; remove --case-file or --format",
        ),
    ],
)
def test_words_that_can_not_be_meant_are_refused(
    run: Run, written: RunningService, words: list[str], line: str
) -> None:
    ran = run("journal", *words)
    assert (ran.status, ran.out, ran.err.count("\n")) == (2, b"", 1)
    assert line in ran.err


def test_since_and_the_newest_few(run: Run, rows: Rows, written: RunningService) -> None:
    assert len(rows("--since", "1h")) == 4
    assert rows("--since", "2100-01-01") == []
    ran = run("journal", "--since", "1h", "--max-items", "3")
    assert ran.out.count(b"\n") == 4
    assert ran.err.startswith("svc-tui: 3 writes to 3 records since 20")
    assert ran.err.endswith("; older writes are skipped by --max-items\n")
    assert "older" not in run("journal", "--max-items", "4").err


def test_a_script_gets_all_that_is_known_in_names_that_stay(run: Run, rows: Rows, written: RunningService) -> None:
    newest, refused, made, changed = rows()
    assert ",".join(newest) == (
        "number,at,environment,profile,method,target,place,collection,id,fields,before,after,result,status,code,"
        "message,ended_at,ticket,run,row,key,idempotency_key,request_id"
    )
    assert (refused["result"], refused["status"], refused["code"]) == ("refused", 404, "not_found")
    assert (changed["fields"], changed["after"], changed["key"]) == (["note"], {"note": "wet"}, "SVC_API_KEY")
    assert (made["environment"], made["collection"], made["result"]) == ("sandbox", "operations/lots", "done")
    assert str(made["idempotency_key"]).count("-") == 4
    before = newest["before"]
    assert isinstance(before, dict)
    assert (newest["after"], before["id"]) == (None, "lot-000002")
    assert b'"massKg":1.50' in run("journal", "--format", "jsonl").out


def test_the_other_formats_hold_the_same(run: Run, rows: Rows, written: RunningService) -> None:
    told = rows()
    assert json.loads(run("journal", "--format", "json").out) == told
    table = list(csv.DictReader(io.StringIO(run("journal", "--format", "csv").out.decode())))
    assert [row["number"] for row in table] == [str(row["number"]) for row in told]
    assert json.loads(table[2]["after"]) == {"name": "New", "massKg": 1.5}
    head, _, *lines = run("journal", "--format", "markdown").out.decode().splitlines()
    assert (head.startswith("| number | at | environment |"), len(lines)) == (True, 4)
    empty = run("journal", "--ticket", "none", "--format", "csv").out.decode()
    assert empty.startswith("number,at,environment,")
    assert empty.count("\n") == 1


def test_only_the_profile_in_use_is_told(
    run: Run, rows: Rows, use: Use, written: RunningService, monkeypatch: pytest.MonkeyPatch
) -> None:
    use("live")
    assert rows() == []
    use("sandbox")
    monkeypatch.setenv("SVC_SANDBOX_BASE_URL", "http://127.0.0.1:9")
    assert rows() == []


def test_writes_of_a_run_say_so(run: Run, rows: Rows, use: Use, home: Path) -> None:
    use("sandbox")
    file, plan = home / "lots.csv", home / "lots.plan.json"
    file.write_text("id,note\nlot-000001,wet\nlot-000002,dry\n")
    assert run("plan", "lots", str(file), "-o", str(plan)).status == 4
    assert run("apply", str(plan), "--ticket", "SUP-7").status == 0
    told = rows("--ticket", "SUP-7")
    assert [row["row"] for row in told] == [3, 2]
    (name,) = {str(row["run"]) for row in told}
    assert name[:8] in run("journal").out.decode()
    case = run("journal", "--ticket", "SUP-7", "--case-file")
    assert case.err == "svc-tui: 2 writes to 2 records\n"
    text = case.out.decode()
    assert text.startswith("# Case file: SUP-7\n")
    assert text.count("### Run ") == 1
    assert f"- run: `{name}`" in text
    assert text.index("lot-000001") < text.index("lot-000002")


def test_a_case_file_tells_the_writes_from_the_first_one_on(run: Run, written: RunningService) -> None:
    ran = run("journal", "--ticket", "SUP-4711", "--case-file")
    assert (ran.status, ran.err) == (0, "svc-tui: 2 writes to 2 records\n")
    text = ran.out.decode()
    assert text.startswith(
        f"# Case file: SUP-4711\n\n- environment: **SANDBOX**, profile `env`, `{written.base_url}`\n"
    )
    assert text.index("### PATCH `operations/lots/lot-000001`") < text.index("### POST `operations/lots`")
    assert "| `massKg` |  | `1.50` |" in text
    assert "lot-000002" not in text
    assert "- ticket: `SUP-4711`" in text
    none = run("journal", "--ticket", "SUP-9", "--case-file", "--format", "markdown")
    assert none.out.decode().endswith("No changes.\n")


def test_fields_that_are_listed_stay_hidden_and_personal_data_on_demand(
    run: Run, use: Use, home: Path, service: RunningService
) -> None:
    use("sandbox")
    config = home / "config" / "svc-tui" / "config.toml"
    config.parent.mkdir(parents=True)
    config.write_text('mask_fields = ["Grade"]\n')
    config.chmod(0o600)
    assert run("request", "PATCH", "lots/lot-000001", "-d", '{"grade": 61.25}').status == 0
    assert run("request", "PATCH", "workers/wrk-0001", "-d", '{"phone": "+48 601 234 567"}').status == 0
    for words in ([], ["--format", "csv"], ["--case-file"]):
        out = run("journal", *words).out.decode()
        assert ("61.25" in out, "601 234" in out) == (False, True)
        assert "▒▒▒▒▒▒▒▒" in out
        masked = run("journal", "--mask", *words).out.decode()
        assert ("61.25" in masked, "601 234" in masked) == (False, False)
    assert "- the fields listed under mask_fields are masked\n" in run("journal", "--case-file").out.decode()
    assert "- personal data is masked\n" in run("journal", "--mask", "--case-file").out.decode()


def test_a_journal_that_was_changed_is_printed_and_that_is_said(run: Run, written: RunningService, home: Path) -> None:
    in_database(
        home,
        "DROP TRIGGER journal_keeps_lines",
        "UPDATE journal SET said = replace(said, 'SUP-47\"', 'SUP-48\"') WHERE number = 5",
    )
    ran = run("journal", "--ticket", "SUP-48")
    assert ran.status == 1
    assert b"SUP-48" in ran.out
    first, second = ran.err.splitlines()
    assert first == "svc-tui: 1 write to 1 record"
    assert second.startswith("svc-tui: the journal is damaged at entry 5, written 20")
    assert second.endswith("; 4 entries before it are intact; run svc-tui doctor for details")
    assert run("journal", "--case-file").status == 1


def test_a_line_that_can_not_be_read_is_left_out_and_missed(run: Run, written: RunningService, home: Path) -> None:
    in_database(home, "DROP TRIGGER journal_keeps_lines", "UPDATE journal SET said = '{}' WHERE number = 5")
    ran = run("journal")
    assert (ran.status, ran.out.count(b"\n")) == (1, 4)
    assert "svc-tui: skipped entries of the journal that can't be read: entry 5\n" in ran.err
    assert "the journal is damaged at entry 5" in ran.err


def test_a_journal_whose_end_or_file_is_gone_is_missed(run: Run, written: RunningService, home: Path) -> None:
    in_database(home, "DROP TRIGGER journal_loses_nothing", "DELETE FROM journal WHERE number > 6")
    ran = run("journal")
    assert (ran.status, ran.out.count(b"\n")) == (1, 4)
    assert "svc-tui: the journal is damaged: entries are missing at the end: " in ran.err
    for name in ("", "-wal", "-shm"):
        Path(f"{database(home)}{name}").unlink(missing_ok=True)
    ran = run("journal")
    assert (ran.status, ran.out) == (1, b"")
    assert ran.err.startswith("svc-tui: there is no journal\n")
    assert "entries are missing at the end" in ran.err


def test_what_is_no_database_is_refused(run: Run, written: RunningService, home: Path) -> None:
    for name in ("-wal", "-shm"):
        Path(f"{database(home)}{name}").unlink(missing_ok=True)
    database(home).write_bytes(b"no database, and long enough to be taken for one" * 200)
    ran = run("journal")
    assert (ran.status, ran.out, ran.err.count("\n")) == (2, b"", 1)
    assert "is damaged" in ran.err


def test_while_another_program_has_it_open_and_writes_it_is_read_and_neither_waits(
    run: Run, rows: Rows, written: RunningService, home: Path
) -> None:
    with closing(sqlite3.connect(database(home), isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        other.execute("INSERT INTO journal SELECT number + 100, shelf, kind, entry, said, before, after, previous, "
                      "hash || 'x' FROM journal WHERE number = 1")  # fmt: skip
        assert len(rows()) == 4
        other.execute("ROLLBACK")
    assert run("request", "PATCH", "lots/lot-000003", "-d", '{"note": "x"}').status == 0
    assert len(rows()) == 5


def test_a_look_changes_nothing(run: Run, written: RunningService, home: Path) -> None:
    end = Path(f"{database(home)}.end")
    before = (database(home).read_bytes(), end.read_bytes())
    run("journal")
    run("journal", "--case-file")
    assert (database(home).read_bytes(), end.read_bytes()) == before
    assert not any((database(home).parent / "running").iterdir())


def test_a_reader_that_goes_away_is_no_error(written: RunningService, start: Start) -> None:
    process = start("journal", "--format", "jsonl")
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.close()
    assert (process.wait(60), process.stderr.read()) == (0, b"")
