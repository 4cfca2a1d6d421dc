"""Filtering and sorting the rows that a collection holds: the cursor stays on its record, what comes is taken in."""

import asyncio
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime
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
from svc_tui.ui.table.open_collections import CursorPosition, OpenCollection, OpenCollections
from svc_tui.ui.table.row_cursor import RowCursor
from svc_tui.ui.widgets.inputs.filter_input import FilterInput
from svc_tui.ui.widgets.table.record_table import RecordTable

_REFRESH_SECONDS = 0.2
"""Seconds between two looks at what has come, while rows are filtered or sorted."""

_AT_ONCE_ROWS, _AT_ONCE_SECONDS = 1_000, 0.008
"""So many rows are arranged before anything is painted, of more as much as takes half a frame."""

_SLICE_SECONDS, _PAUSE_SECONDS = 0.004, 0.001
"""Seconds of work at a time on what takes longer, and between: painting takes several turns of the event loop."""

_GROUP = "arrangement"
"""The group of the worker that goes on with what was begun."""


@dataclass
class _CursorGoal:
    """Where the cursor of `opened` belongs.

    It was at `position`; where that record is not among the rows, it goes to `fallback_row`. It is at `cursor` now,
    unless the user has moved it.
    """

    opened: OpenCollection
    position: CursorPosition
    fallback_row: int
    cursor: CursorPosition


@dataclass
class _Task(_CursorGoal):
    """Rows being arranged."""

    arranging: Arranging
    shown: bool = False
    """Whether the first rows are shown."""

    @property
    def done(self) -> bool:
        """Whether nothing is left to look at: where neither filter nor sort is wanted, nothing ever was."""
        return self.arranging.done or not (self.arranging.filter or self.arranging.sort)


