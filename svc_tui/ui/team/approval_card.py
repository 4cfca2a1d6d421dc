"""The card of one ask: what its author saw, the record read anew beside it, and what a second person says to that."""

from collections.abc import Awaitable
from dataclasses import dataclass
from enum import Enum

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Horizontal
from textual.content import Content
from textual.widgets import Input, Static

from svc_tui.ui.dialogs.dialog import DialogButton, DialogFrame, ReviewDialog, TitleText
from svc_tui.ui.text import styled
from svc_tui.ui.widgets.inputs.text_input import TextInput
from svc_tui.ui.widgets.text.scroll_text import ScrollText


class AskDecision(Enum):
    """What is to be done about an ask."""

    AGREE = "agree"
    REFUSE = "refuse"
    ANSWER = "answer"


@dataclass(frozen=True, slots=True)
class Decided:
    """The decision, with its word."""

    decision: AskDecision
    word: str = ""


@dataclass(frozen=True, slots=True)
class AskCardContent:
    """What the card shows: `agree` and `refuse` are what its buttons say, "" where that can't be; then `why` says why.

    `answers`: a word can go with it, or stand for itself.
    """

    title: TitleText
    details: Content
    agree: str = ""
    refuse: str = ""
    why: str = ""
    answers: bool = False


class ApprovalCard(ReviewDialog[Decided]):
    """Gives what was decided, once all was seen; None: nothing."""

    DEFAULT_CSS = """
    ApprovalCard #now { margin-bottom: 1; }
    ApprovalCard #why { margin-top: 1; }
    ApprovalCard #word-line { height: 1; margin-top: 1; }
    ApprovalCard.-short #word-line { margin-top: 0; }
    ApprovalCard #word-line Static { width: auto; color: $role-muted; }
    ApprovalCard #word-line TextInput { width: 1fr; }
    """

    AUTO_FOCUS = "#back"
    rows_below = 3

    BINDINGS = [
        Binding("y", "decide('agree')", "Approve or send", id="approval.agree",
                tooltip="Approve this change, or send your own approved change"),
        Binding("n", "decide('refuse')", "Decline", id="approval.refuse",
                tooltip="Decline this change with your message, or withdraw your own request"),
        Binding("r", "decide('answer')", "Reply", id="approval.answer",
                tooltip="Reply with your message without deciding"),
        Binding("m", "word", "Message", id="approval.word", tooltip="Write a message to the author"),
    ]  # fmt: skip

    def __init__(self, content: AskCardContent, reading: Awaitable[Content] | None) -> None:
        """Make it; `reading` gives what the record is now, None where it is about no record that can be read."""
        super().__init__()
        self._content, self._record_now = content, reading
        self._record_shown = reading is None

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Take keys only for what the card offers."""
        content = self._content
        match action, parameters:
            case "decide", ("agree",):
                return bool(content.agree)
            case "decide", ("refuse",):
                return bool(content.refuse)
            case ("decide", ("answer",)) | ("word", _):
                return content.answers
        return super().check_action(action, parameters)

    def compose(self) -> ComposeResult:
        """What was asked, what is now, the line for a word, the buttons."""
        content = self._content
        with DialogFrame(content.title, danger=True):
            with ScrollText():
                # First of all: what has moved is what a second look is for.
                yield Static(styled("Loading the record…", "$role-muted"), id="now")
                yield Static(content.details)
                if content.why:
                    yield Static(styled(content.why, "$role-warning", lines=True), id="why")
            if content.answers:
                with Horizontal(id="word-line"):
                    yield Static("Message ", markup=False)
                    yield TextInput(placeholder="press m to write to the author", id="word")
            with Horizontal(classes="buttons"):
                yield DialogButton("esc Close", "cancel", button_id="back")
                if content.refuse:
                    yield DialogButton(f"n {content.refuse}", "decide('refuse')", button_id="refuse")
                if content.answers:
                    yield DialogButton("r Reply", "decide('answer')", button_id="answer")
                if content.agree:
                    yield DialogButton(f"y {content.agree}", "decide('agree')", button_id="agree")

    def on_mount(self) -> None:
        """Read the record."""
        if self._record_now is None:
            self.query_one("#now", Static).display = False
        else:
            self.run_worker(self._show_now(self._record_now), group="reading")

    async def _show_now(self, reading: Awaitable[Content]) -> None:
        now = await reading
        # A card that was closed meanwhile has nothing left to show it in.
        for place in self.query("#now").results(Static):
            place.update(now)
            self._record_shown = True

    def action_word(self) -> None:
        """Into the line for a word."""
        for line in self.query("#word").results(Input):
            line.focus()

    @on(Input.Submitted, "#word")
    def _word_written(self) -> None:
        self.query_one("#back").focus()

    def action_decide(self, what: str) -> None:
        """Decide, once all of it was in view."""
        decision, content = AskDecision(what), self._content
        word = next((line.value.strip() for line in self.query("#word").results(Input)), "")
        if decision is AskDecision.ANSWER:
            if not content.answers:
                return
            if not word:
                self.action_word()
                return
        elif decision is AskDecision.REFUSE:
            if not content.refuse:
                return
        elif not content.agree or not self._may_agree():
            return
        self.dismiss(Decided(decision, word))

    def _may_agree(self) -> bool:
        if not self._record_shown:
            self.said_below = "the record is still loading"
            self.query_one("#dialog").border_subtitle = self.said_below
            return False
        return self.all_read()
