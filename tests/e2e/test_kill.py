"""A kill in the middle of typing: nothing keeps running, and what was typed is there at the next start."""

import errno
import signal
import socket
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager, nullcontext
from pathlib import Path

import pytest

from svc_tui.core.jsontext import loads
from svc_tui.sandbox.server.inprocess import RunningService
from tests.e2e import steps
from tests.terminal import PATIENCE, Terminal, quiet_environment, terminal

pytestmark = pytest.mark.terminal


def service_of(user: Terminal) -> tuple[str, int]:
    """The address of the service that the status bar names."""
    return "127.0.0.1", int(user.sees(r"127\.0\.0\.1:(\d+)").group(1))


def drafts(state: Path) -> str:
    """The edits on the disk, as they stand in the store."""
    with closing(sqlite3.connect(f"file:{state / 'svc-tui.db'}?mode=ro", uri=True)) as database:
        return "\n".join(edits for (edits,) in database.execute("SELECT edits FROM drafts"))


def test_an_edit_survives_a_kill_and_the_service_does_not(tmp_path: Path) -> None:
    environment = quiet_environment(tmp_path)
    words = ["demo", "--records", "60", "--database", str(tmp_path / "demo.db")]
    state = tmp_path / "state" / "svc-tui"
    with terminal(words, environment) as user:
        user.sees(r"lot-000001 ")
        steps.opens_record(user, "lot-000001")
        steps.types_into(user, "lot-000001", "name", "Half a sente")
        service = service_of(user)
        with socket.create_connection(service, timeout=PATIENCE) as connection, socket.socket() as late:
            user.until(lambda: "Half a sente" in drafts(state), "the edit never reached the disk")
            user.kill()
            assert user.ends() == -signal.SIGKILL
            assert connection.recv(1) == b""
            assert late.connect_ex(service) == errno.ECONNREFUSED

    with terminal(words, environment) as user:
        user.sees(r"lot-000001 name: not applied yet")
        steps.opens_record(user, "lot-000001")
        user.press("e")
        user.sees(r"Unfinished edit, not applied yet")
        user.sees(r"name +Half a sente")
        user.press("enter")
        user.sees(r"─ • lot-000001 ─")
        steps.reviews(user, "lot-000001")
        user.sees(r"\+ Half a sente")
        user.press("y")
        user.sees(r"Saved lot-000001")
        steps.quits(user)


def forms(state: Path) -> str:
    """The forms on the disk, as they stand in the store."""
    with closing(sqlite3.connect(f"file:{state / 'svc-tui.db'}?mode=ro", uri=True)) as database:
        return "\n".join(form for (form,) in database.execute("SELECT form FROM forms"))


def test_the_form_of_a_new_record_survives_a_kill(service: RunningService, tmp_path: Path) -> None:
    environment = quiet_environment(tmp_path, **steps.connection(service, "sandbox"))
    with terminal(["lots"], environment) as user:
        user.sees(r"lot-000001 ")
        user.press("a")
        user.sees(r"New record in operations/lots")
        user.press("Half a reco")
        user.until(lambda: '"text":"Half a reco"' in forms(tmp_path / "state" / "svc-tui"), "it never reached the disk")
        user.kill()
        assert user.ends() == -signal.SIGKILL
    with terminal(["lots"], environment) as user:
        user.sees(r"1 form is not sent")
        user.sees(r"lot-000001 ")
        user.press("a")
        user.sees(r"Started a moment ago|Started \d+ min ago")
        user.sees(r"Half a reco")
        user.press("esc")
        user.loses(r"New record in operations/lots")
        user.press("ctrl+q")
        user.sees(r"1 form is not sent: new record in operations/lots")
        user.press("y")
        assert user.ends() == 0


def patches(service: RunningService) -> list[str | None]:
    """The idempotency keys of the changes that arrived."""
    return [attempt.idempotency_key for attempt in service.attempts if attempt.method == "PATCH"]


def name_of(service: RunningService, record_id: str) -> object:
    """The name of a lot as the service holds it."""
    record = loads(service.record("operations/lots", record_id) or "")
    assert isinstance(record, dict)
    return record["name"]


def killed_while_sending(user: Terminal, service: RunningService, method: str) -> None:
    """Edit the name of lot-000001, confirm it, and be killed while the answer to this method is on hold."""
    user.sees(r"lot-000001 ")
    steps.opens_record(user, "lot-000001")
    steps.edits(user, "lot-000001", "name", "Half sent")
    steps.reviews(user, "lot-000001")
    user.sees(r"headers · h Show")
    service.faults.next("hold", method=method)
    user.press("y")
    user.until(lambda: service.faults.held == 1, f"no {method} was held")
    user.kill()
    assert user.ends() == -signal.SIGKILL
    service.faults.release()


