"""What a mouse means in the header of a table: a head sorts, an edge gives its column another width."""

from dataclasses import dataclass
from typing import TypeAlias

from svc_tui.ui.widgets.table.column_geometry import ColumnGeometry

SizedColumn: TypeAlias = tuple[str, int | None]
"""A column's path and the cells it is to have; None: as its values need."""


@dataclass(slots=True)
class _HeldEdge:
    """An edge that is held: its column has `width` with the mouse at `cell`."""

    path: str
    width: int
    cell: int
    moved: bool = False


class HeaderMouse:
    """Follows one mouse; `cell` is always where it is in the view, `x` by how much the view is scrolled."""

    def __init__(self) -> None:
        self._edge: _HeldEdge | None = None
        self._head: str | None = None

    def press(self, geometry: ColumnGeometry, cell: int, x: int) -> bool:
        """A button went down; gives whether it holds an edge now."""
        self._edge, self._head = None, _header_at(geometry, cell, x)
        if (index := geometry.edge(cell, x)) is not None:
            column = geometry.columns[index]
            self._edge = _HeldEdge(column.name, column.width, cell)
        return self._edge is not None

    def move(self, cell: int) -> SizedColumn | None:
        """The width of the column whose edge is held; None where nothing is, or it is not moved."""
        edge = self._edge
        if edge is None or cell == edge.cell:
            return None
        edge.width, edge.cell, edge.moved = edge.width + cell - edge.cell, cell, True
        return edge.path, edge.width

    def release(self, cell: int) -> SizedColumn | None:
        """The width to keep; None where no edge was moved."""
        self.move(cell)
        return (self._edge.path, self._edge.width) if self._edge is not None and self._edge.moved else None

    def click(self, geometry: ColumnGeometry, cell: int, x: int, times: int) -> str | SizedColumn | None:
        """The path of the column to sort by, or the width that an edge clicked twice asks for."""
        if (edge := geometry.edge(cell, x)) is not None:
            return (geometry.columns[edge].name, None) if times == 2 else None
        # What was pressed elsewhere, an edge too, is no click on the head that it was let go over.
        head = _header_at(geometry, cell, x)
        return head if head == self._head else None


def _header_at(geometry: ColumnGeometry, cell: int, x: int) -> str | None:
    """The path of the column whose head is at a cell; None in a gap or beside the columns."""
    names = (at.column.name for at in geometry.view(x) if at.start <= cell < at.start + at.column.width)
    return next(names, None)
