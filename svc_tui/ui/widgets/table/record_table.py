"""The table of a collection of any size: it draws the rows in view, holds none, and never fetches."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, tzinfo
from typing import ClassVar

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.binding import Binding, BindingType
from textual.geometry import Region, Size
from textual.message import Message
from textual.reactive import reactive, var
from textual.scroll_view import ScrollView
from textual.strip import Strip

from svc_tui.domain.collections.columns import Column
from svc_tui.domain.collections.sparse_rows import Rows, SparseRows
from svc_tui.domain.collections.views import Sort
from svc_tui.domain.collections.watching import News
from svc_tui.domain.editing.draft import Draft
from svc_tui.domain.model.records import Record
from svc_tui.ui.text import padded, shortened, visible
from svc_tui.ui.widgets.table.cell_painter import ROLES, CellPainter
from svc_tui.ui.widgets.table.column_layout import GAP, ColumnPlaces
from svc_tui.ui.widgets.table.header_mouse import HeaderMouse

_HEADER = 1
"""Lines that the header takes at the top."""

_AGAIN = " · r tries again"

_MAX_STRIPS = 512


@dataclass(frozen=True, slots=True)
class _Paint:
    """The styles in use, composed once: they are dear to look up and drawing asks for them at every line."""

    plain: CellPainter
    cursor: CellPainter
    """For the line that the cursor is on."""
    cell: Style
    """Over the cell that the cursor is on."""
    header: Style
    more: Style


class RecordTable(ScrollView, can_focus=True, inherit_bindings=False):
    """Rows of records under a fixed header, the id column fixed at the left.

    It asks `rows.get(i)` for what it draws; rows that are not there yet are drawn as waiting. Whoever fills the rows
    listens for `RowsShown` and calls `rows_changed`.
    """

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
        & > .record-table--muted { color: $role-muted; }
        & > .record-table--number { color: $role-number; }
        & > .record-table--time { color: $role-time; }
        & > .record-table--reference { color: $role-reference; }
        & > .record-table--text { color: $role-text; }
        & > .record-table--ok { color: $role-ok; }
        & > .record-table--warning { color: $role-warning; }
        & > .record-table--danger { color: $role-danger; }
        & > .record-table--changed { color: $role-changed; text-style: bold; }
        & > .record-table--marked { color: $role-marked; text-style: bold; }
        & > .record-table--news { color: $role-accent; text-style: bold; }
    }
    """
    COMPONENT_CLASSES = {
        "record-table--header",
        "record-table--more",
        "record-table--cursor-row",
        "record-table--cursor-cell",
        *(f"record-table--{role}" for role in ROLES),
    }

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,k", "move(-1)", "Up", show=False, id="table.up", tooltip="To the record above"),
        Binding("down,j", "move(1)", "Down", show=False, id="table.down", tooltip="To the record below"),
        Binding("left,h", "side(-1)", "Left", show=False, id="table.left", tooltip="To the field at the left"),
        Binding("right,l", "side(1)", "Right", show=False, id="table.right", tooltip="To the field at the right"),
        Binding("pageup", "page(-1)", "Page up", show=False, id="table.page_up", tooltip="A page up"),
        Binding("pagedown", "page(1)", "Page down", show=False, id="table.page_down", tooltip="A page down"),
        Binding("home,g", "first", "First", show=False, id="table.first", tooltip="To the first record"),
        Binding("end,G", "last", "Last", show=False, id="table.last", tooltip="To the true last record"),
        Binding("enter", "choose", "Open", id="table.open", tooltip="Open the record under the cursor"),
    ]

    cursor_row: var[int] = var(0, init=False)
    """The row the cursor is on, from 0."""
    cursor_column: var[int] = var(0, init=False)
    """The column the cursor is on, from 0."""
    drafts: reactive[Mapping[str, Draft]] = reactive({}, init=False)
    """Edits not yet sent, by the record's id; give a new mapping to change them."""
    marks: reactive[Collection[str]] = reactive((), init=False)
    """The ids of the records that are marked; give a new collection to change them."""
    news: reactive[News] = reactive(News(), init=False)
    """What has changed at the service of late; give another one to change it."""
    raw: reactive[bool] = reactive(False, init=False)
    """Whether values are shown as they came."""
    look: reactive[Callable[[Draft], Draft] | None] = reactive(None, init=False)
    """How records look where they are not to be seen as they are: a draft as it may be drawn."""
    sort: reactive[Sort | None] = reactive(None, init=False)
    """The order of the rows, marked in the head of its column."""

    @dataclass
    class RowsShown(Message):
        """The rows in view have changed: from `first` up to `until`."""

        first: int
        until: int

    @dataclass
    class CursorMoved(Message):
        """The cursor is on another record; `record_id` None while the row has not come, or has no id."""

        row: int
        record_id: str | None

    @dataclass
    class RecordChosen(Message):
        """Somebody wants to see this record."""

        record: Record

    @dataclass
    class SortWanted(Message):
        """Somebody clicked on the head of a column."""

        field: str

    @dataclass
    class ColumnSized(Message):
        """Somebody gives a column another width in cells, None being that of its values; `kept` once it is let go."""

        field: str
        width: int | None
        kept: bool

    @dataclass
    class MarkWanted(Message):
        """Somebody clicked on `row` to mark it, or to mark all from `start`, where the cursor was (`reach`)."""

        start: int
        row: int
        reach: bool

    @dataclass
    class EndWanted(Message):
        """Somebody wants to go to the last record; the cursor is already there if the end is known."""

    def __init__(self, tz: tzinfo = UTC, *, id: str | None = None) -> None:  # noqa: A002 - Textual's own name for it
        """Make the table; it shows times in `tz`."""
        super().__init__(id=id)
        self._tz = tz
        self._mouse = HeaderMouse()
        self._rows: Rows = SparseRows(1)
        self._columns: tuple[Column, ...] = ()
        self._places = ColumnPlaces()
        self._strips: dict[int, Strip] = {}
        self._strips_at = (0, 0)
        self._paint: _Paint | None = None
        self._told: tuple[int, str | None] | None = None
        self._shown: tuple[int, int] | None = None

    # What it shows

    @property
    def rows(self) -> Rows:
        """The rows on show."""
        return self._rows

    @property
    def columns(self) -> tuple[Column, ...]:
        """The columns on show."""
        return self._columns

    @property
    def cursor_record(self) -> Record | None:
        """The record under the cursor, as the service gave it."""
        return self._rows.get(self.cursor_row)

    @property
    def cursor_field(self) -> str:
        """The path of the field under the cursor; "" where there is none."""
        return self._columns[self.cursor_column].name if self.cursor_column < len(self._columns) else ""

    @property
    def zone(self) -> str:
        """What the zone of the times is called."""
        return self._tz.tzname(None) or ""

    @property
    def view(self) -> tuple[int, int]:
        """The rows in view: the first, and the one after the last."""
        first = self.scroll_offset.y
        return first, min(self._rows.count, first + self._page_height)

    def show(self, rows: Rows, columns: Sequence[Column]) -> None:
        """Show other rows, from the top."""
        self._rows = rows
        self._told = self._shown = None
        self._set_columns(columns)
        self.set_reactive(RecordTable.cursor_row, 0)
        self.set_reactive(RecordTable.cursor_column, 0)
        self.scroll_to(0, 0, animate=False, force=True)
        self.rows_changed(None)

    def show_rows(self, rows: Rows, row: int) -> None:
        """Show other rows under the same columns, the cursor on `row`."""
        self._rows = rows
        self._told = self._shown = None
        self.rows_changed(None)
        self.move_to(row)
        self.refresh()

    def show_columns(self, columns: Sequence[Column]) -> None:
        """Show other columns; the cursor stays on its field where that is still there."""
        name = self.cursor_field
        self._set_columns(columns)
        names = [column.name for column in self._columns]
        self.cursor_column = names.index(name) if name in names else min(self.cursor_column, max(0, len(names) - 1))
        self._fit()

    def rows_changed(self, changed: range | None) -> None:
        """Draw anew: these rows, or all (None). The number of rows may have changed as well."""
        if changed is None:
            self._strips.clear()
        else:
            for row in [row for row in self._strips if row in changed]:
                del self._strips[row]
        self._fit()
        first, until = self.view
        if changed is None or (changed.start < until and first < changed.stop):
            self.refresh()
        self._tell_view()
        self._tell_cursor()

    def move_to(self, row: int) -> None:
        """Put the cursor on a row, and the row in view."""
        self.cursor_row = row
        self._reveal_row()

    # Drawing

    def render_line(self, y: int) -> Strip:
        """One line, from what is held; nothing is fetched."""
        width = self._width
        self._place()
        paint = self._paint or self._prepare()
        if y < _HEADER:
            return self._header(paint, width)
        row = self.scroll_offset.y + y - _HEADER
        if row >= self._rows.count:
            return Strip.blank(width, paint.plain.base)
        if row == self.cursor_row:
            return self._line(paint.cursor, row, width, over=paint.cell)
        at = (self.scroll_offset.x, width)
        if self._strips_at != at:
            self._strips.clear()
            self._strips_at = at
        if (strip := self._strips.get(row)) is None:
            strip = self._line(paint.plain, row, width)
            if not self._rows.waiting(row):
                if len(self._strips) >= _MAX_STRIPS:
                    self._strips.clear()
                self._strips[row] = strip
        return strip

    def notify_style_update(self) -> None:
        """Another theme, or another state: what was drawn in the old styles goes."""
        self._strips.clear()
        self._paint = None
        super().notify_style_update()

    def _prepare(self) -> "_Paint":
        def component(name: str) -> Style:
            return self.get_component_rich_style(f"record-table--{name}", partial=True)

        def painter(base: Style) -> CellPainter:
            return CellPainter(base, {role: base + component(role) for role in ROLES}, self._tz, self.raw)

        base = self.rich_style
        self._paint = _Paint(
            painter(base),
            painter(base + component("cursor-row")),
            component("cursor-cell"),
            base + component("header"),
            base + component("more"),
        )
        return self._paint

    def _line(self, painter: CellPainter, row: int, width: int, *, over: Style | None = None) -> Strip:
        record = self._rows.get(row)
        if record is None:
            if not self._rows.waiting(row):
                return Strip.blank(width, painter.base)
            if (reason := self._rows.failure(row)) is not None and self._speaks(row):
                why = shortened(visible(reason), width - len(_AGAIN) - 2)
                text = padded(f"✕ {why}{_AGAIN}", width)
                return Strip([Segment(text, painter.styles["danger"])], width)
        draft = self.drafts.get(record.id or "") if record is not None and self.drafts else None

        marked = record is not None and bool(self.marks) and record.id in self.marks
        seen = None
        if record is not None and self.look is not None:
            seen = Record(self.look(draft or Draft(record)).fields)

        def cell(index: int, column: Column, gap: int) -> list[Segment]:
            here = over if index == self.cursor_column else None
            if record is None:
                return painter.waiting(column, gap, here)
            news = self.news.sign(record.id, column.name, first=index == 0) if self.news else ""
            first = index == 0
            mine = marked and first
            return painter.cell(column, gap, record, draft, seen, here, first=first, marked=mine, news=news)

        return self._assemble(cell, width, painter.base)

    def _speaks(self, row: int) -> bool:
        """Whether `row` is the first of a failed page that is in view: the one that says why."""
        return row == self.scroll_offset.y or self._rows.page_of(row - 1) != self._rows.page_of(row)

    def _header(self, paint: "_Paint", width: int) -> Strip:
        painter = paint.plain
        zone = "" if self.raw else self.zone

        def head(_: int, column: Column, gap: int) -> list[Segment]:
            sort = self.sort if self.sort is not None and self.sort.field == column.name else None
            mark = "" if sort is None else "▼" if sort.descending else "▲"
            return painter.header(column, gap, paint.header, mark, zone)

        line = self._assemble(head, width, painter.base)
        x, frozen = self.scroll_offset.x, self._places.frozen
        if x > 0 and width > frozen:
            at = max(0, frozen - GAP)
            line = Strip.join([line.crop(0, at), Strip([Segment("‹", paint.more)], 1), line.crop(at + 1, width)])
        if self._places.wide - x > width > 0:
            line = Strip.join([line.crop(0, width - 1), Strip([Segment("›", paint.more)], 1)])
        return line

    def _assemble(self, cell: Callable[[int, Column, int], list[Segment]], width: int, base: Style) -> Strip:
        """A line of `width` cells: the frozen column, then those of the others that are in view."""
        segments: list[Segment] = []
        end = 0
        for at in self._places.view(self.scroll_offset.x):
            if at.start > end:
                segments.append(Segment(" " * (at.start - end), base))
            segments.extend(cell(at.index, at.column, at.gap))
            end = at.start + at.column.width + at.gap
        if end < width:
            segments.append(Segment(" " * (width - end), base))
        return Strip(segments, width)

    # Geometry

    @property
    def _width(self) -> int:
        return max(0, self.size.width - self.scrollbar_size_vertical)

    @property
    def _page_height(self) -> int:
        return max(0, self.size.height - _HEADER)

    def _set_columns(self, columns: Sequence[Column]) -> None:
        self._columns = tuple(columns)
        self._places = ColumnPlaces(self._columns, self._width)
        self._strips.clear()

    def _place(self) -> None:
        if self._places.width != self._width:
            self._places = ColumnPlaces(self._columns, self._width)

    def _fit(self) -> None:
        """Bring the size of the whole, the frozen column and the cursor in line with rows and columns."""
        self._place()
        count = self._rows.count
        size = Size(self._places.reach, count + _HEADER)
        if size != self.virtual_size:
            self.virtual_size = size
            self.scroll_to(
                self.scroll_x, min(self.scroll_y, max(0, count - self._page_height)), animate=False, force=True
            )
            self._strips.clear()
            self.refresh()
        if self.cursor_row >= count:
            self.cursor_row = max(0, count - 1)

    def _reveal_row(self) -> None:
        height = self._page_height
        if not height:
            return  # A later resize reveals it.
        top = self.scroll_offset.y
        if self.cursor_row < top:
            self.scroll_to(y=self.cursor_row, animate=False, force=True)
        elif self.cursor_row >= top + height:
            self.scroll_to(y=self.cursor_row - height + 1, animate=False, force=True)

    def _reveal_column(self) -> None:
        x = self.scroll_offset.x
        if (to := self._places.revealing(self.cursor_column, x)) != x:
            self.scroll_to(x=to, animate=False, force=True)

    def on_resize(self) -> None:
        """More or fewer rows and columns are in view."""
        self._strips.clear()
        self._fit()
        self._reveal_row()
        self._reveal_column()
        # What the bar was told while the view had another height may lie beyond its end now.
        self.vertical_scrollbar.position = self.scroll_y
        self._tell_view()

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """The view moved."""
        bar = self.vertical_scrollbar
        # In a large collection a page is a hair's breadth of the bar: it is drawn again when that can be seen, and when
        # it stands past its end, as it may where the view was smaller before.
        if bar.position > self.max_scroll_y or self._on_bar(bar.position) != self._on_bar(new_value):
            super().watch_scroll_y(old_value, new_value)
        elif round(old_value) != round(new_value):
            self.refresh(self.size.region)
        self._tell_view()

    def _on_bar(self, y: float) -> int:
        """Where the scroll bar shows line `y`, in eighths of a cell; its ends are told from everything else."""
        if y <= 0 or y >= self.max_scroll_y:
            return -1 if y <= 0 else -2
        return int(8 * y * self.size.height / self.virtual_size.height)

    def _tell_view(self) -> None:
        view = self.view
        if view != self._shown and view[0] < view[1]:
            self._shown = view
            self.post_message(self.RowsShown(*view))

    # The cursor

    def validate_cursor_row(self, row: int) -> int:
        """Never outside the rows."""
        return max(0, min(row, self._rows.count - 1))

    def validate_cursor_column(self, column: int) -> int:
        """Never outside the columns."""
        return max(0, min(column, len(self._columns) - 1))

    def watch_cursor_row(self, old: int, new: int) -> None:
        """The line that the cursor left and the one that it is on look different now."""
        self._refresh_row(old)
        self._refresh_row(new)
        self._tell_cursor()

    def watch_cursor_column(self) -> None:
        """Another cell of the line is marked."""
        self._reveal_column()
        self._refresh_row(self.cursor_row)

    def watch_raw(self) -> None:
        """All cells look different."""
        self._paint = None
        self._strips.clear()

    def watch_look(self) -> None:
        """All cells look different."""
        self._strips.clear()

    def watch_marks(self) -> None:
        """Marked records look different."""
        self._strips.clear()
        self.refresh()

    def watch_news(self) -> None:
        """Cells carry other signs."""
        self._strips.clear()
        self.refresh()

    def watch_drafts(self) -> None:
        """Changed cells look different."""
        self._strips.clear()
        self.refresh()

    def _refresh_row(self, row: int) -> None:
        y = row - self.scroll_offset.y + _HEADER
        if _HEADER <= y < self.size.height:
            self.refresh(Region(0, y, self._width, 1))

    def _tell_cursor(self) -> None:
        record = self.cursor_record
        told = (self.cursor_row, record.id if record is not None else None)
        if told != self._told and self._rows.count:
            self._told = told
            self.post_message(self.CursorMoved(*told))

    def action_move(self, rows: int) -> None:
        """The cursor up or down."""
        self.move_to(self.cursor_row + rows)

    def action_page(self, pages: int) -> None:
        """A page up or down; the cursor keeps its place in the view."""
        step = pages * max(1, self._page_height)
        self.scroll_to(y=self.scroll_offset.y + step, animate=False, force=True)
        self.move_to(self.cursor_row + step)

    def action_side(self, columns: int) -> None:
        """The cursor left or right."""
        self.cursor_column += columns

    def action_first(self) -> None:
        """To the first record."""
        self.move_to(0)

    def action_last(self) -> None:
        """To the last record, as far as the end is known."""
        if self._rows.end_known:
            self.move_to(self._rows.count - 1)
        self.post_message(self.EndWanted())

    def action_choose(self) -> None:
        """Open the record under the cursor."""
        if (record := self.cursor_record) is not None:
            self.post_message(self.RecordChosen(record))

    def on_click(self, event: events.Click) -> None:
        """A click puts the cursor there, with ctrl or shift it marks; a double click opens. The header has its own."""
        row = self.scroll_offset.y + event.y - _HEADER
        if event.y < _HEADER:
            self._click_header(event)
            return
        if row >= self._rows.count:
            return
        event.stop()
        if event.ctrl or event.shift:
            self.post_message(self.MarkWanted(self.cursor_row, row, reach=event.shift))
        self.cursor_row = row
        self.cursor_column = self._places.at(event.x, self.scroll_offset.x)
        if event.chain == 2 and not (event.ctrl or event.shift):
            self.action_choose()

    # The header under the mouse

    def _click_header(self, event: events.Click) -> None:
        event.stop()
        match self._mouse.click(self._places, event.x, self.scroll_offset.x, event.chain):
            case str(path):
                self.post_message(self.SortWanted(path))
            case (path, width):
                self.post_message(self.ColumnSized(path, width, kept=True))

    def on_mouse_down(self, event: events.MouseDown) -> None:
        """An edge in the header is taken hold of."""
        if event.y < _HEADER and self._mouse.press(self._places, event.x, self.scroll_offset.x):
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
