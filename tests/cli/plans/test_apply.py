"""`svc-tui apply`: what is refused before anything is sent, where it stops, and how it goes on."""

import asyncio
import json
import random
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from svc_tui.bootstrap.plans.plan_file import read_plan_file
from svc_tui.core.credentials import Environment
from svc_tui.sandbox.options import SandboxOptions
from svc_tui.sandbox.server.inprocess import running_service
from svc_tui.sandbox.variants import Variants
from svc_tui.storage.runs import RunCounts
from svc_tui.storage.scope import StorageScope
from svc_tui.storage.store import Store
from tests import budget
from tests.cli.conftest import Run, Start
from tests.cli.plans.conftest import Corrections
from tests.cli.test_export import until
from tests.fixed_keys import fixed

CHANGES = "id,massKg\nlot-000001,1.10\nlot-000002,2.20\nlot-000003,3.30\n"
IDS = ["lot-000001", "lot-000002", "lot-000003"]


def test_a_plan_is_carried_out_row_by_row(corrections: Corrections) -> None:
    corrections.plan("id,_action,massKg,name\nlot-000001,,1.10,\n,,3,Made here\nlot-000005,delete,,\n")
    ran = corrections.apply("--ticket", "INC-7")
    assert (ran.status, ran.out) == (0, b"")
    assert ran.err.splitlines()[0] == "svc-tui: 3 of 3 rows done"
    assert corrections.value(1, "massKg") == 1.1
    assert corrections.value(31, "name") == "Made here"
    assert corrections.service.record("operations/lots", "lot-000005") is None
    entries, (run,) = corrections.journal()
    assert {(entry.intent.batch, entry.intent.ticket) for entry in entries} == {(run.id, "INC-7")}
    assert [entry.intent.row for entry in entries] == [4, 3, 2]
    assert run.ended is not None


def test_the_report_says_what_became_of_every_row(corrections: Corrections) -> None:
    corrections.plan("id,massKg,name\nlot-000001,1.10,Ore\nlot-9,1,\n,3,Made here\n", "--skip-problems")
    ran = corrections.apply()
    report = corrections.home / "lots.plan.outcome.csv"
    assert f"svc-tui: saved the outcome of every row to {report}\n" in ran.err
    assert stat.S_IMODE(report.stat().st_mode) == 0o600
    told = [(row["row"], row["id"], row["field"], row["new"], row["outcome"]) for row in corrections.report()]
    assert told == [
        ("2", "lot-000001", "massKg", "1.10", "done"),
        ("2", "lot-000001", "name", "Ore", "done"),
        ("3", "lot-9", "", "", "can't be sent"),
        ("4", "lot-000031", "massKg", "3", "done"),
        ("4", "lot-000031", "name", "Made here", "done"),
    ]


def test_the_report_goes_elsewhere_when_asked_and_replaces_nothing_of_the_users(corrections: Corrections) -> None:
    corrections.plan(CHANGES)
    mine = corrections.home / "mine.csv"
    mine.write_text("mine")
    for file, words in (
        (mine, "exists and is not an outcome file, so it was not replaced"),
        (corrections.file, "is the plan or its source file"),
        (corrections.plan_file, "is the plan or its source file"),
        (corrections.home, "is a directory"),
        (corrections.home / "none" / "out.csv", "does not exist"),
    ):
        ran = corrections.apply("--report", str(file))
        assert (ran.status, words in ran.err, ran.err.count("\n")) == (2, True, 1)
    assert not corrections.writes()
    assert corrections.apply("--report", str(corrections.home / "out.csv")).status == 0
    assert (corrections.home / "out.csv").read_text().count("done") == 3


