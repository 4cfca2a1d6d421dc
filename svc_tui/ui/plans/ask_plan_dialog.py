"""Dialog that requests approval of a plan, with an optional message to colleagues."""

from textual import on
from textual.app import ComposeResult
from textual.widgets import Input, Static

from svc_tui.ui.dialogs.dialog import Dialog, DialogFrame, TitleText
from svc_tui.ui.text import styled
from svc_tui.ui.widgets.inputs.text_input import TextInput


class AskPlanScreen(Dialog[str]):
    """The word to colleagues, "" for none, once Enter asks them; None: they are not asked."""

    def __init__(self, heading: TitleText, rule: str, standing: str) -> None:
        """Make it; a `rule` wants a second person, `standing` says how that is."""
        super().__init__()
        self._heading, self._rule, self._standing = heading, rule, standing

    def compose(self) -> ComposeResult:
        """What is asked, and the line for a word."""
        with DialogFrame(self._heading, "enter request approval · esc cancel", danger=True):
            yield Static(
                styled(f"The rule {self._rule} requires approval. {self._standing}", "$role-warning", lines=True)
            )
            yield Static(
                styled("Colleagues see the changed fields, the number of records and the first rows.", "$role-muted")
            )
            yield TextInput(placeholder="message to colleagues (optional)", id="word")

    @on(Input.Submitted)
    def _ask(self, event: Input.Submitted) -> None:
        self.dismiss(event.value.strip())
