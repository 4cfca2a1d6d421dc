"""`svc-tui plan`: what a file asks for beside what the service holds, and nothing sent that writes."""

import json
import re
import signal
import stat
from pathlib import Path

import pytest

from svc_tui.cli.output.progress import ProgressLine
from svc_tui.sandbox.server.inprocess import RunningService
from tests.cli.conftest import Run, Start, UseRaw
from tests.cli.plans.conftest import Corrections
from tests.cli.test_export import until
from tests.client.raw_service import CannedReply, ReceivedRequest, reply

CHANGES = "id,massKg,note\nlot-000001,2.50,\nlot-000002,7,checked\n"


def test_changes_are_told_row_by_row_and_summed_up(corrections: Corrections, service: RunningService) -> None:
    ran = corrections.plan(CHANGES)
    out = ran.out.decode()
    assert ran.status == 4
    assert f"2    lot-000001  {corrections.value(1, 'name')}" in out
    assert "massKg  2053.29 → 2.50" in out
    assert "        1  note: filled in\n" in out
    assert "        2  rows to send\n" in out
    assert ran.err == f"svc-tui: saved the plan to {corrections.plan_file}\n"
    assert not corrections.writes()


def test_a_plan_is_its_owners_alone_and_in_one_piece(corrections: Corrections) -> None:
    corrections.plan(CHANGES)
    assert stat.S_IMODE(corrections.plan_file.stat().st_mode) == 0o600
    document = json.loads(corrections.plan_file.read_text())
    assert (document["format"], document["version"], document["environment"]) == ("svc-tui plan", 1, "sandbox")
    assert document["plan"]["source"]["path"] == str(corrections.file)
    assert len(document["digest"]) == 64


def test_nothing_to_do_is_status_zero(corrections: Corrections) -> None:
    ran = corrections.plan(f"id,massKg\nlot-000001,{corrections.value(1, 'massKg')}\n")
    assert ran.status == 0
    assert ran.out == b"        1  row unchanged\n"


def test_without_o_nothing_is_written_and_stdin_is_read(corrections: Corrections, run: Run) -> None:
    ran = run("plan", "operations/lots", "-", stdin=CHANGES.encode())
    assert (ran.status, ran.err) == (4, "")
    assert not corrections.plan_file.exists()


@pytest.mark.parametrize(
    ("rows", "told"),
    [
        ("lot-9,1\n", "No record lot-9 in operations/lots."),
        ("lot-000001,heavy\n", "“heavy” is not a number"),
        ("lot-000001,1\nlot-000001,2\n", "lot-000001 is also in row 3. Delete one of them."),
        ("a/../b,1\n", "This is not a valid id."),
    ],
)
def test_what_stands_against_a_row_is_told(corrections: Corrections, rows: str, told: str) -> None:
    ran = corrections.plan(f"id,massKg\n{rows}")
    assert ran.status == 2
    assert told in ran.out.decode()
    assert "--skip-problems" in ran.err
    assert "--allow-doubts" not in ran.err
    assert corrections.plan_file.exists()


def test_rows_with_problems_are_left_out_and_those_in_doubt_taken_in_when_asked(corrections: Corrections) -> None:
    rows = "id,massKg,priority\nlot-9,1,\nlot-000001,1,zzz\nlot-000002,5,\n"
    ran = corrections.plan(rows, "--skip-problems")
    assert (ran.status, "svc-tui: skipped 2 rows\n" in ran.err) == (4, True)
    assert "        1  row to send\n" in ran.out.decode()
    ran = corrections.plan(rows, "--allow-doubts")
    assert (ran.status, "svc-tui: included 1 row that must be checked\n" in ran.err) == (2, True)
    ran = corrections.plan(rows, "--allow-doubts", "--skip-problems")
    assert ran.status == 4
    assert "        2  rows to send\n" in ran.out.decode()


def test_a_value_of_another_kind_is_not_included_with_the_doubts(corrections: Corrections) -> None:
    ran = corrections.plan('id,massKg,priority\nlot-000001,"1,25",\nlot-000002,,zzz\n', "--allow-doubts")
    assert (ran.status, "svc-tui: included 1 row that must be checked\n" in ran.err) == (2, True)
    assert "--allow-doubts does not include such rows" in ran.err
    assert corrections.apply().status == 2
    assert not corrections.writes()


