"""A title that uses the whole top edge of a frame: what it is at the left, how much of it at the right."""

from textual.content import Content
from textual.style import Style
from textual.widget import Widget

_LINES = {"double": "═", "heavy": "━", "dashed": "╍", "ascii": "-"}
_CORNERS = 6
"""Cells of the edge that the title leaves to it: a corner, a line and a space at each end."""


def across(widget: Widget, left: Content, right: Content) -> Content:
    """A border title for `widget` with the frame's own line between `left` and `right`; `left` gives way first."""
    edge, colour = widget.styles.border_top
    cells = widget.outer_size.width - _CORNERS
    if not right.cell_length:
        return left
    left = left.truncate(max(0, cells - right.cell_length - 3), ellipsis=True)
    line = _LINES.get(edge, "─") * (cells - left.cell_length - right.cell_length - 2)
    return Content.assemble(left, " ", (line, Style(foreground=colour)), " ", right)
