"""What the answer to a write tells: how it ended, the record in it, and whether its request was judged at all."""

import re
from collections.abc import Iterable, Mapping
from urllib.parse import unquote

from svc_tui.domain.editing.write_report import WriteReport, WriteResult
from svc_tui.domain.http.errors import (
    InsufficientScope,
    IpNotAllowed,
    KeyRefused,
    RateLimitExceeded,
    RecordChanged,
    SentState,
    ServiceError,
    SignatureRefused,
    TimestampStale,
)
from svc_tui.domain.model.catalog import Collection
from svc_tui.domain.model.jsontext import JsonError, loads
from svc_tui.domain.model.records import Place, Record
from svc_tui.domain.model.requests import Exchange

_ABOUT_THE_SENDER = (
    KeyRefused,
    SignatureRefused,
    TimestampStale,
    InsufficientScope,
    IpNotAllowed,
    RateLimitExceeded,
)
RESULTS = {
    SentState.NO: WriteResult.NOT_SENT,
    SentState.REFUSED: WriteResult.REFUSED,
    SentState.UNKNOWN: WriteResult.UNKNOWN,
    SentState.DONE: WriteResult.DONE,
}
"""How a write ended, by what is known of the request's fate."""


def record_in(exchange: Exchange | None, place: Place) -> Record | None:
    """The record that a write's answer carries; None where the answer is something else."""
    if exchange is None:
        return None
    try:
        value = loads(exchange.answer.body)
    except JsonError:
        return None
    if not isinstance(value, Mapping):
        return None
    record = Record(value, exchange.answer.header("etag") or "")
    return record if record.id is not None and place.record_id in (None, record.id) else None


def whole_record_in(
    exchange: Exchange | None, place: Place, sent: Iterable[str], before: Iterable[str] | None
) -> Record | None:
    """Return the record of a write's answer where it is whole: it has the fields that were sent and those of `before`.

    Where it is not known which fields it has besides (`before` None), an ETag has to come with it: by that an undo
    sees whether the record changed.
    """
    record = record_in(exchange, place)
    if record is None or (before is None and not record.etag):
        return None
    return record if all(name in record.fields for name in (*sent, *(before or ()))) else None


def created_id(exchange: Exchange | None, collection: Collection) -> str:
    """The id of the record that a POST made: the answer's, or the one its `Location` names; "" where neither does."""
    if exchange is None:
        return ""
    if (record := record_in(exchange, Place(collection))) is not None:
        return record.id or ""
    _, _, last = (exchange.answer.header("location") or "").partition(f"{collection.path}/")
    return "" if re.search("[/?#]", last) else unquote(last)


def precondition_failed(report: WriteReport) -> bool:
    """Whether the service refused a write because the record is no longer the one that `If-Match` names."""
    return report.result is WriteResult.REFUSED and report.error is not None and report.error.status == 412


def changed_record(report: WriteReport) -> RecordChanged | None:
    """Return why a write starts over: the record changed before it left, and it was not carried out before."""
    if report.result in (WriteResult.NOT_SENT, WriteResult.REFUSED) and isinstance(report.error, RecordChanged):
        return report.error
    return None


def may_be_conflict(report: WriteReport) -> bool:
    """Return True if a later attempt found another record than the first, which may have arrived: a reading tells."""
    if report.result is not WriteResult.UNKNOWN or report.error is None:
        return False
    return isinstance(report.error, RecordChanged) or report.error.status in (409, 412)


def is_about_request(error: ServiceError | None) -> bool:
    """Whether a refusal was about what the request says, not about who sends it or how often."""
    return not isinstance(error, _ABOUT_THE_SENDER)
