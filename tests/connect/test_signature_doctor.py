"""The signature doctor names the cause, over the real service and through real proxies that change what passes."""

import json
from datetime import UTC, datetime
from urllib.parse import unquote

import pytest

from svc_tui.client.client import SignedClient
from svc_tui.connect.signature_doctor import SignatureFinding, explain_signature, judge_answer, signed_parts
from svc_tui.core.catalog import COLLECTIONS
from svc_tui.core.credentials import KeyPair
from svc_tui.core.requests import Answer, Exchange, RequestSpec, SignedRequest
from svc_tui.core.settings import Profile
from svc_tui.core.values import replace
from svc_tui.sandbox.server.inprocess import RunningService
from svc_tui.service.errors import SignatureMissing, TimestampStale, failure_of
from tests.changing_proxy import changing_proxy

LOTS = COLLECTIONS[0]
WRITE = RequestSpec("PATCH", f"{LOTS.path}/lot-000002", body=b'{"grade":7.50,   "massKg":850}')
SIGNED_AT = 1_700_000_000


async def found(
    service: RunningService, base_url: str, spec: RequestSpec, secret: str | None = "own"
) -> SignatureFinding:
    """What the doctor finds for the request, sent with this secret."""
    offered = service.key("live")
    keys = KeyPair(offered.api_key, offered.signing_secret if secret == "own" else secret)
    async with SignedClient(Profile("p", base_url), keys) as client:
        exchange = await client.send(spec)
        finding = await explain_signature(client, exchange, failure_of(exchange, client.secrets), LOTS)
        assert not any(text in repr(finding) for text in client.secrets)
        return finding


async def test_a_good_signature_is_found_good(service: RunningService) -> None:
    finding = await found(service, service.base_url, WRITE)
    assert finding.cause == "The signature is correct."
    assert finding.advice == ()
    assert "The signing self-test of svc-tui passed." in finding.why


async def test_a_wrong_secret_is_named(service: RunningService) -> None:
    finding = await found(service, service.base_url, WRITE, "svcsec_of_another_key")
    assert finding.cause == "The signing secret does not belong to this key."
    assert any("from the same rotation" in step for step in finding.advice)


async def test_a_missing_secret_is_named(service: RunningService) -> None:
    finding = await found(service, service.base_url, WRITE, None)
    assert finding.cause == "No secret is set."
    assert any("SVC_SIGNING_SECRET" in step for step in finding.advice)


async def test_a_proxy_that_rewrites_the_path_is_named(service: RunningService) -> None:
    with changing_proxy(service, path=unquote) as base_url:
        finding = await found(service, base_url, RequestSpec("GET", f"{LOTS.path}/lot%2D000002"))
        assert finding.cause == "A proxy or gateway changes the path or the query."
        assert any("%2D" in why for why in finding.why)
        write = replace(WRITE, path=f"{LOTS.path}/lot%2D000002")
        assert (await found(service, base_url, write)).cause == finding.cause


async def test_a_proxy_that_writes_the_body_again_is_named(service: RunningService) -> None:
    with changing_proxy(service, body=lambda body: json.dumps(json.loads(body)).encode() if body else b"") as base_url:
        finding = await found(service, base_url, WRITE)
    assert finding.cause == "A proxy or gateway changes the body."
    assert any("JSON" in step for step in finding.advice)
    assert [a.method for a in service.attempts if a.status == 200] == ["GET", "GET"]


async def test_a_proxy_that_drops_the_signature_is_named(service: RunningService) -> None:
    with changing_proxy(service, dropped="x-svc-signature") as base_url:
        finding = await found(service, base_url, WRITE)
    assert finding.cause == "A proxy removes the signature."


@pytest.mark.parametrize(
    ("fault", "cause", "word"), [("clock-ahead", "behind", "behind"), ("clock-behind", "ahead", "ahead of")]
)
async def test_a_clock_that_the_client_made_up_for_is_named_with_its_offset(
    service: RunningService, fault: str, cause: str, word: str
) -> None:
    service.faults.next(fault, count=100)
    finding = await found(service, service.base_url, WRITE)
    assert finding.cause == f"Cause: the clock. This computer's clock is {cause}."
    assert "The signature used the service's time and was accepted." in finding.why
    assert any(f" {word} the service" in why for why in finding.why)
    assert any("NTP" in step for step in finding.advice)


@pytest.mark.parametrize(("away", "cause"), [(1200, "behind"), (-1200, "ahead")])
def test_a_stale_timestamp_is_the_clock_and_which_way(away: int, cause: str) -> None:
    finding = judge_answer(stale(away), TimestampStale("stale"))
    assert finding.cause == f"Cause: the clock. This computer's clock is {cause}."
    assert "The timestamp is 20 min from the Date of the response; the limit is 300 s." in finding.why
    assert "The secret is not the problem." in finding.why


def test_a_stale_timestamp_with_clocks_that_agree_was_under_way_for_long() -> None:
    finding = judge_answer(stale(0), TimestampStale("stale"))
    assert finding.cause == "Cause: the clock or a slow connection."
    assert any("delayed the request" in why for why in finding.why)


def stale(away: int) -> Exchange:
    """An answer whose Date is so many seconds from this computer's clock."""
    signed = SignedRequest("GET", "https://h/v1/x", "/v1/x", (), b"", f"{SIGNED_AT}.GET./v1/x.e3b0")
    date = f"{datetime.fromtimestamp(SIGNED_AT + away, UTC):%a, %d %b %Y %H:%M:%S} GMT"
    return Exchange(signed, Answer(401, "", (("Date", date),), b""), 1, 0.0, datetime.fromtimestamp(SIGNED_AT, UTC))


def test_the_string_is_taken_apart_even_where_the_path_has_points_in_it() -> None:
    target = "/v1/x/a.b?c=1.5"
    signed = SignedRequest("PATCH", f"https://h{target}", target, (), b"{}", f"{SIGNED_AT}.PATCH.{target}.44136f")
    assert [(part.text, part.means) for part in signed_parts(signed)] == [
        ("1700000000", "2023-11-14 22:13:20 UTC"),
        ("PATCH", "in uppercase"),
        (target, "from /v1 on, as sent"),
        ("44136f", "of 2 bytes"),
    ]
    assert signed_parts(replace(signed, string_to_sign=None)) == ()


def test_an_unsigned_request_that_was_taken_is_said_to_be_so() -> None:
    exchange = stale(0)
    unsigned = replace(exchange, request=replace(exchange.request, string_to_sign=None))
    assert judge_answer(unsigned, None).cause == "Not signed: no secret is set."
    assert judge_answer(unsigned, SignatureMissing("missing")).cause == "No secret is set."
