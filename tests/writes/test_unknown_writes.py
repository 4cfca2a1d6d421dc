"""Writes without a known outcome: what is the same request, and what stands for it."""

from datetime import UTC, datetime, timedelta

import pytest

from svc_tui.core.jsontext import Json, loads
from svc_tui.core.requests import RequestSpec
from svc_tui.service.errors import RateLimitExceeded, SendResult, StatusError
from svc_tui.storage.journal_entries import Intent
from svc_tui.writes.outcomes import WriteReport
from svc_tui.writes.unknown_writes import UnknownWrites
from svc_tui.writes.write_requests import hash_body

AT = datetime(2026, 11, 20, 5, 12, tzinfo=UTC)
LOTS = "/v1/operations/lots"


def intent(body: bytes, *, key: str = "key-1", target: str = LOTS, digest: bool = True, minutes: int = 0) -> Intent:
    value: Json = loads(body) if body.startswith(b"{") else None
    return Intent(
        AT + timedelta(minutes=minutes),
        "POST",
        target,
        "operations/lots",
        key,
        after=value if isinstance(value, dict) else None,
        body_bytes=None if isinstance(value, dict) else len(body),
        body_digest=hash_body(body) if digest else "",
    )


def post(body: bytes, path: str = "operations/lots", **query: str) -> RequestSpec:
    return RequestSpec("post", path, tuple(query.items()), body=body)


@pytest.mark.parametrize("body", [b'{"name": "x"}', b"", b"plain", b"[1, 2]", b'{"name":1.50}'])
def test_the_same_request_has_the_key_of_the_first_to_the_byte(body: bytes) -> None:
    unknown_writes = UnknownWrites(lambda: AT)
    unknown_writes.add(intent(body))
    assert unknown_writes.find_key(post(body)) == "key-1"
    assert post(body) in unknown_writes
    for other in (post(body + b" "), post(body, dry="yes"), post(body, "operations/lots/lot-1/split")):
        assert unknown_writes.find_key(other) == ""
        assert other not in unknown_writes


def test_an_intent_of_an_older_journal_is_known_by_its_fields() -> None:
    unknown_writes = UnknownWrites(lambda: AT)
    unknown_writes.add(intent(b'{"name":"x"}', digest=False))
    unknown_writes.add(intent(b"plain", key="key-2", digest=False))
    assert unknown_writes.find_key(post(b'{"name":"x"}')) == "key-1"
    assert unknown_writes.find_key(post(b"plain")) == ""


def test_those_like_a_request_are_the_same_one_first_and_then_the_last_sent() -> None:
    unknown_writes = UnknownWrites(lambda: AT)
    for minutes, body in enumerate((b"a", b"b", b"c")):
        unknown_writes.add(intent(body, key=body.decode(), minutes=minutes))
    unknown_writes.add(intent(b"a", key="elsewhere", target=f"{LOTS}/lot-1/split"))
    assert [like.idempotency_key for like in unknown_writes.find_similar(post(b"b"))] == ["b", "c", "a"]
    assert [like.idempotency_key for like in unknown_writes.find_similar(post(b"new"))] == ["c", "b", "a"]
    assert unknown_writes.find_similar(RequestSpec("PATCH", LOTS)) == ()


@pytest.mark.parametrize(
    ("report", "stays"),
    [
        (WriteReport(SendResult.UNKNOWN), True),
        (WriteReport(SendResult.DONE), False),
        (WriteReport(SendResult.REFUSED, error=StatusError("no")), False),
        (WriteReport(SendResult.REFUSED, error=RateLimitExceeded("later")), True),
        (WriteReport(SendResult.NOT_SENT), True),
    ],
)
def test_a_write_stays_until_the_service_has_judged_what_it_says(report: WriteReport, *, stays: bool) -> None:
    unknown_writes = UnknownWrites(lambda: AT)
    unknown_writes.update(intent(b"a"), WriteReport(SendResult.UNKNOWN))
    unknown_writes.update(intent(b"a"), report)
    assert (post(b"a") in unknown_writes) is stays
    unknown_writes.remove(post(b"a"))
    assert post(b"a") not in unknown_writes


def test_a_path_that_is_never_sent_is_like_nothing() -> None:
    unknown_writes = UnknownWrites(lambda: AT)
    unknown_writes.add(intent(b"a"))
    assert unknown_writes.find_similar(post(b"a", "/v1/auth/keys")) == ()
