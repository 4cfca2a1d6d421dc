"""Walking over real connections: what is sent when, what a failing or leaving walk leaves, and collecting."""

import asyncio
import json
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing
from urllib.parse import parse_qs

import pytest

from svc_tui.client.client import SignedClient
from svc_tui.core.catalog import COLLECTIONS
from svc_tui.core.requests import RequestSpec
from svc_tui.service import errors
from svc_tui.service.retry import RetryRules
from svc_tui.service.traffic import Retrying, TrafficEvent
from tests.client.raw_service import CannedReply, Connect, RawService, ReceivedRequest, Script, reply

LOTS = COLLECTIONS[0]
READ = RequestSpec("GET", "/v1/operations/lots/L-1")

Before = Callable[[int], Awaitable[object]]


def page_asked(came: ReceivedRequest) -> int:
    """The number of the page that a request asks for."""
    return int(parse_qs(came.target.partition("?")[2])["page"][0])


def lots(count: int, *, before: Before | None = None, size: int = 50, **meta: object) -> Script:
    """Pages of `count` lots, with that `meta` on each; `before` is awaited before a page is answered."""

    def answer(came: ReceivedRequest) -> CannedReply:
        number = page_asked(came)
        items = [{"id": row} for row in range((number - 1) * size, min(number * size, count))]
        pieces = reply(200, json.dumps({"items": items, "meta": meta})).pieces
        return CannedReply(pieces, before=None if before is None else lambda: before(number))

    return answer


def but(script: Script, number: int, instead: CannedReply) -> Script:
    """The same, except for the first request for page `number`."""
    left = [instead]

    def answer(came: ReceivedRequest) -> CannedReply:
        if "page=" in came.target and page_asked(came) == number and left:
            return left.pop()
        return script if isinstance(script, CannedReply) else script(came)

    return answer


async def rows(client: SignedClient, came: list[int], *, first: int = 1, background: bool = True) -> None:
    """Walk, and put the rows into `came`, so that they are there if it breaks off."""
    async for page in client.walk(LOTS, limit=50, first=first, background=background):
        came += [int(record.id or "") for record in page.records]


async def test_pages_fly_together_and_come_in_order(service: RawService, connect: Connect) -> None:
    answered = {number: asyncio.Event() for number in range(1, 6)}

    async def backwards(number: int) -> None:
        # Page 5 is answered first, then 4, 3 and 2: they must be under way at once.
        if number in (2, 3, 4):
            await answered[number + 1].wait()
        if number in answered:
            answered[number].set()

    service.rest = lots(330, before=backwards, total=330)
    came: list[int] = []
    async with connect() as client, asyncio.timeout(10):
        await rows(client, came)
    assert came == list(range(330))
    assert sorted(map(page_asked, service.received)) == list(range(1, 8))
    assert service.most_open == 4


async def test_where_nothing_is_known_pages_are_asked_for_one_by_one(service: RawService, connect: Connect) -> None:
    service.rest = lots(120)
    came: list[int] = []
    async with connect() as client:
        await rows(client, came)
    assert came == list(range(120))
    assert [came.target.partition("?")[2] for came in service.received] == [
        f"page={number}&limit=50" for number in (1, 2, 3, 4)
    ]
    assert service.most_open == 1


async def test_the_real_size_of_pages_is_learned_from_what_comes(service: RawService, connect: Connect) -> None:
    service.rest = lots(90, size=20, total=90)
    came: list[int] = []
    async with connect() as client:
        await rows(client, came)
    assert came == list(range(90))
    assert sorted(map(page_asked, service.received)) == [1, 2, 3, 4, 5, 6]
    assert all("limit=50" in came.target for came in service.received)


async def test_a_page_that_repeats_ends_the_walk_however_many_are_under_way(
    service: RawService, connect: Connect
) -> None:
    items = [{"id": row} for row in range(50)]
    service.rest = reply(200, json.dumps({"items": items, "meta": {"total": 5000}}))
    came: list[int] = []
    async with connect() as client:
        await rows(client, came)
    assert came == list(range(50))
    assert len(service.received) <= 2 + 3


