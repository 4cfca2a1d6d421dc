"""Waiting and sending again: 429, bad luck on the way, deadlines."""

import asyncio
import socket
import time
from email.utils import formatdate

import httpx
import pytest

from svc_tui.client.failures import ConnectionTrace
from svc_tui.core.catalog import COLLECTIONS
from svc_tui.core.requests import RequestSpec
from svc_tui.service import errors
from svc_tui.service.retry import RetryRules
from svc_tui.service.traffic import Answered, Failed, Retrying, Sent, Throttled, TrafficEvent
from tests.client.raw_service import BREAK, SECRET, CannedReply, Connect, RawService, ReceivedRequest, names, reply
from tests.direct_requests import create, remove, update

LOTS = COLLECTIONS[0]
READ = RequestSpec("GET", "/v1/operations/lots/L-1")
POST = RequestSpec("POST", "/v1/operations/lots", body=b"{}", idempotency_key="k-1")
PATCH = RequestSpec("PATCH", "/v1/operations/lots/L-1", body=b"{}", idempotency_key="k-1")
DELETE = RequestSpec("DELETE", "/v1/operations/lots/L-1")

QUICK = RetryRules(first_wait=0.01, longest_wait=0.02, deadline=30.0)
LIMITED = '{"error": {"code": "rate_limit_exceeded"}}'


async def test_a_429_waits_as_asked_and_goes_on(service: RawService, connect: Connect) -> None:
    events: list[TrafficEvent] = []
    service.script = [reply(429, LIMITED, ("Retry-After", "1"))]
    started = time.monotonic()
    async with connect(events=events, rules=QUICK) as client:
        exchange = await client.send(POST)
    elapsed = time.monotonic() - started
    assert elapsed >= 1
    assert (exchange.answer.status, exchange.attempts) == (200, 2)
    assert 0.5 < exchange.waited < elapsed
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
    events: list[TrafficEvent] = []
    async with connect(rules=QUICK, events=events) as client:
        with pytest.raises(errors.RateLimitExceeded, match=r"1 h \(rate_limit_exceeded\)") as raised:
            await client.record(LOTS, "L-1")
        with pytest.raises(errors.RateLimitExceeded) as again:
            await client.send(POST)
    assert names(events) == "Sent Throttled Answered"
    assert raised.value.code == again.value.code == "rate_limit_exceeded"
    assert raised.value.retry_after == 3600
    assert again.value.sent is errors.SendResult.NOT_SENT
    assert again.value.retry_after == pytest.approx(3600, abs=60)
    assert len(service.received) == 1


@pytest.mark.parametrize("value", ["86400", "9" * 10, "9" * 400, "Sat, 01 Jan 100000 00:00:00 GMT"])
async def test_a_wait_of_a_day_or_of_ages_is_told_and_not_waited_for(
    service: RawService, connect: Connect, value: str
) -> None:
    service.rest = reply(429, LIMITED, ("Retry-After", value))
    async with connect() as client:
        async with asyncio.timeout(20):
            for _ in range(2):
                with pytest.raises(errors.RateLimitExceeded) as raised:
                    await client.record(LOTS, "L-1")
                assert raised.value.retry_after is not None
                assert raised.value.retry_after > 86300
    assert len(service.received) == 1


@pytest.mark.parametrize("values", [("1", "3600"), ("3600", "1"), ("1, 3600",), ("soon", "3600")])
async def test_of_two_values_of_retry_after_the_longer_counts(
    service: RawService, connect: Connect, values: tuple[str, ...]
) -> None:
    service.rest = reply(429, LIMITED, *(("Retry-After", value) for value in values))
    async with connect(rules=QUICK) as client:
        with pytest.raises(errors.RateLimitExceeded) as raised:
            await client.record(LOTS, "L-1")
    assert raised.value.retry_after == 3600
    assert len(service.received) == 1


NO_WAITS = ["", "-5", "+5", "1e3", "1.5", "nan", "soon", "Thu, 31 Feb 2030 00:00:00 GMT", "0", "\u0663"]


