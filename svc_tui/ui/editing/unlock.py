"""Asks for the word that unlocks writes on LIVE."""

from textual.app import ComposeResult
from textual.widgets import Input, Static

from svc_tui.core.phrases import counted
from svc_tui.ui.dialogs.dialog import Dialog, DialogFrame
from svc_tui.ui.dialogs.tour_names import tour_name
from svc_tui.ui.text import styled
from svc_tui.ui.tour_steps import OpenDialog
from svc_tui.ui.widgets.inputs.text_input import TextInput
from svc_tui.writes.lock import IDLE_SECONDS, UNLOCK_WORD


@tour_name(OpenDialog.UNLOCK)
class UnlockScreen(Dialog[bool]):
    """True once the word was typed; None when closed without."""

    def __init__(self, host: str, minutes: int) -> None:
        super().__init__()
        self._host = host
        self._minutes = minutes

    def compose(self) -> ComposeResult:
        """The question, the line for the word."""
        with DialogFrame("Unlock writes on LIVE", danger=True):
            minutes = counted(self._minutes, "minute")
            idle = f"LIVE locks again after {IDLE_SECONDS / 60:.0f} minutes without input."
            yield Static(styled(f"LIVE is then writable for {minutes}: you can send changes to {self._host}. {idle}"))
            yield Static(f"Type {UNLOCK_WORD} and press enter. Press esc to stay locked.", classes="hint", markup=False)
            yield TextInput(id="word")
            yield Static("", classes="problem", id="problem", markup=False)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Open for the word alone."""
        if event.value.strip().lower() == UNLOCK_WORD:
            self.dismiss(True)
        else:
            self.query_one("#problem", Static).update(f"Wrong word. Type {UNLOCK_WORD}.")
