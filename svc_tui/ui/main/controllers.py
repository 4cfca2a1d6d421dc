"""The controllers of the main screen, made and made known to one another here and nowhere else.

Those that are rarely needed are made, and imported, when they first are.
"""

from collections.abc import Awaitable, Callable, Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from svc_tui.storage.errors import StoreError
from svc_tui.ui.console.history_controller import HistoryController
from svc_tui.ui.console.request_sender import RequestSender
from svc_tui.ui.console.saved_requests_controller import SavedRequestsController
from svc_tui.ui.editing.edit_controller import EditController
from svc_tui.ui.editing.lock_controller import LockController
from svc_tui.ui.editing.write_controller import WriteController
from svc_tui.ui.journal.session_log import SessionRecorder
from svc_tui.ui.keys.command import Command
from svc_tui.ui.keys.focused_pane import FocusedPane
from svc_tui.ui.main.action_availability import ActionAvailability
from svc_tui.ui.main.workspace import Workspace
from svc_tui.ui.navigation.navigation_controller import NavigationController
from svc_tui.ui.navigation.profile_switch import ProfileSwitchController, ShowSession
from svc_tui.ui.record.copy import CopyController
from svc_tui.ui.report import Report
from svc_tui.ui.session.context import Context
from svc_tui.ui.sidebar.sidebar import Sidebar
from svc_tui.ui.table.columns_controller import ColumnsController
from svc_tui.ui.table.table_pane import TablePane
from svc_tui.ui.table.view_controller import ViewController
from svc_tui.ui.terminal.external_editor import ExternalEditor
from svc_tui.ui.writes.unsent_changes import UnsentChanges
from svc_tui.ui.writes.unsent_forms import UnsentForms

if TYPE_CHECKING:
    from svc_tui.core.catalog import Collection
    from svc_tui.core.records import Place, Record
    from svc_tui.storage.plan import Plan
    from svc_tui.ui.console.answers import AnswerController
    from svc_tui.ui.console.console_pane import ConsolePane
    from svc_tui.ui.editing.field_editing import FieldEditing
    from svc_tui.ui.export.export_controller import ExportController
    from svc_tui.ui.finder.finder_controller import FinderController
    from svc_tui.ui.finder.index_controller import IndexController
    from svc_tui.ui.journal.case_file_controller import CaseFileController
    from svc_tui.ui.journal.journal_controller import JournalController
    from svc_tui.ui.marks.mark_list_controller import MarkListController
    from svc_tui.ui.plans.plan_controller import PlanController
    from svc_tui.ui.record.compare import ComparisonController
    from svc_tui.ui.record.record_controller import RecordController
    from svc_tui.ui.record.timeline_controller import TimelineController
    from svc_tui.ui.team.team_controllers import TeamControllers
    from svc_tui.ui.writes.record_actions import RecordActions
    from svc_tui.writes.offered_actions import ChoiceElsewhere


