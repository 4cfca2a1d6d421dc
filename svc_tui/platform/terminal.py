"""The terminal: where an interface is drawn, what a shell can do with it, and the programs that it is lent to."""

import asyncio
import os
import sys
from collections.abc import Mapping, Sequence
from typing import TextIO, TypeAlias

if sys.platform == "win32":
    import msvcrt
    import shutil
    import subprocess

    EDITORS: Sequence[str] = ("notepad",)
    """The editors that are usually there, the best first."""

    PAGERS: Sequence[Sequence[str]] = (("less", "-R"), ("more",))
    """The commands of the pagers that are usually there, the best first."""

    class TerminalProgram:
        """A program that has the terminal."""

        def __init__(self, process: "subprocess.Popen[bytes]") -> None:
            self._process = process

        async def wait(self) -> int:
            """Wait for its end; gives its exit status."""
            return await asyncio.to_thread(self._process.wait)

        def terminate(self) -> None:
            """End it."""
            self._process.terminate()

    async def start_on_terminal(
        words: Sequence[str], stdout: int | None, variables: Mapping[str, str]
    ) -> TerminalProgram:
        """Start a program that reads keys and draws, stdout being this program's unless named; raises OSError."""
        # By its whole name: of a name alone Windows finds only what ends in .exe.
        program = shutil.which(words[0], path=variables.get("PATH")) or words[0]
        return TerminalProgram(
            subprocess.Popen([program, *words[1:]], stdout=stdout, env=variables)  # noqa: ASYNC220, S603  the user's
        )

    def drawing_stream() -> TextIO | None:
        """The stream that Textual draws on; None where it is closed."""
        return sys.stdout

    def suspension_problem() -> str:
        """Why the program can't be stopped and taken up again from a shell; "" where it can."""
        return "Windows can't suspend a program. ctrl+q quits it."

    def color_count(term: str) -> int | None:
        """How many colours a kind of terminal has; None where that is not known."""
        # Every console of the Windows versions that Python runs on, under whatever name.
        return 1 << 24

    def read_waiting_text(terminal: TextIO) -> str:
        """Return what was typed at `terminal` and not read yet, without waiting for more."""
        typed = ""
        while msvcrt.kbhit():
            typed += msvcrt.getwch()
        return typed

else:
    import termios

    EDITORS: Sequence[str] = ("nano", "vi")
    """The editors that are usually there, the best first."""

    PAGERS: Sequence[Sequence[str]] = (("less", "-R"), ("more",))
    """The commands of the pagers that are usually there, the best first."""

    TerminalProgram: TypeAlias = asyncio.subprocess.Process
    """A program that has the terminal."""

    async def start_on_terminal(
        words: Sequence[str], stdout: int | None, variables: Mapping[str, str]
    ) -> TerminalProgram:
        """Start a program that reads keys and draws, stdout being this program's unless named; raises OSError."""
        return await asyncio.create_subprocess_exec(*words, stdout=stdout, env=variables)

    def drawing_stream() -> TextIO | None:
        """The stream that Textual draws on; None where it is closed."""
        return sys.stderr

    def suspension_problem() -> str:
        """Why the program can't be stopped and taken up again from a shell; "" where it can."""
        # A shell with job control gives every job a process group of its own.
        if os.getpgrp() == os.getsid(0):
            return "svc-tui can't be suspended: no shell runs in this terminal. ctrl+q quits it."
        return ""

    def color_count(term: str) -> int | None:
        """How many colours a kind of terminal has; None where that is not known."""
        if not term:
            return None
        import curses

        try:
            curses.setupterm(term)
        except curses.error:
            return None
        return curses.tigetnum("colors")

    def read_waiting_text(terminal: TextIO) -> str:
        """Return what was typed at `terminal` and not read yet, until nothing comes for a tenth of a second."""
        descriptor, typed = terminal.fileno(), b""
        before, changed = termios.tcgetattr(descriptor), termios.tcgetattr(descriptor)
        # Half a line can be read only where lines are not edited; VTIME counts tenths of seconds.
        changed[3] &= ~(termios.ICANON | termios.ECHO)
        changed[6][termios.VMIN], changed[6][termios.VTIME] = 0, 1
        termios.tcsetattr(descriptor, termios.TCSANOW, changed)
        try:
            while piece := os.read(descriptor, 65_536):
                typed += piece
        finally:
            termios.tcsetattr(descriptor, termios.TCSANOW, before)
        return typed.decode(errors="replace")
