"""A client belongs to the event loop of its first call, and says so to any other."""

import asyncio
import threading
from collections.abc import Iterator

import pytest

from svc_tui.client.client import SignedClient
from svc_tui.core.catalog import COLLECTIONS
from svc_tui.core.credentials import KeyPair
from svc_tui.core.requests import RequestSpec
from svc_tui.core.settings import Profile
from svc_tui.sandbox.options import SandboxOptions
from svc_tui.sandbox.server.inprocess import RunningService, running_service
from svc_tui.service.errors import RequestRefused, SendResult, ServiceError, Unreachable
from svc_tui.service.retry import RetryRules

LOTS = COLLECTIONS[0]
READ = RequestSpec("GET", "/v1/operations/lots")
ANOTHER = "internal error: the client belongs to another event loop"


@pytest.fixture(scope="module")
def sandbox() -> Iterator[RunningService]:
    with running_service(SandboxOptions(records=3)) as service:
        yield service


def client_of(url: str, api_key: str = "svc_test_x") -> SignedClient:
    return SignedClient(Profile("x", sandbox_base_url=url), KeyPair(api_key), rules=RetryRules(first_wait=0))


def test_after_its_loop_was_closed_a_client_says_that_it_serves_no_other() -> None:
    client = client_of("http://127.0.0.1:1")

    async def first() -> None:
        with pytest.raises(Unreachable):
            await client.send(READ)

    async def second() -> None:
        for attempt in (client.send(READ), client.page(LOTS, 1, 1), client.reread_keys(), client.aclose()):
            with pytest.raises(RequestRefused) as raised:
                await attempt
            assert str(raised.value) == ANOTHER
            assert raised.value.sent is SendResult.NOT_SENT

    asyncio.run(first())
    asyncio.run(second())


def test_a_client_that_was_closed_may_be_closed_again_from_anywhere(sandbox: RunningService) -> None:
    client = client_of(sandbox.base_url, sandbox.key("sandbox").api_key)

    async def first() -> None:
        async with client:
            assert (await client.send(READ)).answer.ok

    asyncio.run(first())
    asyncio.run(client.aclose())


def test_a_client_is_made_anywhere_and_used_on_the_loop_of_its_first_call(sandbox: RunningService) -> None:
    async def make() -> SignedClient:
        return client_of(sandbox.base_url, sandbox.key("sandbox").api_key)

    async def use(client: SignedClient) -> None:
        async with client:
            assert len(await asyncio.gather(*(client.page(LOTS, 1, 1) for _ in range(20)))) == 20

    asyncio.run(use(asyncio.run(make())))


async def test_a_loop_in_another_thread_is_refused_and_does_no_harm(sandbox: RunningService) -> None:
    refused: list[ServiceError] = []

    async def meddle() -> None:
        for attempt in (client.send(READ), client.aclose()):
            try:
                await attempt
            except ServiceError as error:
                refused.append(error)

    async with client_of(sandbox.base_url, sandbox.key("sandbox").api_key) as client:
        assert (await client.send(READ)).answer.ok
        other = threading.Thread(target=lambda: asyncio.run(meddle()))
        other.start()
        await asyncio.to_thread(other.join)
        assert (await client.send(READ)).answer.ok
    assert [str(error) for error in refused] == [ANOTHER] * 2
