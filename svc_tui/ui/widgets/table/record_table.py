"""The table of a collection of any size, with a cursor on one cell of it."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, tzinfo
from typing import ClassVar

from textual import events
from textual.binding import Binding, BindingType
from textual.geometry import Region
from textual.message import Message

from svc_tui.core.records import Record
from svc_tui.records.columns import Column
from svc_tui.records.rows import Rows
from svc_tui.ui.terminal.key_queue import ActsOnKeysAtOnce
from svc_tui.ui.widgets.inputs.right_click import ACTIONS_MENU, RIGHT_BUTTON
from svc_tui.ui.widgets.table.header_mouse import HeaderMouse
from svc_tui.ui.widgets.table.rows_view import HEADER_ROWS, RowsView


class RecordTable(ActsOnKeysAtOnce, RowsView, can_focus=True, inherit_bindings=False):
    """Rows of records with a cursor, moved by keys and by the mouse; columns are ordered and sized by their heads."""

    ALLOW_SELECT = False

    DEFAULT_CSS = """
    RecordTable {
        background: $role-background;
        color: $role-foreground;
        scrollbar-size-vertical: 1;
        scrollbar-size-horizontal: 0;
        scrollbar-gutter: stable;
        & > .record-table--header { color: $role-foreground; text-style: bold; }
        & > .record-table--more { color: $role-accent; text-style: bold; }
        & > .record-table--cursor-row { background: $role-surface; }
        & > .record-table--cursor-cell { background: $role-panel; }
        &:focus > .record-table--cursor-row { background: $role-panel; }
        &:focus > .record-table--cursor-cell { background: $role-accent; color: $role-background; text-style: bold; }
    }
    """
    COMPONENT_CLASSES = {
        "record-table--header",
        "record-table--more",
        "record-table--cursor-row",
        "record-table--cursor-cell",
    }

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,k", "move(-1)", "Up", show=False, id="table.up", tooltip="Move up"),
        Binding("down,j", "move(1)", "Down", show=False, id="table.down", tooltip="Move down"),
        Binding("left,h", "side(-1)", "Left", show=False, id="table.left", tooltip="Move left"),
        Binding("right,l", "side(1)", "Right", show=False, id="table.right", tooltip="Move right"),
        Binding("pageup", "page(-1)", "Page up", show=False, id="table.page_up", tooltip="Move up one page"),
        Binding("pagedown", "page(1)", "Page down", show=False, id="table.page_down", tooltip="Move down one page"),
        Binding("home,g", "first", "First", show=False, id="table.first", tooltip="Go to the first record"),
        Binding("end,G", "last", "Last", show=False, id="table.last", tooltip="Go to the last record"),
        Binding("enter", "choose", "Open", id="table.open", tooltip="Open the record"),
    ]

    class ColumnMoved(Message):
        """The cursor is in another column."""

    @dataclass
    class CursorMoved(Message):
        """The cursor is on another record; `record_id` None while the row has not come, or has no id."""

        row: int
        record_id: str | None

    @dataclass
    class RecordChosen(Message):
        """The user wants to see this record."""

        record: Record

    @dataclass
    class SortWanted(Message):
        """The user clicked on the head of a column."""

        field: str

    @dataclass
    class ColumnSized(Message):
        """The user gives a column another width in cells, None being that of its values; `kept` once it is let go."""

        field: str
        width: int | None
        kept: bool

    @dataclass
    class MarkWanted(Message):
        """The user clicked on `row` to mark it, or to mark all from `start`, where the cursor was (`reach`)."""

        start: int
        row: int
        reach: bool

    @dataclass
    class EndWanted(Message):
        """The user wants to go to the last record; the cursor is already there if the end is known."""

    def __init__(self, tz: tzinfo = UTC, *, id: str | None = None) -> None:  # noqa: A002 - Textual's own name for it
        """Make the table; it shows times in `tz`."""
        super().__init__(tz, id=id)
        self._mouse = HeaderMouse()
        self._posted_cursor: tuple[int, str | None] | None = None

    # What it shows

    @property
    def cursor_record(self) -> Record | None:
        """The record under the cursor, as the service gave it."""
        return self.rows.get(self.cursor_row)

    @property
    def cursor_field(self) -> str | None:
        """The path of the field under the cursor; None where there is none: "" is a name like any other."""
        return self._columns[self.cursor_column].name if self.cursor_column < len(self._columns) else None

    @property
    def value_region(self) -> Region | None:
        """The cells of the screen that show the value under the cursor; None if it is out of view."""
        inside, scroll = self.content_region, self.scroll_offset
        y = self.cursor_row - scroll.y + HEADER_ROWS
        places = (at for at in self.geometry.view(scroll.x) if at.index == self.cursor_column)
        place = next(places, None)
        if place is None or not HEADER_ROWS <= y < inside.height:
            return None
        return Region(inside.x + place.start, inside.y + y, place.column.width, 1)

    def show(self, rows: Rows, columns: Sequence[Column]) -> None:
        """Show other rows, from the top."""
        self._show_rows(rows)
        self._posted_cursor = None
        self._set_columns(columns)
        self.set_reactive(RowsView.cursor_row, 0)
        self.set_reactive(RowsView.cursor_column, 0)
        self.scroll_to(0, 0, animate=False, force=True)
        self.rows_changed(None)

    def show_rows(self, rows: Rows, row: int) -> None:
        """Show other rows under the same columns, the cursor on `row`."""
        self._show_rows(rows)
        self._posted_cursor = None
        self.rows_changed(None)
        self.move_to(row)
        self.refresh()

    def move_to_field(self, field: str | None) -> None:
        """Put the cursor on the column of a field; where no column shows it, it stays."""
        names = [column.name for column in self._columns]
        if field in names:
            self.cursor_column = names.index(field)

    def show_columns(self, columns: Sequence[Column]) -> None:
        """Show other columns; the cursor stays on its field where that is still there."""
        name = self.cursor_field
        self._set_columns(columns)
        names = [column.name for column in self._columns]
        left = min(self.cursor_column, max(0, len(names) - 1))
        self.cursor_column = names.index(name) if name is not None and name in names else left
        self._fit()

    def rows_changed(self, changed: range | None) -> None:
        """Draw anew: these rows, or all (None). The number of rows, and the record under the cursor, may be others."""
        super().rows_changed(changed)
        self._post_cursor_moved()

    def move_to(self, row: int) -> None:
        """Put the cursor on a row, and the row in view."""
        self.cursor_row = row
        self._reveal_row()

    def reveal_cursor(self) -> None:
        """Scroll the cursor into view."""
        self._reveal_row()
        self._reveal_column()

    def _reveal_row(self) -> None:
        height = self.page_height
        if not height:
            return  # A later resize reveals it.
        top = self.scroll_offset.y
        if self.cursor_row < top:
            self.scroll_to(y=self.cursor_row, animate=False, force=True)
        elif self.cursor_row >= top + height:
            self.scroll_to(y=self.cursor_row - height + 1, animate=False, force=True)

    def _reveal_column(self) -> None:
        x = self.scroll_offset.x
        if (to := self.geometry.x_to_reveal(self.cursor_column, x)) != x:
            self.scroll_to(x=to, animate=False, force=True)

    # The cursor

    def validate_cursor_row(self, row: int) -> int:
        """Never outside the rows."""
        return max(0, min(row, self.rows.count - 1))

    def validate_cursor_column(self, column: int) -> int:
        """Never outside the columns."""
        return max(0, min(column, len(self._columns) - 1))

    def watch_cursor_row(self, old: int, new: int) -> None:
        """Redraw the line that the cursor left and the one it is on."""
        self._refresh_row(old)
        self._refresh_row(new)
        self._post_cursor_moved()

    def watch_cursor_column(self) -> None:
        """Redraw the line when the cursor's column changes."""
        self._reveal_column()
        self._refresh_row(self.cursor_row)
        self.post_message(self.ColumnMoved())

    def _refresh_row(self, row: int) -> None:
        y = row - self.scroll_offset.y + HEADER_ROWS
        if HEADER_ROWS <= y < self.size.height:
            self.refresh(Region(0, y, self._width, 1))

    def _post_cursor_moved(self) -> None:
        record = self.cursor_record
        position = (self.cursor_row, record.id if record is not None else None)
        if position != self._posted_cursor and self.rows.count:
            self._posted_cursor = position
            self.post_message(self.CursorMoved(*position))

    def action_move(self, rows: int) -> None:
        """The cursor up or down."""
        self.move_to(self.cursor_row + rows)

    def action_page(self, pages: int) -> None:
        """A page up or down; the cursor keeps its place in the view."""
        step = pages * max(1, self.page_height)
        self.scroll_to(y=self.scroll_offset.y + step, animate=False, force=True)
        self.move_to(self.cursor_row + step)

    def action_side(self, columns: int) -> None:
        """The cursor left or right."""
        self.cursor_column += columns

    def action_first(self) -> None:
        """Go to the first record."""
        self.move_to(0)

    def action_last(self) -> None:
        """Go to the last record, as far as the end is known."""
        if self.rows.end_known:
            self.move_to(self.rows.count - 1)
        self.post_message(self.EndWanted())

    def action_choose(self) -> None:
        """Open the record under the cursor."""
        if (record := self.cursor_record) is not None:
            self.post_message(self.RecordChosen(record))

    def on_click(self, event: events.Click) -> None:
        """A click moves the cursor, with ctrl or shift it marks; a double click opens, a right one lists the actions.

        The header has its own.
        """
        row = self.scroll_offset.y + event.y - HEADER_ROWS
        if event.y < HEADER_ROWS:
            self._click_header(event)
            return
        if row >= self.rows.count:
            return
        event.stop()
        if event.ctrl or event.shift:
            self.post_message(self.MarkWanted(self.cursor_row, row, reach=event.shift))
        self.cursor_row = row
        self.cursor_column = self.geometry.at(event.x, self.scroll_offset.x)
        if event.button == RIGHT_BUTTON:
            self.call_later(self.run_action, ACTIONS_MENU)
        elif event.chain == 2 and not (event.ctrl or event.shift):
            self.action_choose()

    # The header under the mouse

    def _click_header(self, event: events.Click) -> None:
        event.stop()
        match self._mouse.click(self.geometry, event.x, self.scroll_offset.x, event.chain):
            case str(path):
                self.post_message(self.SortWanted(path))
            case (path, width):
                self.post_message(self.ColumnSized(path, width, kept=True))

    def on_mouse_down(self, event: events.MouseDown) -> None:
        """An edge in the header is taken hold of."""
        if event.y < HEADER_ROWS and self._mouse.press(self.geometry, event.x, self.scroll_offset.x):
            self.capture_mouse()

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """The edge that is held follows."""
        if self.app.mouse_captured is self and (sized := self._mouse.move(event.x)):
            self.post_message(self.ColumnSized(*sized, kept=False))

    def on_mouse_up(self, event: events.MouseUp) -> None:
        """The edge is let go."""
        if self.app.mouse_captured is self:
            self.release_mouse()
            if sized := self._mouse.release(event.x):
                self.post_message(self.ColumnSized(*sized, kept=True))
