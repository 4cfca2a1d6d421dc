"""Request history: what is kept of a request, what never is, how it is found and sent again."""

from datetime import UTC, datetime

import pytest

from svc_tui.console.recorded_requests import (
    MAX_ANSWER_BODY_BYTES,
    MAX_REQUEST_BODY_BYTES,
    recorded_request,
    recorded_result,
    request_to_resend,
)
from svc_tui.core.folded_text import search_words
from svc_tui.core.requests import Answer, Exchange, RequestSpec, SignedRequest
from svc_tui.service.errors import (
    ConnectionBroken,
    NotFound,
    RecordChanged,
    RequestCancelled,
    RequestRefused,
    SendResult,
)
from svc_tui.storage.history import HistoryEntry, RecordedResult, RequestOutcome, display_target, matches

AT = datetime(2026, 11, 20, 5, 12, tzinfo=UTC)
LOT = "/v1/operations/lots/lot-1"
KEY, SECRET = "svc_test_abcdefgh", "whsec_hidden/+"


def exchange(status: int = 200, body: bytes = b'{"id":"lot-1"}') -> Exchange:
    answer = Answer(status, "OK", (("X-Request-Id", "req-7"),), body)
    return Exchange(SignedRequest("GET", f"https://x{LOT}", LOT, (), b""), answer, 1, 0.25, AT, waited=0.5)


def entry(spec: RequestSpec, ended: RecordedResult | None = None) -> HistoryEntry:
    return HistoryEntry(1, recorded_request(spec, AT, (KEY, SECRET)), ended)


def test_a_request_is_kept_as_it_was_written() -> None:
    spec = RequestSpec("PATCH", LOT, (("dry", "1"), ("dry", "2")), (("X-Trace", "7"),), b'{"massKg": 1.50}', "key-1")
    kept = recorded_request(spec, AT, (KEY, SECRET))
    assert kept.spec == spec
    assert kept.missing == ()


@pytest.mark.parametrize(
    "name", ["Authorization", "x-svc-signature", "Cookie", "X-Api-Key", "X_Auth_Token", "Password"]
)
def test_a_header_that_carries_identity_is_left_out_and_named(name: str) -> None:
    kept = recorded_request(RequestSpec("GET", LOT, headers=((name, "who"), ("X-Trace", "7"))), AT, ())
    assert kept.spec.headers == (("X-Trace", "7"),)
    assert kept.missing == (f"the header {name}",)


@pytest.mark.parametrize(
    ("spec", "where"),
    [
        (RequestSpec("GET", f"{LOT}?key={KEY}"), "the path"),
        (RequestSpec("GET", LOT, (("q", SECRET),)), "the query"),
        (RequestSpec("GET", LOT, ((SECRET, "q"),)), "the query"),
        (RequestSpec("GET", LOT, headers=(("X-Trace", f"a {SECRET}"),)), "the header X-Trace"),
        (RequestSpec("POST", LOT, body=b'{"note": "whsec_hidden\\/+"}'), "the body"),
        (RequestSpec("POST", LOT, body=b"svc_live_of-somebody-else"), "the body"),
        (RequestSpec("GET", f"{LOT}/svc_live_0123"), "the path"),
        (RequestSpec("POST", LOT, idempotency_key=KEY), "the idempotency key"),
    ],
)
def test_a_key_or_a_secret_is_kept_nowhere(spec: RequestSpec, where: str) -> None:
    kept = recorded_request(spec, AT, (KEY, SECRET))
    assert kept.missing == (f"a secret in {where}",)
    told = repr(kept)
    assert not any(text in told for text in (KEY, SECRET, "hidden", "of-somebody-else", "0123"))


def test_a_body_that_is_too_large_is_left_out_with_a_word() -> None:
    kept = recorded_request(RequestSpec("POST", LOT, body=b"1" * (MAX_REQUEST_BODY_BYTES + 1)), AT, ())
    assert kept.spec.body == b""
    assert kept.missing == ("the body (256.0 kB)",)


def test_an_ending_tells_status_time_size_and_the_services_name_for_it() -> None:
    ended = recorded_result(exchange(), None, (), bodies=False)
    assert ended == RecordedResult(RequestOutcome.ANSWERED, 200, 0.75, 14, "req-7")