@pytest.mark.parametrize(
    ("change", "line"),
    [
        (lambda text: text.replace("1.10", "9.10"), "was edited after it was created; create the plan again"),
        (
            lambda text: text.replace('"version":1', '"version":2'),
            "is from another version of svc-tui; create the plan again",
        ),
        (lambda _: '{"rows": []}', "is not a plan; create one with: svc-tui plan COLLECTION FILE -o PLAN"),
        (lambda _: "not json", "is not a plan; create one with: svc-tui plan COLLECTION FILE -o PLAN"),
    ],
)
def test_a_file_that_is_not_the_plan_that_was_made_is_refused(
    corrections: Corrections, change: Callable[[str], str], line: str
) -> None:
    corrections.plan(CHANGES)
    corrections.plan_file.write_text(change(corrections.plan_file.read_text()))
    ran = corrections.apply()
    assert (ran.status, ran.err.count("\n")) == (2, 1)
    assert line in ran.err
    assert not corrections.writes()


def test_the_order_of_names_and_white_space_are_no_change(corrections: Corrections) -> None:
    corrections.plan(CHANGES)
    text = corrections.plan_file.read_text()
    numbers = json.loads(text, parse_float=lambda number: f"\0{number}\0")
    again = json.dumps(numbers, indent=1, sort_keys=True).replace('"\\u0000', "").replace('\\u0000"', "")
    corrections.plan_file.write_text(again)
    assert corrections.apply().status == 0


def test_a_plan_for_another_service_is_refused(
    corrections: Corrections, use: Callable[[str], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    corrections.plan(CHANGES)
    monkeypatch.setenv("SVC_SANDBOX_BASE_URL", "http://127.0.0.1:9")
    ran = corrections.apply()
    assert (ran.status, "but the current base URL is http://127.0.0.1:9" in ran.err) == (2, True)
    assert "; set the environment variables as they were then, or create the plan again\n" in ran.err
    use("live")
    ran = corrections.apply("--live")
    assert (ran.status, "was created for SANDBOX, but the current key is for LIVE" in ran.err) == (2, True)
    assert not corrections.writes()


def test_another_spelling_of_the_collection_is_refused(corrections: Corrections) -> None:
    corrections.plan(CHANGES)
    profiles = corrections.home / "config" / "svc-tui" / "profiles"
    profiles.mkdir(parents=True)
    key = corrections.service.key("sandbox").api_key
    (profiles / "env2.toml").write_text(
        f'api_key = "{key}"\nsandbox_base_url = "{corrections.service.base_url}"\n'
        '[collections."operations/lots"]\nsegment = "ore-lots"\n'
    )
    (profiles / "env2.toml").chmod(0o600)
    ran = corrections.apply("--profile", "env2")
    assert ran.status == 2
    assert (
        "was created with the path /v1/operations/lots for operations/lots, but the profile env2 uses another path"
        in ran.err
    )


def test_open_problems_are_refused(corrections: Corrections) -> None:
    corrections.plan("id,massKg\nlot-000001,1\nlot-9,2\n")
    ran = corrections.apply()
    assert (ran.status, "has 1 row not ready to apply; correct the file" in ran.err) == (2, True)
    assert not corrections.writes()


def test_a_plan_that_changes_nothing_is_done(corrections: Corrections) -> None:
    corrections.plan(f"id,massKg\nlot-000001,{corrections.value(1, 'massKg')}\n")
    ran = corrections.apply()
    assert (ran.status, "has no changes to apply" in ran.err) == (0, True)


def test_a_live_key_needs_live(corrections: Corrections, use: Callable[[str], None]) -> None:
    use("live")
    corrections.plan(CHANGES)
    ran = corrections.apply()
    assert ran.status == 2
    assert ran.err == "svc-tui: apply with a live key changes LIVE data; add --live to continue\n"
    assert not corrections.writes()
    assert corrections.apply("--live").status == 0
    assert corrections.writes() == IDS


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (["--read-only"], "--read-only refuses writes; remove it to apply the plan"),
        (
            ["--ticket", "KEY"],
            "--ticket contains an API key or signing secret; remove it, because the ticket is saved in the journal",
        ),
        (["--resume"], "was not started on this computer; remove --resume to start it"),
    ],
)
def test_what_is_refused_is_told_in_a_line(corrections: Corrections, words: list[str], line: str) -> None:
    corrections.plan(CHANGES)
    key = corrections.service.key("sandbox").api_key
    ran = corrections.apply(*(key if word == "KEY" else word for word in words))
    assert (ran.status, ran.err.endswith(f"{line}\n"), ran.err.count("\n")) == (2, True, 1)
    assert key not in ran.err
    assert not corrections.writes()


