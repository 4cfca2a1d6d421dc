"""The dialog for a list of ids, pasted or typed, which shows how many records it would mark."""

from collections.abc import Callable, Sequence

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Horizontal
from textual.getters import query_one
from textual.message import Message
from textual.widgets import Static, TextArea

from svc_tui.service.redact import list_holds_secret
from svc_tui.ui.dialogs.dialog import Dialog, DialogButton, DialogFrame
from svc_tui.ui.text import styled
from svc_tui.ui.widgets.inputs.multiline_input import MultilineInput

_NOT_ACCEPTED = "Not accepted: this looks like a key or a secret."
_HINT = "Paste ids or links: one per line, separated by commas, or a spreadsheet column."


class ListInput(MultilineInput):
    """A text area that refuses a paste with a secret in it."""

    class SecretPasted(Message):
        """Sent when a paste was refused."""

    def __init__(self, secrets: Sequence[str]) -> None:
        super().__init__(tab_behavior="focus", soft_wrap=True)
        self._secrets = tuple(secrets)

    async def _on_paste(self, event: events.Paste) -> None:
        if list_holds_secret(event.text, self._secrets):
            event.prevent_default()
            event.stop()
            self.post_message(self.SecretPasted())


class MarkListDialog(Dialog[str]):
    """The dialog of a list. Its result is the text, or None.

    `offer` returns for a text what it would mark and True, or why it can't be marked and False.
    """

    DEFAULT_CSS = """
    MarkListDialog TextArea {
        height: 10;
        padding: 0 1;
        background: $role-panel;
        &, &:focus { border: none; }
    }
    MarkListDialog Static { height: auto; min-height: 1; color: $role-muted; }
    MarkListDialog Static.problem { color: $role-danger; }
    """

    BINDINGS = [
        Binding("ctrl+j,ctrl+enter", "mark", "Mark", id="marks.mark_listed", priority=True,
                tooltip="Mark the listed records"),
    ]  # fmt: skip

    lines = query_one(ListInput)

    def __init__(self, offer: Callable[[str], tuple[str, bool]], secrets: Sequence[str]) -> None:
        super().__init__()
        self._offer, self._secrets = offer, tuple(secrets)

    def compose(self) -> ComposeResult:
        """Compose the text area and the line with the offer."""
        with DialogFrame("Mark from a list", "esc cancel"):
            yield ListInput(self._secrets)
            yield Static(_HINT, id="offer", markup=False)
            with Horizontal(classes="buttons"):
                yield DialogButton("ctrl+j Mark", "screen.mark", button_id="mark")

    @on(TextArea.Changed)
    def _show_offer(self) -> None:
        text = self.lines.text
        self._write_offer(*(self._offer(text) if text.strip() else (_HINT, True)))

    @on(ListInput.SecretPasted)
    def _show_refusal(self) -> None:
        self._write_offer(_NOT_ACCEPTED, False)

    def action_mark(self) -> None:
        """Close with the list, or show why it can't be marked."""
        text = self.lines.text
        if list_holds_secret(text, self._secrets):
            self.lines.text = ""
            self.call_after_refresh(self._show_refusal)
            return
        words, can_mark = self._offer(text) if text.strip() else (_HINT, False)
        if can_mark:
            self.dismiss(text)
        else:
            self._write_offer(words, False)

    def _write_offer(self, words: str, can_mark: bool) -> None:
        line = self.query_one("#offer", Static)
        line.set_class(not can_mark, "problem")
        line.update(styled(words))
