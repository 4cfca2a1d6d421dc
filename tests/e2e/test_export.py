"""An export in a real terminal: stopped in the middle it leaves nothing, and otherwise a whole file of one's own."""

import json
import stat
from pathlib import Path

import pytest

from svc_tui.sandbox.server.inprocess import RunningService
from tests.e2e import steps
from tests.terminal import Terminal, quiet_environment, terminal

pytestmark = pytest.mark.terminal

CTRL_E = "\x05"


def answered(service: RunningService) -> int:
    """How many requests have their answer: one that has not may still be put on hold."""
    return sum(attempt.status is not None for attempt in service.attempts)


def exports(user: Terminal, name: str) -> None:
    """Export all there are to a file of that name."""
    user.press(CTRL_E)
    user.sees(r"─ Export lots ─")
    user.press("tab", "tab", "ctrl+u", name)
    user.sees(rf"  {name} ")
    user.press("enter")
    user.loses(r"─ Export lots ─")


def test_esc_in_the_middle_leaves_nothing_and_the_next_export_is_whole(service: RunningService, tmp_path: Path) -> None:
    folder = tmp_path / "work"
    folder.mkdir()
    environment = quiet_environment(tmp_path, **steps.connection(service, "live"))
    with terminal(["lots"], environment, directory=folder) as user:
        user.sees(r"lot-000001 ")
        # The page ahead of the view has come as well: the export waits for its own.
        user.until(lambda: answered(service) >= 2, "the page ahead was not read")
        service.faults.always("hold")
        exports(user, "all.jsonl")
        user.sees(r"all\.jsonl .*0 of 300 records .*esc stop")
        user.until(lambda: service.faults.held > 0, "no page was asked for")
        user.press("j", " ")
        user.sees(r"1 marked")
        user.press("esc")
        user.sees(r"was not saved")
        user.loses(r"esc stop")
        assert list(folder.iterdir()) == []
        service.faults.clear()
        user.press("U")
        user.loses(r"1 marked")
        exports(user, "all.jsonl")
        user.sees(r"Saved 300 records to")
        user.loses(r"esc stop")
        steps.quits(user)
    (file,) = folder.iterdir()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert [json.loads(line)["id"] for line in file.read_text().splitlines()] == [
        f"lot-{at:06d}" for at in range(1, 301)
    ]


def test_quitting_in_the_middle_of_an_export_leaves_nothing(service: RunningService, tmp_path: Path) -> None:
    folder = tmp_path / "work"
    folder.mkdir()
    environment = quiet_environment(tmp_path, **steps.connection(service, "sandbox"))
    with terminal(["lots"], environment, directory=folder) as user:
        user.sees(r"lot-000001 ")
        user.until(lambda: answered(service) >= 2, "the page ahead was not read")
        service.faults.always("hold")
        exports(user, "all.csv")
        user.until(lambda: service.faults.held > 0, "no page was asked for")
        user.press("ctrl+q")
        assert user.ends() == 0
        steps.left_in_order(user)
    assert list(folder.iterdir()) == []
