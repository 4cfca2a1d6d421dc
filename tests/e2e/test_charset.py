"""A terminal that does not speak UTF-8 gets ASCII alone, and nothing loses its place by it."""

from pathlib import Path

import pytest

from svc_tui.sandbox.server.inprocess import RunningService
from tests.e2e import steps
from tests.terminal import quiet_environment, terminal

pytestmark = pytest.mark.terminal


def frame_widths(screen: str) -> set[int]:
    """How wide the lines are that begin within a frame."""
    return {len(line) for line in screen.splitlines() if line.startswith("|")}


def test_where_utf_8_is_missing_everything_is_drawn_in_ascii(service: RunningService, tmp_path: Path) -> None:
    surroundings = quiet_environment(tmp_path, LC_ALL="en_US.ISO-8859-1", **steps.connection(service, "sandbox"))
    with terminal([], surroundings) as user:
        user.sees(r"\+- operations / lots -+ 1-\d+ of ")
        user.sees(r"lot-000012 .*x rejected")
        user.press("enter")
        user.sees(r"\+- lot-000001 -")
        user.sees(r"\|  name +Silver ore 1 ")
        user.until(lambda: frame_widths(user.text) == {120}, "a frame is not as wide as the screen")
        user.press("ctrl+p")
        user.sees("Search for commands")
        user.press("esc")
        user.loses("Search for commands")
        steps.quits(user)
        assert user.printed.isascii()
