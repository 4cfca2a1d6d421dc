"""Takes a list of ids, pasted or typed, and says which records it would mark."""

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

_NOT_TAKEN = "Not accepted: this looks like a key or a secret."
_WANTED = "Paste ids or links: one per line, separated by commas, or a spreadsheet column."


class ListInput(MultilineInput):
    """Several lines that take no paste with a secret in it."""

    class SecretPasted(Message):
        """A paste was refused."""

    def __init__(self, secrets: Sequence[str]) -> None:
        super().__init__(tab_behavior="focus", soft_wrap=True)
        self._secrets = tuple(secrets)

    async def _on_paste(self, event: events.Paste) -> None:
        if list_holds_secret(event.text, self._secrets):
            event.prevent_default()
            event.stop()
            self.post_message(self.SecretPasted())


class MarkListDialog(Dialog[str]):
    """Gives the list, or None; `offer` says of a text what it would mark, and whether it can."""

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
        """The list, and what it comes to."""
        with DialogFrame("Mark from a list", "esc cancel"):
            yield ListInput(self._secrets)
            yield Static(_WANTED, id="offer", markup=False)
            with Horizontal(classes="buttons"):
                yield DialogButton("ctrl+j Mark", "screen.mark", button_id="mark")

    @on(TextArea.Changed)
    def _say_what_it_is(self) -> None:
        text = self.lines.text
        self._say(*(self._offer(text) if text.strip() else (_WANTED, True)))

    @on(ListInput.SecretPasted)
    def _refused(self) -> None:
        self._say(_NOT_TAKEN, False)

    def action_mark(self) -> None:
        """Mark them, or say why not."""
        text = self.lines.text
        if list_holds_secret(text, self._secrets):
            self.lines.text = ""
            self.call_after_refresh(self._refused)
            return
        words, can = self._offer(text) if text.strip() else (_WANTED, False)
        if can:
            self.dismiss(text)
        else:
            self._say(words, False)

    def _say(self, words: str, can: bool) -> None:
        line = self.query_one("#offer", Static)
        line.set_class(not can, "problem")
        line.update(styled(words))
