"""Connections: cancelling, the gate of eight, closing, and what is loaded when."""

import asyncio
import logging
import random
import subprocess
import sys

import pytest

from svc_tui.client import SignedClient
from svc_tui.domain import errors
from svc_tui.domain.catalog import COLLECTIONS
from svc_tui.domain.requests import RequestSpec
from svc_tui.domain.retry import RetryRules
from svc_tui.domain.routes import BaseUrlError
from svc_tui.domain.settings import Profile
from svc_tui.domain.traffic import Answered, TrafficEvent
from tests.client.raw_service import KEYS, Connect, RawService, Received, Reply, reply

LOTS = COLLECTIONS[0]
READ = RequestSpec("GET", "/v1/operations/lots/L-1")


async def test_hundreds_of_cancels_leave_every_later_call_working(service: RawService, connect: Connect) -> None:
    luck = random.Random(7)

    def now_or_soon(_: Received) -> Reply:
        async def dawdle() -> None:
            for _ in range(luck.randrange(8)):
                await asyncio.sleep(0)

        return Reply(reply(200, b"[]" + b" " * luck.randrange(100_000)).pieces, before=dawdle)

    service.rest = now_or_soon
    async with connect() as client:

        async def cancelled_somewhere() -> None:
            task = asyncio.create_task(client.page(LOTS, 1, 50, background=luck.random() < 0.5))
            for _ in range(luck.randrange(40)):
                await asyncio.sleep(0)
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)

        for _ in range(25):
            await asyncio.gather(*(cancelled_somewhere() for _ in range(20)))
        pages = await asyncio.gather(*(client.page(LOTS, 1, 50) for _ in range(50)))
    assert [page.number for page in pages] == [1] * 50
    assert service.most_open <= 8


async def test_a_cancel_lets_a_write_that_left_come_to_its_end(service: RawService, connect: Connect) -> None:
    arrived, go_on = asyncio.Event(), asyncio.Event()

    async def wait() -> None:
        arrived.set()
        await go_on.wait()

    events: list[TrafficEvent] = []
    service.rest = Reply(reply().pieces, before=wait)
    async with connect(events=events) as client:
        task = asyncio.create_task(client.update(LOTS, "L-1", {}))
        await arrived.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        go_on.set()
    assert [event.status for event in events if isinstance(event, Answered)] == [200]


async def test_no_more_than_eight_fly_at_once_and_by_hand_comes_first(service: RawService, connect: Connect) -> None:
    go_on, full = asyncio.Event(), asyncio.Event()
    flying = most = 0

    async def wait() -> None:
        nonlocal flying, most
        flying += 1
        most = max(most, flying)
        if flying == 8:
            full.set()
        await go_on.wait()
        flying -= 1

    service.rest = Reply(reply(200, "[]").pieces, before=wait)
    async with connect() as client:
        paging = [asyncio.create_task(client.page(LOTS, n, 50, background=True)) for n in range(1, 21)]
        await full.wait()
        by_hand = asyncio.create_task(client.send(READ))
        await asyncio.sleep(0)
        go_on.set()
        await asyncio.gather(by_hand, *paging)
    assert most == 8
    assert "/v1/operations/lots/L-1" in [came.target for came in service.received[:9]]


async def test_closing_twice_and_calling_afterwards(service: RawService, connect: Connect) -> None:
    async with connect() as client:
        await client.send(READ)
        await client.aclose()
        await client.aclose()
        with pytest.raises(errors.RequestRefused, match="closed"):
            await client.send(READ)


async def test_closing_ends_what_hangs(service: RawService, connect: Connect) -> None:
    forever, arrived = asyncio.Event(), asyncio.Event()

    async def hang() -> None:
        arrived.set()
        await forever.wait()

    service.rest = Reply((), before=hang)
    async with connect() as client:
        task = asyncio.create_task(client.update(LOTS, "L-1", {}))
        await arrived.wait()
        others = [asyncio.create_task(client.record(LOTS, "L-1")) for _ in range(20)]
        await asyncio.sleep(0)
        await client.aclose()
        with pytest.raises(errors.ConnectionBroken) as raised:
            await task
        for other in others:
            with pytest.raises(errors.ServiceError):
                await other
    assert raised.value.sent is errors.SentState.UNKNOWN


async def test_a_client_that_was_never_used_closes(service: RawService) -> None:
    async with SignedClient(Profile("x", sandbox_base_url=service.url), KEYS) as client:
        assert client.base_url == service.url
    assert service.connections == 0


def test_a_missing_base_url_names_what_to_set() -> None:
    with pytest.raises(BaseUrlError, match=r"svc_test_ keys: set SVC_SANDBOX_BASE_URL, or sandbox_base_url"):
        SignedClient(Profile("mine", base_url="https://api.example.com"), KEYS)


async def test_a_host_that_does_not_exist_is_named() -> None:
    profile = Profile("x", sandbox_base_url="https://no-such-host.invalid")
    async with SignedClient(profile, KEYS, rules=RetryRules(first_wait=0)) as client:
        with pytest.raises(errors.Unreachable, match=r"no-such-host\.invalid") as raised:
            await client.send(READ)
    assert raised.value.sent is errors.SentState.NO


async def test_nothing_is_logged_at_info(
    service: RawService, connect: Connect, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    async with connect() as client:
        await client.send(READ)
    assert [record.name for record in caplog.records if record.name.startswith("http")] == []


def test_making_a_client_loads_no_network_code() -> None:
    script = """
import sys
from svc_tui.client import SignedClient
from svc_tui.domain.credentials import KeyPair
from svc_tui.domain.settings import Profile
SignedClient(Profile("x", base_url="https://api.example.com"), KeyPair("svc_live_x", "s"))
print([name for name in ("httpx", "httpcore", "anyio", "truststore", "urllib.request") if name in sys.modules])
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