def test_a_kill_after_the_service_took_a_change_loses_nothing_and_sends_nothing_twice(
    service: RunningService, tmp_path: Path
) -> None:
    environment = quiet_environment(tmp_path, **steps.connection(service, "sandbox"))
    with terminal(["lots"], environment) as user:
        killed_while_sending(user, service, "PATCH")
    assert name_of(service, "lot-000001") == "Half sent"

    with terminal(["lots"], environment) as user:
        # The record is read before anything is said: it shows that the change arrived.
        user.sees(r"Saved lot-000001")
        user.until(lambda: drafts(tmp_path / "state" / "svc-tui") == "", "the draft is still there")
        assert "not sent yet" not in user.text
        user.press("@")
        user.sees(r"lot-000001 +✓ done")
        user.sees(r"→ .?Half sent")
        steps.closes(user, r"─ Journal")
        steps.quits(user)
    assert len(patches(service)) == 1


@contextmanager
def no_outcome(state: Path) -> Iterator[None]:
    """Keep the program from writing the outcome of a write, as long as it waits for that."""
    with closing(sqlite3.connect(state / "svc-tui.db", isolation_level=None)) as database:
        database.execute("BEGIN IMMEDIATE")
        yield
        database.execute("ROLLBACK")


def keep_rows(state: Path, table: str) -> None:
    """Have no row of a table removed."""
    with closing(sqlite3.connect(state / "svc-tui.db", isolation_level=None)) as database:
        database.execute(f"CREATE TRIGGER kept BEFORE DELETE ON {table} BEGIN SELECT RAISE(ABORT, 'kept'); END")


def let_rows_go(state: Path) -> None:
    """Have rows removed again."""
    with closing(sqlite3.connect(state / "svc-tui.db", isolation_level=None)) as database:
        database.execute("DROP TRIGGER kept")


def has_outcome(state: Path) -> bool:
    """Whether the journal has an outcome of a write."""
    with closing(sqlite3.connect(f"file:{state / 'svc-tui.db'}?mode=ro", uri=True)) as database:
        return database.execute("SELECT 1 FROM journal WHERE kind = 'outcome'").fetchone() is not None


def killed_after_the_answer(user: Terminal, service: RunningService, state: Path, table: str, method: str) -> None:
    """Send what the card in view shows, and be killed once it was carried out.

    `table` names what is not removed any more; without it the outcome is not in the journal either.
    """

    def answered() -> bool:
        return any(attempt.method == method and (attempt.status or 500) < 300 for attempt in service.attempts)

    service.faults.next("hold", method=method)
    if table:
        keep_rows(state, table)
    user.press("y")
    user.until(lambda: service.faults.held == 1, f"no {method} was held")
    with nullcontext() if table else no_outcome(state):
        service.faults.release()
        user.until(lambda: has_outcome(state) if table else answered(), f"no {method} was answered")
        user.kill()
        assert user.ends() == -signal.SIGKILL
    if table:
        let_rows_go(state)


def made(service: RunningService) -> list[str | None]:
    """The idempotency keys of the creations that arrived."""
    return [attempt.idempotency_key for attempt in service.attempts if attempt.method == "POST"]


@pytest.mark.parametrize("table", ["", "forms"])
def test_a_new_record_is_not_made_twice_after_a_kill(service: RunningService, tmp_path: Path, table: str) -> None:
    environment = quiet_environment(tmp_path, **steps.connection(service, "sandbox"))
    state = tmp_path / "state" / "svc-tui"
    with terminal(["lots"], environment) as user:
        user.sees(r"lot-000001 ")
        user.press("a")
        user.sees(r"New record in operations/lots")
        user.press("Made once")
        user.press("ctrl+s")
        user.sees(r"POST /v1/operations/lots")
        killed_after_the_answer(user, service, state, table, "POST")
    assert "Made once" in forms(state)

    with terminal(["lots"], environment) as user:
        if table:
            user.sees(r"Done: new record in operations/lots")
            user.until(lambda: forms(state) == "", "the form is still there")
            assert "form is not sent" not in user.text
            assert len(made(service)) == 1
        else:
            steps.dismisses(user, r"1 change: outcome unknown")
            user.press("a")
            user.sees(r"(?s)Already sent a moment ago")
            user.sees(r"the sent values and may be the new record")
            user.press("ctrl+s")
            user.sees(r"POST /v1/operations/lots")
            user.press("y")
            user.sees(r"Created [a-z]+-")
            user.until(lambda: forms(state) == "", "the form is still there")
            assert len(made(service)) == 2
        steps.quits(user)
    assert len(set(made(service))) == 1


