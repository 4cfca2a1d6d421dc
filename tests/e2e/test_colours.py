"""Terminals of every colour, of 256, of 16 and of none: the bytes are for them, and LIVE and the cursor stand out."""

import re
from pathlib import Path

import pytest

from svc_tui.sandbox.server.inprocess import RunningService
from tests.e2e import steps
from tests.terminal import Terminal, quiet_environment, terminal

pytestmark = pytest.mark.terminal

SGR = re.compile(rb"\x1b\[([0-9;]*)m")
COLOUR = re.compile(rb"(?:^|(?<=;))(?:[34]8;2;[0-9]+;[0-9]+;[0-9]+|[34]8;5;[0-9]+|(?:[34]|9|10)[0-7])(?=;|$)")
"""A colour as it is written: in full, one of 256, or one of 16."""

SURROUNDINGS = [
    pytest.param({"COLORTERM": "truecolor"}, {"full"}, id="every colour"),
    pytest.param({"TERM": "xterm-256color"}, {"256"}, id="256 colours"),
    pytest.param({"TERM": "linux"}, {"16"}, id="the Linux console"),
    pytest.param({"TERM": "screen"}, {"16"}, id="screen"),
    pytest.param({"TERM": "screen", "STY": "1.tty", "COLORTERM": "truecolor"}, {"16"}, id="screen in another terminal"),
    pytest.param({"TERM": "vt100"}, set(), id="no colours"),
    pytest.param({"NO_COLOR": "1", "COLORTERM": "truecolor"}, set(), id="NO_COLOR"),
]


def surroundings(home: Path, variables: dict[str, str]) -> dict[str, str]:
    """An environment with these variables of colour and no others."""
    environment = quiet_environment(home)
    del environment["COLORTERM"]
    return {**environment, **variables}


@pytest.mark.parametrize(("variables", "kinds"), SURROUNDINGS)
def test_live_the_cursor_and_the_frame_stand_out_in_the_colours_there_are(
    service: RunningService, tmp_path: Path, variables: dict[str, str], kinds: set[str]
) -> None:
    environment = {**surroundings(tmp_path, variables), **steps.connection(service, "live")}
    with terminal(["lots"], environment, 100, 30) as user:
        user.sees(r"lot-000001 ")
        user.sees(r" LIVE ")
        stands_out(user, "LIVE", "signed")
        stands_out(user, "lot-000001", "lot-000002")
        stands_out(user, "Silver ore 1 ", "lot-000002")
        user.press("enter")
        user.sees(r"[─═] (lots / )?lot-000001 ")
        stands_out(user, "name +Silver ore 1", "massKg +[0-9]")
        user.press(":")
        user.sees(r"─ Go to ─")
        stands_out(user, "LIVE", "signed")
        user.press("ctrl+q")
        assert user.ends() == 0
        steps.left_in_order(user)
    written = {colour for codes in SGR.findall(user.raw) for colour in COLOUR.findall(codes)}
    assert {kind_of(colour) for colour in written} == kinds


def kind_of(colour: bytes) -> str:
    """How a colour is written."""
    return "full" if colour[1:].startswith(b"8;2") else "256" if colour[1:].startswith(b"8;5") else "16"


def stands_out(user: Terminal, one: str, other: str) -> None:
    """Wait until what is behind the first match of one pattern is not what is behind that of the other."""

    def differs() -> bool:
        grounds = user.ground(one), user.ground(other)
        return None not in grounds and grounds[0] != grounds[1]

    user.until(differs, f"{one} does not stand out")


@pytest.mark.parametrize(("key", "corner"), [("live", "╔"), ("sandbox", "╭")])
def test_without_colour_live_has_another_frame(service: RunningService, tmp_path: Path, key: str, corner: str) -> None:
    environment = {**surroundings(tmp_path, {"NO_COLOR": "1"}), **steps.connection(service, key)}
    with terminal(["lots"], environment) as user:
        user.sees(rf"{corner}. operations / lots")
        user.sees(rf" {key.upper()} ")
        steps.quits(user)