def test_a_file_that_changed_since_is_to_be_planned_again(corrections: Corrections) -> None:
    corrections.plan(CHANGES)
    corrections.write(CHANGES.replace("1.10", "9.10"))
    ran = corrections.apply()
    assert (ran.status, ran.err) == (2, "svc-tui: lots.csv changed after the plan was created; create the plan again\n")
    assert not corrections.writes()
    corrections.file.unlink()
    assert corrections.apply().status == 0


def test_an_old_plan_is_compared_again_before_anything_is_sent(corrections: Corrections) -> None:
    corrections.plan(CHANGES)
    corrections.age()
    corrections.run("request", "PATCH", "lots/lot-000003", "-d", '{"massKg": 77}')
    before = corrections.writes()
    ran = corrections.apply()
    assert ran.status == 2
    first, last = ran.err.splitlines()
    assert first == "svc-tui: row 4: lot-000003: massKg is now 77, changed after the plan was created."
    assert last.endswith(
        "is older than 1 hour, and 1 record has changed since, so nothing was sent; create the plan again"
    )
    assert corrections.writes() == before
    corrections.run("request", "PATCH", "lots/lot-000003", "-d", '{"massKg": 3.3}')
    # It is as it is to be by now, which is no surprise.
    assert corrections.apply().status == 0


def test_an_old_plan_whose_record_is_gone_is_refused(corrections: Corrections) -> None:
    corrections.plan(CHANGES)
    corrections.age()
    corrections.run("request", "DELETE", "lots/lot-000002")
    ran = corrections.apply()
    assert (ran.status, "row 3: No record lot-000002 in operations/lots." in ran.err) == (2, True)


def test_what_is_done_is_not_done_again(corrections: Corrections) -> None:
    corrections.plan(CHANGES)
    assert corrections.apply().status == 0
    for words in ([], ["--resume"]):
        ran = corrections.apply(*words)
        assert (ran.status, "was already applied" in ran.err) == (2, True)
    assert corrections.writes() == IDS


def test_it_stops_at_the_first_surprise_and_goes_on_when_asked(corrections: Corrections) -> None:
    corrections.plan(CHANGES)
    corrections.run("request", "PATCH", "lots/lot-000002", "-d", '{"massKg": 77}')
    ran = corrections.apply()
    assert ran.status == 1
    told = ran.err.splitlines()
    assert told[0] == "svc-tui: row 3: lot-000002 was not changed: others set massKg to 77."
    assert told[1].startswith("svc-tui: stopped: 1 of 3 rows done, 1 failed, 1 not sent; continue with: svc-tui apply ")
    assert told[1].endswith(" --resume")
    assert corrections.outcomes() == {"2": "done", "3": "not sent", "4": "not sent"}
    assert [row["message"] for row in corrections.report()][1] == told[0].removeprefix("svc-tui: row 3: ")
    ran = corrections.apply()
    assert (ran.status, "is not finished; add --resume to continue it" in ran.err) == (2, True)
    corrections.run("request", "PATCH", "lots/lot-000002", "-d", f'{{"massKg": {_planned(corrections, 1)}}}')
    ran = corrections.apply("--resume")
    assert (ran.status, "svc-tui: 3 of 3 rows done\n" in ran.err) == (0, True)
    assert corrections.outcomes() == {"2": "done", "3": "done", "4": "done"}
    assert corrections.value(2, "massKg") == 2.2


