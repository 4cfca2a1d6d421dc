"""A write given with a reading of its record leaves only while the record is as it was read."""

import asyncio
import time

import pytest

from svc_tui.client.throttle import MAX_CONNECTIONS
from svc_tui.core.catalog import COLLECTIONS
from svc_tui.core.jsontext import dumps
from svc_tui.core.requests import RequestSpec
from svc_tui.core.values import replace
from svc_tui.service import errors
from svc_tui.service.retry import RetryRules
from svc_tui.service.traffic import Retrying, Sent, TrafficEvent
from tests.client.one_record import OneRecord
from tests.client.raw_service import BREAK, CannedReply, Connect, RawService, ReceivedRequest, reply

LOTS = COLLECTIONS[0]
QUICK = RetryRules(first_wait=0.01)
BUSY = reply(429, '{"error":{"code":"rate_limit_exceeded"}}', ("Retry-After", "1"))
PATCH = RequestSpec("PATCH", "/v1/operations/lots/lot-1", body=b'{"grade":"A"}')


@pytest.fixture
def record(service: RawService) -> OneRecord:
    return OneRecord(service)


@pytest.mark.parametrize("ends", ["given up", "by a bug", "changed"])
async def test_writes_that_end_in_their_readings_keep_their_connections_until_those_end_and_no_longer(
    record: OneRecord, connect: Connect, ends: str
) -> None:
    arrived, go_on = asyncio.Semaphore(0), asyncio.Event()
    connections = 0

    async def wait() -> None:
        arrived.release()
        await go_on.wait()

    def break_down(event: TrafficEvent) -> None:
        if isinstance(event, Sent) and event.method == "GET" and ends == "by a bug":
            raise RuntimeError

    async with connect(rules=QUICK) as client:
        reading = await client.reading(LOTS, "lot-1")
        record.troubles = [BREAK] * MAX_CONNECTIONS
        answer = reply(200, dumps({**record.fields, "note": "theirs"} if ends == "changed" else record.fields))
        record.unread = [replace(answer, before=wait if ends == "given up" else None) for _ in range(MAX_CONNECTIONS)]
        client.listen(break_down)
        sending = [asyncio.create_task(client.send(PATCH, unchanged_since=reading)) for _ in range(MAX_CONNECTIONS)]
        if ends == "given up":
            for _ in sending:
                await arrived.acquire()
            connections = record.service.connections
            for task in sending:
                task.cancel()
        ended = await asyncio.gather(*sending, return_exceptions=True)
        kinds = {"given up": asyncio.CancelledError, "by a bug": RuntimeError, "changed": errors.RecordChanged}
        assert {type(end) for end in ended} == {kinds[ends]}
        ends = ""
        record.unread = []
        others = [asyncio.create_task(client.send(RequestSpec("GET", "/v1/operations/tunnels"))) for _ in range(30)]
        go_on.set()
        async with asyncio.timeout(20):
            assert all(exchange.answer.ok for exchange in await asyncio.gather(*others))
        if connections:
            assert record.service.connections == connections
    assert record.methods.count("PATCH") == MAX_CONNECTIONS
    assert record.service.most_open <= MAX_CONNECTIONS


async def test_a_write_keeps_its_turn_from_its_reading_to_its_end(service: RawService, connect: Connect) -> None:
    arrived, go_on = asyncio.Semaphore(0), asyncio.Event()
    doubted: set[str] = set()

    async def wait() -> None:
        arrived.release()
        await go_on.wait()

    def answer(came: ReceivedRequest) -> CannedReply:
        if came.method != "PATCH":
            return reply(200, '{"id": "lot-1"}')
        if came.target in doubted:
            return replace(reply(), before=wait)
        doubted.add(came.target)
        return BREAK

    service.rest = answer
    async with connect(rules=QUICK) as client:
        reading = await client.reading(LOTS, "lot-1")
        writes = [RequestSpec("PATCH", f"/v1/operations/lots/{number}") for number in range(MAX_CONNECTIONS)]
        sending = [asyncio.create_task(client.send(spec, unchanged_since=reading)) for spec in writes]
        for _ in sending:
            await arrived.acquire()
        others = [asyncio.create_task(client.send(RequestSpec("GET", "/v1/x"))) for _ in range(MAX_CONNECTIONS)]
        for _ in range(10):
            await asyncio.sleep(0)
        go_on.set()
        async with asyncio.timeout(20):
            exchanges = await asyncio.gather(*sending, *others)
    assert all(exchange.answer.ok for exchange in exchanges)
    assert service.most_open == MAX_CONNECTIONS


