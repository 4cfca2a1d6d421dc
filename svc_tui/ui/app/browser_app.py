"""The browser: an app with a main screen for the session, the palette, the tour, and what works in every dialog.

The first paint waits only for what it shows: the main screen and its features are loaded behind the first frame,
palette and dialogs when they open.
"""

import asyncio
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING

from textual import events
from textual.await_complete import AwaitComplete
from textual.binding import Binding
from textual.geometry import Region
from textual.signal import Signal

from svc_tui.core.credentials import Environment
from svc_tui.session.hand_over import HandOver
from svc_tui.session.session import Session, SessionRefused, SessionStart
from svc_tui.ui.app.base_app import BaseApp
from svc_tui.ui.keys.command import Command
from svc_tui.ui.keys.key_scopes import Scope, key_scope
from svc_tui.ui.main.first_frame import FirstFrame
from svc_tui.ui.terminal.abilities import ALL_ABILITIES, TerminalAbilities
from svc_tui.ui.terminal.key_queue import RoundTrip
from svc_tui.ui.text import MASKED_CLASS

if TYPE_CHECKING:
    from svc_tui.service.traffic import TrafficEvent
    from svc_tui.ui.app.tour import TourController
    from svc_tui.ui.main.screen import MainScreen
    from svc_tui.ui.report import Report

_SENDING_SECONDS = 10.0
"""Seconds to wait for the outcome of a write in flight after a signal to end."""


@key_scope(Scope.TOUR)
class TourKeys(BaseApp[None]):
    """The keys of the tour; without a tour, other actions may have them."""

    BINDINGS = [
        Binding("f12", "tour('next')", "Skip this step", id="tour.next", priority=True, show=False,
                tooltip="Skip this step of the tour"),
        Binding("f11", "tour('back')", "Previous step", id="tour.back", priority=True, show=False,
                tooltip="Go back to the previous step of the tour"),
        Binding("ctrl+x", "tour('end')", "End the tour", id="tour.end", priority=True, show=False,
                tooltip="End the tour"),
    ]  # fmt: skip