def test_one_row_of_a_kind_is_told_in_the_singular(corrections: Corrections) -> None:
    out = corrections.plan("id,_action,note\nlot-000001,delete,\n,create,new one\n").out.decode()
    assert "        1  new record\n" in out
    assert "        1  deletion\n" in out


def test_json_holds_the_same_for_a_script(corrections: Corrections) -> None:
    ran = corrections.plan("id,massKg,note\nlot-000001,2.50,\nlot-9,1,\n,3,new one\n", "--format", "json")
    document = json.loads(ran.out)
    assert document["collection"] == "operations/lots"
    assert document["counts"] == {"ready": 2, "already": 0, "skipped": 0, "doubted": 0, "blocked": 1}
    update, missing, new = document["rows"]
    assert update["changes"] == [{"field": "massKg", "old": 2053.29, "new": 2.5}]
    assert '"new": 2.50' in ran.out.decode()
    assert [problem["kind"] for problem in missing["problems"]] == ["unknown_record"]
    assert (new["action"], new["id"]) == ("create", None)
    assert new["changes"][0] == {"field": "massKg", "new": 3}


def test_a_column_of_dates_spelled_anew_is_no_change_and_other_spellings_are_one_kind(
    corrections: Corrections,
) -> None:
    opened = [str(corrections.value(number, "openedAt")) for number in range(1, 21)]
    anew = "".join(f"lot-{at:06d},{text.replace('T', ' ').removesuffix('Z')}\n" for at, text in enumerate(opened, 1))
    ran = corrections.plan(f"id,openedAt\n{anew}")
    assert (ran.status, ran.out) == (0, b"       20  rows unchanged\n")
    rows = [{"id": f"lot-{at:06d}", "openedAt": text.replace("Z", "+00:00")} for at, text in enumerate(opened, 1)]
    ran = corrections.run("plan", "lots", "-", stdin=json.dumps(rows).encode())
    assert ran.status == 4
    assert "       20  openedAt: same time, written differently\n" in ran.out.decode()


def test_columns_that_no_record_has_are_told_of(corrections: Corrections) -> None:
    ran = corrections.plan("id,massKg,colour\nlot-000001,1,red\n")
    assert ran.status == 4
    assert "svc-tui: ignored columns, because no loaded record has such a field: colour\n" in ran.err


def test_a_text_from_outside_commands_no_terminal(corrections: Corrections) -> None:
    ran = corrections.plan("id,note\nlot-000001,\x1b[2Jgone\n")
    assert b"\x1b" not in ran.out
    assert b"\\u001b[2Jgone" in ran.out


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (["lots/lot-000001", "F"], "lots/lot-000001 is a record; use its collection: operations/lots"),
        (["lots", "/none/lots.csv"], "/none/lots.csv can't be read: No such file or directory"),
        (
            ["nowhere", "F"],
            "nowhere is not a collection or a record; for other routes use the console or svc-tui request",
        ),
    ],
)
def test_what_can_not_be_planned_is_one_line(corrections: Corrections, words: list[str], line: str) -> None:
    corrections.write(CHANGES)
    ran = corrections.run("plan", *(str(corrections.file) if word == "F" else word for word in words))
    assert (ran.status, ran.out, ran.err) == (2, b"", f"svc-tui: {line}\n")


def test_a_file_that_is_no_table_is_told_of_by_its_name(corrections: Corrections) -> None:
    ran = corrections.plan("id,massKg\nlot-000001,1,7\n")
    assert (ran.status, ran.out, ran.err.count("\n")) == (2, b"", 1)
    assert ran.err.startswith(f"svc-tui: {corrections.file}, row 2, column C: the column with “7” has no name")


def test_a_file_that_is_no_plan_is_not_replaced(corrections: Corrections) -> None:
    corrections.plan_file.write_text("mine")
    ran = corrections.plan(CHANGES)
    assert ran.status == 2
    assert "exists and is not a plan, so it was not replaced" in ran.err
    assert corrections.plan_file.read_text() == "mine"


