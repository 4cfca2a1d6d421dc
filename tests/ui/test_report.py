"""The words for what went wrong, and for how a change ended."""

from datetime import UTC, datetime

import pytest

from svc_tui.core.records import Record
from svc_tui.core.requests import Answer, Exchange, SignedRequest
from svc_tui.service.errors import (
    ApiKeyExpired,
    ApiKeyInvalid,
    ApiKeyMissing,
    ApiKeyRevoked,
    ConnectionBroken,
    IpNotAllowed,
    SendResult,
    ServiceError,
    SignatureMismatch,
    TimestampStale,
)
from svc_tui.ui.report import action_report, error_report, reading_error_line, write_report
from svc_tui.writes.outcomes import WriteReport

RECORD = Record({"id": "lot-1", "grade": "B"})
BROKEN = ConnectionBroken("the connection broke")

WAY = "Press K to replace the key and the secret."


@pytest.mark.parametrize("kind", [ApiKeyExpired, ApiKeyRevoked, ApiKeyInvalid, SignatureMismatch])
def test_what_a_new_pair_mends_names_the_way_to_it(kind: type[ServiceError]) -> None:
    error = kind("refused")
    assert error_report(error).body.endswith(WAY)
    assert reading_error_line(error).endswith(f"{WAY} Press r to retry.")
    assert WAY in write_report(WriteReport(SendResult.REFUSED, error=error), "lot-1").body


@pytest.mark.parametrize(
    ("key_from", "way"),
    [
        ("SVC_API_KEY", "The key comes from SVC_API_KEY: change it and the secret there, then restart svc-tui."),
        ("command pass", "The key comes from command pass: change it and the secret there."),
    ],
)
def test_a_key_that_is_not_replaced_here_is_said_to_be_changed_where_it_comes_from(key_from: str, way: str) -> None:
    request = SignedRequest("GET", "https://example.com/v1/a", "/v1/a", (), b"", key_from=key_from)
    exchange = Exchange(request, Answer(401, "Unauthorized", (), b""), 1, 0.1, datetime(2026, 11, 20, tzinfo=UTC))
    body = error_report(ApiKeyExpired("refused", exchange=exchange)).body
    assert body.endswith(way)
    assert WAY not in body


@pytest.mark.parametrize("kind", [ApiKeyMissing, IpNotAllowed, TimestampStale, ConnectionBroken])
def test_what_a_new_pair_does_not_mend_names_no_way_to_one(kind: type[ServiceError]) -> None:
    assert WAY not in error_report(kind("refused")).body


def test_a_field_that_the_service_did_not_take_is_named_and_warned_of() -> None:
    report = WriteReport(SendResult.DONE, record=RECORD, unapplied=("grade", "note"), applied=1)
    told = write_report(report, "lot-1")
    assert (told.title, told.severity) == ("lot-1 was partly changed", "warning")
    assert told.body == "The service saved different values for grade, note."
    drafted = write_report(report, "lot-1", drafted=True)
    assert drafted.body == f"{told.body} Your value is kept as a draft. Press backspace to discard it."


def test_a_write_whose_answer_broke_off_is_told_as_done() -> None:
    error = ConnectionBroken("the connection was lost after 5 bytes of the response body", sent=SendResult.DONE)
    told = write_report(WriteReport(SendResult.DONE, error=error, entry_number=1), "lot-1")
    assert (told.title, told.severity) == ("Saved lot-1", "success")
    assert told.body.startswith(
        "The response is incomplete: the connection was lost after 5 bytes of the response body."
    )


def test_a_change_of_unknown_fate_that_is_there_is_told_as_written() -> None:
    told = write_report(WriteReport(SendResult.UNKNOWN, error=BROKEN, record=RECORD, applied=1), "lot-1")
    assert told.title == "Saved lot-1"
    assert told.body.endswith("Checked again: the record has the change.")
    undoable = WriteReport(SendResult.UNKNOWN, error=BROKEN, record=RECORD, applied=1, is_undoable=True)
    assert write_report(undoable, "lot-1").body.endswith("Checked again: the record has the change. Press u to undo.")
    gone = WriteReport(
        SendResult.UNKNOWN, "Checked again: the record is deleted.", BROKEN, is_gone=True, is_undoable=True
    )
    assert action_report(gone, "lot-1", "deleted").body.endswith("the record is deleted. Press u to undo.")


def test_a_change_of_unknown_fate_that_is_not_there_is_told_as_not_known() -> None:
    told = write_report(WriteReport(SendResult.UNKNOWN, error=BROKEN, record=RECORD, unapplied=("grade",)), "lot-1")
    assert (told.title, told.severity) == ("lot-1: outcome unknown", "unknown")
    assert told.body == "Checked again: the record does not have the change. The connection broke."


def test_a_change_of_unknown_fate_that_nobody_could_look_up_says_so() -> None:
    report = WriteReport(SendResult.UNKNOWN, "Could not reload the record.", error=BROKEN)
    told = write_report(report, "lot-1")
    assert told.title == "lot-1: outcome unknown"
    assert told.body.endswith(" Could not reload the record.")


def test_each_sentence_after_the_first_begins_with_a_capital() -> None:
    told = write_report(WriteReport(SendResult.NOT_SENT, "Could not reload the record.", error=BROKEN), "lot-1")
    error = error_report(BROKEN).body
    assert told.body == f"Could not reload the record. {error[0].upper()}{error[1:]}"
    assert error[0].islower()
    refused = write_report(WriteReport(SendResult.REFUSED, error=BROKEN), "lot-1")
    assert refused.body == error
