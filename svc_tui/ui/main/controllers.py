"""The crew of the main screen: one for each kind of work, made and made known to one another here, and nowhere else.

Those who are rarely needed are made, and imported, when they first are.
"""

from collections.abc import Awaitable, Callable, Coroutine, Iterator
from datetime import datetime
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol

from textual.screen import Screen

from svc_tui.domain.http.gateway import Reading
from svc_tui.domain.model.records import Place
from svc_tui.ui.console.controller import Trying
from svc_tui.ui.console.history import Recalling
from svc_tui.ui.console.saved_requests import Filing
from svc_tui.ui.editing.controller import Editing
from svc_tui.ui.help.hints import Hinting
from svc_tui.ui.journal.session_log import Books, Shelves
from svc_tui.ui.main.availability import SwitchedOff
from svc_tui.ui.main.workspace import Workspace
from svc_tui.ui.navigation.controller import Wayfinding
from svc_tui.ui.navigation.profile_switch import Show, Switching
from svc_tui.ui.record.controller import Inspecting
from svc_tui.ui.record.copy import Copying
from svc_tui.ui.report import Report
from svc_tui.ui.session.drafts import Desk
from svc_tui.ui.session.privacy_mask import Veil
from svc_tui.ui.session.remembered_choices import Remembering
from svc_tui.ui.session.session import Supplies
from svc_tui.ui.sidebar.pane import Sidebar
from svc_tui.ui.table.column_controller import Looking
from svc_tui.ui.table.pane import BrowsePane
from svc_tui.ui.table.view_controller import Arranging
from svc_tui.ui.terminal.external_editor import Outside
from svc_tui.ui.writes.unsent import Unsent
from svc_tui.ui.writes.unsent_forms import Begun

if TYPE_CHECKING:
    from svc_tui.ui.console.answers import Answering
    from svc_tui.ui.console.pane import ConsolePane
    from svc_tui.ui.dialogs.command_palette import Command
    from svc_tui.ui.editing.field_editing import Amending
    from svc_tui.ui.export.controller import Exporting
    from svc_tui.ui.writes.record_actions import Acting
    from svc_tui.ui.writes.write_context import Writing


class Go(Protocol):
    """Opens a place; `reading` is one of its record made just now."""

    def __call__(self, place: Place, reading: Reading | None = None) -> None: ...


