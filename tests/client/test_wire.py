"""What stands on the wire: targets, signatures, headers and bodies, byte for byte."""

import hashlib
import hmac
import time

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from svc_tui import __version__
from svc_tui.core.catalog import COLLECTIONS, Collection
from svc_tui.core.credentials import KeyPair
from svc_tui.core.jsontext import Number
from svc_tui.core.requests import RequestSpec
from svc_tui.core.settings import CollectionSettings
from svc_tui.service.errors import RequestRefused
from svc_tui.service.gateway import Gateway
from svc_tui.service.routes import nested_collection, target_of
from tests.client.raw_service import KEYS, SECRET, Connect, RawService, ReceivedRequest, reply
from tests.direct_requests import action, create, remove, update, verify

LOTS = COLLECTIONS[0]


def assert_signed(came: ReceivedRequest, secret: str = SECRET) -> None:
    """The signature, reckoned anew from the bytes that arrived."""
    stamp = came.header("x-svc-timestamp")
    assert stamp.isdecimal()
    assert abs(int(stamp) - time.time()) < 5
    text = ".".join((stamp, came.method, came.target, hashlib.sha256(came.body).hexdigest()))
    expected = hmac.new(secret.encode(), text.encode(), "sha256").hexdigest()
    assert came.header("x-svc-signature") == f"t={stamp},v1={expected}"


async def test_a_page_is_asked_for_signed_and_understood(service: RawService, connect: Connect) -> None:
    service.rest = reply(200, '{"items": [{"id": "L-1", "massKg": 1.50}], "meta": {"total": 7, "page": 1}}')
    async with connect() as client:
        gateway: Gateway = client
        page = await gateway.page(LOTS, 1, 50)
    assert [record.fields["massKg"] for record in page.records] == [Number("1.50")]
    assert (page.number, page.limit, page.total, page.last) == (1, 50, 7, False)
    (came,) = service.received
    assert (came.method, came.target, came.body) == ("GET", "/v1/operations/lots?page=1&limit=50", b"")
    assert came.header("authorization") == f"Bearer {KEYS.api_key}"
    assert came.header("host") == f"127.0.0.1:{service.port}"
    assert came.header("idempotency-key") == ""
    assert came.header("cookie") == ""
    assert_signed(came)


HOSTILE_IDS = {
    "lot 1": "lot%201",
    "a+b": "a%2Bb",
    "a/b": "a%2Fb",
    "a%2Fb": "a%252Fb",
    "what?": "what%3F",
    "a#b": "a%23b",
    "a;b=c": "a%3Bb%3Dc",
    "a&b": "a%26b",
    "[1]": "%5B1%5D",
    "Élo\u00efse": "%C3%89lo%C3%AFse",
    "⛏️": "%E2%9B%8F%EF%B8%8F",
    "a\\b": "a%5Cb",
    "...": "...",
    "~x": "~x",
    "100%": "100%25",
    "'\"`": "%27%22%60",
    "v1": "v1",
    "auth": "auth",
}


@pytest.mark.parametrize("record_id", HOSTILE_IDS)
async def test_an_id_is_one_encoded_segment(service: RawService, connect: Connect, record_id: str) -> None:
    service.rest = reply(200, '{"id": 1}')
    async with connect() as client:
        await client.record(LOTS, record_id)
    (came,) = service.received
    assert came.target == f"/v1/operations/lots/{HOSTILE_IDS[record_id]}"
    assert_signed(came)


@pytest.mark.parametrize(
    "record_id", ["", ".", "..", "../auth", "a/../b", "a\nb", "a\x00", "%2e%2e", "..\\x", "\ud800"]
)
async def test_an_id_that_would_address_something_else_is_refused(
    service: RawService, connect: Connect, record_id: str
) -> None:
    async with connect() as client:
        with pytest.raises(RequestRefused):
            await client.record(LOTS, record_id)
        with pytest.raises(RequestRefused):
            await remove(client, LOTS, record_id)
    assert service.received == []


