"""A raw service over TLS, and an HTTP proxy that leads to it, both on real sockets of this machine."""

import asyncio
import ssl
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from tests.client.raw_service import RawService

HERE = Path(__file__).parent
AUTHORITY = HERE / "authority.pem"
"""Signs `service.pem` (localhost, 127.0.0.1, service.test), `other-name.pem` (other.test) and `expired.pem`.

All were made once with `openssl ca`, valid from 2020 to 2120 (but the expired one); the keys are for tests alone.
"""


def server_context(certificate: str) -> ssl.SSLContext:
    """What a server needs that shows the certificate."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(HERE / certificate)
    return context


@asynccontextmanager
async def secure_service(certificate: str = "service.pem") -> AsyncIterator[RawService]:
    """A RawService that speaks TLS on 127.0.0.1 and shows the certificate."""
    # A client that refuses the certificate is the server's error: expected here, and not to be printed.
    asyncio.get_running_loop().set_exception_handler(lambda *_: None)
    made = RawService()
    server = await asyncio.start_server(made.serve, "127.0.0.1", 0, ssl=server_context(certificate))
    made.port = server.sockets[0].getsockname()[1]
    yield made
    server.close()
    await made.stop()


@dataclass(slots=True)
class ConnectProxy:
    """An HTTP proxy that takes CONNECT alone; `seen` is every byte that clients sent through it.

    `ways` leads from `host:port` to a port of this machine. `answers` are sent in turn in place of a tunnel: b"" for
    a connection that is closed, None for one that nobody answers.
    """

    ways: dict[str, int]
    answers: list[bytes | None] = field(default_factory=list)
    port: int = 0
    asked: list[str] = field(default_factory=list)
    seen: bytearray = field(default_factory=bytearray)
    _tasks: set[asyncio.Task[None]] = field(default_factory=set)

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Talk to one client until either side ends."""
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        try:
            with suppress(ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError, ssl.SSLError):
                await self._lead(reader, writer)
        finally:
            self._tasks.discard(task)
            writer.close()

    async def _lead(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        self.seen += head
        self.asked.append(head.decode("latin-1"))
        method, place, _ = self.asked[-1].split("\r\n")[0].split(" ")
        if self.answers:
            answer = self.answers.pop(0)
            if answer is None:
                await reader.read()
                return
            writer.write(answer)
            await writer.drain()
            return
        if method != "CONNECT" or place not in self.ways:
            writer.write(b"HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n")
            await writer.drain()
            return
        far_reader, far_writer = await asyncio.open_connection("127.0.0.1", self.ways[place])
        writer.write(b"HTTP/1.1 200 Connection established\r\n\r\n")
        try:
            await asyncio.gather(
                _carry(reader, far_writer, self.seen.extend), _carry(far_reader, writer, lambda _: None)
            )
        finally:
            far_writer.close()

    async def stop(self) -> None:
        """End every tunnel."""
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)


async def _carry(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, note: Callable[[bytes], object]) -> None:
    while data := await reader.read(65536):
        note(data)
        writer.write(data)
        await writer.drain()
    writer.close()


@asynccontextmanager
async def tunnels(ways: dict[str, int], *, certificate: str | None = None) -> AsyncIterator[ConnectProxy]:
    """A running proxy on 127.0.0.1; with a certificate, one that is itself spoken to over TLS."""
    made = ConnectProxy(ways)
    context = None if certificate is None else server_context(certificate)
    server = await asyncio.start_server(made.serve, "127.0.0.1", 0, ssl=context)
    made.port = server.sockets[0].getsockname()[1]
    yield made
    server.close()
    await made.stop()