class Crew:
    """Everybody who works for one main screen, by what they do; their work runs in workers of the screen."""

    def __init__(
        self,
        screen: Screen[Any],
        supplies: Supplies,
        veil: Veil,
        workspace: Callable[[], Workspace],
        sidebar: Callable[[], Sidebar],
        tell: Callable[[Report], None],
        ask: Callable[[Coroutine[Any, Any, None]], None],
        go: Go,
        show: Show,
    ) -> None:
        """Make the crew before the panes are there; `tell` says something, `ask` runs what opens a dialog, `show`
        shows another session.
        """
        self._screen, self._supplies, self._veil, self._workspace = screen, supplies, veil, workspace
        self._tell, self._ask, self._go = tell, ask, go
        gateway, profile, preferences = supplies.gateway, supplies.profile, supplies.preferences
        journal, files, collections, tz = supplies.journal, supplies.files, supplies.collections, supplies.tz
        self._exporting: Exporting | None = None

        def at_hand() -> BrowsePane:
            return workspace().at_hand

        def console() -> "Awaitable[ConsolePane]":
            return workspace().console()

        self.remembering = Remembering(
            supplies.store, profile.name, lambda line: tell(Report(line, severity="warning"))
        )
        self.editing = Editing(
            screen,
            gateway,
            profile,
            preferences,
            journal,
            Desk(supplies.drafts, supplies.now),
            tell,
            supplies.monotonic,
            veil,
        )
        self.hinting = Hinting(screen, self.remembering, self.editing, workspace, sidebar, on=preferences.hints)
        self.switched_off = SwitchedOff(workspace, self.editing, history_kept=bool(preferences.history_limit))
        self.begun = Begun(screen, supplies.forms, tell, supplies.now)
        self.unsent = Unsent(
            screen,
            self.editing.desk,
            self.begun,
            go,
            ask,
            self.editing.put,
            lambda purpose: self.acting.go_on(purpose),
            veil,
            lasting=supplies.lasting,
        )
        self.outside = Outside(lambda: screen.app, supplies.editor, files, tell)
        self.copying = Copying(screen, gateway, files, tell, veil)
        self.books = Books(
            screen,
            gateway,
            profile,
            Shelves(journal, supplies.batches, files),
            self.editing,
            self.copying,
            veil,
            self._writing,
            ask,
            tell,
            tz,
        )
        self.arranging = Arranging(
            screen, at_hand, self.remembering, tell, lambda key, names: sidebar().set_views(key, names)
        )
        self.looking = Looking(screen, workspace, self.remembering, tell, tz)
        self.inspecting = Inspecting(screen, gateway, journal, workspace, ask, go, tell, tz)
        self.switching = Switching(screen, supplies.sessions, profile.name, self._may_leave, show, tell)
        self.wayfinding = Wayfinding(
            screen,
            gateway,
            collections,
            lambda text: workspace().home_of(text),
            lambda key: self.remembering.habit(key).named,
            self.switching,
        )
        self.filing = Filing(
            screen,
            supplies.requests,
            gateway,
            collections,
            console,
            lambda kept: sidebar().set_requests(kept),
            tell,
        )
        recalling = Recalling(screen, supplies.history, gateway, profile, preferences, veil, console, tell, tz)
        self.trying = Trying(gateway, self.editing, recalling, self.filing, tell)

    def take_up(self) -> None:
        """Take up what earlier sessions left: drafts, forms, batches, saved requests."""
        self._screen.run_worker(self.editing.load(), group="drafts")
        self._screen.run_worker(self.begun.load(), group="drafts")
        self._screen.run_worker(self.books.take_up(), group="batches")
        self._screen.run_worker(self.filing.load(), group="saved-requests")

    def commands(self, command: "type[Command]") -> "Iterator[Command]":
        """What the palette offers of their work that no key does."""
        yield command(
            "Load the rest…",
            "Read what is missing: filter, order and summary go by it",
            lambda: self._ask(self.arranging.load_rest()),
        )
        yield command(
            "Save this view…",
            "Keep filter, order and columns under a name",
            lambda: self._ask(self.arranging.save_view()),
        )
        yield self._workspace().at_hand.watching.command(command)
        yield self.hinting.command(command)
        yield from self.unsent.commands(command)
        yield from self.books.commands(command)
        yield from self.trying.commands(command, self._ask)
        yield from self.switching.commands(command, self._ask)

    async def _may_leave(self) -> bool:
        """Whether the session may end: nothing is under way in it; where one was is remembered."""
        if not await self.editing.may_leave("go"):
            return False
        if self._exporting is not None and self._exporting.running:
            self._tell(Report("An export is under way. Wait for it, or stop it with esc, then go.", severity="warning"))
            return False
        await self.remembering.left(self._workspace().stay)
        return True

    # Made when first needed

    @cached_property
    def amending(self) -> "Amending":
        """What opens the editors."""
        from svc_tui.ui.editing.field_editing import Amending

        supplies = self._supplies
        return Amending(
            self._screen,
            supplies.gateway,
            supplies.profile,
            self.editing,
            self._workspace,
            self.outside,
            self._tell,
            supplies.tz,
        )

    @cached_property
    def answering(self) -> "Answering":
        """What serves the answers of the console."""
        from svc_tui.ui.console.answers import Answering

        files, tz = self._supplies.files, self._supplies.tz
        return Answering(self._screen, files, self.copying, self._veil, self.inspecting.page_text, self._tell, tz)

    @cached_property
    def acting(self) -> "Acting":
        """What does with records what is more than an edit."""
        from svc_tui.ui.writes.record_actions import Acting

        supplies = self._supplies
        return Acting(
            self._writing(),
            supplies.journal,
            supplies.tz,
            self._workspace().home_of,
            self.export,
            self.books.change_marked,
        )

    def _writing(self) -> "Writing":
        from svc_tui.ui.writes.write_context import Writing

        supplies = self._supplies
        return Writing(
            self._screen,
            supplies.gateway,
            supplies.profile,
            self.editing,
            self.begun,
            self._workspace(),
            supplies.routes,
            supplies.collections,
            self._tell,
            self._go,
        )

    async def rotate(self) -> None:
        """Put a new key pair in the place of the session's own."""
        from svc_tui.ui.connect.rotate import rotate

        await rotate(self._screen, self._supplies, self._workspace().refresh_all, self._tell)

    async def export(self) -> None:
        """Export what the table shows, asked how and where to."""
        if self._exporting is None:
            from svc_tui.ui.export.controller import Exporting

            supplies = self._supplies
            self._exporting = Exporting(
                self._screen,
                supplies.gateway,
                supplies.files,
                lambda: self._workspace().at_hand,
                self._tell,
                lambda: datetime.now(supplies.tz),
                supplies.monotonic,
                self._veil,
            )
        await self._exporting.ask()

    def stop_exporting(self) -> bool:
        """Stop an export under way; False where there is none."""
        return self._exporting is not None and self._exporting.stop()
