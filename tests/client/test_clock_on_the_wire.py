"""The service's clock on the wire: learned, corrected once, let go of, and steps of our own."""

import asyncio
import time
from collections import Counter
from collections.abc import Callable
from email.utils import formatdate

import pytest

from svc_tui.core.catalog import COLLECTIONS
from svc_tui.core.credentials import KeyPair
from svc_tui.core.requests import RequestSpec
from svc_tui.service import errors
from svc_tui.service.retry import RetryRules
from svc_tui.service.traffic import ClockCorrected, Retrying, TrafficEvent
from tests.client.raw_service import KEYS, CannedReply, Connect, RawService, ReceivedRequest, reply

LOTS = COLLECTIONS[0]
READ = RequestSpec("GET", "/v1/operations/lots/L-1")
POST = RequestSpec("POST", "/v1/operations/lots", body=b"{}", idempotency_key="k-1")
QUICK = RetryRules(first_wait=0.01, longest_wait=0.02, deadline=30.0)
HOURS = 5 * 3600.0


class LocalClock:
    """Our own wall clock, which a test sets forward or back."""

    def __init__(self, ahead: float = 0.0) -> None:
        self.ahead = ahead

    def __call__(self) -> float:
        """Unix time, as this computer believes."""
        return time.time() + self.ahead


def dated(status: int = 200, body: str = "{}", *, ahead: float = 0.0) -> CannedReply:
    """An answer with the time of a service whose clock is `ahead` of the true time."""
    return reply(status, body, ("Date", formatdate(time.time() + ahead, usegmt=True)))


def judge(came: ReceivedRequest, *, ahead: float = 0.0) -> CannedReply:
    """What a service answers that holds every timestamp to its window."""
    stale = abs(int(came.header("x-svc-timestamp")) - time.time() - ahead) > 300
    return dated(401, '{"code": "timestamp_stale"}', ahead=ahead) if stale else dated(ahead=ahead)


def offsets(events: list[TrafficEvent]) -> list[float | None]:
    """Every offset that people were told."""
    return [event.offset for event in events if isinstance(event, ClockCorrected)]


async def test_a_stale_timestamp_is_signed_again_by_the_services_clock(service: RawService, connect: Connect) -> None:
    events: list[TrafficEvent] = []
    service.rest = judge
    async with connect(ahead=-1000, events=events, rules=QUICK) as client:
        exchange = await client.send(POST)
        assert (exchange.answer.status, exchange.attempts) == (200, 2)
        assert (await client.send(READ)).attempts == 1
    assert offsets(events) == [pytest.approx(1000, abs=2)]


async def test_a_stale_timestamp_without_a_date_is_not_tried_blindly(service: RawService, connect: Connect) -> None:
    service.rest = reply(401, '{"code": "timestamp_stale"}')
    async with connect(rules=QUICK) as client:
        with pytest.raises(errors.TimestampStale, match="a clock problem, not a wrong secret"):
            await client.record(LOTS, "L-1")
    assert len(service.received) == 1


async def test_a_stale_timestamp_is_tried_once_more_only(service: RawService, connect: Connect) -> None:
    date = formatdate(time.time() + 5000, usegmt=True)
    service.rest = reply(401, '{"code": "timestamp_stale"}', ("Date", date))
    async with connect(rules=QUICK) as client:
        with pytest.raises(errors.TimestampStale, match=r"1 h 2[23] min behind the service"):
            await client.record(LOTS, "L-1")
    assert len(service.received) == 2


async def test_a_clock_that_drifts_is_told_before_the_window_ends(service: RawService, connect: Connect) -> None:
    events: list[TrafficEvent] = []

    def by(ahead: float) -> Callable[[ReceivedRequest], CannedReply]:
        return lambda came: dated(ahead=ahead)

    service.script = [by(0), by(90), by(91), by(0)]
    async with connect(events=events) as client:
        for _ in range(4):
            await client.send(READ)
    assert offsets(events) == [pytest.approx(90, abs=2), None]
    stamps = [int(came.header("x-svc-timestamp")) for came in service.received]
    assert max(stamps) - min(stamps) < 60


