"""A service on a real socket that records every byte and answers from a script."""

import asyncio
import hashlib
import hmac
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from typing import TypeAlias

from svc_tui.client.client import SignedClient
from svc_tui.core.credentials import KeyPair
from svc_tui.service.traffic import TrafficEvent

SECRET = "svcsec_0123456789abcdef0123456789abcdef"
KEYS = KeyPair("svc_test_0123456789abcdef", SECRET)


@dataclass(frozen=True, slots=True)
class ReceivedRequest:
    """One request as it stood on the wire."""

    method: str
    target: str
    headers: tuple[tuple[str, str], ...]
    body: bytes

    def header(self, name: str) -> str:
        """The one header of that name, "" where there is none."""
        values = [value for header, value in self.headers if header.lower() == name.lower()]
        assert len(values) < 2, f"{name} came {len(values)} times"
        return values[0] if values else ""

    def signed_with(self, secret: str) -> bool:
        """Whether the signature, reckoned anew from the bytes that arrived, is this secret's."""
        stamp = self.header("x-svc-timestamp")
        text = ".".join((stamp, self.method, self.target, hashlib.sha256(self.body).hexdigest()))
        digest = hmac.new(secret.encode(), text.encode(), "sha256").hexdigest()
        return stamp.isdecimal() and self.header("x-svc-signature") == f"t={stamp},v1={digest}"


@dataclass(frozen=True, slots=True)
class CannedReply:
    """What to answer: raw bytes, sent in pieces, `pause` seconds apart; then the connection stays open, or not."""

    pieces: tuple[bytes, ...]
    close: bool = False
    pause: float = 0.0
    before: Callable[[], Awaitable[object]] | None = None


def reply(
    status: int = 200, body: bytes | str = b"{}", *headers: tuple[str, str], length: int | None = None
) -> CannedReply:
    """A whole HTTP answer; a `length` longer than the body makes it break off."""
    data = body.encode() if isinstance(body, str) else body
    lines = [f"HTTP/1.1 {status} {'OK' if status < 300 else 'No'}"]
    lines += [f"{name}: {value}" for name, value in headers]
    lines.append(f"Content-Length: {len(data) if length is None else length}")
    return CannedReply(("\r\n".join(lines).encode() + b"\r\n\r\n" + data,), close=length is not None)


BREAK = CannedReply((), close=True)
Script: TypeAlias = CannedReply | Callable[[ReceivedRequest], CannedReply]


@dataclass(slots=True)
class RawService:
    """Answers requests in order from `script`, then with `rest`; `received` holds what came."""

    port: int = 0
    script: list[Script] = field(default_factory=list)
    rest: Script = field(default_factory=reply)
    received: list[ReceivedRequest] = field(default_factory=list)
    connections: int = 0
    open_now: int = 0
    most_open: int = 0
    _tasks: set[asyncio.Task[None]] = field(default_factory=set)

    @property
    def url(self) -> str:
        """Where it listens."""
        return f"http://127.0.0.1:{self.port}"

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Talk to one connection until it ends."""
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        self.connections += 1
        self.open_now += 1
        self.most_open = max(self.most_open, self.open_now)
        try:
            while await self._one(reader, writer):
                pass
        except (ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass
        finally:
            self.open_now -= 1
            self._tasks.discard(task)
            writer.close()

    async def _one(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        line, *rest = head.rstrip("\r\n").split("\r\n")
        method, target, _ = line.split(" ")
        headers = tuple((name, value.strip()) for name, _, value in (item.partition(":") for item in rest))
        length = next((int(value) for name, value in headers if name.lower() == "content-length"), 0)
        came = ReceivedRequest(method, target, headers, await reader.readexactly(length))
        self.received.append(came)
        next_one = self.script.pop(0) if self.script else self.rest
        answer = next_one if isinstance(next_one, CannedReply) else next_one(came)
        if answer.before is not None:
            await answer.before()
        for piece in answer.pieces:
            writer.write(piece)
            await writer.drain()
            if answer.pause:
                await asyncio.sleep(answer.pause)
        return not answer.close

    async def stop(self) -> None:
        """End every conversation."""
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)


Connect: TypeAlias = Callable[..., AbstractAsyncContextManager[SignedClient]]
"""Opens a client of the service: `async with connect() as client`."""


def names(events: Sequence[TrafficEvent]) -> str:
    """The kinds of the events, in order."""
    return " ".join(type(event).__name__ for event in events)
