"""The words for a request of the history: one line in a list, or everything that is kept of it."""

from datetime import datetime, tzinfo

from textual.content import Content

from svc_tui.core.bodies import make_readable, size_text
from svc_tui.core.catalog import VERSION_PREFIX
from svc_tui.core.requests import Answer
from svc_tui.storage.history import HistoryEntry, RequestOutcome, display_target
from svc_tui.ui.text import ELLIPSIS, measure, pad, shorten_left, styled, visible

_MIN_CELLS_FOR_DURATION = 60
"""Cells from which a line has room for how long it took."""
_OUTCOME_CELLS, _SHORT_OUTCOME_CELLS = 14, 10
"""Cells of the outcome, with and without how long it took."""
_LABEL_CELLS = 17


def history_line(entry: HistoryEntry, zone: tzinfo | None, cells: int) -> Content:
    """One line: when, method and path, what became of it and how long that took."""
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
    """Everything that is kept of a request."""
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
    """The target in at most `cells` cells; what is cut is cut at the left, whole segments where that is enough."""
    path = visible(display_target(entry.recorded_request.spec).removeprefix(f"{VERSION_PREFIX}/"))
    head, mark, query = path.partition("?")
    segments = head.split("/")
    shorter = [f"{ELLIPSIS}/{'/'.join(segments[start:])}{mark}{query}" for start in range(1, len(segments))]
    return next((text for text in (path, *shorter) if measure(text) <= cells), shorten_left(path, cells))


def _body_text(body: bytes) -> str:
    return make_readable(Answer(200, "", (), body)).text


def _outcome_text(entry: HistoryEntry) -> tuple[str, str]:
    """Mark and word for how it ended, and their style."""
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
