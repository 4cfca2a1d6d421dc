"""How fast the table of records moves, and what it costs in memory, measured against Textual's own DataTable.

All figures are ratios of two measurements of the same run, so that they mean the same on a slow machine.
"""

import asyncio
import gc
import tracemalloc
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from time import process_time

from textual.pilot import Pilot
from textual.widgets import DataTable

from svc_tui.domain.records import Page
from svc_tui.domain.rows import SparseRows
from svc_tui.domain.settings import Profile
from svc_tui.domain.values import display, kind_of_value
from svc_tui.ui.panes.browse import BrowsePane
from svc_tui.ui.text import visible
from tests.ui.drawer import remembering
from tests.ui.quarry import LOTS, Quarry, lot
from tests.ui.stage import Stage

SIZE = (120, 40)
STEPS = 60
FRAME = 0.04
"""Seconds given to each move: enough for its page to come and for the screen to be drawn."""


@dataclass(frozen=True, slots=True)
class TableFigures:
    """Seconds of processor time for a move until it is drawn: ours at a million rows, DataTable's at ten thousand."""

    page_down: float
    page_down_data_table: float
    cursor_down: float
    cursor_down_data_table: float

    @property
    def page_down_ratio(self) -> float:
        """Ours over DataTable's."""
        return self.page_down / self.page_down_data_table

    @property
    def cursor_down_ratio(self) -> float:
        """Ours over DataTable's."""
        return self.cursor_down / self.cursor_down_data_table


def measure_table(ours: int = 1_000_000, theirs: int = 10_000) -> TableFigures:
    """Both tables in one run, a screen of 120 × 40."""
    mine = asyncio.run(_measure_ours(ours))
    other = asyncio.run(_measure_data_table(theirs))
    return TableFigures(mine[0], other[0], mine[1], other[1])


def measure_memory(large: int = 1_000_000, small: int = 1_000) -> float:
    """Bytes held for `large` rows over those for `small` ones, after a look at twenty pages spread over all."""
    return bytes_held(large, looks=20) / bytes_held(small, looks=20)


def measure_bound(count: int = 1_000_000) -> float:
    """Bytes held after looking at two thousand pages over those after four hundred, which fill the cache."""
    return bytes_held(count, looks=2000) / bytes_held(count, looks=400)


async def _measure_ours(count: int) -> tuple[float, float]:
    stage = Stage(lambda: [BrowsePane(Quarry(count), Profile("benchmark"), remembering())])
    async with stage.run_test(size=SIZE) as pilot:
        pane = stage.query_one(BrowsePane)
        pane.open(LOTS)
        pane.table.focus()
        while not pane.table.columns:
            await pilot.pause()
        down = await _moves(pilot, lambda: pane.table.action_page(1), lambda: pane.table.action_move(1))
        return down[0], down[1]


async def _measure_data_table(count: int) -> tuple[float, float]:
    stage = Stage(lambda: [DataTable[str]()])
    async with stage.run_test(size=SIZE) as pilot:
        table: DataTable[str] = stage.query_one(DataTable)
        table.add_columns(*lot(0).fields)
        table.add_rows(_texts(row) for row in range(count))
        table.focus()
        await pilot.pause()
        down = await _moves(pilot, table.action_page_down, table.action_cursor_down)
        return down[0], down[1]


def _texts(row: int) -> Sequence[str]:
    return [visible(display(value, kind_of_value(value)).text).replace("[", "(") for value in lot(row).fields.values()]


async def _moves(pilot: Pilot[object], *moves: Callable[[], None]) -> list[float]:
    """Seconds of processor time that each move takes until it is drawn, over and above those of an app at rest."""
    figures = []
    for move in (lambda: None, *moves):
        begun = process_time()
        for _ in range(STEPS):
            move()
            await pilot.pause(FRAME)
        figures.append((process_time() - begun) / STEPS)
    rest, *moved = figures
    return [seconds - rest for seconds in moved]


def bytes_held(count: int, looks: int) -> int:
    """Bytes that the rows of a collection take after `looks` pages, spread over all of it, have been looked at."""
    gc.collect()
    tracemalloc.start()
    try:
        before, _ = tracemalloc.get_traced_memory()
        rows = SparseRows(50)
        pages = -(-count // 50)
        for look in range(looks):
            number = 1 + look * max(1, pages // looks) % pages
            start = (number - 1) * 50
            rows.add(Page(tuple(lot(row) for row in range(start, min(start + 50, count))), number, 50, count))
        gc.collect()
        after, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    return after - before
