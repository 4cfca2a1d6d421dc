"""One line of a form: the field's name, what it takes, and where it is typed."""

from dataclasses import dataclass

from textual import on
from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.content import Content
from textual.getters import query_one
from textual.message import Message
from textual.widgets import Input, Static

from svc_tui.core.field_forms import FormLine
from svc_tui.ui.text import field_label, pad, styled
from svc_tui.ui.widgets.inputs.text_input import TextInput

_NAME_CELLS = 20
"""Cells of a name."""
_HINT_CELLS = 15


class FormFieldInput(Horizontal):
    """Edits one `FormLine` and says so."""

    DEFAULT_CSS = """
    FormFieldInput { height: 1; }
    FormFieldInput Static { width: auto; }
    FormFieldInput TextInput { width: 1fr; }
    """

    @dataclass
    class Changed(Message):
        """The line's value changed, or it got the focus."""

        line: FormLine

    field = query_one(TextInput)

    def __init__(self, line: FormLine) -> None:
        super().__init__()
        self.line = line

    def compose(self) -> ComposeResult:
        """Name, kind, value."""
        yield Static(self._label())
        yield TextInput(self.line.text, placeholder=self._placeholder(), select_on_focus=False)

    def show(self, line: FormLine) -> None:
        """Show another state of the line."""
        self.line = line
        with self.field.prevent(Input.Changed):
            self.field.value = line.text
        self.field.placeholder = self._placeholder()
        self._post_change()

    def cycle_value(self) -> None:
        """Go to the next value that can't be typed: unset, null, empty text."""
        self.show(self.line.turned())

    @on(Input.Changed)
    def _typed(self, event: Input.Changed) -> None:
        event.stop()
        self.line = self.line.typed(event.value)
        self._post_change()

    def on_descendant_focus(self) -> None:
        """Show the form's words about this line."""
        self.post_message(self.Changed(self.line))

    def _post_change(self) -> None:
        self.query_one(Static).update(self._label())
        self.post_message(self.Changed(self.line))

    def _placeholder(self) -> str:
        return "required" if self.line.needed else self.line.blank.value

    def _label(self) -> Content:
        line = self.line
        wrong = bool(line.problem) and bool(line.text)
        sent = bool(line.text) or (self._placeholder() != "not sent" and not line.needed)
        mark = ("✕ ", "$role-danger") if wrong else ("+ ", "$role-ok") if sent else "  "
        style = "$role-danger" if wrong else "$role-foreground" if sent else "$role-muted"
        return Content.assemble(
            mark,
            (pad(field_label(line.name), _NAME_CELLS), style),
            " ",
            styled(pad(line.hint, _HINT_CELLS), "$role-muted"),
        )