TARGETS: dict[tuple[str, tuple[tuple[str, str], ...]], str] = {
    ("/v1/inventory/stock?", ()): "/v1/inventory/stock?",
    ("/inventory/stock", ()): "/v1/inventory/stock",
    ("inventory/stock", ()): "/v1/inventory/stock",
    ("/v1", ()): "/v1",
    ("/v1x/y", ()): "/v1/v1x/y",
    ("/v1/a", (("q", "Éloïse + co"),)): "/v1/a?q=%C3%89lo%C3%AFse%20%2B%20co",
    ("/v1/a", (("x", "1"), ("x", ""), ("", ""), ("x", "1"))): "/v1/a?x=1&x=&=&x=1",
    ("/v1/a", (("filter[grade]", "a;b"),)): "/v1/a?filter%5Bgrade%5D=a%3Bb",
    ("/v1/a?x=1", (("y", "%2F"),)): "/v1/a?x=1&y=%252F",
    ("/v1/a?", (("y", "a/b?c#d"),)): "/v1/a?y=a%2Fb%3Fc%23d",
    ("/v1/a?b=c+d&e=%20&e", ()): "/v1/a?b=c+d&e=%20&e",
    ("/v1/a?b[]=1&c=é", ()): "/v1/a?b%5B%5D=1&c=%C3%A9",
    ("/v1/a?b=c?d/e", ()): "/v1/a?b=c?d/e",
    ("/v1/a b/%7e/%2F;p=1,2", ()): "/v1/a%20b/%7e/%2F;p=1,2",
    ("/v1/100%/%zz", ()): "/v1/100%25/%25zz",
    ("/v1/a#b", ()): "/v1/a%23b",
    ("/v1/a//b/", ()): "/v1/a//b/",
    ("/v1/a?u=http://x/../y", ()): "/v1/a?u=http://x/../y",
    ("/v1/a", (("n", "line\nbreak\x00"),)): "/v1/a?n=line%0Abreak%00",
}


@pytest.mark.parametrize(("path", "query"), TARGETS)
async def test_what_leaves_is_what_was_signed(
    service: RawService, connect: Connect, path: str, query: tuple[tuple[str, str], ...]
) -> None:
    async with connect() as client:
        exchange = await client.send(RequestSpec("GET", path, query))
    (came,) = service.received
    assert came.target == exchange.request.target == TARGETS[path, query]
    assert_signed(came)


@pytest.mark.parametrize("body", [b"", b"{}", b'{"massKg": 1.10}\n', '{"name":"Ünité"}'.encode(), bytes(range(256))])
@pytest.mark.parametrize("method", ["post", "PATCH", "PUT", "DELETE", "PROPFIND"])
async def test_bodies_leave_byte_for_byte(service: RawService, connect: Connect, method: str, body: bytes) -> None:
    async with connect() as client:
        await client.send(RequestSpec(method, "/v1/operations/lots/L-1/split", body=body))
    (came,) = service.received
    assert (came.method, came.body) == (method.upper(), body)
    assert came.header("content-type") == ("application/json" if body else "")
    assert len(came.header("idempotency-key")) == 36
    assert_signed(came)


async def test_a_gateways_prefix_is_sent_and_not_signed(service: RawService, connect: Connect) -> None:
    async with connect(sandbox_base_url=f"{service.url}/gate%20way/api/v1/") as client:
        assert client.base_url == f"{service.url}/gate%20way/api"
        await client.send(RequestSpec("GET", "/operations/lots?page=2"))
    (came,) = service.received
    assert came.target == "/gate%20way/api/v1/operations/lots?page=2"
    signed = ReceivedRequest(came.method, "/v1/operations/lots?page=2", came.headers, came.body)
    assert_signed(signed)


async def test_a_key_without_a_secret_goes_unsigned(service: RawService, connect: Connect) -> None:
    keys = KeyPair("svc_live_abc")
    async with connect(keys) as client:
        assert not client.signs
        assert client.environment.label == "LIVE"
        await client.send(RequestSpec("GET", "/v1/operations/lots"))
    (came,) = service.received
    assert came.header("authorization") == "Bearer svc_live_abc"
    assert not [name for name, _ in came.headers if name.lower().startswith("x-svc-")]


async def test_the_uniform_pattern_and_the_irregular_routes(service: RawService, connect: Connect) -> None:
    service.rest = reply(200, '{"id": "x"}')
    attachments = nested_collection(LOTS, "L 1", "attachments")
    async with connect() as client:
        for collection in COLLECTIONS:
            await create(client, collection, {"name": "Ü", "massKg": Number("1.50")})
            await update(client, collection, "L-1", {"note": None})
            await remove(client, collection, "L-1")
        await action(client, LOTS, "L-1", "split", {"parts": [Number("1")]})
        await client.record(attachments, "a/1")
        await create(client, attachments, {})
        await verify(client, "T 1+2")
    lines = [f"{came.method} {came.target} {came.body.decode()}" for came in service.received]
    for at, collection in enumerate(COLLECTIONS):
        assert lines[at * 3 : at * 3 + 3] == [
            f'POST /v1/{collection.domain}/{collection.name} {{"name":"Ü","massKg":1.50}}',
            f'PATCH /v1/{collection.domain}/{collection.name}/L-1 {{"note":null}}',
            f"DELETE /v1/{collection.domain}/{collection.name}/L-1 ",
        ]
    assert lines[36:] == [
        'POST /v1/operations/lots/L-1/split {"parts":[1]}',
        "GET /v1/operations/lots/L%201/attachments/a%2F1 ",
        "POST /v1/operations/lots/L%201/attachments {}",
        "GET /v1/operations/hash-chain/verify?tunnelId=T%201%2B2 ",
    ]
    for came in service.received:
        assert_signed(came)


