"""Opens the welcome screen, then the demo or the new profile."""

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING

from svc_tui.bootstrap.browser import browse, check_terminal
from svc_tui.bootstrap.demo import demo
from svc_tui.bootstrap.new_profile import ProfileConnector
from svc_tui.bootstrap.sandbox.service import ServiceOptions
from svc_tui.bootstrap.signal_handlers import deliver_pending_interrupt, quit_on_signals
from svc_tui.bootstrap.start import Options, translate_errors
from svc_tui.core.values import replace
from svc_tui.platform.event_loops import run_on_loop
from svc_tui.ui.terminal.abilities import detect_abilities

if TYPE_CHECKING:
    from svc_tui.config.preferences.preferences import FilePreferences


def welcome(place: str | None, options: Options, variables: Mapping[str, str]) -> int:
    """Ask what to open, open it, and return the exit status, 0 if nothing was chosen. Raises CommandFailure."""
    from svc_tui.config.paths import find_locations
    from svc_tui.config.preferences.preferences import FilePreferences
    from svc_tui.ui.connect.welcome_page import DEMO

    with translate_errors():
        locations = find_locations(variables, options.config)
        preferences = FilePreferences(locations, theme=options.theme)
        check_terminal()
    connecting = ProfileConnector(options, variables)
    status, chosen = run_on_loop(_run_welcome(connecting, preferences))
    if status or chosen is None:
        return status
    if chosen == DEMO:
        return demo(place, options, ServiceOptions(), variables, live=False, tour=True)
    return browse(place, replace(options, profile=chosen), connecting.variables)


async def _run_welcome(connecting: ProfileConnector, preferences: "FilePreferences") -> tuple[int, str | None]:
    """Return the exit status, and the choice or None."""
    from svc_tui.ui.app.welcome_app import WelcomeApp

    app = WelcomeApp(connecting, preferences.palettes(), preferences.preferences, terminal=detect_abilities(os.environ))
    with quit_on_signals(lambda status: app.exit(return_code=status), lambda: False):
        await deliver_pending_interrupt()
        chosen = await app.run_async(mouse=preferences.preferences.mouse)
    return app.return_code or 0, chosen
