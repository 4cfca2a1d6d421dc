"""One field of a dialog: its name, where it is typed, and below it what is wrong with it or what it means."""

from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.widgets import Input, Static

from svc_tui.ui.text import shown
from svc_tui.ui.widgets.inputs.text_input import TextInput

_NAME = 16
"""Cells of a name."""


class LabelledLine(Vertical):
    """A field with its name, and a line of its own for what is to be said of it."""

    DEFAULT_CSS = f"""
    LabelledLine {{ height: auto; }}
    LabelledLine > Horizontal {{ height: 1; }}
    LabelledLine .name {{ width: {_NAME}; color: $role-muted; }}
    LabelledLine TextInput {{ width: 1fr; }}
    LabelledLine .told {{ height: auto; min-height: 1; padding-left: {_NAME}; color: $role-muted; }}
    LabelledLine .told.problem {{ color: $role-danger; }}
    """

    def __init__(self, label: str, field: TextInput, told: str = "") -> None:
        super().__init__()
        self._label, self.field, self._told = label, field, told

    def compose(self) -> ComposeResult:
        """Name and field, and the line below."""
        with Horizontal():
            yield Static(shown(self._label), classes="name")
            yield self.field
        yield Static(shown(self._told), classes="told")

    def tell(self, text: str) -> None:
        """Say something about the field."""
        self._say(text, problem=False)

    def complain(self, text: str) -> None:
        """Say what is wrong, and go to the field."""
        self._say(text, problem=True)
        self.field.focus()

    def _say(self, text: str, *, problem: bool) -> None:
        line = self.query_one(".told", Static)
        line.update(shown(text))
        line.set_class(problem, "problem")


def line_of(field: Input) -> LabelledLine:
    """The line that the field is in."""
    return next(line for line in field.ancestors if isinstance(line, LabelledLine))
