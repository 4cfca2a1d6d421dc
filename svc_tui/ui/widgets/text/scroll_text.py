"""Text to be read before something is agreed to: it scrolls, and knows whether its end was in view."""

from dataclasses import dataclass

from textual import events
from textual.containers import VerticalScroll
from textual.geometry import Size
from textual.message import Message


class ScrollText(VerticalScroll, can_focus=False):
    """As high as its text, up to the `max_height` that its owner gives it."""

    # The column of the bar is kept free: text that wraps anew once it is there has lines below what was its end.
    # Textual counts the row of a bar below it too, where a gutter is kept.
    DEFAULT_CSS = """
    ScrollText { height: auto; scrollbar-size: 0 1; scrollbar-gutter: stable; }
    """

    @dataclass
    class Moved(Message):
        """Other lines are in view, or there is another room for them."""

    _end_seen = False

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """Rows of the text beside the column of the bar; Textual would count them without it."""
        return super().get_content_height(container, viewport, width - self.styles.scrollbar_size_vertical)

    @property
    def more(self) -> bool:
        """Whether there are lines below those in view."""
        return round(self.scroll_y) < self.max_scroll_y

    @property
    def read(self) -> bool:
        """Whether the end is in view, or was; never before the first picture."""
        return self._end_seen or (self.size.height > 0 and not self.more)

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """Remember that the end was reached."""
        super().watch_scroll_y(old_value, new_value)
        self._end_seen = self._end_seen or (self.max_scroll_y > 0 and not self.more)
        self.post_message(self.Moved())

    def on_resize(self, event: events.Resize) -> None:
        """The room, or the text in it, has another size."""
        self.post_message(self.Moved())

    def scroll_lines(self, lines: int) -> None:
        """Scroll on, or back where `lines` is negative."""
        self.scroll_relative(y=lines, animate=False, immediate=True)

    def scroll_pages(self, pages: int) -> None:
        """Scroll on or back by pages; one line stays in view."""
        self.scroll_lines(pages * max(1, self.size.height - 1))
