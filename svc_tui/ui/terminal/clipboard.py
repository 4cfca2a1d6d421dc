"""The clipboard, written by the terminal (OSC 52), by a program of the system, or else a file in its place."""

import asyncio
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from svc_tui.core.phrases import counted
from svc_tui.service.redact import holds_secret
from svc_tui.session.ports import FileWriteError
from svc_tui.ui.text import without_commands

_TIMEOUT = 3.0
_MAX_OSC52_BYTES = 74_994
"""Bytes before their encoding that every known terminal with OSC 52 accepts."""


@dataclass(frozen=True, slots=True)
class ClipboardTool:
    """A program that copies its stdin to a clipboard."""

    command: tuple[str, ...]
    how: str = "Copied to the clipboard"
    """The notice after the copy."""
    encoding: str = "utf-8"


_PBCOPY = ClipboardTool(("pbcopy",))
_CLIP = ClipboardTool(("clip.exe",), encoding="utf-16-le")
_WAYLAND = ClipboardTool(("wl-copy",))
_X11 = (ClipboardTool(("xclip", "-selection", "clipboard")), ClipboardTool(("xsel", "--clipboard", "--input")))
_TMUX = ClipboardTool(("tmux", "load-buffer", "-w", "-"), "Copied to the tmux buffer")


def clipboard_tools(environ: Mapping[str, str], platform: str) -> tuple[ClipboardTool, ...]:
    """Return the programs that reach the user's clipboard, best first; over SSH only the terminal does."""
    if environ.get("SSH_TTY") or environ.get("SSH_CONNECTION"):
        return (_TMUX,) if environ.get("TMUX") else ()
    if platform == "darwin":
        return (_PBCOPY,)
    if platform == "win32":
        return (_CLIP,)
    tools = [_WAYLAND] if environ.get("WAYLAND_DISPLAY") else []
    tools += _X11 if environ.get("DISPLAY") else ()
    tools += [_CLIP] if environ.get("WSL_DISTRO_NAME") else []
    return tuple(tools)


class Clipboard:
    """The user's clipboard. `to_terminal` sends text by OSC 52; `secrets` returns the texts that are never copied.

    `to_file` saves a text that no clipboard takes, and returns its path; it may block, and raises FileWriteError.
    """

    def __init__(
        self,
        to_terminal: Callable[[str], None],
        secrets: Callable[[], Sequence[str]],
        to_file: Callable[[str], str],
        environ: Mapping[str, str],
        platform: str = sys.platform,
    ) -> None:
        self._to_terminal = to_terminal
        self._secrets = secrets
        self._to_file = to_file
        self._environ = environ
        self._platform = platform

    async def copy(self, text: str) -> str:
        """Copy `text` without its control characters; return a notice where it is, or why it was not copied."""
        if holds_secret(text, self._secrets()):
            return "Not copied: the text contains a key or a secret."
        plain, left_out = without_commands(text)
        where, size = await self._deliver(plain), _size_text(plain)
        if left_out:
            size += f"; {counted(left_out, 'control character')} removed"
        return f"{where} ({size})."

    async def _deliver(self, text: str) -> str:
        """Copy by the terminal, which never confirms, and by a program, which does; return the notice."""
        fits = len(text.encode()) <= _MAX_OSC52_BYTES
        if fits:
            self._to_terminal(text)
        for tool in clipboard_tools(self._environ, self._platform):
            if await asyncio.to_thread(self._run, tool, text):
                return tool.how
        if fits:
            return "Copied"
        try:
            path = await asyncio.to_thread(self._to_file, text)
        except FileWriteError as error:
            return f"Not copied: too long for the terminal. Could not save the file: {error}"
        return f"Too long for the terminal. Saved to {path}"

    def _run(self, tool: ClipboardTool, text: str) -> bool:
        """Return True if the program copied the text: it was found, and did not fail or hang."""
        program = shutil.which(tool.command[0], path=self._environ.get("PATH"))
        if program is None:
            return False
        try:
            # No pipes for the output: some programs stay in the background and would keep them open.
            done = subprocess.run(  # noqa: S603 - the commands are fixed, and no shell reads them
                (program, *tool.command[1:]),
                input=text.encode(tool.encoding),
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                timeout=_TIMEOUT,
                check=False,
                env=dict(self._environ),
            )
        except (OSError, subprocess.TimeoutExpired):
            return False
        return done.returncode == 0


def _size_text(text: str) -> str:
    lines = text.count("\n") + 1
    if lines > 1:
        return f"{lines:,} lines"
    return counted(len(text), "character")
