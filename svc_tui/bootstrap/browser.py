"""Opens the browser, on the service that the environment names or on the embedded one."""

import asyncio
import gc
import os
import sys
from collections.abc import AsyncIterator, Awaitable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from svc_tui.bootstrap.faulting import Faults
from svc_tui.bootstrap.service import Service, sandbox_options
from svc_tui.bootstrap.sessions import Kept, Others, OwnSessions, shelf_of
from svc_tui.bootstrap.signals import ended_by_signals, unwound_by_signals
from svc_tui.bootstrap.start import Level, Options, Stopped, explained
from svc_tui.bootstrap.terminal import abilities
from svc_tui.bootstrap.texteditor import OwnEditor
from svc_tui.domain.credentials import KeyPair
from svc_tui.domain.gateway import Shelf, StoreUnavailable
from svc_tui.domain.routes import parse_place
from svc_tui.domain.settings import Profile

if TYPE_CHECKING:
    from tempfile import TemporaryDirectory

    from svc_tui.config import Connection
    from svc_tui.store import Store
    from svc_tui.ui.app import SvcTui

START_SECONDS = 1.0
"""For how long the browser starts without the garbage collector: a fifth of the time to the first records is its."""


def is_set_up(options: Options, variables: Mapping[str, str]) -> bool:
    """Whether anything names a service to open: a profile, or a key in the environment. Raises Stopped."""
    from svc_tui import config

    with explained():
        return bool(config.select(config.locations(variables, options.config), variables, options.profile).by)


def browse(place: str | None, options: Options, variables: Mapping[str, str]) -> int:
    """Open the browser on the service that the environment describes; gives the exit status. Raises Stopped."""
    gc.disable()
    from svc_tui import config

    with explained():
        where = config.locations(variables, options.config)
        kept = Kept(where, config.FilePreferences(where, theme=options.theme))
        found = config.connect(where, variables, options.profile, read_only=options.read_only)
        _check_place(place, found.profile)
        check_terminal()
        others = Others(config.Profiles(where), variables, options.read_only)
        start = _Start(kept, found, shelf_of(found), others, place, options.log_level)
        return asyncio.run(_browse(start, Faults(options, variables, kept.preferences)))


def demo(
    place: str | None,
    options: Options,
    service: Service,
    variables: Mapping[str, str],
    *,
    live: bool,
    tour: bool = False,
) -> int:
    """Start the embedded service and open the browser on it, with the tour or without; gives the exit status.

    Raises Stopped.

    Without a database nothing is left behind. With one, drafts and journal are kept like a real service's, filed
    under the database, since the port is another each time.
    """
    gc.disable()
    from svc_tui import config
    from svc_tui.sandbox.process import SandboxProcess

    # A demo never meets a real key, wherever it is started.
    plain = {name: value for name, value in variables.items() if not name.startswith("SVC_")}
    with explained(), unwound_by_signals(), ExitStack() as stack:
        where = config.locations(plain, options.config)
        lasting = service.database is not None
        if not lasting:
            where = replace(where, state_directory=Path(stack.enter_context(_scratch())))
        kept = Kept(where, config.FilePreferences(where, theme=options.theme), lasting)
        profile = Profile("demo", idempotency="honoured", read_only=options.read_only)
        _check_place(place, profile)
        check_terminal()
        starting = stack.enter_context(ThreadPoolExecutor(1)).submit(SandboxProcess.start, sandbox_options(service))
        # The service starts in the time that the interface takes to load.
        _load_interface()
        process = stack.enter_context(starting.result())
        # The tour shows how a request is signed.
        offered = process.key("live" if live else "test-signed" if tour else "sandbox")
        keys = KeyPair(offered.api_key, offered.signing_secret)
        live_url, sandbox_url = (process.base_url, "") if live else ("", process.base_url)
        profile = replace(profile, base_url=live_url, sandbox_base_url=sandbox_url)
        found = config.Connection(profile, keys, _OnePair(keys), f"demo {offered.name}")
        filed = process.base_url if service.database is None else str(service.database.resolve())
        shelf = Shelf(profile.name, keys.environment, filed)
        start = _Start(kept, found, shelf, None, place, options.log_level, demo=True, tour=tour)
        return asyncio.run(_browse(start, Faults(options, plain, kept.preferences)))


@dataclass(frozen=True, slots=True)
class _OnePair:
    """The demo's pair, which never changes; see `domain.gateway.Credentials`."""

    pair: KeyPair

    def read(self) -> KeyPair:
        """The pair."""
        return self.pair