def _planned(corrections: Corrections, row: int) -> str:
    """What the mass was when it was planned."""
    base = read_plan_file(corrections.plan_file).plan.rows[row].base["massKg"]
    return str(getattr(base, "text", base))


def test_so_many_rows_may_fail_and_the_others_go_on(corrections: Corrections) -> None:
    corrections.plan(CHANGES)
    corrections.run("request", "PATCH", "lots/lot-000001", "-d", '{"massKg": 77}')
    corrections.run("request", "DELETE", "lots/lot-000002")
    ran = corrections.apply("--max-failures", "3")
    assert (ran.status, "svc-tui: 1 of 3 rows done, 2 failed" in ran.err) == (1, True)
    assert corrections.outcomes() == {"2": "not sent", "3": "not sent", "4": "done"}
    ran = corrections.apply("--resume", "--max-failures", "1")
    assert (ran.status, "stopped: 1 of 3 rows done, 1 failed, 1 not sent" in ran.err) == (1, True)


def test_what_stands_against_every_row_stops_it_whatever_may_fail(
    corrections: Corrections, monkeypatch: pytest.MonkeyPatch
) -> None:
    corrections.plan(CHANGES)
    monkeypatch.setenv("SVC_API_KEY", "svc_test_unknown")
    ran = corrections.apply("--max-failures", "9")
    assert (ran.status, "stopped: 0 of 3 rows done, 1 failed, 2 not sent" in ran.err) == (1, True)
    assert not corrections.writes()


