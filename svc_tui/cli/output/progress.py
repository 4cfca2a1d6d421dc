"""The progress of an export on stderr, where that is a terminal that shows nothing else meanwhile."""

import os
import sys
from typing import TextIO

from svc_tui.records.progress import Progress, progress_line

_MIN_WIDTH = 20


class ProgressLine:
    """One line that is drawn over and over."""

    def __init__(self) -> None:
        self._drawn = 0
        self._closed = False

    @classmethod
    def for_terminal(cls, *, beside_records: bool) -> "ProgressLine | None":
        """A line where stderr is a terminal, on which no records from stdout appear; else None."""
        if not _is_terminal(sys.stderr) or (beside_records and _is_terminal(sys.stdout)):
            return None
        return cls()

    def show(self, progress: Progress) -> None:
        """Draw the line anew."""
        line = progress_line(progress, max(_MIN_WIDTH, _columns() - 1))
        self._put(f"\r{line.ljust(self._drawn)}")
        self._drawn = len(line)

    def clear(self) -> None:
        """Leave an empty line, for what is said next."""
        if self._drawn:
            self._put(f"\r{' ' * self._drawn}\r")
        self._drawn = 0

    def _put(self, text: str) -> None:
        if self._closed:
            return
        try:
            sys.stderr.write(text)
            sys.stderr.flush()
        except OSError:
            # The terminal was taken away: nobody looks any more, and the hang-up ends the program in order.
            self._closed = True


def _is_terminal(stream: TextIO | None) -> bool:
    return stream is not None and stream.isatty()


def _columns() -> int:
    try:
        return os.get_terminal_size(sys.stderr.fileno()).columns
    except OSError:
        return 0
