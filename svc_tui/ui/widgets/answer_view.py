"""What came back: status with time, size and attempts; body, headers and the request as it left; find in them."""

import asyncio
from collections.abc import Sequence
from typing import ClassVar, Literal

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.timer import Timer
from textual.widgets import ContentSwitcher, Input, Static

from svc_tui.domain.bodies import readable, size
from svc_tui.domain.requests import Answer, Exchange, SignedRequest
from svc_tui.ui.text import shown, visible
from svc_tui.ui.widgets.completing_input import LineField
from svc_tui.ui.widgets.folding_json import FoldingJson
from svc_tui.ui.widgets.json_view import JsonView
from svc_tui.ui.widgets.tab_line import Tab, TabLine
from svc_tui.ui.widgets.waiting import SPINNER, SPINNER_AFTER, took

LARGE = 256_000
"""Bytes from which a body is made readable on a thread of its own."""

_VIEWS = ("answer-body", "answer-headers", "answer-request")


def status_line(exchange: Exchange, before: Sequence[str]) -> Content:
    """`200 OK · 38 ms · 1.2 kB · 2 attempts`, or what happened `before` the last attempt where that is known."""
    answer = exchange.answer
    role = "$role-ok" if answer.ok else "$role-warning" if answer.status < 400 else "$role-danger"
    mark = "✓" if answer.ok else "✕"
    facts = [took(exchange.seconds), size(len(answer.body)) + ("+" if answer.capped else "")]
    if before:
        facts.append(f"after {' · '.join(before)}")
    elif exchange.attempts > 1:
        waited = f", waited {exchange.waited:.1f} s" if exchange.waited >= 0.05 else ""
        facts.append(f"{exchange.attempts} attempts{waited}")
    return Content.assemble(
        " ",
        (visible(f"{mark} {answer.status} {answer.reason}".rstrip()), f"bold {role}"),
        (f" · {visible(' · '.join(facts))} ", "$role-muted"),
    )


def times(exchange: Exchange) -> str:
    """How long which part took: `waited 2.0 s · first byte 31 ms · whole 38 ms`, the last two of the last attempt."""
    waited = [f"waited {exchange.waited:.1f} s"] if exchange.waited >= 0.05 else []
    first = [f"first byte {took(exchange.first_byte)}"] if exchange.first_byte else []
    return " · ".join((*waited, *first, f"whole {took(exchange.seconds)}"))


def request_text(
    request: SignedRequest, *, idempotency_key: str = "", story: Sequence[str] = (), took_times: str = ""
) -> str:
    """The request as it left, secrets masked, with the string that was signed."""
    lines = [f"{request.method} {request.url}", *(f"{name}: {value}" for name, value in request.headers)]
    if request.body:
        lines += ["", request.body.decode("utf-8", "replace")]
    signed = ["string to sign:", request.string_to_sign] if request.string_to_sign else ["not signed"]
    lines += ["", *signed]
    if idempotency_key:
        lines.append(f"idempotency key: {idempotency_key}")
    if story:
        lines.append(f"attempts: {' · '.join(story)}")
    if took_times:
        lines.append(f"times: {took_times}")
    return "\n".join(lines)


