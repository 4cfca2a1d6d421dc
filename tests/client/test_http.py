"""HTTP as servers really speak it: every form that the standard allows, and what is left over behind an answer."""

import asyncio

import pytest

from svc_tui.client.client import SignedClient
from svc_tui.core.requests import RequestSpec
from svc_tui.core.settings import Profile
from svc_tui.service import errors
from svc_tui.service.retry import RetryRules
from tests.client.raw_service import BREAK, KEYS, CannedReply, Connect, RawService, reply
from tests.client.secure import AUTHORITY, secure_service, tunnels

READ = RequestSpec("GET", "/v1/operations/lots/L-1")
POST = RequestSpec("POST", "/v1/operations/lots", body=b'{"grade": "A"}')
OTHERS = b'HTTP/1.1 200 OK\r\nContent-Length: 18\r\n\r\n{"id": "not-yours"}'
OWN = reply(201, b'{"id": "L-2"}')

LEFTOVERS = pytest.mark.parametrize(
    ("method", "answer"),
    [
        ("GET", b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}" + OTHERS),
        ("GET", b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}\r\n"),
        ("GET", b"HTTP/1.1 304 Not Modified\r\nContent-Length: 2\r\n\r\n{}"),
        ("GET", b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n" + OTHERS),
        ("HEAD", b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"),
        ("DELETE", b"HTTP/1.1 204 No Content\r\n\r\n{}"),
        ("DELETE", b"HTTP/1.1 204 No Content\r\nContent-Length: 2\r\n\r\n{}"),
        ("DELETE", b"HTTP/1.1 204 No Content\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
    ],
    ids=["another answer", "an empty line", "304", "after chunks", "HEAD", "204", "204 with length", "204 in chunks"],
)


@LEFTOVERS
async def test_what_follows_an_answer_is_never_taken_for_the_next(
    service: RawService, connect: Connect, method: str, answer: bytes
) -> None:
    service.script = [CannedReply((answer,)), OWN]
    async with connect() as client:
        await client.send(RequestSpec(method, READ.path))
        exchange = await client.send(POST)
    assert (exchange.answer.status, exchange.answer.body, exchange.attempts) == (201, b'{"id": "L-2"}', 1)


async def test_nor_at_the_end_of_a_tunnel(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(AUTHORITY))
    monkeypatch.delenv("NO_PROXY", raising=False)
    monkeypatch.delenv("no_proxy", raising=False)
    async with secure_service() as service, tunnels({"service.test:443": service.port}) as proxy:
        service.script = [CannedReply((b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}" + OTHERS,)), OWN]
        monkeypatch.setenv("https_proxy", f"http://127.0.0.1:{proxy.port}")
        async with SignedClient(Profile("x", sandbox_base_url="https://service.test"), KEYS) as client:
            await client.send(READ)
            exchange = await client.send(POST)
            assert (await client.send(READ)).answer.ok
    assert exchange.answer.body == b'{"id": "L-2"}'
    # What is clean is used again there too.
    assert service.connections == 2


@pytest.mark.parametrize("behind", [b"{}", OTHERS], ids=["a body", "another answer"])
async def test_nor_what_follows_in_a_tls_record_of_its_own(monkeypatch: pytest.MonkeyPatch, behind: bytes) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(AUTHORITY))
    head = b"HTTP/1.1 204 No Content\r\nX-Pad: "
    # A record holds 16 KiB: what is sent at once goes on in a second one.
    answer = head + b"a" * (16_384 - len(head) - 4) + b"\r\n\r\n"
    async with secure_service() as service:
        service.script = [CannedReply((answer + behind,)), OWN]
        async with SignedClient(Profile("x", sandbox_base_url=f"https://localhost:{service.port}"), KEYS) as client:
            await client.send(RequestSpec("DELETE", READ.path))
            exchange = await client.send(POST)
            assert (await client.send(READ)).answer.ok
    assert exchange.answer.body == b'{"id": "L-2"}'
    assert service.connections == 2


@pytest.mark.parametrize(
    "answer",
    [
        CannedReply((b"HTTP/1.0 200 OK\r\n\r\n{}",), close=True),
        CannedReply((b"HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\n{}",)),
        CannedReply((b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n{}",), close=True),
        CannedReply((b"HTTP/1.1 100 Continue\r\n\r\n", b"HTTP/1.1 103 Early Hints\r\n\r\n", *reply().pieces)),
        CannedReply(
            (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1;a=b\r\n{\r\n1\r\n}\r\n0\r\nX-Sum: 1\r\n\r\n",)
        ),
        CannedReply(
            (b"HTTP/1.1 200 \xff\r\nX-A: \xff\r\nX-Long: " + b"a" * 50_000 + b"\r\nContent-Length: 2\r\n\r\n{}",)
        ),
    ],
    ids=["1.0 until it closes", "1.0 with length", "close", "interim", "trailers", "odd and long headers"],
)
async def test_every_form_of_an_answer_is_read_one_after_another(
    service: RawService, connect: Connect, answer: CannedReply
) -> None:
    service.rest = answer
    async with connect() as client:
        exchanges = [await client.send(spec) for spec in (READ, POST, READ)]
    assert [(exchange.answer.body, exchange.attempts) for exchange in exchanges] == [(b"{}", 1)] * 3
    assert len(service.received) == 3


async def test_connections_are_used_again(service: RawService, connect: Connect) -> None:
    async with connect() as client:
        for spec in (READ, POST, READ):
            await client.send(spec)
    assert service.connections == 1


async def test_a_write_goes_over_a_new_connection_where_the_old_one_was_closed_meanwhile(
    service: RawService, connect: Connect
) -> None:
    service.script = [CannedReply(reply().pieces, close=True)]
    async with connect() as client:
        await client.send(READ)
        while service.open_now:  # noqa: ASYNC110  until the server's end is closed
            await asyncio.sleep(0.001)
        exchange = await client.send(POST)
    assert (exchange.answer.status, exchange.attempts, service.connections) == (200, 1, 2)


async def test_a_write_on_a_connection_that_closes_just_then_may_have_been_carried_out(
    service: RawService, connect: Connect
) -> None:
    service.script = [reply(), BREAK]
    async with connect() as client:
        await client.send(READ)
        with pytest.raises(errors.ConnectionBroken) as raised:
            await client.send(POST)
    assert (raised.value.sent, raised.value.attempts) == (errors.SendResult.UNKNOWN, 1)
    assert len(service.received) == 2


async def test_a_flood_of_interim_answers_ends_at_the_deadline(service: RawService, connect: Connect) -> None:
    service.script = [CannedReply((b"HTTP/1.1 103 Early Hints\r\n\r\n",) * 100_000, pause=0.001)]
    async with connect(rules=RetryRules(deadline=1.5)) as client:
        with pytest.raises(errors.DeadlineExceeded) as raised:
            await client.send(POST)
        assert (await client.send(READ)).answer.ok
    assert raised.value.sent is errors.SendResult.UNKNOWN


@pytest.mark.parametrize(
    "answer",
    [
        b"220 mail.example.com ESMTP\r\n\r\n",
        b"\x00\x00\x12\x04\x00\x00\x00\x00\x00",
        b"HTTP/1.1 099 Odd\r\nContent-Length: 2\r\n\r\n{}",
        b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}",
        b"HTTP/1.1 200 OK\r\nX-A: " + b"a" * 200_000 + b"\r\n\r\n",
        b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n",
    ],
    ids=["mail", "http2", "status 099", "two lengths", "endless header", "switch"],
)
async def test_an_answer_that_is_not_http_is_told_as_that(service: RawService, connect: Connect, answer: bytes) -> None:
    service.rest = CannedReply((answer,))
    async with connect() as client:
        with pytest.raises(errors.ConnectionBroken, match="a response that is not HTTP:") as raised:
            await client.send(POST)
    assert raised.value.sent is errors.SendResult.UNKNOWN


async def test_the_loopback_of_ipv6_is_reached(service: RawService) -> None:
    server = await asyncio.start_server(service.serve, "::1", 0)
    url = f"http://[::1]:{server.sockets[0].getsockname()[1]}"
    async with server, SignedClient(Profile("x", sandbox_base_url=url), KEYS) as client:
        assert (await client.send(READ)).answer.ok
    assert service.received[0].header("host") == url.removeprefix("http://")
