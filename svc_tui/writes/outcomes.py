"""The outcome of a write, and what its answer tells: the record in it, the id of a new one."""

import re
from collections.abc import Iterable, Mapping
from urllib.parse import unquote

from msgspec import Struct

from svc_tui.core.catalog import Collection
from svc_tui.core.jsontext import JsonError, loads
from svc_tui.core.records import Place, Record
from svc_tui.core.requests import Exchange
from svc_tui.service.errors import (
    InsufficientScope,
    IpNotAllowed,
    KeyRefused,
    RateLimitExceeded,
    RecordChanged,
    SendResult,
    ServiceError,
    SignatureRefused,
    TimestampStale,
)


class WriteReport(Struct, frozen=True):
    """The outcome of a write, for the user.

    `reason` is a sentence that adds to `error`. `record` is the record after the write, as far as it is known.
    `changed_by_others` are fields that changed at the service since the user saw the record. `applied` counts the
    fields that have the value sent, `unapplied` are those that have another one. `is_gone`: the record no longer
    exists. `read_failed`: the record could not be read before the write. `journal_problem` is why the outcome could
    not be journalled; `entry_number` is 0 for a write without a journal entry. `ticket` is "" for none. `is_undoable`:
    a write that was carried out can be undone from here.
    """

    result: SendResult
    reason: str = ""
    error: ServiceError | None = None
    exchange: Exchange | None = None
    record: Record | None = None
    changed_by_others: tuple[str, ...] = ()
    unapplied: tuple[str, ...] = ()
    applied: int = 0
    is_gone: bool = False
    journal_problem: str = ""
    entry_number: int = 0
    read_failed: bool = False
    is_undoable: bool = False
    ticket: str = ""

    @property
    def was_applied(self) -> bool:
        """Whether the answer, or a reading after an unclear answer, shows that the write was carried out."""
        if self.result is SendResult.UNKNOWN:
            return self.is_gone or (self.applied > 0 and not self.unapplied)
        return self.result is SendResult.DONE

    @property
    def is_precondition_failed(self) -> bool:
        """Whether the service refused a write because the record is no longer the one that `If-Match` names."""
        return self.result is SendResult.REFUSED and self.error is not None and self.error.status == 412

    @property
    def restart_cause(self) -> RecordChanged | None:
        """Why a write starts over: the record changed before it was sent, and it was not carried out before."""
        if self.result in (SendResult.NOT_SENT, SendResult.REFUSED) and isinstance(self.error, RecordChanged):
            return self.error
        return None

    @property
    def may_be_conflict(self) -> bool:
        """Whether a later attempt found another record than the first, which may have arrived: a reading tells."""
        if self.result is not SendResult.UNKNOWN or self.error is None:
            return False
        return isinstance(self.error, RecordChanged) or self.error.status in (409, 412)


_ABOUT_THE_SENDER = (
    KeyRefused,
    SignatureRefused,
    TimestampStale,
    InsufficientScope,
    IpNotAllowed,
    RateLimitExceeded,
)


def parse_record(exchange: Exchange | None, place: Place) -> Record | None:
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


def parse_whole_record(
    exchange: Exchange | None, place: Place, sent: Iterable[str], before: Iterable[str] | None
) -> Record | None:
    """Return the record of a write's answer where it is whole: it has the fields that were sent and those of `before`.

    Where it is not known which fields it has besides (`before` None), an ETag has to come with it: by that an undo
    sees whether the record changed.
    """
    record = parse_record(exchange, place)
    if record is None or (before is None and not record.etag):
        return None
    return record if all(name in record.fields for name in (*sent, *(before or ()))) else None


def parse_created_id(exchange: Exchange | None, collection: Collection) -> str:
    """The id of the record that a POST made: the answer's, or the one its `Location` names; "" where neither does."""
    if exchange is None:
        return ""
    if (record := parse_record(exchange, Place(collection))) is not None:
        return record.id or ""
    _, _, last = (exchange.answer.header("location") or "").partition(f"{collection.path}/")
    return "" if re.search("[/?#]", last) else unquote(last)


def is_about_request(error: ServiceError | None) -> bool:
    """Whether a refusal was about what the request says, not about who sends it or how often."""
    return not isinstance(error, _ABOUT_THE_SENDER)
