"""A fault of the program's own, as far as it can be told: its type and its place, and no data of a traceback."""

import traceback
from pathlib import Path

from msgspec import Struct


class Crash(Struct, frozen=True):
    """What ended the program against its will."""

    kind: str
    """The type of the exception."""
    where: str = ""
    """File and line, without a directory; "" where nobody knows."""

    def __str__(self) -> str:
        return f"{self.kind} at {self.where}" if self.where else self.kind


def crash_of(error: BaseException | None) -> Crash:
    """The fault that an exception is; what it says may hold data, and is left out."""
    frames = traceback.extract_tb(error.__traceback__) if error is not None else []
    where = f"{Path(frames[-1].filename).name}:{frames[-1].lineno}" if frames else ""
    return Crash(type(error).__name__, where)


def crash_message(fault: Crash, reassurance: str, log_file: Path | None) -> str:
    """What stays on the terminal: what it was, what is safe, where the log is, and what to do."""
    lines = [
        f"svc-tui: internal error ({fault}). {reassurance}".rstrip(),
        *([f"  Details are in the log: {log_file}"] if log_file else []),
        "  To report it, run: svc-tui doctor --bundle FILE (without keys and secrets)",
    ]
    return "\n".join(lines)
