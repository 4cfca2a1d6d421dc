"""The request history of the console (F8), newest first: a request can be viewed, edited, sent again or deleted."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, tzinfo
from enum import Enum

from textual import on
from textual.binding import Binding
from textual.content import Content
from textual.widgets import OptionList

from svc_tui.core.bodies import make_readable, size_text
from svc_tui.core.catalog import VERSION_PREFIX
from svc_tui.core.requests import Answer
from svc_tui.storage.errors import StoreError
from svc_tui.storage.history import HistoryEntry, RequestOutcome, display_target
from svc_tui.ui.dialogs.entry_list import EntryListDialog, EntryScreen
from svc_tui.ui.text import ELLIPSIS, measure, pad, shorten_left, styled, visible

_MIN_CELLS_FOR_DURATION = 60
"""Cells from which a line has room for the duration."""
_OUTCOME_CELLS, _SHORT_OUTCOME_CELLS = 14, 10
"""Cells of the outcome, with and without the duration."""
_LABEL_CELLS = 17


class HistoryAction(Enum):
    """An action on the history, or on a request of it."""

    EDIT = "edit"
    SEND = "send"
    CLEAR = "clear"


@dataclass(frozen=True, slots=True)
class HistoryChoice:
    """An action on `entry`, or on the whole history."""

    action: HistoryAction
    entry: HistoryEntry | None = None
    search: str = ""


class HistoryScreen(EntryListDialog[HistoryEntry, HistoryChoice]):
    """A list of the requests of this profile and environment; Enter edits one in the console, ctrl+j sends it again.

    Entries are shown as `mask` returns them; the result has the entry itself.
    """

    HEADING = "Request history"
    EMPTY_TEXT = "No requests yet. Requests from the console are saved here."
    NO_MATCH_TEXT = "No matches"
    SEARCH_HINT = "path, body, status, day, message"

    BINDINGS = [
        Binding("j", "move(1)", "Down", show=False, id="requests.down", tooltip="Move down"),
        Binding("k", "move(-1)", "Up", show=False, id="requests.up", tooltip="Move up"),
        Binding("slash", "search", "Search", id="requests.search", key_display="/",
                tooltip="Search by method, path, header, body, day, status or message"),
        Binding("ctrl+j,ctrl+enter", "want('send')", "Send again", id="requests.send", priority=True,
                tooltip="Send the request again"),
        Binding("v", "view", "View", id="requests.view", show=False, tooltip="Show all details of the request"),
        Binding("delete", "remove", "Delete", id="requests.forget", show=False, tooltip="Delete this request"),
        Binding("C", "want('clear')", "Clear all", id="requests.clear", show=False,
                tooltip="Clear the request history of this profile (asks first)"),
        Binding("escape", "back", "Close", id="requests.back", tooltip="Close the search, then the history"),
    ]  # fmt: skip

    def __init__(
        self,
        entries: Sequence[HistoryEntry],
        zone: tzinfo | None,
        search: Callable[[str], Awaitable[Sequence[HistoryEntry]]],
        remove: Callable[[HistoryEntry], Awaitable[None]],
        mask: Callable[[HistoryEntry], HistoryEntry],
        text: str = "",
    ) -> None:
        """List the newest entries, or those found for `text`; `search` and `remove` raise StoreError."""
        super().__init__(entries, search, text)
        self._zone, self._remove, self._mask = zone, remove, mask

    @property
    def keys(self) -> str:
        """The words for the line of keys."""
        return "enter edit · ctrl+j send · v view · / search · del delete · C clear · esc close"

    def line(self, entry: HistoryEntry, cells: int) -> Content:
        """Return the time, the request and its outcome on one line."""
        return history_line(self._mask(entry), self._zone, cells)

    @on(OptionList.OptionSelected)
    def _edit(self) -> None:
        self.action_want("edit")

    def action_view(self) -> None:
        """Show all details of the request under the cursor."""
        if (entry := self.chosen) is not None:
            self.app.push_screen(EntryScreen(f"Request {entry.number}", history_details(self._mask(entry), self._zone)))

    def action_remove(self) -> None:
        """Delete the request under the cursor."""
        if (entry := self.chosen) is not None:
            self.run_worker(self._forget(entry), group="history-removal")

    async def _forget(self, entry: HistoryEntry) -> None:
        try:
            await self._remove(entry)
        except StoreError as error:
            self.say(styled(str(error)))
            return
        self.show([other for other in self.entries if other.number != entry.number])

    def action_want(self, action: str) -> None:
        """Close with an action on the request under the cursor, or on all."""
        if self.entries:
            self.dismiss(HistoryChoice(HistoryAction(action), self.chosen, self.text))


def history_line(entry: HistoryEntry, zone: tzinfo | None, cells: int) -> Content:
    """Return the time, method, path, outcome and duration of a request in a line of `cells` cells."""
    spec = entry.recorded_request.spec
    word, style = _outcome_text(entry)
    took = _duration_text(entry) if cells >= _MIN_CELLS_FOR_DURATION else ""
    ended = Content.assemble((word, style), (f" {took}", "$role-muted") if took else "")
    start = Content.assemble(
        (_timestamp(entry.recorded_request.at, zone)[5:16], "$role-time"),
        "  ",
        (pad(visible(spec.method), 6), "bold"),
        "  ",
    )
    room = max(
        1,
        cells - start.cell_length - (_OUTCOME_CELLS if cells >= _MIN_CELLS_FOR_DURATION else _SHORT_OUTCOME_CELLS) - 2,
    )
    return Content.assemble(start, pad(_shorten_target(entry, room), room), "  ", ended)


def history_details(entry: HistoryEntry, zone: tzinfo | None) -> Content:
    """Return all stored details of a request."""
    recorded_request, ended = entry.recorded_request, entry.recorded_result
    spec = recorded_request.spec
    word, style = _outcome_text(entry)
    rows = [
        ("when", styled(_timestamp(recorded_request.at, zone), "$role-time")),
        ("request", styled(f"{spec.method} {display_target(spec)}")),
        *((name, styled(value)) for name, value in spec.headers),
        ("outcome", Content.assemble((word, style), (f"  {_duration_text(entry)}", "$role-muted"))),
    ]
    if spec.idempotency_key:
        rows.append(("idempotency key", styled(spec.idempotency_key, "$role-muted")))
    if recorded_request.missing:
        rows.append(("not saved", styled(", ".join(recorded_request.missing), "$role-warning")))
    if ended is not None and ended.status is not None:
        rows.append(("response", styled(size_text(ended.received))))
    if ended is not None and ended.request_id:
        rows.append(("request id", styled(ended.request_id)))
    lines = [
        Content.assemble((pad(visible(label), _LABEL_CELLS - 1), "$role-muted"), " ", value) for label, value in rows
    ]
    if ended is not None and ended.message:
        lines += [Content(), styled(ended.message, lines=True)]
    for title, body in (("Request body", spec.body), ("Response body", ended.body if ended is not None else None)):
        if body:
            lines += [Content(), styled(title, "bold"), styled(_body_text(body), lines=True)]
    return Content("\n").join(lines)


def _shorten_target(entry: HistoryEntry, cells: int) -> str:
    """Return the target in at most `cells` cells, cut at the left, by whole segments if that is enough."""
    path = visible(display_target(entry.recorded_request.spec).removeprefix(f"{VERSION_PREFIX}/"))
    head, mark, query = path.partition("?")
    segments = head.split("/")
    shorter = [f"{ELLIPSIS}/{'/'.join(segments[start:])}{mark}{query}" for start in range(1, len(segments))]
    return next((text for text in (path, *shorter) if measure(text) <= cells), shorten_left(path, cells))


def _body_text(body: bytes) -> str:
    return make_readable(Answer(200, "", (), body)).text


def _outcome_text(entry: HistoryEntry) -> tuple[str, str]:
    """Return the mark and word for the outcome, and their style."""
    status = entry.recorded_result.status if entry.recorded_result is not None else None
    match entry.outcome:
        case RequestOutcome.NOT_SENT:
            return "· not sent", "$role-muted"
        case RequestOutcome.CANCELLED:
            return "· cancelled", "$role-muted"
        case RequestOutcome.UNKNOWN:
            return "? unknown", "bold $role-warning"
        case RequestOutcome.ANSWERED if status is not None and 200 <= status < 300:
            return f"✓ {status}", "$role-ok"
        case RequestOutcome.ANSWERED if status is None:
            return "! incomplete", "bold $role-warning"
    return f"✕ {status}", "$role-danger"


def _duration_text(entry: HistoryEntry) -> str:
    if entry.recorded_result is None or entry.recorded_result.status is None:
        return ""
    seconds = entry.recorded_result.seconds
    return f"{seconds * 1000:,.0f} ms" if seconds < 10 else f"{seconds:,.0f} s"


def _timestamp(at: datetime, zone: tzinfo | None) -> str:
    return at.astimezone(zone).strftime("%Y-%m-%d %H:%M:%S %Z")
