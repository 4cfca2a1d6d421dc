"""Writes to stdout, where a script may be reading, or nobody any more; and leaves nothing unsaid behind."""

import os
import sys
from typing import TextIO

from svc_tui.bootstrap.start import CommandFailure, ExitStatus


class ReaderGone(Exception):
    """Nobody reads stdout any more, and there is no end of what would be written in sight."""


def write_bytes(data: bytes) -> bool:
    """Write the bytes at once; False where the reader has gone away, which is no error. Raises CommandFailure."""
    if sys.stdout is None:
        raise CommandFailure("stdout is closed", ExitStatus.UNKNOWN)
    try:
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
    except OSError as error:
        from svc_tui.platform.pipes import is_reader_gone

        redirect_to_null(sys.stdout)
        if not is_reader_gone(error):
            raise CommandFailure(f"can't write to stdout: {error.strerror}", ExitStatus.UNKNOWN) from None
        return False
    return True


def is_terminal() -> bool:
    """Whether a person reads stdout; it may be closed."""
    return sys.stdout is not None and sys.stdout.isatty()


def redirect_to_null(stream: TextIO) -> None:
    """Have what is left of a stream that can't be written to go nowhere.

    Python flushes it once more at exit, and would give its own exit status where that fails.
    """
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())  # noqa: TID251  no matter how, it goes nowhere


def flush_streams() -> None:
    """Say what is left to be said, or give it up: a terminal that has gone away is to change no exit status."""
    for stream in (sys.stdout, sys.stderr):
        if stream is None:
            continue
        try:
            stream.flush()
        except OSError:
            redirect_to_null(stream)


def print_line(text: str) -> bool:
    """Write a line as `write_bytes` does; what stdout's encoding lacks is escaped."""
    encoding = sys.stdout.encoding if sys.stdout is not None else "utf-8"
    return write_bytes(f"{text}\n".encode(encoding, "backslashreplace"))


def can_encode(text: str) -> bool:
    """Whether stdout's encoding has every character of the text."""
    try:
        text.encode(sys.stdout.encoding if sys.stdout is not None else "utf-8")
    except UnicodeEncodeError:
        return False
    return True
