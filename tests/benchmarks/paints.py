"""A program in a pseudo-terminal, and the time from a key to the last byte of what it paints for it.

The terminal says that it knows synchronized updates (DEC private mode 2026), so that every paint has an end.
"""

import os
import select
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from time import perf_counter
from typing import Any, TypeAlias

import pexpect
import pyte
from pyte.screens import Char

from tests.terminal import known_to_pyte, quiet_environment

COLUMNS, ROWS = 120, 40

PATIENCE = 60.0
"""Seconds for a paint to come before the measurement is given up."""

QUIET = 0.03
"""Seconds of silence after which the program has done with a key; longer than the 17 ms between two of its paints."""

_ASKED = b"\x1b[?2026$p"
_KNOWN = b"\x1b[?2026;2$y"
_END = b"\x1b[?2026l"

Shows: TypeAlias = Callable[[bytes], bool]
"""Whether a paint, or several in a row, show what a key was pressed for."""


def anything(painted: bytes) -> bool:
    """Whatever is painted first is what was waited for."""
    return bool(painted)


def text(wanted: str) -> Shows:
    """Shows this text, in one style."""
    return lambda painted: wanted.encode() in painted


Painted: TypeAlias = tuple[float, bytes]
"""When something that was painted had been read, by `perf_counter`, and its bytes."""


Lines: TypeAlias = Sequence[Sequence[Char]]
"""A screen: the cells of each line, what stands in them and how."""


class PseudoTerminal:
    """The program at the other end of a pseudo-terminal."""

    def __init__(self, child: Any) -> None:
        self._child = child
        self._fd: int = child.child_fd
        self._kept: list[Painted] | None = None
        self.synchronized = False
        """Whether the program asked for synchronized updates, so that its paints have ends."""

    def begins(self, shows: Shows) -> None:
        """Wait until the program shows that it is there, and has come to rest."""
        painted = b""
        while not shows(painted):
            more = self._read(PATIENCE)
            if _ASKED in painted[-len(_ASKED) :] + more:
                os.write(self._fd, _KNOWN)
                self.synchronized = True
            painted += more
        self.settled(0.5)

    def paints(self, key: bytes, shows: Shows, quiet: float = QUIET) -> float:
        """Seconds from writing `key` until the end of the paint that shows what it is for has been read.

        Goes on when nothing has been painted for `quiet` seconds, which don't count.
        """
        painted = b""
        begun = perf_counter()
        os.write(self._fd, key)
        while True:
            painted += self._read(PATIENCE)
            now = perf_counter()
            # Only what was painted to its end can be seen.
            if shows(painted[: painted.rfind(_END) + 1]):
                break
        self.settled(quiet)
        return now - begun

    def last_paint(self, key: bytes, quiet: float) -> float:
        """Seconds from writing `key` until the end of the last paint before nothing is painted for `quiet` seconds."""
        began = perf_counter()
        os.write(self._fd, key)
        self._read(PATIENCE)
        ended = perf_counter()
        while self._read(quiet, needed=False):
            ended = perf_counter()
        return ended - began

    def keep(self) -> Sequence[Painted]:
        """What was painted since this was called last; what is painted from now on is kept until it is called again."""
        kept, self._kept = self._kept or [], []
        return kept

    def press(self, key: bytes, quiet: float = QUIET) -> None:
        """Press a key that is not measured, and wait until it has been painted."""
        os.write(self._fd, key)
        self._read(PATIENCE)
        self.settled(quiet)

    def write(self, keys: bytes) -> None:
        """Press keys and wait for nothing."""
        os.write(self._fd, keys)

    def resize(self, columns: int, rows: int) -> None:
        """Give the window another size."""
        self._child.setwinsize(rows, columns)

    def drain(self, quiet: float) -> int:
        """Wait for a paint, and until nothing more is painted for so many seconds; gives the bytes of it all."""
        size = len(self._read(PATIENCE))
        while painted := self._read(quiet, needed=False):
            size += len(painted)
        return size

    def processor_seconds(self) -> float:
        """The processor time that the program has taken so far, all its threads, as Linux tells it."""
        threads = (self.process / "task").iterdir()
        return sum(int((thread / "schedstat").read_text().split()[0]) for thread in threads) / 1e9

    @property
    def process(self) -> Path:
        """What Linux tells of the program's process."""
        return Path(f"/proc/{self._child.pid}")

    def settled(self, quiet: float = QUIET) -> None:
        """Wait until the program has painted nothing for that many seconds."""
        while self._read(quiet, needed=False):
            pass

    def _read(self, seconds: float, *, needed: bool = True) -> bytes:
        if select.select([self._fd], [], [], seconds)[0]:
            try:
                painted = os.read(self._fd, 1 << 20)
            except OSError:
                # So Linux tells of the end of a terminal.
                raise EOFError("the program ended") from None
            if self._kept is not None:
                self._kept.append((perf_counter(), painted))
            return painted
        if needed:
            raise TimeoutError("the program painted nothing")
        return b""


class Screen:
    """What a terminal shows after each paint that has come to its end, or after each read if paints have no ends."""

    def __init__(self, *, synchronized: bool = True) -> None:
        self._synchronized = synchronized
        self._screen = pyte.Screen(COLUMNS, ROWS)
        self._stream = pyte.ByteStream(self._screen)
        self._unfinished = b""

    @property
    def text(self) -> str:
        """The screen as it is now, line under line."""
        return "\n".join(self._screen.display)

    def states(self, painted: Sequence[Painted]) -> Iterator[tuple[float, Lines]]:
        """When each paint had been read to its end, and the lines of the screen after it.

        What is read at once counts as one paint.
        """
        for moment, read in painted:
            if self._synchronized:
                ended, end, self._unfinished = (self._unfinished + read).rpartition(_END)
            else:
                ended = end = read
            if end:
                self._stream.feed(known_to_pyte(ended))
                buffer = self._screen.buffer
                yield moment, tuple(tuple(buffer[row][column] for column in range(COLUMNS)) for row in range(ROWS))


@contextmanager
def painter(
    name: str, count: int, tree: Path | None = None, more: Mapping[str, str] | None = None
) -> Iterator[PseudoTerminal]:
    """One of the programs of `tests.benchmarks.shown` in a pseudo-terminal of 120 × 40; gone when the block ends.

    `tree` is the directory of the sources that it runs from, if not this one; `more` are variables for it.
    """
    variables = {**(more or {}), **({} if tree is None else {"PYTHONPATH": str(tree)})}
    command = (sys.executable, "-m", "tests.benchmarks.shown", name, str(count))
    with (
        tempfile.TemporaryDirectory() as home,
        spawned(command, quiet_environment(Path(home), **variables), tree) as terminal,
    ):
        yield terminal


@contextmanager
def spawned(
    command: Sequence[str], environment: Mapping[str, str], directory: Path | None = None
) -> Iterator[PseudoTerminal]:
    """A command in a pseudo-terminal of 120 × 40; gone when the block ends."""
    program, *words = command
    child = pexpect.spawn(program, words, env=dict(environment), cwd=directory, dimensions=(ROWS, COLUMNS))
    try:
        yield PseudoTerminal(child)
    finally:
        child.close(force=True)
