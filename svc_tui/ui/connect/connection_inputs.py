"""The inputs of the connection dialogs: a labelled field with a message, and a field for a key or a secret."""

from rich.text import Text
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.widgets import Input, Static

from svc_tui.connect.new_connection import mask_secret
from svc_tui.ui.text import styled
from svc_tui.ui.widgets.inputs.text_input import TextInput

_NAME_CELLS = 16
"""Cells of a label."""


class LabeledInput(Vertical):
    """A field with its label, and a line below for a message about it."""

    DEFAULT_CSS = f"""
    LabeledInput {{ height: auto; }}
    LabeledInput > Horizontal {{ height: 1; }}
    LabeledInput .name {{ width: {_NAME_CELLS}; color: $role-muted; }}
    LabeledInput TextInput {{ width: 1fr; }}
    LabeledInput .message {{ height: auto; min-height: 1; padding-left: {_NAME_CELLS}; color: $role-muted; }}
    LabeledInput .message.problem {{ color: $role-danger; }}
    """

    def __init__(self, label: str, field: TextInput, note: str = "") -> None:
        super().__init__()
        self._label, self.field, self._note = label, field, note

    def compose(self) -> ComposeResult:
        """Compose the label, the field and the message."""
        with Horizontal():
            yield Static(styled(self._label), classes="name")
            yield self.field
        yield Static(styled(self._note), classes="message")

    def show_note(self, text: str) -> None:
        """Show a note about the field."""
        self._say(text, problem=False)

    def show_mistake(self, text: str) -> None:
        """Show what is wrong with the field."""
        self._say(text, problem=True)

    def show_problem(self, text: str) -> None:
        """Show what is wrong with the field, and focus it."""
        self.show_mistake(text)
        self.field.focus()

    def _say(self, text: str, *, problem: bool) -> None:
        line = self.query_one(".message", Static)
        line.update(styled(text))
        line.set_class(problem, "problem")


def labeled_input_of(field: Input) -> LabeledInput:
    """Return the labelled input around a field."""
    return next(line for line in field.ancestors if isinstance(line, LabeledInput))


class SecretInput(TextInput):
    """A line for a key or a secret: shown as dots after a key's prefix, and never copied."""

    def __init__(self, value: str = "", *, id: str | None = None) -> None:  # noqa: A002 - Textual's own name
        # As a password for Textual, so that moving by words does not show where they end.
        super().__init__(value, password=True, id=id, select_on_focus=False)

    @property
    def _value(self) -> Text:
        return Text(mask_secret(self.value), no_wrap=True, overflow="ignore", end="")

    def _position_to_cell(self, position: int) -> int:
        return position

    def action_copy(self) -> None:
        """Do nothing: a hidden text is not copied."""

    def action_cut(self) -> None:
        """Delete the selection without copying it."""
        self.delete_selection()
