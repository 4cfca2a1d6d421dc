"""What the whole program holds after minutes of random use, over what it held when each screen had been open once.

Keys that write nothing are pressed in a random order that is the same at each run; nothing may grow with their number.
"""

import random
import tempfile
from dataclasses import dataclass
from pathlib import Path
from time import monotonic

from tests.benchmarks.paints import PseudoTerminal, painter, text

SECONDS = 300.0
"""How long keys are pressed, by default."""

_WARM_SHARE = 0.25
"""The part of the time after which everything was open, and the program holds what it holds."""

_KEYS = tuple(
    key.encode()
    for key in (
        *("\x1b[A", "\x1b[B", "\x1b[C", "\x1b[D", "\x1b[5~", "\x1b[6~", "g", "G", "\r", "\x1b", "\x1b", "\x1b", "\t"),
        *(" ", "v", "1", "2", "3", "4", ":", "?", "/", "o", "i", "s", "p", "z", "b", "y", "n", "{", "}", "[", "]"),
        *("\x10\x1b", "\x06", "\x0c", "R", "\x0f", "\x14", "\x1b[19~", "\x1bOQ", "<", ">", "damp", "lots"),
    )
)
"""The palette is closed at once: what it offers first may be to leave the program."""

_QUIET = 0.05
"""Seconds without a paint after which the next key is pressed."""


@dataclass(frozen=True, slots=True)
class Held:
    """What a process holds: kilobytes of memory, file descriptors, threads, and tasks of its event loop."""

    memory: int
    descriptors: int
    threads: int
    tasks: int


@dataclass(frozen=True, slots=True)
class SoakFigures:
    """What was held when everything had been open once, and at the end, after so many keys."""

    warm: Held
    end: Held
    keys: int

    @property
    def memory(self) -> float:
        """The memory at the end over that before."""
        return self.end.memory / self.warm.memory


def measure_soak(
    seconds: float = SECONDS, count: int = 10_000, quiet: float = 1.5, *, index: bool = False
) -> SoakFigures:
    """Press random keys for so many seconds, in a collection of `count` records, where asked for with an index.

    What is held is counted at rest: when nothing was painted for `quiet` seconds.
    """
    chosen, keys = random.Random(0), 0
    with tempfile.TemporaryDirectory() as directory:
        tasks = Path(directory) / "tasks"
        with painter("counted-indexed" if index else "counted", count, more={"TASKS_FILE": str(tasks)}) as terminal:
            terminal.begins(text("000002"))
            begun, warm = monotonic(), None
            while (passed := monotonic() - begun) < seconds:
                if warm is None and passed > _WARM_SHARE * seconds:
                    warm = _held(terminal, tasks, quiet)
                terminal.write(chosen.choice(_KEYS))
                terminal.settled(_QUIET)
                keys += 1
            assert warm is not None
            return SoakFigures(warm, _held(terminal, tasks, quiet), keys)


def _held(terminal: PseudoTerminal, tasks: Path, quiet: float) -> Held:
    for _ in range(5):
        # Back from wherever the keys led to.
        terminal.write(b"\x1b")
        terminal.settled(quiet)
    process = terminal.process
    status = dict(line.split(":", 1) for line in (process / "status").read_text().splitlines())
    return Held(
        memory=int(status["VmRSS"].split()[0]),
        descriptors=len(list((process / "fd").iterdir())),
        threads=int(status["Threads"]),
        tasks=int(tasks.read_text()),
    )