async def test_a_walk_that_fails_on_page_3_has_given_1_and_2_and_goes_on_from_there(
    service: RawService, connect: Connect
) -> None:
    service.rest = but(lots(330, total=330), 3, reply(403, '{"code": "insufficient_scope"}'))
    came: list[int] = []
    async with connect() as client:
        with pytest.raises(errors.InsufficientScope):
            await rows(client, came)
        assert came == list(range(100))
        await rows(client, came, first=3)
    assert came == list(range(330))


async def test_sending_a_page_again_is_the_clients_affair(service: RawService, connect: Connect) -> None:
    events: list[TrafficEvent] = []
    script = but(lots(330, total=330), 2, reply(429, "{}", ("Retry-After", "0")))
    service.rest = but(script, 4, reply(503, "{}"))
    came: list[int] = []
    async with connect(events=events, rules=RetryRules(first_wait=0.01)) as client:
        await rows(client, came)
    assert came == list(range(330))
    assert sorted(map(page_asked, service.received)) == [1, 2, 2, 3, 4, 4, 5, 6, 7]
    assert sorted(event.reason[:3] for event in events if isinstance(event, Retrying)) == ["429", "503"]


async def test_who_leaves_a_walk_has_nothing_more_sent(service: RawService, connect: Connect) -> None:
    full, go_on = asyncio.Event(), asyncio.Event()

    async def hold(number: int) -> None:
        if number == 1:
            return
        if len(service.received) == 9:
            full.set()
        await go_on.wait()

    service.rest = lots(5000, before=hold, total=5000)
    async with connect() as client, asyncio.timeout(10):
        walking = client.walk(LOTS, limit=50, ahead=12)
        assert isinstance(walking, AsyncGenerator)
        async with aclosing(walking) as pages:
            async for _ in pages:
                # Eight pages ahead are on the wire, four wait for a turn.
                await full.wait()
                break
        after = asyncio.create_task(client.page(LOTS, 99, 50, background=True))
        await asyncio.sleep(0)
        go_on.set()
        await after
    assert sorted(map(page_asked, service.received)) == [*range(1, 10), 99]


@pytest.mark.parametrize("background", [True, False])
async def test_a_walk_lets_what_is_asked_by_hand_go_first_unless_told_otherwise(
    service: RawService, connect: Connect, background: bool
) -> None:
    full, go_on = asyncio.Event(), asyncio.Event()

    async def hold() -> None:
        if len(service.received) == 8:
            full.set()
        await go_on.wait()

    held = CannedReply(reply(200, "{}").pieces, before=hold)
    pages = lots(50, total=50)
    assert callable(pages)
    service.rest = lambda came: pages(came) if "page=" in came.target else held
    async with connect() as client, asyncio.timeout(10):
        before = [asyncio.create_task(client.send(READ)) for _ in range(8)]
        await full.wait()
        walking = asyncio.create_task(rows(client, [], background=background))
        # The walk asks in a task of its own, one turn later.
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        by_hand = asyncio.create_task(client.send(READ))
        await asyncio.sleep(0)
        go_on.set()
        await asyncio.gather(walking, by_hand, *before)
    ninth, tenth = service.received[8:]
    assert ("page=" in ninth.target, "page=" in tenth.target) == (not background, background)


async def test_collecting_75_at_50_a_page_takes_two_requests_with_the_same_limit(
    service: RawService, connect: Connect
) -> None:
    service.rest = lots(1000, total=1000)
    async with connect() as client:
        pages = client.walk(LOTS, limit=50, most=75, query=(("status", "open"),))
        records = [record async for page in pages for record in page.records]
    assert [record.id for record in records] == [str(row) for row in range(75)]
    assert [came.target.partition("?")[2] for came in service.received] == [
        "page=1&limit=50&status=open",
        "page=2&limit=50&status=open",
    ]


