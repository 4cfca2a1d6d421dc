"""Textual's text fields, drawing harmlessly what outside text may hide in them; the text itself stays as it is."""

from rich.text import Text
from textual import events
from textual.widgets import Input, TextArea

from svc_tui.domain.newconnection import hidden
from svc_tui.ui.text import masked, measure


class TextLine(Input):
    """One line of text; a paste of several lines is all of it, on one."""

    def _on_paste(self, event: events.Paste) -> None:
        # The field's own handler takes it from here, and would take the first line alone.
        event.text = " ".join(event.text.splitlines())

    @property
    def _value(self) -> Text:
        text = super()._value
        return Text(masked(text.plain), no_wrap=True, overflow="ignore", end="")

    def _position_to_cell(self, position: int) -> int:
        return measure(masked(self.value[:position]))


class SecretLine(TextLine):
    """One line with a key or a secret: shown as dots behind a key's prefix, and given to no clipboard."""

    def __init__(self, value: str = "", *, id: str | None = None, placeholder: str = "") -> None:  # noqa: A002
        # To Textual it is a password: moving by words does not tell where they end.
        super().__init__(value, placeholder, password=True, id=id, select_on_focus=False)

    @property
    def _value(self) -> Text:
        return Text(hidden(self.value), no_wrap=True, overflow="ignore", end="")

    def _position_to_cell(self, position: int) -> int:
        return position

    def action_copy(self) -> None:
        """Nothing: what is hidden here is not copied from here."""

    def action_cut(self) -> None:
        """Remove what is selected, and copy nothing."""
        self.delete_selection()


class TextLines(TextArea):
    """Several lines of text."""

    def get_line(self, line_index: int) -> Text:
        """The line as it is drawn; tabs stay, since the editor spreads them."""
        line = super().get_line(line_index).plain
        return Text("\t".join(map(masked, line.split("\t"))), end="", no_wrap=True)
