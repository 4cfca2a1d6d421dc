"""What the signed client costs over bare httpx, in one process with one event loop, the two taken in turn.

Requests are sent to a server that only repeats a page the service once gave: were the service itself asked, its own
time would stand on both sides and hide the difference. Both sides keep eight connections busy and read the same
bytes; ours also checks, signs, queues, retries, dates and reports each request.
"""

import asyncio
import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from statistics import median
from time import perf_counter

import httpx

from svc_tui.client.client import SignedClient
from svc_tui.client.throttle import MAX_CONNECTIONS
from svc_tui.core.catalog import COLLECTIONS
from svc_tui.core.credentials import KeyPair
from svc_tui.core.requests import RequestSpec
from svc_tui.core.settings import Profile
from svc_tui.sandbox.options import SandboxOptions
from svc_tui.sandbox.server.process import SandboxProcess
from svc_tui.service.signing import signed_headers
from tests.benchmarks.canned import canned

ROUNDS = 9
REQUESTS = 400
"""Of each side in each round."""

KEYS = KeyPair("svc_live_benchmark", "svcsec_0123456789abcdef0123456789abcdef")
LOTS = COLLECTIONS[0]
QUERY = (("page", "1"), ("limit", "50"))
TARGET = f"{LOTS.path}?page=1&limit=50"


@dataclass(frozen=True, slots=True)
class ClientFigures:
    """Ratios of rates, ours over bare httpx's, each the median of rounds in turn; and a share of time.

    `requests` sends and reads; `pages` also makes records of the body, where the other side calls `json.loads`.
    `signing` is the time to sign a request over that of sending it, one at a time.
    """

    requests: float
    pages: float
    signing: float


def measure_client() -> ClientFigures:
    """All of it, on a page of fifty lots."""
    with canned(_page()) as url:
        return asyncio.run(_measure(url))


async def _measure(url: str) -> ClientFigures:
    limits = httpx.Limits(max_connections=MAX_CONNECTIONS, max_keepalive_connections=MAX_CONNECTIONS)
    bearer = {"Authorization": f"Bearer {KEYS.api_key}"}
    async with (
        SignedClient(Profile("benchmark", url), KEYS) as ours,
        httpx.AsyncClient(limits=limits, headers=bearer) as bare,
    ):

        async def send() -> None:
            await ours.send(RequestSpec("GET", LOTS.path, QUERY))

        async def page() -> None:
            await ours.page(LOTS, 1, 50)

        async def get() -> None:
            await bare.get(f"{url}{TARGET}")

        async def loads() -> None:
            json.loads((await bare.get(f"{url}{TARGET}")).content)

        return ClientFigures(
            requests=await _ratio(send, get),
            pages=await _ratio(page, loads),
            signing=_signing_seconds() / median([await _seconds(send, loops=1) for _ in range(ROUNDS)]),
        )


async def _ratio(ours: Callable[[], Awaitable[None]], bare: Callable[[], Awaitable[None]]) -> float:
    """Our rate over the other's."""
    for warm in (ours, bare):
        await _seconds(warm)
    return median([1 / (await _seconds(ours) / await _seconds(bare)) for _ in range(ROUNDS)])


async def _seconds(send: Callable[[], Awaitable[None]], loops: int = MAX_CONNECTIONS) -> float:
    """Seconds for each of `REQUESTS`, sent by as many loops at once."""

    async def loop() -> None:
        for _ in range(REQUESTS // loops):
            await send()

    begun = perf_counter()
    async with asyncio.TaskGroup() as group:
        for _ in range(loops):
            group.create_task(loop())
    return (perf_counter() - begun) / REQUESTS


def _signing_seconds() -> float:
    assert KEYS.signing_secret is not None
    times = 10_000
    begun = perf_counter()
    for now in range(times):
        signed_headers(KEYS.signing_secret, 1_760_000_000 + now, "GET", TARGET, b"")
    return (perf_counter() - begun) / times


def _page() -> bytes:
    with SandboxProcess.start(SandboxOptions(records=1_000)) as service:
        bearer = {"Authorization": f"Bearer {service.key('sandbox').api_key}"}
        return httpx.get(f"{service.base_url}{TARGET}", headers=bearer).raise_for_status().content