@pytest.mark.parametrize(("max_items", "requests"), [(0, 0), (1, 1), (20, 1), (21, 2), (90, 5), (500, 5)])
async def test_collecting_asks_for_no_page_that_is_not_needed(
    service: RawService, connect: Connect, max_items: int, requests: int
) -> None:
    service.rest = lots(90, size=20, total=90, limit=20)
    async with connect() as client:
        pages = client.walk(LOTS, limit=50, most=max_items)
        records = [record async for page in pages for record in page.records]
    assert [record.id for record in records] == [str(row) for row in range(min(90, max_items))]
    assert sorted(map(page_asked, service.received)) == list(range(1, requests + 1))
    assert all("&limit=50" in came.target for came in service.received)


def asked_limits(service: RawService) -> list[str]:
    """The page and the limit of each request, in order."""
    return [came.target.partition("?")[2].removeprefix("page=") for came in service.received]


def refusing(most: int, refusal: CannedReply, script: Script) -> Script:
    """The same, but a request for more than `most` records is refused."""

    def answer(came: ReceivedRequest) -> CannedReply:
        limit = int(parse_qs(came.target.partition("?")[2])["limit"][0])
        if limit > most:
            return refusal
        return script if isinstance(script, CannedReply) else script(came)

    return answer


async def test_a_walk_without_a_limit_asks_for_200_at_a_time(service: RawService, connect: Connect) -> None:
    service.rest = lots(450, size=200, total=450)
    async with connect() as client:
        ids = [record.id async for page in client.walk(LOTS) for record in page.records]
    assert ids == [str(row) for row in range(450)]
    assert sorted(asked_limits(service)) == ["1&limit=200", "2&limit=200", "3&limit=200"]


async def test_a_walk_without_a_limit_asks_for_no_more_than_is_wanted(service: RawService, connect: Connect) -> None:
    service.rest = lots(450, size=75, total=450)
    async with connect() as client:
        assert [len(page.records) async for page in client.walk(LOTS, most=75)] == [75]
    assert asked_limits(service) == ["1&limit=75"]


async def test_the_page_size_of_the_user_wins(service: RawService, connect: Connect) -> None:
    service.rest = lots(90, size=30, total=90)
    async with connect(page_size=30, bulk_page_size=30) as client:
        assert [len(page.records) async for page in client.walk(LOTS)] == [30, 30, 30]
    assert sorted(asked_limits(service)) == ["1&limit=30", "2&limit=30", "3&limit=30"]


@pytest.mark.parametrize("status", [400, 413, 422])
async def test_a_service_that_refuses_large_pages_is_asked_for_small_ones(
    service: RawService, connect: Connect, status: int
) -> None:
    service.rest = refusing(50, reply(status, '{"code": "limit_too_large"}'), lots(120, total=120))
    async with connect() as client:
        pages = [(page.number, page.limit) async for page in client.walk(LOTS)]
    assert pages == [(1, 50), (2, 50), (3, 50)]
    assert asked_limits(service)[:2] == ["1&limit=200", "1&limit=50"]
    assert sorted(asked_limits(service)[2:]) == ["2&limit=50", "3&limit=50"]


@pytest.mark.parametrize(("status", "code"), [(403, "insufficient_scope"), (404, "not_found")])
async def test_a_refusal_that_is_not_about_the_size_is_raised_at_once(
    service: RawService, connect: Connect, status: int, code: str
) -> None:
    service.rest = reply(status, json.dumps({"code": code}))
    async with connect() as client:
        with pytest.raises(errors.StatusError):
            await anext(aiter(client.walk(LOTS)))
    assert asked_limits(service) == ["1&limit=200"]


async def test_a_page_size_that_was_accepted_stays_for_the_whole_walk(service: RawService, connect: Connect) -> None:
    service.rest = but(lots(450, size=200, total=450), 2, reply(400, "{}"))
    async with connect() as client:
        with pytest.raises(errors.StatusError):
            _ = [page async for page in client.walk(LOTS)]
    assert all("limit=200" in asked for asked in asked_limits(service))