def test_a_service_that_went_away_is_status_three_and_the_run_goes_on_later(
    home: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    database = home / "service.db"
    with running_service(SandboxOptions(records=30, database=database)) as first:
        key, port = first.key("sandbox"), int(first.base_url.rpartition(":")[2])
        monkeypatch.setenv("SVC_API_KEY", key.api_key)
        monkeypatch.setenv("SVC_SANDBOX_BASE_URL", first.base_url)
        corrections = Corrections(home, first, run)
        corrections.plan(CHANGES)
        keys = first.keys
    ran = corrections.apply("--max-failures", "9")
    assert (ran.status, "stopped: 0 of 3 rows done, 1 failed, 2 not sent" in ran.err) == (3, True)
    with running_service(SandboxOptions(records=30, database=database, port=port, keys=fixed(*keys))):
        assert corrections.apply("--resume").status == 0


@pytest.mark.parametrize("fault", ["reset", "500"])
def test_trouble_that_a_second_try_overcomes_is_none(corrections: Corrections, fault: str) -> None:
    corrections.plan(CHANGES)
    corrections.service.faults.next(fault, method="PATCH")
    assert corrections.apply().status == 0
    assert set(corrections.outcomes().values()) == {"done"}


@pytest.mark.parametrize("fault", ["429", "503"])
def test_a_row_that_waits_does_not_overwrite_what_a_colleague_wrote_meanwhile(
    home: Path, run: Run, start: Start, monkeypatch: pytest.MonkeyPatch, fault: str
) -> None:
    options = SandboxOptions(records=3, variants=Variants({"if-match": "ignored"}))
    with running_service(options) as service:
        monkeypatch.setenv("SVC_API_KEY", service.key("sandbox").api_key)
        monkeypatch.setenv("SVC_SANDBOX_BASE_URL", service.base_url)
        corrections = Corrections(home, service, run)
        corrections.plan("id,massKg\nlot-000001,1.10\n")
        service.faults.next(fault, method="PATCH", retry_after=3)
        process = start("apply", str(corrections.plan_file))
        until(lambda: any(attempt.status == int(fault) for attempt in service.attempts))
        assert run("request", "PATCH", "lots/lot-000001", "-d", '{"massKg":7}').status == 0
        _, err = process.communicate(timeout=60)
        assert (process.returncode, corrections.value(1, "massKg")) == (1, 7)
        assert "others set massKg to 7" in err.decode()
        sent = [entry for entry in corrections.journal()[0] if entry.intent.batch]
        assert [entry.outcome and entry.outcome.result for entry in sent] == [
            "not sent" if fault == "429" else "refused"
        ]


@pytest.mark.parametrize(("fault", "made"), [("reset", 1), ("reset-before", 0)])
def test_a_new_record_of_unknown_outcome_is_never_sent_twice(corrections: Corrections, fault: str, made: int) -> None:
    corrections.plan("id,name,massKg\n,First,1\n,Second,2\n")
    corrections.service.faults.next(fault, method="POST")
    ran = corrections.apply()
    assert ran.status == 3
    assert (
        "it is not known whether the new record of row 2 was saved: look for the records before you create them"
        in ran.err
    )
    assert "svc-tui: stopped: 0 of 2 rows done, 1 unknown, 1 not sent; continue with: " in ran.err
    assert corrections.outcomes() == {"2": "unknown", "3": "not sent"}
    ran = corrections.apply("--resume")
    assert (ran.status, "svc-tui: 1 of 2 rows done, 1 unknown\n" in ran.err) == (3, True)
    assert corrections.outcomes() == {"2": "unknown", "3": "done"}
    names = [corrections.service.record("operations/lots", f"lot-{number:06d}") for number in range(31, 35)]
    assert sum('"First"' in (name or "") for name in names) == made
    assert sum('"Second"' in (name or "") for name in names) == 1
    # Nothing is left that could be sent, so it is at its end.
    ran = corrections.apply("--resume")
    assert "was already applied" in ran.err
    assert (
        "it is not known whether the new record of row 2 was created. Check this before you create the plan again; the "
        "new plan marks this row"
    ) in ran.err


def test_new_records_of_unknown_outcome_are_counted_looked_up_and_in_doubt_when_planned_again(
    corrections: Corrections,
) -> None:
    text = "id,name,massKg\n,First,1\n,Second,2\n,Third,3\n"
    corrections.plan(text)
    corrections.service.faults.next("reset", method="POST")
    assert corrections.apply().status == 3
    corrections.service.faults.next("reset", method="POST")
    assert corrections.apply("--resume").status == 3
    ran = corrections.apply("--resume")
    assert ran.status == 3
    told = ran.err.splitlines()
    assert told[0] == "svc-tui: 1 of 3 rows done, 2 unknown"
    assert told[1].startswith("svc-tui: row 2: Searched the list: lot-000031 has the sent values")
    assert told[2].startswith("svc-tui: row 3: Searched the list: lot-000032 has the sent values")
    assert corrections.outcomes() == {"2": "unknown", "3": "unknown", "4": "done"}
    (run,) = corrections.journal()[1]
    assert run.counts == RunCounts(done=1, unknown=2)
    ran = corrections.plan(text, "--format", "json")
    assert ran.status == 2
    problems = [row["problems"] for row in json.loads(ran.out)["rows"]]
    assert [problem["kind"] for (problem,) in problems] == ["may_exist"] * 3
    assert "It is not known whether it was created. Searched the list: lot-000031 has" in problems[0][0]["text"]
    assert "It is not known whether it was created. Searched the list: lot-000032 has" in problems[1][0]["text"]
    assert problems[2][0]["text"].startswith("The same new record was already created as lot-000033 at ")
    corrections.run("request", "DELETE", "lots/lot-000033")
    ran = corrections.plan(text, "--skip-problems")
    assert ran.status == 4
    assert corrections.apply().status == 0
    names = [corrections.service.record("operations/lots", f"lot-{number:06d}") or "" for number in range(31, 36)]
    for name in ("First", "Second", "Third"):
        assert sum(f'"{name}"' in record for record in names) == 1


def test_where_keys_are_honoured_a_new_record_is_sent_again_and_made_once(corrections: Corrections) -> None:
    profiles = corrections.home / "config" / "svc-tui" / "profiles"
    profiles.mkdir(parents=True)
    key = corrections.service.key("sandbox").api_key
    (profiles / "sure.toml").write_text(
        f'api_key = "{key}"\nsandbox_base_url = "{corrections.service.base_url}"\nidempotency = "honoured"\n'
    )
    (profiles / "sure.toml").chmod(0o600)
    corrections.write("id,name,massKg\n,First,1\n")
    words = ("--profile", "sure")
    corrections.run(*words, "plan", "lots", str(corrections.file), "-o", str(corrections.plan_file))
    corrections.service.faults.next("reset", method="POST", count=3)
    assert corrections.apply(*words).status == 3
    assert corrections.apply(*words, "--resume").status == 0
    made = [corrections.service.record("operations/lots", f"lot-{number:06d}") for number in range(31, 36)]
    assert sum(record is not None for record in made) == 1


def test_a_full_disk_sends_nothing(corrections: Corrections) -> None:
    corrections.plan("id,massKg\nlot-000030,3\n")
    assert corrections.apply().status == 0
    rows = "".join(f"lot-{number:06d},{number}\n" for number in range(1, 30))
    corrections.plan(f"id,massKg\n{rows}")
    sent = corrections.writes()
    # Files may take four blocks of 1,024 bytes: enough for a lock, too little for the plan.
    command = f'ulimit -f 4; exec "{sys.executable}" -m svc_tui apply "{corrections.plan_file}"'
    ran = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)
    assert ran.returncode == 2
    assert ran.stderr.count("\n") == 1
    assert corrections.writes() == sent


