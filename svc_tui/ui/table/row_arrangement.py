"""Filtering and sorting of the loaded rows: the cursor stays on its record, new rows are added as they arrive."""

import asyncio
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime, tzinfo
from functools import partial
from math import inf
from time import perf_counter

from textual.timer import Timer
from textual.worker import WorkType

from svc_tui.core.filters import Filter, field_begun, parse_filter, split_terms
from svc_tui.core.jsontext import Absent, Json
from svc_tui.core.records import Record
from svc_tui.core.values import replace
from svc_tui.core.views import Sort
from svc_tui.records.arranged_rows import Arranging
from svc_tui.storage.record_store import values_of
from svc_tui.ui.table.marking import RowMarker
from svc_tui.ui.table.open_collections import CursorPosition, OpenCollection, OpenCollections
from svc_tui.ui.table.row_cursor import RowCursor
from svc_tui.ui.widgets.inputs.filter_input import FilterInput
from svc_tui.ui.widgets.table.record_table import RecordTable

_REFRESH_SECONDS = 0.2
"""Seconds between two updates while rows arrive."""

_AT_ONCE_ROWS, _AT_ONCE_SECONDS = 1_000, 0.008
"""So many rows are arranged before the next frame; of more, as many as fit into half a frame."""

_SLICE_SECONDS, _PAUSE_SECONDS = 0.004, 0.001
"""Seconds of a slice of work, and of the pause after it: painting takes several turns of the event loop."""

_GROUP = "arrangement"
"""The group of the worker that runs the further slices."""


@dataclass
class _CursorGoal:
    """The place where the cursor of `opened` belongs."""

    opened: OpenCollection
    position: CursorPosition
    """The position before; its record is followed."""
    fallback_row: int
    """The row to go to if that record is not among the rows."""
    cursor: CursorPosition
    """The position where the cursor was put; the user may have moved it since."""


@dataclass
class _Task(_CursorGoal):
    """A filter and sort in progress."""

    arranging: Arranging
    shown: bool = False
    """True if the first rows are shown."""

    @property
    def done(self) -> bool:
        """True if every row was looked at, or there is neither filter nor sort."""
        return self.arranging.done or not (self.arranging.filter or self.arranging.sort)