@pytest.mark.parametrize("value", NO_WAITS)
async def test_a_429_that_asks_for_nothing_understandable_is_waited_for_all_the_same(
    service: RawService, connect: Connect, value: str
) -> None:
    events: list[TrafficEvent] = []
    limited = reply(429, LIMITED, ("Retry-After", value))
    service.script = [limited, limited, limited]
    async with connect(rules=RetryRules(first_wait=0.01), events=events) as client:
        exchange = await client.send(POST)
    assert (exchange.answer.status, exchange.attempts) == (200, 4)
    waits = [event.wait for event in events if isinstance(event, Retrying)]
    assert waits == [0 if value == "0" else 0.005, 0.01, 0.02]


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

    def slowly(came: ReceivedRequest) -> CannedReply:
        async def watch() -> None:
            nonlocal flying, most
            flying += 1
            most = max(most, flying)
            for _ in range(5):
                await asyncio.sleep(0)
            flying -= 1

        return CannedReply(reply(200, "[]").pieces, before=watch)

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
    service: RawService, connect: Connect, bad: CannedReply
) -> None:
    service.script = [bad]
    async with connect(rules=QUICK) as client:
        with pytest.raises(errors.ServiceError) as raised:
            await create(client, LOTS, {}, idempotency_key="k-1")
    assert raised.value.sent is errors.SendResult.UNKNOWN
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
        with pytest.raises(errors.Unreachable, match=r"127\.0\.0\.1:1: connection refused") as raised:
            await client.send(POST)
    assert raised.value.sent is errors.SendResult.NOT_SENT
    assert raised.value.attempts == 3
    assert names(events) == "Sent Failed Retrying Sent Failed Retrying Sent Failed"


@pytest.mark.parametrize("cause", [ConnectionRefusedError(), socket.gaierror(socket.EAI_NONAME, ""), OSError()])
def test_the_base_url_is_doubted_only_where_nothing_has_answered(cause: OSError) -> None:
    refused = httpx.ConnectError("all attempts failed")
    refused.__cause__ = cause
    for error in (refused, httpx.ConnectTimeout("slow"), httpx.RemoteProtocolError("illegal status line")):
        first, later = (
            str(ConnectionTrace("api.example", None, lambda _: None, answered=answered).failure(error))
            for answered in (False, True)
        )
        assert "check" in first
        assert first.endswith("the base URL")
        assert "base URL" not in later


async def test_what_has_answered_once_is_the_right_address(service: RawService, connect: Connect) -> None:
    foreign = CannedReply((b"SSH-2.0-OpenSSH_9.6\r\n\r\n",), close=True)
    no_retries = RetryRules(first_wait=0.01, longest_wait=0.02, deadline=0.5)
    for before, hint in (([], ": check the base URL"), ([reply()], "")):
        service.script = [*before, *[foreign] * 20]
        async with connect(rules=no_retries) as client:
            for _ in before:
                await client.send(READ)
            with pytest.raises(errors.ConnectionBroken) as raised:
                await client.send(PATCH)
        assert str(raised.value).endswith(f"returned a response that is not HTTP{hint}")


async def test_a_connection_that_breaks_is_tried_again(service: RawService, connect: Connect) -> None:
    service.script = [BREAK, CannedReply((b"HTTP/1.1 200 OK\r\nConte",), close=True)]
    async with connect(rules=QUICK) as client:
        exchange = await client.send(PATCH)
        assert (exchange.answer.status, exchange.attempts, exchange.doubt) == (200, 3, True)
        service.script = [BREAK]
        exchange = await client.send(READ)
    # A read changes nothing, so nobody has to ask whether it has.
    assert (exchange.attempts, exchange.doubt) == (2, False)


async def test_a_success_that_broke_off_is_read_again_but_never_written_again(
    service: RawService, connect: Connect
) -> None:
    service.script = [reply(200, "{", length=9), reply(200, '{"id": 1}'), reply(200, "{", length=9)]
    async with connect(rules=QUICK) as client:
        assert (await client.record(LOTS, "1")).id == "1"
        with pytest.raises(errors.ConnectionBroken) as raised:
            await update(client, LOTS, "1", {})
        assert raised.value.sent is errors.SendResult.DONE
        # So it is after an attempt that may have been carried out.
        service.script = [BREAK, reply(200, "{", length=9)]
        with pytest.raises(errors.ConnectionBroken) as raised:
            await update(client, LOTS, "1", {})
    assert raised.value.sent is errors.SendResult.DONE
    assert len(service.received) == 5


