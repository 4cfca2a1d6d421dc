"""Copying: which way is taken where, what is left out, what is refused, and what the notice says."""

import os
import stat
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from svc_tui.bootstrap.user_files import UserFiles
from svc_tui.ui.terminal.clipboard import Clipboard, clipboard_tools

SECRET = "s3cr3t-signing-value"


class Terminal(list[str]):
    """Takes what is sent by OSC 52."""

    def send(self, text: str) -> None:
        self.append(text)


def no_file(text: str) -> str:
    """No file is written where nobody should need one."""
    raise AssertionError(text)


@pytest.fixture(autouse=True)
def _no_haste(monkeypatch: pytest.MonkeyPatch) -> None:
    """A program may take as long as it likes to begin."""
    monkeypatch.setattr("svc_tui.ui.terminal.clipboard._TIMEOUT", 60.0)


@pytest.fixture
def terminal() -> Terminal:
    return Terminal()


@pytest.fixture
def program(tmp_path: Path) -> Callable[[str, str], Path]:
    """Makes a clipboard program of that name; it runs `script`, and its stdin can be kept in the file `copied`."""

    def make(name: str, script: str) -> Path:
        file = tmp_path / name
        file.write_text(f"#!/bin/sh\n{script}\n")
        file.chmod(file.stat().st_mode | stat.S_IXUSR)
        return tmp_path / "copied"

    return make


@pytest.fixture
def display(tmp_path: Path) -> Mapping[str, str]:
    """A local X session that has the programs made, and the system's `cat`."""
    return {"DISPLAY": ":0", "PATH": f"{tmp_path}{os.pathsep}/bin{os.pathsep}/usr/bin"}


async def test_locally_the_terminal_is_sent_it_first_and_the_system_tool_says_that_it_was_copied(
    terminal: Terminal, program: Callable[[str, str], Path], display: Mapping[str, str]
) -> None:
    copied = program("xclip", 'cat > "$(dirname "$0")/copied"')
    clipboard = Clipboard(terminal.send, tuple, no_file, display, "linux")
    assert await clipboard.copy("lot-004711") == "Copied to the clipboard (10 characters)."
    assert copied.read_text() == "lot-004711"
    assert terminal == ["lot-004711"]


async def test_a_tool_that_fails_gives_way_to_the_next_and_then_to_the_terminal(
    terminal: Terminal, program: Callable[[str, str], Path], display: Mapping[str, str]
) -> None:
    program("xclip", "exit 1")
    copied = program("xsel", 'cat > "$(dirname "$0")/copied"')
    clipboard = Clipboard(terminal.send, tuple, no_file, display, "linux")
    assert await clipboard.copy("a\nb\n") == "Copied to the clipboard (3 lines)."
    assert copied.read_text() == "a\nb\n"
    program("xsel", "exit 1")
    assert await clipboard.copy("x") == "Copied (1 character)."
    assert terminal == ["a\nb\n", "x"]


async def test_a_tool_that_stays_in_the_background_holds_nobody_up(
    terminal: Terminal, program: Callable[[str, str], Path], display: Mapping[str, str]
) -> None:
    program("xclip", "cat > /dev/null; sleep 20 &")
    clipboard = Clipboard(terminal.send, tuple, no_file, display, "linux")
    assert await clipboard.copy("x") == "Copied to the clipboard (1 character)."


async def test_over_ssh_the_terminal_gets_the_text(terminal: Terminal, display: Mapping[str, str]) -> None:
    environ = {**display, "SSH_TTY": "/dev/pts/1"}
    clipboard = Clipboard(terminal.send, tuple, no_file, environ, "linux")
    assert await clipboard.copy("lot") == "Copied (3 characters)."
    assert terminal == ["lot"]


@pytest.mark.parametrize(
    ("environ", "platform", "names"),
    [
        ({"WAYLAND_DISPLAY": "wayland-0", "DISPLAY": ":0"}, "linux", ["wl-copy", "xclip", "xsel"]),
        ({"WSL_DISTRO_NAME": "Debian"}, "linux", ["clip.exe"]),
        ({}, "linux", []),
        ({}, "darwin", ["pbcopy"]),
        ({"SSH_CONNECTION": "10.0.0.1"}, "darwin", []),
        ({"SSH_CONNECTION": "10.0.0.1", "TMUX": "/tmp/t,1,0"}, "linux", ["tmux"]),
    ],
)
def test_the_tools_are_those_of_the_session(environ: Mapping[str, str], platform: str, names: list[str]) -> None:
    assert [tool.command[0] for tool in clipboard_tools(environ, platform)] == names


async def test_control_characters_are_left_out_with_a_word(terminal: Terminal) -> None:
    clipboard = Clipboard(terminal.send, tuple, no_file, {}, "linux")
    assert await clipboard.copy("a\tb\x1b[31m\x9b\ud800c") == "Copied (8 characters; 3 control characters removed)."
    assert await clipboard.copy("one\r\ntwo") == "Copied (2 lines)."
    assert terminal == ["a\tb[31mc", "one\ntwo"]


async def test_a_text_with_a_secret_goes_nowhere_and_is_not_quoted(terminal: Terminal) -> None:
    clipboard = Clipboard(terminal.send, lambda: (SECRET,), no_file, {}, "linux")
    for text in (f"curl -H 'x: {SECRET}'", "svc_live_abcdef", "  svc_test_abcdef"):
        notice = await clipboard.copy(text)
        assert notice == "Not copied: the text contains a key or a secret."
    assert terminal == []


async def test_what_is_too_long_for_the_terminal_goes_to_the_system_tool_alone(
    terminal: Terminal, program: Callable[[str, str], Path], display: Mapping[str, str]
) -> None:
    copied = program("xclip", 'cat > "$(dirname "$0")/copied"')
    clipboard = Clipboard(terminal.send, tuple, no_file, display, "linux")
    assert await clipboard.copy("x" * 80_000) == "Copied to the clipboard (80,000 characters)."
    assert copied.stat().st_size == 80_000
    assert terminal == []


async def test_what_no_clipboard_takes_goes_to_a_file_of_ones_own_and_the_notice_says_which(
    terminal: Terminal, tmp_path: Path
) -> None:
    clipboard = Clipboard(terminal.send, tuple, UserFiles(tmp_path / "state").keep, {}, "linux")
    file = tmp_path / "state" / "copied.txt"
    for text in ("é" * 80_000, "b" * 90_000):
        assert f"Too long for the terminal. Saved to {file} (" in await clipboard.copy(text)
        assert file.read_text() == text
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert list(file.parent.iterdir()) == [file]
    assert terminal == []


async def test_a_file_that_can_t_be_written_is_said(terminal: Terminal, tmp_path: Path) -> None:
    (tmp_path / "state").write_text("in the way")
    clipboard = Clipboard(terminal.send, tuple, UserFiles(tmp_path / "state").keep, {}, "linux")
    notice = await clipboard.copy("x" * 80_000)
    assert notice.startswith("Not copied: too long for the terminal. Could not save the file: ")
    assert str(tmp_path / "state") in notice
