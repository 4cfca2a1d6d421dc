"""Puts the parts together: profile, client, store, app; owns their lifetimes.

Parts are imported where they are used: `--version` and `--help` load none of them, and the browser's window does
not wait for the client's libraries.
"""

import asyncio
import gc
import signal
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from svc_tui.domain.credentials import CredentialError, Environment, KeyPair
from svc_tui.domain.errors import ServiceError, failure_of
from svc_tui.domain.gateway import Credentials, Shelf, StoreError
from svc_tui.domain.requests import Exchange, RequestSpec, SignedRequest
from svc_tui.domain.routes import BaseUrlError, PlaceError, base_url_of, parse_place
from svc_tui.domain.settings import Profile
from svc_tui.domain.writes import WriteRoad

if TYPE_CHECKING:
    from tempfile import TemporaryDirectory

    from svc_tui.client import SignedClient
    from svc_tui.config import Connection, FilePreferences, Locations
    from svc_tui.sandbox.options import SandboxOptions

Tell = Callable[[str], None]
"""Shows one line to whoever started the program."""

LARGEST_ANSWER = 200_000_000
"""Bytes of an answer that `request` reads: more than a browser wants, less than a machine has."""

START_SECONDS = 1.0
"""For how long the browser starts without the garbage collector: a fifth of the time to the first records is its."""

_MISUSE = 2


class Stopped(Exception):
    """The program can't go on: the text is one line for people, `status` the exit status."""

    def __init__(self, line: str, status: int = _MISUSE) -> None:
        super().__init__(line)
        self.status = status


@dataclass(frozen=True, slots=True)
class Options:
    """What every command takes."""

    theme: str | None = None
    read_only: bool = False
    config: Path | None = None


@dataclass(frozen=True, slots=True)
class Service:
    """How the embedded service is to run; see `sandbox.options.SandboxOptions`."""

    host: str = "127.0.0.1"
    port: int = 0
    records: int | None = None
    latency_ms: int = 0
    faults: tuple[str, ...] = ()
    database: Path | None = None


@dataclass(frozen=True, slots=True)
class Reply:
    """What became of one request.

    `request` is what left, or what would have left; `exchange` the answer, `error` why there is no good one,
    `reason` why nothing was sent where that was decided here. `warning` is about the journal. `secrets` are the
    texts that must not be shown. `idempotency_header` is the name of the header that carries a write's key, "" for
    none.
    """

    request: SignedRequest | None
    exchange: Exchange | None = None
    error: ServiceError | None = None
    reason: str = ""
    warning: str = ""
    idempotency_header: str = ""
    secrets: tuple[str, ...] = field(default=(), repr=False)


def has_key(variables: Mapping[str, str]) -> bool:
    """Whether the environment names a key."""
    from svc_tui import config

    return config.has_key(variables)


def browse(place: str | None, options: Options, variables: Mapping[str, str]) -> int:
    """Open the browser on the service that the environment describes; gives the exit status. Raises Stopped."""
    gc.disable()
    from svc_tui import config

    with _explained():
        where = config.locations(variables, options.config)
        found = config.connection(variables, read_only=options.read_only)
        preferences = config.FilePreferences(where, theme=options.theme)
        _check_place(place, found.profile)
        _check_terminal()
        base_url = str(base_url_of(found.profile, found.keys.environment))
        shelf = Shelf(found.profile.name, found.keys.environment, base_url)
        session = _Session(found.profile, found.keys, found.credentials, shelf, where.database, preferences, place)
        return asyncio.run(_browse(session))


