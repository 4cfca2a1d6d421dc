"""Trying a request out: how far it has come is told, where its time went, and a cancel ends a read on the wire."""

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from svc_tui.client.client import MAX_BODY_BYTES
from svc_tui.core.requests import Exchange, RequestSpec
from svc_tui.service.traffic import Failed, Stage, TrafficEvent
from tests.client.raw_service import CannedReply, Connect, RawService, ReceivedRequest, reply

READ = RequestSpec("GET", "/v1/operations/lots/L-1")
PATCH = RequestSpec("PATCH", "/v1/operations/lots/L-1", body=b"{}")
WAITING, CONNECTING, ASKED, ANSWERING = Stage


async def until(true: Callable[[], bool]) -> None:
    """Come back when it is true."""
    async with asyncio.timeout(20):
        while not true():  # noqa: ASYNC110  many things end it, and not all of them tell
            await asyncio.sleep(0.001)


def ignored(_: Stage) -> None:
    """Nobody looks on."""


async def test_a_connection_that_is_opened_takes_its_time_and_one_that_is_open_takes_none(
    service: RawService, connect: Connect
) -> None:
    stages: list[Stage] = []
    async with connect() as client:
        first = await client.watched(READ, stages.append)
        second = await client.watched(READ, stages.append)
    assert stages == [WAITING, CONNECTING, ASKED, ANSWERING, WAITING, ASKED, ANSWERING]
    assert first.connecting is not None
    assert 0 < first.connecting <= first.first_byte <= first.seconds
    assert second.connecting == 0
    assert service.connections == 1


async def test_the_time_until_the_answer_and_that_of_its_body_are_told_apart(
    service: RawService, connect: Connect
) -> None:
    head = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n"
    service.rest = CannedReply((head, b"{", b"}"), pause=0.2, before=lambda: asyncio.sleep(0.2))
    async with connect() as client:
        exchange = await client.watched(READ, ignored)
    assert exchange.connecting is not None
    assert exchange.connecting + 0.15 < exchange.first_byte
    assert exchange.first_byte + 0.15 < exchange.seconds


async def test_a_connection_that_the_service_has_closed_is_opened_anew(service: RawService, connect: Connect) -> None:
    service.script = [CannedReply(reply().pieces, close=True)]
    async with connect() as client:
        await client.watched(READ, ignored)
        await until(lambda: service.open_now == 0)
        again = await client.watched(READ, ignored)
    assert again.connecting
    assert service.connections == 2


async def test_a_request_that_is_sent_again_goes_through_its_stages_again(
    service: RawService, connect: Connect
) -> None:
    service.script = [reply(429, "{}", ("Retry-After", "0")), reply(503, "{}", ("Retry-After", "0"))]
    stages: list[Stage] = []
    async with connect() as client:
        exchange = await client.watched(READ, stages.append)
    assert (exchange.answer.status, exchange.attempts) == (200, 3)
    # A 503 is waited for before the turn, a 429 in the queue for it.
    told = [WAITING, CONNECTING, ASKED, ANSWERING, WAITING, ASKED, ANSWERING, WAITING, WAITING, ASKED, ANSWERING]
    assert stages == told


async def cancelled_at(stage: Stage, send: Callable[[Callable[[Stage], None]], Awaitable[Exchange]]) -> None:
    """Cancel a request as soon as it has come so far."""
    there = asyncio.Event()

    def reached(now: Stage) -> None:
        if now is stage:
            there.set()

    sending = asyncio.ensure_future(send(reached))
    await asyncio.wait({sending, asyncio.ensure_future(there.wait())}, return_when=asyncio.FIRST_COMPLETED)
    sending.cancel()
    with pytest.raises(asyncio.CancelledError):
        await sending


async def test_a_read_is_cancelled_while_it_is_held_back(service: RawService, connect: Connect) -> None:
    service.script = [reply(429, "{}", ("Retry-After", "30"))]
    held = asyncio.Event()
    async with connect() as client:

        def reached(stage: Stage) -> None:
            if stage is WAITING and service.received:
                held.set()

        sending = asyncio.create_task(client.watched(READ, reached))
        await held.wait()
        sending.cancel()
        with pytest.raises(asyncio.CancelledError):
            await sending
    assert len(service.received) == 1


async def test_a_read_is_cancelled_while_it_connects(connect: Connect) -> None:
    async def silent(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readexactly(1)
        greeted.set()
        await reader.read()
        gone.set()
        writer.close()

    greeted, gone = asyncio.Event(), asyncio.Event()
    server = await asyncio.start_server(silent, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    stages: list[Stage] = []
    # Whoever never greets back keeps a TLS connection from being opened.
    async with server, connect(sandbox_base_url=f"https://127.0.0.1:{port}") as client:
        sending = asyncio.create_task(client.watched(READ, stages.append))
        await greeted.wait()
        sending.cancel()
        # Whoever keeps the error keeps what it was raised through; the connection is closed all the same.
        with pytest.raises(asyncio.CancelledError) as raised:
            await sending
        async with asyncio.timeout(20):
            await gone.wait()
        assert raised.tb is not None
    assert stages == [WAITING, CONNECTING]


@pytest.mark.parametrize("stage", [ASKED, ANSWERING], ids=lambda stage: stage.value)
async def test_a_read_is_cancelled_before_its_answer_and_in_it(
    service: RawService, connect: Connect, stage: Stage
) -> None:
    never = asyncio.Event()
    head = b"HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n"
    stuck = CannedReply((), before=never.wait) if stage is ASKED else CannedReply((head, *[b"x"] * 98), pause=0.2)
    service.script = [stuck]
    events: list[TrafficEvent] = []
    async with connect(events=events) as client:
        await cancelled_at(stage, lambda reached: client.watched(READ, reached))
        # The next one has a connection of its own: what comes over the old one was for the request that was given up.
        assert (await client.watched(READ, ignored)).answer.body == b"{}"
        never.set()
        await until(lambda: service.open_now == 1)
    assert service.connections == 2
    assert [event.reason for event in events if isinstance(event, Failed)] == ["cancelled"]


async def test_a_write_that_has_left_comes_to_its_end_whoever_cancels(service: RawService, connect: Connect) -> None:
    go_on, arrived, answered = asyncio.Event(), asyncio.Event(), asyncio.Event()

    async def wait() -> None:
        arrived.set()
        await go_on.wait()

    def answer(_: ReceivedRequest) -> CannedReply:
        return CannedReply(reply().pieces, before=wait)

    def reached(stage: Stage) -> None:
        if stage is ANSWERING:
            answered.set()

    service.rest = answer
    async with connect() as client:
        sending = asyncio.create_task(client.watched(PATCH, reached))
        await arrived.wait()
        sending.cancel()
        with pytest.raises(asyncio.CancelledError):
            await sending
        go_on.set()
        await answered.wait()


async def test_a_larger_body_is_kept_for_somebody_who_looks_on(service: RawService, connect: Connect) -> None:
    service.rest = reply(200, b" " * (MAX_BODY_BYTES + 1))
    async with connect() as client:
        assert (await client.send(READ)).answer.capped
        whole = (await client.watched(READ, ignored)).answer
    assert (len(whole.body), whole.capped) == (MAX_BODY_BYTES + 1, False)