@dataclass(frozen=True, slots=True)
class _Start:
    """What one run of the browser begins with, and where it may go from there."""

    kept: Kept
    connection: "Connection"
    shelf: Shelf
    others: Others | None
    place: str | None
    log_level: Level
    demo: bool = False
    tour: bool = False
    notices: tuple[str, ...] = ()

    def keeping_nothing(self, directory: Path, why: str) -> "_Start":
        """The same, except that all that is kept goes into `directory`, which goes with the run."""
        connection, others = self.connection, self.others
        return replace(
            self,
            kept=replace(self.kept, where=replace(self.kept.where, state_directory=directory), lasting=False),
            connection=replace(connection, profile=replace(connection.profile, read_only=True)),
            others=replace(others, read_only=True) if others else None,
            notices=(
                f"{why}. Until then this session keeps nothing: edits end with it, and it is read-only, since no write "
                "could be journalled.",
            ),
        )


def _collect_garbage() -> None:
    """Begin to collect garbage; what starting made is there to stay, and is never looked at again."""
    gc.freeze()
    gc.enable()


async def _browse(start: _Start, faults: Faults) -> int:
    """Run the browser until somebody leaves it, or a fault of its own does away with it for good."""
    app = await _run(start)
    while await faults.start_again(app):
        app = await _run(_where_it_was(start, app))
    return app.return_code or 0


def _where_it_was(start: _Start, app: "SvcTui") -> _Start:
    """The start that goes on with the profile that was on show, at the place that is remembered of it."""
    from svc_tui import config

    start, name = replace(start, place=None, tour=False), app.profile_name
    if start.others is None or name == start.connection.profile.name:
        return start
    others = start.others
    found = config.connection_of(others.profiles, name, others.variables, read_only=others.read_only)
    return replace(start, connection=found, shelf=shelf_of(found))


async def _run(start: _Start) -> "SvcTui":
    """Run the browser once."""
    loop = asyncio.get_running_loop()
    loop.call_later(START_SECONDS, _collect_garbage)
    kept = start.kept
    from svc_tui.bootstrap.logbook import logged
    from svc_tui.store import Store

    # The database is checked in the time that the interface takes to load.
    opening = loop.run_in_executor(None, Store.open, kept.where.database)
    from svc_tui.ui.app import SvcTui
    from svc_tui.ui.report import Report

    def tell(line: str) -> None:
        loop.call_soon_threadsafe(app.main.report, Report(line, "Log", "warning"))

    editor = OwnEditor(os.environ)
    async with (
        _stored(start, opening) as (start, store),
        OwnSessions(start.kept, store, editor, start.others) as sessions,
    ):
        kept = start.kept
        app = SvcTui(
            sessions.begin(start.connection, start.shelf),
            place=start.place,
            notices=tuple(filter(None, (*kept.preferences.notices, *start.notices, store.notice))),
            terminal=abilities(os.environ),
            demo=start.demo,
            tour=start.tour,
        )
        with (
            logged(kept.directory, start.log_level, lambda: sessions.secrets, tell) as log,
            ended_by_signals(lambda status: app.exit(return_code=status), lambda: editor.running),
        ):
            app.log_file = log if kept.lasting else None
            await app.run_async(mouse=kept.preferences.preferences.mouse)
        return app


@asynccontextmanager
async def _stored(start: _Start, opening: "Awaitable[Store]") -> "AsyncIterator[tuple[_Start, Store]]":
    """The store of a run; where nothing can be kept, one that goes with the run."""
    from svc_tui.store import Store

    with ExitStack() as stack:
        try:
            store = await opening
        except StoreUnavailable as error:
            try:
                directory = stack.enter_context(_scratch())
            except OSError:
                raise error from None
            start = start.keeping_nothing(Path(directory), str(error))
            store = await asyncio.to_thread(Store.open, start.kept.where.database)
        async with store:
            yield start, store


def _load_interface() -> None:
    import svc_tui.client
    import svc_tui.store
    import svc_tui.ui.app  # noqa: F401  loading is the point


def _check_place(place: str | None, profile: Profile) -> None:
    """Refuse a word that names nothing; paths and links are the browser's to judge."""
    if place is None or place.startswith(("/", "svctui://")):
        return
    parse_place(place, profile.catalog)


def check_terminal() -> None:
    """Refuse to draw where nobody looks: the browser reads keys from stdin and draws on stderr."""
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise Stopped("the browser needs a terminal; in a script, use svc-tui request")


def _scratch() -> "TemporaryDirectory[str]":
    import tempfile

    return tempfile.TemporaryDirectory(prefix="svc-tui-")
