"""A list of options that may be others by the time a key is pressed for them."""

from typing import ClassVar, Literal

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.geometry import Size
from textual.strip import Strip
from textual.widgets import OptionList

_BAR = "▌"


def has_lines(options: OptionList) -> bool:
    """Whether the lines of the options are known, so that a page of them can be told; a list without room has none."""
    options._update_lines()
    return (options.highlighted or 0) in options._index_to_line


class ChangingList(OptionList):
    """Textual's list, its lines found before it is drawn.

    Textual finds them as it draws them, and all of them once more after a Resize event: a list that opens is
    drawn twice.
    """

    COMPONENT_CLASSES: ClassVar[set[str]] = {"changing-list--bar"}
    DEFAULT_CSS = "ChangingList > .changing-list--bar { color: $role-accent; }"

    _line_width = 0
    """The cells that the lines were wrapped to."""

    def find_lines(self) -> None:
        """Work out the lines that the options take now, in place of when they are drawn."""
        self._update_lines()

    def _size_updated(self, size: Size, virtual_size: Size, container_size: Size, layout: bool = True) -> bool:
        changed = super()._size_updated(size, virtual_size, container_size, layout)
        if (width := self.scrollable_content_region.width) != self._line_width:
            self._line_width = width
            self._clear_caches()
        self.find_lines()
        return changed

    def on_resize(self, event: events.Resize) -> None:
        """Keep the lines: they were wrapped to this size before they were drawn in it."""
        event.prevent_default()

    @property
    def shows_bar(self) -> bool:
        """Whether the line under the cursor has a bar at its edge, where it has a blank there."""
        return True

    def render_line(self, y: int) -> Strip:
        """Draw a line; the one under the cursor also has a bar at its edge."""
        strip, at, lines = super().render_line(y), self.scroll_offset.y + y, self._lines
        if at >= len(lines) or lines[at][0] != self.highlighted or not self.shows_bar or strip.text[:1] != " ":
            return strip
        ground = next(iter(strip)).style or Style()
        bar = Segment(_BAR, ground + self.get_component_rich_style("changing-list--bar", partial=True))
        return Strip.join([Strip([bar]), strip.crop(1)])

    def _move_page(self, direction: Literal[-1, 1]) -> None:
        if has_lines(self):
            super()._move_page(direction)

    def move_page(self, direction: int) -> None:
        """Go down by as many options as are in view, or with a `direction` below 0 up."""
        self._move_page(1 if direction > 0 else -1)
