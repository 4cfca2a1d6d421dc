"""Cancelling at any moment, answers that drip, closing at any moment: nothing hangs and nothing is left over."""

import asyncio
import gc
import random
import socket
import threading
import warnings
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from typing import cast

import pytest

from svc_tui.client import attempts
from svc_tui.client.body_handling import BodyHandling
from svc_tui.client.client import SignedClient
from svc_tui.client.sender import Sender
from svc_tui.client.signed_request import prepare_request
from svc_tui.client.throttle import MAX_CONNECTIONS
from svc_tui.core.catalog import COLLECTIONS
from svc_tui.core.credentials import KeyPair
from svc_tui.core.records import Page
from svc_tui.core.requests import RequestSpec
from svc_tui.core.settings import Profile
from svc_tui.service import errors
from svc_tui.service.base_url import BaseUrl, base_url_of
from svc_tui.service.retry import RetryRules
from svc_tui.service.traffic import Answered, Failed, Paced, Retrying, Sent, Throttled, TrafficEvent
from tests.budget import share_of
from tests.client.raw_service import BREAK, KEYS, CannedReply, Connect, RawService, ReceivedRequest, reply
from tests.direct_requests import update

LOTS = COLLECTIONS[0]
READ = RequestSpec("GET", "/v1/operations/lots/L-1")
PATCH = RequestSpec("PATCH", "/v1/operations/lots/L-1", body=b"{}", idempotency_key="k-1")
QUICK = RetryRules(first_wait=0.01, longest_wait=0.02, deadline=30.0)
HEAD_DRIPS, BODY_DRIPS = b"HTTP/1.1 200 OK\r\nX-A: ", b"HTTP/1.1 200 OK\r\nContent-Length: 9999\r\n\r\n"


async def until(true: Callable[[], bool]) -> None:
    """Come back when it is true."""
    async with asyncio.timeout(20):
        while not true():  # noqa: ASYNC110  many things end it, and not all of them tell
            await asyncio.sleep(0.001)


def sockets_to(service: RawService) -> list[socket.socket]:
    """Every socket of this process that is still connected to the service."""
    found = []
    for thing in gc.get_objects():
        if isinstance(thing, socket.socket) and thing.fileno() != -1 and thing.family == socket.AF_INET:
            try:
                if thing.getpeername()[1] == service.port:
                    found.append(thing)
            except OSError:
                continue  # it listens, or its other end has gone
    return found


async def assert_nothing_left(service: RawService) -> None:
    """No connection stands at either end, and none was left to the garbage collector."""
    assert sockets_to(service) == []
    await until(lambda: service.open_now == 0)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        gc.collect()
    assert [str(warning.message) for warning in caught] == []


async def test_many_cancels_leave_every_later_call_working_and_no_socket(service: RawService, connect: Connect) -> None:
    jitter = random.Random(7)

    def any_answer(_: ReceivedRequest) -> CannedReply:
        async def dawdle() -> None:
            for _ in range(jitter.randrange(8)):
                await asyncio.sleep(0)

        chance = jitter.random()
        if chance < 0.1:
            return BREAK if chance < 0.05 else CannedReply(reply(503).pieces, before=dawdle)
        return CannedReply(reply(200, b"[]" + b" " * jitter.randrange(20_000)).pieces, before=dawdle)

    service.rest = any_answer
    cancelled = 0
    async with connect(rules=QUICK, jitter=0.5) as client:

        async def cancelled_somewhere() -> None:
            nonlocal cancelled
            if jitter.random() < 0.7:
                task = asyncio.create_task(client.send(READ, background=jitter.random() < 0.5))
            else:
                task = asyncio.create_task(client.send(PATCH))
            for _ in range(jitter.randrange(45)):
                await asyncio.sleep(0)
            cancelled += task.cancel()
            await asyncio.gather(task, return_exceptions=True)

        while cancelled < share_of(2000):
            await asyncio.gather(*(cancelled_somewhere() for _ in range(50)))
        service.rest = reply(200, "[]")
        pages = await asyncio.gather(*(client.page(LOTS, 1, 50) for _ in range(50)))
        assert [page.number for page in pages] == [1] * 50
        assert 1 <= service.open_now <= 8
    assert service.most_open <= 8
    await assert_nothing_left(service)