async def test_however_many_are_stale_at_once_each_is_corrected_once(service: RawService, connect: Connect) -> None:
    events: list[TrafficEvent] = []
    service.rest = judge
    specs = [RequestSpec("PATCH", f"/v1/operations/lots/L-{number}", body=b"{}") for number in range(100)]
    async with connect(ahead=HOURS, events=events, rules=QUICK) as client:
        exchanges = await asyncio.gather(*(client.send(spec) for spec in specs))
    assert {exchange.answer.status for exchange in exchanges} == {200}
    assert max(exchange.attempts for exchange in exchanges) == 2
    sent = Counter(came.target for came in service.received)
    assert len(sent) == 100
    assert max(sent.values()) == 2
    # Only those that left before the first refusal was here were stale.
    assert len(service.received) < 150
    assert offsets(events) == [pytest.approx(-HOURS, abs=2)]


async def test_corrections_do_not_spend_the_retry_budget(service: RawService, connect: Connect) -> None:
    async with connect(rules=QUICK) as client:
        for _ in range(15):
            service.script = [lambda came: dated(401, '{"code": "timestamp_stale"}', ahead=1000)]
            service.rest = reply()
            # Every time anew, for the correction is let go of in between.
            assert (await client.send(READ)).answer.ok
            service.script = [lambda came: dated(401, '{"code": "timestamp_stale"}')]
            assert (await client.send(READ)).answer.ok
        service.script = [reply(503)]
        assert (await client.send(READ)).answer.ok


@pytest.mark.parametrize("date", ["Thu, 01 Jan 1970 00:00:00 GMT", "Fri, 31 Dec 9999 23:59:59 GMT", "soon", ""])
@pytest.mark.parametrize("keys", [KEYS, KeyPair("svc_test_unsigned")], ids=["signed", "unsigned"])
async def test_a_success_with_an_absurd_date_changes_nothing(
    service: RawService, connect: Connect, date: str, keys: KeyPair
) -> None:
    events: list[TrafficEvent] = []
    service.rest = reply(200, "{}", ("Date", date))
    async with connect(keys, events=events) as client:
        for _ in range(3):
            exchange = await client.send(READ)
            assert exchange.attempts == 1
            assert (exchange.request.string_to_sign is None) == (keys is not KEYS)
    assert offsets(events) == []
    for came in service.received if keys is KEYS else ():
        assert int(came.header("x-svc-timestamp")) == pytest.approx(time.time(), abs=60)


async def test_the_date_of_an_answer_from_a_cache_says_nothing_of_the_clock(
    service: RawService, connect: Connect
) -> None:
    events: list[TrafficEvent] = []
    hundred_seconds_ago = formatdate(time.time() - 100, usegmt=True)
    service.rest = reply(200, "{}", ("Date", hundred_seconds_ago), ("Age", "100"))
    async with connect(events=events) as client:
        for _ in range(3):
            await client.send(READ)
    assert offsets(events) == []


@pytest.mark.parametrize("keys", [KEYS, KeyPair("svc_test_unsigned")], ids=["signed", "unsigned"])
async def test_a_date_is_doubted_only_where_the_service_took_a_timestamp_that_it_contradicts(
    service: RawService, connect: Connect, keys: KeyPair
) -> None:
    events: list[TrafficEvent] = []
    service.rest = dated(ahead=1000)
    async with connect(keys, events=events) as client:
        await client.send(READ)
    assert offsets(events) == ([] if keys is KEYS else [pytest.approx(1000, abs=2)])


async def test_the_date_of_an_error_moves_no_timestamp(service: RawService, connect: Connect) -> None:
    service.rest = judge
    async with connect(ahead=-1000, rules=QUICK) as client:
        assert (await client.send(READ)).attempts == 2
        for ahead in (200, 400, 600):
            service.script = [dated(404, ahead=ahead)]
            await client.send(READ)
        assert (await client.send(READ)).attempts == 1


async def test_an_absurd_date_does_not_spoil_a_correction(service: RawService, connect: Connect) -> None:
    service.rest = judge
    async with connect(ahead=-1000, rules=QUICK) as client:
        assert (await client.send(READ)).attempts == 2
        for absurd in (-1e9, -400.0, 400.0, 3e9):
            service.script = [dated(ahead=absurd), dated(404, ahead=absurd), dated(502, ahead=absurd)]
            await client.send(READ)
            await client.send(READ)
            assert (await client.send(READ)).answer.ok
            assert (await client.send(READ)).attempts == 1


async def test_a_clock_that_is_mended_is_let_go_of(service: RawService, connect: Connect) -> None:
    events: list[TrafficEvent] = []
    service.rest = judge
    local = LocalClock(-HOURS)
    async with connect(now=local, events=events, rules=QUICK) as client:
        assert (await client.send(READ)).attempts == 2
        local.ahead = 0.0
        assert (await client.send(READ)).attempts == 2
        assert (await client.send(READ)).attempts == 1
    assert offsets(events) == [pytest.approx(HOURS, abs=2), None]
    assert int(service.received[-1].header("x-svc-timestamp")) == pytest.approx(time.time(), abs=10)


