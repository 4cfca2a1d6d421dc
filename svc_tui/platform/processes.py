"""Other programs: their command as words, started where no terminal reaches them, ended with what they started."""

import os
import shlex
import signal
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

if sys.platform == "win32":
    _TASKKILL_SECONDS = 10.0

    def split_command(command: str) -> list[str]:
        """The words of a command as a person writes it; raises ValueError where a quote is open."""
        # A backslash is part of a path there.
        return [word.replace('"', "") for word in shlex.split(command, posix=False)]

    def start_apart(words: Sequence[str], **how: Any) -> "subprocess.Popen[bytes]":
        """Start a program that can't ask on the terminal, and is not meant by what is interrupted there."""
        apart = subprocess.CREATE_NEW_PROCESS_GROUP | subprocess.CREATE_NO_WINDOW
        return subprocess.Popen(words, creationflags=apart, **how)  # noqa: S603  the caller's to judge

    def end_with_children(process: "subprocess.Popen[bytes]") -> None:
        """End at once a program that was started apart, and what it started."""
        if process.poll() is None:
            windows = os.environ.get("SYSTEMROOT", r"C:\Windows")
            with suppress(OSError, subprocess.TimeoutExpired):
                subprocess.run(  # noqa: S603  fixed words and a number
                    [rf"{windows}\System32\taskkill.exe", "/F", "/T", "/PID", str(process.pid)],
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL,
                    timeout=_TASKKILL_SECONDS,
                    creationflags=subprocess.CREATE_NO_WINDOW,
                    check=False,
                )
        with suppress(ProcessLookupError, PermissionError):
            process.kill()

else:

    def split_command(command: str) -> list[str]:
        """The words of a command as a person writes it; raises ValueError where a quote is open."""
        return shlex.split(command)

    def start_apart(words: Sequence[str], **how: Any) -> "subprocess.Popen[bytes]":
        """Start a program that can't ask on the terminal, and is not meant by what is interrupted there."""
        # A session of its own has no terminal.
        return subprocess.Popen(words, start_new_session=True, **how)  # noqa: S603  the caller's to judge

    def end_with_children(process: "subprocess.Popen[bytes]") -> None:
        """End at once a program that was started apart, and what it started."""
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