def test_another_svc_tui_at_it_is_told_of(corrections: Corrections) -> None:
    corrections.plan(CHANGES)
    plan = read_plan_file(corrections.plan_file).plan

    async def meanwhile() -> tuple[int, str]:
        async with Store.open(corrections.home / "state" / "svc-tui" / "svc-tui.db") as store:
            scope = StorageScope("env", Environment.SANDBOX, corrections.service.base_url)
            await store.runs(scope).keep(plan)
            command = [sys.executable, "-m", "svc_tui", "apply", str(corrections.plan_file), "--resume"]
            ran = await asyncio.to_thread(subprocess.run, command, capture_output=True, text=True, check=False)
            return ran.returncode, ran.stderr

    status, told = asyncio.run(meanwhile())
    assert (status, "another svc-tui process is applying" in told) == (2, True)
    assert corrections.apply("--resume").status == 0


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_stops_it_after_the_write_at_hand(
    corrections: Corrections, start: Start, number: signal.Signals
) -> None:
    corrections.plan(CHANGES)
    corrections.service.faults.next("hold", method="PATCH")
    process = start("apply", str(corrections.plan_file))
    until(lambda: corrections.service.faults.held == 1)
    process.send_signal(number)
    assert process.stderr is not None
    assert process.stderr.readline() == b"svc-tui: stopping after the current row; press ctrl+c again to stop now\n"
    corrections.service.faults.release()
    _, told = process.communicate(timeout=60)
    assert process.returncode == 130
    assert told.decode().startswith("svc-tui: interrupted: 1 of 3 rows done, 2 not sent; continue with: svc-tui apply ")
    assert corrections.outcomes() == {"2": "done", "3": "not sent", "4": "not sent"}
    assert corrections.apply("--resume").status == 0
    assert corrections.writes() == IDS


def test_a_second_interrupt_stops_it_at_once_and_what_was_sent_is_looked_up_later(
    corrections: Corrections, start: Start
) -> None:
    corrections.plan(CHANGES)
    corrections.service.faults.next("hold", method="PATCH")
    process = start("apply", str(corrections.plan_file))
    until(lambda: corrections.service.faults.held == 1)
    process.send_signal(signal.SIGINT)
    assert process.stderr is not None
    process.stderr.readline()
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=60)
    assert process.returncode == 130
    assert corrections.outcomes() == {"2": "unknown", "3": "not sent", "4": "not sent"}
    corrections.service.faults.release()
    assert corrections.apply("--resume").status == 0
    assert set(corrections.outcomes().values()) == {"done"}


