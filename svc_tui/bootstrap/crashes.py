"""What is done after a fault of the program's own: it is told, and the program starts again or ends."""

import asyncio
import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from svc_tui.bootstrap.signals import quit_on_signals
from svc_tui.bootstrap.start import CommandFailure, Options
from svc_tui.bootstrap.terminal import detect_abilities
from svc_tui.domain.app.crash import Fault

if TYPE_CHECKING:
    from svc_tui.config.preferences.preferences import FilePreferences
    from svc_tui.ui.app.base_app import OwnApp

RESTARTS = 2
"""How often a program is started again after a fault; one that goes on failing ends with its last words."""


@dataclass
class CrashRecovery:
    """The faults of one run of the program; `options` and `variables` are what a report tells of it."""

    options: Options
    variables: Mapping[str, str]
    preferences: "FilePreferences"
    restarts: int = RESTARTS

    async def offer_restart(self, app: "OwnApp[None]") -> bool:
        """Whether the app, which has ended, is to be started again; asks, where a fault ended it and somebody looks.

        The last words of the app stand on the terminal already, and its exit status holds, whatever comes of this.
        """
        if app.fault is None or not self.restarts or not (sys.stdin.isatty() and sys.stderr.isatty()):
            return False
        self.restarts -= 1
        from svc_tui.ui.app.crash_app import Faulted
        from svc_tui.ui.app.crash_screen import Faulty

        fault, where = app.fault, Path.cwd()
        told = Faulty(fault, app.reassurance, app.log_file, lambda: asyncio.to_thread(self._report, fault, where))
        preferences = self.preferences.preferences
        asking = Faulted(told, self.preferences.palettes(), preferences, terminal=detect_abilities(os.environ))
        with quit_on_signals(lambda _: asking.exit(False)):
            return bool(await asking.run_async(mouse=preferences.mouse))

    def _report(self, fault: Fault, directory: Path) -> str:
        """Write a report into the directory; gives the line to show."""
        from svc_tui.bootstrap.report_bundle import write_report_bundle
        from svc_tui.domain.doctor.diagnosis import Check, Verdict

        file = directory / f"svc-tui-report-{datetime.now():%Y%m%d-%H%M%S}.md"
        try:
            write_report_bundle(file, self.options, self.variables, [Check("fault", Verdict.FAILED, str(fault))])
        except CommandFailure as stopped:
            return f"There is no report: {stopped}"
        return f"The report is in {file}; read it before you pass it on."
