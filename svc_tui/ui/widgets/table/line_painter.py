"""Drawing of a table's lines: loaded rows, rows being loaded, failed pages, and the header."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from datetime import tzinfo

from msgspec import Struct
from rich.segment import Segment
from rich.style import Style
from textual.geometry import Offset
from textual.strip import Strip

from svc_tui.core.draft import Draft
from svc_tui.core.field_path import value_at
from svc_tui.core.filters import NO_FILTER
from svc_tui.core.records import Record
from svc_tui.core.views import Sort
from svc_tui.records.columns import Column
from svc_tui.records.rows import HeldRows, Rows
from svc_tui.records.watched_changes import RowChanges
from svc_tui.ui.text import pad, shorten, visible
from svc_tui.ui.widgets.table.cell_painter import CELL_ROLES, CellPainter
from svc_tui.ui.widgets.table.column_geometry import GAP_CELLS, ColumnGeometry

_RETRY_HINT = " · r Retry"

_MAX_STRIPS = 512


@dataclass(slots=True)
class RowDecorations:
    """The signs of rows and cells besides their values."""

    drafts: Mapping[str, Draft]
    """Unsent edits by the id of their record."""
    marked: Collection[str]
    """The ids of the marked records."""
    news: RowChanges
    """The recent changes at the service."""
    mask: Callable[[Draft], Draft] | None
    """A function that masks the personal data of a draft; None if nothing is masked."""

    def __bool__(self) -> bool:
        """Return True if there are any."""
        return bool(self.drafts or self.marked or self.news) or self.mask is not None


class _Styles(Struct, frozen=True):
    """The styles in use, combined once: looking them up is slow, and every line needs them."""

    plain: CellPainter
    cursor: CellPainter
    """The painter of the line with the cursor."""
    cell: Style
    """The style over the cell with the cursor."""
    header: Style
    more: Style


class LinePainter:
    """The painter of `rows` in the columns of `geometry`; lines without the cursor are cached until `forget`."""

    def __init__(self, tz: tzinfo) -> None:
        self.rows: Rows = HeldRows()
        self.geometry = ColumnGeometry()
        self.marks = RowDecorations({}, (), RowChanges(), None)
        self.raw = False
        self.filter = NO_FILTER
        self._tz = tz
        self._styles: _Styles | None = None
        self._strips: dict[int, Strip] = {}
        self._strips_at = (0, 0)

    @property
    def zone(self) -> str:
        """The name of the time zone."""
        return self._tz.tzname(None) or ""

    @property
    def styled(self) -> bool:
        """True if the styles are set."""
        return self._styles is not None

    def restyle(self, base: Style, component: Callable[[str], Style], role: Callable[[str], Style]) -> None:
        """Set the styles: that of the table, those of its component classes by their last word, those of the roles."""

        def painter(style: Style) -> CellPainter:
            return CellPainter(
                style, {name: style + role(name) for name in CELL_ROLES}, self._tz, self.raw, self.filter
            )

        self._styles = _Styles(
            painter(base),
            painter(base + component("cursor-row")),
            component("cursor-cell"),
            base + component("header"),
            base + component("more"),
        )

    def forget_styles(self) -> None:
        """Clear the styles and all lines drawn in them."""
        self._styles = None
        self.forget()

    def forget(self, rows: range | None = None) -> None:
        """Clear the cached lines of these rows, or all of them (None)."""
        if rows is None:
            self._strips.clear()
            if self._styles is not None:
                self._styles.plain.forget()
                self._styles.cursor.forget()
        else:
            for row in [row for row in self._strips if row in rows]:
                del self._strips[row]

    def line(self, row: int, offset: Offset, width: int) -> Strip:
        """Return the line of a row without the cursor, `width` cells from `offset.x`; blank past the last row.

        `offset.y` is the first row in view.
        """
        styles = self._known
        if row >= self.rows.count:
            return Strip.blank(width, styles.plain.base)
        if self._strips_at != (offset.x, width):
            self.forget()
            self._strips_at = offset.x, width
        if (strip := self._strips.get(row)) is None:
            strip = self._row(styles.plain, row, offset, width)
            if not self.rows.waiting(row):
                if len(self._strips) >= _MAX_STRIPS:
                    self._strips.clear()
                self._strips[row] = strip
        return strip

    def cursor_line(self, row: int, column: int, offset: Offset, width: int) -> Strip:
        """Return the line with the cursor, in the cell of `column`."""
        styles = self._known
        return self._row(styles.cursor, row, offset, width, column, styles.cell)

    def header(self, x: int, width: int, sort: Sort | None) -> Strip:
        """Return the header; `‹` and `›` show that there are more columns on a side."""
        styles = self._known
        painter = styles.plain
        zone = "" if self.raw else self.zone

        def head(_: int, column: Column, gap: int) -> list[Segment]:
            ordered = sort if sort is not None and sort.field == column.name else None
            mark = "" if ordered is None else "▼" if ordered.descending else "▲"
            return painter.header(column, gap, styles.header, mark, zone)

        line = self._assemble(head, x, width, painter.base)
        frozen = self.geometry.frozen
        if x > 0 and width > frozen:
            at = max(0, frozen - GAP_CELLS)
            line = Strip.join([line.crop(0, at), Strip([Segment("‹", styles.more)], 1), line.crop(at + 1, width)])
        if self.geometry.total_width - x > width > 0:
            line = Strip.join([line.crop(0, width - 1), Strip([Segment("›", styles.more)], 1)])
        return line

    def _shows_failure(self, row: int, first: int) -> bool:
        """Return True if `row` is the first one of a failed page in view, which shows the reason."""
        return row == first or self.rows.page_of(row - 1) != self.rows.page_of(row)

    @property
    def _known(self) -> _Styles:
        assert self._styles is not None
        return self._styles

    def _row(
        self, painter: CellPainter, row: int, offset: Offset, width: int, cursor: int = -1, over: Style | None = None
    ) -> Strip:
        record = self.rows.get(row)
        if record is None:
            if not self.rows.waiting(row):
                return Strip.blank(width, painter.base)
            if (reason := self.rows.failure(row)) is not None and self._shows_failure(row, offset.y):
                why = shorten(visible(reason), width - len(_RETRY_HINT) - 2)
                return Strip([Segment(pad(f"✕ {why}{_RETRY_HINT}", width), painter.styles["danger"])], width)
        marks = self.marks
        decorated = bool(marks)
        draft = marks.drafts.get(record.id or "") if record is not None and marks.drafts else None
        marked = record is not None and bool(marks.marked) and record.id in marks.marked
        masked = None
        if record is not None and marks.mask is not None:
            masked = Record(marks.mask(draft or Draft(record)).fields)

        def cell(index: int, column: Column, gap: int) -> list[Segment]:
            here = over if index == cursor else None
            if record is None:
                return painter.waiting(column, gap, here)
            if not decorated and here is None:
                return painter.plain_cell(index, column, gap, value_at(record.fields, column.name))
            first = index == 0
            news = marks.news.sign(record.id, column.name, first=first) if marks.news else ""
            return painter.cell(
                column, gap, record, draft, masked, here, first=first, marked=marked and first, news=news
            )

        return self._assemble(cell, offset.x, width, painter.base)

    def _assemble(self, cell: Callable[[int, Column, int], list[Segment]], x: int, width: int, base: Style) -> Strip:
        """Return a line of `width` cells: the frozen column, then the others in view."""
        segments: list[Segment] = []
        end = 0
        for at in self.geometry.view(x):
            if at.start > end:
                segments.append(Segment(" " * (at.start - end), base))
            segments.extend(cell(at.index, at.column, at.gap))
            end = at.start + at.column.width + at.gap
        if end < width:
            segments.append(Segment(" " * (width - end), base))
        return Strip(segments, width)
