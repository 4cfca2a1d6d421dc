"""Opens the browser, on the service that the environment or a profile names, and starts it again after a crash."""

import asyncio
import os
import sys
from collections.abc import AsyncIterator, Awaitable, Mapping
from contextlib import AsyncExitStack, ExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from svc_tui.bootstrap.environment import detect_abilities
from svc_tui.bootstrap.signals import deliver_pending_interrupt, quit_on_signals
from svc_tui.bootstrap.start import CommandFailure, Options, translate_errors, translate_errors_to
from svc_tui.bootstrap.startup import BrowserStart, OtherProfiles, RunStorage
from svc_tui.domain.app.crash import Crash
from svc_tui.domain.model.settings import Profile
from svc_tui.ui.terminal.gc_control import freeze_and_enable_gc, gc_paused

if TYPE_CHECKING:
    from tempfile import TemporaryDirectory

    from svc_tui.client.client import SignedClient
    from svc_tui.config.preferences.preferences import FilePreferences
    from svc_tui.store.store import Store
    from svc_tui.ui.app.base_app import BaseApp
    from svc_tui.ui.app.browser_app import SvcTui
    from svc_tui.ui.session.first_page import FirstPage
    from svc_tui.ui.session.session import Session

GC_PAUSE_SECONDS = 1.0
"""For how long the browser starts without the garbage collector: a fifth of the time to the first records is its."""


def is_set_up(options: Options, variables: Mapping[str, str]) -> bool:
    """Whether anything names a service to open: a profile, or a key in the environment. Raises CommandFailure."""
    from svc_tui.config.paths import find_locations
    from svc_tui.config.profiles.active_profile import select_profile

    with translate_errors():
        return bool(select_profile(find_locations(variables, options.config), variables, options.profile).by)


@gc_paused()
def browse(place: str | None, options: Options, variables: Mapping[str, str]) -> int:
    """Open the browser on the service that the environment describes; gives the exit status. Raises CommandFailure."""
    from svc_tui.config.paths import find_locations
    from svc_tui.config.preferences.preferences import FilePreferences
    from svc_tui.config.profiles.active_profile import resolve_connection
    from svc_tui.config.profiles.profiles import Profiles

    with translate_errors():
        locations = find_locations(variables, options.config)
        storage = RunStorage(locations, FilePreferences(locations, theme=options.theme))
        connection = resolve_connection(locations, variables, options.profile, read_only=options.read_only)
        check_place(place, connection.profile)
        check_terminal()
        others = OtherProfiles(Profiles(locations), variables, options.read_only)
        start = BrowserStart.at(connection, storage, options, others, place)
        return run(start, CrashRecovery(options, variables, storage.preferences))


RESTARTS = 2
"""How often a program is started again after a fault; one that goes on failing ends with its last words."""


@dataclass
class CrashRecovery:
    """The faults of one run of the program; `options` and `variables` are what a report tells of it."""

    options: Options
    variables: Mapping[str, str]
    preferences: "FilePreferences"
    restarts: int = RESTARTS

    async def offer_restart(self, app: "BaseApp[None]") -> bool:
        """Whether the app, which has ended, is to be started again; asks, where a fault ended it and the user looks.

        The last words of the app stand on the terminal already, and its exit status holds, whatever comes of this.
        """
        if app.fault is None or not self.restarts or not (sys.stdin.isatty() and sys.stderr.isatty()):
            return False
        self.restarts -= 1
        from svc_tui.ui.app.crash_app import CrashApp
        from svc_tui.ui.app.crash_screen import CrashedApp

        fault, where = app.fault, Path.cwd()
        crashed = CrashedApp(
            fault, app.reassurance, app.log_file, lambda: asyncio.to_thread(self._report, fault, where)
        )
        preferences = self.preferences.preferences
        asking = CrashApp(crashed, self.preferences.palettes(), preferences, terminal=detect_abilities(os.environ))
        with quit_on_signals(lambda _: asking.exit(False)):
            return bool(await asking.run_async(mouse=preferences.mouse))

    def _report(self, fault: Crash, directory: Path) -> str:
        """Write a report into the directory; gives the line to show."""
        from svc_tui.bootstrap.doctor.report_bundle import write_report_bundle
        from svc_tui.domain.doctor.check_result import CheckResult, CheckVerdict

        file = directory / f"svc-tui-report-{datetime.now():%Y%m%d-%H%M%S}.md"
        try:
            write_report_bundle(
                file, self.options, self.variables, [CheckResult("fault", CheckVerdict.FAILED, str(fault))]
            )
        except CommandFailure as stopped:
            return f"There is no report: {stopped}"
        return f"The report is in {file}; read it before you pass it on."


