"""Other programs: their command as words, started where no terminal reaches them, ended with what they started."""

import os
import shlex
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from threading import Lock
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


class _Awaited:
    """The programs whose answer threads of this one wait for; no thread waits on once it was `given_up`."""

    def __init__(self) -> None:
        self.lock = Lock()
        self.programs: set[subprocess.Popen[bytes]] = set()
        self.given_up = False


_awaited = _Awaited()


@contextmanager
def awaited(process: "subprocess.Popen[bytes]") -> Iterator[None]:
    """Have the program, started apart, ended with the loop, whose end waits for the thread that is in here."""
    with _awaited.lock:
        _awaited.programs.add(process)
        late = _awaited.given_up
    if late:
        end_with_children(process)
    try:
        yield
    finally:
        with _awaited.lock:
            _awaited.programs.discard(process)


@contextmanager
def giving_up_at_end() -> Iterator[None]:
    """Have no thread wait for a program any more when this ends, until the next one begins."""
    _awaited.given_up = False
    try:
        yield
    finally:
        with _awaited.lock:
            _awaited.given_up, programs = True, tuple(_awaited.programs)
        for program in programs:
            end_with_children(program)


def await_again() -> None:
    """Programs may be waited for again: no loop runs whose end waits."""
    _awaited.given_up = False
