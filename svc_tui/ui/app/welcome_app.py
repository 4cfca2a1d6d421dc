"""The app that opens if nothing is set up: it leads to the demo, or connects an API key."""

from collections.abc import Sequence

from textual.screen import Screen

from svc_tui.connect.new_connection import ConnectionSetup
from svc_tui.core.settings import Palette, Preferences
from svc_tui.ui.app.base_app import BaseApp
from svc_tui.ui.connect.welcome_page import WelcomeScreen
from svc_tui.ui.keys.keymap import check_keymap
from svc_tui.ui.terminal.abilities import ALL_ABILITIES, TerminalAbilities


class WelcomeApp(BaseApp[str]):
    """Returns the name of the new profile, `welcome_page.DEMO` for the demo, or None."""

    DEFAULT_CSS = "ConnectScreen, CheckScreen, StorageScreen { background: $role-background; }"

    def __init__(
        self,
        connecting: ConnectionSetup,
        palettes: Sequence[Palette],
        preferences: Preferences,
        *,
        terminal: TerminalAbilities = ALL_ABILITIES,
    ) -> None:
        super().__init__(palettes, preferences, terminal=terminal)
        self._connecting = connecting
        self.set_keymap(dict(check_keymap(preferences.keys).keys))

    def get_default_screen(self) -> Screen[None]:
        """Return the page with the two choices."""
        return WelcomeScreen(self._connecting)

    def _is_dialog_pending(self) -> bool:
        """Return True after a page has opened, while nothing on it has the focus yet."""
        return self.screen.focused is None