async def test_cancels_429s_rotations_and_losses_at_once_leave_a_client_that_works(
    service: RawService, connect: Connect
) -> None:
    jitter = random.Random(11)
    pairs = [KeyPair(f"svc_test_{number:016}", f"svcsec_{number:032}") for number in range(5)]
    valid = arrived = 0
    mixed: list[ReceivedRequest] = []

    class FakeCredentials:
        def read(self) -> KeyPair:
            return pairs[valid]

    def answer(came: ReceivedRequest) -> CannedReply:
        nonlocal valid, arrived
        arrived += 1
        number = int(came.header("authorization")[-16:])
        if not came.signed_with(pairs[number].signing_secret or ""):
            mixed.append(came)
        if arrived in (50, 100):
            return reply(429, "{}", ("Retry-After", "0" if arrived == 50 else "1"))
        if number < valid:
            return reply(401, '{"code": "api_key_revoked"}')
        if arrived % 30 == 0:
            valid = min(valid + 1, len(pairs) - 1)
        if jitter.random() < 0.05:
            return BREAK
        return reply(200, f'{{"items": [{{"id": "{arrived}"}}], "meta": {{"total": 4}}}}')

    async def walk(client: SignedClient) -> None:
        async with aclosing(cast("AsyncGenerator[Page, None]", client.walk(LOTS, limit=1))) as pages:
            async for _ in pages:
                pass

    async def storm(client: SignedClient, size: int) -> list[asyncio.Task[object]]:
        tasks: list[asyncio.Task[object]] = []
        for number in range(size):
            task: asyncio.Task[object] = asyncio.create_task(
                client.send(jitter.choice((READ, PATCH))) if number % 20 else walk(client)
            )
            tasks.append(task)
            if jitter.random() < 0.5:
                asyncio.get_running_loop().call_later(jitter.random() * 0.2, task.cancel)
            if jitter.random() < 0.3:
                await asyncio.sleep(jitter.random() * 0.01)
        return tasks

    service.rest = answer
    events: list[TrafficEvent] = []
    async with connect(pairs[0], credentials=FakeCredentials(), rules=QUICK, events=events, jitter=0.5) as client:
        ends = await asyncio.gather(*await storm(client, 240), return_exceptions=True)
        service.rest = reply()
        for _ in range(2 * MAX_CONNECTIONS):
            assert (await client.send(READ)).answer.ok
        service.rest = answer
        late = await storm(client, 40)
        await asyncio.gather(client.aclose(), client.aclose())
        ends += await asyncio.gather(*late, return_exceptions=True)
    raised = {type(end) for end in ends if isinstance(end, BaseException)}
    assert {kind for kind in raised if not issubclass(kind, errors.ServiceError)} == {asyncio.CancelledError}
    assert mixed == []
    assert valid == len(pairs) - 1
    assert {Throttled, Paced} <= {type(event) for event in events}
    # Whatever left came to an end that was told.
    assert sum(isinstance(event, Sent) for event in events) == sum(isinstance(e, Answered | Failed) for e in events)
    await assert_nothing_left(service)


async def test_an_attempt_that_is_cut_short_leaves_its_place_on_the_wire_usable(service: RawService) -> None:
    jitter = random.Random(11)

    def now_or_soon(_: ReceivedRequest) -> CannedReply:
        async def dawdle() -> None:
            for _ in range(jitter.randrange(6)):
                await asyncio.sleep(0)

        return CannedReply(reply(200, b" " * jitter.randrange(90_000)).pieces, before=dawdle)

    service.rest = now_or_soon
    profile = Profile("x", sandbox_base_url=service.url)
    prepared = prepare_request(READ, profile)
    sender = Sender(base_url_of(profile, KEYS.environment))

    async def cut_short() -> None:
        task = asyncio.create_task(sender.send(prepared, prepared.headers, seconds=20.0, body=BodyHandling(100_000)))
        for _ in range(jitter.randrange(40)):
            await asyncio.sleep(0)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)

    for _ in range(share_of(100)):
        await asyncio.gather(*(cut_short() for _ in range(MAX_CONNECTIONS)))
    whole = BodyHandling(100_000)
    sending = [sender.send(prepared, prepared.headers, seconds=5.0, body=whole) for _ in range(MAX_CONNECTIONS)]
    assert [answer.status for answer in await asyncio.gather(*sending)] == [200] * MAX_CONNECTIONS
    await sender.aclose()
    await assert_nothing_left(service)


