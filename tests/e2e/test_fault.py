"""A fault of the program's own: one screen, the terminal whole, drafts safe, and never more than two new starts."""

import re
import signal
import sys
from pathlib import Path

import pytest

from svc_tui.sandbox.server.inprocess import RunningService
from tests.e2e import steps
from tests.terminal import SEQUENCE, Terminal, quiet_environment, terminal

pytestmark = pytest.mark.terminal

FAULTY = """
from svc_tui.ui.main.screen import MainScreen

def fails(self):
    raise ZeroDivisionError("Unobtainium")

MainScreen.action_refresh_rows = fails
from svc_tui.cli.main import main
main()
"""
"""The program, with a fault in what `r` does."""

ALTERNATE_SCREEN = re.compile(rb"\x1b\[\?1049h.*?\x1b\[\?1049l", re.DOTALL)
LAST_WORDS = "svc-tui: internal error (ZeroDivisionError at <string>:5). Drafts are kept."


def left_on_the_terminal(user: Terminal) -> str:
    """What the program wrote beside the screen that it takes away again, on one line."""
    beside = ALTERNATE_SCREEN.sub(b"", user.raw)
    return " ".join(SEQUENCE.sub(b"", beside).decode().split())


def faults(user: Terminal) -> None:
    """Run into the fault, and see what is told of it."""
    user.press("r")
    user.sees(r"svc-tui stopped: internal error")
    user.sees(r"ZeroDivisionError at <string>:5")


def test_a_fault_is_told_on_a_screen_from_which_it_goes_on(service: RunningService, tmp_path: Path) -> None:
    environment = quiet_environment(tmp_path, PYTHONPATH=str(Path.cwd()), **steps.connection(service, "sandbox"))
    command = (sys.executable, "-c", FAULTY)
    with terminal(["lots/lot-000002"], environment, 100, 30, program=command, directory=tmp_path) as user:
        user.sees(r"─ (lots / )?lot-000002 ")
        user.sees(r" / Search ")
        steps.edits(user, "lot-000002", "name", "Half done")
        faults(user)
        user.sees(r"Drafts are kept\.")
        user.sees(r"svc-tui\.log")
        user.press("b")
        user.sees(r"Saved the report to ")
        user.press("enter")
        user.sees(r"─ • (lots / )?lot-000002 ")
        user.sees(r"\*name +Half done")
        faults(user)
        user.press("enter")
        user.sees(r"─ • (lots / )?lot-000002 ")
        user.press("r")
        assert user.ends() == 1
        assert LAST_WORDS in left_on_the_terminal(user)
        steps.left_in_order(user)
    assert b"Unobtainium" not in user.raw
    assert b"Traceback" not in user.raw
    (report,) = tmp_path.glob("svc-tui-report-*.md")
    assert "fault: failed. ZeroDivisionError at <string>:5" in report.read_text()
    assert report.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("leave", ["q", signal.SIGTERM], ids=["q", "a polite kill"])
def test_leaving_after_a_fault_leaves_its_last_words_and_its_status(
    service: RunningService, tmp_path: Path, leave: str | signal.Signals
) -> None:
    environment = quiet_environment(tmp_path, PYTHONPATH=str(Path.cwd()), **steps.connection(service, "sandbox"))
    command = (sys.executable, "-c", FAULTY)
    with terminal(["lots"], environment, 80, 24, program=command, directory=tmp_path) as user:
        user.sees(r"lot-000001 ")
        faults(user)
        user.press(leave) if isinstance(leave, str) else user.kill(leave)
        assert user.ends() == 1
        assert LAST_WORDS in left_on_the_terminal(user)
        steps.left_in_order(user)
