"""A server that costs next to nothing: it answers every GET with the same bytes, in a process of its own.

So what is measured against it is the client. Run as a module it takes the body on standard input, says its port on
the first line of standard output, and ends when it is told to.
"""

import asyncio
import contextlib
import subprocess
import sys
from collections.abc import Iterator

_END = b"\r\n\r\n"


@contextlib.contextmanager
def canned(body: bytes) -> Iterator[str]:
    """The base URL of a running server whose every answer is `body`, as JSON."""
    with subprocess.Popen([sys.executable, "-m", __name__], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            process.stdin.write(body)
            process.stdin.close()
            yield f"http://127.0.0.1:{int(process.stdout.readline())}"
        finally:
            process.terminate()


class _CannedService(asyncio.Protocol):
    def __init__(self, answer: bytes) -> None:
        self._answer = answer
        self._begun = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        *requests, self._begun = (self._begun + data).split(_END)
        self._transport.write(self._answer * len(requests))


async def _serve(body: bytes) -> None:
    head = f"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {len(body)}"
    answer = head.encode() + _END + body
    server = await asyncio.get_running_loop().create_server(lambda: _CannedService(answer), "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(_serve(sys.stdin.buffer.read()))
