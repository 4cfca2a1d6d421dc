"""A service that answers as a test wants, byte by byte, with the real app on it."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from types import SimpleNamespace
from typing import cast

from svc_tui.sandbox.server.inprocess import RunningService
from tests.browser import User, browser
from tests.client.raw_service import KEYS, CannedReply, RawService, ReceivedRequest, reply

LIST = b'{"items": [{"id": "lot-000001"}], "meta": {"total": 1}}'


@asynccontextmanager
async def browser_on(
    answer: Callable[[ReceivedRequest], CannedReply], state: Path, listing: bytes = LIST
) -> AsyncIterator[tuple[User, RawService]]:
    """The app on a raw service that answers what the console asks by `answer`, and lists one lot, or this."""
    made = RawService()
    made.rest = lambda came: reply(200, listing) if "page=1" in came.target else answer(came)
    server = await asyncio.start_server(made.serve, "127.0.0.1", 0)
    made.port = server.sockets[0].getsockname()[1]
    try:
        async with browser(standing_at(made.url), state) as user:
            yield user, made
    finally:
        server.close()
        await made.stop()


def standing_at(url: str) -> RunningService:
    """What `browser` needs to know of a service: where it is, and a key for it."""
    key = SimpleNamespace(api_key=KEYS.api_key, signing_secret=KEYS.signing_secret)
    return cast("RunningService", SimpleNamespace(base_url=url, key=lambda _: key))


@asynccontextmanager
async def silence() -> AsyncIterator[str]:
    """The address of a TLS service that takes connections and never says a word; all of them have ended at its end."""
    open_now: set[asyncio.Task[None] | None] = set()

    async def listen(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        open_now.add(task := asyncio.current_task())
        with suppress(ConnectionError):
            await reader.read()
        writer.close()
        with suppress(ConnectionError):
            await writer.wait_closed()
        open_now.discard(task)

    server = await asyncio.start_server(listen, "127.0.0.1", 0)
    try:
        yield f"https://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    finally:
        server.close()
        async with asyncio.timeout(20):
            while open_now:  # noqa: ASYNC110  connections tell nobody that they have ended
                await asyncio.sleep(0.01)
