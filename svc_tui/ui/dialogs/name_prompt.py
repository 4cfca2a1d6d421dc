"""Asks for a name."""

from textual.app import ComposeResult
from textual.widgets import Input

from svc_tui.ui.dialogs.dialog import Dialog, DialogFrame
from svc_tui.ui.text import styled
from svc_tui.ui.widgets.inputs.text_input import TextInput


class NamePromptScreen(Dialog[str]):
    """Gives the name without spaces around it, or None."""

    def __init__(self, title: str, example: str, initial: str = "", *, verb: str = "save") -> None:
        """Make it; `verb` says what Enter does."""
        super().__init__()
        self._title, self._example, self._initial, self._verb = title, example, initial, verb

    def compose(self) -> ComposeResult:
        """A line to type the name in."""
        with DialogFrame(styled(self._title), f"enter {self._verb} · esc cancel"):
            yield TextInput(self._initial, placeholder=self._example)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Take the name."""
        event.stop()
        self.dismiss(event.value.strip() or None)
