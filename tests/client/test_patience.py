"""Waiting and sending again: 429, bad luck on the way, the clock, keys that rotate, deadlines."""

import asyncio
import time
from collections.abc import Callable
from email.utils import formatdate

import pytest

from svc_tui.domain import errors
from svc_tui.domain.catalog import COLLECTIONS
from svc_tui.domain.credentials import CredentialError, KeyPair
from svc_tui.domain.requests import RequestSpec
from svc_tui.domain.retry import RetryRules
from svc_tui.domain.traffic import Answered, ClockCorrected, Failed, Retrying, Sent, Throttled, TrafficEvent
from tests.client.raw_service import BREAK, KEYS, SECRET, Connect, RawService, Received, Reply, names, reply

LOTS = COLLECTIONS[0]
READ = RequestSpec("GET", "/v1/operations/lots/L-1")
POST = RequestSpec("POST", "/v1/operations/lots", body=b"{}", idempotency_key="k-1")
PATCH = RequestSpec("PATCH", "/v1/operations/lots/L-1", body=b"{}", idempotency_key="k-1")
DELETE = RequestSpec("DELETE", "/v1/operations/lots/L-1")

QUICK = RetryRules(first_wait=0.01, longest_wait=0.02, deadline=5.0)
LIMITED = '{"error": {"code": "rate_limit_exceeded"}}'


async def test_a_429_waits_as_asked_and_goes_on(service: RawService, connect: Connect) -> None:
    events: list[TrafficEvent] = []
    service.script = [reply(429, LIMITED, ("Retry-After", "1"))]
    started = time.monotonic()
    async with connect(events=events, rules=QUICK) as client:
        exchange = await client.send(POST)
    assert time.monotonic() - started >= 1
    assert (exchange.answer.status, exchange.attempts) == (200, 2)
    assert exchange.waited == pytest.approx(1, abs=0.5)
    assert names(events).startswith("Sent Throttled Answered Retrying Throttled")
    held = [event for event in events if isinstance(event, Throttled)]
    assert held[0].until is not None
    assert held[0].until - started >= 1
    assert max(event.waiting for event in held) == 1
    assert held[-1] == Throttled(None, 0)
    assert [event.code for event in events if isinstance(event, Answered)] == ["rate_limit_exceeded", ""]
    first, second = service.received
    assert first.header("idempotency-key") == second.header("idempotency-key") == "k-1"
    assert first.body == second.body
    assert first.header("x-svc-timestamp") != second.header("x-svc-timestamp")


async def test_a_429_that_asks_for_more_than_the_deadline_comes_back_at_once(
    service: RawService, connect: Connect
) -> None:
    service.rest = reply(429, LIMITED, ("Retry-After", "3600"))
    async with connect(rules=QUICK) as client:
        with pytest.raises(errors.RateLimitExceeded, match=r"3600 s \(rate_limit_exceeded\)") as raised:
            await client.record(LOTS, "L-1")
        with pytest.raises(errors.RateLimitExceeded) as again:
            await client.send(POST)
    assert raised.value.retry_after == 3600
    assert again.value.sent is errors.SentState.NO
    assert again.value.retry_after == pytest.approx(3600, abs=60)
    assert len(service.received) == 1


async def test_a_date_in_retry_after_is_measured_against_the_services_own(
    service: RawService, connect: Connect
) -> None:
    long_ago = 1_000_000_000
    asked = [("Date", formatdate(long_ago, usegmt=True)), ("Retry-After", formatdate(long_ago + 900, usegmt=True))]
    service.rest = reply(429, LIMITED, *asked)
    async with connect(rules=QUICK) as client:
        with pytest.raises(errors.RateLimitExceeded) as raised:
            await client.record(LOTS, "L-1")
    assert raised.value.retry_after == 900


async def test_after_a_429_requests_go_one_by_one_those_by_hand_first(service: RawService, connect: Connect) -> None:
    flying, most = 0, 0

    def slowly(came: Received) -> Reply:
        async def watch() -> None:
            nonlocal flying, most
            flying += 1
            most = max(most, flying)
            for _ in range(5):
                await asyncio.sleep(0)
            flying -= 1

        return Reply(reply(200, "[]").pieces, before=watch)

    service.script = [reply(429, LIMITED, ("Retry-After", "1"))]
    service.rest = slowly
    events: list[TrafficEvent] = []
    held = asyncio.Event()
    async with connect(events=events, rules=QUICK) as client:
        client.listen(lambda event: held.set() if isinstance(event, Throttled) else None)
        first = asyncio.create_task(client.page(LOTS, 1, 50))
        await held.wait()
        paging = [asyncio.create_task(client.page(LOTS, n, 50, background=True)) for n in range(2, 5)]
        await asyncio.sleep(0)
        by_hand = asyncio.create_task(client.page(LOTS, 9, 50))
        await asyncio.gather(first, by_hand, *paging)
    assert most == 1
    order = [came.target.partition("page=")[2].partition("&")[0] for came in service.received[1:]]
    assert order == ["1", "9", "2", "3", "4"]
    assert Throttled(None, 0) in events
    assert max(event.waiting for event in events if isinstance(event, Throttled)) == 5