async def test_a_clock_that_drifts_back_is_followed_and_let_go_of(service: RawService, connect: Connect) -> None:
    events: list[TrafficEvent] = []
    service.rest = judge
    local = LocalClock(-1000)
    async with connect(now=local, events=events, rules=QUICK) as client:
        assert (await client.send(READ)).attempts == 2
        for ahead in (-800, -600, -400, -200, -30):
            local.ahead = ahead
            assert (await client.send(READ)).attempts == 1
    assert offsets(events) == [*(pytest.approx(ahead, abs=2) for ahead in (1000, 800, 600, 400, 200)), None]


async def test_a_wrong_correction_is_dropped_when_it_is_refused(service: RawService, connect: Connect) -> None:
    # A gateway that puts its own Date on every answer: its clock is of no use here.
    def gateway(came: ReceivedRequest) -> CannedReply:
        stale = abs(int(came.header("x-svc-timestamp")) - time.time()) > 300
        return dated(401, '{"code": "timestamp_stale"}', ahead=5000) if stale else dated(ahead=5000)

    service.rest = gateway
    local = LocalClock(-HOURS)
    async with connect(now=local, rules=QUICK) as client:
        assert (await client.send(READ)).answer.status == 401
        local.ahead = 0.0
        assert (await client.send(READ)).answer.ok
        assert (await client.send(READ)).attempts == 1


@pytest.mark.parametrize("step", [HOURS, -HOURS])
async def test_a_step_of_our_clock_while_waiting_changes_no_wait(
    service: RawService, connect: Connect, step: float
) -> None:
    local = LocalClock()
    waits: list[Retrying] = []

    def set_clock(event: object) -> None:
        if isinstance(event, Retrying):
            waits.append(event)
            local.ahead = step

    service.script = [reply(429, "{}", ("Retry-After", "1"))]
    service.rest = judge
    started = time.monotonic()
    async with connect(now=local, rules=QUICK) as client:
        client.listen(set_clock)
        async with asyncio.timeout(20):
            exchange = await client.send(POST)
    assert time.monotonic() - started >= 1
    # The third is the one that the service's clock has corrected.
    assert (exchange.answer.status, exchange.attempts) == (200, 3)
    assert [wait.wait for wait in waits] == [1.0, 0.0]
    stamps = [int(came.header("x-svc-timestamp")) for came in service.received]
    assert stamps[1] - stamps[0] == pytest.approx(step, abs=10)
    assert stamps[2] - stamps[0] == pytest.approx(0, abs=10)


@pytest.mark.parametrize("step", [HOURS, -HOURS])
async def test_a_step_of_our_clock_under_way_is_no_news_of_the_services(
    service: RawService, connect: Connect, step: float
) -> None:
    local = LocalClock()
    events: list[TrafficEvent] = []

    async def set_clock() -> None:
        local.ahead = step

    service.script = [CannedReply(dated().pieces, before=set_clock)]
    service.rest = judge
    async with connect(now=local, events=events, rules=QUICK) as client:
        exchange = await client.send(READ)
        assert (exchange.answer.status, exchange.attempts, offsets(events)) == (200, 1, [])
        assert exchange.seconds < 60
        assert (await client.send(READ)).attempts == 2
    assert offsets(events) == [pytest.approx(-step, abs=2)]


async def test_a_clock_that_is_mended_under_way_explains_the_refusal(service: RawService, connect: Connect) -> None:
    local = LocalClock(-HOURS)

    async def mend() -> None:
        local.ahead = 0.0

    service.script = [CannedReply(dated(401, '{"code": "timestamp_stale"}').pieces, before=mend)]
    service.rest = judge
    async with connect(now=local, rules=QUICK) as client:
        assert (await client.send(POST)).attempts == 2


async def test_a_429_is_waited_for_even_if_it_says_that_it_is_the_clock(service: RawService, connect: Connect) -> None:
    service.rest = reply(429, '{"code": "timestamp_stale"}', ("Retry-After", "3600"), ("Date", formatdate(0)))
    async with connect(rules=QUICK) as client:
        with pytest.raises(errors.RateLimitExceeded) as raised:
            await client.record(LOTS, "L-1")
    assert raised.value.retry_after == 3600
    assert len(service.received) == 1
