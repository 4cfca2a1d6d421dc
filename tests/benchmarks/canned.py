"""A server that costs next to nothing: it answers with the pages that it was given, in a process of its own.

So what is measured against it is the client. Run as a module it takes the pages on standard input, a line each, says
its port on the first line of standard output, and ends when it is told to.
"""

import asyncio
import contextlib
import re
import subprocess
import sys
from collections.abc import Iterator, Sequence

_END = b"\r\n\r\n"
_PAGE = re.compile(rb"[?&]page=([0-9]+)")


@contextlib.contextmanager
def canned(*pages: bytes) -> Iterator[str]:
    """The base URL of a running server that answers `?page=N` with the Nth of the pages, which are compact JSON."""
    with subprocess.Popen([sys.executable, "-m", __name__], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            process.stdin.write(b"\n".join(pages))
            process.stdin.close()
            yield f"http://127.0.0.1:{int(process.stdout.readline())}"
        finally:
            process.terminate()


class _CannedService(asyncio.Protocol):
    def __init__(self, answers: Sequence[bytes]) -> None:
        self._answers = answers
        self._begun = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        *requests, self._begun = (self._begun + data).split(_END)
        for request in requests:
            page = _PAGE.search(request)
            assert page is not None
            self._transport.write(self._answers[int(page[1]) - 1])


def _answer(page: bytes) -> bytes:
    head = f"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {len(page)}"
    return head.encode() + _END + page


async def _serve(pages: Sequence[bytes]) -> None:
    answers = [_answer(page) for page in pages]
    server = await asyncio.get_running_loop().create_server(lambda: _CannedService(answers), "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(_serve(sys.stdin.buffer.read().split(b"\n")))