def test_an_answers_body_is_kept_only_where_bodies_are_and_never_with_a_secret() -> None:
    body = b'{"echo":"whsec_hidden\\/+ ' + KEY.encode() + b'"}' + b" " * MAX_ANSWER_BODY_BYTES
    assert recorded_result(exchange(body=body), None, (KEY, SECRET), bodies=False).body is None
    kept = recorded_result(exchange(body=body), None, (KEY, SECRET), bodies=True)
    assert kept.body is not None
    assert len(kept.body) == MAX_ANSWER_BODY_BYTES
    assert kept.received == len(body)
    assert b"hidden" not in kept.body
    assert b"abcdefgh" not in kept.body


def test_the_fate_is_told_apart() -> None:
    refused = NotFound("lot-1 is not there", exchange=exchange(404))
    lost = ConnectionBroken("broke", sent=SendResult.UNKNOWN)
    assert recorded_result(exchange(404), refused, (), bodies=False).outcome is RequestOutcome.ANSWERED
    assert recorded_result(None, lost, (), bodies=False).outcome is RequestOutcome.UNKNOWN
    broken = ConnectionBroken("the answer's body broke off", sent=SendResult.DONE)
    assert recorded_result(None, broken, (), bodies=False).outcome is RequestOutcome.ANSWERED
    for state, outcome in {
        SendResult.NOT_SENT: RequestOutcome.NOT_SENT,
        SendResult.UNKNOWN: RequestOutcome.UNKNOWN,
        SendResult.REFUSED: RequestOutcome.ANSWERED,
        SendResult.DONE: RequestOutcome.ANSWERED,
    }.items():
        changed = RecordChanged("others changed note meanwhile", sent=state)
        assert recorded_result(None, changed, (), bodies=False).outcome is outcome
    assert recorded_result(None, RequestRefused("Cancelled."), (), bodies=False).outcome is RequestOutcome.NOT_SENT
    assert (
        recorded_result(None, RequestCancelled("You took it back."), (), bodies=False).outcome
        is RequestOutcome.CANCELLED
    )
    assert entry(RequestSpec("GET", LOT)).outcome is RequestOutcome.UNKNOWN


def test_a_write_of_unknown_fate_is_sent_again_with_its_key_and_any_other_with_a_new_one() -> None:
    spec = RequestSpec("POST", LOT, body=b"{}", idempotency_key="key-1")
    assert request_to_resend(entry(spec), "Idempotency-Key").headers == (("Idempotency-Key", "key-1"),)
    assert request_to_resend(entry(spec, RecordedResult(RequestOutcome.ANSWERED, 201)), "Idempotency-Key").headers == ()
    assert request_to_resend(entry(spec), "").headers == ()
    named = RequestSpec("POST", LOT, headers=(("idempotency-key", "mine"),), idempotency_key="mine")
    assert request_to_resend(entry(named), "Idempotency-Key").headers == (("idempotency-key", "mine"),)
    assert request_to_resend(entry(spec), "Idempotency-Key").idempotency_key == ""


def test_the_target_is_path_and_query() -> None:
    assert display_target(RequestSpec("GET", LOT)) == LOT
    assert display_target(RequestSpec("GET", LOT, (("a", "1"), ("b", "2")))) == f"{LOT}?a=1&b=2"
    assert display_target(RequestSpec("GET", f"{LOT}?x=1", (("a", "1"),))) == f"{LOT}?x=1&a=1"


@pytest.mark.parametrize(
    "text",
    [
        "patch LOT-1",
        "dry",
        "X-Trace",
        "massKg",
        "2026-11-20",
        "answered",
        "409",
        "moved",
        "req-9",
        "key-1",
        "DORE",
        "doré",
        "",
    ],
)
def test_an_entry_is_found_by_any_of_its_words(text: str) -> None:
    spec = RequestSpec(
        "PATCH", LOT, (("dry", "1"),), (("X-Trace", "7"),), '{"massKg": 1, "name": "Doré"}'.encode(), "key-1"
    )
    found = entry(spec, RecordedResult(RequestOutcome.ANSWERED, 409, request_id="req-9", message="It moved."))
    assert matches(found, search_words(text))
    assert not matches(found, search_words(f"{text} elsewhere"))
