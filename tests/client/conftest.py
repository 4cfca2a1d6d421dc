"""A raw service and clients of it."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from svc_tui.client.attempts import RuntimeEnvironment
from svc_tui.client.client import SignedClient
from svc_tui.core.credentials import Environment, KeyPair
from svc_tui.core.settings import Profile
from svc_tui.service.gateway import Credentials
from svc_tui.service.retry import RetryRules
from svc_tui.service.traffic import TrafficEvent
from svc_tui.storage.journal import Journal
from svc_tui.storage.scope import StorageScope
from svc_tui.storage.store import Store
from tests.client.raw_service import KEYS, Connect, RawService


@pytest.fixture
async def service() -> AsyncIterator[RawService]:
    """A running RawService."""
    made = RawService()
    server = await asyncio.start_server(made.serve, "127.0.0.1", 0)
    made.port = server.sockets[0].getsockname()[1]
    yield made
    server.close()
    await made.stop()
    await server.wait_closed()


@pytest.fixture
async def journal(tmp_path: Path) -> AsyncIterator[Journal]:
    """A journal of its own."""
    async with Store.open(tmp_path / "svc-tui.db") as store:
        yield store.journal(StorageScope("tests", Environment.SANDBOX, "https://tests"))


@pytest.fixture
def connect(service: RawService) -> Connect:
    """Opens a client of the service: `async with connect() as client`."""

    @asynccontextmanager
    async def open_client(
        keys: KeyPair = KEYS,
        *,
        events: list[TrafficEvent] | None = None,
        rules: RetryRules | None = None,
        credentials: Credentials | None = None,
        ahead: float = 0.0,
        now: Callable[[], float] = time.time,
        monotonic: Callable[[], float] = time.monotonic,
        jitter: float = 0.0,
        **settings: object,
    ) -> AsyncIterator[SignedClient]:
        urls = {"base_url": service.url, "sandbox_base_url": service.url, **settings}
        profile = Profile("tests", **urls)  # type: ignore[arg-type]
        client = SignedClient(
            profile,
            keys,
            credentials=credentials,
            rules=rules,
            runtime=RuntimeEnvironment(lambda: now() + ahead, monotonic, lambda: jitter),
        )
        if events is not None:
            client.listen(events.append)
        async with client:
            yield client

    return open_client
