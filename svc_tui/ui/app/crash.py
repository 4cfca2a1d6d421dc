"""An internal error that ended the program: its type and its place, without the data in a traceback."""

import traceback
from pathlib import Path

from msgspec import Struct


class Crash(Struct, frozen=True):
    """An internal error that ended the program."""

    kind: str
    """The type of the exception."""
    where: str = ""
    """The file and the line, without a directory; "" if unknown."""

    def __str__(self) -> str:
        return f"{self.kind} at {self.where}" if self.where else self.kind


def crash_of(error: BaseException | None) -> Crash:
    """Return the crash of an exception, without its message, which may contain data."""
    frames = traceback.extract_tb(error.__traceback__) if error is not None else []
    where = f"{Path(frames[-1].filename).name}:{frames[-1].lineno}" if frames else ""
    return Crash(type(error).__name__, where)


def crash_message(fault: Crash, reassurance: str, log_file: Path | None) -> str:
    """Return the message that stays in the terminal: the error, what is safe, where the log is, and what to do."""
    lines = [
        f"svc-tui: internal error ({fault}). {reassurance}".rstrip(),
        *([f"  Details are in the log: {log_file}"] if log_file else []),
        "  To report it, run: svc-tui doctor --bundle FILE (without keys and secrets)",
    ]
    return "\n".join(lines)
