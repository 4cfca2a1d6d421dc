"""The response to an action: the verdict on a hash chain, or else the body."""

from collections.abc import Awaitable, Callable
from datetime import datetime
from functools import partial
from urllib.parse import urlsplit

from textual.app import ComposeResult
from textual.binding import Binding
from textual.content import Content
from textual.widgets import Static

from svc_tui.core.jsontext import JsonError, loads
from svc_tui.core.records import Place
from svc_tui.core.requests import Answer, Exchange
from svc_tui.storage.scope import StorageScope
from svc_tui.ui.context import Context
from svc_tui.ui.dialogs.dialog import Dialog, DialogFrame
from svc_tui.ui.record.copy import CopyController
from svc_tui.ui.text import pad, styled
from svc_tui.ui.widgets.text.text_view import TextView
from svc_tui.writes.actions import Action, is_verification
from svc_tui.writes.chain_verdict import ChainBreak, ChainVerdict, read_verdict

_CHAIN_COLLECTION = "operations/custody"
"""The collection of the entries of hash chains, unless loaded records say otherwise."""

_LABEL_CELLS = 10


async def show_response(context: Context, subject: str, action: Action, exchange: Exchange) -> None:
    """Show the response to an action on `subject`: a verdict if it is one, else the body."""
    verdict = _read_verdict(exchange) if is_verification(action) else None
    if verdict is None:
        answer = context.privacy_mask.exchange(exchange).answer
        title = Content.assemble(styled(action.route.name), " · ", styled(f"{answer.status} {answer.reason}"))
        await context.show(AnswerScreen(title, answer))
        return
    proof = _format_proof(subject, verdict, exchange, context.session.scope, context.local_now())
    copy = partial(CopyController(context).text, proof)
    record_id = await context.show(ChainVerdictScreen(subject, verdict, copy))
    if record_id:
        chained = next((one for one in context.session.collections if one.key == _CHAIN_COLLECTION), None)
        collection = context.selection.home_of(record_id) or chained
        if collection is not None:
            context.go(Place(collection, record_id))


def _read_verdict(exchange: Exchange) -> ChainVerdict | None:
    try:
        return read_verdict(loads(exchange.answer.body))
    except JsonError:
        return None


class AnswerScreen(Dialog[None]):
    """A dialog with the body of a response."""

    DEFAULT_CSS = """
    AnswerScreen > #dialog { height: 70%; }
    """

    def __init__(self, title: Content, answer: Answer) -> None:
        super().__init__()
        self._title, self._answer = title, answer

    def compose(self) -> ComposeResult:
        """Compose the view of the body."""
        with DialogFrame(self._title, "↑ ↓ scroll · esc close"):
            yield TextView()

    def on_mount(self) -> None:
        """Show the body as JSON, or as text if it is not JSON."""
        view, body = self.query_one(TextView), self._answer.body
        try:
            view.show_json(loads(body))
        except JsonError:
            view.show_text(body.decode(errors="replace") or "The response has no body.", None)
        view.focus()


class ChainVerdictScreen(Dialog[str]):
    """A verdict on a hash chain; the result is the id of the record where it breaks, to go there."""

    DEFAULT_CSS = """
    ChainVerdictScreen Static { margin-bottom: 1; }
    """

    BINDINGS = [
        Binding("enter,g", "go", "Open the record", id="verdict.go", tooltip="Open the record where the chain breaks"),
        Binding("y", "copy", "Copy", id="verdict.copy", tooltip="Copy the result"),
    ]

    def __init__(self, subject: str, verdict: ChainVerdict, copy: Callable[[], Awaitable[None]]) -> None:
        super().__init__()
        self._subject, self._verdict, self._copy_proof = subject, verdict, copy

    def compose(self) -> ComposeResult:
        """Compose the verdict, what was checked, and where the chain breaks."""
        verdict = self._verdict
        can_go = verdict.place is not None and verdict.place.record_id
        keys = "enter open · y copy · esc close" if can_go else "y copy · esc close"
        with DialogFrame(Content.assemble("Hash chain of ", styled(self._subject)), keys, danger=not verdict.holds):
            mark, role = ("✓", "$role-ok") if verdict.holds else ("✕", "$role-danger")
            yield Static(Content.styled(f"{mark} {_verdict_text(verdict)}", f"bold {role}"))
            yield Static(styled(_checked_text(verdict)))
            if not verdict.holds:
                yield Static(_break_content(verdict.place))

    def action_copy(self) -> None:
        """Copy the verdict."""
        self.run_worker(self._copy_proof(), group="copies")

    def action_go(self) -> None:
        """Close to go to the record where the chain breaks."""
        if (place := self._verdict.place) is not None and place.record_id:
            self.dismiss(place.record_id)


def _format_proof(subject: str, verdict: ChainVerdict, exchange: Exchange, scope: StorageScope, at: datetime) -> str:
    """Return the verdict for a ticket: the chain, the service, the time, and the request id."""
    answer, request = exchange.answer, exchange.request
    return "\n".join([
        f"Hash chain of {subject}",
        _verdict_text(verdict),
        _checked_text(verdict),
        *([] if verdict.holds else _break_content(verdict.place).plain.splitlines()),
        f"{scope.environment.label} · {scope.profile} · {urlsplit(scope.base_url).netloc}",
        f"{request.method} {request.target} · {answer.status} · {at:%Y-%m-%d %H:%M:%S %Z}",
        *([f"request id {answer.request_id}"] if answer.request_id else []),
        "",
    ])  # fmt: skip


def _verdict_text(verdict: ChainVerdict) -> str:
    return "The chain is valid." if verdict.holds else "The chain is broken."


def _checked_text(verdict: ChainVerdict) -> str:
    if not verdict.checked:
        return "The response does not say how many entries were checked."
    return "1 entry checked." if verdict.checked == "1" else f"{verdict.checked} entries checked."


def _break_content(place: ChainBreak | None) -> Content:
    if place is None:
        return Content.styled("The response does not say where.", "$role-muted")
    rows = [
        ("entry", place.index and f"{place.index} (number from the service)", "$role-number"),
        ("record", place.record_id, "bold $role-reference"),
        ("reason", place.reason, "$role-text"),
        ("expected", place.expected, "$role-ok"),
        ("found", place.actual, "$role-danger"),
    ]
    return Content("\n").join(
        Content.assemble((pad(label, _LABEL_CELLS), "$role-muted"), styled(text, style))
        for label, text, style in rows
        if text
    )
