"""Opens the browser on the embedded service, which starts beside it."""

from collections.abc import Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from svc_tui.bootstrap.browser import check_place, check_terminal, run, wants_reader
from svc_tui.bootstrap.sandbox.service import ServiceOptions, sandbox_options
from svc_tui.bootstrap.screens import CrashRecovery
from svc_tui.bootstrap.signal_handlers import unwind_on_signals
from svc_tui.bootstrap.start import Options, translate_errors
from svc_tui.bootstrap.startup import BrowserStart, RunStorage, temporary_directory
from svc_tui.core.credentials import Environment, KeyPair
from svc_tui.core.gc_control import gc_paused
from svc_tui.core.settings import Profile
from svc_tui.core.values import replace

if TYPE_CHECKING:
    from svc_tui.config.profiles.connection import Connection
    from svc_tui.sandbox.options import SandboxOptions
    from svc_tui.sandbox.server.process import SandboxProcess


@gc_paused()
def demo(
    place: str | None,
    options: Options,
    service: ServiceOptions,
    variables: Mapping[str, str],
    *,
    live: bool,
    tour: bool = False,
    corrections: str = "",
) -> int:
    """Start the embedded service and open the browser on it, with the tour or without; gives the exit status.

    `corrections` is as for `browse`. Raises CommandFailure.

    Without a database nothing is left behind. With one, drafts and journal are kept like a real service's, filed
    under the database, since the port is another each time.
    """
    from svc_tui.config.paths import find_locations
    from svc_tui.config.preferences.preferences import FilePreferences

    # A demo never meets a real key, wherever it is started.
    plain = {name: value for name, value in variables.items() if not name.startswith("SVC_")}
    with translate_errors(), unwind_on_signals(), ExitStack() as stack:
        locations = find_locations(plain, options.config)
        lasting = service.database is not None
        if not lasting:
            locations = replace(locations, state_directory=Path(stack.enter_context(temporary_directory())))
        storage = RunStorage(locations, FilePreferences(locations, theme=options.theme), lasting)
        profile = Profile("demo", idempotency="honoured", read_only=options.read_only)
        check_place(place, profile)
        if not wants_reader(options, storage.preferences.preferences):
            # Before the service is started.
            check_terminal()
        environment = Environment.LIVE if live else Environment.SANDBOX
        # The tour shows how a request is signed.
        signs = live or tour
        key = "live" if live else "test-signed" if tour else "sandbox"
        starting = stack.enter_context(_starting_service(sandbox_options(service)))

        def connect() -> "Connection":
            return _demo_connection(starting.result(), profile, key, service.database)

        start = BrowserStart(storage, options, None, profile, environment, signs, "", connect, place, tour, corrections)
        return run(start, CrashRecovery(options, plain, storage.preferences))


@contextmanager
def _starting_service(options: "SandboxOptions") -> Iterator[Future["SandboxProcess"]]:
    """The service, on its way for as long as the interface takes to load; it ends with the block."""
    with ThreadPoolExecutor(1) as pool:
        starting = pool.submit(_start_service, options)
        try:
            yield starting
        finally:
            # One that failed to start leaves nothing to stop; whoever waits for it tells why.
            if starting.exception() is None:
                starting.result().stop()


def _start_service(options: "SandboxOptions") -> "SandboxProcess":
    from svc_tui.sandbox.server.process import SandboxProcess

    return SandboxProcess.start(options)


def _demo_connection(process: "SandboxProcess", profile: Profile, key: str, database: Path | None) -> "Connection":
    """The service with one of its keys; what is kept of it is filed under its database, where it has one."""
    from svc_tui.config.profiles.connection import Connection

    offered = process.key(key)
    keys = KeyPair(offered.api_key, offered.signing_secret)
    live = keys.environment is Environment.LIVE
    live_url, sandbox_url = (process.base_url, "") if live else ("", process.base_url)
    profile = replace(profile, base_url=live_url, sandbox_base_url=sandbox_url)
    filed_under = "" if database is None else str(database.resolve())
    return Connection(profile, keys, _FixedCredentials(keys), f"demo {offered.name}", filed_under=filed_under)


@dataclass(frozen=True, slots=True)
class _FixedCredentials:
    """The demo's pair, which never changes; see `service.gateway.Credentials`."""

    pair: KeyPair

    def read(self) -> KeyPair:
        """The pair."""
        return self.pair