@key_scope(Scope.EVERYWHERE)
class SvcTui(TourKeys):
    """The browser, with one session at a time."""

    DEFAULT_MODE = "first frame"
    BINDINGS = [
        Binding(
            "ctrl+right_square_bracket",
            "reader",
            "Reader",
            id="app.reader",
            priority=True,
            show=False,
            tooltip="Switch to the reader: plain lines for a screen reader; type screen to return",
        ),
        Binding(
            "ctrl+p", "command_palette", "Commands", id="app.palette", priority=True, tooltip="Search and run a command"
        ),
        Binding(
            "ctrl+o",
            "mask",
            "Mask data",
            id="app.mask",
            priority=True,
            show=False,
            tooltip="Mask or unmask personal data",
        ),
        Binding(
            "ctrl+q",
            "quit_asking",
            "Quit",
            id="app.quit",
            priority=True,
            show=False,
            tooltip="Quit (asks first if there are drafts or forms)",
        ),
    ]

    def __init__(
        self,
        beginning: SessionStart,
        *,
        place: str | None = None,
        terminal: TerminalAbilities = ALL_ABILITIES,
        demo: bool = False,
        tour: bool = False,
        corrections: str = "",
        carried: HandOver | None = None,
        reader_problem: str = "",
    ) -> None:
        """Create the app, which opens its first session at `place` when the first frame is on the screen.

        `corrections` is a file of corrections to open, "" for none. The data of a `demo` is fictional: the tour can be
        taken there, and `tour` begins it. `carried` is the state taken over from the reader, `reader_problem` the
        reason why the reader can't be used, or "".
        """
        super().__init__(beginning.store.palettes(), beginning.preferences, terminal=terminal)
        self.refused = ""
        """The reason why the first session was not opened, which ended the app; else ""."""
        self._carried, self._reader_problem = carried, reader_problem
        self.handed_over: HandOver | None = None
        """The state for the reader, if the app ended to continue there."""
        self._beginning, self._place = beginning, place
        self._session: Session | None = None
        self._sessions_shown = 0
        self._early_reports: list[Report] = []
        """Reports posted before there is a main screen to show them."""
        self.on_demo, self._begins_with_tour = demo, tour
        self._tour: TourController | None = None
        self._corrections = corrections
        self._recent_commands: list[str] = []
        """The titles of the commands run from the palette, the latest last."""
        # Until the main screen is there, these keys quit at once: there is nothing to ask about.
        self._quit_keys = beginning.preferences.keys.get("app.quit", "ctrl+q").replace(" ", "").split(",")
        self._set_reassurance(beginning.lasting)
        self._set_live_class(beginning.environment)
        self._key_queue.hold()

    @property
    def profile_name(self) -> str:
        """The name of the profile shown."""
        return (self._session or self._beginning).profile.name

    @property
    def opened(self) -> bool:
        """True if there is a main screen."""
        return self._session is not None

    @property
    def terminal_lent(self) -> bool:
        """True while the user's editor has the terminal."""
        return self._session is not None and self._session.editor.running

    # The first session

    def get_default_screen(self) -> FirstFrame:
        """Return the screen shown until the session is open."""
        return FirstFrame(self._beginning, self._place)

    def on_ready(self) -> None:
        """Open the session behind the first frame."""
        self.run_worker(self._open(), group="sessions")

    async def _open(self) -> None:
        try:
            session = await self._beginning.session()
        except SessionRefused as refusal:
            if not self._exit:
                self.refused = str(refusal)
            self.exit()
            return
        mistakes = self._apply_keymap(session.preferences.keys)
        self._set_reassurance(session.lasting)
        # Textual removes only modes that were added.
        self.add_mode(self.DEFAULT_MODE, self.get_default_screen)
        reports = [*self._early_reports, *mistakes]
        if self._carried is not None:
            from svc_tui.ui.navigation.profile_switch import announcement

            reports.append(announcement(session))
        await self._show_main_screen(session, self._place, reports, carried=self._carried)
        if self._begins_with_tour:
            self.take_tour()
        if self._corrections:
            self.main.ask(self.main.features.plans.from_file(self._corrections))
        await self._key_queue.release()

    def _apply_keymap(self, keys: Mapping[str, str]) -> "list[Report]":
        """Apply the user's keys; return a report for each mistake in them."""
        if not keys:
            return []
        from svc_tui.ui.keys.keymap import check_keymap
        from svc_tui.ui.report import Report

        keymap = check_keymap(keys)
        self.set_keymap(dict(keymap.keys))
        return [Report(mistake, severity="warning") for mistake in keymap.mistakes]

    def post_report(self, report: "Report") -> None:
        """Show a report, as soon as there is a main screen."""
        if self.opened:
            self.main.report(report)
        else:
            self._early_reports.append(report)

    # The session

    def _show_main_screen(
        self, session: Session, place: str | None, reports: "Sequence[Report]", *, carried: HandOver | None = None
    ) -> AwaitComplete:
        """Show the main screen of a session; when awaited, it is mounted, and the former screen is removed."""
        from svc_tui.ui.main.screen import MainScreen

        traffic: Signal[TrafficEvent] = Signal(self, "traffic")
        session.gateway.listen(traffic.publish)
        self._set_live_class(session.gateway.environment)
        main = MainScreen(session, traffic, place, reports, self._switch_session, carried=carried)
        self.set_class(main.privacy_mask.on, MASKED_CLASS)
        # Its styles were read when it was created: Textual would read and apply all styles twice more.
        main._css_update_count = self._css_update_count
        self._session, self._sessions_shown = session, self._sessions_shown + 1
        former_mode, mode = self.current_mode, f"session {self._sessions_shown}"
        self.add_mode(mode, lambda: main)
        mounted = self.switch_mode(mode)
        return AwaitComplete(mounted, self.remove_mode(former_mode))

    def _switch_session(self, session: Session, place: str | None, report: "Report") -> None:
        """Show another session, and end the former; the next start begins with the new one."""
        before = self._session
        assert before is not None
        self.clear_notifications()
        carried = HandOver(session.profile.name, masked=self.main.privacy_mask.on)
        removal = self._show_main_screen(session, place, [report], carried=carried)
        self.run_worker(self._end_session(before, removal), group="sessions")
        self._save_choice(partial(session.preference_store.remember_profile, session.profile.name), "profile")

    async def _end_session(self, session: Session, removal: AwaitComplete) -> None:
        await removal
        await session.sessions.leave(session)

    def _set_reassurance(self, lasting: bool) -> None:
        self.reassurance = "Drafts are kept." if lasting else ""

    def _set_live_class(self, environment: Environment) -> None:
        self.set_class(environment is Environment.LIVE, "-live")

    async def on_event(self, event: events.Event) -> None:
        """Note input, since LIVE is locked when there is none for a while.

        Keys and pastes wait for the main screen; a click before that is ignored.
        """
        if not self.opened:
            if isinstance(event, events.MouseEvent):
                return
            if isinstance(event, events.Key) and event.key in self._quit_keys:
                self.exit()
                return
        elif isinstance(event, events.Key | events.MouseDown | events.Paste) and self.screen_stack:
            self.main.features.lock.note_input()
        await super().on_event(event)

    def end_when_at_rest(self) -> None:
        """Exit once the writes in flight have an outcome, or after a few seconds."""
        if self.opened and self.screen_stack:
            self.run_worker(self._exit_once_sent(), group="end")
        else:
            super().end_when_at_rest()

    async def _exit_once_sent(self) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(_SENDING_SECONDS):
                await self.main.features.drafting.writes.wait_until_sent()
        super().end_when_at_rest()

    def _is_dialog_pending(self) -> bool:
        """Return True while a dialog is about to open, or its result is being carried out."""
        return self.main.asking and self.screen is self.main

    @property
    def main(self) -> "MainScreen":
        """The main screen, behind any open dialogs."""
        from svc_tui.ui.main.screen import MainScreen

        main = self.screen_stack[0]
        assert isinstance(main, MainScreen)
        return main

    @property
    def shown_value(self) -> Region | None:
        """The region of the value under the cursor of the main screen; None behind a dialog."""
        return self.main.workspace.panes.value_region if self.opened and len(self.screen_stack) == 1 else None

    # Keys that work everywhere

    def action_quit_asking(self) -> None:
        """Quit, after asking about unsent changes."""
        self.main.quit_asking()

    def action_reader(self) -> None:
        """Continue in the reader at the same place; not from a dialog, whose input would be lost."""
        problem = self._reader_problem
        if self.screen is not self.main:
            problem = "Close this dialog first, then switch to the reader."
        if problem:
            from svc_tui.ui.report import Report

            self.main.report(Report(f"{problem[0].upper()}{problem[1:]}", severity="warning"))
        else:
            self.main.leave_for_reader(self._hand_over)

    def _hand_over(self, carried: HandOver) -> None:
        self.handed_over = carried
        self.exit()

    def action_keys_here(self) -> None:
        """Show the keys that work in the dialog in front."""
        from svc_tui.ui.help.help_screen import HelpScreen
        from svc_tui.ui.keys.shortcuts import shortcuts

        if not isinstance(self.screen, HelpScreen):
            self.push_screen(HelpScreen(shortcuts(self, self.screen.active_bindings)))

    def action_mask(self) -> None:
        """Hide personal data, or show it again, in open dialogs too."""
        self.main.toggle_mask()
        from svc_tui.ui.dialogs.dialog import Dialog

        self.set_class(self.main.privacy_mask.on, MASKED_CLASS)
        for screen in self.screen_stack:
            if isinstance(screen, Dialog):
                screen.mask_toggled(self.main.privacy_mask.on)

    # The palette

    def action_command_palette(self) -> None:
        """Open the palette with the commands of the keys that work here, and those without a key."""
        from svc_tui.ui.dialogs.command_palette import CommandPaletteScreen, commands_of_keys

        if not isinstance(self.screen, CommandPaletteScreen):
            palette = CommandPaletteScreen(
                commands_of_keys(self), self._commands_without_key(), self._recent_commands, self._search_all
            )
            self.push_screen(palette, self._run_command)

    def _run_command(self, command: Command | None) -> None:
        if command is not None:
            self._recent_commands.append(command.title)
            self.call_later(command.run)

    def _search_all(self, text: str) -> None:
        main = self.main
        main.ask(main.features.finder.find(text))

    def _commands_without_key(self) -> list[Command]:
        from svc_tui.ui.help.guide_pages import PAGES

        themes, pages = (palette.title for palette in self._palettes.values()), (page.title for page in PAGES)
        return [
            *self.main.features.commands(),
            Command("Themes…", "Preview and choose a theme", self._ask_theme, " ".join(themes)),
            Command("Guide…", "Open the user guide", self._open_guide, " ".join(pages)),
            *self._tour_commands(),
            Command("Messages", "Show the messages of this session", self._show_messages),
        ]

    def _open_guide(self) -> None:
        from svc_tui.ui.help.guide_pages import PAGES
        from svc_tui.ui.help.guide_screen import GuideScreen

        self.push_screen(GuideScreen(PAGES[0]))

    def _show_messages(self) -> None:
        from svc_tui.ui.dialogs.message_log import MessageLogScreen

        self.push_screen(MessageLogScreen(self.main.seen_reports))

    def _ask_theme(self) -> None:
        self.run_worker(self._choose_theme(), group="dialogs")

    async def _choose_theme(self) -> None:
        from svc_tui.ui.help.theme_dialog import ThemeScreen

        name = await self.push_screen_wait(ThemeScreen(tuple(self._palettes.values())))
        if name is not None:
            self.theme = name
            self._save_choice(partial(self._beginning.store.remember_theme, name), "theme")

    def _save_choice(self, save: Callable[[], None], what: str) -> None:
        self.run_worker(self._try_to_save(save, what), group="preferences")

    async def _try_to_save(self, save: Callable[[], None], what: str) -> None:
        try:
            await asyncio.to_thread(save)
        except OSError as error:
            reason = error.strerror or type(error).__name__
            self.notify(f"Could not save the {what} for the next start: {reason}", severity="warning", markup=False)

    # The tour

    def take_tour(self) -> None:
        """Begin the tour; if the data is not fictional, say where it can be taken."""
        if not self.on_demo:
            from svc_tui.ui.report import Report

            body = "The tour changes records, so it runs only in the demo: svc-tui demo --tour"
            self.main.report(Report(body, "Tour not available here"))
            return
        from svc_tui.ui.app.tour import TourController

        self._tour = TourController(self, self.main)
        self.run_worker(self._tour.begin(), group="tour")

    def _tour_commands(self) -> Iterator[Command]:
        if self._tour is None:
            where = "Learn svc-tui in ten short steps" if self.on_demo else "Only in the demo: svc-tui demo --tour"
            yield Command("Take the tour", where, self.take_tour)

    def action_tour(self, step: str) -> None:
        """Go to the next step or the previous one, or end the tour; the next step after the last is the end."""
        if self._tour is None:
            return
        if step == "back":
            self._tour.back()
        elif step == "next" and not self._tour.is_finished:
            self._tour.skip()
        else:
            self._tour.end()
            self._tour = None

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Leave the keys of the tour to other actions while there is no tour."""
        return self._tour is not None if action == "tour" else super().check_action(action, parameters)

    async def on_round_trip(self, lap: RoundTrip) -> None:
        """Look what a key has done. Textual calls the handler of the base class too."""
        if self._tour is not None:
            self._tour.look()

    def on_dialog_opened(self) -> None:
        """Show the tour in a dialog, which may cover it."""
        if self._tour is not None:
            self._tour.look()
