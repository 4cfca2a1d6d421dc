"""The response to a request: its status, and tabs with its body, headers, the request as sent, and bytes."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from textual import on, work
from textual.actions import SkipAction
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.getters import query_one
from textual.message import Message
from textual.timer import Timer
from textual.widgets import ContentSwitcher, Input, Static

from svc_tui.console.copy_as import CopyOption, value_text
from svc_tui.core.bodies import bytes_in_row, preview_bytes
from svc_tui.core.export_formats import encode_utf8
from svc_tui.core.requests import Exchange, SignedRequest
from svc_tui.service.traffic import Stage
from svc_tui.ui.keys import availability
from svc_tui.ui.keys.availability import ExplainsAvailability
from svc_tui.ui.keys.key_scopes import keys_count_in
from svc_tui.ui.text import styled, visible
from svc_tui.ui.widgets.answer.answer_body_view import AnswerBody
from svc_tui.ui.widgets.answer.exchange_text import file_name, headers_text, request_text, status_line, timing_text
from svc_tui.ui.widgets.bars.border_title import SPINNER_DELAY_SECONDS, SPINNER_FRAMES
from svc_tui.ui.widgets.bars.tab_bar import Tab, TabBar
from svc_tui.ui.widgets.request.request_inputs import BorderlessInput
from svc_tui.ui.widgets.text.folding_json_view import FoldingJsonView
from svc_tui.ui.widgets.text.text_view import LARGE_TEXT, TextView

_BODY, _HEADERS, _REQUEST, _BYTES = "answer-whole", "answer-headers", "answer-request", "answer-bytes"
_VIEWS = (_BODY, _HEADERS, _REQUEST, _BYTES)
"""The ids of the views, in the order of their tabs."""


class BytesView(TextView):
    """A view of the beginning of a body as bytes, as many in a row as fit; 16 while it is not displayed."""

    _data = b""
    _bytes_in_row = 0

    def show_bytes(self, data: bytes) -> None:
        """Show these bytes, from the first."""
        self._data, self._bytes_in_row = data, 0
        self._show_preview()

    def on_resize(self) -> None:
        """Fit the rows to the new width."""
        self._show_preview()

    def _show_preview(self) -> None:
        width = self.scrollable_content_region.width
        in_row = bytes_in_row(width) if width else 16
        if in_row != self._bytes_in_row:
            self._bytes_in_row = in_row
            self.show_text(preview_bytes(self._data, in_row))


@keys_count_in(FoldingJsonView)
class AnswerView(ExplainsAvailability, Vertical):
    """A view of one exchange at a time; its title is the status, which is always in view."""

    DEFAULT_CSS = """
    AnswerView {
        height: 1fr;
        border-top: solid $role-panel;
        border-title-color: $role-muted;
        border-title-style: none;
        & > #answer-failure { height: auto; max-height: 6; color: $role-danger; display: none; }
        & > #answer-failure.-shown { display: block; }
        & > ContentSwitcher { height: 1fr; }
        & > #answer-find { display: none; }
        & > #answer-find.-open { display: block; }
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
    _body = query_one(AnswerBody)
    _find_line = query_one("#answer-find", BorderlessInput)

    @dataclass
    class SaveWanted(Message):
        """A request to save what is shown; `name` is proposed for the file."""

        name: str
        data: bytes

    @dataclass
    class Copied(Message):
        """A request to copy a text."""

        text: str

    @dataclass
    class CopyWanted(Message):
        """A request to copy one of these."""

        copies: tuple[CopyOption, ...]

    class CompareWanted(Message):
        """A request to compare the response with another one."""

    def __init__(self) -> None:
        super().__init__()
        self._exchange: Exchange | None = None
        self._spinner: Timer | None = None
        """The timer that draws the title while a request is in flight."""
        self._spinner_frame = -1
        self._attempt_texts: tuple[str, ...] = ()
        self._stage: Stage | None = None
        self.border_title = Content.styled(" no response yet ", "$role-muted")

    def compose(self) -> ComposeResult:
        """Compose the tabs, the words for a failure, a view for each tab, and the search line."""
        yield TabBar(_make_tabs())
        yield Static(id="answer-failure", markup=False)
        with ContentSwitcher(initial=_BODY):
            yield AnswerBody(id=_BODY)
            yield TextView(id=_HEADERS)
            yield TextView(id=_REQUEST)
            yield BytesView(id=_BYTES)
        yield BorderlessInput(placeholder="search", id="answer-find")

    @property
    def _view(self) -> TextView:
        """The view of the text in the chosen tab."""
        tab = _VIEWS[self._tabs.chosen]
        return self._body.view if tab == _BODY else self.query_one(f"#{tab}", TextView)

    @property
    def text(self) -> str:
        """The whole text of the chosen tab."""
        return self._view.text

    # What is shown

    def show_waiting(self, request: SignedRequest | None, *, left: bool) -> None:
        """Show a request to be sent, or one that has `left` and is in flight; the spinner appears after a moment."""
        self._take(None, "")
        self._show_texts("", request_text(request) if request else "")
        self._body.show(None)
        self._note("")
        if left:
            self.border_title = Content.styled("   sending ", "$role-muted")
            self._spinner = self.set_interval(SPINNER_DELAY_SECONDS, self._turn_spinner)
        else:
            self.border_title = Content.styled(" not sent yet ", "$role-muted")

    def _turn_spinner(self) -> None:
        self._spinner_frame += 1
        self._show_progress()

    def show_attempts(self, attempt_texts: Sequence[str]) -> None:
        """Show the attempts of the request in flight so far."""
        self._attempt_texts = tuple(attempt_texts)
        self._show_progress()

    def show_stage(self, stage: Stage) -> None:
        """Show the stage of the read in flight, and that it can be cancelled."""
        self._stage = stage
        self._show_progress()
        if self._spinner is not None:
            self._note("esc stop")

    def _show_progress(self) -> None:
        if self._spinner is None:
            return
        cell = SPINNER_FRAMES[self._spinner_frame % len(SPINNER_FRAMES)] if self._spinner_frame >= 0 else " "
        # The earlier attempts say more than that a response is awaited.
        stage = None if self._attempt_texts and self._stage is Stage.WAITING else self._stage
        words = " · ".join(filter(None, ("sending", *self._attempt_texts, stage.value if stage else "")))
        self.border_title = Content.assemble(" ", (cell, "$role-accent"), (f" {visible(words)} ", "$role-muted"))

    def show_exchange(self, exchange: Exchange, attempt_texts: Sequence[str], failure: str = "") -> None:
        """Show a response, the attempts before it, and the `failure` if it is an error."""
        self._take(exchange, failure)
        answer = exchange.answer
        key = exchange.idempotency_key
        request = request_text(
            exchange.request, idempotency_key=key, attempt_texts=attempt_texts, timing=timing_text(exchange)
        )
        self._show_texts(headers_text(exchange), request, answer.body)
        self.border_title = status_line(exchange, attempt_texts)
        self._body.show(answer)

    def show_failure(
        self, failure: str, request: SignedRequest | None, attempt_texts: Sequence[str], key: str = "", *, outcome: str
    ) -> None:
        """Show that there is no response: `outcome` in two words, `failure` with the cause and the request's fate."""
        self._take(None, failure)
        text = request_text(request, idempotency_key=key, attempt_texts=attempt_texts) if request else ""
        self._show_texts("", text)
        self._body.show(None)
        self.border_title = Content.styled(f" ✕ {outcome} ", "bold $role-danger")

    def _take(self, exchange: Exchange | None, failure: str) -> None:
        """Forget what was shown before, and show the words for a failure."""
        if self._spinner is not None:
            self._spinner.stop()
        self._spinner, self._spinner_frame = None, -1
        self._attempt_texts, self._stage = (), None
        self._exchange = exchange
        self._tabs.tabs = _make_tabs(0 if exchange is None else len(exchange.answer.headers))
        line = self.query_one("#answer-failure", Static)
        line.update(styled(failure))
        line.set_class(bool(failure), "-shown")

    def _show_texts(self, headers: str, request: str, body: bytes = b"") -> None:
        """Show the texts of all tabs but the body, which may take a while to decode."""
        self.query_one(f"#{_HEADERS}", TextView).show_text(headers, "headers")
        self.query_one(f"#{_REQUEST}", TextView).show_text(request, "headers")
        self.query_one(BytesView).show_bytes(body)

    @on(AnswerBody.NoteChanged)
    def _body_noted(self, event: AnswerBody.NoteChanged) -> None:
        event.stop()
        # While a request is in flight, there is no body yet.
        if self._spinner is None:
            self._note(event.note)

    def _note(self, note: str) -> None:
        self._tabs.note = note

    @on(TabBar.Chosen)
    def _tab_chosen(self, event: TabBar.Chosen) -> None:
        event.stop()
        self.query_one(ContentSwitcher).current = _VIEWS[event.index]

    def action_step(self, direction: int) -> None:
        """Show the tab beside the chosen one, and focus its text if the focus was in the last one."""
        inside = self._view.has_focus
        self._tabs.action_step(direction)
        if inside:
            self.call_after_refresh(lambda: self._view.focus())

    # Searching and narrowing

    def action_find(self) -> None:
        """Open the search line, with the last search in it."""
        self._find_line.add_class("-open")
        self._find_line.focus()
        self._find_line.select_all()

    def _close_find_line(self) -> bool:
        if not self._find_line.has_class("-open"):
            return False
        self._find_line.remove_class("-open")
        self._view.focus()
        return True

    @on(Input.Submitted, "#answer-find")
    def _search(self, event: Input.Submitted) -> None:
        event.stop()
        self._close_find_line()
        if len(self._view.text) < LARGE_TEXT:
            self._show_match(self._view.find(event.value))
        else:
            self._search_in_thread(self._view, event.value)

    @work(exclusive=True, group="searching")
    async def _search_in_thread(self, view: TextView, needle: str) -> None:
        self._note("searching")
        self._show_match(await view.find_in_thread(needle))

    @on(Input.Changed, "#answer-find")
    def _search_typed(self, event: Input.Changed) -> None:
        event.stop()

    def action_find_next(self) -> None:
        """Go to the next match."""
        self._show_match(self._view.find_next())

    def action_find_previous(self) -> None:
        """Go to the previous match."""
        self._show_match(self._view.find_previous())

    def _show_match(self, has_matches: bool) -> None:
        needle, position = self._find_line.value, self._view.match_position
        if has_matches and position is not None:
            self._note(f"{position[0]:,} of {position[1]:,}")
        else:
            self._note(f"no matches: {needle}" if needle else "/ search")

    def action_narrow(self) -> None:
        """Open the line for a JSONPath into the body."""
        self._tabs.chosen = 0
        self._body.start_path()

    def close_line(self) -> bool:
        """Close the search line, or else the line for a path, and show the whole body; return False if none is open."""
        return self._close_find_line() or self._body.close_path()

    # Copying and saving

    def action_copy(self) -> None:
        """Copy the value under the cursor, raw; in a text that is not JSON, the whole text."""
        body = self._body
        cursor_node = body.view.cursor_node if self._view is body.view else None
        text = self.text if cursor_node is None else value_text(cursor_node[1])
        if text:
            self.post_message(self.Copied(text))
        else:
            self._note(availability.NO_ANSWER_TO_COPY)

    def action_copy_menu(self) -> None:
        """Ask which part of the response to copy; if there is none, leave the key to the widgets around."""
        body, copies = self._body, list[CopyOption]()
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
            raise SkipAction
        self.post_message(self.CopyWanted(tuple(copies)))

    def action_save(self) -> None:
        """Save the body byte by byte, or the matches of the path in it."""
        if self._exchange is None or not self._exchange.answer.body:
            self._note(availability.NO_ANSWER_TO_SAVE)
            return
        narrowed = self._body.narrowed
        name = file_name(self._exchange, narrowed=narrowed is not None)
        self.post_message(
            self.SaveWanted(name, self._exchange.answer.body if narrowed is None else encode_utf8(narrowed))
        )

    def action_compare(self) -> None:
        """Compare the response with another one."""
        if self._exchange is None:
            self._note(availability.NO_ANSWER_TO_COMPARE)
        else:
            self.post_message(self.CompareWanted())

    def noop_reason(self, action: str, parameters: tuple[object, ...]) -> str:
        """Return why an action does nothing without a response."""
        match action:
            case "save" if self._exchange is None or not self._exchange.answer.body:
                return availability.NO_ANSWER_TO_SAVE
            case "compare" if self._exchange is None:
                return availability.NO_ANSWER_TO_COMPARE
            case "copy" if not self.text:
                return availability.NO_ANSWER_TO_COPY
        return ""


def _make_tabs(headers: int = 0) -> list[Tab]:
    return [Tab("Body"), Tab("Headers", str(headers or "")), Tab("Request"), Tab("Bytes")]