@pytest.mark.parametrize("status", [408, 500, 502, 503, 504])
@pytest.mark.parametrize("spec", [READ, PATCH, DELETE, RequestSpec("PUT", "/v1/x"), RequestSpec("HEAD", "/v1/x")])
async def test_bad_luck_is_tried_three_times(
    service: RawService, connect: Connect, status: int, spec: RequestSpec
) -> None:
    events: list[TrafficEvent] = []
    service.rest = reply(status, b"" if spec.method == "HEAD" else b"{}")
    async with connect(rules=QUICK, events=events) as client:
        exchange = await client.send(spec)
    assert (exchange.answer.status, exchange.attempts) == (status, 3)
    assert names(events) == "Sent Answered Retrying Sent Answered Retrying Sent Answered"
    assert len({came.header("idempotency-key") for came in service.received}) == 1


@pytest.mark.parametrize("status", [400, 401, 403, 404, 409, 412, 422, 501, 505])
async def test_a_refusal_is_not_sent_again(service: RawService, connect: Connect, status: int) -> None:
    service.rest = reply(status, "{}")
    async with connect(rules=QUICK) as client:
        exchange = await client.send(PATCH)
    assert (exchange.answer.status, exchange.attempts, len(service.received)) == (status, 1, 1)


@pytest.mark.parametrize("bad", [BREAK, reply(503), reply(500)], ids=["broken", "503", "500"])
async def test_a_post_of_unknown_outcome_is_sent_again_only_where_the_key_is_honoured(
    service: RawService, connect: Connect, bad: Reply
) -> None:
    service.script = [bad]
    async with connect(rules=QUICK) as client:
        with pytest.raises(errors.ServiceError) as raised:
            await client.create(LOTS, {}, idempotency_key="k-1")
    assert raised.value.sent is errors.SentState.UNKNOWN
    assert raised.value.idempotency_key == "k-1"
    assert len(service.received) == 1
    service.script = [bad]
    async with connect(rules=QUICK, idempotency="honoured") as client:
        exchange = await client.send(POST)
    assert (exchange.answer.status, exchange.attempts) == (200, 2)
    assert [came.header("idempotency-key") for came in service.received] == ["k-1"] * 3


async def test_without_the_header_honoured_means_nothing(service: RawService, connect: Connect) -> None:
    service.script = [BREAK]
    async with connect(rules=QUICK, idempotency="honoured", idempotency_header="") as client:
        with pytest.raises(errors.ConnectionBroken):
            await client.send(POST)


async def test_nobody_there_is_tried_again_and_nothing_was_sent(service: RawService, connect: Connect) -> None:
    events: list[TrafficEvent] = []
    async with connect(rules=QUICK, events=events, sandbox_base_url="http://127.0.0.1:1") as client:
        with pytest.raises(errors.Unreachable, match=r"127\.0\.0\.1:1: nobody listens there") as raised:
            await client.send(POST)
    assert raised.value.sent is errors.SentState.NO
    assert raised.value.attempts == 3
    assert names(events) == "Sent Failed Retrying Sent Failed Retrying Sent Failed"


async def test_a_connection_that_breaks_is_tried_again(service: RawService, connect: Connect) -> None:
    service.script = [BREAK, Reply((b"HTTP/1.1 200 OK\r\nConte",), close=True)]
    async with connect(rules=QUICK) as client:
        exchange = await client.send(PATCH)
    assert (exchange.answer.status, exchange.attempts, exchange.doubt) == (200, 3, True)


async def test_a_success_that_broke_off_is_read_again_but_never_written_again(
    service: RawService, connect: Connect
) -> None:
    service.script = [reply(200, "{", length=9), reply(200, '{"id": 1}'), reply(200, "{", length=9)]
    async with connect(rules=QUICK) as client:
        assert (await client.record(LOTS, "1")).id == "1"
        with pytest.raises(errors.ConnectionBroken) as raised:
            await client.update(LOTS, "1", {})
    assert raised.value.sent is errors.SentState.DONE
    assert len(service.received) == 3


