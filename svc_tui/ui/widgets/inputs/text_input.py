"""A line of text to fill in, drawing harmlessly what outside text may hide in it; the text itself stays as it is."""

from rich.segment import Segment
from rich.text import Text
from textual import events
from textual.geometry import Size
from textual.reactive import Reactive, var
from textual.strip import Strip
from textual.widgets import Input

from svc_tui.ui.text import mask_text, measure


class TextInput(Input):
    """One line of text; of a paste of several lines it says what became of them."""

    virtual_size: Reactive[Size] = var(Size(0, 0))
    """What there is to scroll over. The line is as long as it is whatever is in it: no letter lays anything out."""

    def _on_paste(self, event: events.Paste) -> None:
        # The field's own handler takes it from here, and would take the first line alone.
        pasted, event.text = event.text, self.line_of(event.text)
        if notice := self.notice_of(pasted, event.text):
            self.notify(notice, severity="warning", markup=False)

    def line_of(self, text: str) -> str:
        """Return what the field takes of a paste."""
        return " ".join(text.splitlines())

    def notice_of(self, text: str, line: str) -> str:
        """Return what is to be said where `line` was taken of a paste, "" for nothing."""
        return paste_notice(text, line)

    def render_line(self, y: int) -> Strip:
        """Draw the line, with a mark at each end where more of the text is out of view."""
        strip = super().render_line(y)
        if y or not self.value:
            return strip
        left, cells = self.scroll_offset.x, self.scrollable_content_region.width
        cursor = self._position_to_cell(self.cursor_position) - left
        end = self._position_to_cell(len(self.value)) - left
        style = self.get_component_rich_style("input--placeholder")
        # The cursor hides no mark, and no mark hides the cursor.
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
    """Return how `line` came of a paste of several lines, "" for a paste of one line."""
    lines = [part.strip() for part in text.splitlines() if part.strip()]
    if len(lines) < 2:
        return ""
    if all(part in line for part in lines):
        return f"This field has one line. The {len(lines):,} pasted lines were joined."
    return f"Only the first of {len(lines):,} pasted lines was used."
