"""Pipes and what is written to like them: a line that is waited for, room to write, a reader who has gone away."""

import os
import sys
import time
from typing import IO

if sys.platform == "win32":
    import errno
    from threading import Thread

    ONE_WRITE = 4096
    """How many bytes a pipe with room takes without a wait."""

    def first_line(stream: IO[bytes], timeout: float) -> bytes | None:
        """The first line, or what there is of it when the stream ends; None: the seconds are up."""
        # Windows waits for no pipe of this kind: the thread ends with the line, or with what is at the other end.
        lines: list[bytes] = []
        reader = Thread(target=lambda: lines.append(_read_line(stream.fileno())), daemon=True)
        reader.start()
        reader.join(timeout)
        return lines[0] if lines else None

    def _read_line(descriptor: int) -> bytes:
        line = bytearray()
        while not line.endswith(b"\n") and (piece := os.read(descriptor, 65_536)):
            line += piece
        return bytes(line)

    async def room(descriptor: int) -> bool:
        """Wait until there is room to write; False where that can't be waited for, and a write waits by itself."""
        return False

    def write(descriptor: int, data: memoryview) -> int:
        """Write what there is room for; gives how many bytes that was. Raises OSError."""
        # Bytes that come to a console in any other way are read in its code page.
        if (out := sys.stdout) is not None and out.isatty() and descriptor == out.fileno():
            out.buffer.write(data)
            out.buffer.flush()
            return data.nbytes
        return os.write(descriptor, data)

    def is_reader_gone(error: OSError) -> bool:
        """Whether writing failed since nobody reads any more."""
        # What Windows says of a pipe that is being closed becomes "invalid argument" on the way.
        return isinstance(error, BrokenPipeError) or error.errno == errno.EINVAL

else:
    import select
    import selectors

    ONE_WRITE = select.PIPE_BUF
    """How many bytes a pipe with room takes without a wait."""

    def first_line(stream: IO[bytes], timeout: float) -> bytes | None:
        """The first line, or what there is of it when the stream ends; None: the seconds are up."""
        deadline = time.monotonic() + timeout
        line = bytearray()
        with selectors.DefaultSelector() as selector:
            selector.register(stream, selectors.EVENT_READ)
            while not line.endswith(b"\n"):
                if not selector.select(max(0.0, deadline - time.monotonic())):
                    return None
                piece = os.read(stream.fileno(), 65_536)
                if not piece:
                    break
                line += piece
        return bytes(line)

    async def room(descriptor: int) -> bool:
        """Wait until there is room to write; False where that can't be waited for, and a write waits by itself."""
        import asyncio

        loop, ready = asyncio.get_running_loop(), asyncio.Event()
        try:
            loop.add_writer(descriptor, ready.set)
        except (PermissionError, NotImplementedError):
            # A regular file has room at any time; some systems can't wait for any.
            return False
        try:
            await ready.wait()
        finally:
            loop.remove_writer(descriptor)
        return True

    def write(descriptor: int, data: memoryview) -> int:
        """Write what there is room for; gives how many bytes that was. Raises OSError."""
        return os.write(descriptor, data)

    def is_reader_gone(error: OSError) -> bool:
        """Whether writing failed since nobody reads any more."""
        return isinstance(error, BrokenPipeError)
