"""The words for a request of the history: one line in a list, or everything that is kept of it."""

from datetime import datetime, tzinfo

from textual.content import Content

from svc_tui.domain.console.history import Fate, HistoryEntry, target
from svc_tui.domain.data.bodies import readable, size
from svc_tui.domain.model.catalog import VERSION_PREFIX
from svc_tui.domain.model.requests import Answer
from svc_tui.ui.text import ELLIPSIS, measure, padded, shortened_left, shown, visible

_WIDE = 60
"""Cells from which a line has room for how long it took."""
_OUTCOME, _SHORT_OUTCOME = 14, 10
"""Cells of the outcome, with and without how long it took."""
_LABELS = 17


def sent_line(entry: HistoryEntry, zone: tzinfo | None, cells: int) -> Content:
    """One line: when, method and path, what became of it and how long that took."""
    spec = entry.sending.spec
    word, style = _fate(entry)
    took = _took(entry) if cells >= _WIDE else ""
    ended = Content.assemble((word, style), (f" {took}", "$role-muted") if took else "")
    start = Content.assemble(
        (_time(entry.sending.at, zone)[5:16], "$role-time"), "  ", (padded(visible(spec.method), 6), "bold"), "  "
    )
    room = max(1, cells - start.cell_length - (_OUTCOME if cells >= _WIDE else _SHORT_OUTCOME) - 2)
    return Content.assemble(start, padded(_path(entry, room), room), "  ", ended)


def sent_whole(entry: HistoryEntry, zone: tzinfo | None) -> Content:
    """Everything that is kept of a request."""
    sending, ended = entry.sending, entry.ending
    spec = sending.spec
    word, style = _fate(entry)
    rows = [
        ("when", shown(_time(sending.at, zone), "$role-time")),
        ("request", shown(f"{spec.method} {target(spec)}")),
        *((name, shown(value)) for name, value in spec.headers),
        ("outcome", Content.assemble((word, style), (f"  {_took(entry)}", "$role-muted"))),
    ]
    if spec.idempotency_key:
        rows.append(("idempotency key", shown(spec.idempotency_key, "$role-muted")))
    if sending.missing:
        rows.append(("not kept", shown(", ".join(sending.missing), "$role-warning")))
    if ended is not None and ended.status is not None:
        rows.append(("answer", shown(size(ended.received))))
    if ended is not None and ended.request_id:
        rows.append(("request id", shown(ended.request_id)))
    lines = [
        Content.assemble((padded(visible(label), _LABELS - 1), "$role-muted"), " ", value) for label, value in rows
    ]
    if ended is not None and ended.message:
        lines += [Content(), shown(ended.message, lines=True)]
    for title, body in (("What was sent", spec.body), ("The answer", ended.body if ended is not None else None)):
        if body:
            lines += [Content(), shown(title, "bold"), shown(_text(body), lines=True)]
    return Content("\n").join(lines)


def _path(entry: HistoryEntry, cells: int) -> str:
    """The target in at most `cells` cells; what is cut is cut at the left, whole segments where that is enough."""
    path = visible(target(entry.sending.spec).removeprefix(f"{VERSION_PREFIX}/"))
    head, mark, query = path.partition("?")
    segments = head.split("/")
    shorter = [f"{ELLIPSIS}/{'/'.join(segments[start:])}{mark}{query}" for start in range(1, len(segments))]
    return next((text for text in (path, *shorter) if measure(text) <= cells), shortened_left(path, cells))


def _text(body: bytes) -> str:
    return readable(Answer(200, "", (), body)).text


def _fate(entry: HistoryEntry) -> tuple[str, str]:
    """Mark and word for how it ended, and their style."""
    status = entry.ending.status if entry.ending is not None else None
    match entry.fate:
        case Fate.NOT_SENT:
            return "· not sent", "$role-muted"
        case Fate.CANCELLED:
            return "· cancelled", "$role-muted"
        case Fate.UNKNOWN:
            return "? unknown", "bold $role-warning"
        case Fate.ANSWERED if status is not None and 200 <= status < 300:
            return f"✓ {status}", "$role-ok"
    return f"✕ {status}", "$role-danger"


def _took(entry: HistoryEntry) -> str:
    if entry.ending is None or entry.ending.status is None:
        return ""
    seconds = entry.ending.seconds
    return f"{seconds * 1000:,.0f} ms" if seconds < 10 else f"{seconds:,.0f} s"


def _time(at: datetime, zone: tzinfo | None) -> str:
    return at.astimezone(zone).strftime("%Y-%m-%d %H:%M:%S %Z")