async def test_an_error_whose_body_broke_off_is_still_that_error(service: RawService, connect: Connect) -> None:
    service.script = [reply(404, "lot", length=9)]
    async with connect(rules=QUICK) as client:
        exchange = await client.send(PATCH)
    assert (exchange.answer.status, exchange.answer.body, exchange.answer.capped) == (404, b"lot", True)


async def test_a_404_to_a_delete_sent_again_is_done(service: RawService, connect: Connect) -> None:
    service.script = [BREAK, reply(404), reply(404)]
    async with connect(rules=QUICK) as client:
        await client.remove(LOTS, "L-1")
        with pytest.raises(errors.NotFound):
            await client.remove(LOTS, "L-1")


@pytest.mark.parametrize("status", [409, 412, 403])
async def test_a_refusal_of_a_write_sent_again_is_unknown(service: RawService, connect: Connect, status: int) -> None:
    service.script = [BREAK, reply(status)]
    async with connect(rules=QUICK) as client:
        with pytest.raises(errors.StatusError) as raised:
            await client.update(LOTS, "L-1", {})
    assert raised.value.sent is errors.SentState.UNKNOWN


async def test_no_connection_after_a_doubt_leaves_the_doubt(service: RawService, connect: Connect) -> None:
    service.script = [BREAK]
    service.rest = BREAK
    async with connect(rules=QUICK) as client:
        with pytest.raises(errors.ConnectionBroken) as raised:
            await client.update(LOTS, "L-1", {}, idempotency_key="k-9")
    assert (raised.value.sent, raised.value.idempotency_key) == (errors.SentState.UNKNOWN, "k-9")
    assert raised.value.attempts == 3


async def test_a_503_that_asks_for_time_gets_it(service: RawService, connect: Connect) -> None:
    events: list[TrafficEvent] = []
    service.script = [reply(503, "{}", ("Retry-After", "1"))]
    async with connect(rules=QUICK, events=events) as client:
        assert (await client.send(READ)).answer.ok
        service.script = [reply(503, "{}", ("Retry-After", "60"))]
        assert (await client.send(READ)).answer.status == 503
    (retry,) = [event for event in events if isinstance(event, Retrying)]
    assert retry.wait == 1
    assert retry.attempt == 2


async def test_an_outage_is_not_multiplied(service: RawService, connect: Connect) -> None:
    service.rest = reply(503)
    async with connect(rules=QUICK) as client:
        for _ in range(10):
            await client.send(READ)
    assert len(service.received) == 10 + 10


async def test_a_stale_timestamp_is_signed_again_by_the_services_clock(service: RawService, connect: Connect) -> None:
    events: list[TrafficEvent] = []

    def judge(came: Received) -> Reply:
        date = ("Date", formatdate(time.time(), usegmt=True))
        if abs(int(came.header("x-svc-timestamp")) - time.time()) > 300:
            return reply(401, '{"code": "timestamp_stale"}', date)
        return reply(200, "{}", date)

    service.rest = judge
    async with connect(ahead=-1000, events=events, rules=QUICK) as client:
        exchange = await client.send(POST)
        assert (exchange.answer.status, exchange.attempts) == (200, 2)
        assert (await client.send(READ)).attempts == 1
    corrected = [event.offset for event in events if isinstance(event, ClockCorrected)]
    assert corrected == [pytest.approx(1000, abs=2)]


async def test_a_stale_timestamp_without_a_date_is_not_tried_blindly(service: RawService, connect: Connect) -> None:
    service.rest = reply(401, '{"code": "timestamp_stale"}')
    async with connect(rules=QUICK) as client:
        with pytest.raises(errors.TimestampStale, match="the clock, not the secret"):
            await client.record(LOTS, "L-1")
    assert len(service.received) == 1


async def test_a_stale_timestamp_is_tried_once_more_only(service: RawService, connect: Connect) -> None:
    date = formatdate(time.time() + 5000, usegmt=True)
    service.rest = reply(401, '{"code": "timestamp_stale"}', ("Date", date))
    async with connect(rules=QUICK) as client:
        with pytest.raises(errors.TimestampStale, match=r"(49|50)\d\d s behind the service"):
            await client.record(LOTS, "L-1")
    assert len(service.received) == 2


