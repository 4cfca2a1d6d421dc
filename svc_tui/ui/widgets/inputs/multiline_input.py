"""Several lines of text to fill in, drawing harmlessly what outside text may hide in them; the text stays as it is."""

from rich.text import Text
from textual.widgets import TextArea

from svc_tui.ui.text import mask_text


class MultilineInput(TextArea):
    """Several lines of text."""

    def get_line(self, line_index: int) -> Text:
        """The line as it is drawn; tabs stay, since the editor spreads them."""
        line = super().get_line(line_index).plain
        return Text("\t".join(map(mask_text, line.split("\t"))), end="", no_wrap=True)
