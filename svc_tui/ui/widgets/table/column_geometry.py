"""Fits a table's columns into its width: which text is shortened, what is cut; an id at the left stays in view."""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from itertools import accumulate

from msgspec import Struct

from svc_tui.core.kinds import Kind
from svc_tui.core.values import replace
from svc_tui.records.columns import MIN_WIDTH, Column

GAP_CELLS = 2
"""Empty cells between columns."""

_MAX_FROZEN_SHARE = 0.6
"""The id column scrolls with the rest where it would take more than this share of the width."""


class VisibleColumn(Struct, frozen=True):
    """A column in view: its number, how (cut to the room there is), its first cell, and the gap's cells after it."""

    index: int
    column: Column
    start: int
    gap: int


_MIN_TEXT_WIDTH = 12
"""Cells that a text keeps when it gives way to others."""


def _starts(columns: Sequence[Column]) -> list[int]:
    return [0, *accumulate(column.width + GAP_CELLS for column in columns)][: len(columns)]


def _fitted(columns: Sequence[Column], width: int) -> tuple[Column, ...]:
    """The columns; where the view's end would cut a status, a time or a number, the widest text before it is shortened.

    The last cell of the header is the mark's that more columns follow: a name that ends there counts as cut.
    """
    fitted = list(columns)
    for at, (column, start) in enumerate(zip(columns, _starts(columns), strict=True)):
        end = width - 1 if column.right and at + 1 < len(columns) else width
        missing = start + column.width - end
        if missing <= 0:
            continue
        before = fitted[:at]
        texts = [text for text in before if text.kind is Kind.TEXT and not text.by_hand]
        widest = max(texts, key=lambda text: text.width, default=None)
        if (
            (column.kind.facts.is_kept_whole or column.right)
            and column.width - missing >= MIN_WIDTH
            and widest is not None
            and widest.width - missing >= _MIN_TEXT_WIDTH
        ):
            fitted[fitted.index(widest)] = replace(widest, width=widest.width - missing)
        break
    return tuple(fitted)


class ColumnGeometry:
    """The places of `columns` in a view of `width` cells; `x` is always the cells that the view is scrolled by."""

    def __init__(self, columns: Sequence[Column] = (), width: int = 0) -> None:
        self.columns = columns = _fitted(columns, width)
        self.width = width
        self._starts = _starts(columns)
        self.total_width = max(0, sum(column.width + GAP_CELLS for column in columns) - GAP_CELLS)
        """The cells that all columns take."""
        first = columns[0] if columns else None
        frozen = first.width + GAP_CELLS if first is not None and first.kind is Kind.ID else 0
        self.frozen = frozen if frozen <= width * _MAX_FROZEN_SHARE else 0
        """The cells at the left that stay, with their gap; 0 where nothing does."""
        self._view: tuple[VisibleColumn, ...] = ()
        self._view_at = -1

    @property
    def scroll_width(self) -> int:
        """The width to scroll over: a little more than the columns take, so that the view can begin with a column."""
        spare = self.total_width - self.width
        return self.total_width if spare <= 0 or not self.columns else self._snapped(spare) + self.width

    def view(self, x: int) -> tuple[VisibleColumn, ...]:
        """The columns in view.

        A column of which only the end would be in view is left out: half a number looks like another number.
        """
        if self._view_at != x:
            self._view, self._view_at = tuple(self._placed(x)), x
        return self._view

    def _placed(self, x: int) -> list[VisibleColumn]:
        width = self.width
        placed = []
        if self.frozen:
            placed.append(VisibleColumn(0, self.columns[0], 0, min(GAP_CELLS, width - self.columns[0].width)))
        first = max(1 if self.frozen else 0, bisect_left(self._starts, x + self.frozen))
        for index in range(first, len(self.columns)):
            column, start = self.columns[index], self._starts[index] - x
            room = width - start
            if room < min(column.width, MIN_WIDTH):
                break
            shown = column if column.width <= room else replace(column, width=room)
            placed.append(VisibleColumn(index, shown, start, min(GAP_CELLS, room - shown.width)))
        return placed

    def at(self, cell: int, x: int) -> int:
        """The column at a cell of the view, or whose gap is there."""
        return max(0, bisect_right(self._starts, cell if cell < self.frozen else cell + x) - 1)

    def edge(self, cell: int, x: int) -> int | None:
        """The column whose right edge is at a cell of the view: the gap after it; None where there is none."""
        edges = (at.index for at in self.view(x) if at.gap and 0 <= cell - at.start - at.column.width < at.gap)
        return next(edges, None)

    def x_to_reveal(self, index: int, x: int) -> int:
        """The `x` at which the column can be seen; the same one where it can be already."""
        if (self.frozen and index == 0) or index >= len(self.columns):
            return x
        start = self._starts[index] - self.frozen
        until = start + self.columns[index].width
        room = self.width - self.frozen
        if start < x or until - start > room:
            return start
        return self._snapped(until - room) if until > x + room else x

    def _snapped(self, x: int) -> int:
        """The nearest place at or after `x` where the part of the view that scrolls begins with a column."""
        at = bisect_left(self._starts, x + self.frozen)
        return self._starts[min(at, len(self._starts) - 1)] - self.frozen
