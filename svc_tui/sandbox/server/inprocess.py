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
import ipaddress
import socket
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial

from starlette.types import ASGIApp
from uvicorn.config import Config
from uvicorn.server import Server

from svc_tui.platform.sockets import claim_port
from svc_tui.sandbox.access.admission import AccessChecks
from svc_tui.sandbox.access.keys import IssuedKey, KeyStore, find_key
from svc_tui.sandbox.clock import ServiceClock
from svc_tui.sandbox.data.database import SeedChoice
from svc_tui.sandbox.data.store import SandboxStore
from svc_tui.sandbox.errors import SandboxError
from svc_tui.sandbox.faults import FaultInjector
from svc_tui.sandbox.options import SandboxOptions
from svc_tui.sandbox.server.app import SandboxApp
from svc_tui.sandbox.server.http_protocol import RawTargetProtocol
from svc_tui.sandbox.server.request_log import ReceivedRequest, RequestLog
from svc_tui.sandbox.server.routes import Router
from svc_tui.sandbox.server.state import PLACES, WHOLE, ServiceState

_GRACE_SECONDS = 1


@dataclass(frozen=True, slots=True)
class RunningService:
    """A service that answers; see the top of this file. `base_urls` has one of each place."""

    base_urls: Mapping[str, str]
    _state: ServiceState = field(repr=False)

    @property
    def base_url(self) -> str:
        """Where all keys work; the live ones where the service is split."""
        return next(iter(self.base_urls.values()))

    @property
    def keys(self) -> tuple[IssuedKey, ...]:
        """The pairs in use."""
        return self._state.keys.issued

    @property
    def faults(self) -> FaultInjector:
        """The faults in force."""
        return self._state.faults

    @property
    def attempts(self) -> list[ReceivedRequest]:
        """What arrived, oldest first."""
        return self._state.attempts.all()

    def key(self, name: str) -> IssuedKey:
        """The offered key of that name; KeyError if there is none."""
        return find_key(self.keys, name)

    def record(self, key: str, record_id: str, place: str = "") -> str | None:
        """A record's text as it is stored now, in the first place unless one is named; None if there is none."""
        return self._state.store(place).record(key, record_id)


@contextlib.contextmanager
def running_service(
    options: SandboxOptions,
    clock: Callable[[], float] = time.time,
    monotonic: Callable[[], float] = time.monotonic,
) -> Iterator[RunningService]:
    """The service, from the first answer it can give to the last; raises SandboxError if it cannot start."""
    places = tuple(PLACES) if options.split else (WHOLE,)
    with contextlib.ExitStack() as stack:
        listeners = {
            place: stack.enter_context(contextlib.closing(_listen(options, number)))
            for number, place in enumerate(places)
        }
        stores = {place: stack.enter_context(contextlib.closing(_open_store(options, place))) for place in places}
        state = ServiceState(
            options,
            KeyStore(options.keys),
            FaultInjector(options.faults),
            RequestLog(),
            ServiceClock(clock, options.clock_offset),
            stores,
        )
        for place, listener in listeners.items():
            server = _UvicornServer(_application(state, place, monotonic))
            stack.enter_context(server.running_on(listener))
        # Before the servers wait for their last answers.
        stack.callback(state.faults.clear)
        yield RunningService({place: _url(listener) for place, listener in listeners.items()}, state)


def _open_store(options: SandboxOptions, place: str) -> SandboxStore:
    chosen = options.variants.chosen.get("ids")
    database = options.database
    if database is not None and place == "test":
        database = database.with_name(f"{database.stem}.test{database.suffix}")
    return SandboxStore(database, SeedChoice(options.records, options.seed, chosen))


def _application(state: ServiceState, place: str, monotonic: Callable[[], float]) -> ASGIApp:
    options = state.options
    access = AccessChecks(state.keys, state.limiter, monotonic, PLACES.get(place))
    app = SandboxApp(access, Router(state.stores[place], state.faults, options.variants), state)
    if options.control_token is None:
        return app
    # Only who opens the control routes waits for what they need.
    from svc_tui.sandbox.server.control import ControlActions, ControlApp
    from svc_tui.sandbox.server.openapi import openapi_document

    actions = ControlActions(state, partial(openapi_document, options.variants))
    return ControlApp(app, options.control_token, actions, local=_is_loopback(options.host))


class _UvicornServer(Server):
    """uvicorn, told by an event instead of a tick and ended without its naps, so that it starts and ends at once."""

    def __init__(self, app: ASGIApp) -> None:
        super().__init__(
            Config(
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

    @contextlib.contextmanager
    def running_on(self, listener: socket.socket) -> Iterator[None]:
        """The service on a thread of its own; raises SandboxError if it cannot start."""
        thread = threading.Thread(target=self.run_on, args=(listener,), name="svc-tui sandbox", daemon=True)
        thread.start()
        try:
            self.ready.wait()
            if self.failure is not None:
                raise SandboxError(f"the sandbox could not start: {self.failure}")
            yield
        finally:
            self.stop()
            thread.join()

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
            await asyncio.wait(tasks, timeout=_GRACE_SECONDS)
        # A client that does not read would keep its connection open, and a cancelled task waiting for it.
        for connection in list(self.server_state.connections):
            connection.transport.abort()
        late = set(self.server_state.tasks)
        for task in late:
            task.cancel()
        await asyncio.gather(*late, return_exceptions=True)


def _listen(options: SandboxOptions, number: int) -> socket.socket:
    """The socket of a place; `number` counts places from 0, and ports with them where one was chosen."""
    host = "127.0.0.1" if options.host == "localhost" else options.host
    port = options.port + number if options.port else 0
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # asyncio sends small answers at once (TCP_NODELAY) only on a socket that names its protocol.
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        claim_port(listener)
        listener.bind((host, port))
        listener.listen(512)
    except OSError as error:
        listener.close()
        if error.errno == errno.EADDRINUSE:
            raise SandboxError(f"port {port} on {host} is in use; choose another") from None
        raise SandboxError(f"can't listen on {host} port {port}: {error.strerror}") from None
    return listener


def _url(listener: socket.socket) -> str:
    host, port = listener.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def _is_loopback(host: str) -> bool:
    return host == "localhost" or ipaddress.ip_address(host).is_loopback