@pytest.mark.parametrize("table", ["", "drafts"])
def test_a_change_is_not_offered_again_after_a_kill(service: RunningService, tmp_path: Path, table: str) -> None:
    environment = quiet_environment(tmp_path, **steps.connection(service, "sandbox"))
    state = tmp_path / "state" / "svc-tui"
    with terminal(["lots"], environment) as user:
        user.sees(r"lot-000001 ")
        steps.opens_record(user, "lot-000001")
        steps.edits(user, "lot-000001", "name", "Sent once")
        steps.reviews(user, "lot-000001")
        user.sees(r"headers · h Show")
        killed_after_the_answer(user, service, state, table, "PATCH")
    assert "Sent once" in drafts(state)

    with terminal(["lots"], environment) as user:
        user.sees(r"Saved lot-000001")
        user.until(lambda: drafts(state) == "", "the draft is still there")
        assert "not sent yet" not in user.text
        user.sees(r"lot-000001 +Sent once")
        steps.quits(user)
    assert len(patches(service)) == 1


def test_a_kill_before_the_change_left_keeps_the_draft_and_it_is_sent_once(
    service: RunningService, tmp_path: Path
) -> None:
    environment = quiet_environment(tmp_path, **steps.connection(service, "sandbox"))
    with terminal(["lots"], environment) as user:
        killed_while_sending(user, service, "GET")
    assert patches(service) == []

    with terminal(["lots"], environment) as user:
        user.sees(r"1 record has a draft not sent yet")
        user.sees(r"lot-000001• +Half sent\*")
        assert "outcome unknown" not in user.text
        steps.reviews(user, "lot-000001")
        user.press("y")
        user.sees(r"Saved lot-000001")
        user.press("@")
        user.sees(r"lot-000001 +✓ done")
        steps.closes(user, r"─ Journal")
        steps.quits(user)
    assert len(patches(service)) == 1
    assert name_of(service, "lot-000001") == "Half sent"


def test_a_kill_while_a_request_is_under_way_leaves_it_in_the_history_and_it_is_sent_again_with_its_key(
    service: RunningService, tmp_path: Path
) -> None:
    environment = quiet_environment(tmp_path, **steps.connection(service, "sandbox"))
    with terminal(["lots"], environment) as user:
        user.sees(r"lot-000001 ")
        user.press("4")
        user.sees(r"─ Console ")
        user.press("PATCH lots/lot-000001 name=Tried")
        user.sees(r"→ ?/v1/operations/lots/lot-000001")
        service.faults.next("hold", method="PATCH")
        user.press("ctrl+j")
        user.sees(r"Send this request")
        user.press("y")
        user.until(lambda: service.faults.held == 1, "no PATCH was held")
        user.kill()
        assert user.ends() == -signal.SIGKILL
        service.faults.release()

    with terminal(["lots"], environment) as user:
        user.sees(r"lot-000001 ")
        user.press("f8")
        user.sees(r"PATCH +operations/lots/lot-000001 +\? unknown")
        user.press("ctrl+j")
        user.sees(r"Send this request")
        user.press("y")
        user.sees(r"✓ 200 OK")
        steps.quits(user)
    assert len(patches(service)) == 2
    assert len(set(patches(service))) == 1


def test_a_kill_in_the_middle_of_a_run_sends_no_row_twice_after_the_restart(
    service: RunningService, tmp_path: Path
) -> None:
    environment = quiet_environment(tmp_path, **steps.connection(service, "sandbox"))
    file = tmp_path / "lots.csv"
    ids = [f"lot-{at:06}" for at in range(1, 6)]
    file.write_text("id,name\n" + "".join(f"{record_id},Corrected\n" for record_id in ids))
    with terminal(["lots", "--corrections", str(file)], environment) as user:
        user.sees(r"Change name of 5 lots")
        service.faults.always("hold", method="PATCH", after=2)
        user.press("y")
        user.until(lambda: service.faults.held == 1, "the third write was not held")
        user.kill()
        assert user.ends() == -signal.SIGKILL
        service.faults.clear()
    user.until(lambda: name_of(service, ids[2]) == "Corrected", "the service never took the third")

    with terminal(["lots"], environment) as user:
        steps.dismisses(user, r"Unfinished run")
        user.press("@")
        user.sees(r"─ Journal")
        user.press("b")
        user.sees(r"name of 5 lots: 2 of 5 done, 1 unknown")
        user.press("enter")
        user.sees(r"Change name of 3 lots")
        user.press("y")
        user.until(lambda: name_of(service, ids[-1]) == "Corrected", "the last change never arrived")
        # A look told that the third had arrived.
        user.sees(r"5 records changed\.")
        steps.quits(user)
    sent = [attempt.target.rpartition("/")[2] for attempt in service.attempts if attempt.method == "PATCH"]
    assert sent == ids
    assert {name_of(service, record_id) for record_id in ids} == {"Corrected"}
