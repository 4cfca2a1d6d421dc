"""A kill in the middle of typing: nothing keeps running, and what was typed is there at the next start."""

import errno
import signal
import socket
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

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
        user.sees(r"1 record has edits from before that are not sent yet")
        user.sees(r"lot-000001 .*Half a sente")
        steps.opens_record(user, "lot-000001")
        user.sees(r"─ • lot-000001 ─")
        steps.reviews(user, "lot-000001")
        user.sees(r'\+ "Half a sente"')
        user.press("y")
        user.sees(r"lot-000001 is written")
        steps.quits(user)
