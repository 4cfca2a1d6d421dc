"""The window's title says environment and place, and is given back at the end."""

import signal
from pathlib import Path

import pytest

from svc_tui.sandbox.seeds.hostile import HOSTILE_LOT
from svc_tui.sandbox.server.inprocess import RunningService
from tests.e2e import steps
from tests.terminal import Terminal, quiet_environment, terminal

pytestmark = pytest.mark.terminal

KEPT, FORMER = b"\x1b[22;2t", b"\x1b[23;2t"


def titles(user: Terminal) -> list[str]:
    """What the window was called, one after another."""
    return [line[4:-2].decode() for line in user.sequences if line.startswith(b"\x1b]2;")]


def test_the_title_says_environment_and_place_and_is_given_back(service: RunningService, tmp_path: Path) -> None:
    with terminal([], quiet_environment(tmp_path, **steps.connection(service, "live"))) as user:
        user.sees(r"lot-000001")
        user.press(":", f"lots/{HOSTILE_LOT}", "enter")
        user.sees(rf"─ {HOSTILE_LOT} ─")
        user.until(lambda: len(titles(user)) > 1, "the title stayed")
        steps.quits(user)
    assert titles(user)[-2:] == [
        "LIVE env · operations/lots · svc-tui",
        f"LIVE env · operations/lots/{HOSTILE_LOT} · svc-tui",
    ]
    assert user.sequences.index(KEPT) < user.sequences.index(FORMER)
    assert user.sequences.count(KEPT) == user.sequences.count(FORMER) == 1


def test_the_title_is_back_after_the_shell_had_the_terminal(service: RunningService, tmp_path: Path) -> None:
    with terminal(["lots"], quiet_environment(tmp_path, **steps.connection(service, "sandbox"))) as user:
        user.sees(r"lot-000001 ")
        user.until(lambda: titles(user)[-1:] == ["SANDBOX env · operations/lots · svc-tui"], "the window has no title")
        user.kill(signal.SIGTSTP)
        user.until(user.stopped, "the program did not stop")
        named = len(titles(user))
        user.kill(signal.SIGCONT)
        user.until(lambda: len(titles(user)) > named, "the window was not named again")
        assert titles(user)[-1] == titles(user)[named - 1]
        steps.quits(user)
    assert user.sequences.count(KEPT) == user.sequences.count(FORMER) == 2
