"""Textual's option list for options that change, and the same as large as a pane."""

from typing import ClassVar, Literal

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.geometry import Size
from textual.strip import Strip
from textual.widgets import OptionList

from svc_tui.ui.widgets.inputs.right_click import ACTIONS_MENU, RIGHT_BUTTON

_BAR = "▌"


def has_lines(options: OptionList) -> bool:
    """Return True if the lines of the options are known, which paging needs; a list without a size has none."""
    options._update_lines()
    return (options.highlighted or 0) in options._index_to_line


class ChangingList(OptionList):
    """An option list that wraps its lines before it is drawn.

    Textual wraps them while drawing, and again after the Resize event, so that a list that opens is drawn twice.
    """

    COMPONENT_CLASSES: ClassVar[set[str]] = {"changing-list--bar"}
    DEFAULT_CSS = "ChangingList > .changing-list--bar { color: $role-accent; }"

    _line_width = 0
    """The width that the lines were wrapped to."""

    def find_lines(self) -> None:
        """Wrap the lines of the options now, not when they are drawn."""
        self._update_lines()

    def _size_updated(self, size: Size, virtual_size: Size, container_size: Size, layout: bool = True) -> bool:
        changed = super()._size_updated(size, virtual_size, container_size, layout)
        if (width := self.scrollable_content_region.width) != self._line_width:
            self._line_width = width
            self._clear_caches()
        self.find_lines()
        return changed

    def on_resize(self, event: events.Resize) -> None:
        """Keep the lines, which are wrapped to this size already."""
        event.prevent_default()

    @property
    def shows_bar(self) -> bool:
        """True if the line under the cursor has a bar in place of its first blank."""
        return True

    def render_line(self, y: int) -> Strip:
        """Return a line; the one under the cursor has a bar at its edge."""
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
        """Move down by the number of options in view, or up for a negative `direction`."""
        self._move_page(1 if direction > 0 else -1)


class PaneList(ChangingList):
    """A list as large as its pane, without a frame; its lines are never markup."""

    DEFAULT_CSS = """
    PaneList {
        height: 1fr;
        border: none;
        padding: 0;
        background: $role-background;
        scrollbar-size-vertical: 1;
        scrollbar-gutter: stable;
    }
    PaneList:focus { border: none; background-tint: transparent; }
    """

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's own name
        super().__init__(id=id, markup=False)

    @property
    def shows_bar(self) -> bool:
        """True if the list has the focus."""
        return self.has_focus

    @property
    def line_cells(self) -> int:
        """The cells of a line in the last layout, since a list that is not displayed can be filled too."""
        return max(1, self.outer_size.width - self.scrollbar_gutter.width)

    def on_click(self, event: events.Click) -> None:
        """Open the actions of the record on a right click, for which Textual would choose the line."""
        if event.button != RIGHT_BUTTON:
            return
        event.prevent_default()
        event.stop()
        at = event.style.meta.get("option")
        if at is not None and not self.options[at].disabled:
            self.highlighted = at
        self.call_later(self.run_action, ACTIONS_MENU)
