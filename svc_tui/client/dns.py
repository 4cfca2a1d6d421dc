"""Waits until a host's name can be looked up, in a thread that nobody else has to wait for.

The event loop looks names up in threads that the program waits for at its end: one whose name server does not answer
would keep a user who interrupts it for as long as the system likes.
"""

import asyncio
import socket
from contextlib import suppress
from threading import Thread


async def resolve_host(host: str, seconds: float | None) -> bool:
    """Whether a lookup of the host came to its end within `seconds`, well or badly; the next one then will too."""
    loop = asyncio.get_running_loop()
    ended = asyncio.Event()

    def look() -> None:
        # Why a name is not found is asked again, and told, by who connects to it.
        with suppress(OSError, UnicodeError):
            socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
        # A loop that was closed meanwhile has nobody left who waits.
        with suppress(RuntimeError):
            loop.call_soon_threadsafe(ended.set)

    Thread(target=look, name="svc-tui lookup", daemon=True).start()
    try:
        async with asyncio.timeout(seconds):
            await ended.wait()
    except TimeoutError:
        return False
    return True
