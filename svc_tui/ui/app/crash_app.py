"""The app that opens after a fault of the program's own, to tell of it."""

from collections.abc import Sequence

from textual.screen import Screen

from svc_tui.core.settings import Palette, Preferences
from svc_tui.ui.app.base_app import BaseApp
from svc_tui.ui.app.crash_screen import CrashedApp, CrashScreen
from svc_tui.ui.terminal.abilities import ALL_ABILITIES, TerminalAbilities


class CrashApp(BaseApp[bool]):
    """Gives whether to start again."""

    def __init__(
        self,
        crashed: CrashedApp,
        palettes: Sequence[Palette],
        preferences: Preferences,
        *,
        terminal: TerminalAbilities = ALL_ABILITIES,
    ) -> None:
        super().__init__(palettes, preferences, terminal=terminal)
        self._crashed = crashed

    def get_default_screen(self) -> Screen[None]:
        """The first page and the last."""
        return CrashScreen(self._crashed)

    def _dialog_is_coming(self) -> bool:
        """Whether nothing has the focus yet."""
        return self.screen.focused is None