async def test_a_cancel_lets_a_write_that_left_come_to_its_end(service: RawService, connect: Connect) -> None:
    arrived, go_on = asyncio.Event(), asyncio.Event()

    async def wait() -> None:
        arrived.set()
        await go_on.wait()

    events: list[TrafficEvent] = []
    service.rest = CannedReply(reply().pieces, before=wait)
    async with connect(events=events) as client:
        task = asyncio.create_task(update(client, LOTS, "L-1", {}))
        await arrived.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        go_on.set()
    assert [event.status for event in events if isinstance(event, Answered)] == [200]


async def test_a_read_that_is_given_up_keeps_its_connection_and_nothing_else(
    service: RawService, connect: Connect
) -> None:
    arrived, go_on, answered = asyncio.Event(), asyncio.Event(), asyncio.Event()

    async def wait() -> None:
        arrived.set()
        await go_on.wait()

    def done_tasks() -> int:
        gc.collect()
        return sum(isinstance(thing, asyncio.Task) and thing.done() for thing in gc.get_objects())

    service.script = [CannedReply(reply().pieces, before=wait)]
    async with connect() as client:
        client.listen(lambda event: answered.set() if isinstance(event, Answered) else None)
        before = done_tasks()
        task = asyncio.create_task(client.send(READ))
        await arrived.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        del task
        go_on.set()
        await answered.wait()
        for _ in range(5):
            await client.send(READ)
        assert done_tasks() <= before
    assert service.connections == 1


