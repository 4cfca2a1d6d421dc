"""What was found, as a table over the whole screen: records of several collections under the same columns."""

from collections.abc import Callable, Sequence
from datetime import tzinfo

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.content import Content
from textual.getters import query_one

from svc_tui.core.records import Place
from svc_tui.core.values import replace
from svc_tui.core.views import Sort, next_sort
from svc_tui.records.columns import Column, fitted_columns, widen
from svc_tui.records.rows import HeldRows
from svc_tui.search.record_search import Match
from svc_tui.search.result_rows import COLUMNS, GIVING_WAY, ResultRow, sorted_rows
from svc_tui.ui.dialogs.dialog import Dialog, DialogFrame
from svc_tui.ui.text import measure, visible
from svc_tui.ui.widgets.table.column_geometry import GAP_CELLS
from svc_tui.ui.widgets.table.record_table import RecordTable

_BESIDE_TABLE = 5
"""Cells beside the columns: the border and padding of the frame, and the scroll bar."""


class ResultsScreen(Dialog[Place]):
    """Gives the record that was chosen, or None. The rows are made as `row` lets the matches be seen at that moment."""

    DEFAULT_CSS = """
    ResultsScreen > #dialog { width: 100%; height: 100%; overflow-y: hidden; }
    ResultsScreen RecordTable { height: 1fr; background: $role-surface; }
    """

    BINDINGS = [
        Binding("s", "sort", "Sort", id="results.sort",
                tooltip="Sort by this column: ascending, descending, best match first"),
        Binding("ctrl+e", "export", "Export", id="results.export", tooltip="Export these records"),
        Binding("q", "cancel", "Back", show=False, id="results.close", tooltip="Go back to the search"),
    ]  # fmt: skip

    table = query_one(RecordTable)

    def __init__(
        self,
        title: Content,
        matches: Sequence[Match],
        row: Callable[[Match], ResultRow],
        export: Callable[[Sequence[Match]], None],
        zone: tzinfo,
    ) -> None:
        """Make it over the matches, the best first; times are shown in `zone`."""
        super().__init__()
        self._heading, self._matches, self._row, self._export, self._zone = title, tuple(matches), row, export, zone
        self._sort: Sort | None = None
        self._rows: Sequence[ResultRow] = ()
        self._columns: tuple[Column, ...] = COLUMNS

    def compose(self) -> ComposeResult:
        """The table."""
        with DialogFrame(self._heading, "enter open · s sort · ctrl+e export · esc back to the search"):
            yield RecordTable(self._zone)

    def on_mount(self) -> None:
        """Show the rows, the best match under the cursor."""
        self._make_rows()
        self.table.show(self._held, self._fitted)
        self.table.focus()

    def on_resize(self, event: events.Resize) -> None:
        """Give labels and values the room that there is."""
        self.table.show_columns(self._fitted)

    def mask_toggled(self, on: bool) -> None:
        """Make everything anew as it may be seen now: nothing that was made before stays in view."""
        self._make_rows()
        self.table.show_rows(self._held, self.table.cursor_row)
        self.table.show_columns(self._fitted)

    @property
    def _fitted(self) -> tuple[Column, ...]:
        return fitted_columns(self._columns, self.size.width - _BESIDE_TABLE, GAP_CELLS, GIVING_WAY)

    @property
    def _held(self) -> HeldRows:
        rows = self._rows
        return HeldRows(len(rows), lambda row: rows[row].cells)

    def _make_rows(self) -> None:
        self._rows = rows = sorted_rows([self._row(match) for match in self._matches], self._sort)
        columns = widen(COLUMNS, [row.cells for row in rows], _measure)
        # Their names are ours, and never to be cut.
        self._columns = tuple(replace(column, width=max(column.width, len(column.name) + 2)) for column in columns)

    # Sorting

    def action_sort(self) -> None:
        """Sort by the column under the cursor; the cursor stays on its record."""
        if self.table.cursor_field is not None:
            self._sort_by(self.table.cursor_field)

    @on(RecordTable.SortWanted)
    def _head_clicked(self, event: RecordTable.SortWanted) -> None:
        event.stop()
        self._sort_by(event.field)

    def _sort_by(self, field: str) -> None:
        chosen, self._sort = self._chosen, next_sort(self._sort, field)
        self._make_rows()
        self.table.sort = self._sort
        order = [row.match for row in self._rows]
        self.table.show_rows(self._held, order.index(chosen) if chosen is not None else 0)

    # Leaving with a record

    @property
    def _chosen(self) -> Match | None:
        at, rows = self.table.cursor_row, self._rows
        return rows[at].match if at < len(rows) else None

    @on(RecordTable.RecordChosen)
    def _open(self, event: RecordTable.RecordChosen) -> None:
        event.stop()
        if self._chosen is not None:
            self.dismiss(self._chosen.place)

    def action_export(self) -> None:
        """Have the records written to a file, in this order."""
        self._export([row.match for row in self._rows])


def _measure(text: str) -> int:
    return measure(visible(text))
