"""A scrolling text that knows if its end was in view, for dialogs that must be read."""

from dataclasses import dataclass

from textual import events
from textual.containers import VerticalScroll
from textual.geometry import Size
from textual.message import Message


class ScrollText(VerticalScroll, can_focus=False):
    """A scrolling text, as high as its contents up to `max_height`."""

    # The column of the scroll bar is kept free: text that wraps again for it would get lines below its former end.
    # With a gutter, Textual reserves the row of a horizontal bar too.
    DEFAULT_CSS = """
    ScrollText { height: auto; scrollbar-size: 0 1; scrollbar-gutter: stable; }
    """

    @dataclass
    class Moved(Message):
        """The lines in view changed."""

    _end_seen = False

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """Return the rows of the text beside the scroll bar, which Textual leaves out."""
        return super().get_content_height(container, viewport, width - self.styles.scrollbar_size_vertical)

    @property
    def more(self) -> bool:
        """True if there are lines below those in view."""
        return round(self.scroll_y) < self.max_scroll_y

    @property
    def read(self) -> bool:
        """True if the end is or was in view; False before the first layout."""
        return self._end_seen or (self.size.height > 0 and not self.more)

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """Note that the end was reached."""
        super().watch_scroll_y(old_value, new_value)
        self._end_seen = self._end_seen or (self.max_scroll_y > 0 and not self.more)
        self.post_message(self.Moved())

    def on_resize(self, event: events.Resize) -> None:
        """Post that the lines in view changed."""
        self.post_message(self.Moved())

    def scroll_lines(self, lines: int) -> None:
        """Scroll down by lines, or up for a negative number."""
        self.scroll_relative(y=lines, animate=False, immediate=True)

    def scroll_pages(self, pages: int) -> None:
        """Scroll by pages; one line stays in view."""
        self.scroll_lines(pages * max(1, self.size.height - 1))
