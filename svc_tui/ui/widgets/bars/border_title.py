"""Titles in a border: the name at the left, a count or a state at the right, and the spinner of a wait."""

from collections.abc import Callable
from typing import NamedTuple

from textual.content import Content
from textual.style import Style
from textual.widget import Widget

SPINNER_FRAMES = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"
"""The spinner's frames, one cell each, ten a second."""
SPINNER_DELAY_SECONDS = 0.15
"""Seconds of waiting after which the spinner appears."""

_BORDER_CHARACTERS = {"double": "═", "heavy": "━", "dashed": "╍", "ascii": "-"}
_CORNER_CELLS = 6
"""Cells that the title leaves to the border: a corner, a line and a space at each end."""


class StatefulTitle(NamedTuple):
    """A title with a state that changes by itself, such as a countdown."""

    text: Content
    state: Callable[[], Content]


def build_border_title(widget: Widget, left: Content, right: Content) -> Content:
    """Return a border title for `widget` with the border's own line between `left` and `right`; `left` is cut first."""
    edge, color = widget.styles.border_top
    cells = widget.outer_size.width - _CORNER_CELLS
    if not right.cell_length:
        return left
    left = left.truncate(max(0, cells - right.cell_length - 3), ellipsis=True)
    line = _BORDER_CHARACTERS.get(edge, "─") * (cells - left.cell_length - right.cell_length - 2)
    return Content.assemble(left, " ", (line, Style(foreground=color)), " ", right)
