"""What a gesture costs the whole program and its terminal, over what it cost the commit named here.

Both trees run in pseudo-terminals of their own and make the same gesture by turns. Counted are the processor time of
the process and the bytes that it writes, until it has come to rest.
"""

import subprocess
import tarfile
import tempfile
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from io import BytesIO
from operator import attrgetter
from pathlib import Path
from statistics import median
from typing import TypeAlias

from tests.benchmarks.paints import COLUMNS, ROWS, PseudoTerminal, painter, text

REFERENCE_COMMIT = "cbd0c6a61a7530a31969f469f8643dd4d99c0219"
"""The program before its painting was made anew: what "over the reference" means."""

ROUNDS = 9

_REST = 0.25
"""Seconds of silence after which a gesture is over."""

_ENTER, _ESCAPE, _UP, _DOWN, _LEFT, _RIGHT = b"\r", b"\x1b", b"\x1b[A", b"\x1b[B", b"\x1b[D", b"\x1b[C"
_PAGE_DOWN, _BACKSPACE, _CTRL_P, _CTRL_S = b"\x1b[6~", b"\x7f", b"\x10", b"\x13"

_Size: TypeAlias = tuple[int, int]
"""Columns and rows that a window is given."""


@dataclass(frozen=True, slots=True)
class Gesture:
    """What is measured, keys or another size of the window; `undo` takes it back and is not measured.

    `before` leads to where it is made, `after` back from there. `aim` is the most that it may cost, over the reference.
    """

    do: bytes | _Size
    undo: bytes | _Size = b""
    before: Sequence[bytes] = ()
    after: Sequence[bytes] = ()
    aim: float | None = None


GESTURES: Mapping[str, Gesture] = {
    "page down": Gesture(_PAGE_DOWN),
    "cursor down": Gesture(_DOWN),
    "cursor sideways": Gesture(_RIGHT, _LEFT),
    "opening a record": Gesture(_ENTER, _ESCAPE, aim=0.45),
    "closing a record": Gesture(_ESCAPE, _ENTER, before=[_ENTER], after=[_ESCAPE], aim=0.45),
    "the palette": Gesture(_CTRL_P, _ESCAPE, aim=0.5),
    "help": Gesture(b"?", _ESCAPE, aim=0.5),
    "the line to go to": Gesture(b":", _ESCAPE, aim=0.5),
    "the list of columns": Gesture(b"o", _ESCAPE, aim=0.5),
    "a change card": Gesture(_CTRL_S, _ESCAPE, before=[_RIGHT, b"e", b"x", _ENTER], after=[_BACKSPACE, _LEFT], aim=0.5),
    "another size": Gesture((COLUMNS - 10, ROWS - 4), (COLUMNS, ROWS), aim=0.5),
    "another collection": Gesture(b"[", b"]", before=[b":", b"tunnels", _ENTER]),
    "a letter in the console": Gesture(b"x", _BACKSPACE, before=[b"4"], after=[_ESCAPE]),
}
"""Each is made with the program as the one before left it."""


@dataclass(frozen=True, slots=True)
class Cost:
    """What one gesture took: processor seconds, and bytes written."""

    processor: float
    written: float


@dataclass(frozen=True, slots=True)
class Figure:
    """A part of the cost of a gesture: ours over the reference's, and ours alone, both the median of all rounds."""

    ratio: float
    ours: float


@dataclass(frozen=True, slots=True)
class GestureFigures:
    """The costs of each gesture, in this tree and in the reference, round by round."""

    ours: Mapping[str, Sequence[Cost]]
    reference: Mapping[str, Sequence[Cost]]

    def processor(self, gesture: str) -> Figure:
        """Processor time, in seconds."""
        return self._figure(gesture, attrgetter("processor"))

    def written(self, gesture: str) -> Figure:
        """Bytes written to the terminal."""
        return self._figure(gesture, attrgetter("written"))

    def _figure(self, gesture: str, part: Callable[[Cost], float]) -> Figure:
        ours, reference = map(part, self.ours[gesture]), map(part, self.reference[gesture])
        pairs = list(zip(ours, reference, strict=True))
        return Figure(median(one / other for one, other in pairs), median(one for one, _ in pairs))


def measure_gestures(
    count: int = 10_000, rounds: int = ROUNDS, names: Sequence[str] = tuple(GESTURES)
) -> GestureFigures:
    """The gestures in both trees, by turns, in a collection of `count` records."""
    ours: dict[str, list[Cost]] = {name: [] for name in names}
    reference: dict[str, list[Cost]] = {name: [] for name in names}
    with ExitStack() as stack:
        tree = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        _check_out(REFERENCE_COMMIT, tree)
        terminals = [stack.enter_context(painter("app", count, at)) for at in (Path.cwd(), tree)]
        for terminal in terminals:
            terminal.begins(text("000002"))
        for name in names:
            gesture = GESTURES[name]
            for terminal in terminals:
                for keys in gesture.before:
                    _cost(terminal, keys)
                # Not counted: what is loaded at the first time.
                cost_of(terminal, gesture)
            for _ in range(rounds):
                for terminal, costs in zip(terminals, (ours, reference), strict=True):
                    costs[name].append(cost_of(terminal, gesture))
            for terminal in terminals:
                for keys in gesture.after:
                    _cost(terminal, keys)
    return GestureFigures(ours, reference)


def cost_of(terminal: PseudoTerminal, gesture: Gesture) -> Cost:
    """What the gesture takes; it is taken back then, which does not count."""
    cost = _cost(terminal, gesture.do)
    if gesture.undo:
        _cost(terminal, gesture.undo)
    return cost


def _cost(terminal: PseudoTerminal, do: bytes | _Size) -> Cost:
    before = terminal.processor_seconds()
    if isinstance(do, bytes):
        terminal.write(do)
    else:
        terminal.resize(*do)
    written = terminal.drain(_REST)
    return Cost(terminal.processor_seconds() - before, written)


def _check_out(commit: str, directory: Path) -> None:
    archive = subprocess.run(["git", "archive", commit], capture_output=True, check=True).stdout
    with tarfile.open(fileobj=BytesIO(archive)) as files:
        files.extractall(directory, filter="data")
