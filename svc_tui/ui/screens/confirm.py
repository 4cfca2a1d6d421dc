"""Asks one question with a safe answer in focus."""

from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.widgets import Button, Static

from svc_tui.ui.screens.dialog import Dialog


class ConfirmScreen(Dialog[bool]):
    """True for `y`; None when closed without."""

    BINDINGS = [Binding("y", "confirm", "Yes", id="confirm.yes", tooltip="Do it")]

    def __init__(self, title: Content, body: Content, yes: str, no: str = "Back", danger: bool = False) -> None:
        super().__init__()
        self._title, self._body, self._yes, self._no, self._danger = title, body, yes, no, danger

    def compose(self) -> ComposeResult:
        """The question and two buttons."""
        with Vertical(id="dialog") as dialog:
            dialog.border_title = self._title
            dialog.set_class(self._danger, "danger")
            yield Static(self._body)
            with Horizontal(classes="buttons"):
                yield Button(Content(f"esc {self._no}"), id="no")
                yield Button(Content(f"y {self._yes}"), id="yes")

    def on_mount(self) -> None:
        """The safe answer has the focus."""
        self.query_one("#no").focus()

    def on_button_pressed(self, event: Button.Pressed) -> None:
        """A button is its key."""
        self.dismiss(True if event.button.id == "yes" else None)

    def action_confirm(self) -> None:
        """Yes."""
        self.dismiss(True)