@pytest.mark.parametrize("idempotency", ["unproven", "honoured"])
@pytest.mark.parametrize(
    ("trouble", "sent", "words"),
    [
        (BUSY, errors.SendResult.NOT_SENT, "the record changed after it was loaded, so nothing was sent"),
        (
            BREAK,
            errors.SendResult.UNKNOWN,
            "the outcome is unknown, and the record changed after it was loaded, so the change was not sent again",
        ),
    ],
    ids=["429", "broken"],
)
async def test_the_error_says_whether_an_attempt_may_have_arrived(
    record: OneRecord, connect: Connect, idempotency: str, trouble: CannedReply, sent: errors.SendResult, words: str
) -> None:
    async with connect(rules=QUICK, idempotency=idempotency) as client:
        reading = await client.reading(LOTS, "lot-1")
        record.troubles, record.fields["note"] = [trouble], "theirs"
        with pytest.raises(errors.RecordChanged) as raised:
            await client.send(PATCH, unchanged_since=reading)
    assert (raised.value.sent, raised.value.attempts, str(raised.value)) == (sent, 1, words)


@pytest.mark.parametrize(
    ("trouble", "waits", "reads"),
    [(reply(503), False, 0), (reply(503), True, 1), (reply(500), True, 0), (BREAK, True, 0)],
    ids=["503 now", "503 long ago", "500 long ago", "broken long ago"],
)
async def test_an_action_with_an_honoured_key_reads_again_only_where_a_503_says_that_nothing_was_done(
    record: OneRecord, connect: Connect, trouble: CannedReply, waits: bool, reads: int
) -> None:
    ahead = 0.0

    def wait(event: TrafficEvent) -> None:
        nonlocal ahead
        if isinstance(event, Retrying) and waits:
            ahead = 2.0

    async with connect(rules=QUICK, idempotency="honoured", monotonic=lambda: time.monotonic() + ahead) as client:
        client.listen(wait)
        reading = await client.reading(LOTS, "lot-1")
        record.troubles = [trouble]
        exchange = await client.send(RequestSpec("POST", f"{PATCH.path}/split"), unchanged_since=reading)
    assert exchange.answer.ok
    assert record.methods == ["GET", "POST", *["GET"] * reads, "POST"]


@pytest.mark.parametrize("idempotency", ["unproven", "honoured"])
async def test_an_action_that_a_429_held_back_is_not_done_to_a_record_that_changed(
    record: OneRecord, connect: Connect, idempotency: str
) -> None:
    async with connect(rules=QUICK, idempotency=idempotency) as client:
        reading = await client.reading(LOTS, "lot-1")
        record.troubles, record.fields["note"] = [BUSY], "theirs"
        with pytest.raises(errors.RecordChanged):
            await client.send(RequestSpec("POST", f"{PATCH.path}/split"), unchanged_since=reading)
    assert record.methods == ["GET", "POST", "GET"]


async def test_a_reading_counts_for_a_second(record: OneRecord, connect: Connect) -> None:
    record.troubles = [BUSY, reply(429, "{}", ("Retry-After", "0"))]
    async with connect(rules=QUICK) as client:
        reading = await client.reading(LOTS, "lot-1")
        assert (await client.send(PATCH, unchanged_since=reading)).attempts == 3
    assert record.methods == ["GET", "PATCH", "GET", "PATCH", "PATCH"]


