"""The dragging of a column's edge."""

from dataclasses import dataclass


@dataclass(slots=True)
class EdgeDrag:
    """A column's edge that is held: `width` is what the column has with the mouse at cell `x`."""

    field: str
    width: int
    x: int
    moved: bool = False

    def follow(self, x: int) -> bool:
        """The mouse is at cell `x`; gives whether that is another one."""
        if x == self.x:
            return False
        self.width, self.x, self.moved = self.width + x - self.x, x, True
        return True
