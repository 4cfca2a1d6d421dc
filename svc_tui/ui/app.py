"""The app: its commands, the traffic signal, and the main screen. What it works with comes in by its constructor.

Palette and dialogs are imported where they open, so that the first paint does not wait for them.
"""

import asyncio
import time
from collections.abc import Callable, Sequence
from datetime import UTC, tzinfo
from functools import partial
from typing import TYPE_CHECKING

from textual import events
from textual.binding import Binding
from textual.screen import Screen
from textual.signal import Signal

from svc_tui.domain.credentials import Environment
from svc_tui.domain.gateway import (
    Batches,
    Drafts,
    Files,
    Forms,
    Gateway,
    History,
    Journal,
    PreferenceStore,
    SavedRequests,
    TextEditor,
)
from svc_tui.domain.settings import Preferences, Profile
from svc_tui.domain.terminals import EVERYTHING, Abilities
from svc_tui.domain.traffic import TrafficEvent
from svc_tui.ui.keys import checked
from svc_tui.ui.ownapp import OwnApp
from svc_tui.ui.screens.main import MainScreen
from svc_tui.ui.supplies import Supplies
from svc_tui.ui.veil import MASKED

if TYPE_CHECKING:
    from svc_tui.ui.guide import Page
    from svc_tui.ui.palette import Command


class SvcTui(OwnApp[None]):
    """The browser over one gateway."""

    REASSURANCE = "Edits not sent are kept."
    ENABLE_COMMAND_PALETTE = True
    BINDINGS = [
        Binding(
            "ctrl+p", "command_palette", "Commands", id="app.palette", priority=True, tooltip="Run any command by name"
        ),
        Binding(
            "ctrl+o",
            "mask",
            "Mask",
            id="app.mask",
            priority=True,
            show=False,
            tooltip="Hide personal data everywhere while others look on, or show it again",
        ),
        Binding(
            "ctrl+q",
            "quit_asking",
            "Quit",
            id="app.quit",
            priority=True,
            show=False,
            tooltip="Leave; asks when something is not sent",
        ),
    ]

    def __init__(
        self,
        *,
        gateway: Gateway,
        profile: Profile,
        journal: Journal,
        batches: Batches,
        drafts: Drafts,
        forms: Forms,
        history: History,
        requests: SavedRequests,
        preferences: Preferences,
        store: PreferenceStore,
        files: Files,
        editor: TextEditor,
        place: str | None = None,
        notices: Sequence[str] = (),
        monotonic: Callable[[], float] = time.monotonic,
        lasting: bool = True,
        tz: tzinfo = UTC,
        terminal: Abilities = EVERYTHING,
    ) -> None:
        """Make the app; `lasting` says whether what `drafts` keeps outlives the program, times are shown in `tz`.

        What is drawn is what `terminal` can show.
        """
        super().__init__(store.palettes(), preferences.theme, terminal=terminal)
        self.traffic: Signal[TrafficEvent] = Signal(self, "traffic")
        self._store = store
        keymap = checked(preferences.keys)
        supplies = Supplies(
            gateway=gateway,
            profile=profile,
            preferences=preferences,
            store=store,
            journal=journal,
            batches=batches,
            drafts=drafts,
            forms=forms,
            history=history,
            requests=requests,
            files=files,
            editor=editor,
            monotonic=monotonic,
            tz=tz,
            lasting=lasting,
        )
        told = (*notices, *keymap.mistakes)
        self._make_main: Callable[[], MainScreen] = lambda: MainScreen(supplies, self.traffic, place, told)
        gateway.listen(self.traffic.publish)
        self.set_class(gateway.environment is Environment.LIVE, "-live")
        self.set_keymap(dict(keymap.keys))

    async def on_event(self, event: events.Event) -> None:
        """Whatever somebody presses, clicks or pastes anywhere is a sign of them: an idle LIVE locks itself."""
        if isinstance(event, events.Key | events.MouseDown | events.Paste) and self.screen_stack:
            self.main.crew.editing.touched()
        await super().on_event(event)

    def _dialog_is_coming(self) -> bool:
        """Whether keys must wait for a dialog that was asked for, or for what it was asked for."""
        return self.main.asking and (self.screen is self.main or self.screen.focused is None)

    def get_default_screen(self) -> Screen[None]:
        """The main screen is the first and the last."""
        return self._make_main()

    @property
    def main(self) -> MainScreen:
        """The main screen, under whatever dialog is open."""
        main = self.screen_stack[0]
        assert isinstance(main, MainScreen)
        return main

    def action_quit_asking(self) -> None:
        """Leave from anywhere, asking as the main screen does."""
        self.main.quit_asking()

    def action_mask(self) -> None:
        """Hide personal data, or show it again, whatever dialogs are open."""
        self.main.turn_mask()
        from svc_tui.ui.screens.dialog import Dialog

        self.set_class(self.main.veil.on, MASKED)
        for screen in self.screen_stack:
            if isinstance(screen, Dialog):
                screen.veil_turned(self.main.veil.on)

    def _show_messages(self) -> None:
        from svc_tui.ui.screens.messages import MessagesScreen

        self.push_screen(MessagesScreen(self.main.seen_reports))

    def action_command_palette(self) -> None:
        """Every action that is active here, and the program's own commands."""
        from svc_tui.ui.palette import CommandsScreen, command_provider

        if not isinstance(self.screen, CommandsScreen):
            self.push_screen(CommandsScreen([command_provider(self._own_commands)]))

    def _own_commands(self) -> "list[Command]":
        from svc_tui.ui.palette import Command, theme_commands

        return [
            *theme_commands(tuple(self._palettes.values()), self._use_theme),
            Command("Themes…", "Choose a theme while seeing it", self._ask_theme),
            *self.main.crew.commands(Command),
            *self._guide_commands(Command),
            Command("Messages", "What the program said in this session", self._show_messages),
        ]

    def _guide_commands(self, make: "type[Command]") -> "list[Command]":
        from svc_tui.ui.guide import PAGES

        return [
            make(f"Guide: {page.title}", "A page of the user guide", partial(self._open_guide, page)) for page in PAGES
        ]

    def _open_guide(self, page: "Page") -> None:
        from svc_tui.ui.screens.guide import GuideScreen

        self.push_screen(GuideScreen(page))

    def _ask_theme(self) -> None:
        self.run_worker(self._choose_theme(), group="dialogs")

    async def _choose_theme(self) -> None:
        from svc_tui.ui.screens.theme import ThemeScreen

        name = await self.push_screen_wait(ThemeScreen(tuple(self._palettes.values())))
        if name is not None:
            self._use_theme(name)

    def _use_theme(self, name: str) -> None:
        self.theme = name
        self.run_worker(self._remember_theme(name), group="preferences")

    async def _remember_theme(self, name: str) -> None:
        try:
            await asyncio.to_thread(self._store.remember_theme, name)
        except OSError as error:
            reason = error.strerror or type(error).__name__
            self.notify(f"The theme could not be remembered: {reason}", severity="warning", markup=False)
