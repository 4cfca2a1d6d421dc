"""What the user can ask of the terminal: to be left its mouse, and to tell that long work has ended."""

from pathlib import Path

import pytest

from svc_tui.sandbox.server.inprocess import RunningService
from tests.e2e import steps
from tests.terminal import Terminal, quiet_environment, terminal

pytestmark = pytest.mark.terminal

BLURRED = b"\x1b[O"
TOLD = b"\x1b]9;Response received\x1b\\"


def configured(home: Path, text: str) -> None:
    """Write `config.toml`."""
    path = home / "config" / "svc-tui" / "config.toml"
    path.parent.mkdir(parents=True)
    path.write_text(text)


def takes_the_mouse(user: Terminal) -> bool:
    """Whether the program has asked for any report of the mouse."""
    return any(user.modes.get(mode) for mode in (9, 1000, 1001, 1002, 1003))


@pytest.mark.parametrize(("text", "taken"), [("", True), ("mouse = false\n", False)], ids=["usual", "mouse = false"])
def test_the_mouse_is_the_terminals_where_the_user_says_so(
    service: RunningService, tmp_path: Path, text: str, taken: bool
) -> None:
    configured(tmp_path, text)
    with terminal(["lots"], quiet_environment(tmp_path, **steps.connection(service, "sandbox"))) as user:
        user.sees(r"lot-000001 ")
        assert takes_the_mouse(user) is taken
        steps.opens_record(user, "lot-000001")
        assert takes_the_mouse(user) is taken
        steps.quits(user)


def test_the_mouse_is_the_terminals_in_the_welcome_too(tmp_path: Path) -> None:
    configured(tmp_path, "mouse = false\n")
    with terminal([], quiet_environment(tmp_path)) as user:
        user.sees(r"No API key is set up yet")
        assert not takes_the_mouse(user)
        user.press("ctrl+q")
        assert user.ends() == 0


def test_the_end_of_a_long_request_is_told_to_a_desktop_that_looks_elsewhere(
    service: RunningService, tmp_path: Path
) -> None:
    configured(tmp_path, 'done_notice = "desktop"\n')
    with terminal(["lots"], quiet_environment(tmp_path, **steps.connection(service, "sandbox"))) as user:
        user.sees(r"lot-000001 ")
        user.send(BLURRED)
        steps.requests(user, "/v1/operations/lots/lot-000001")
        user.sees(r"✓ 200 OK")
        assert TOLD not in user.raw
        service.faults.next("429", retry_after=11)
        user.press("ctrl+j")
        user.until(lambda: TOLD in user.raw, "nobody was told")
        steps.quits(user)