def run(start: BrowserStart, faults: CrashRecovery) -> int:
    """Run the browser until the user leaves it, or a fault of its own does away with it for good; the exit status.

    Raises CommandFailure where the service can't be opened.
    """
    return asyncio.run(_run(start, faults))


async def _run(start: BrowserStart, faults: CrashRecovery) -> int:
    app = await _run_once(start)
    while await faults.offer_restart(app):
        app = await _run_once(_resumed_start(start, app))
    return app.return_code or 0


def _resumed_start(start: BrowserStart, app: "SvcTui") -> BrowserStart:
    """The start after a fault: with the profile that was shown, at its remembered place."""
    start, name, others = replace(start, place=None, tour=False), app.profile_name, start.other_profiles
    if others is None or name == start.profile.name:
        return start
    return BrowserStart.at(others.connection(name), start.storage, start.options, others)


async def _run_once(start: BrowserStart) -> "SvcTui":
    """Run the browser once: the first frame is on the screen before anything that it does not show is loaded."""
    loop = asyncio.get_running_loop()
    loop.call_later(GC_PAUSE_SECONDS, freeze_and_enable_gc)
    from svc_tui.ui.app.browser_app import SvcTui
    from svc_tui.ui.session.session import SessionStart

    preferences = start.storage.preferences
    async with AsyncExitStack() as stack:
        beginning = SessionStart(
            profile=start.profile,
            environment=start.environment,
            host=start.host,
            signs=start.signs,
            preferences=preferences.preferences,
            store=preferences,
            lasting=start.storage.lasting,
            session=lambda: _first_session(start, stack, app),
        )
        app = SvcTui(
            beginning,
            place=start.place,
            terminal=detect_abilities(os.environ),
            demo=start.other_profiles is None,
            tour=start.tour,
        )
        with quit_on_signals(lambda status: app.exit(return_code=status), lambda: app.terminal_lent):
            await deliver_pending_interrupt()
            await app.run_async(mouse=preferences.preferences.mouse)
        if app.refused:
            raise CommandFailure(app.refused)
        return app


async def _first_session(start: BrowserStart, stack: AsyncExitStack, app: "SvcTui") -> "Session":
    """What the first session works with, until the stack ends; raises SessionRefused.

    The first page is asked for as soon as the service is known; the rest is loaded in the time that it takes.
    """
    from svc_tui.bootstrap.external_editor import SystemEditor
    from svc_tui.bootstrap.log_file import log_to
    from svc_tui.bootstrap.sessions import BrowserSessions, make_client
    from svc_tui.config.child_environment import child_environment
    from svc_tui.ui.session.session import SessionRefused

    loop = asyncio.get_running_loop()
    storage, others = start.storage, start.other_profiles
    client: SignedClient | None = None
    sessions: BrowserSessions | None = None

    def notify(line: str, title: str = "") -> None:
        from svc_tui.ui.report import Report

        app.post_report(Report(line, title, "warning"))

    def lost(line: str) -> None:
        # Where nothing can be kept, that is told already.
        if storage.lasting:
            loop.call_soon_threadsafe(notify, line, "Log")

    def secrets() -> tuple[str, ...]:
        return (*(client.secrets if client else ()), *(sessions.secrets if sessions else ()))

    log = stack.enter_context(log_to(storage.directory, start.options.log_level, secrets, lost))
    app.log_file = log if storage.lasting else None

    def load_rest() -> "tuple[Awaitable[Store], Awaitable[None]]":
        opening = loop.run_in_executor(None, _open_database, storage.locations.database)
        # The user may leave before it is open.
        stack.push_async_callback(_close_when_open, opening)
        return opening, loop.run_in_executor(None, _preload_main_screen)

    # A service that is not up yet, as the demo's, leaves time to load the rest; one that is, is asked first.
    rest = None if start.host else load_rest()
    with translate_errors_to(SessionRefused):
        connection = await asyncio.to_thread(start.connect)
        client = make_client(connection)
        stack.push_async_callback(client.aclose)
        first_page = _ask_first_page(client, connection.profile, start)
        if first_page is not None and rest is None:
            await first_page.wait_until_sent()
        opening, loading = rest or load_rest()
        storage, store, why = await stack.enter_async_context(_open_store(storage, opening))
        if why:
            app.log_file = None
            connection, others = connection.as_read_only(), replace(others, read_only=True) if others else None
        profiles = storage.locations.profiles_directory
        editor = SystemEditor(lambda: child_environment(os.environ, profiles))
        sessions = await stack.enter_async_context(BrowserSessions(storage, store, editor, others))
    for notice in filter(None, (*storage.preferences.notices, why, store.notice)):
        notify(notice)
    # A client that could write is none for a session that may not.
    session = sessions.begin(connection, None if why else client)
    await loading
    return replace(session, first_page=first_page)