def demo(place: str | None, options: Options, service: Service, variables: Mapping[str, str], *, live: bool) -> int:
    """Start the embedded service and open the browser on it; gives the exit status. Raises Stopped.

    Without a database nothing is left behind. With one, drafts and journal are kept like a real service's, filed
    under the database, since the port is another each time.
    """
    gc.disable()
    from svc_tui import config
    from svc_tui.sandbox.process import SandboxProcess

    # A demo never meets a real key, wherever it is started.
    plain = {name: value for name, value in variables.items() if not name.startswith("SVC_")}
    with _explained(), _unwound_by_signals(), ExitStack() as stack:
        where = config.locations(plain, options.config)
        if service.database is None:
            where = replace(where, state_directory=Path(stack.enter_context(_scratch())))
        preferences = config.FilePreferences(where, theme=options.theme)
        profile = Profile("demo", idempotency="honoured", read_only=options.read_only)
        _check_place(place, profile)
        _check_terminal()
        starting = stack.enter_context(ThreadPoolExecutor(1)).submit(SandboxProcess.start, _sandbox_options(service))
        # The service starts in the time that the interface takes to load.
        _load_interface()
        process = stack.enter_context(starting.result())
        offered = process.key("live" if live else "sandbox")
        keys = KeyPair(offered.api_key, offered.signing_secret)
        live_url, sandbox_url = (process.base_url, "") if live else ("", process.base_url)
        profile = replace(profile, base_url=live_url, sandbox_base_url=sandbox_url)
        filed = process.base_url if service.database is None else str(service.database.resolve())
        shelf = Shelf(profile.name, keys.environment, filed)
        lasting = service.database is not None
        session = _Session(profile, keys, None, shelf, where.database, preferences, place, lasting)
        return asyncio.run(_browse(session))


def sandbox(service: Service, announce: Tell) -> int:
    """Run the embedded service until it is told to stop; gives the exit status. Raises Stopped."""
    from svc_tui.sandbox.serve import serve

    with _explained():
        serve(_sandbox_options(service), announce)
    return 0


def request(spec: RequestSpec, options: Options, variables: Mapping[str, str], *, live: bool, tell: Tell) -> Reply:
    """Make one request; `live` allows a write with a live key. Raises Stopped where nothing could be tried."""
    from svc_tui import config

    with _explained():
        where = config.locations(variables, options.config)
        found = config.connection(variables, read_only=options.read_only)
        if spec.writes:
            _check_write(spec.method, found.keys.environment, options, live=live)
        return asyncio.run(_request(spec, found, where, tell))


@dataclass(frozen=True, slots=True)
class _Session:
    """One run of the browser."""

    profile: Profile
    keys: KeyPair
    credentials: Credentials | None
    shelf: Shelf
    database: Path
    preferences: "FilePreferences"
    place: str | None
    lasting: bool = True
    """Whether what is kept outlives the program."""


def _seconds_since_boot() -> float:
    """The clock for waiting and for locks; where the system has one that goes on in its sleep, that one.

    A laptop that was closed with LIVE unlocked is locked when it opens.
    """
    if hasattr(time, "CLOCK_BOOTTIME"):
        return time.clock_gettime(time.CLOCK_BOOTTIME)
    return time.monotonic()


def _collect_garbage() -> None:
    """Begin to collect garbage; what starting made is there to stay, and is never looked at again."""
    gc.freeze()
    gc.enable()


async def _browse(session: _Session) -> int:
    loop = asyncio.get_running_loop()
    loop.call_later(START_SECONDS, _collect_garbage)
    from svc_tui.store import Store

    # The database is checked in the time that the interface takes to load.
    opening = loop.run_in_executor(None, Store.open, session.database)
    from svc_tui.client import SignedClient
    from svc_tui.ui.app import SvcTui

    async with (
        await opening as store,
        SignedClient(
            session.profile, session.keys, credentials=session.credentials, monotonic=_seconds_since_boot
        ) as client,
    ):
        app = SvcTui(
            gateway=client,
            profile=session.profile,
            journal=store.journal(session.shelf),
            drafts=store.drafts(session.shelf),
            preferences=session.preferences.preferences,
            store=session.preferences,
            place=session.place,
            notices=tuple(filter(None, (*session.preferences.notices, store.notice))),
            monotonic=_seconds_since_boot,
            lasting=session.lasting,
        )
        with _ended_by_signals(lambda status: app.exit(return_code=status)):
            await app.run_async()
        return app.return_code or 0


