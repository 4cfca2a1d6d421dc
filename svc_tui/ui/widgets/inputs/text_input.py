"""An input that draws control characters of outside text harmlessly; its text stays unchanged."""

from rich.segment import Segment
from rich.text import Text
from textual import events
from textual.geometry import Size
from textual.reactive import Reactive, var
from textual.strip import Strip
from textual.widgets import Input

from svc_tui.ui.text import mask_text, measure


class TextInput(Input):
    """A line of text; a paste of several lines is put on one line, with a notice."""

    virtual_size: Reactive[Size] = var(Size(0, 0))
    """The size to scroll over; a `var`, since the line is laid out without it."""

    def _on_paste(self, event: events.Paste) -> None:
        # Textual's handler, which takes only the first line, is called next.
        pasted, event.text = event.text, self.line_of(event.text)
        if notice := self.notice_of(pasted, event.text):
            self.notify(notice, severity="warning", markup=False)

    def line_of(self, text: str) -> str:
        """Return the line for a pasted text."""
        return " ".join(text.splitlines())

    def notice_of(self, text: str, line: str) -> str:
        """Return the notice for a paste that became `line`, "" for none."""
        return paste_notice(text, line)

    def render_line(self, y: int) -> Strip:
        """Return the line, with a mark at each end where it is cut."""
        strip = super().render_line(y)
        if y or not self.value:
            return strip
        left, cells = self.scroll_offset.x, self.scrollable_content_region.width
        cursor = self._position_to_cell(self.cursor_position) - left
        end = self._position_to_cell(len(self.value)) - left
        style = self.get_component_rich_style("input--placeholder")
        # Neither the cursor nor a mark may hide the other.
        if left and cursor:
            strip = Strip.join([Strip([Segment("‹", style)]), strip.crop(1)])
        if end > cells and cursor != cells - 1:
            strip = Strip.join([strip.crop(0, cells - 1), Strip([Segment("›", style)]), strip.crop(cells)])
        return strip

    @property
    def _value(self) -> Text:
        text = super()._value
        return Text(mask_text(text.plain), no_wrap=True, overflow="ignore", end="")

    def _position_to_cell(self, position: int) -> int:
        return measure(mask_text(self.value[:position]))


def paste_notice(text: str, line: str) -> str:
    """Return what became of a paste of several lines, "" for a paste of one line."""
    lines = [part.strip() for part in text.splitlines() if part.strip()]
    if len(lines) < 2:
        return ""
    if all(part in line for part in lines):
        return f"This field has one line. The {len(lines):,} pasted lines were joined."
    return f"Only the first of {len(lines):,} pasted lines was used."