async def test_a_clock_that_drifts_is_told_before_the_window_ends(service: RawService, connect: Connect) -> None:
    events: list[TrafficEvent] = []

    def dated(ahead: float) -> Callable[[Received], Reply]:
        return lambda came: reply(200, "{}", ("Date", formatdate(time.time() + ahead, usegmt=True)))

    service.script = [dated(0), dated(90), dated(91), dated(0)]
    async with connect(events=events) as client:
        for _ in range(4):
            await client.send(READ)
    offsets = [event.offset for event in events if isinstance(event, ClockCorrected)]
    assert offsets == [pytest.approx(90, abs=2), None]
    stamps = [int(came.header("x-svc-timestamp")) for came in service.received]
    assert max(stamps) - min(stamps) < 60


class Rotated:
    """A source of keys that gives `fresh` when it is read."""

    def __init__(self, fresh: KeyPair | CredentialError) -> None:
        self.fresh = fresh
        self.reads = 0

    def read(self) -> KeyPair:
        """The pair as it stands now."""
        self.reads += 1
        if isinstance(self.fresh, CredentialError):
            raise self.fresh
        return self.fresh


FRESH = KeyPair("svc_test_fresh", "fresh-secret")


@pytest.mark.parametrize("code", ["api_key_revoked", "api_key_invalid", "signature_mismatch"])
async def test_after_a_rotation_the_new_pair_is_read_and_used(service: RawService, connect: Connect, code: str) -> None:
    def judge(came: Received) -> Reply:
        old = came.header("authorization") != f"Bearer {FRESH.api_key}"
        return reply(401, f'{{"code": "{code}"}}') if old else reply(200, "{}")

    service.rest = judge
    source = Rotated(FRESH)
    async with connect(credentials=source) as client:
        answers = await asyncio.gather(*(client.send(POST) for _ in range(5)))
        assert client.secrets == (*FRESH.secrets, *KEYS.secrets)
    assert [exchange.answer.status for exchange in answers] == [200] * 5
    assert source.reads == 1


async def test_after_a_rotation_the_old_pair_is_still_a_secret(service: RawService, connect: Connect) -> None:
    events: list[TrafficEvent] = []
    old = SECRET
    service.script = [
        reply(401, '{"code": "api_key_revoked"}'),
        reply(400, f'{{"code": "{old}", "message": "no {old}"}}'),
    ]
    async with connect(credentials=Rotated(FRESH), events=events) as client:
        with pytest.raises(errors.StatusError, match="no …") as raised:
            await client.record(LOTS, "L-1")
    assert old not in f"{raised.value} {raised.value.code} {events}"


@pytest.mark.parametrize(
    "fresh", [KEYS, KeyPair("svc_live_other", "secret"), CredentialError("the keyring is locked")], ids=repr
)
async def test_without_a_better_pair_the_refusal_stands(
    service: RawService, connect: Connect, fresh: KeyPair | CredentialError
) -> None:
    service.rest = reply(401, '{"code": "api_key_revoked"}')
    source = Rotated(fresh)
    async with connect(credentials=source) as client:
        with pytest.raises(errors.ApiKeyRevoked):
            await client.record(LOTS, "L-1")
        assert client.secrets == KEYS.secrets
    assert (source.reads, len(service.received)) == (1, 1)


async def test_other_refusals_do_not_read_the_keys_again(service: RawService, connect: Connect) -> None:
    service.rest = reply(401, '{"code": "api_key_expired"}')
    source = Rotated(FRESH)
    async with connect(credentials=source) as client:
        await client.send(READ)
    assert source.reads == 0


async def test_silence_ends_at_the_deadline(service: RawService, connect: Connect) -> None:
    forever = asyncio.Event()
    service.rest = Reply((), before=forever.wait)
    async with connect(rules=RetryRules(deadline=0.3)) as client:
        with pytest.raises(errors.DeadlineExceeded) as raised:
            # Well before the 30 seconds after which any silence ends.
            async with asyncio.timeout(20):
                await client.send(PATCH)
    assert raised.value.sent is errors.SentState.UNKNOWN
    assert raised.value.idempotency_key == "k-1"


async def test_events_come_in_pairs_and_are_numbered(service: RawService, connect: Connect) -> None:
    events: list[TrafficEvent] = []
    service.script = [BREAK, reply(503)]
    async with connect(rules=QUICK, events=events) as client:
        await client.send(READ)
        await client.send(POST)
    flights = [event for event in events if isinstance(event, Sent | Answered | Failed)]
    assert [type(event).__name__ for event in flights] == ["Sent", "Failed", "Sent", "Answered"] + [
        "Sent",
        "Answered",
    ] * 2
    assert [event.call for event in flights] == [1] * 6 + [2] * 2
    assert [event.attempt for event in flights if isinstance(event, Sent)] == [1, 2, 3, 1]
