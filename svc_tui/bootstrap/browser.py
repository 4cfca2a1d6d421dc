"""Opens the browser, on the service that the environment or a profile names, and starts it again after a crash."""

import asyncio
import os
import sys
from collections.abc import Mapping
from contextlib import AsyncExitStack
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from svc_tui.bootstrap.environment import detect_abilities
from svc_tui.bootstrap.signals import deliver_pending_interrupt, quit_on_signals
from svc_tui.bootstrap.start import CommandFailure, Options, translate_errors
from svc_tui.bootstrap.startup import BrowserStart, OtherProfiles, RunStorage
from svc_tui.domain.app.crash import Crash
from svc_tui.domain.model.settings import Preferences, Profile
from svc_tui.platform.event_loops import run_on_loop
from svc_tui.platform.terminal import drawing_stream
from svc_tui.ui.terminal.gc_control import freeze_and_enable_gc, gc_paused

if TYPE_CHECKING:
    from svc_tui.config.preferences.preferences import FilePreferences
    from svc_tui.domain.session.session import Session
    from svc_tui.ui.app.base_app import BaseApp
    from svc_tui.ui.app.browser_app import SvcTui

GC_PAUSE_SECONDS = 1.0
"""For how long the browser starts without the garbage collector: a fifth of the time to the first records is its."""


def is_set_up(options: Options, variables: Mapping[str, str]) -> bool:
    """Whether anything names a service to open: a profile, or a key in the environment. Raises CommandFailure."""
    from svc_tui.config.paths import find_locations
    from svc_tui.config.profiles.active_profile import select_profile

    with translate_errors():
        return bool(select_profile(find_locations(variables, options.config), variables, options.profile).by)


@gc_paused()
def browse(place: str | None, options: Options, variables: Mapping[str, str], *, corrections: str = "") -> int:
    """Open the browser on the service that the environment describes; gives the exit status. Raises CommandFailure.

    `corrections` is a file of corrections of the collection at `place` to begin with, "" for none.
    """
    from svc_tui.config.paths import find_locations
    from svc_tui.config.preferences.preferences import FilePreferences
    from svc_tui.config.profiles.active_profile import resolve_connection
    from svc_tui.config.profiles.profiles import Profiles

    with translate_errors():
        locations = find_locations(variables, options.config)
        storage = RunStorage(locations, FilePreferences(locations, theme=options.theme))
        connection = resolve_connection(locations, variables, options.profile, read_only=options.read_only)
        check_place(place, connection.profile)
        others = OtherProfiles(Profiles(locations), variables, options.read_only)
        start = replace(BrowserStart.at(connection, storage, options, others, place), corrections=corrections)
        if wants_reader(options, storage.preferences.preferences):
            return read_aloud(start)
        check_terminal()
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
        if app.fault is None or not self.restarts or not _is_watched():
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
    return run_on_loop(_run(start, faults))


async def _run(start: BrowserStart, faults: CrashRecovery) -> int:
    app = await _run_once(start)
    while await faults.offer_restart(app):
        app = await _run_once(_resumed_start(start, app))
    return app.return_code or 0


def _resumed_start(start: BrowserStart, app: "SvcTui") -> BrowserStart:
    """The start after a fault: with the profile that was shown, at its remembered place."""
    start, name, others = replace(start, place=None, tour=False, corrections=""), app.profile_name, start.other_profiles
    if others is None or name == start.profile.name:
        return start
    return BrowserStart.at(others.connection(name), start.storage, start.options, others)


async def _run_once(start: BrowserStart) -> "SvcTui":
    """Run the browser once: the first frame is on the screen before anything that it does not show is loaded."""

    async def open_session() -> "Session":
        from svc_tui.bootstrap.first_session import FirstSession, load_main_screen

        return await FirstSession(start, stack, app, load_main_screen).open()

    loop = asyncio.get_running_loop()
    loop.call_later(GC_PAUSE_SECONDS, freeze_and_enable_gc)
    from svc_tui.domain.session.session import SessionStart
    from svc_tui.ui.app.browser_app import SvcTui

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
            session=open_session,
        )
        app = SvcTui(
            beginning,
            place=start.place,
            terminal=detect_abilities(os.environ),
            demo=start.other_profiles is None,
            tour=start.tour,
            corrections=start.corrections,
        )
        with quit_on_signals(lambda status: app.exit(return_code=status), lambda: app.terminal_lent):
            await deliver_pending_interrupt()
            await app.run_async(mouse=preferences.preferences.mouse)
        if app.refused:
            raise CommandFailure(app.refused)
        return app


def asks_for_reader(options: Options, variables: Mapping[str, str]) -> bool:
    """Whether the user wants lines in place of a screen, before anything else is known. Raises CommandFailure."""
    from svc_tui.config.paths import find_locations
    from svc_tui.config.preferences.preferences import FilePreferences

    with translate_errors():
        return wants_reader(options, FilePreferences(find_locations(variables, options.config)).preferences)


def wants_reader(options: Options, preferences: Preferences) -> bool:
    """Whether the user wants lines in place of a screen: an option or a variable beats `config.toml`."""
    return preferences.reader if options.reader is None else options.reader


def read_aloud(start: BrowserStart) -> int:
    """Run the reader in the browser's place; gives the exit status. Raises CommandFailure."""
    from svc_tui.bootstrap.reader import converse

    if start.tour or start.corrections:
        raise CommandFailure("the reader has no tour and takes no file of corrections; leave out --reader, or that")
    return converse(start)


def check_place(place: str | None, profile: Profile) -> None:
    """Refuse a word that names nothing; paths and links are the browser's to judge."""
    if place is None or place.startswith(("/", "svctui://")):
        return
    from svc_tui.domain.http.routes import parse_place

    parse_place(place, profile.catalog)


def check_terminal() -> None:
    """Refuse to draw where nobody looks."""
    if not _is_watched():
        raise CommandFailure("the browser needs a terminal; in a script, use svc-tui request")
    if os.environ.get("TERM") in ("dumb", "unknown"):
        term = os.environ["TERM"]
        raise CommandFailure(
            f"the browser can't draw on this terminal, which says that it can do nothing but lines (TERM={term}); set "
            "TERM to what it is, such as xterm-256color, or use svc-tui request"
        )


def _is_watched() -> bool:
    """Whether keys come from a terminal, and what is drawn goes to one."""
    return all(stream is not None and stream.isatty() for stream in (sys.stdin, drawing_stream()))
