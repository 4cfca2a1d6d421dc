"""What the verification of a hash chain found: a verdict in words, what was checked, and where the chain breaks."""

from collections.abc import Awaitable, Callable
from datetime import datetime
from urllib.parse import urlsplit

from textual.app import ComposeResult
from textual.binding import Binding
from textual.content import Content
from textual.widgets import Static

from svc_tui.core.requests import Exchange
from svc_tui.storage.scope import StorageScope
from svc_tui.ui.dialogs.dialog import Dialog, DialogFrame
from svc_tui.ui.text import pad, styled
from svc_tui.writes.chain_verdict import ChainBreak, ChainVerdict

_LABEL_CELLS = 10


class ChainVerdictScreen(Dialog[str]):
    """Gives the id of the record where the chain breaks, to go there; None: back."""

    DEFAULT_CSS = """
    ChainVerdictScreen Static { margin-bottom: 1; }
    """

    BINDINGS = [
        Binding("enter,g", "go", "Open the record", id="verdict.go", tooltip="Open the record where the chain breaks"),
        Binding("y", "copy", "Copy", id="verdict.copy", tooltip="Copy the result"),
    ]

    def __init__(self, what: str, verdict: ChainVerdict, copy: Callable[[], Awaitable[None]]) -> None:
        super().__init__()
        self._what, self._verdict, self._copy = what, verdict, copy

    def compose(self) -> ComposeResult:
        """The verdict, then what is known about it."""
        verdict = self._verdict
        can_go = verdict.place is not None and verdict.place.record_id
        keys = "enter open · y copy · esc close" if can_go else "y copy · esc close"
        with DialogFrame(Content.assemble("Hash chain of ", styled(self._what)), keys, danger=not verdict.holds):
            mark, role = ("✓", "$role-ok") if verdict.holds else ("✕", "$role-danger")
            yield Static(Content.styled(f"{mark} {_finding(verdict)}", f"bold {role}"))
            yield Static(styled(_checked(verdict)))
            if not verdict.holds:
                yield Static(_break_lines(verdict.place))

    def action_copy(self) -> None:
        """Copy the verdict."""
        self.run_worker(self._copy(), group="copies")

    def action_go(self) -> None:
        """Go to the record where the chain breaks."""
        if (place := self._verdict.place) is not None and place.record_id:
            self.dismiss(place.record_id)


def verdict_proof(what: str, verdict: ChainVerdict, exchange: Exchange, scope: StorageScope, at: datetime) -> str:
    """The verdict for a ticket: of what, where, when, and under which request id."""
    answer, request = exchange.answer, exchange.request
    return "\n".join([
        f"Hash chain of {what}",
        _finding(verdict),
        _checked(verdict),
        *([] if verdict.holds else _break_lines(verdict.place).plain.splitlines()),
        f"{scope.environment.label} · {scope.profile} · {urlsplit(scope.base_url).netloc}",
        f"{request.method} {request.target} · {answer.status} · {at:%Y-%m-%d %H:%M:%S %Z}",
        *([f"request id {answer.request_id}"] if answer.request_id else []),
        "",
    ])  # fmt: skip


def _finding(verdict: ChainVerdict) -> str:
    return "The chain is valid." if verdict.holds else "The chain is broken."


def _checked(verdict: ChainVerdict) -> str:
    if not verdict.checked:
        return "The response does not say how many entries were checked."
    return "1 entry checked." if verdict.checked == "1" else f"{verdict.checked} entries checked."


def _break_lines(place: ChainBreak | None) -> Content:
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
