"""How fast the table of records moves, against Textual's DataTable and textual-fastdatatable, all on a terminal.

Every figure is a time from a key to the last byte of what is painted for it. Ours alone in its pane is compared with
the others, on the same screen; the whole program, which paints more and holds the table in less room, is timed for
itself. The cursor is on the last line in view, so that going down moves every row.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from statistics import median, quantiles
from typing import TypeAlias

from svc_tui.ui.table.page_loading import REST_SECONDS
from tests.benchmarks.paints import ROWS, PseudoTerminal, anything, painter, text
from tests.benchmarks.shown import CHUNK

KEYS = 200
"""Presses of each key that goes down."""

SWEEPS = 10
"""Turns of the wheel to the right and back, `SWEEP` notches each; and ways to the end and back."""

SWEEP = 4

OURS, DATA_TABLE, FAST = 10_000_000, 10_000, 1_000_000
"""Rows in each."""

_DOWN, _PAGE_DOWN = b"\x1b[B", b"\x1b[6~"
_HOME, _END, _CTRL_HOME, _CTRL_END = b"\x1b[H", b"\x1b[F", b"\x1b[1;5H", b"\x1b[1;5F"
# SGR 1006 with buttons 66 and 67: a wheel turned to the left and to the right, in the middle of the screen.
_WHEEL_LEFT, _WHEEL_RIGHT = b"\x1b[<66;60;20M", b"\x1b[<67;60;20M"
_LOT = re.compile(rb"lot-([0-9]{6,})")

_READ = REST_SECONDS + 0.025
"""Seconds between jumps: ours reads nothing while it is flung over rows faster than that."""

Times: TypeAlias = Mapping[str, Sequence[float]]
"""Seconds of each time that a gesture was made, by `GESTURES`."""

DOWNWARDS = ("page down", "cursor down")
GESTURES = (*DOWNWARDS, "sideways", "to the last row")


@dataclass(frozen=True, slots=True)
class TableFigures:
    """What was measured; `pane` is ours for comparison, `app` the whole program."""

    pane: Times
    app: Times
    data_table: Times
    fast: Times

    def over_data_table(self, gesture: str) -> float:
        """Ours over DataTable's, by their medians."""
        return median(self.pane[gesture]) / median(self.data_table[gesture])

    def over_fast(self, gesture: str) -> float:
        """Ours over textual-fastdatatable's, by their medians."""
        return median(self.pane[gesture]) / median(self.fast[gesture])

    def program(self, gesture: str) -> tuple[float, float]:
        """Milliseconds of the whole program: the median, and what 95 of 100 stay under."""
        return 1000 * median(self.app[gesture]), 1000 * _p95(self.app[gesture])

    def program_over_data_table(self, gesture: str) -> float:
        """The whole program's median over DataTable's, which is alone on its screen."""
        return median(self.app[gesture]) / median(self.data_table[gesture])


def measure_table(
    ours: int = OURS, data_table: int = DATA_TABLE, fast: int = FAST, keys: int = KEYS, sweeps: int = SWEEPS
) -> TableFigures:
    """All of them in one run, one after the other."""
    return TableFigures(
        _measure("pane", ours, f"lot-{ours:06d}", (b"g", b"G"), keys, sweeps),
        _measure("app", ours, f"lot-{ours:06d}", (b"g", b"G"), keys, sweeps),
        _measure("datatable", data_table, f"lot-{min(CHUNK, data_table):06d}", (_CTRL_HOME, _CTRL_END), keys, sweeps),
        _measure("fastdatatable", fast, f"lot-{CHUNK:06d}", (_HOME, _END), keys, sweeps),
    )


def _measure(name: str, count: int, last: str, ends: tuple[bytes, bytes], keys: int, sweeps: int) -> Times:
    first, to_last = ends
    with painter(name, count) as table:
        table.begins(text("000002"))
        for _ in range(ROWS):
            table.press(_DOWN)
        table.settled(_READ)
        further = _NewRowShown()
        down = [table.paints(_DOWN, further) for _ in range(keys)]
        page_down = [table.paints(_PAGE_DOWN, further, _READ) for _ in range(keys)]
        sideways = [
            table.paints(notch, anything)
            for _ in range(sweeps)
            for notch in (*[_WHEEL_RIGHT] * SWEEP, *[_WHEEL_LEFT] * SWEEP)
        ]
        return {
            "page down": page_down,
            "cursor down": down,
            "sideways": sideways,
            "to the last row": [_to_last(table, first, to_last, last) for _ in range(sweeps)],
        }


def _to_last(table: PseudoTerminal, first: bytes, to_last: bytes, last: str) -> float:
    table.press(first, _READ)
    return table.paints(to_last, text(last))


@dataclass(slots=True)
class _NewRowShown:
    """Shows a lot that comes after all that were shown before; the one under the cursor does, in every table."""

    row: int = field(default=ROWS, init=False)

    def __call__(self, painted: bytes) -> bool:
        row = max(map(int, _LOT.findall(painted)), default=0)
        further = row > self.row
        self.row = max(row, self.row)
        return further


def _p95(seconds: Sequence[float]) -> float:
    return quantiles(seconds, n=20)[-1]
