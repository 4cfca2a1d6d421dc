"""Starts the service in a process of its own and ends it; the service also ends when this process does."""

import contextlib
import json
import os
import selectors
import subprocess
import sys
import time
from types import TracebackType
from typing import IO, Any

from svc_tui.sandbox.access.keys import IssuedKey, find_key
from svc_tui.sandbox.errors import SandboxError
from svc_tui.sandbox.options import SandboxOptions

_STOP_SECONDS = 5.0


class SandboxProcess:
    """A running service; a context manager that stops it."""

    def __init__(self, process: subprocess.Popen[bytes], base_url: str, keys: tuple[IssuedKey, ...]) -> None:
        """Make it; only `start` does, which knows that the process answers."""
        self._process = process
        self.base_url = base_url
        self.keys = keys

    @classmethod
    def start(cls, options: SandboxOptions, timeout: float = 10) -> "SandboxProcess":
        """Starts the service and waits, `timeout` seconds at most, until it answers; raises SandboxError."""
        process = subprocess.Popen(
            [sys.executable, "-m", "svc_tui.sandbox"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            # Ctrl+c in the terminal is meant for the browser, not for the service under it.
            start_new_session=True,
        )
        try:
            announced = _handshake(process, options, timeout)
            return cls(process, announced["base_url"], tuple(IssuedKey(**key) for key in announced["keys"]))
        except BaseException:
            _end(process)
            raise

    def key(self, name: str) -> IssuedKey:
        """The offered key of that name; KeyError if there is none."""
        return find_key(self.keys, name)

    @property
    def pid(self) -> int:
        """The service's process id."""
        return self._process.pid

    def stop(self) -> None:
        """Ends the service and waits until it is gone; once is enough."""
        _end(self._process)

    def __enter__(self) -> "SandboxProcess":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()


def _handshake(process: subprocess.Popen[bytes], options: SandboxOptions, timeout: float) -> dict[str, Any]:
    assert process.stdin is not None
    assert process.stdout is not None
    with contextlib.suppress(BrokenPipeError):
        process.stdin.write(options.to_line().encode() + b"\n")
        process.stdin.flush()
    line = _first_line(process.stdout, timeout)
    if line is None:
        raise SandboxError(f"the service did not start within {timeout:g} seconds")
    try:
        announced: dict[str, Any] = json.loads(line)
    except ValueError:
        raise SandboxError("the service ended before it could start") from None
    if "error" in announced:
        raise SandboxError(announced["error"])
    return announced


def _first_line(stream: IO[bytes], timeout: float) -> bytes | None:
    """The first line, or what there is of it when the stream ends; None: time is up."""
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


def _end(process: subprocess.Popen[bytes]) -> None:
    if process.stdin is not None:
        with contextlib.suppress(BrokenPipeError):
            process.stdin.close()
    try:
        process.wait(_STOP_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    if process.stdout is not None:
        process.stdout.close()
