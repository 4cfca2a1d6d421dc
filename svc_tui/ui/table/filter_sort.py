"""Filtering and sorting the rows that a sheet holds: the cursor stays on its record, what comes is taken in."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from textual.timer import Timer
from textual.widget import Widget

from svc_tui.domain.collections.filters import Filter, parse_filter
from svc_tui.domain.collections.views import Sort
from svc_tui.domain.model.records import Record
from svc_tui.ui.table.cursor import Cursor
from svc_tui.ui.table.open_collection import OpenCollection, Position
from svc_tui.ui.widgets.table.record_table import RecordTable

_EVERY = 0.2
"""Seconds between two looks at what has come, while rows are filtered or sorted."""


class Arrangement:
    """Arranges the rows of `sheet()`, which `table` shows; `changing` hears before they are shown, `changed` after."""

    def __init__(
        self,
        pane: Widget,
        table: RecordTable,
        steering: Cursor,
        sheet: Callable[[], OpenCollection | None],
        changing: Callable[[], object],
        changed: Callable[[], None],
    ) -> None:
        self._pane, self._table, self._steering, self._sheet = pane, table, steering, sheet
        self._changing, self._changed = changing, changed
        self._timer: Timer | None = None
        self._more = False

    @property
    def filter(self) -> Filter:
        """What is let through of the rows that are held."""
        sheet = self._sheet()
        return Filter() if sheet is None else sheet.arranged.filter

    def choose(self, text: str) -> None:
        """Let through what the filter `text` does, of the rows that are held; "" lets all through."""
        if (sheet := self._sheet()) is not None:
            with self._rearranged(sheet):
                sheet.arranged.choose(parse_filter(text, sheet.arranged.field_names()))

    def order(self, sort: Sort | None) -> None:
        """Show the rows that are held in the order of `sort`; None: as the service gives them."""
        if (sheet := self._sheet()) is not None:
            with self._rearranged(sheet):
                sheet.arranged.order(sort)

    def clear_filter(self) -> bool:
        """Take the filter back; gives whether there was one."""
        filtered = bool(self.filter)
        if filtered:
            self.choose("")
        return filtered

    def records(self) -> list[Record]:
        """The records that are held and let through, each once, in the order of the table."""
        sheet = self._sheet()
        if sheet is None:
            return []
        if not sheet.arranged:
            sheet.arranged.take_in()
        return list(sheet.arranged.records())

    def came(self) -> None:
        """More was read: it is taken in at once, and at most a few times a second while much comes."""
        if self._timer is None:
            self.again()
            self._timer = self._pane.set_timer(_EVERY, self._waited)
        else:
            self._more = True

    def _waited(self) -> None:
        self._timer = None
        if self._more:
            self.came()

    def again(self) -> None:
        """Arrange what is held by now."""
        sheet = self._sheet()
        self._more = False
        if sheet is not None and sheet.arranged:
            position = self._steering.position
            sheet.arranged.take_in()
            self._show(sheet, position, elsewhere=position.row)

    @contextmanager
    def _rearranged(self, sheet: OpenCollection) -> Iterator[None]:
        """Change how the rows are arranged; the cursor stays on its record."""
        position = self._steering.position
        if not sheet.arranged:
            sheet.position = position
            sheet.arranged.take_in()
        yield
        self._show(sheet, position, elsewhere=0)

    def _show(self, sheet: OpenCollection, position: Position, elsewhere: int) -> None:
        self._changing()
        # No page is in view while what is held is arranged: nothing is read that nobody asked for.
        if sheet.arranged:
            sheet.rows.viewport(0, 0)
        self._table.sort = sheet.arranged.sort
        self._steering.rearranged(sheet, position, elsewhere)
        self._changed()
