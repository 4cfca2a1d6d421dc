"""The dragging of a column's edge."""

from dataclasses import dataclass


@dataclass(slots=True)
class EdgeDrag:
    """A column's edge that is held; `width` is what the column had, and `x` where the mouse was, when it was taken."""

    field: str
    width: int
    x: int
    moved: bool = False

    def to(self, x: int) -> int:
        """The width with the mouse at cell `x`."""
        self.moved = self.moved or x != self.x
        return self.width + x - self.x