def test_killed_at_any_moment_on_a_bad_service_it_does_everything_once(
    home: Path, run: Run, start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    generator, (kills_wanted, last, others) = random.Random(7), (8, 45, 8) if budget.deep else (4, 24, 4)
    updated, deleted, created = range(1, last + 1), range(61, 61 + others), range(1, others + 1)
    with running_service(SandboxOptions(records=100, faults=("500:10", "reset:10"))) as service:
        monkeypatch.setenv("SVC_API_KEY", service.key("sandbox").api_key)
        monkeypatch.setenv("SVC_SANDBOX_BASE_URL", service.base_url)
        corrections = Corrections(home, service, run)
        updates = "".join(f"lot-{number:06d},,{number}.5,\n" for number in updated)
        deletions = "".join(f"lot-{number:06d},delete,,\n" for number in deleted)
        creations = "".join(f",,{number},Made {number}\n" for number in created)
        text = f"id,_action,massKg,name\n{updates}{creations}{deletions}"
        while corrections.plan(text).status != 4:
            pass
        kills, words = 0, [str(corrections.plan_file)]
        while True:
            process = start("apply", *words)
            words = [str(corrections.plan_file), "--resume"]
            goal = len(corrections.writes()) + generator.randint(1, 6)
            while kills < kills_wanted and process.poll() is None and len(corrections.writes()) < goal:
                time.sleep(0.005)
            if kills < kills_wanted and process.poll() is None:
                # Somewhere in the write at hand: before it is journalled, under way, or answered.
                time.sleep(0.02 * generator.random())
                process.kill()
                process.communicate()
                kills += 1
                continue
            _, told = process.communicate(timeout=120)
            if b"not sent" not in told:
                break
        service.faults.clear()
        assert kills == kills_wanted
        _check_once(corrections, updated, deleted, created)


def _check_once(corrections: Corrections, updates: range, deletions: range, creations: range) -> None:
    """Every row was carried out once or not at all, and the report says which."""
    report = {row["row"]: row for row in corrections.report()}
    outcomes = {number: row["outcome"] for number, row in report.items()}
    rows = iter(range(2, 2 + len(updates) + len(deletions) + len(creations)))
    for number in updates:
        outcome = outcomes[str(next(rows))]
        assert (outcome == "done") == (corrections.value(number, "massKg") == number + 0.5)
    made = [corrections.service.record("operations/lots", f"lot-{number:06d}") for number in range(101, 140)]
    for number in creations:
        count = sum(f'"Made {number}"' in (record or "") for record in made)
        outcome = outcomes[str(next(rows))]
        assert count <= 1
        assert outcome == "unknown" or (outcome == "done") == (count == 1)
    for number in deletions:
        gone = corrections.service.record("operations/lots", f"lot-{number:06d}") is None
        assert (outcomes[str(next(rows))] in ("done", "already so")) == gone
    # A write that was sent again after its answer was lost keeps its key: one thing is done by one key.
    keys: dict[str, set[str | None]] = {}
    for attempt in corrections.service.attempts:
        if attempt.method == "PATCH" and attempt.status == 200:
            keys.setdefault(attempt.target, set()).add(attempt.idempotency_key)
    assert all(len(found) == 1 for found in keys.values())


def test_progress_is_shown_on_a_terminal(corrections: Corrections, start: Start) -> None:
    import pexpect

    corrections.plan("id,massKg\n" + "".join(f"lot-{number:06d},1\n" for number in range(1, 31)))
    corrections.service.faults.always("slow", delay=0.05)
    child = pexpect.spawn(
        sys.executable, ["-m", "svc_tui", "apply", str(corrections.plan_file)], dimensions=(24, 120), timeout=60
    )
    child.expect(r"lots  \d+ of 30 records  \d+/s  \d+ s left")
    child.expect("30 of 30 rows done")
    child.close()


MADE = "id,name,massKg\n,First,1\n,Second,2\n"


def posted(corrections: Corrections) -> list[str | None]:
    """The idempotency keys of the POSTs that arrived."""
    return [one.idempotency_key for one in corrections.service.attempts if one.method == "POST"]


def made(corrections: Corrections) -> list[int]:
    """How many records there are with each of the names in `MADE`."""
    records = [corrections.service.record("operations/lots", f"lot-{number:06d}") or "" for number in range(31, 40)]
    return [sum(f'"{name}"' in record for record in records) for name in ("First", "Second")]


@pytest.fixture
def other_machine(home: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """Gives the program another state directory, as on another machine."""
    return lambda: monkeypatch.setenv("XDG_STATE_HOME", str(home / "other-state"))


def test_a_plan_that_was_applied_on_another_machine_creates_nothing_again(
    corrections: Corrections, other_machine: Callable[[], None]
) -> None:
    corrections.plan(MADE)
    first = corrections.apply()
    assert (first.status, "another machine" in first.err) == (0, False)
    other_machine()
    ran = corrections.apply()
    assert ran.status == 2
    told = ran.err.splitlines()
    plan = corrections.plan_file
    assert told[0] == (
        f"svc-tui: {plan} was created on another computer and creates 2 records; apply it on one computer only"
    )
    assert told[1].startswith("svc-tui: row 2: Searched the list: lot-000031 has the sent values")
    assert told[-1] == (
        "svc-tui: 2 new records may already exist, so nothing was sent; remove these rows from the file, and "
        "create the plan again"
    )
    assert (len(posted(corrections)), made(corrections)) == (2, [1, 1])


def test_a_plan_from_another_machine_whose_records_are_not_there_is_applied(
    corrections: Corrections, other_machine: Callable[[], None]
) -> None:
    corrections.plan(MADE)
    other_machine()
    ran = corrections.apply()
    assert (ran.status, "was created on another computer" in ran.err) == (0, True)
    assert made(corrections) == [1, 1]


def test_an_old_plan_looks_for_its_new_records_before_it_sends_them(corrections: Corrections) -> None:
    corrections.plan(MADE)
    corrections.age()
    corrections.run("request", "POST", "lots", "-d", '{"name": "Second", "massKg": 2.0}')
    ran = corrections.apply()
    assert (ran.status, "row 3: Searched the list: lot-000031 has the sent values" in ran.err) == (2, True)
    assert made(corrections) == [0, 1]


def test_the_same_rows_have_the_same_keys_on_every_machine_until_they_are_undone(
    corrections: Corrections, other_machine: Callable[[], None]
) -> None:
    profiles = corrections.home / "config" / "svc-tui" / "profiles"
    profiles.mkdir(parents=True)
    key = corrections.service.key("sandbox").api_key
    (profiles / "sure.toml").write_text(
        f'api_key = "{key}"\nsandbox_base_url = "{corrections.service.base_url}"\nidempotency = "honoured"\n'
    )
    (profiles / "sure.toml").chmod(0o600)
    corrections.write(MADE)
    words = ("--profile", "sure")
    corrections.run(*words, "plan", "lots", str(corrections.file), "-o", str(corrections.plan_file))
    assert corrections.apply(*words).status == 0
    other_machine()
    assert corrections.apply(*words).status == 0
    first, second, *again = posted(corrections)
    assert (again, first != second, made(corrections)) == ([first, second], True, [1, 1])
    corrections.run(*words, "request", "DELETE", "lots/lot-000031")
    (corrections.home / "other-state" / "svc-tui" / "svc-tui.db").unlink()
    assert corrections.apply(*words).status == 0
    *_, replayed, anew, other = posted(corrections)
    assert (replayed, other, anew not in (first, second)) == (first, second, True)
    assert made(corrections) == [1, 1]
