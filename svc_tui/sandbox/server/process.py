"""Starts the service in a process of its own and ends it; the service also ends when this process does."""

import contextlib
import json
import subprocess
import sys
from types import TracebackType
from typing import Any

from svc_tui.platform.pipes import first_line
from svc_tui.platform.processes import start_apart
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
        # Ctrl+c in the terminal is meant for the browser, not for the service under it.
        process = start_apart(
            [sys.executable, "-m", "svc_tui.sandbox"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
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
    line = first_line(process.stdout, timeout)
    if line is None:
        raise SandboxError(f"the sandbox did not start within {timeout:g} seconds")
    try:
        announced: dict[str, Any] = json.loads(line)
    except ValueError:
        raise SandboxError("the sandbox stopped before it was ready") from None
    if "error" in announced:
        raise SandboxError(announced["error"])
    return announced


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
