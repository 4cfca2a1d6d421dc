"""Writes without a known outcome: what is the same request, and what stands for it."""

from datetime import UTC, datetime, timedelta

import pytest

from svc_tui.domain.editing.ports import Intent
from svc_tui.domain.editing.unsettled import UnsettledWrites
from svc_tui.domain.editing.write_report import WriteReport, WriteResult
from svc_tui.domain.editing.write_requests import body_digest
from svc_tui.domain.http.errors import RateLimitExceeded, StatusError
from svc_tui.domain.model.jsontext import Json, loads
from svc_tui.domain.model.requests import RequestSpec

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
        body_digest=body_digest(body) if digest else "",
    )


def post(body: bytes, path: str = "operations/lots", **query: str) -> RequestSpec:
    return RequestSpec("post", path, tuple(query.items()), body=body)


@pytest.mark.parametrize("body", [b'{"name": "x"}', b"", b"plain", b"[1, 2]", b'{"name":1.50}'])
def test_the_same_request_has_the_key_of_the_first_to_the_byte(body: bytes) -> None:
    unsettled = UnsettledWrites()
    unsettled.recall(intent(body))
    assert unsettled.key(post(body)) == "key-1"
    assert post(body) in unsettled
    for other in (post(body + b" "), post(body, dry="yes"), post(body, "operations/lots/lot-1/split")):
        assert unsettled.key(other) == ""
        assert other not in unsettled


def test_an_intent_of_an_older_journal_is_known_by_its_fields() -> None:
    unsettled = UnsettledWrites()
    unsettled.recall(intent(b'{"name":"x"}', digest=False))
    unsettled.recall(intent(b"plain", key="key-2", digest=False))
    assert unsettled.key(post(b'{"name":"x"}')) == "key-1"
    assert unsettled.key(post(b"plain")) == ""


def test_those_like_a_request_are_the_same_one_first_and_then_the_last_sent() -> None:
    unsettled = UnsettledWrites()
    for minutes, body in enumerate((b"a", b"b", b"c")):
        unsettled.recall(intent(body, key=body.decode(), minutes=minutes))
    unsettled.recall(intent(b"a", key="elsewhere", target=f"{LOTS}/lot-1/split"))
    assert [like.idempotency_key for like in unsettled.like(post(b"b"))] == ["b", "c", "a"]
    assert [like.idempotency_key for like in unsettled.like(post(b"new"))] == ["c", "b", "a"]
    assert unsettled.like(RequestSpec("PATCH", LOTS)) == ()


@pytest.mark.parametrize(
    ("report", "stays"),
    [
        (WriteReport(WriteResult.UNKNOWN), True),
        (WriteReport(WriteResult.DONE), False),
        (WriteReport(WriteResult.REFUSED, error=StatusError("no")), False),
        (WriteReport(WriteResult.REFUSED, error=RateLimitExceeded("later")), True),
        (WriteReport(WriteResult.NOT_SENT), True),
    ],
)
def test_a_write_stays_until_the_service_has_judged_what_it_says(report: WriteReport, *, stays: bool) -> None:
    unsettled = UnsettledWrites()
    unsettled.remember(intent(b"a"), WriteReport(WriteResult.UNKNOWN))
    unsettled.remember(intent(b"a"), report)
    assert (post(b"a") in unsettled) is stays
    unsettled.settle(post(b"a"))
    assert post(b"a") not in unsettled


def test_a_path_that_is_never_sent_is_like_nothing() -> None:
    unsettled = UnsettledWrites()
    unsettled.recall(intent(b"a"))
    assert unsettled.like(post(b"a", "/v1/auth/keys")) == ()