async def test_a_profiles_spelling_and_query_are_used(service: RawService, connect: Connect) -> None:
    service.rest = reply(200, "[]")
    logs = Collection("operations", "productionLogs", "production-logs")
    settings = {"operations/productionLogs": CollectionSettings(query={"status": "open"})}
    async with connect(collections=settings) as client:
        await client.page(logs, 3, 20, query=(("q", "a b"),))
    (came,) = service.received
    assert came.target == "/v1/operations/production-logs?page=3&limit=20&status=open&q=a%20b"


RESERVED = ["Authorization", "authorization", "Proxy-Authorization", "X-SVC-Signature", "x-svc-timestamp"]
RESERVED += ["x-svc-tenant", "x_svc_signature", "Host", "Cookie", "Content-Length", "Transfer-Encoding", "Connection"]


@pytest.mark.parametrize("name", [*RESERVED, " Authorization"])
async def test_headers_that_carry_identity_are_refused(service: RawService, connect: Connect, name: str) -> None:
    spec = RequestSpec("GET", "/v1/operations/lots", headers=((name, "x"),))
    async with connect() as client:
        with pytest.raises(RequestRefused, match="can't be set"):
            await client.send(spec)
        with pytest.raises(RequestRefused):
            client.preview(spec)
    assert service.received == []


@pytest.mark.parametrize("header", [("A b", "x"), ("", "x"), ("A", "x\r\nB: y"), ("A", "é"), ("A\n", "x")])
async def test_headers_that_break_the_request_are_refused(
    service: RawService, connect: Connect, header: tuple[str, str]
) -> None:
    spec = RequestSpec("GET", "/v1/operations/lots", headers=(header,))
    async with connect() as client:
        with pytest.raises(RequestRefused, match="header"):
            await client.send(spec)
        with pytest.raises(RequestRefused, match="header"):
            client.preview(spec)
    assert service.received == []


@pytest.mark.parametrize("method", ["", "GE T", "GET\r\n", "2GET", "-GET", "GET!", "CONNECT", "trace", "é", "ſEND"])
async def test_methods_that_can_not_be_sent_are_refused(service: RawService, connect: Connect, method: str) -> None:
    spec = RequestSpec(method, "/v1/operations/lots")
    async with connect() as client:
        with pytest.raises(RequestRefused, match="is not supported"):
            await client.send(spec)
        with pytest.raises(RequestRefused, match="is not supported"):
            client.preview(spec)
    assert service.received == []


async def test_a_callers_own_headers_replace_the_clients(service: RawService, connect: Connect) -> None:
    headers = (("accept", "text/csv"), ("Content-Type", "text/plain"), ("Idempotency-Key", "mine"), ("X-A", "1"))
    async with connect() as client:
        exchange = await client.send(RequestSpec("POST", "/v1/x", headers=headers, body=b"x"))
    (came,) = service.received
    assert [came.header(name) for name, _ in headers] == [value for _, value in headers]
    assert exchange.idempotency_key == "mine"


@pytest.mark.parametrize(("method", "body"), [("GET", b""), ("POST", b""), ("POST", b"{}")])
async def test_the_client_asks_for_json_that_may_be_compressed_and_says_who_it_is(
    service: RawService, connect: Connect, method: str, body: bytes
) -> None:
    async with connect() as client:
        await client.send(RequestSpec(method, "/v1/x", body=body))
    (came,) = service.received
    names = ("accept", "accept-encoding", "user-agent", "content-type", "idempotency-key")
    *values, key = (came.header(name) for name in names)
    assert values == [
        "application/json",
        "gzip, deflate",
        f"svc-tui/{__version__}",
        "application/json" if body else "",
    ]
    assert bool(key) == (method == "POST")


@pytest.mark.parametrize("value", ["", "  ", "\t"])
@pytest.mark.parametrize("own", ["", "k-1"])
async def test_an_empty_idempotency_key_is_filled_in(
    service: RawService, connect: Connect, value: str, own: str
) -> None:
    headers = (("X-A", "1"), ("idempotency-key", value))
    async with connect() as client:
        spec = client.keyed(RequestSpec("POST", "/v1/x", headers=headers, idempotency_key=own))
        exchange = await client.send(spec)
    (came,) = service.received
    sent = [text for name, text in came.headers if name.lower() == "idempotency-key"]
    assert sent == [spec.idempotency_key] == [exchange.idempotency_key]
    assert len(spec.idempotency_key) == (len(own) or 36)


