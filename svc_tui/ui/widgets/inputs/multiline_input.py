"""A text area that draws control characters of outside text harmlessly; its text stays unchanged."""

from rich.text import Text
from textual.widgets import TextArea

from svc_tui.ui.text import mask_text


class MultilineInput(TextArea):
    """A text area for text from outside."""

    def get_line(self, line_index: int) -> Text:
        """Return the line as drawn, with its tabs, which the text area expands."""
        line = super().get_line(line_index).plain
        return Text("\t".join(map(mask_text, line.split("\t"))), end="", no_wrap=True)
