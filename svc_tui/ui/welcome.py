"""The app that opens where nothing is set up: to the demo, or to a key that somebody connects."""

from collections.abc import Sequence

from textual.screen import Screen

from svc_tui.domain.newconnection import Connecting
from svc_tui.domain.settings import Palette, Preferences
from svc_tui.domain.terminals import EVERYTHING, Abilities
from svc_tui.ui.keys import checked
from svc_tui.ui.ownapp import OwnApp
from svc_tui.ui.screens.doors import DoorsScreen


class Welcome(OwnApp[str]):
    """Gives the name of the profile that was made, `doors.DEMO` for the demo, or None."""

    ENABLE_COMMAND_PALETTE = False

    def __init__(
        self,
        connecting: Connecting,
        palettes: Sequence[Palette],
        preferences: Preferences,
        *,
        terminal: Abilities = EVERYTHING,
    ) -> None:
        super().__init__(palettes, preferences, terminal=terminal)
        self._connecting = connecting
        self.set_keymap(dict(checked(preferences.keys).keys))

    def get_default_screen(self) -> Screen[None]:
        """The two doors are the first page and the last."""
        return DoorsScreen(self._connecting)

    def _dialog_is_coming(self) -> bool:
        """Whether a page has just been opened, and nothing on it has the focus yet."""
        return self.screen.focused is None
