"""The app that opens where nothing is set up: to the demo, or to a key that the user connects."""

from collections.abc import Sequence

from textual.screen import Screen

from svc_tui.connect.new_connection import ConnectionSetup
from svc_tui.core.settings import Palette, Preferences
from svc_tui.ui.app.base_app import BaseApp
from svc_tui.ui.connect.welcome_page import WelcomeScreen
from svc_tui.ui.keys.keymap import check_keymap
from svc_tui.ui.terminal.abilities import ALL_ABILITIES, TerminalAbilities


class WelcomeApp(BaseApp[str]):
    """Gives the name of the profile that was made, `doors.DEMO` for the demo, or None."""

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
        """The two doors are the first page and the last."""
        return WelcomeScreen(self._connecting)

    def _is_dialog_pending(self) -> bool:
        """Whether a page has just been opened, and nothing on it has the focus yet."""
        return self.screen.focused is None