async def test_an_error_whose_body_broke_off_is_still_that_error(service: RawService, connect: Connect) -> None:
    service.script = [reply(404, "lot", length=9)]
    async with connect(rules=QUICK) as client:
        exchange = await client.send(PATCH)
    assert (exchange.answer.status, exchange.answer.body, exchange.answer.capped) == (404, b"lot", True)


async def test_a_404_to_a_delete_sent_again_is_done(service: RawService, connect: Connect) -> None:
    service.script = [BREAK, reply(404), reply(404)]
    async with connect(rules=QUICK) as client:
        await remove(client, LOTS, "L-1")
        with pytest.raises(errors.NotFound):
            await remove(client, LOTS, "L-1")


@pytest.mark.parametrize("status", [409, 412, 403])
async def test_a_refusal_of_a_write_sent_again_is_unknown(service: RawService, connect: Connect, status: int) -> None:
    service.script = [BREAK, reply(status)]
    async with connect(rules=QUICK) as client:
        with pytest.raises(errors.StatusError) as raised:
            await update(client, LOTS, "L-1", {})
    assert raised.value.sent is errors.SendResult.UNKNOWN


@pytest.mark.parametrize("status", [500, 502, 503, 504, 408])
@pytest.mark.parametrize("then", [404, 409, 422])
async def test_a_refusal_after_a_servers_fault_leaves_the_doubt_that_the_fault_was(
    service: RawService, connect: Connect, status: int, then: int
) -> None:
    service.script = [reply(status), reply(then)]
    async with connect(rules=RetryRules(first_wait=0.01)) as client:
        exchange = await client.send(RequestSpec("PATCH", "operations/lots/L-1", body=b"{}"))
    assert (exchange.answer.status, exchange.attempts, exchange.doubt) == (then, 2, True)
    failure = errors.failure_of(exchange)
    assert failure is not None
    assert failure.sent is errors.SendResult.UNKNOWN


async def test_no_connection_after_a_doubt_leaves_the_doubt(service: RawService, connect: Connect) -> None:
    service.script = [BREAK]
    service.rest = BREAK
    async with connect(rules=QUICK) as client:
        with pytest.raises(errors.ConnectionBroken) as raised:
            await update(client, LOTS, "L-1", {}, idempotency_key="k-9")
    assert (raised.value.sent, raised.value.idempotency_key) == (errors.SendResult.UNKNOWN, "k-9")
    assert raised.value.attempts == 3