async def test_a_write_has_one_idempotency_key(service: RawService, connect: Connect) -> None:
    headers = (("Idempotency-Key", "k-1"), ("idempotency-key", "k-2"))
    async with connect() as client:
        with pytest.raises(RequestRefused, match="Idempotency-Key is set more than once"):
            await client.send(RequestSpec("POST", "/v1/x", headers=headers))
    assert service.received == []


@pytest.mark.parametrize("key", ["k-1\r\nX-A: 1", "é"])
async def test_an_idempotency_key_that_breaks_the_request_is_refused(
    service: RawService, connect: Connect, key: str
) -> None:
    spec = RequestSpec("POST", "/v1/x", idempotency_key=key)
    async with connect() as client:
        with pytest.raises(RequestRefused, match="the value of the header Idempotency-Key contains a character"):
            await client.send(spec)
        with pytest.raises(RequestRefused, match="Idempotency-Key"):
            client.preview(spec)
    assert service.received == []


async def test_the_idempotency_header_has_the_profiles_name_or_is_off(service: RawService, connect: Connect) -> None:
    spec = RequestSpec("DELETE", "/v1/x", idempotency_key="key-1")
    async with connect(idempotency_header="X-Once") as client:
        await client.send(spec)
    async with connect(idempotency_header="") as client:
        exchange = await client.send(spec)
    first, second = service.received
    assert first.header("x-once") == "key-1"
    assert "key-1" not in str(second.headers)
    assert exchange.idempotency_key == ""


async def test_a_read_only_profile_sends_no_write(service: RawService, connect: Connect) -> None:
    async with connect(read_only=True) as client:
        for method in ("POST", "PUT", "PATCH", "DELETE", "PROPPATCH"):
            with pytest.raises(RequestRefused, match="read-only"):
                await client.send(RequestSpec(method, "/v1/operations/lots"))
        await client.send(RequestSpec("GET", "/v1/operations/lots"))
    assert len(service.received) == 1


async def test_the_preview_is_what_leaves_with_key_and_signature_masked(service: RawService, connect: Connect) -> None:
    spec = RequestSpec("PATCH", "operations/lots/L-1", headers=(("X-A", "1"),), body=b"{}", idempotency_key="k")
    async with connect() as client:
        preview = client.preview(spec)
        exchange = await client.send(spec)
    (came,) = service.received
    wire = {name.lower(): value for name, value in came.headers}
    for name, value in preview.headers:
        if name.lower() not in ("authorization", "x-svc-timestamp", "x-svc-signature"):
            assert wire[name.lower()] == value
    shown = dict(exchange.request.headers)
    assert shown["Authorization"] == "Bearer svc_test_…"
    assert shown["x-svc-signature"] == f"t={came.header('x-svc-timestamp')},v1=…"
    digest = hashlib.sha256(b"{}").hexdigest()
    stamp = came.header("x-svc-timestamp")
    assert exchange.request.string_to_sign == f"{stamp}.PATCH./v1/operations/lots/L-1.{digest}"
    assert preview.url == exchange.request.url == f"{service.url}/v1/operations/lots/L-1"
    for secret in (*client.secrets, came.header("x-svc-signature")):
        assert secret not in repr((preview, exchange, client))


async def test_cookies_are_neither_kept_nor_sent(service: RawService, connect: Connect) -> None:
    service.rest = reply(200, "{}", ("Set-Cookie", "session=1; Path=/"))
    async with connect() as client:
        await client.send(RequestSpec("GET", "/v1/x"))
        await client.send(RequestSpec("GET", "/v1/x"))
    assert service.received[1].header("cookie") == ""


async def test_loopback_goes_past_every_proxy(
    service: RawService, connect: Connect, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"):
        monkeypatch.setenv(name, "http://user:password@127.0.0.1:1")
    async with connect() as client:
        assert (await client.send(RequestSpec("GET", "/v1/x"))).answer.ok


@given(st.text(max_size=40), st.lists(st.tuples(st.text(max_size=8), st.text(max_size=8)), max_size=4))
def test_httpx_leaves_a_target_as_it_is(path: str, query: list[tuple[str, str]]) -> None:
    try:
        target = target_of(path, query)
    except RequestRefused:
        return
    request = httpx.Request("GET", f"https://api.example.com/gate{target}")
    assert request.url.raw_path == f"/gate{target}".encode()