class RowArrangement:
    """Arranges the rows of the collection on show in `table`; `changing` hears before they are shown, `changed` after.

    What is typed in `line` filters at once. What takes long is done in slices: the first rows are shown as soon as they
    are known, all of them at the end. What is wanted meanwhile takes the place of what was.
    """

    def __init__(
        self,
        table: RecordTable,
        line: FilterInput,
        cursor: RowCursor,
        collections: OpenCollections,
        changing: Callable[[], object],
        changed: Callable[[], None],
        now: Callable[[], datetime],
    ) -> None:
        """Make it; `now` gives the time in the zone of the user."""
        self._table, self._line, self._cursor, self._collections = table, line, cursor, collections
        self._changing, self._changed, self._now = changing, changed, now
        self._task: _Task | None = None
        self._last_goal: _CursorGoal | None = None
        """That of what was arranged last, all of it shown."""
        self._timer: Timer | None = None
        self._more = False
        table.watch(line, "text", self._typed, init=False)

    @property
    def filter(self) -> Filter:
        """What is let through of the rows that are held."""
        opened = self._collections.current
        return Filter() if opened is None else opened.filter

    def start_filter(self) -> None:
        """Open the filter's line, with the filter that holds."""
        if (opened := self._collections.current) is not None:
            opened.filtering = True
            self._line.start(opened.filter.text)
            self._changed()

    def _typed(self, text: str) -> None:
        """The filter holds as one types; what is for the service waits for Enter."""
        self.choose(split_terms(text)[0])

    def close_filter(self) -> None:
        """Put the filter's line away, the filter that was typed in it holding."""
        self.finish()
        self._line.close()
        if (opened := self._collections.current) is not None:
            opened.filtering = False
            if not opened.arranged:
                opened.arranged.release()
            self._changed()

    def choose(self, text: str) -> None:
        """Let through what the filter `text` does, of the rows that are held; "" lets all through."""
        if (opened := self._collections.current) is not None:
            names = opened.rows.field_names
            typing = self._line.is_open
            begun = field_begun(text, names) if typing else None
            self._begin(opened, parse_filter(text, names, self._now()), opened.sort, begun=begun, goes_on=typing)

    def order(self, sort: Sort | None) -> None:
        """Show the rows that are held in the order of `sort`; None: as the service gives them."""
        if (opened := self._collections.current) is not None:
            opened.top_record_id = None
            self._begin(opened, opened.filter, sort)

    def clear_filter(self) -> bool:
        """Take the filter back; gives whether there was one."""
        filtered = bool(self.filter)
        if filtered:
            self.choose("")
        return filtered

    def records(self) -> list[Record]:
        """The records that are held and let through, each once, in the order of the table."""
        self.finish()
        opened = self._collections.current
        if opened is None:
            return []
        return opened.arranged.records() if opened.arranged else opened.rows.records_once()

    async def count_values(self, path: str) -> list[tuple[Json | Absent, int]]:
        """Return the values at a path in the rows that are held and match, each with how often it comes."""
        self.finish()
        opened = self._collections.current
        if opened is None:
            return []
        counts: Counter[str] = Counter()
        view = opened.arranged.view if opened.arranged else None
        for part in opened.rows.store.counts(opened.rows.query, path, view):
            counts = part
            # Keys go first.
            await asyncio.sleep(0)
        return values_of(counts)

    def records_arrived(self) -> None:
        """More was read: it is taken in at once, and at most a few times a second while much comes."""
        if self._timer is not None:
            self._more = True
        elif self.again():
            self._timer = self._table.set_timer(_REFRESH_SECONDS, self._waited)

    def _waited(self) -> None:
        self._timer = None
        if self._more:
            self.records_arrived()

    def again(self) -> bool:
        """Arrange what is held by now; gives whether anything is arranged."""
        opened = self._collections.current
        self._more = False
        if opened is None or not (opened.arranged or opened.arranging):
            return False
        # With the fields that are known by now: before the first rows none was, and its terms were words.
        wanted = parse_filter(opened.filter.text, opened.rows.field_names, self._now())
        self._begin(opened, wanted, opened.sort, self._cursor.position.row, goes_on=True)
        return True

    def finish(self) -> None:
        """Arrange to the end what is being arranged, and show it."""
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
        wanted: Filter,
        sort: Sort | None,
        fallback_row: int = 0,
        begun: str | None = None,
        *,
        goes_on: bool = False,
    ) -> None:
        """Begin to arrange; `begun` is the path of a field that will be asked about with the next keys.

        It `goes_on` with what was arranged last, for one more letter and for records that have arrived: a cursor that a
        filter put on the first match stays on the first one, which is the best, until the user moves it.
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
        opened.arranging = opened.arranged.arranging(wanted, sort)
        self._task = task = _Task(opened, position, fallback_row, self._cursor.position, opened.arranging)
        self._work(task, inf if opened.rows.cached <= _AT_ONCE_ROWS else _AT_ONCE_SECONDS)
        if not task.done or begun is not None:
            ahead = iter(()) if begun is None else opened.rows.store.prepare(opened.rows.query, begun)
            # Not a coroutine: where the next key comes before the worker begins, it would never be awaited.
            work: WorkType[None] = partial(self._go_on, task, ahead)
            self._table.run_worker(work, group=_GROUP)

    async def _go_on(self, task: _Task, ahead: Iterator[object]) -> None:
        """Finish what was begun, then take the steps `ahead` that the next keys are likely to need."""
        while not task.done:
            await asyncio.sleep(_PAUSE_SECONDS)
            self._work(task, _SLICE_SECONDS)
        left = True
        while left:
            await asyncio.sleep(_PAUSE_SECONDS)
            left = _take_steps(ahead, _SLICE_SECONDS)

    def _work(self, task: _Task, seconds: float) -> None:
        """Arrange for some seconds, at least a slice; show what is to be shown by then."""
        if not task.done:
            _take_steps(iter(task.arranging.step, False), seconds)
        if task.done or (not task.shown and self._first_rows_known(task)):
            self._show(task)

    def _first_rows_known(self, task: _Task) -> bool:
        """Whether what is known fills the view, and whether the record under the cursor stays is known."""
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
        self._changing()
        # No page is in view while what is held is arranged: nothing is read that nobody asked for.
        if opened.arranged:
            opened.rows.queue.set_viewport(0, 0)
        elif not self._line.is_open:
            opened.arranged.release()
        self._table.filter, self._table.sort = opened.arranged.filter, opened.arranged.sort
        self._cursor.show_rearranged(opened, position, task.fallback_row)
        if self._cursor.move_to_arranged_goal(opened):
            # From then on, it is the record there that is followed.
            task.position = self._cursor.position
        task.shown, task.cursor = True, self._cursor.position
        if task.done:
            # A record that was filtered out is not gone back to, should it match later.
            stays = task.cursor.record_id == task.position.record_id
            goal = task.position if stays else replace(task.position, record_id=None)
            self._last_goal = _CursorGoal(opened, goal, task.fallback_row, task.cursor)
        self._changed()


def _take_steps(steps: Iterator[object], seconds: float) -> bool:
    """Take steps for so many seconds, at least one; gives whether any may be left."""
    end = perf_counter() + seconds
    return any(perf_counter() >= end for _ in steps)
