"""What came back: status with time, size and attempts; body, headers and the request as it left, to search in."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from textual import on
from textual.actions import SkipAction
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.getters import query_one
from textual.message import Message
from textual.widgets import Static

from svc_tui.console.copy_as import CopyOption, value_text
from svc_tui.core.export_formats import encode_utf8
from svc_tui.core.requests import Exchange, SignedRequest
from svc_tui.service.traffic import Stage
from svc_tui.ui.keys import availability
from svc_tui.ui.keys.availability import ExplainsAvailability
from svc_tui.ui.keys.key_scopes import keys_count_in
from svc_tui.ui.text import styled
from svc_tui.ui.widgets.answer.answer_body_view import AnswerBody
from svc_tui.ui.widgets.answer.answer_parts import AnswerParts, answer_tabs
from svc_tui.ui.widgets.answer.answer_text import file_name, headers_text, request_text, status_line, timing_text
from svc_tui.ui.widgets.answer.find_line import FindLine
from svc_tui.ui.widgets.answer.sending_title import SendingTitle
from svc_tui.ui.widgets.bars.tab_bar import TabBar
from svc_tui.ui.widgets.text.folding_json_view import FoldingJsonView
from svc_tui.ui.widgets.text.text_view import TextView


@keys_count_in(FoldingJsonView)
class AnswerView(ExplainsAvailability, Vertical):
    """Shows one exchange at a time; its title is the status, so that it stays in sight."""

    DEFAULT_CSS = """
    AnswerView {
        height: 1fr;
        border-top: solid $role-panel;
        border-title-color: $role-muted;
        border-title-style: none;
        & > #answer-failure { height: auto; max-height: 6; color: $role-danger; display: none; }
        & > #answer-failure.-shown { display: block; }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("slash", "find", "Search", show=False, id="answer.find", tooltip="Search the response"),
        Binding(
            "vertical_line",
            "narrow",
            "Filter",
            key_display="|",
            id="answer.narrow",
            tooltip="Filter the body with a JSONPath",
        ),
        Binding("c", "copy", "Copy", show=False, id="answer.copy", tooltip="Copy the value"),
        Binding(
            "y",
            "copy_menu",
            "Copy…",
            show=False,
            id="answer.copy_menu",
            tooltip="Copy the value, its path, the body, the headers or the string to sign",
        ),
        Binding(
            "d",
            "compare",
            "Compare",
            id="answer.compare",
            tooltip="Compare with an earlier response",
        ),
        Binding("n", "find_next", "Next match", show=False, id="answer.find_next", tooltip="Go to the next match"),
        Binding(
            "N",
            "find_previous",
            "Previous match",
            show=False,
            id="answer.find_previous",
            tooltip="Go to the previous match",
        ),
        Binding(
            "left_curly_bracket,ctrl+pageup",
            "step(-1)",
            "Previous tab",
            show=False,
            id="answer.before",
            tooltip="Show the previous tab",
        ),
        Binding(
            "right_curly_bracket,ctrl+pagedown",
            "step(1)",
            "Next tab",
            show=False,
            id="answer.next",
            tooltip="Show the next tab",
        ),
    ]

    _tabs = query_one(TabBar)
    _parts = query_one(AnswerParts)
    _find_line = query_one(FindLine)

    @dataclass
    class SaveWanted(Message):
        """What is on show is to be saved; `name` is one for the file."""

        name: str
        data: bytes

    @dataclass
    class Copied(Message):
        """A text is to be copied."""

        text: str

    @dataclass
    class CopyWanted(Message):
        """One of these is to be copied."""

        copies: tuple[CopyOption, ...]

    class CompareWanted(Message):
        """The answer is to be compared with another one."""

    def __init__(self) -> None:
        super().__init__()
        self._exchange: Exchange | None = None
        self._sending = SendingTitle(self)
        self.border_title = Content.styled(" no response yet ", "$role-muted")

    def compose(self) -> ComposeResult:
        """Tabs, the failure's words, the parts, and the line to find in them."""
        yield TabBar(answer_tabs())
        yield Static(id="answer-failure", markup=False)
        yield AnswerParts()
        yield FindLine(lambda: self._view, self._note)

    @property
    def text(self) -> str:
        """The text in view, whole."""
        return self._view.text

    # What is shown

    def show_waiting(self, request: SignedRequest | None, *, left: bool) -> None:
        """A request is to be sent, or has `left` and is on its way; nothing moves until that takes a moment."""
        self._take(None, "")
        self._parts.show_texts("", request_text(request) if request else "")
        self._parts.body.show(None)
        self._note("")
        if left:
            self._sending.start()
        else:
            self.border_title = Content.styled(" not sent yet ", "$role-muted")

    def show_attempts(self, attempt_texts: Sequence[str]) -> None:
        """What has happened to the request that is on its way."""
        self._sending.show_attempts(attempt_texts)

    def show_stage(self, stage: Stage) -> None:
        """How far the read that is on its way has come; it can be cancelled."""
        self._sending.show_stage(stage)
        if self._sending.running:
            self._note("esc stop")

    def show_exchange(self, exchange: Exchange, attempt_texts: Sequence[str], failure: str = "") -> None:
        """An answer: `attempt_texts` is what happened before it, `failure` the words for what went wrong."""
        self._take(exchange, failure)
        answer = exchange.answer
        key = exchange.idempotency_key
        request = request_text(
            exchange.request, idempotency_key=key, attempt_texts=attempt_texts, timing=timing_text(exchange)
        )
        self._parts.show_texts(headers_text(exchange), request, answer.body)
        self.border_title = status_line(exchange, attempt_texts)
        self._parts.body.show(answer)

    def show_failure(
        self, failure: str, request: SignedRequest | None, attempt_texts: Sequence[str], key: str = "", *, outcome: str
    ) -> None:
        """No answer: `outcome` says so in two words, `failure` why, and what is known of the request's fate."""
        self._take(None, failure)
        text = request_text(request, idempotency_key=key, attempt_texts=attempt_texts) if request else ""
        self._parts.show_texts("", text)
        self._parts.body.show(None)
        self.border_title = Content.styled(f" ✕ {outcome} ", "bold $role-danger")

    # Finding and moving

    def action_find(self) -> None:
        """Open the line to find in the text in view."""
        self._find_line.start()

    def close_line(self) -> bool:
        """Close the line to find, else the line for a path, and show the body whole; False: neither was open."""
        return self._find_line.close() or self._parts.body.close_path()

    def action_narrow(self) -> None:
        """Open the line for a path into the body."""
        self._tabs.chosen = 0
        self._parts.body.start_path()

    def action_find_next(self) -> None:
        """Go to the next match."""
        self._find_line.step(1)

    def action_find_previous(self) -> None:
        """Back to the place before."""
        self._find_line.step(-1)

    def action_step(self, direction: int) -> None:
        """Show the text beside the one in view, and go there."""
        inside = self._view.has_focus
        self._tabs.action_step(direction)
        if inside:
            self.call_after_refresh(lambda: self._view.focus())

    @on(TabBar.Chosen)
    def _tab_chosen(self, event: TabBar.Chosen) -> None:
        event.stop()
        self._parts.show_tab(event.index)

    # Copying and saving

    def action_copy(self) -> None:
        """Have the value under the cursor copied, raw; in a text that is not JSON, the whole text."""
        body = self._parts.body
        cursor_node = body.view.cursor_node if self._view is body.view else None
        text = self.text if cursor_node is None else value_text(cursor_node[1])
        if text:
            self.post_message(self.Copied(text))
        else:
            self._note(availability.NO_ANSWER_TO_COPY)

    def action_copy_menu(self) -> None:
        """Have one of the things that are here copied; where nothing is, the key is handed on."""
        body, copies = self._parts.body, list[CopyOption]()
        if (cursor_node := body.view.cursor_node) is not None:
            copies += [
                CopyOption.of("v", "value", value_text(cursor_node[1])),
                CopyOption.of("p", "path", cursor_node[0]),
            ]
        if text := body.view.text:
            copies.append(CopyOption.of("b", "body" if body.narrowed is None else "JSONPath matches", text))
        if self._exchange is not None:
            copies.append(CopyOption.of("h", "headers", headers_text(self._exchange)))
            if (signed := self._exchange.request.string_to_sign) is not None:
                copies.append(CopyOption.of("s", "string to sign", signed))
        if not copies:
            raise SkipAction  # whoever is around it may have something to copy
        self.post_message(self.CopyWanted(tuple(copies)))

    def action_save(self) -> None:
        """Have the body saved byte by byte as it came, or what a path finds in it."""
        if self._exchange is None or not self._exchange.answer.body:
            self._note(availability.NO_ANSWER_TO_SAVE)
            return
        narrowed = self._parts.body.narrowed
        name = file_name(self._exchange, narrowed=narrowed is not None)
        self.post_message(
            self.SaveWanted(name, self._exchange.answer.body if narrowed is None else encode_utf8(narrowed))
        )

    def action_compare(self) -> None:
        """Have the answer compared with another one."""
        if self._exchange is None:
            self._note(availability.NO_ANSWER_TO_COMPARE)
        else:
            self.post_message(self.CompareWanted())

    def noop_reason(self, action: str, parameters: tuple[object, ...]) -> str:
        """What there must be an answer for."""
        match action:
            case "save" if self._exchange is None or not self._exchange.answer.body:
                return availability.NO_ANSWER_TO_SAVE
            case "compare" if self._exchange is None:
                return availability.NO_ANSWER_TO_COMPARE
            case "copy" if not self.text:
                return availability.NO_ANSWER_TO_COPY
        return ""

    # Inside

    @on(AnswerBody.NoteChanged)
    def _body_noted(self, event: AnswerBody.NoteChanged) -> None:
        event.stop()
        # While a request is on its way there is no body yet that anything is to be said of.
        if not self._sending.running:
            self._note(event.note)

    @property
    def _view(self) -> TextView:
        """What shows the text in view."""
        return self._parts.view(self._tabs.chosen)

    def _take(self, exchange: Exchange | None, failure: str) -> None:
        """Forget what was shown before: now there is this, and these are the words for what went wrong."""
        self._sending.stop()
        self._exchange = exchange
        self._tabs.tabs = answer_tabs(0 if exchange is None else len(exchange.answer.headers))
        line = self.query_one("#answer-failure", Static)
        line.update(styled(failure))
        line.set_class(bool(failure), "-shown")

    def _note(self, note: str) -> None:
        self._tabs.note = note