class RowArrangement:
    """The filter and sort of the rows in `table`. `changed` is called after rows were shown.

    The text in `line` filters as it is typed. Long work is done in slices: the first rows are shown as soon as they
    are known, all of them at the end. A new filter or sort replaces one in progress.
    """

    def __init__(
        self,
        table: RecordTable,
        line: FilterInput,
        cursor: RowCursor,
        marker: RowMarker,
        collections: OpenCollections,
        changed: Callable[[], None],
        tz: tzinfo,
    ) -> None:
        self._table, self._line, self._cursor, self._marker = table, line, cursor, marker
        self._collections, self._changed, self._tz = collections, changed, tz
        self._task: _Task | None = None
        self._last_goal: _CursorGoal | None = None
        """The goal of the last task that was finished."""
        self._timer: Timer | None = None
        self._more_arrived = False
        table.watch(line, "text", self._typed, init=False)

    @property
    def filter(self) -> Filter:
        """The filter of the shown collection."""
        opened = self._collections.current
        return Filter() if opened is None else opened.filter

    def start_filter(self) -> None:
        """Open the filter line, with the filter in use."""
        if (opened := self._collections.current) is not None:
            opened.filtering = True
            self._line.start(opened.filter.text)
            self._changed()

    def _typed(self, text: str) -> None:
        # The part of the filter that is for the service waits for Enter.
        self.filter_by(split_terms(text)[0])

    def close_filter(self) -> None:
        """Close the filter line; the filter typed in it stays in use."""
        self.finish()
        self._line.close()
        if (opened := self._collections.current) is not None:
            opened.filtering = False
            if not opened.arranged:
                opened.arranged.release()
            self._changed()

    def filter_by(self, text: str) -> None:
        """Filter the loaded rows by `text`; "" shows all of them."""
        if (opened := self._collections.current) is not None:
            typing = self._line.is_open
            begun = field_begun(text, opened.rows.field_names) if typing else None
            self._begin(opened, self._parsed(opened, text), opened.sort, begun=begun, goes_on=typing)

    def _parsed(self, opened: OpenCollection, text: str) -> Filter:
        return parse_filter(text, opened.rows.field_names, datetime.now(self._tz))

    def sort_by(self, sort: Sort | None) -> None:
        """Sort the loaded rows; None shows them in the order of the service."""
        if (opened := self._collections.current) is not None:
            opened.top_record_id = None
            self._begin(opened, opened.filter, sort)

    def clear_filter(self) -> bool:
        """Clear the filter. Return False if there was none."""
        filtered = bool(self.filter)
        if filtered:
            self.filter_by("")
        return filtered

    def records(self) -> list[Record]:
        """Return the loaded records that match, each once, in the order of the table."""
        self.finish()
        opened = self._collections.current
        if opened is None:
            return []
        return opened.arranged.records() if opened.arranged else opened.rows.records_once()

    async def count_values(self, path: str) -> list[tuple[Json | Absent, int]]:
        """Return the values at a path in the loaded rows that match, each with its number of occurrences."""
        self.finish()
        opened = self._collections.current
        if opened is None:
            return []
        counts: Counter[str] = Counter()
        view = opened.arranged.view if opened.arranged else None
        for part in opened.rows.store.counts(opened.rows.query, path, view):
            counts = part
            # Let key events go first.
            await asyncio.sleep(0)
        return values_of(counts)

    def records_arrived(self) -> None:
        """Arrange the rows that have arrived: at once, and at most a few times a second while many arrive."""
        if self._timer is not None:
            self._more_arrived = True
        elif self.rearrange():
            self._timer = self._table.set_timer(_REFRESH_SECONDS, self._waited)

    def _waited(self) -> None:
        self._timer = None
        if self._more_arrived:
            self.records_arrived()

    def rearrange(self) -> bool:
        """Arrange the rows that are loaded now. Return False if there is neither filter nor sort."""
        opened = self._collections.current
        self._more_arrived = False
        if opened is None or not (opened.arranged or opened.arranging):
            return False
        # More field names may be known now: before the first rows, every term of the filter was a word.
        row_filter = self._parsed(opened, opened.filter.text)
        self._begin(opened, row_filter, opened.sort, self._cursor.position.row, goes_on=True)
        return True

    def finish(self) -> None:
        """Finish the filter and sort in progress, and show its rows."""
        self._stop()
        if (task := self._task) is not None:
            while not task.done:
                task.arranging.step()
            self._show(task)

    def _stop(self) -> None:
        self._table.workers.cancel_group(self._table, _GROUP)

    def _begin(
        self,
        opened: OpenCollection,
        row_filter: Filter,
        sort: Sort | None,
        fallback_row: int = 0,
        begun: str | None = None,
        *,
        goes_on: bool = False,
    ) -> None:
        """Begin to filter and sort; `begun` is the path of a field that the next keys are likely to filter by.

        After one more letter, and when records have arrived, this `goes_on` with the last task: a cursor that a filter
        put on the first match stays on the first match, which is the best one, until the user moves it.
        """
        self._stop()
        position = self._cursor.position
        before: _CursorGoal | None = self._task
        if before is None and goes_on and self._last_goal is not None and self._last_goal.opened is opened:
            before = self._last_goal
        if before is not None and before.cursor == position:
            position, fallback_row = before.position, before.fallback_row
        if not opened.arranged:
            opened.return_position = position
        opened.arranging = opened.arranged.arranging(row_filter, sort)
        self._task = task = _Task(opened, position, fallback_row, self._cursor.position, opened.arranging)
        self._work(task, inf if opened.rows.cached <= _AT_ONCE_ROWS else _AT_ONCE_SECONDS)
        if not task.done or begun is not None:
            ahead = iter(()) if begun is None else opened.rows.store.prepare(opened.rows.query, begun)
            # Not a coroutine: one would never be awaited if the next key arrives before the worker begins.
            work: WorkType[None] = partial(self._go_on, task, ahead)
            self._table.run_worker(work, group=_GROUP)

    async def _go_on(self, task: _Task, ahead: Iterator[object]) -> None:
        """Finish the task, then take the steps `ahead` that the next keys are likely to need."""
        while not task.done:
            await asyncio.sleep(_PAUSE_SECONDS)
            self._work(task, _SLICE_SECONDS)
        left = True
        while left:
            await asyncio.sleep(_PAUSE_SECONDS)
            left = _take_steps(ahead, _SLICE_SECONDS)

    def _work(self, task: _Task, seconds: float) -> None:
        """Work on the task for some seconds, at least one step, and show its rows if they are ready."""
        if not task.done:
            _take_steps(iter(task.arranging.step, False), seconds)
        if task.done or (not task.shown and self._first_rows_known(task)):
            self._show(task)

    def _first_rows_known(self, task: _Task) -> bool:
        """Return True if the matches found fill the view, and it is known if the record under the cursor matches."""
        rows, arranging = task.opened.rows, task.arranging
        if arranging.sort is not None or arranging.count < self._table.page_height:
            return False
        row = None if task.position.record_id is None else rows.index_of(task.position.record_id)
        return row is None or arranging.has_seen(row)

    def _show(self, task: _Task) -> None:
        opened, position = task.opened, self._cursor.position
        if position == task.cursor:
            position = task.position
        opened.arranged.show(task.arranging)
        if task.done:
            self._task = opened.arranging = None
        self._marker.end_range()
        # Arranged rows are not pages in view: none is loaded that the user did not ask for.
        if opened.arranged:
            opened.rows.queue.set_viewport(0, 0)
        elif not self._line.is_open:
            opened.arranged.release()
        self._table.filter, self._table.sort = opened.arranged.filter, opened.arranged.sort
        self._cursor.show_rearranged(opened, position, task.fallback_row)
        if self._cursor.move_to_arranged_goal(opened):
            # From now on, follow the record there.
            task.position = self._cursor.position
        task.shown, task.cursor = True, self._cursor.position
        if task.done:
            # The cursor does not go back to a record that was filtered out, should it match later.
            stays = task.cursor.record_id == task.position.record_id
            goal = task.position if stays else replace(task.position, record_id=None)
            self._last_goal = _CursorGoal(opened, goal, task.fallback_row, task.cursor)
        self._changed()


def _take_steps(steps: Iterator[object], seconds: float) -> bool:
    """Take steps for so many seconds, at least one. Return True if some may be left."""
    end = perf_counter() + seconds
    return any(perf_counter() >= end for _ in steps)
