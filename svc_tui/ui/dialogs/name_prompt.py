"""A dialog that asks for a name."""

from textual.app import ComposeResult
from textual.widgets import Input

from svc_tui.ui.dialogs.dialog import Dialog, DialogFrame
from svc_tui.ui.text import styled
from svc_tui.ui.widgets.inputs.text_input import TextInput


class NamePromptScreen(Dialog[str]):
    """A dialog with a line for a name; the result is the name without surrounding spaces."""

    def __init__(self, title: str, example: str, initial: str = "", *, verb: str = "save") -> None:
        """Ask for a name; `verb` is the word for Enter."""
        super().__init__()
        self._title, self._example, self._initial, self._verb = title, example, initial, verb

    def compose(self) -> ComposeResult:
        """Compose the line."""
        with DialogFrame(styled(self._title), f"enter {self._verb} · esc cancel"):
            yield TextInput(self._initial, placeholder=self._example)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Close with the name."""
        event.stop()
        self.dismiss(event.value.strip() or None)
