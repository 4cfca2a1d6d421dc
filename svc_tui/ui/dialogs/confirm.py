"""A question to confirm, with the focus on the button that does not."""

from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Horizontal
from textual.content import Content
from textual.widgets import Static

from svc_tui.ui.dialogs.dialog import DialogButton, DialogFrame, ReviewDialog, TitleText
from svc_tui.ui.widgets.text.scroll_text import ScrollText


class ConfirmScreen(ReviewDialog[bool]):
    """A question; the result is True once it was read and confirmed."""

    AUTO_FOCUS = "#no"

    BINDINGS = [Binding("y", "confirm", "Yes", id="confirm.yes", tooltip="Confirm")]

    def __init__(self, title: TitleText, body: Content, yes: str, no: str = "Cancel", danger: bool = False) -> None:
        super().__init__()
        self._title, self._body, self._yes, self._no, self._danger = title, body, yes, no, danger

    def compose(self) -> ComposeResult:
        """Compose the question and the buttons."""
        with DialogFrame(self._title, danger=self._danger):
            with ScrollText():
                yield Static(self._body)
            with Horizontal(classes="buttons"):
                yield DialogButton(f"esc {self._no}", "cancel", button_id="no")
                yield DialogButton(f"y {self._yes}", "confirm", button_id="yes")

    def action_confirm(self) -> None:
        """Close with True once all of the text was in view."""
        if self.all_read():
            self.dismiss(True)