@pytest.mark.parametrize("greets", [True, False])
async def test_an_attempt_ends_at_its_deadline_by_itself_and_knows_whether_it_was_sent(
    service: RawService, connect: Connect, monkeypatch: pytest.MonkeyPatch, greets: bool
) -> None:
    async def silent(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read()
        writer.close()

    monkeypatch.setattr(attempts, "_GRACE_WHEN_LATE", 60.0)
    forever = asyncio.Event()
    service.rest = CannedReply((), before=forever.wait)
    server = await asyncio.start_server(silent, "127.0.0.1", 0)
    # Whoever never greets back keeps a TLS connection from being opened.
    url = service.url if greets else f"https://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    async with server, connect(sandbox_base_url=url, rules=RetryRules(deadline=1.0)) as client:
        # Ten seconds are the limit for a connection whatever the deadline, thirty that of a silence.
        async with asyncio.timeout(9):
            with pytest.raises(errors.ServiceError) as raised:
                await client.send(PATCH)
    assert raised.value.sent is (errors.SendResult.UNKNOWN if greets else errors.SendResult.NOT_SENT)


async def test_a_client_that_is_not_ready_by_the_deadline_has_sent_nothing(
    service: RawService, connect: Connect, monkeypatch: pytest.MonkeyPatch
) -> None:
    go_on = threading.Event()

    def load(base: BaseUrl) -> Sender:
        go_on.wait()
        return Sender(base)

    monkeypatch.setattr(attempts, "_is_open", load)
    async with connect(rules=RetryRules(deadline=0.2), monotonic=lambda: 100.0) as client:
        try:
            with pytest.raises(errors.DeadlineExceeded, match="connecting to") as raised:
                await client.send(PATCH)
        finally:
            go_on.set()
    assert raised.value.sent is errors.SendResult.NOT_SENT
    assert service.received == []


@pytest.mark.parametrize("head", [HEAD_DRIPS, BODY_DRIPS], ids=["headers", "body"])
@pytest.mark.parametrize("spec", [READ, PATCH], ids=lambda spec: spec.method)
async def test_an_answer_that_drips_ends_at_the_deadline_and_leaves_room(
    service: RawService, connect: Connect, head: bytes, spec: RequestSpec
) -> None:
    service.rest = CannedReply((head, *[b"x"] * 9999), pause=0.05)
    async with connect(rules=RetryRules(deadline=1.5)) as client:
        async with asyncio.timeout(20):
            ended = await asyncio.gather(*(client.send(spec) for _ in range(10)), return_exceptions=True)
        assert {type(failure) for failure in ended} == {errors.DeadlineExceeded}
        # Two waited for the turn of another, which a body gives back at its deadline and headers a little later. What
        # was sent may have been carried out.
        not_sent = [getattr(failure, "sent", None) for failure in ended].count(errors.SendResult.NOT_SENT)
        assert not_sent <= 2
        assert not_sent == 2 or head is BODY_DRIPS
        service.rest = reply()
        connections = service.connections
        assert (await client.send(READ)).answer.ok
        assert (await client.send(READ)).answer.ok
        assert service.connections <= connections + 1
    await assert_nothing_left(service)


async def test_an_answer_that_falls_silent_ends_at_the_deadline(service: RawService, connect: Connect) -> None:
    service.rest = CannedReply((BODY_DRIPS, *[b"x"] * 4), pause=0.2)
    async with connect(rules=RetryRules(deadline=1.5)) as client:
        # Not as long after the last byte as before it.
        with pytest.raises(errors.DeadlineExceeded, match=f"{service.port} did not respond in time"):
            await client.send(READ)


async def test_a_cancel_gives_the_turn_of_a_dripping_answer_back(service: RawService, connect: Connect) -> None:
    events: list[TrafficEvent] = []
    service.rest = CannedReply((HEAD_DRIPS, *[b"x"] * 9999), pause=0.05)
    async with connect(events=events, rules=RetryRules(deadline=1.5)) as client:
        tasks = [asyncio.create_task(client.send(READ)) for _ in range(8)]
        await until(lambda: len(service.received) == 8)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await until(lambda: sum(isinstance(event, Failed) for event in events) == 8)
        service.rest = reply()
        assert (await client.send(READ)).answer.ok
    assert [type(event) for event in events] == [Sent] * 8 + [Failed] * 8 + [Sent, Answered]


async def test_an_answer_that_drips_does_not_take_another_down(service: RawService, connect: Connect) -> None:
    go_on = asyncio.Event()
    halfway = asyncio.get_running_loop().time() + 1
    service.script = [
        CannedReply((HEAD_DRIPS, *[b"x"] * 9999), pause=0.05),
        CannedReply(reply().pieces, before=go_on.wait),
    ]
    async with connect(rules=RetryRules(deadline=2.0)) as client:
        dripping = asyncio.create_task(client.send(READ))
        await until(lambda: asyncio.get_running_loop().time() >= halfway)
        waiting = asyncio.create_task(client.send(PATCH))
        with pytest.raises(errors.DeadlineExceeded):
            await dripping
        go_on.set()
        exchange = await waiting
    assert (exchange.answer.status, exchange.attempts, len(service.received)) == (200, 1, 2)
    await assert_nothing_left(service)


async def test_closing_twice_and_calling_afterwards(service: RawService, connect: Connect) -> None:
    async with connect() as client:
        await client.send(READ)
        await asyncio.gather(client.aclose(), client.aclose())
        await client.aclose()
        with pytest.raises(errors.RequestRefused, match="svc-tui is closing"):
            await client.send(READ)
    await assert_nothing_left(service)


async def test_closing_ends_what_hangs(service: RawService, connect: Connect) -> None:
    forever, arrived = asyncio.Event(), asyncio.Event()

    async def hang() -> None:
        arrived.set()
        await forever.wait()

    service.rest = CannedReply((), before=hang)
    events: list[TrafficEvent] = []
    async with connect(events=events) as client:
        task = asyncio.create_task(update(client, LOTS, "L-1", {}))
        await arrived.wait()
        others = [asyncio.create_task(client.record(LOTS, "L-1")) for _ in range(20)]
        await asyncio.sleep(0)
        await client.aclose()
        # Once it is closed nothing of it goes on.
        assert sum(isinstance(event, Failed) for event in events) == sum(isinstance(event, Sent) for event in events)
        with pytest.raises(errors.ConnectionBroken) as raised:
            await task
        for other in others:
            with pytest.raises(errors.ServiceError):
                await other
    assert raised.value.sent is errors.SendResult.UNKNOWN
    forever.set()
    await assert_nothing_left(service)


async def test_closing_does_not_wait_for_a_read(
    service: RawService, connect: Connect, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(attempts, "_GRACE_WHEN_CLOSING", 60.0)
    forever, arrived = asyncio.Event(), asyncio.Event()

    async def hang() -> None:
        arrived.set()
        await forever.wait()

    service.rest = CannedReply((), before=hang)
    async with connect() as client:
        task = asyncio.create_task(client.send(READ))
        await arrived.wait()
        async with asyncio.timeout(20):
            await client.aclose()
        with pytest.raises(errors.ConnectionBroken, match="svc-tui was closed before a response arrived"):
            await task
    forever.set()


async def test_closing_ends_the_wait_before_another_attempt(service: RawService, connect: Connect) -> None:
    waiting: list[Retrying] = []
    service.rest = reply(503, "{}", ("Retry-After", "40"))
    async with connect() as client:
        client.listen(lambda event: waiting.append(event) if isinstance(event, Retrying) else None)
        read, write = asyncio.create_task(client.send(READ)), asyncio.create_task(client.send(PATCH))
        await until(lambda: len(waiting) == 2)
        await client.aclose()
        async with asyncio.timeout(20):
            ended = await asyncio.gather(read, write, return_exceptions=True)
    assert isinstance(ended[0], errors.RequestRefused)
    assert isinstance(ended[1], errors.ServiceError)
    assert (ended[1].sent, ended[1].idempotency_key) == (errors.SendResult.UNKNOWN, "k-1")
    assert len(service.received) == 2


async def test_closing_at_any_moment_leaves_nothing_open(service: RawService, connect: Connect) -> None:
    async def soon() -> None:
        await asyncio.sleep(0)

    service.rest = CannedReply(reply(200, b"[]" * 5000).pieces, before=soon)
    sent_after_closing: list[TrafficEvent] = []
    for moment in range(0, 80, 5):
        async with connect() as client:
            await client.send(READ)
            tasks = [asyncio.create_task(client.send(spec)) for spec in [READ, PATCH] * 10]
            for _ in range(moment):
                await asyncio.sleep(0)
            await client.aclose()
            client.listen(sent_after_closing.append)
            async with asyncio.timeout(20):
                ended = await asyncio.gather(*tasks, return_exceptions=True)
        assert not [failure for failure in ended if isinstance(failure, BaseException) and not _ours(failure)]
    assert sent_after_closing == []
    await assert_nothing_left(service)


async def test_a_turn_that_comes_with_the_close_is_not_used(service: RawService, connect: Connect) -> None:
    go_on = asyncio.Event()
    closing: list[asyncio.Task[None]] = []
    service.rest = CannedReply(reply().pieces, before=go_on.wait)
    async with connect() as client:

        def close_with_the_first_answer(event: TrafficEvent) -> None:
            # It takes its first step before whoever is given the turn of this answer takes theirs.
            if isinstance(event, Answered) and not closing:
                closing.append(asyncio.create_task(client.aclose()))

        client.listen(close_with_the_first_answer)
        flying = [asyncio.create_task(client.send(READ)) for _ in range(8)]
        await until(lambda: len(service.received) == 8)
        waiting = asyncio.create_task(client.send(READ))
        await asyncio.sleep(0)
        go_on.set()
        with pytest.raises(errors.RequestRefused, match="svc-tui is closing"):
            await waiting
        await asyncio.gather(*flying, *closing, return_exceptions=True)
    assert len(service.received) == 8
    await assert_nothing_left(service)


async def test_a_close_that_is_cancelled_leaves_nothing_open(service: RawService, connect: Connect) -> None:
    forever, arrived = asyncio.Event(), asyncio.Event()

    async def hang() -> None:
        arrived.set()
        await forever.wait()

    service.rest = CannedReply((), before=hang)
    async with connect() as client:
        task = asyncio.create_task(client.send(PATCH))
        await arrived.wait()
        closing = asyncio.create_task(client.aclose())
        await asyncio.sleep(0)
        closing.cancel()
        with pytest.raises(asyncio.CancelledError):
            await closing
        with pytest.raises(errors.ConnectionBroken):
            await task
        forever.set()
        await assert_nothing_left(service)


async def test_a_client_that_was_never_used_closes(service: RawService) -> None:
    async with SignedClient(Profile("x", sandbox_base_url=service.url), KEYS) as client:
        assert client.base_url == service.url
    assert service.connections == 0


@pytest.mark.parametrize("deadline", [0.0, -1.0])
async def test_a_deadline_that_is_over_sends_nothing(service: RawService, connect: Connect, deadline: float) -> None:
    async with connect(rules=RetryRules(deadline=deadline)) as client:
        with pytest.raises(errors.DeadlineExceeded) as raised:
            await client.send(PATCH)
        assert (raised.value.sent, raised.value.attempts) == (errors.SendResult.NOT_SENT, 0)
    assert service.received == []


def _ours(failure: BaseException) -> bool:
    return isinstance(failure, errors.ServiceError)
