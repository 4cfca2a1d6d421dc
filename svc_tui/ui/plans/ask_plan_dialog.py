"""Asks for a word to the colleagues who are to approve a plan."""

from textual import on
from textual.app import ComposeResult
from textual.content import Content
from textual.widgets import Input, Static

from svc_tui.ui.dialogs.dialog import Dialog, DialogFrame
from svc_tui.ui.text import styled
from svc_tui.ui.widgets.inputs.text_input import TextInput


class AskPlanScreen(Dialog[str]):
    """The word to colleagues, "" for none, once Enter asks them; None: they are not asked."""

    def __init__(self, heading: Content, rule: str, standing: str) -> None:
        """Make it; a `rule` wants a second person, `standing` says how that is."""
        super().__init__()
        self._heading, self._rule, self._standing = heading, rule, standing

    def compose(self) -> ComposeResult:
        """What is asked, and the line for a word."""
        with DialogFrame(self._heading, "enter asks · esc back", danger=True):
            yield Static(
                styled(f"Asks for approval, by the rule {self._rule}. {self._standing}", "$role-warning", lines=True)
            )
            yield Static(
                styled("Colleagues see what it changes, of how many records, and its first rows.", "$role-muted")
            )
            yield TextInput(placeholder="a word to whoever is asked", id="word")

    @on(Input.Submitted)
    def _ask(self, event: Input.Submitted) -> None:
        self.dismiss(event.value.strip())