def test_a_service_that_is_not_there_is_status_three(corrections: Corrections, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SVC_SANDBOX_BASE_URL", "http://127.0.0.1:9")
    ran = corrections.plan(CHANGES)
    assert (ran.status, ran.out) == (3, b"")
    assert ran.err.startswith("svc-tui: could not connect to 127.0.0.1:9")
    assert not corrections.plan_file.exists()


def test_a_key_that_is_refused_is_status_one(corrections: Corrections, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SVC_API_KEY", "svc_test_unknown")
    ran = corrections.plan(CHANGES)
    assert (ran.status, "(api_key_invalid)" in ran.err) == (1, True)


def test_how_far_it_has_come_is_shown_on_a_terminal(corrections: Corrections, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ProgressLine, "for_terminal", lambda **_: ProgressLine())
    rows = "".join(f"lot-{at:06d},1\n" for at in range(1, 31))
    corrections.service.faults.next("slow", method="GET", delay=0.5, count=3)
    ran = corrections.plan(f"id,massKg\n{rows}")
    assert re.search(r"loading lots  \d+ of", ran.err)


@pytest.mark.parametrize(
    ("number", "told"),
    [(signal.SIGINT, b"svc-tui: interrupted; no plan was saved\n"), (signal.SIGTERM, b"")],
)
def test_a_signal_stops_the_reading(
    corrections: Corrections, service: RunningService, start: Start, number: signal.Signals, told: bytes
) -> None:
    corrections.file.write_text(CHANGES)
    service.faults.always("hold", method="GET")
    process = start("plan", "operations/lots", str(corrections.file), "-o", str(corrections.plan_file))
    until(lambda: service.faults.held > 0)
    process.send_signal(number)
    assert process.communicate(timeout=60) == (b"", told)
    service.faults.clear()
    assert process.returncode == 128 + number
    assert not corrections.plan_file.exists()


def test_a_number_that_may_have_thousands_needs_the_decimal_mark(corrections: Corrections) -> None:
    rows = "id;massKg\nlot-000001;3.215,57\nlot-000002;1.972\n"
    ran = corrections.plan(rows, "--allow-doubts")
    assert ran.status == 2
    assert "1.972” is 1972 with a decimal comma and 1.972 with a decimal point" in ran.out.decode()
    assert "--decimal comma or --decimal point" in ran.err
    assert corrections.apply().status == 2
    assert not corrections.writes()
    for mark, value in (("point", 1.972), ("comma", 1972)):
        ran = corrections.plan(rows, "--decimal", mark, "--format", "json")
        assert ran.status == (4 if mark == "comma" else 2)
        changes = [row["changes"][0]["new"] for row in json.loads(ran.out)["rows"]]
        assert changes == [3215.57 if mark == "comma" else "3.215,57", value]
    assert corrections.apply().status == 0
    assert (corrections.value(1, "massKg"), corrections.value(2, "massKg")) == (3215.57, 1972)


def test_a_file_with_a_key_makes_no_plan(corrections: Corrections) -> None:
    ran = corrections.plan("id,note\nlot-000001,see svc_live_9f8e7d6c5b4a\n")
    assert ran.status == 2
    assert ran.err == (
        "svc-tui: lots.csv, row 2, column note: the value contains an API key or signing secret; remove it and "
        "create the plan again\n"
    )
    assert not corrections.plan_file.exists()
    assert not any(attempt.target.startswith("/v1/operations/lots") for attempt in corrections.service.attempts)


def test_a_file_exported_with_a_field_without_a_name_is_planned_back_unchanged(
    home: Path, run: Run, use_raw: UseRaw
) -> None:
    lot: dict[str, object] = {"id": "lot-1", "": "x", " ": "y", " note": {"": "z"}, '""': "q"}

    def answer(came: ReceivedRequest) -> CannedReply:
        body = lot if "/lot-1" in came.target else {"items": [lot], "meta": {"total": 1}}
        return reply(200, json.dumps(body))

    use_raw(answer)
    exported = run("export", "lots", "--for-edit", "--format", "csv").out.decode()
    ran = run("plan", "lots", "-", stdin=exported.encode())
    assert (ran.status, ran.err) == (0, "")
    changed = exported.replace(",y,", ",changed,")
    assert changed != exported
    ran = run("plan", "lots", "-", "--format", "json", stdin=changed.encode())
    assert ran.status == 4
    (row,) = json.loads(ran.out)["rows"]
    assert row["changes"] == [{"field": " ", "old": "y", "new": "changed"}]
