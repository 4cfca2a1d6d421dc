"""One field of a dialog: its name, where it is typed, and below it what is wrong with it or what it means."""

from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.widgets import Input, Static

from svc_tui.ui.text import styled
from svc_tui.ui.widgets.inputs.text_input import TextInput

_NAME_CELLS = 16
"""Cells of a name."""


class LabeledInput(Vertical):
    """A field with its name, and a line of its own for what is to be said of it."""

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
        """Name and field, and the line below."""
        with Horizontal():
            yield Static(styled(self._label), classes="name")
            yield self.field
        yield Static(styled(self._note), classes="message")

    def show_note(self, text: str) -> None:
        """Say something about the field."""
        self._say(text, problem=False)

    def show_mistake(self, text: str) -> None:
        """Say what is wrong with the field."""
        self._say(text, problem=True)

    def show_problem(self, text: str) -> None:
        """Say what is wrong, and go to the field."""
        self.show_mistake(text)
        self.field.focus()

    def _say(self, text: str, *, problem: bool) -> None:
        line = self.query_one(".message", Static)
        line.update(styled(text))
        line.set_class(problem, "problem")


def labeled_input_of(field: Input) -> LabeledInput:
    """The line that the field is in."""
    return next(line for line in field.ancestors if isinstance(line, LabeledInput))
