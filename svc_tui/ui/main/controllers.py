"""The crew of the main screen: one for each kind of work, made and made known to one another here, and nowhere else.

Those who are rarely needed are made, and imported, when they first are.
"""

from collections.abc import Awaitable, Callable, Coroutine, Iterator
from datetime import datetime
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol

from textual.screen import Screen

from svc_tui.domain.http.gateway import RecordReading
from svc_tui.domain.model.records import Place
from svc_tui.ui.console.controller import RequestSender
from svc_tui.ui.console.history import HistoryController
from svc_tui.ui.console.saved_requests import SavedRequestsController
from svc_tui.ui.editing.controller import EditController
from svc_tui.ui.help.hints import HintController
from svc_tui.ui.journal.session_log import Books, Shelves
from svc_tui.ui.main.availability import SwitchedOff
from svc_tui.ui.main.workspace import Workspace
from svc_tui.ui.navigation.controller import NavigationController
from svc_tui.ui.navigation.profile_switch import ProfileSwitchController, Show
from svc_tui.ui.record.controller import RecordController
from svc_tui.ui.record.copy import CopyController
from svc_tui.ui.report import Report
from svc_tui.ui.session.drafts import Drafts
from svc_tui.ui.session.privacy_mask import PrivacyMask
from svc_tui.ui.session.remembered_choices import RememberedChoices
from svc_tui.ui.session.session import Session
from svc_tui.ui.sidebar.pane import Sidebar
from svc_tui.ui.table.column_controller import ColumnsController
from svc_tui.ui.table.pane import TablePane
from svc_tui.ui.table.view_controller import ViewController
from svc_tui.ui.terminal.external_editor import ExternalEditor
from svc_tui.ui.writes.unsent import Unsent
from svc_tui.ui.writes.unsent_forms import UnsentForms

if TYPE_CHECKING:
    from svc_tui.ui.console.answers import AnswerController
    from svc_tui.ui.console.pane import ConsolePane
    from svc_tui.ui.dialogs.command_palette import Command
    from svc_tui.ui.editing.field_editing import FieldEditing
    from svc_tui.ui.export.controller import ExportController
    from svc_tui.ui.writes.record_actions import RecordActions
    from svc_tui.ui.writes.write_context import Writing


class Go(Protocol):
    """Opens a place; `reading` is one of its record made just now."""

    def __call__(self, place: Place, reading: RecordReading | None = None) -> None: ...


class Controllers:
    """Everybody who works for one main screen, by what they do; their work runs in workers of the screen."""

    def __init__(
        self,
        screen: Screen[Any],
        session: Session,
        privacy_mask: PrivacyMask,
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
        self._screen, self._session, self._privacy_mask, self._workspace = screen, session, privacy_mask, workspace
        self._tell, self._ask, self._go = tell, ask, go
        gateway, profile, preferences = session.gateway, session.profile, session.preferences
        journal, files, collections, tz = session.journal, session.files, session.collections, session.tz
        self._exporting: ExportController | None = None

        def at_hand() -> TablePane:
            return workspace().at_hand

        def console() -> "Awaitable[ConsolePane]":
            return workspace().console()

        self.remembered = RememberedChoices(
            session.preference_store, profile.name, lambda line: tell(Report(line, severity="warning"))
        )
        self.editing = EditController(
            screen,
            gateway,
            profile,
            preferences,
            journal,
            Drafts(session.draft_store, session.now),
            tell,
            session.monotonic,
            privacy_mask,
        )
        self.hinting = HintController(screen, self.remembered, self.editing, workspace, sidebar, on=preferences.hints)
        self.switched_off = SwitchedOff(workspace, self.editing, history_kept=bool(preferences.history_limit))
        self.begun = UnsentForms(screen, session.form_store, tell, session.now)
        self.unsent = Unsent(
            screen,
            self.editing.drafts,
            self.begun,
            go,
            ask,
            self.editing.put,
            lambda purpose: self.acting.go_on(purpose),
            privacy_mask,
            lasting=session.lasting,
        )
        self.outside = ExternalEditor(lambda: screen.app, session.editor, files, tell)
        self.copying = CopyController(screen, gateway, files, tell, privacy_mask)
        self.books = Books(
            screen,
            gateway,
            profile,
            Shelves(journal, session.batch_store, files),
            self.editing,
            self.copying,
            privacy_mask,
            self._writing,
            ask,
            tell,
            tz,
        )
        self.arranging = ViewController(
            screen, at_hand, self.remembered, tell, lambda key, names: sidebar().set_views(key, names)
        )
        self.looking = ColumnsController(screen, workspace, self.remembered, tell, tz)
        self.inspecting = RecordController(screen, gateway, journal, workspace, ask, go, tell, tz)
        self.switching = ProfileSwitchController(screen, session.sessions, profile.name, self._may_leave, show, tell)
        self.wayfinding = NavigationController(
            screen,
            gateway,
            collections,
            lambda text: workspace().home_of(text),
            lambda key: self.remembered.habit(key).named,
            self.switching,
        )
        self.filing = SavedRequestsController(
            screen,
            session.saved_requests,
            gateway,
            collections,
            console,
            lambda kept: sidebar().set_requests(kept),
            tell,
        )
        recalling = HistoryController(
            screen, session.history_store, gateway, profile, preferences, privacy_mask, console, tell, tz
        )
        self.trying = RequestSender(gateway, self.editing, recalling, self.filing, tell)

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
        await self.remembered.left(self._workspace().stay)
        return True

    # Made when first needed

    @cached_property
    def amending(self) -> "FieldEditing":
        """What opens the editors."""
        from svc_tui.ui.editing.field_editing import FieldEditing

        session = self._session
        return FieldEditing(
            self._screen,
            session.gateway,
            session.profile,
            self.editing,
            self._workspace,
            self.outside,
            self._tell,
            session.tz,
        )

    @cached_property
    def answering(self) -> "AnswerController":
        """What serves the answers of the console."""
        from svc_tui.ui.console.answers import AnswerController

        files, tz = self._session.files, self._session.tz
        return AnswerController(
            self._screen, files, self.copying, self._privacy_mask, self.inspecting.page_text, self._tell, tz
        )

    @cached_property
    def acting(self) -> "RecordActions":
        """What does with records what is more than an edit."""
        from svc_tui.ui.writes.record_actions import RecordActions

        session = self._session
        return RecordActions(
            self._writing(),
            session.journal,
            session.tz,
            self._workspace().home_of,
            self.export,
            self.books.change_marked,
        )

    def _writing(self) -> "Writing":
        from svc_tui.ui.writes.write_context import Writing

        session = self._session
        return Writing(
            self._screen,
            session.gateway,
            session.profile,
            self.editing,
            self.begun,
            self._workspace(),
            session.routes,
            session.collections,
            self._tell,
            self._go,
        )

    async def rotate(self) -> None:
        """Put a new key pair in the place of the session's own."""
        from svc_tui.ui.connect.rotate import rotate

        await rotate(self._screen, self._session, self._workspace().refresh_all, self._tell)

    async def export(self) -> None:
        """Export what the table shows, asked how and where to."""
        if self._exporting is None:
            from svc_tui.ui.export.controller import ExportController

            session = self._session
            self._exporting = ExportController(
                self._screen,
                session.gateway,
                session.files,
                lambda: self._workspace().at_hand,
                self._tell,
                lambda: datetime.now(session.tz),
                session.monotonic,
                self._privacy_mask,
            )
        await self._exporting.ask()

    def stop_exporting(self) -> bool:
        """Stop an export under way; False where there is none."""
        return self._exporting is not None and self._exporting.stop()
