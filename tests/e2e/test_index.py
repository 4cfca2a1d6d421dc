"""An index in a real terminal: begun from the finder, killed while it is built, and there at the next start."""

import signal
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from svc_tui.sandbox.options import SandboxOptions
from svc_tui.sandbox.server.inprocess import running_service
from tests.e2e import steps
from tests.terminal import quiet_environment, terminal

pytestmark = pytest.mark.terminal


def indexed(state: Path) -> int:
    """How many records lie in the only index."""
    for path in (state / "indexes").glob("*.db"):
        with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as database:
            try:
                count: int = database.execute("SELECT count(*) FROM records").fetchone()[0]
            except sqlite3.OperationalError:
                # Its tables are just being made.
                return 0
            return count
    return 0


def test_an_index_that_was_killed_goes_on_and_finds_a_record_of_another_collection(tmp_path: Path) -> None:
    state = tmp_path / "state" / "svc-tui"
    with running_service(SandboxOptions(records=3_000)) as service:
        environment = quiet_environment(tmp_path, **steps.connection(service, "sandbox"))
        with terminal(["lots"], environment) as user:
            user.sees(r"lot-000001 ")
            user.press("\x06")
            user.sees(r"─ Search ─")
            user.press("\x0c")
            user.sees(r"─ Load and search ─")
            user.press("index")
            user.loses(r"All 12 collections")
            user.press("enter")
            user.until(lambda: indexed(state) >= 500, "no index is built")
            user.kill()
            assert user.ends() == -signal.SIGKILL
        held = indexed(state)
        before = len(service.attempts)
        with terminal(["lots"], environment) as user:
            user.sees(r"lot-000001 ")
            user.until(lambda: "/v1/safety/incidents?page=1" in str(service.attempts[before:]), "it never goes on", 120)
            pages = [attempt.target for attempt in service.attempts[before:] if "/lots?" in attempt.target]
            # What was read before the kill is not read again, but for the page that the table shows and the next.
            assert len(pages) <= 15 - held // 200 + 4
            user.press("\x06")
            user.sees(r"─ Search ─")
            user.press("wrk-0042")
            user.sees(r"workers +wrk-0042 .* index")
            user.press("enter")
            user.sees(r"─ wrk-0042 ─")
            steps.quits(user)
