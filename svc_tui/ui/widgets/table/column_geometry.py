"""The places of a table's columns: how they fit into its width, and what the mouse does in its header."""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import TypeAlias

from msgspec import Struct

from svc_tui.core.kinds import Kind
from svc_tui.core.values import replace
from svc_tui.records.columns import MIN_WIDTH, Column

GAP_CELLS = 2
"""Empty cells between columns."""

_MIN_TEXT_WIDTH = 12
"""Cells that a text column keeps when it is narrowed for others."""

_MAX_FROZEN_SHARE = 0.6
"""The share of the width above which the id column scrolls with the others."""


SizedColumn: TypeAlias = tuple[str, int | None]
"""The path of a column and its new width; None for the width of its values."""


class VisibleColumn(Struct, frozen=True):
    """A column in view."""

    index: int
    column: Column
    """The column, narrowed to the room there is."""
    start: int
    """Its first cell in the view."""
    gap: int
    """The empty cells after it."""


def _starts(columns: Sequence[Column]) -> list[int]:
    return [0, *accumulate(column.width + GAP_CELLS for column in columns)][: len(columns)]


def _fitted(columns: Sequence[Column], width: int) -> tuple[Column, ...]:
    """Return the columns, the widest text narrowed if the view would otherwise cut a status, a time or a number.

    The last cell of the header has the mark for more columns: a name that ends there counts as cut.
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
    """The places of `columns` in a view of `width` cells; `x` is the number of cells that the view is scrolled by."""

    def __init__(self, columns: Sequence[Column] = (), width: int = 0) -> None:
        self.columns = columns = _fitted(columns, width)
        self.width = width
        self._starts = _starts(columns)
        self.total_width = max(0, sum(column.width + GAP_CELLS for column in columns) - GAP_CELLS)
        """The width of all columns."""
        first = columns[0] if columns else None
        frozen = first.width + GAP_CELLS if first is not None and first.kind is Kind.ID else 0
        self.frozen = frozen if frozen <= width * _MAX_FROZEN_SHARE else 0
        """The cells of the column at the left that does not scroll, with its gap; 0 if there is none."""
        self._view: tuple[VisibleColumn, ...] = ()
        self._view_at = -1

    @property
    def scroll_width(self) -> int:
        """The width to scroll over: that of the columns and a little more, to let the view begin with a column."""
        spare = self.total_width - self.width
        return self.total_width if spare <= 0 or not self.columns else self._snapped(spare) + self.width

    def view(self, x: int) -> tuple[VisibleColumn, ...]:
        """Return the columns in view.

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
        """Return the index of the column at a cell of the view, or before the gap there."""
        return max(0, bisect_right(self._starts, cell if cell < self.frozen else cell + x) - 1)

    def edge(self, cell: int, x: int) -> int | None:
        """Return the index of the column whose right edge, the gap after it, is at a cell of the view, or None."""
        edges = (at.index for at in self.view(x) if at.gap and 0 <= cell - at.start - at.column.width < at.gap)
        return next(edges, None)

    def x_to_reveal(self, index: int, x: int) -> int:
        """Return the `x` that brings a column into view; the same `x` if it is in view."""
        if (self.frozen and index == 0) or index >= len(self.columns):
            return x
        start = self._starts[index] - self.frozen
        until = start + self.columns[index].width
        room = self.width - self.frozen
        if start < x or until - start > room:
            return start
        return self._snapped(until - room) if until > x + room else x

    def _snapped(self, x: int) -> int:
        """Return the nearest `x`, not before this one, at which the scrolling part of the view begins with a column."""
        at = bisect_left(self._starts, x + self.frozen)
        return self._starts[min(at, len(self._starts) - 1)] - self.frozen


@dataclass(slots=True)
class _HeldEdge:
    """The edge being dragged: its column has `width` with the mouse at `cell`."""

    path: str
    width: int
    cell: int
    moved: bool = False


class HeaderMouse:
    """The mouse in the header: a click on a name sorts, dragging an edge sizes its column.

    `cell` is its position in the view, `x` the number of cells that the view is scrolled by.
    """

    def __init__(self) -> None:
        self._edge: _HeldEdge | None = None
        self._head: str | None = None

    def press(self, geometry: ColumnGeometry, cell: int, x: int) -> bool:
        """Handle a button press. Return True if it is on an edge."""
        self._edge, self._head = None, _header_at(geometry, cell, x)
        if (index := geometry.edge(cell, x)) is not None:
            column = geometry.columns[index]
            self._edge = _HeldEdge(column.name, column.width, cell)
        return self._edge is not None

    def move(self, cell: int) -> SizedColumn | None:
        """Return the new width of the column whose edge is dragged; None if no edge is held, or it did not move."""
        edge = self._edge
        if edge is None or cell == edge.cell:
            return None
        edge.width, edge.cell, edge.moved = edge.width + cell - edge.cell, cell, True
        return edge.path, edge.width

    def release(self, cell: int) -> SizedColumn | None:
        """Return the final width; None if no edge was dragged."""
        self.move(cell)
        return (self._edge.path, self._edge.width) if self._edge is not None and self._edge.moved else None

    def click(self, geometry: ColumnGeometry, cell: int, x: int, times: int) -> str | SizedColumn | None:
        """Return the path of the column to sort by, or the width for an edge that was double-clicked."""
        if (edge := geometry.edge(cell, x)) is not None:
            return (geometry.columns[edge].name, None) if times == 2 else None
        # A press elsewhere, also on an edge, that is released over a name is no click on it.
        head = _header_at(geometry, cell, x)
        return head if head == self._head else None


def _header_at(geometry: ColumnGeometry, cell: int, x: int) -> str | None:
    """Return the path of the column whose name is at a cell; None in a gap or beside the columns."""
    names = (at.column.name for at in geometry.view(x) if at.start <= cell < at.start + at.column.width)
    return next(names, None)