async def test_a_service_that_can_not_be_reached_after_a_doubt_leaves_the_doubt(connect: Connect) -> None:
    async def break_down(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        server.close()
        writer.close()

    server = await asyncio.start_server(break_down, "127.0.0.1", 0)
    url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    async with connect(rules=QUICK, sandbox_base_url=url) as client:
        with pytest.raises(errors.Unreachable) as raised:
            await update(client, LOTS, "L-1", {}, idempotency_key="k-9")
    assert (raised.value.sent, raised.value.idempotency_key) == (errors.SendResult.UNKNOWN, "k-9")
    assert raised.value.attempts == 3


async def test_a_503_that_asks_for_time_gets_it(service: RawService, connect: Connect) -> None:
    events: list[TrafficEvent] = []
    service.script = [reply(503, "{}", ("Retry-After", "1"))]
    started = time.monotonic()
    async with connect(rules=QUICK, events=events) as client:
        exchange = await client.send(READ)
        assert exchange.answer.ok
        assert 0.9 < exchange.waited < time.monotonic() - started
        service.script = [reply(503, "{}", ("Retry-After", "60"))]
        assert (await client.send(READ)).answer.status == 503
    (retry,) = [event for event in events if isinstance(event, Retrying)]
    assert retry.wait == 1
    assert retry.attempt == 2


async def test_a_503_that_asks_for_time_holds_every_request_of_the_key_back(
    service: RawService, connect: Connect
) -> None:
    clock = [100.0]
    service.script = [reply(503, "{}", ("Retry-After", "1000"))]
    async with connect(rules=QUICK, monotonic=lambda: clock[0]) as client:
        assert (await client.send(PATCH)).answer.status == 503
        with pytest.raises(errors.ServerFault, match=r"unavailable \(503\): the service says to wait") as raised:
            await client.send(READ)
        assert raised.value.sent is errors.SendResult.NOT_SENT
        assert len(service.received) == 1
        clock[0] += 1000.1
        assert (await client.send(READ)).answer.ok


async def test_the_other_pages_of_a_walk_wait_as_long_as_a_503_asks(service: RawService, connect: Connect) -> None:
    arrived: list[float] = []

    def answer(came: ReceivedRequest) -> CannedReply:
        arrived.append(time.monotonic())
        return reply(503, "{}", ("Retry-After", "1")) if len(arrived) == 1 else reply()

    service.rest = answer
    held = asyncio.Event()
    async with connect(rules=QUICK) as client:
        client.listen(lambda event: held.set() if isinstance(event, Throttled) else None)
        first = asyncio.create_task(client.send(READ, background=True))
        await held.wait()
        await asyncio.gather(first, *(client.send(READ, background=True) for _ in range(4)))
    assert len(arrived) == 6
    assert min(arrived[1:]) - arrived[0] >= 1.0


async def test_a_503_that_asks_for_no_time_holds_nobody_back(service: RawService, connect: Connect) -> None:
    events: list[TrafficEvent] = []
    service.script = [reply(503), reply(503, "{}", ("Retry-After", "0"))]
    async with connect(rules=QUICK, events=events) as client:
        assert (await client.send(READ)).attempts == 3
    assert [event for event in events if isinstance(event, Throttled)] == []


async def test_only_a_429_or_503_that_asks_for_time_holds_others_back(service: RawService, connect: Connect) -> None:
    service.script = [reply(500, "{}", ("Retry-After", "1000"))]
    async with connect(rules=QUICK) as client:
        assert (await client.send(PATCH)).answer.status == 500
        assert (await client.send(READ)).answer.ok


async def test_the_field_code_of_a_record_is_no_error_code(service: RawService, connect: Connect) -> None:
    events: list[TrafficEvent] = []
    service.rest = reply(200, '{"id": "L-1", "code": "B-7"}')
    async with connect(events=events) as client:
        await client.send(READ)
    assert [event.code for event in events if isinstance(event, Answered)] == [""]


async def test_every_attempt_has_the_same_bytes_and_a_fresh_signature(service: RawService, connect: Connect) -> None:
    body = '{"name": "\u0141\u00f3d\u017a", "massKg": 1.50}'.encode()
    spec = RequestSpec("PATCH", "/v1/operations/lots/L-1", body=body)
    service.script = [BREAK, reply(503), reply(429, LIMITED, ("Retry-After", "0")), reply()]
    async with connect(rules=QUICK, now=lambda: 1.7e9 + 10 * len(service.received)) as client:
        exchange = await client.send(spec)
    assert (exchange.answer.status, exchange.attempts, len(service.received)) == (200, 4, 4)
    assert {came.body for came in service.received} == {body}
    assert {came.header("idempotency-key") for came in service.received} == {exchange.idempotency_key}
    stamps = [int(came.header("x-svc-timestamp")) for came in service.received]
    assert stamps == [1_700_000_000, 1_700_000_010, 1_700_000_020, 1_700_000_030]
    assert all(came.signed_with(SECRET) for came in service.received)


async def test_two_calls_have_two_keys(service: RawService, connect: Connect) -> None:
    async with connect() as client:
        for _ in range(2):
            await client.send(RequestSpec("POST", "/v1/operations/lots", body=b"{}"))
    first, second = (came.header("idempotency-key") for came in service.received)
    assert first != second


async def test_a_hold_that_comes_after_a_doubt_leaves_the_doubt(service: RawService, connect: Connect) -> None:
    arrived, go_on = asyncio.Event(), asyncio.Event()

    async def wait() -> None:
        arrived.set()
        await go_on.wait()

    service.script = [CannedReply(reply(429, LIMITED, ("Retry-After", "3600")).pieces, before=wait)]
    service.script += [reply(429, LIMITED, ("Retry-After", "0")), BREAK]
    waits = 0

    def let_go(event: TrafficEvent) -> None:
        nonlocal waits
        waits += isinstance(event, Retrying)
        if waits == 2:
            go_on.set()

    async with connect(rules=RetryRules(first_wait=2.0), jitter=0.9) as client:
        client.listen(let_go)
        held = asyncio.create_task(client.send(READ))
        await arrived.wait()
        with pytest.raises(errors.RateLimitExceeded, match=r"says to wait \d.* more ") as raised:
            await update(client, LOTS, "L-1", {}, idempotency_key="k-9")
        assert (await held).answer.status == 429
    # Neither the 429 before it nor the hold after it says what became of the attempt that broke.
    assert (raised.value.sent, raised.value.idempotency_key) == (errors.SendResult.UNKNOWN, "k-9")


async def test_a_429_is_the_outcome_of_a_call_that_another_429_then_holds_for_too_long(
    service: RawService, connect: Connect
) -> None:
    arrived, go_on = asyncio.Event(), asyncio.Event()

    async def wait() -> None:
        arrived.set()
        await go_on.wait()

    def let_go(event: TrafficEvent) -> None:
        if isinstance(event, Retrying):
            go_on.set()

    service.script = [CannedReply(reply(429, LIMITED, ("Retry-After", "3600")).pieces, before=wait)]
    service.script += [reply(429, LIMITED, ("Retry-After", "10"))]
    async with connect(rules=QUICK) as client:
        client.listen(let_go)
        other = asyncio.create_task(client.send(READ))
        await arrived.wait()
        exchange = await client.send(PATCH)
        assert (exchange.answer.status, exchange.attempts, exchange.doubt) == (429, 1, False)
        assert (await other).answer.status == 429


async def test_refusals_cost_no_retry(service: RawService, connect: Connect) -> None:
    service.rest = reply(404)
    async with connect(rules=QUICK) as client:
        for _ in range(11):
            await client.send(READ)
        service.script = [BREAK]
        assert (await client.send(READ)).attempts == 2


async def test_an_answer_that_can_not_be_read_is_not_asked_for_again(service: RawService, connect: Connect) -> None:
    service.rest = reply(200, "no gzip", ("Content-Encoding", "gzip"))
    async with connect(rules=QUICK) as client:
        with pytest.raises(errors.BadAnswer) as raised:
            await client.send(READ)
    assert (raised.value.attempts, len(service.received)) == (1, 1)


async def test_a_proxy_that_refuses_or_is_none_is_asked_once(connect: Connect, monkeypatch: pytest.MonkeyPatch) -> None:
    async def refuse(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 407 No\r\nContent-Length: 0\r\n\r\n")
        writer.close()

    for name in ("NO_PROXY", "no_proxy", "HTTPS_PROXY"):
        monkeypatch.delenv(name, raising=False)
    server = await asyncio.start_server(refuse, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    async with server:
        for proxy, kind in ((f"http://127.0.0.1:{port}", errors.ProxyRefused), ("http://", errors.RequestRefused)):
            monkeypatch.setenv("https_proxy", proxy)
            async with connect(rules=QUICK, sandbox_base_url="https://service.test") as client:
                with pytest.raises(kind) as raised:
                    await client.send(READ)
            assert raised.value.attempts == 1


async def test_the_deadline_is_for_the_whole_call(service: RawService, connect: Connect) -> None:
    service.rest = reply(503)
    endless = RetryRules(attempts=10**6, first_wait=0.05, longest_wait=0.05, deadline=40.0)
    # Every attempt takes five seconds, by a clock that goes on with nothing else.
    async with connect(rules=endless, jitter=0.9, monotonic=lambda: 5.0 * len(service.received)) as client:
        async with asyncio.timeout(20):
            assert (await client.send(READ)).answer.status == 503
    assert len(service.received) == 8


async def test_what_was_spent_in_an_outage_is_earned_back(service: RawService, connect: Connect) -> None:
    async with connect(rules=QUICK) as client:
        service.rest = reply(503)
        for _ in range(10):
            await client.send(READ)
        assert (await client.send(READ)).attempts == 1
        service.rest = reply()
        for _ in range(5):
            await client.send(READ)
        service.script = [BREAK]
        assert (await client.send(READ)).attempts == 2


async def test_an_outage_is_not_multiplied(service: RawService, connect: Connect) -> None:
    service.rest = reply(503)
    async with connect(rules=QUICK) as client:
        for _ in range(10):
            await client.send(READ)
    assert len(service.received) == 10 + 10


async def test_silence_ends_at_the_deadline(service: RawService, connect: Connect) -> None:
    forever = asyncio.Event()
    service.rest = CannedReply((), before=forever.wait)
    async with connect(rules=RetryRules(deadline=1.5)) as client:
        with pytest.raises(errors.DeadlineExceeded) as raised:
            # Well before the 30 seconds after which any silence ends.
            async with asyncio.timeout(20):
                await client.send(PATCH)
    assert raised.value.sent is errors.SendResult.UNKNOWN
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
