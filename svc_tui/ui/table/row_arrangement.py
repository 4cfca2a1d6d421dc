"""Filtering and sorting the rows that a collection holds: the cursor stays on its record, what comes is taken in."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from textual.timer import Timer
from textual.widget import Widget

from svc_tui.domain.collections.filters import Filter, parse_filter
from svc_tui.domain.collections.views import Sort
from svc_tui.domain.model.records import Record
from svc_tui.ui.table.cursor import Cursor
from svc_tui.ui.table.open_collection import CursorPosition, OpenCollection
from svc_tui.ui.widgets.inputs.filter_input import FilterInput
from svc_tui.ui.widgets.table.record_table import RecordTable

_REFRESH_SECONDS = 0.2
"""Seconds between two looks at what has come, while rows are filtered or sorted."""


class RowArrangement:
    """Arranges the rows of `opened()`, which `table` shows; `changing` hears before they are shown, `changed` after."""

    def __init__(
        self,
        pane: Widget,
        table: RecordTable,
        cursor: Cursor,
        opened: Callable[[], OpenCollection | None],
        changing: Callable[[], object],
        changed: Callable[[], None],
    ) -> None:
        self._pane, self._table, self._cursor, self._opened = pane, table, cursor, opened
        self._changing, self._changed = changing, changed
        self._timer: Timer | None = None
        self._more = False

    @property
    def filter(self) -> Filter:
        """What is let through of the rows that are held."""
        opened = self._opened()
        return Filter() if opened is None else opened.arranged.filter

    def start_filter(self, line: FilterInput) -> None:
        """Open the filter's line, with the filter that holds."""
        if (opened := self._opened()) is not None:
            line.start(opened.arranged.filter.text)

    def choose(self, text: str) -> None:
        """Let through what the filter `text` does, of the rows that are held; "" lets all through."""
        if (opened := self._opened()) is not None:
            with self._rearranged(opened):
                opened.arranged.choose(parse_filter(text, opened.arranged.field_names()))

    def order(self, sort: Sort | None) -> None:
        """Show the rows that are held in the order of `sort`; None: as the service gives them."""
        if (opened := self._opened()) is not None:
            with self._rearranged(opened):
                opened.arranged.order(sort)

    def clear_filter(self) -> bool:
        """Take the filter back; gives whether there was one."""
        filtered = bool(self.filter)
        if filtered:
            self.choose("")
        return filtered

    def records(self) -> list[Record]:
        """The records that are held and let through, each once, in the order of the table."""
        opened = self._opened()
        if opened is None:
            return []
        if not opened.arranged:
            opened.arranged.take_in()
        return list(opened.arranged.records())

    def records_arrived(self) -> None:
        """More was read: it is taken in at once, and at most a few times a second while much comes."""
        if self._timer is None:
            self.again()
            self._timer = self._pane.set_timer(_REFRESH_SECONDS, self._waited)
        else:
            self._more = True

    def _waited(self) -> None:
        self._timer = None
        if self._more:
            self.records_arrived()

    def again(self) -> None:
        """Arrange what is held by now."""
        opened = self._opened()
        self._more = False
        if opened is not None and opened.arranged:
            position = self._cursor.position
            opened.arranged.take_in()
            self._show(opened, position, fallback_row=position.row)

    @contextmanager
    def _rearranged(self, opened: OpenCollection) -> Iterator[None]:
        """Change how the rows are arranged; the cursor stays on its record."""
        position = self._cursor.position
        if not opened.arranged:
            opened.position = position
            opened.arranged.take_in()
        yield
        self._show(opened, position, fallback_row=0)

    def _show(self, opened: OpenCollection, position: CursorPosition, fallback_row: int) -> None:
        self._changing()
        # No page is in view while what is held is arranged: nothing is read that nobody asked for.
        if opened.arranged:
            opened.rows.queue.set_viewport(0, 0)
        self._table.sort = opened.arranged.sort
        self._cursor.show_rearranged(opened, position, fallback_row)
        self._changed()
