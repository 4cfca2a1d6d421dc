"""What the answer to a write tells of its record and its outcome."""

from datetime import UTC, datetime

import pytest

from svc_tui.core.catalog import COLLECTIONS
from svc_tui.core.records import Place, Record
from svc_tui.core.requests import Answer, Exchange, SignedRequest
from svc_tui.service.errors import (
    Conflict,
    InsufficientScope,
    IpNotAllowed,
    KeyRefused,
    NotFound,
    RateLimitExceeded,
    RecordChanged,
    SendResult,
    ServiceError,
    SignatureRefused,
    StatusError,
    TimestampStale,
)
from svc_tui.writes.outcomes import (
    WriteReport,
    is_about_request,
    parse_created_id,
    parse_record,
    parse_whole_record,
)

LOTS = COLLECTIONS[0]
LOT = Place(LOTS, "lot-1")
PATH = "/v1/operations/lots"


def answered(body: bytes = b"", status: int = 200, **headers: str) -> Exchange:
    """An exchange with this answer."""
    answer = Answer(status, "", tuple(headers.items()), body)
    return Exchange(SignedRequest("POST", "", "", (), b""), answer, 1, 0.0, datetime(2026, 11, 20, tzinfo=UTC))


def test_the_record_of_an_answer_is_that_of_the_write_with_its_etag() -> None:
    exchange = answered(b'{"id":"lot-1","name":"x"}', ETag='"v2"')
    assert parse_record(exchange, LOT) == Record({"id": "lot-1", "name": "x"}, '"v2"')
    assert parse_record(exchange, Place(LOTS)) == Record({"id": "lot-1", "name": "x"}, '"v2"')
    assert parse_record(answered(b'{"id":"lot-1"}'), LOT) == Record({"id": "lot-1"})
    assert parse_record(exchange, Place(LOTS, "lot-2")) is None


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b'"lot-1"', b'{"name":"x"}'])
def test_an_answer_of_anything_else_has_no_record(body: bytes) -> None:
    assert parse_record(answered(body), LOT) is None
    assert parse_record(answered(body), Place(LOTS)) is None
    assert parse_whole_record(answered(body, ETag='"v2"'), LOT, (), ()) is None
    assert parse_record(None, LOT) is None


def test_the_record_of_an_answer_is_whole_where_it_has_what_was_sent_and_what_was_there() -> None:
    exchange = answered(b'{"id":"lot-1","name":"x","note":null}')
    record = Record({"id": "lot-1", "name": "x", "note": None})
    assert parse_whole_record(exchange, LOT, ("name",), ("id", "note")) == record
    assert parse_whole_record(exchange, LOT, ("name", "grade"), ("id",)) is None
    assert parse_whole_record(exchange, LOT, ("name",), ("id", "grade")) is None
    # Not known which fields it has besides.
    assert parse_whole_record(exchange, LOT, ("name",), None) is None
    tagged = answered(b'{"id":"lot-1","name":"x"}', ETag='"v2"')
    assert parse_whole_record(tagged, LOT, ("name",), None) == Record({"id": "lot-1", "name": "x"}, '"v2"')
    assert parse_whole_record(tagged, LOT, ("grade",), None) is None


@pytest.mark.parametrize(
    ("exchange", "record_id"),
    [
        (None, ""),
        (answered(b'{"id":"lot-9"}', Location=f"{PATH}/lot-8"), "lot-9"),
        (answered(Location=f"{PATH}/lot%2F8"), "lot/8"),
        (answered(location=f"https://api.example.com{PATH}/lot-8"), "lot-8"),
        (answered(Location=f"{PATH}/lot-8/parts"), ""),
        (answered(Location=f"{PATH}/lot-8?a=b"), ""),
        (answered(Location=f"{PATH}/lot-8#a"), ""),
        (answered(Location="/v1/operations/assays/as-1"), ""),
        (answered(), ""),
    ],
)
def test_the_id_of_a_new_record_is_in_the_answer_or_in_its_location(exchange: Exchange | None, record_id: str) -> None:
    assert parse_created_id(exchange, LOTS) == record_id


def report(result: SendResult, error: ServiceError | None = None) -> WriteReport:
    """The report of a write that ended so."""
    return WriteReport(result, error=error)


def failed(status: int) -> ServiceError:
    """The error of an answer with this status."""
    return StatusError("no", exchange=answered(status=status))


def test_only_a_refusal_with_412_says_that_the_record_is_another() -> None:
    assert report(SendResult.REFUSED, failed(412)).is_precondition_failed
    assert not report(SendResult.REFUSED, failed(409)).is_precondition_failed
    assert not report(SendResult.REFUSED).is_precondition_failed
    assert not report(SendResult.UNKNOWN, failed(412)).is_precondition_failed


def test_a_write_starts_over_only_where_it_was_not_carried_out_before() -> None:
    changed = RecordChanged("changed")
    for result in (SendResult.NOT_SENT, SendResult.REFUSED):
        assert report(result, changed).restart_cause is changed
        assert report(result, Conflict("other")).restart_cause is None
    for result in (SendResult.UNKNOWN, SendResult.DONE):
        assert report(result, changed).restart_cause is None


def test_a_reading_tells_whether_a_later_attempt_met_what_the_first_one_made() -> None:
    for error in (RecordChanged("changed"), failed(409), failed(412)):
        assert report(SendResult.UNKNOWN, error).may_be_conflict
        assert not report(SendResult.REFUSED, error).may_be_conflict
    assert not report(SendResult.UNKNOWN, failed(500)).may_be_conflict
    assert not report(SendResult.UNKNOWN).may_be_conflict


@pytest.mark.parametrize(
    "kind", [KeyRefused, SignatureRefused, TimestampStale, InsufficientScope, IpNotAllowed, RateLimitExceeded]
)
def test_a_refusal_of_the_sender_says_nothing_of_the_request(kind: type[StatusError]) -> None:
    assert not is_about_request(kind("no"))


def test_any_other_refusal_is_about_the_request() -> None:
    assert is_about_request(NotFound("no"))
    assert is_about_request(None)


def test_how_a_request_ended_is_kept_in_the_words_of_the_journal() -> None:
    assert [one.value for one in SendResult] == ["not sent", "refused", "unknown", "done"]