async def _request(spec: RequestSpec, found: "Connection", where: "Locations", tell: Tell) -> Reply:
    from svc_tui.client import SignedClient

    async with SignedClient(found.profile, found.keys, credentials=found.credentials) as client:
        if not spec.writes:
            try:
                exchange = await client.send(spec, cap=LARGEST_ANSWER)
            except ServiceError as error:
                return Reply(_request_of(client, spec, error.exchange), error.exchange, error, secrets=client.secrets)
            return Reply(exchange.request, exchange, failure_of(exchange, client.secrets), secrets=client.secrets)
        from svc_tui.store import Store

        spec = client.keyed(spec)
        async with Store.open(where.database) as store:
            if store.notice:
                tell(store.notice)
            shelf = Shelf(found.profile.name, client.environment, client.base_url)
            road = WriteRoad(client, store.journal(shelf), lambda: None, lambda: datetime.now(UTC))
            report = await road.request(spec)
        signed = _request_of(client, spec, report.exchange)
        return Reply(
            signed,
            report.exchange,
            report.error,
            report.reason,
            report.journal_problem,
            found.profile.idempotency_header,
            client.secrets,
        )


def _sandbox_options(service: Service) -> "SandboxOptions":
    from svc_tui.sandbox.options import SandboxOptions

    return SandboxOptions(
        host=service.host,
        port=service.port,
        records=service.records,
        latency_ms=service.latency_ms,
        faults=service.faults,
        database=service.database,
    )


def _load_interface() -> None:
    import svc_tui.client
    import svc_tui.store
    import svc_tui.ui.app  # noqa: F401  loading is the point


def _check_place(place: str | None, profile: Profile) -> None:
    """Refuse a word that names nothing; paths and links are the browser's to judge."""
    if place is None or place.startswith(("/", "svctui://")):
        return
    parse_place(place, tuple(collection for domain in profile.domains() for collection in domain.collections))


def _check_terminal() -> None:
    """Refuse to draw where nobody looks: the browser reads keys from stdin and draws on stderr."""
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise Stopped("the browser needs a terminal; in a script, use svc-tui request")


def _check_write(method: str, environment: Environment, options: Options, *, live: bool) -> None:
    if options.read_only:
        raise Stopped(f"{method} is a write, and --read-only refuses writes; leave it out to send this one")
    if environment is Environment.LIVE and not live:
        raise Stopped(f"{method} with a live key changes production; add --live if that is what you want")


def _request_of(client: "SignedClient", spec: RequestSpec, exchange: Exchange | None) -> SignedRequest | None:
    """The request as it left; where it did not, as it would have; None where it can't."""
    if exchange is not None:
        return exchange.request
    try:
        return client.preview(spec)
    except ServiceError:
        # What is wrong with it is the error that the caller already holds.
        return None


def _scratch() -> "TemporaryDirectory[str]":
    import tempfile

    return tempfile.TemporaryDirectory(prefix="svc-tui-demo-")


@contextmanager
def _unwound_by_signals() -> Iterator[None]:
    """Have a hang-up and a polite kill leave nothing behind while the browser is not yet there to end."""
    before = _handlers("SIGTERM", "SIGHUP")

    def unwind(number: int, _: object) -> None:
        for other in before:
            signal.signal(other, signal.SIG_IGN)
        raise SystemExit(128 + number)

    for number in before:
        signal.signal(number, unwind)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@contextmanager
def _ended_by_signals(end: Callable[[int], object]) -> Iterator[None]:
    """Have an interrupt, a hang-up and a polite kill end the browser like `q` does, terminal and drafts in order."""
    loop = asyncio.get_running_loop()
    before = _handlers("SIGINT", "SIGTERM", "SIGHUP")
    ended = False

    def ended_by(number: int) -> None:
        nonlocal ended
        ended = True
        end(128 + number)

    for number in before:
        loop.add_signal_handler(number, ended_by, number)
    try:
        yield
    finally:
        for number, handler in before.items():
            loop.remove_signal_handler(number)
            # A hang-up often comes twice, from the shell too: the second must not cut the end short.
            signal.signal(number, signal.SIG_IGN if ended else handler)


def _handlers(*names: str) -> dict[int, "signal._HANDLER"]:
    """What is done about each of these signals, as far as the system has them."""
    numbers = [number for name in names if (number := getattr(signal, name, None)) is not None]
    return {number: signal.getsignal(number) for number in numbers}


@contextmanager
def _explained() -> Iterator[None]:
    """Turn every expected error into the line and the status that the program ends with."""
    from svc_tui.config import ConfigError
    from svc_tui.sandbox.options import SandboxError

    try:
        yield
    except (ConfigError, CredentialError, BaseUrlError, PlaceError, StoreError, SandboxError) as error:
        raise Stopped(str(error)) from None