@pytest.mark.parametrize(
    ("troubles", "sent"),
    [([BUSY], errors.SendResult.NOT_SENT), ([BREAK], errors.SendResult.UNKNOWN)],
    ids=["429", "broken"],
)
@pytest.mark.parametrize(
    ("status", "kind", "words"),
    [
        (404, errors.RecordChanged, "the record no longer exists, so"),
        (403, errors.StatusError, "the record could not be reloaded before the change: "),
    ],
)
async def test_a_write_whose_record_is_gone_or_can_not_be_read_does_not_leave_again(
    record: OneRecord,
    connect: Connect,
    troubles: list[CannedReply],
    sent: errors.SendResult,
    status: int,
    kind: type[errors.ServiceError],
    words: str,
) -> None:
    async with connect(rules=QUICK) as client:
        reading = await client.reading(LOTS, "lot-1")
        record.troubles, record.unread = [*troubles], [reply(status)]
        with pytest.raises(kind) as raised:
            await client.send(replace(PATCH, idempotency_key="k-1"), unchanged_since=reading)
    if sent is errors.SendResult.UNKNOWN and status == 404:
        words = "the outcome is unknown, and the record no longer exists, so"
    assert str(raised.value).startswith(words)
    assert (raised.value.sent, raised.value.attempts, raised.value.idempotency_key) == (sent, 1, "k-1")
    # The answer to the reading is none to the write.
    assert raised.value.exchange is None
    assert record.methods == ["GET", "PATCH", "GET"]


@pytest.mark.parametrize("trouble", [reply(429, "{}", ("Retry-After", "0")), reply(500), BREAK])
async def test_a_reading_that_meets_trouble_is_made_again_in_another_turn(
    record: OneRecord, connect: Connect, trouble: CannedReply
) -> None:
    async with connect(rules=QUICK) as client:
        reading = await client.reading(LOTS, "lot-1")
        record.troubles, record.unread = [BREAK], [trouble]
        async with asyncio.timeout(20):
            assert (await client.send(PATCH, unchanged_since=reading)).answer.ok
            await asyncio.gather(*(client.send(RequestSpec("GET", "/v1/x")) for _ in range(2 * MAX_CONNECTIONS)))
    assert record.methods[:5] == ["GET", "PATCH", "GET", "GET", "PATCH"]


async def test_a_record_that_can_not_be_read_is_asked_for_three_times(record: OneRecord, connect: Connect) -> None:
    async with connect(rules=QUICK) as client:
        reading = await client.reading(LOTS, "lot-1")
        record.troubles, record.unread = [BREAK], [reply(500)] * 30
        with pytest.raises(errors.ServerFault, match="could not be reloaded"):
            await client.send(PATCH, unchanged_since=reading)
    assert record.methods == ["GET", "PATCH", "GET", "GET", "GET"]


async def test_a_record_with_another_etag_has_changed(record: OneRecord, connect: Connect) -> None:
    record.etags, record.troubles = True, [BREAK]
    async with connect(rules=QUICK) as client:
        reading = await client.reading(LOTS, "lot-1")
        record.unread = [reply(200, dumps(record.fields), ("ETag", '"another"'))]
        with pytest.raises(errors.RecordChanged):
            await client.send(PATCH, unchanged_since=reading)
    assert record.methods == ["GET", "PATCH", "GET"]


async def test_a_write_that_starts_over_keeps_to_the_deadline_and_the_attempts_of_its_first_call(
    record: OneRecord, connect: Connect
) -> None:
    clock = [100.0]
    async with connect(rules=QUICK, monotonic=lambda: clock[0]) as client:
        reading = await client.reading(LOTS, "lot-1")
        record.troubles, record.unread = [BREAK], [reply(404)]
        with pytest.raises(errors.RecordChanged) as changed:
            await client.send(PATCH, unchanged_since=reading)
        assert (changed.value.ends, changed.value.tries) == (160.0, 1)
        record.troubles = [BREAK] * 3
        with pytest.raises(errors.ConnectionBroken) as raised:
            await client.send(PATCH, restart_of=changed.value)
        assert raised.value.attempts == 2
        clock[0] = 160.0
        with pytest.raises(errors.DeadlineExceeded) as raised_late:
            await client.send(PATCH, restart_of=changed.value)
    assert raised_late.value.sent is errors.SendResult.NOT_SENT