class AnswerView(Vertical):
    """Shows one exchange at a time; its title is the status, so that it stays in sight."""

    DEFAULT_CSS = """
    AnswerView {
        height: 1fr;
        border-top: solid $role-panel;
        border-title-color: $role-muted;
        border-title-style: none;
        & > #answer-failure { height: auto; max-height: 6; color: $role-danger; display: none; }
        & > #answer-failure.-said { display: block; }
        & > ContentSwitcher { height: 1fr; }
        & > #answer-find { display: none; }
        & > #answer-find.-open { display: block; }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("slash", "find", "Find", show=False, id="answer.find", tooltip="Find in the answer"),
        Binding("n", "find_next", "Next", show=False, id="answer.find-next", tooltip="To the next place found"),
        Binding(
            "N", "find_previous", "Previous", show=False, id="answer.find-previous", tooltip="To the place found before"
        ),
        Binding(
            "left_curly_bracket,ctrl+pageup",
            "step(-1)",
            "Tab before",
            show=False,
            id="answer.before",
            tooltip="Show the text before",
        ),
        Binding(
            "right_curly_bracket,ctrl+pagedown",
            "step(1)",
            "Next tab",
            show=False,
            id="answer.next",
            tooltip="Show the next text",
        ),
    ]

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's own name
        super().__init__(id=id)
        self._waiting: Timer | None = None
        self._frame = 0
        self._story: tuple[str, ...] = ()
        self.border_title = Content.styled(" no answer yet ", "$role-muted")

    def compose(self) -> ComposeResult:
        """Tabs, the failure's words, the three texts, and the line to find in them."""
        yield TabLine([Tab("Body"), Tab("Headers"), Tab("Request")], id="answer-tabs")
        yield Static(id="answer-failure", markup=False)
        with ContentSwitcher(initial=_VIEWS[0]):
            yield FoldingJson(id=_VIEWS[0])
            for name in _VIEWS[1:]:
                yield JsonView(id=name)
        yield LineField(placeholder="find", id="answer-find")

    @property
    def text(self) -> str:
        """The text in view, whole."""
        return self._view().text

    # What is shown

    def show_waiting(self, request: SignedRequest | None) -> None:
        """A request is on its way; nothing moves until that takes a moment."""
        self._rest()
        self._said("")
        self._texts("", request_text(request) if request else "")
        self._body("", None, "")
        self.border_title = Content.styled("   sending ", "$role-muted")
        self._frame = -1
        self._waiting = self.set_interval(SPINNER_AFTER, self._spin)

    def tell(self, story: Sequence[str]) -> None:
        """What has happened to the request that is on its way."""
        self._story = tuple(story)
        if self._waiting is not None:
            self._draw_waiting()

    def show_exchange(self, exchange: Exchange, story: Sequence[str], failure: str = "") -> None:
        """An answer: `story` is what happened before it, `failure` the words for what went wrong."""
        self._rest()
        self._said(failure)
        answer = exchange.answer
        headers = "\n".join(f"{name}: {value}" for name, value in answer.headers)
        key = exchange.idempotency_key
        self._texts(
            headers, request_text(exchange.request, idempotency_key=key, story=story, took_times=times(exchange))
        )
        self.border_title = status_line(exchange, story)
        tabs = self.query_one("#answer-tabs", TabLine)
        tabs.tabs = [Tab("Body"), Tab("Headers", str(len(answer.headers) or "")), Tab("Request")]
        self._body("", None, "")
        if len(answer.body) < LARGE:
            self._read_now(answer)
        else:
            self._read_aside(answer)

    def show_failure(
        self, failure: str, request: SignedRequest | None, story: Sequence[str], key: str = "", *, sent: bool = True
    ) -> None:
        """No answer: `failure` says why, and what is known of the fate of a request that was `sent`."""
        self._rest()
        self._said(failure)
        text = request_text(request, idempotency_key=key, story=story) if request else ""
        self._texts("", text)
        outcome = "no answer" if sent else "not sent"
        self._body("", None, outcome)
        self.border_title = Content.styled(f" ✕ {outcome} ", "bold $role-danger")

    # Finding and moving

    def action_find(self) -> None:
        """Open the line to find in the text in view."""
        line = self.query_one("#answer-find", LineField)
        line.add_class("-open")
        line.focus()
        line.select_all()

    def close_find(self) -> bool:
        """Close the line to find; False: it was not open."""
        line = self.query_one("#answer-find", LineField)
        if not line.has_class("-open"):
            return False
        line.remove_class("-open")
        self._view().focus()
        return True

    def action_find_next(self) -> None:
        """On to the next place."""
        self._found(self._view().find_next())

    def action_find_previous(self) -> None:
        """Back to the place before."""
        self._found(self._view().find_previous())

    def action_step(self, direction: int) -> None:
        """Show the text beside the one in view, and go there."""
        inside = self._view().has_focus
        self.query_one("#answer-tabs", TabLine).action_step(direction)
        if inside:
            self.call_after_refresh(lambda: self._view().focus())

    @on(Input.Submitted, "#answer-find")
    def _seek(self, event: Input.Submitted) -> None:
        event.stop()
        self.close_find()
        self._found(self._view().find(event.value))

    @on(Input.Changed, "#answer-find")
    def _typed(self, event: Input.Changed) -> None:
        event.stop()

    @on(TabLine.Chosen)
    def _view_chosen(self, event: TabLine.Chosen) -> None:
        event.stop()
        self.query_one(ContentSwitcher).current = _VIEWS[event.index]

    def _found(self, found: bool) -> None:
        sought, place = self.query_one("#answer-find", LineField).value, self._view().found
        if found and place is not None:
            self._note(f"{place[0]:,} of {place[1]:,}")
        else:
            self._note(f"nowhere: {sought}" if sought else "/ finds")

    # Inside

    @work(exclusive=True, group="reading")
    async def _read_aside(self, answer: Answer) -> None:
        self._note(f"reading {size(len(answer.body))}")
        read = await asyncio.to_thread(readable, answer)
        self._body(read.text, "json" if read.json else None, read.note)

    def _read_now(self, answer: Answer) -> None:
        read = readable(answer)
        self._body(read.text, "json" if read.json else None, read.note)

    def _view(self) -> JsonView:
        return self.query_one(f"#{_VIEWS[self.query_one('#answer-tabs', TabLine).chosen]}", JsonView)

    def _body(self, text: str, language: Literal["json"] | None, note: str) -> None:
        self.query_one("#answer-body", JsonView).show_text(text, language)
        self._note(note)

    def _texts(self, headers: str, request: str) -> None:
        self.query_one("#answer-headers", JsonView).show_text(headers, "headers")
        self.query_one("#answer-request", JsonView).show_text(request, "headers")

    def _note(self, note: str) -> None:
        self.query_one("#answer-tabs", TabLine).note = note

    def _said(self, words: str) -> None:
        failure = self.query_one("#answer-failure", Static)
        failure.update(shown(words))
        failure.set_class(bool(words), "-said")

    def _rest(self) -> None:
        self.workers.cancel_group(self, "reading")
        if self._waiting is not None:
            self._waiting.stop()
            self._waiting = None
        self._story = ()

    def _spin(self) -> None:
        self._frame += 1
        self._draw_waiting()

    def _draw_waiting(self) -> None:
        cell = SPINNER[self._frame % len(SPINNER)] if self._frame >= 0 else " "
        words = " · ".join(("sending", *self._story))
        self.border_title = Content.assemble(" ", (cell, "$role-accent"), (f" {visible(words)} ", "$role-muted"))
