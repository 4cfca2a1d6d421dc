"""What the service answered to an action, as JSON or as the text that it is."""

from textual.app import ComposeResult
from textual.content import Content

from svc_tui.core.jsontext import JsonError, loads
from svc_tui.core.requests import Answer
from svc_tui.ui.dialogs.dialog import Dialog, DialogFrame
from svc_tui.ui.widgets.text.text_view import TextView


class AnswerScreen(Dialog[None]):
    """Shows one answer."""

    DEFAULT_CSS = """
    AnswerScreen > #dialog { height: 70%; }
    """

    def __init__(self, title: Content, answer: Answer) -> None:
        super().__init__()
        self._title, self._answer = title, answer

    def compose(self) -> ComposeResult:
        """The answer's body."""
        with DialogFrame(self._title, "↑ ↓ scroll · esc close"):
            yield TextView()

    def on_mount(self) -> None:
        """Show it as JSON where it is."""
        view, body = self.query_one(TextView), self._answer.body
        try:
            view.show_json(loads(body))
        except JsonError:
            view.show_text(body.decode(errors="replace") or "The response has no body.", None)
        view.focus()
