"""A line of text to fill in, drawing harmlessly what outside text may hide in it; the text itself stays as it is."""

from rich.text import Text
from textual import events
from textual.geometry import Size
from textual.reactive import Reactive, var
from textual.widgets import Input

from svc_tui.ui.text import mask_text, measure


class TextInput(Input):
    """One line of text; a paste of several lines is all of it, on one."""

    virtual_size: Reactive[Size] = var(Size(0, 0))
    """What there is to scroll over. The line is as long as it is whatever is in it: no letter lays anything out."""

    def _on_paste(self, event: events.Paste) -> None:
        # The field's own handler takes it from here, and would take the first line alone.
        event.text = " ".join(event.text.splitlines())

    @property
    def _value(self) -> Text:
        text = super()._value
        return Text(mask_text(text.plain), no_wrap=True, overflow="ignore", end="")

    def _position_to_cell(self, position: int) -> int:
        return measure(mask_text(self.value[:position]))