class Controllers:
    """The controllers of one main screen; their work runs in workers of that screen."""

    def __init__(
        self,
        context: Context,
        workspace: Callable[[], Workspace],
        sidebar: Callable[[], Sidebar],
        show: ShowSession,
    ) -> None:
        """Make the controllers that are always needed, before the panes exist; `show` shows another session."""
        self._context, self._workspace, self._sidebar = context, workspace, sidebar

        def table() -> TablePane:
            return workspace().panes.at_hand

        def console() -> "Awaitable[ConsolePane]":
            return workspace().console()

        self._table = table
        self.remembered = context.remembered
        self.lock = LockController(context)
        self.writes = WriteController(context, self.lock)
        self.editing = EditController(context, self.writes)
        history_kept = bool(context.session.preferences.history_limit)
        self.switched_off = ActionAvailability(workspace, self.editing, history_kept=history_kept)
        self.unsent_forms = UnsentForms(context)
        self.unsent = UnsentChanges(
            context, self.editing, self.unsent_forms, lambda form_target: self.record_actions.resume_form(form_target)
        )
        self.external_editor = ExternalEditor(context)
        self.copies = CopyController(context)
        self.session_log = SessionRecorder(context)
        self.views = ViewController(
            context,
            table,
            lambda key, names: sidebar().set_views(key, names),
            # The finder is made when it is first opened: before that it has loaded nothing.
            lambda collection: self.finder.reading.loaded(collection) if "finder" in self.__dict__ else None,
        )
        self.columns = ColumnsController(context, table, self.views.load_rest)
        self.profiles = ProfileSwitchController(context, self.may_go, show)
        self.navigation = NavigationController(context, self.profiles, lambda text: self.mark_list.offer_in_line(text))
        self.saved_requests = SavedRequestsController(context, console, lambda kept: sidebar().set_requests(kept))
        self.requests = RequestSender(context, self.writes, HistoryController(context, console), self.saved_requests)

    def focused_pane(self) -> FocusedPane:
        """Where keys go, as the tour sees it."""
        if self._sidebar().has_focus:
            return FocusedPane.SIDEBAR
        workspace = self._workspace()
        if workspace.in_console:
            return FocusedPane.CONSOLE
        return FocusedPane.RECORD if workspace.panes.in_record else FocusedPane.TABLE

    def take_up(self) -> None:
        """Take up what earlier sessions left: drafts, forms, runs, saved requests."""
        screen = self._context.screen
        screen.run_worker(self.editing.load(), group="drafts")
        screen.run_worker(self.unsent_forms.load(), group="drafts")
        screen.run_worker(self._take_up_runs(), group="runs")
        screen.run_worker(self.saved_requests.load(), group="saved-requests")
        if self._context.session.index.wanted:
            self.index.start()
        else:
            # The command line may have built one.
            screen.run_worker(self._context.session.index.open(), group="open-index")

    async def _take_up_runs(self) -> None:
        try:
            unfinished = await self._context.session.run_store.unfinished()
        except StoreError as error:
            self._context.notify(Report(str(error), "Could not load the runs", "error"))
            return
        if unfinished:
            await self.plans.runs.report_unfinished(unfinished)

    def commands(self) -> Iterator[Command]:
        """What the palette offers of their work that no key does; what is used most comes first."""
        ask = self._context.ask
        yield from self.unsent.commands()
        if "finder" in self.__dict__:
            yield from self.finder.reading.commands()
        yield self.index.changes_command
        yield from self.plans.commands()
        yield Command(
            "Case file…",
            "Save what you viewed and changed as Markdown for a ticket",
            lambda: ask(self.case_file.ask(self.session_log.log)),
        )
        yield from self.comparing.commands()
        yield Command(
            "Copy as curl",
            "Copy the console request, or the request for this record, as curl",
            lambda: ask(self._copy_as_curl()),
        )
        yield Command(
            "Save this view…",
            "Save the filter, sorting and columns as a view",
            lambda: ask(self.views.save_view()),
        )
        yield from self.mark_list.commands()
        if self._context.session.team is not None:
            yield from self.team.commands()
        yield from self.profiles.commands()
        yield self._table().viewport.watcher.command()
        yield from self.index.commands()
        yield from self.requests.commands()

    async def _copy_as_curl(self) -> None:
        from svc_tui.console.copy_as import CURL_KEY

        workspace = self._workspace()
        if workspace.in_console:
            await (await workspace.console()).action_copy(CURL_KEY)
        else:
            selection = workspace.selection
            await self.copies.menu(selection.place, selection.seen, selection.path, key=CURL_KEY)

    async def may_go(self) -> bool:
        """Whether the session may end: nothing is under way in it. The last position is remembered then."""
        if not await self.writes.may_leave("go"):
            return False
        if self._export_made and self.exports.running:
            body = "An export is running. Wait for it, or press esc to stop it."
            self._context.notify(Report(body, severity="warning"))
            return False
        await self.remembered.left(self._workspace().selection.last_position)
        return True

    # Made when first needed

    @cached_property
    def index(self) -> "IndexController":
        """What keeps the index of records up to date."""
        from svc_tui.ui.finder.index_controller import IndexController

        return IndexController(self._context, self.views.sort_newest_first)

    @cached_property
    def finder(self) -> "FinderController":
        """What finds records in all collections, and saved requests."""
        from svc_tui.ui.finder.finder_controller import FinderController

        return FinderController(
            self._context,
            self.index,
            lambda: self._workspace().browse.open_collections.opened,
            self.editing.drafts,
            lambda: self.navigation.trail,
            self.saved_requests,
        )

    def note_reading(self, place: "Place", record: "Record") -> None:
        """The record at `place` was read by itself just now: the finder's own is older."""
        if "finder" in self.__dict__:
            self.finder.reading.note(place, record)

    @cached_property
    def mark_list(self) -> "MarkListController":
        """What marks the records that a list of ids names."""
        from svc_tui.ui.marks.mark_list_controller import MarkListController

        return MarkListController(self._context, self._table, self.navigation.place)

    @property
    def not_found(self) -> "Sequence[str]":
        """What the last list of ids named that is not there."""
        return self.mark_list.not_found if "mark_list" in self.__dict__ else ()

    @cached_property
    def records(self) -> "RecordController":
        """What looks into the record at hand."""
        from svc_tui.ui.record.record_controller import RecordController

        return RecordController(self._context)

    @cached_property
    def timeline(self) -> "TimelineController":
        """What tells the story of the record at hand."""
        from svc_tui.ui.record.timeline_controller import TimelineController

        return TimelineController(self._context, self.finder, self._context.session.index)

    @cached_property
    def field_editing(self) -> "FieldEditing":
        """What opens the editors."""
        from svc_tui.ui.editing.field_editing import FieldEditing

        return FieldEditing(self._context, self.editing, self.external_editor, self._table)

    @cached_property
    def answers(self) -> "AnswerController":
        """What is done with the answers of the console."""
        from svc_tui.ui.console.answers import AnswerController

        return AnswerController(self._context, self.copies, self.records.show_in_pager)

    @cached_property
    def record_actions(self) -> "RecordActions":
        """What is done with records besides editing them."""
        from svc_tui.ui.writes.record_actions import RecordActions

        return RecordActions(
            self._context, self.editing, self.unsent_forms, self._do_elsewhere, lambda run: self.plans.take_back(run)
        )

    @cached_property
    def plans(self) -> "PlanController":
        """What changes many records, one after another."""
        from svc_tui.ui.plans.plan_controller import PlanController

        def exported(collection: "Collection") -> str:
            return self.exports.exported(collection) if self._export_made else ""

        return PlanController(self._context, self.writes, self._table, exported)

    async def _do_elsewhere(self, choice: "ChoiceElsewhere") -> None:
        from svc_tui.writes.offered_actions import (
            ChangeMarked,
            CompareEarlier,
            CompareMarked,
            CorrectFromFile,
            ExportRecords,
            NoteForTeam,
            UnmarkAll,
        )

        match choice:
            case UnmarkAll():
                self._table().marking.do("none")
            case ExportRecords():
                await self.export()
            case ChangeMarked():
                await self.plans.change_marked()
            case CorrectFromFile():
                await self.plans.from_file()
            case CompareMarked():
                await self.comparing.marked()
            case CompareEarlier():
                await self.comparing.earlier()
            case NoteForTeam():
                await self.team.notes.write()

    @cached_property
    def comparing(self) -> "ComparisonController":
        """What shows two records side by side."""
        from svc_tui.ui.record.compare import ComparisonController

        return ComparisonController(self._context, self._table, self.records.show_in_pager)

    @cached_property
    def journal(self) -> "JournalController":
        """What shows the journal of writes."""
        from svc_tui.ui.journal.journal_controller import JournalController

        return JournalController(
            self._context,
            self.plans.choose_run,
            self.record_actions.undo_write,
            self.plans.take_back,
            self.copies.text,
            None if self._context.session.team is None else self.team.approvals.show,
        )

    @cached_property
    def case_file(self) -> "CaseFileController":
        """What writes the case file."""
        from svc_tui.ui.journal.case_file_controller import CaseFileController

        return CaseFileController(self._context, self.copies.text)

    @cached_property
    def team(self) -> "TeamControllers":
        """What is said to the team, and told by it; only with a team."""
        from svc_tui.ui.team.team_controllers import TeamControllers

        async def send_plan(plan: "Plan") -> None:
            await self.plans.carry_out_approved(plan)

        return TeamControllers(
            self._context, self.saved_requests, self.views, self.editing, self.unsent_forms, send_plan
        )

    async def rotate(self) -> None:
        """Put a new key pair in the place of the session's own."""
        from svc_tui.ui.connect.rotate import rotate

        await rotate(self._context)

    async def explore(self) -> None:
        """Show the catalogue of operations."""
        from svc_tui.ui.catalogue.explore import explore

        await explore(self._context, self.record_actions, self._workspace().console)

    @cached_property
    def exports(self) -> "ExportController":
        """What exports the table's records."""
        from svc_tui.ui.export.export_controller import ExportController

        return ExportController(self._context, self._table)

    @property
    def _export_made(self) -> bool:
        return "exports" in self.__dict__

    async def export(self) -> None:
        """Export what the table shows, once the user has said how and where to."""
        await self.exports.ask()

    def stop_exporting(self) -> bool:
        """Stop an export under way; False where there is none."""
        return self._export_made and self.exports.stop()
