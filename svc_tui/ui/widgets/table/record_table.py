"""The table of a collection of any size, with a cursor on one cell."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, tzinfo
from typing import ClassVar

from rich.style import Style
from textual import events
from textual.binding import Binding, BindingType
from textual.color import Color
from textual.geometry import Region, Size
from textual.message import Message
from textual.reactive import Reactive, reactive, var
from textual.scroll_view import ScrollView
from textual.strip import Strip

from svc_tui.core.draft import Draft
from svc_tui.core.filters import NO_FILTER, Filter
from svc_tui.core.records import Record
from svc_tui.core.views import Sort
from svc_tui.records.columns import Column
from svc_tui.records.rows import Rows
from svc_tui.records.watched_changes import RowChanges
from svc_tui.ui.terminal.key_queue import ActsOnKeysAtOnce
from svc_tui.ui.widgets.inputs.right_click import ACTIONS_MENU, RIGHT_BUTTON
from svc_tui.ui.widgets.table.cell_painter import STRONG_ROLES
from svc_tui.ui.widgets.table.column_geometry import ColumnGeometry, HeaderMouse
from svc_tui.ui.widgets.table.line_painter import LinePainter, RowDecorations

HEADER_ROWS = 1
"""Lines of the header at the top."""


class RecordTable(ActsOnKeysAtOnce, ScrollView, can_focus=True, inherit_bindings=False):
    """Rows of records with a cursor, moved by keys and the mouse; the header sorts the rows and sizes the columns."""

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

    virtual_size: Reactive[Size] = var(Size(0, 0))
    """The size of the contents. A `var`: the size of the pane does not depend on it, so no layout is needed."""
    cursor_row: var[int] = var(0, init=False)
    """The row of the cursor, from 0."""
    cursor_column: var[int] = var(0, init=False)
    """The column of the cursor, from 0."""
    drafts: reactive[Mapping[str, Draft]] = reactive({}, init=False)
    """Unsent edits by the id of their record; assign a new mapping to change them."""
    marks: reactive[Collection[str]] = reactive((), init=False)
    """The ids of the marked records; assign a new collection to change them."""
    news: reactive[RowChanges] = reactive(RowChanges(), init=False)
    """The recent changes at the service; assign new ones to change them."""
    mask: reactive[Callable[[Draft], Draft] | None] = reactive(None, init=False)
    """A function that masks the personal data of a draft; None if nothing is masked."""
    raw: reactive[bool] = reactive(False, init=False)
    """True if values are shown raw, not formatted."""
    is_elsewhere: reactive[bool] = reactive(False, init=False)
    """True if the open record has no row here: the cursor is then drawn only while the table has the focus."""
    filter: reactive[Filter] = reactive(NO_FILTER, init=False)
    """The filter of the rows: its matches are highlighted in the cells."""
    sort: reactive[Sort | None] = reactive(None, init=False)
    """The sort of the rows, marked in the header of its column."""

    @dataclass
    class RowsShown(Message):
        """Sent when other rows are in view: from `first` up to `until`."""

        first: int
        until: int

    class ColumnMoved(Message):
        """Sent when the cursor is in another column."""

    @dataclass
    class CursorMoved(Message):
        """Sent when the cursor is on another record; `record_id` is None if it is not loaded, or has no id."""

        row: int
        record_id: str | None

    @dataclass
    class RecordChosen(Message):
        """Sent when the user opens a record."""

        record: Record

    @dataclass
    class SortWanted(Message):
        """Sent when the user clicks on the name of a column."""

        field: str

    @dataclass
    class ColumnSized(Message):
        """Sent when the user sizes a column, to None by its values; `kept` is True once the mouse is released."""

        field: str
        width: int | None
        kept: bool

    @dataclass
    class MarkWanted(Message):
        """Sent when the user clicks on `row` to mark it, or with `reach` all rows from `start`, that of the cursor."""

        start: int
        row: int
        reach: bool

    @dataclass
    class EndWanted(Message):
        """Sent when the user goes to the last record; the cursor is already there if the end is known."""

    def __init__(self, tz: tzinfo = UTC) -> None:
        super().__init__()
        self.tz = tz
        """The time zone of the times shown."""
        self._painter = LinePainter(tz)
        self._columns: tuple[Column, ...] = ()
        self._shown: tuple[int, int] | None = None
        self._mouse = HeaderMouse()
        self._posted_cursor: tuple[int, str | None] | None = None

    # Rows and columns
    @property
    def rows(self) -> Rows:
        """The rows that are shown."""
        return self._painter.rows

    @property
    def columns(self) -> tuple[Column, ...]:
        """The columns that are shown."""
        return self._columns

    @property
    def zone(self) -> str:
        """The name of the time zone."""
        return self._painter.zone

    @property
    def view(self) -> tuple[int, int]:
        """The first row in view, and the one after the last."""
        first = self.scroll_offset.y
        return first, min(self.rows.count, first + self.page_height)

    @property
    def cursor_record(self) -> Record | None:
        """The record under the cursor, without edits."""
        return self.rows.get(self.cursor_row)

    @property
    def cursor_field(self) -> str | None:
        """The path of the field under the cursor; None if there is none ("" is a valid name)."""
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
        self._take_rows(rows)
        self._set_columns(columns)
        self.set_reactive(RecordTable.cursor_row, 0)
        self.set_reactive(RecordTable.cursor_column, 0)
        self.scroll_to(0, 0, animate=False, force=True)
        self.rows_changed(None)

    def show_rows(self, rows: Rows, row: int) -> None:
        """Show other rows under the same columns, the cursor on `row`."""
        self._take_rows(rows)
        self.rows_changed(None)
        self.move_to(row)
        self.refresh()

    def _take_rows(self, rows: Rows) -> None:
        self._painter.rows = rows
        self._shown = self._posted_cursor = None

    def move_to_field(self, field: str | None) -> None:
        """Move the cursor to the column of a field, if it has one."""
        names = [column.name for column in self._columns]
        if field in names:
            self.cursor_column = names.index(field)

    def leave_rows_below(self, rows: int) -> None:
        """Scroll until `rows` rows are in view below the cursor, if there are as many."""
        self.scroll_to(y=max(self.scroll_y, self.cursor_row + 1 + rows - self.page_height), animate=False, force=True)

    def show_columns(self, columns: Sequence[Column]) -> None:
        """Show other columns; the cursor stays on its field if that is still shown."""
        name = self.cursor_field
        self._set_columns(columns)
        names = [column.name for column in self._columns]
        left = min(self.cursor_column, max(0, len(names) - 1))
        self.cursor_column = names.index(name) if name is not None and name in names else left
        self._fit()

    def rows_changed(self, changed: range | None) -> None:
        """Draw these rows again, or all (None). Their number and the record under the cursor may have changed."""
        self._painter.forget(changed)
        self._fit()
        first, until = self.view
        if changed is None or (changed.start < until and first < changed.stop):
            self.refresh()
        self._post_rows_shown()
        self._post_cursor_moved()

    def move_to(self, row: int) -> None:
        """Move the cursor to a row, and scroll that into view."""
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
        """Keep the cursor within the rows."""
        return max(0, min(row, self.rows.count - 1))

    def validate_cursor_column(self, column: int) -> int:
        """Keep the cursor within the columns."""
        return max(0, min(column, len(self._columns) - 1))

    def watch_cursor_row(self, old: int, new: int) -> None:
        """Redraw the line that the cursor left, and the one it is on."""
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
        """Move the cursor up or down."""
        self.move_to(self.cursor_row + rows)

    def action_page(self, pages: int) -> None:
        """Scroll a page up or down; the cursor keeps its place in the view."""
        step = pages * max(1, self.page_height)
        self.scroll_to(y=self.scroll_offset.y + step, animate=False, force=True)
        self.move_to(self.cursor_row + step)

    def action_side(self, columns: int) -> None:
        """Move the cursor left or right."""
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
        """Move the cursor to the cell; mark with ctrl or shift, open on a double click, list actions on a right click.

        A click on the header sorts or sizes.
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

    # The mouse in the header
    def _click_header(self, event: events.Click) -> None:
        event.stop()
        match self._mouse.click(self.geometry, event.x, self.scroll_offset.x, event.chain):
            case str(path):
                self.post_message(self.SortWanted(path))
            case (path, width):
                self.post_message(self.ColumnSized(path, width, kept=True))

    def on_mouse_down(self, event: events.MouseDown) -> None:
        """Start to drag an edge in the header."""
        if event.y < HEADER_ROWS and self._mouse.press(self.geometry, event.x, self.scroll_offset.x):
            self.capture_mouse()

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """Size the column whose edge is dragged."""
        if self.app.mouse_captured is self and (sized := self._mouse.move(event.x)):
            self.post_message(self.ColumnSized(*sized, kept=False))

    def on_mouse_up(self, event: events.MouseUp) -> None:
        """Keep the width of the column whose edge was dragged."""
        if self.app.mouse_captured is self:
            self.release_mouse()
            if sized := self._mouse.release(event.x):
                self.post_message(self.ColumnSized(*sized, kept=True))

    # Drawing

    def render_lines(self, crop: Region) -> list[Strip]:
        """Draw the lines of a part of the view.

        Textual caches lines by their place in a widget, with border, padding and opacity. This table has none of these,
        and caches lines by row: after scrolling by one, they are used again.
        """
        self._place()
        painter, offset, size = self._painter, self.scroll_offset, self.size
        if not painter.styled:
            painter.restyle(self.rich_style, self._component_style, self._role_style)
        width = self._width
        has_cursor = self.cursor_row < self.rows.count and (self.has_focus or not self.is_elsewhere)
        cursor = self.cursor_row if has_cursor else -1
        lines = []
        for row in range(offset.y + crop.y - HEADER_ROWS, offset.y + crop.bottom - HEADER_ROWS):
            if row < offset.y:
                lines.append(painter.header(offset.x, width, self.sort))
            elif row == cursor:
                lines.append(painter.cursor_line(row, self.cursor_column, offset, width))
            else:
                lines.append(painter.line(row, offset, width))
        base_background, background = self.background_colors
        # The bar covers the last column once it is laid out. Until then, the compositor drops a line that ends before
        # that column.
        blank = Style(bgcolor=(base_background + background).rich_color)
        lines = [line.extend_cell_length(size.width, blank) for line in lines]
        for line_filter in self.get_line_filters():
            lines = [line.apply_filter(line_filter, background) for line in lines]
        return lines if crop.column_span == (0, size.width) else [line.crop(crop.x, crop.right) for line in lines]

    def render_line(self, y: int) -> Strip:
        """Draw one line."""
        return self.render_lines(Region(0, y, self.size.width, 1))[0]

    def _component_style(self, name: str) -> Style:
        return self.get_component_rich_style(f"record-table--{name}", partial=True)

    def _role_style(self, role: str) -> Style:
        # From the theme itself: a component class for each role would be computed again at every change of the focus.
        color = self.app.theme_variables[f"role-{'accent' if role in ('news', 'match') else role}"]
        return Style(color=Color.parse(color).rich_color, bold=role in STRONG_ROLES or None)

    def notify_style_update(self) -> None:
        """Draw all lines again: the theme or the state changed."""
        self._painter.forget_styles()
        super().notify_style_update()

    def watch_raw(self, raw: bool) -> None:
        """Draw all cells again."""
        self._painter.raw = raw
        self._painter.forget_styles()

    def watch_filter(self, row_filter: Filter) -> None:
        """Highlight the matches."""
        self._painter.filter = row_filter
        self._painter.forget_styles()

    def _watch_marks(self) -> None:
        self._painter.marks = RowDecorations(self.drafts, self.marks, self.news, self.mask)
        self._painter.forget()
        self.refresh()

    watch_drafts = watch_marks = watch_news = watch_mask = _watch_marks

    # Geometry

    @property
    def geometry(self) -> ColumnGeometry:
        """The places of the columns."""
        return self._painter.geometry

    @property
    def _width(self) -> int:
        return max(0, self.size.width - self.scrollbar_size_vertical)

    @property
    def page_height(self) -> int:
        """The number of rows that the view has room for."""
        return max(0, self.size.height - HEADER_ROWS)

    def _set_columns(self, columns: Sequence[Column]) -> None:
        self._columns = tuple(columns)
        self._painter.geometry = ColumnGeometry(self._columns, self._width)
        self._painter.forget()

    def _place(self) -> None:
        if self.geometry.width != self._width:
            self._painter.geometry = ColumnGeometry(self._columns, self._width)

    def _fit(self) -> None:
        """Fit the size of the contents, the frozen column and the cursor to rows and columns."""
        self._place()
        count = self.rows.count
        size = Size(self.geometry.scroll_width, count + HEADER_ROWS)
        if size != self.virtual_size:
            self.virtual_size = size
            self.scroll_to(
                self.scroll_x, min(self.scroll_y, max(0, count - self.page_height)), animate=False, force=True
            )
            self._scroll_update(size)
            self._painter.forget()
            self.refresh()
        if self.cursor_row >= count:
            self.cursor_row = max(0, count - 1)

    def _size_updated(self, size: Size, virtual_size: Size, container_size: Size, layout: bool = True) -> bool:
        """Fit rows and columns to the new size before they are drawn; a resize event would come after that."""
        changed = super()._size_updated(size, virtual_size, container_size, layout)
        if changed:
            self._fit()
            self.reveal_cursor()
            # The position that the bar had while the view had another height may be beyond its end now.
            self.vertical_scrollbar.position = self.scroll_y
            self._post_rows_shown()
        return changed

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """Draw the rows that are in view now."""
        bar = self.vertical_scrollbar
        # In a large collection a page is less than an eighth of a cell of the bar: the bar is drawn again when the
        # change is visible, and when it is past its end, as it may be after the view was smaller.
        if bar.position > self.max_scroll_y or self._on_bar(bar.position) != self._on_bar(new_value):
            super().watch_scroll_y(old_value, new_value)
        elif round(old_value) != round(new_value):
            self.refresh(self.size.region)
        self._post_rows_shown()

    def _on_bar(self, y: float) -> int:
        """Return the position of line `y` on the scroll bar in eighths of a cell; -1 and -2 are its ends."""
        if y <= 0 or y >= self.max_scroll_y:
            return -1 if y <= 0 else -2
        return int(8 * y * self.size.height / self.virtual_size.height)

    def _post_rows_shown(self) -> None:
        view = self.view
        if view != self._shown and view[0] < view[1]:
            self._shown = view
            self.post_message(self.RowsShown(*view))
