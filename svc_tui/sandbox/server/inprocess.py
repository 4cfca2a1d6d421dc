"""Runs the service on a thread: under its own process, and inside tests that want to look into it.

    with running_service(SandboxOptions(records=100)) as service:
        service.base_url                        # http://127.0.0.1:PORT
        service.key("sandbox").api_key          # any name of `keys.POLICIES`
        service.faults.next("429", retry_after=1)               # the next request
        service.faults.next("500", count=2, method="PATCH")     # the next two of a method
        service.faults.always("no-total")                       # until cleared
        service.faults.next("hold")                             # an answer that waits (faults.held counts them)
        service.faults.release()                                # until this
        service.faults.clear()
        service.attempts                        # what arrived, oldest first
        service.record("operations/lots", "lot-000001")         # a record's text as stored, or None

`clock` may be any function that gives Unix time (the window, expiry and Date follow it), `monotonic` any that gives
seconds (rate limits follow it).
"""

import asyncio
import contextlib
import errno
import socket
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import uvicorn
from starlette.types import ASGIApp

from svc_tui.sandbox.access.admission import AccessChecks
from svc_tui.sandbox.access.keys import KeyStore
from svc_tui.sandbox.data.store import SandboxStore
from svc_tui.sandbox.faults import FaultInjector
from svc_tui.sandbox.options import IssuedKey, SandboxError, SandboxOptions, find_key
from svc_tui.sandbox.server.app import SandboxApp
from svc_tui.sandbox.server.control import ControlRoutes
from svc_tui.sandbox.server.http_protocol import RawTargetProtocol
from svc_tui.sandbox.server.request_log import ReceivedRequest, RequestLog
from svc_tui.sandbox.server.routes import Routes

_GRACE_SECONDS = 1


@dataclass(frozen=True, slots=True)
class RunningService:
    """A service that answers; see the top of this file."""

    base_url: str
    keys: tuple[IssuedKey, ...]
    faults: FaultInjector
    _attempts: RequestLog = field(repr=False)
    _store: SandboxStore = field(repr=False)

    @property
    def attempts(self) -> list[ReceivedRequest]:
        """What arrived, oldest first."""
        return self._attempts.all()

    def key(self, name: str) -> IssuedKey:
        """The offered key of that name; KeyError if there is none."""
        return find_key(self.keys, name)

    def record(self, key: str, record_id: str) -> str | None:
        """A record's text as it is stored now; None if there is none."""
        return self._store.record(key, record_id)


@contextlib.contextmanager
def running_service(
    options: SandboxOptions,
    clock: Callable[[], float] = time.time,
    monotonic: Callable[[], float] = time.monotonic,
) -> Iterator[RunningService]:
    """The service, from the first answer it can give to the last; raises SandboxError if it cannot start."""
    keys = KeyStore(options.keys or ())
    listener = _listen(options)
    with contextlib.closing(listener), contextlib.closing(SandboxStore(options.database, options.records)) as store:
        faults, attempts = FaultInjector(options.faults), RequestLog()
        app: ASGIApp = SandboxApp(
            AccessChecks(keys, monotonic),
            Routes(store, faults),
            faults,
            attempts,
            latency=options.latency_ms / 1000,
            clock=clock,
        )
        if options.control_token is not None:
            app = ControlRoutes(app, options.control_token, faults, attempts, store)
        server = _UvicornServer(app)
        thread = threading.Thread(target=server.run_on, args=(listener,), name="svc-tui sandbox", daemon=True)
        thread.start()
        try:
            server.ready.wait()
            if server.failure is not None:
                raise SandboxError(f"the service could not start: {server.failure}")
            yield RunningService(_url(listener), keys.issued, faults, attempts, store)
        finally:
            faults.clear()
            server.stop()
            thread.join()


class _UvicornServer(uvicorn.Server):
    """uvicorn, told by an event instead of a tick and ended without its naps, so that it starts and ends at once."""

    def __init__(self, app: ASGIApp) -> None:
        super().__init__(
            uvicorn.Config(
                app,
                http=RawTargetProtocol,
                ws="none",
                lifespan="off",
                loop="asyncio",
                interface="asgi3",
                log_config=None,
                log_level="critical",
                access_log=False,
                proxy_headers=False,
                server_header=False,
                date_header=False,
                timeout_keep_alive=75,
            )
        )
        self.ready = threading.Event()
        self.failure: Exception | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._stopping: asyncio.Event | None = None

    def run_on(self, listener: socket.socket) -> None:
        """Serves until `stop`; a failure to start is kept for whoever waits for `ready`."""
        try:
            self.run([listener])
        except Exception as error:
            self.failure = error
        finally:
            self.ready.set()

    def stop(self) -> None:
        """Ends the service, from any thread."""
        self.should_exit = True
        if self._loop is not None and self._stopping is not None:
            with contextlib.suppress(RuntimeError):
                self._loop.call_soon_threadsafe(self._stopping.set)

    async def main_loop(self) -> None:
        """Waits for `stop`."""
        self._loop, self._stopping = asyncio.get_running_loop(), asyncio.Event()
        self.ready.set()
        await self._stopping.wait()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Takes no more requests, and gives those under way a moment to be answered."""
        for server in self.servers:
            server.close()
        for connection in list(self.server_state.connections):
            connection.shutdown()
        if tasks := set(self.server_state.tasks):
            _, late = await asyncio.wait(tasks, timeout=_GRACE_SECONDS)
            for task in late:
                task.cancel()
            await asyncio.gather(*late, return_exceptions=True)


def _listen(options: SandboxOptions) -> socket.socket:
    host = "127.0.0.1" if options.host == "localhost" else options.host
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # asyncio sends small answers at once (TCP_NODELAY) only on a socket that names its protocol.
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((host, options.port))
        listener.listen(512)
    except OSError as error:
        listener.close()
        if error.errno == errno.EADDRINUSE:
            raise SandboxError(f"port {options.port} on {host} is in use; choose another") from None
        raise SandboxError(f"cannot listen on {host} port {options.port}: {error.strerror}") from None
    return listener


def _url(listener: socket.socket) -> str:
    host, port = listener.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