def _ask_first_page(client: "SignedClient", profile: Profile, start: BrowserStart) -> "FirstPage | None":
    """Ask for the first page that the table will want; None where that can't be told yet."""
    from svc_tui.ui.session.first_page import FirstPage, collection_of, first_place

    memory = start.storage.preferences.memory
    collection = collection_of(first_place(start.place, profile, memory), profile)
    if collection is None:
        return None
    habit = memory.habits.get(collection.kind)
    return FirstPage(client, collection, profile.page_size, habit.last.query if habit else ())


def _open_database(path: Path) -> "Store":
    from svc_tui.store.store import Store

    return Store.open(path)


async def _close_when_open(opening: "Awaitable[Store]") -> None:
    """Close the store that is, or is being, opened."""
    try:
        store = await opening
    except Exception:
        # There is nothing to close; why, was told by whoever waited for it, unless everybody has left.
        return
    await store.aclose()


@asynccontextmanager
async def _open_store(
    storage: RunStorage, opening: "Awaitable[Store]"
) -> "AsyncIterator[tuple[RunStorage, Store, str]]":
    """The store of a run and where it is; where nothing can be kept, one that goes with the run, and why."""
    from svc_tui.domain.editing.ports import StoreUnavailable
    from svc_tui.store.store import Store

    why = ""
    with ExitStack() as stack:
        try:
            store = await asyncio.shield(opening)
        except StoreUnavailable as error:
            try:
                directory = stack.enter_context(temporary_directory())
            except OSError:
                raise error from None
            storage = storage.instead(Path(directory))
            why = (
                f"{error}. Until then this session keeps nothing: edits end with it, and it is read-only, since no "
                "write could be journalled."
            )
            store = await asyncio.to_thread(Store.open, storage.locations.database)
        async with store:
            yield storage, store, why


def _preload_main_screen() -> None:
    """Load what the main screen is made of."""
    import svc_tui.ui.main.screen  # noqa: F401  loading is the point


def check_place(place: str | None, profile: Profile) -> None:
    """Refuse a word that names nothing; paths and links are the browser's to judge."""
    if place is None or place.startswith(("/", "svctui://")):
        return
    from svc_tui.domain.http.routes import parse_place

    parse_place(place, profile.catalog)


def check_terminal() -> None:
    """Refuse to draw where nobody looks: the browser reads keys from stdin and draws on stderr."""
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise CommandFailure("the browser needs a terminal; in a script, use svc-tui request")
    if os.environ.get("TERM") in ("dumb", "unknown"):
        term = os.environ["TERM"]
        raise CommandFailure(
            f"the browser can't draw on this terminal, which says that it can do nothing but lines (TERM={term}); set "
            "TERM to what it is, such as xterm-256color, or use svc-tui request"
        )


def temporary_directory() -> "TemporaryDirectory[str]":
    """A directory that is gone with the run."""
    import tempfile

    return tempfile.TemporaryDirectory(prefix="svc-tui-")
