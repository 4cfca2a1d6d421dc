"""Runs the screens, and starts them again after a crash."""

import asyncio
import os
from collections.abc import Mapping
from contextlib import AsyncExitStack
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from svc_tui.bootstrap.environment import reader_problem, screen_problem
from svc_tui.bootstrap.signal_handlers import deliver_pending_interrupt, quit_on_signals
from svc_tui.bootstrap.start import CommandFailure, Options
from svc_tui.bootstrap.startup import BrowserStart, InterfaceEnd
from svc_tui.config.slow_calls import notices_shown_by
from svc_tui.core.gc_control import freeze_and_enable_gc
from svc_tui.core.values import replace
from svc_tui.platform.event_loops import run_on_loop
from svc_tui.ui.app.crash import Crash
from svc_tui.ui.terminal.abilities import detect_abilities

if TYPE_CHECKING:
    from svc_tui.bootstrap.first_session import FirstSession
    from svc_tui.config.preferences.preferences import FilePreferences
    from svc_tui.session.session import Session
    from svc_tui.ui.app.base_app import BaseApp
    from svc_tui.ui.app.browser_app import SvcTui

GC_PAUSE_SECONDS = 1.0
"""Seconds of the start without the garbage collector, which takes a fifth of the time to the first records."""


RESTARTS = 2
"""The number of restarts after internal errors."""


@dataclass
class CrashRecovery:
    """The restarts of one run of the program; reports contain its `options` and `variables`."""

    options: Options
    variables: Mapping[str, str]
    preferences: "FilePreferences"
    restarts: int = RESTARTS

    async def offer_restart(self, app: "BaseApp[None]") -> bool:
        """Return True if an app that an internal error ended is to be started again; ask the user, if there is one.

        The message of the app is in the terminal already, and its exit status does not change.
        """
        if app.fault is None or not self.restarts or screen_problem():
            return False
        self.restarts -= 1
        from svc_tui.ui.app.crash_app import CrashApp, CrashedApp

        fault, where = app.fault, Path.cwd()
        crashed = CrashedApp(
            fault, app.reassurance, app.log_file, lambda: asyncio.to_thread(self._report, fault, where)
        )
        preferences = self.preferences.preferences
        asking = CrashApp(crashed, self.preferences.palettes(), preferences, terminal=detect_abilities(os.environ))
        with quit_on_signals(lambda _: asking.exit(False)):
            return bool(await asking.run_async(mouse=preferences.mouse))

    def _report(self, fault: Crash, directory: Path) -> str:
        """Write a report into the directory; return the line to show."""
        from svc_tui.bootstrap.doctor.report_bundle import write_report_bundle
        from svc_tui.connect.checks import CheckResult, CheckVerdict

        file = directory / f"svc-tui-report-{datetime.now():%Y%m%d-%H%M%S}.md"
        try:
            write_report_bundle(
                file, self.options, self.variables, [CheckResult("fault", CheckVerdict.FAILED, str(fault))]
            )
        except CommandFailure as stopped:
            return f"The report can't be saved: {stopped}"
        return f"Saved the report to {file}. Read it before you share it."


@dataclass(frozen=True, slots=True)
class _Ended:
    """A run of the app, and the start of the reader that continues it, or None."""

    app: "SvcTui"
    following: BrowserStart | None


def run_screens(start: BrowserStart, faults: CrashRecovery) -> InterfaceEnd:
    """Run the screens until the user quits, or internal errors end them; raises CommandFailure if they can't open."""
    return run_on_loop(_run(start, faults))


async def _run(start: BrowserStart, faults: CrashRecovery) -> InterfaceEnd:
    ended = await _run_once(start)
    while await faults.offer_restart(ended.app):
        ended = await _run_once(_resumed_start(start, ended.app))
    return InterfaceEnd(ended.app.return_code or 0, ended.following)


def _resumed_start(start: BrowserStart, app: "SvcTui") -> BrowserStart:
    """Return the start after an internal error: with the profile shown then, at its remembered place."""
    # The state from the reader may be older than what is stored.
    start = replace(start, place=None, tour=False, corrections="", carried=None)
    name, others = app.profile_name, start.other_profiles
    if others is None or name == start.profile.name:
        return start
    return replace(BrowserStart.at(others.connection(name), start.storage, start.options, others), kept=start.kept)


async def _run_once(start: BrowserStart) -> _Ended:
    """Run the screens once; the first frame is on the screen before the rest is loaded."""
    first: FirstSession | None = None

    async def open_session() -> "Session":
        from svc_tui.bootstrap.first_session import FirstSession, load_main_screen

        nonlocal first
        first = FirstSession(start, stack, app, load_main_screen)
        return await first.open()

    loop = asyncio.get_running_loop()
    loop.call_later(GC_PAUSE_SECONDS, freeze_and_enable_gc)
    from svc_tui.session.session import SessionStart
    from svc_tui.ui.app.browser_app import SvcTui
    from svc_tui.ui.text import visible

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
            carried=start.carried,
            reader_problem=reader_problem(),
        )

        def show_notice(text: str) -> None:
            # A command is named as its profile writes it.
            loop.call_soon_threadsafe(partial(app.notify, visible(text), markup=False))

        with (
            quit_on_signals(app.exit_after_input, lambda: app.terminal_lent),
            notices_shown_by(show_notice),
        ):
            await deliver_pending_interrupt()
            await app.run_async(mouse=preferences.preferences.mouse)
        if app.refused:
            raise CommandFailure(app.refused)
        carried = app.handed_over
        return _Ended(app, None if carried is None or first is None else first.following(carried))
