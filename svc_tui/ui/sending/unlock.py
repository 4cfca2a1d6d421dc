"""The dialog that asks for the word that unlocks LIVE."""

from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Horizontal
from textual.widgets import Input, Static

from svc_tui.core.phrases import counted
from svc_tui.ui.dialogs.dialog import Dialog, DialogButton, DialogFrame, TitleText
from svc_tui.ui.text import styled
from svc_tui.ui.tour_steps import OpenDialog
from svc_tui.ui.widgets.inputs.text_input import TextInput
from svc_tui.writes.lock import IDLE_SECONDS, UNLOCK_WORD


class UnlockScreen(Dialog[bool]):
    """A dialog with a line for the word; the result is True once it was typed."""

    TOUR_NAME = OpenDialog.UNLOCK

    DEFAULT_CSS = """
    UnlockScreen #word-line { height: 1; margin-top: 1; }
    UnlockScreen #word-line Static { width: auto; margin-right: 2; color: $role-muted; }
    UnlockScreen #word-line TextInput { width: 1fr; }
    UnlockScreen #problem { width: 1fr; }
    """

    BINDINGS = [Binding("enter", "unlock", "Unlock", id="unlock.unlock", tooltip="Unlock LIVE")]

    def __init__(self, title: TitleText, host: str, minutes: int) -> None:
        super().__init__()
        self._title, self._host, self._minutes = title, host, minutes

    def compose(self) -> ComposeResult:
        """Compose the explanation, the line for the word, and the buttons."""
        with DialogFrame(self._title, danger=True):
            yield Static(styled(f"For {counted(self._minutes, 'minute')}, changes you send reach LIVE ({self._host})."))
            yield Static(
                f"Locks again after {IDLE_SECONDS / 60:.0f} minutes without input, and when you quit.", markup=False
            )
            with Horizontal(id="word-line"):
                yield Static(f"Type the word {UNLOCK_WORD}:", markup=False)
                yield TextInput(id="word")
            with Horizontal(classes="buttons"):
                yield Static("", classes="problem", id="problem", markup=False)
                yield DialogButton("esc Stay locked", "cancel", button_id="back")
                yield DialogButton("⏎ Unlock", "unlock", button_id="unlock")

    def on_input_changed(self) -> None:
        """Remove the message about the text before."""
        self.query_one("#problem", Static).update("")

    def on_input_submitted(self) -> None:
        """Check the word."""
        self.action_unlock()

    def action_unlock(self) -> None:
        """Close with True if the word is right, else say so."""
        line = self.query_one("#word", Input)
        if line.value.strip().lower() == UNLOCK_WORD:
            self.dismiss(True)
        else:
            self.query_one("#problem", Static).update(f"Wrong word. Type the word {UNLOCK_WORD}.")
            line.focus()
