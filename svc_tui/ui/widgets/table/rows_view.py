"""A scrolling view of rows of any number: it draws those in view, holds none, and never fetches."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, tzinfo

from rich.style import Style
from textual.color import Color
from textual.geometry import Region, Size
from textual.message import Message
from textual.reactive import Reactive, reactive, var
from textual.scroll_view import ScrollView
from textual.strip import Strip

from svc_tui.core.draft import Draft
from svc_tui.core.filters import NO_FILTER, Filter
from svc_tui.core.views import Sort
from svc_tui.records.columns import Column
from svc_tui.records.rows import Rows
from svc_tui.records.watching import RowChanges
from svc_tui.ui.widgets.table.cell_painter import STRONG_ROLES
from svc_tui.ui.widgets.table.column_geometry import ColumnGeometry
from svc_tui.ui.widgets.table.line_painter import LinePainter, RowDecorations

HEADER_ROWS = 1
"""Lines that the header takes at the top."""


class RowsView(ScrollView, inherit_bindings=False):
    """Rows of records under a fixed header, the first column fixed at the left.

    It asks `rows.get(i)` for what it draws; rows that are not there yet are drawn as waiting. Whoever fills the rows
    listens for `RowsShown` and calls `rows_changed`. What `cursor_row` and `cursor_column` are for is up to a subclass.
    """

    virtual_size: Reactive[Size] = var(Size(0, 0))
    """What there is to scroll over. The pane is as large as it is whatever that is: nothing is laid out for it."""
    cursor_row: var[int] = var(0, init=False)
    """The row the cursor is on, from 0."""
    cursor_column: var[int] = var(0, init=False)
    """The column the cursor is on, from 0."""
    drafts: reactive[Mapping[str, Draft]] = reactive({}, init=False)
    """Edits not yet sent, by the record's id; give a new mapping to change them."""
    marks: reactive[Collection[str]] = reactive((), init=False)
    """The ids of the records that are marked; give a new collection to change them."""
    news: reactive[RowChanges] = reactive(RowChanges(), init=False)
    """What has changed at the service of late; give another one to change it."""
    mask: reactive[Callable[[Draft], Draft] | None] = reactive(None, init=False)
    """How records look where they are not to be seen as they are: a draft as it may be drawn."""
    raw: reactive[bool] = reactive(False, init=False)
    """Whether values are shown as they came."""
    is_elsewhere: reactive[bool] = reactive(False, init=False)
    """Whether what is looked at has no row here: only while keys go to the rows, the cursor is on one of them."""
    filter: reactive[Filter] = reactive(NO_FILTER, init=False)
    """What the rows were chosen by: it stands out in their cells."""
    sort: reactive[Sort | None] = reactive(None, init=False)
    """The order of the rows, marked in the head of its column."""

    @dataclass
    class RowsShown(Message):
        """The rows in view have changed: from `first` up to `until`."""

        first: int
        until: int

    def __init__(self, tz: tzinfo = UTC, *, id: str | None = None) -> None:  # noqa: A002 - Textual's own name for it
        """Make the view; it shows times in `tz`."""
        super().__init__(id=id)
        self.tz = tz
        """The zone in which times are shown."""
        self._painter = LinePainter(tz)
        self._columns: tuple[Column, ...] = ()
        self._shown: tuple[int, int] | None = None

    # What it shows

    @property
    def rows(self) -> Rows:
        """The rows on show."""
        return self._painter.rows

    @property
    def columns(self) -> tuple[Column, ...]:
        """The columns on show."""
        return self._columns

    @property
    def zone(self) -> str:
        """What the zone of the times is called."""
        return self._painter.zone

    @property
    def view(self) -> tuple[int, int]:
        """The rows in view: the first, and the one after the last."""
        first = self.scroll_offset.y
        return first, min(self.rows.count, first + self.page_height)

    def rows_changed(self, changed: range | None) -> None:
        """Draw anew: these rows, or all (None). The number of rows may have changed as well."""
        self._painter.forget(changed)
        self._fit()
        first, until = self.view
        if changed is None or (changed.start < until and first < changed.stop):
            self.refresh()
        self._post_rows_shown()

    def _show_rows(self, rows: Rows) -> None:
        self._painter.rows = rows
        self._shown = None

    # Drawing

    def render_lines(self, crop: Region) -> list[Strip]:
        """The lines of a part of the view, from what is held; nothing is fetched.

        Textual keeps the lines of a widget with its border, padding and opacity, place by place. Here there is none of
        that, and lines are kept row by row: they can be used again one place higher.
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
        """One of these lines."""
        return self.render_lines(Region(0, y, self.size.width, 1))[0]

    def _component_style(self, name: str) -> Style:
        return self.get_component_rich_style(f"record-table--{name}", partial=True)

    def _role_style(self, role: str) -> Style:
        # From the theme itself: component classes, one for each, would be worked out anew at every change of the focus.
        color = self.app.theme_variables[f"role-{'accent' if role in ('news', 'match') else role}"]
        return Style(color=Color.parse(color).rich_color, bold=role in STRONG_ROLES or None)

    def notify_style_update(self) -> None:
        """Draw anew: another theme, or another state."""
        self._painter.forget_styles()
        super().notify_style_update()

    def watch_raw(self, raw: bool) -> None:
        """Redraw all cells."""
        self._painter.raw = raw
        self._painter.forget_styles()

    def watch_filter(self, wanted: Filter) -> None:
        """Let what it looks for stand out."""
        self._painter.filter = wanted
        self._painter.forget_styles()

    def _watch_marks(self) -> None:
        """Cells carry other signs."""
        self._painter.marks = RowDecorations(self.drafts, self.marks, self.news, self.mask)
        self._painter.forget()
        self.refresh()

    watch_drafts = watch_marks = watch_news = watch_mask = _watch_marks

    # Geometry

    @property
    def geometry(self) -> ColumnGeometry:
        """Where the columns are."""
        return self._painter.geometry

    @property
    def _width(self) -> int:
        return max(0, self.size.width - self.scrollbar_size_vertical)

    @property
    def page_height(self) -> int:
        """How many rows the view has room for."""
        return max(0, self.size.height - HEADER_ROWS)

    def _set_columns(self, columns: Sequence[Column]) -> None:
        self._columns = tuple(columns)
        self._painter.geometry = ColumnGeometry(self._columns, self._width)
        self._painter.forget()

    def _place(self) -> None:
        if self.geometry.width != self._width:
            self._painter.geometry = ColumnGeometry(self._columns, self._width)

    def _fit(self) -> None:
        """Bring the size of the whole, the frozen column and the cursor in line with rows and columns."""
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
        """Have more or fewer rows and columns in view before that is painted: a resize is told of only after it."""
        changed = super()._size_updated(size, virtual_size, container_size, layout)
        if changed:
            self._fit()
            self.reveal_cursor()
            # What the bar was told while the view had another height may lie beyond its end now.
            self.vertical_scrollbar.position = self.scroll_y
            self._post_rows_shown()
        return changed

    def reveal_cursor(self) -> None:
        """Scroll the cursor into view."""

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """The view moved."""
        bar = self.vertical_scrollbar
        # In a large collection a page is a hair's breadth of the bar: it is drawn again when that can be seen, and when
        # it stands past its end, as it may where the view was smaller before.
        if bar.position > self.max_scroll_y or self._on_bar(bar.position) != self._on_bar(new_value):
            super().watch_scroll_y(old_value, new_value)
        elif round(old_value) != round(new_value):
            self.refresh(self.size.region)
        self._post_rows_shown()

    def _on_bar(self, y: float) -> int:
        """Where the scroll bar shows line `y`, in eighths of a cell; its ends are told from everything else."""
        if y <= 0 or y >= self.max_scroll_y:
            return -1 if y <= 0 else -2
        return int(8 * y * self.size.height / self.virtual_size.height)

    def _post_rows_shown(self) -> None:
        view = self.view
        if view != self._shown and view[0] < view[1]:
            self._shown = view
            self.post_message(self.RowsShown(*view))
