"""The program run on words, in this process or one of its own, with the user's files in the test's directory."""

import asyncio
import io
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Coroutine, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import pytest

from svc_tui.cli.main import main
from svc_tui.sandbox.options import SandboxOptions
from svc_tui.sandbox.server.inprocess import RunningService, running_service
from tests.client.raw_service import RawService, Script


@dataclass(frozen=True, slots=True)
class CompletedCommand:
    """How a run ended."""

    status: int
    out: bytes
    err: str


Run = Callable[..., CompletedCommand]
Start = Callable[..., "subprocess.Popen[bytes]"]
UseRaw = Callable[[Script], None]


@pytest.fixture
def service() -> Iterator[RunningService]:
    """The embedded service with few records."""
    with running_service(SandboxOptions(records=30)) as service:
        yield service


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A user's directories, and an environment that names no service."""
    for name in list(os.environ):
        if name.startswith("SVC_"):
            monkeypatch.delenv(name)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return tmp_path


@pytest.fixture
def use(home: Path, service: RunningService, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Sets the environment to one of the service's keys, by its name."""

    def use(name: str) -> None:
        key = service.key(name)
        live = key.api_key.startswith("svc_live_")
        monkeypatch.setenv("SVC_API_KEY", key.api_key)
        monkeypatch.setenv("SVC_BASE_URL" if live else "SVC_SANDBOX_BASE_URL", service.base_url)
        if key.signing_secret is not None:
            monkeypatch.setenv("SVC_SIGNING_SECRET", key.signing_secret)

    return use


@pytest.fixture
def use_raw(home: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[UseRaw]:
    """Sets the environment to a service that answers as it is told."""
    with asyncio.Runner() as runner, ExitStack() as stack:
        loop = runner.get_loop()
        thread = threading.Thread(target=loop.run_forever)
        thread.start()

        def run(work: Coroutine[object, object, None]) -> None:
            asyncio.run_coroutine_threadsafe(work, loop).result()

        def use_raw(answer: Script) -> None:
            service = RawService(rest=answer)

            async def begin() -> None:
                server = await asyncio.start_server(service.serve, "127.0.0.1", 0)
                service.port = server.sockets[0].getsockname()[1]
                stack.callback(lambda: run(service.stop()))
                stack.callback(loop.call_soon_threadsafe, server.close)

            run(begin())
            monkeypatch.setenv("SVC_API_KEY", "svc_test_x")
            monkeypatch.setenv("SVC_SANDBOX_BASE_URL", service.url)

        yield use_raw
        stack.close()
        loop.call_soon_threadsafe(loop.stop)
        thread.join()


@pytest.fixture
def run(home: Path, capfdbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch) -> Run:
    """Runs the program on words, in this process."""

    def run(*words: str, stdin: bytes = b"") -> CompletedCommand:
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        with pytest.raises(SystemExit) as ended:
            main(words)
        out, err = capfdbinary.readouterr()
        assert isinstance(ended.value.code, int)
        return CompletedCommand(ended.value.code, out, err.decode())

    return run


@pytest.fixture
def start(home: Path) -> Iterator[Start]:
    """Starts the program in a process of its own; what still runs at the end is ended."""
    started: list[subprocess.Popen[bytes]] = []

    def start(*words: str, program: Sequence[str] = ("-m", "svc_tui")) -> subprocess.Popen[bytes]:
        command = [sys.executable, *program, *words]
        pipe = subprocess.PIPE
        started.append(subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=pipe, stderr=pipe))
        return started[-1]

    yield start
    for process in started:
        process.kill()
        process.communicate()
