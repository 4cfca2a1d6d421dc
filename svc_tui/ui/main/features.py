"""The features of the main screen, which are created and connected here only.

Rarely needed features are imported and created when they are first used.
"""

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from svc_tui.core.catalog import Collection
from svc_tui.core.records import Place, Record
from svc_tui.search.sources import LoadedRows
from svc_tui.storage.errors import StoreError
from svc_tui.ui.console.history_controller import HistoryController
from svc_tui.ui.console.request_sender import RequestSender
from svc_tui.ui.console.saved_requests_controller import SavedRequestsController
from svc_tui.ui.context import Context
from svc_tui.ui.editing.draft_controller import DraftController
from svc_tui.ui.journal.session_log import SessionRecorder
from svc_tui.ui.keys.command import Command
from svc_tui.ui.navigation.navigation_controller import NavigationController
from svc_tui.ui.navigation.profile_switch import ProfileSwitchController, ShowSession
from svc_tui.ui.record.copy import CopyController
from svc_tui.ui.report import Report
from svc_tui.ui.sending.lock_controller import LockController
from svc_tui.ui.sending.write_controller import WriteController
from svc_tui.ui.sidebar.sidebar import Sidebar
from svc_tui.ui.table.view_controller import ViewController
from svc_tui.ui.writes.unsent_changes import UnsentChanges
from svc_tui.ui.writes.unsent_forms import UnsentForms

if TYPE_CHECKING:
    from svc_tui.storage.plan import Plan
    from svc_tui.team.team import Team
    from svc_tui.ui.console.answers import AnswerController
    from svc_tui.ui.editing.editing_controller import EditingController
    from svc_tui.ui.export.export_controller import ExportController
    from svc_tui.ui.finder.finder_controller import FinderController
    from svc_tui.ui.finder.index_controller import IndexController
    from svc_tui.ui.journal.case_file_controller import CaseFileController
    from svc_tui.ui.journal.journal_controller import JournalController
    from svc_tui.ui.marks.mark_list_controller import MarkListController
    from svc_tui.ui.plans.plan_controller import PlanController
    from svc_tui.ui.record.comparison import ComparisonController
    from svc_tui.ui.record.record_controller import RecordController
    from svc_tui.ui.record.timeline_controller import TimelineController
    from svc_tui.ui.team.approvals_controller import ApprovalsController
    from svc_tui.ui.team.notes_controller import NotesController
    from svc_tui.ui.team.sharing_controller import SharingController
    from svc_tui.ui.writes.record_actions import RecordActions
    from svc_tui.ui.writes.undo import UndoController
    from svc_tui.writes.offered_actions import ChoiceElsewhere


class MainFeatures:
    """The features of one main screen; their work runs in its workers."""

    def __init__(self, context: Context, sidebar: Sidebar, show: ShowSession) -> None:
        """Create the features that are always needed; `show` shows another session."""
        self._context = context
        self.lock = LockController(context)
        self.writes = WriteController(context, self.lock)
        self.drafting = DraftController(context, self.writes)
        self.unsent_forms = UnsentForms(context)
        self.unsent = UnsentChanges(
            context, self.drafting, self.unsent_forms, lambda form_target: self.record_actions.resume_form(form_target)
        )
        self.copies = CopyController(context)
        self.session_log = SessionRecorder(context)
        self.views = ViewController(context, sidebar.set_views, self._rows_loaded_for_search)
        self.profiles = ProfileSwitchController(context, self.may_go, show)
        self.navigation = NavigationController(context, self.profiles, lambda text: self.mark_list.offer_in_line(text))
        self.saved_requests = SavedRequestsController(context, sidebar.set_requests)
        self.requests = RequestSender(context, self.writes, HistoryController(context), self.saved_requests)

    def load(self) -> None:
        """Load the data of earlier sessions: drafts, forms, runs, saved requests, the index."""
        screen, index = self._context.screen, self._context.session.index
        screen.run_worker(self.drafting.load(), group="drafts")
        screen.run_worker(self.unsent_forms.load(), group="drafts")
        screen.run_worker(self._load_runs(), group="runs")
        screen.run_worker(self.saved_requests.load(), group="saved-requests")
        if index.wanted:
            self.index.start()
        else:
            # The command line may have built one.
            screen.run_worker(index.open(), group="open-index")

    async def _load_runs(self) -> None:
        try:
            unfinished = await self._context.session.run_store.unfinished()
        except StoreError as error:
            self._context.notify(Report(str(error), "Could not load the runs", "error"))
            return
        if unfinished:
            await self.plans.runs.report_unfinished(unfinished)

    def start_team(self) -> None:
        """Show news from the team from now on."""
        self.notes.begin()
        self.sharing.begin()
        self.approvals.start()

    async def may_go(self) -> bool:
        """Return True if the session may end, with the last position saved; else report what is still running."""
        if not await self.writes.may_leave("go"):
            return False
        if self._is_made("exports") and self.exports.running:
            body = "An export is running. Wait for it, or press esc to stop it."
            self._context.notify(Report(body, severity="warning"))
            return False
        await self._context.remembered.left(self._context.selection.last_position)
        return True

    def commands(self) -> Iterator[Command]:
        """Yield the commands without a key binding for the palette, the most used first."""
        ask = self._context.ask
        yield from self.unsent.commands()
        if self._is_made("finder"):
            yield from self.finder.reading.commands()
        yield self.index.changes_command
        yield from self.plans.commands()
        yield Command(
            "Case file…",
            "Save what you viewed and changed as Markdown for a ticket",
            lambda: ask(self.case_file.ask(self.session_log.log)),
        )
        yield from self.profiles.commands()
        yield from self.comparing.commands()
        yield Command(
            "Add a field to the record…",
            "Choose a field that only other loaded records have",
            lambda: ask(self.editing.add_field()),
        )
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
            yield from self.notes.commands()
            yield from self.sharing.commands()
            yield from self.approvals.commands()
        yield self._context.table.viewport.watcher.command()
        yield from self.index.commands()
        yield from self.requests.commands()

    async def _copy_as_curl(self) -> None:
        from svc_tui.console.copy_as import CURL_KEY

        workspace, selection = self._context.workspace, self._context.selection
        if workspace.in_console:
            await (await workspace.console()).action_copy(CURL_KEY)
        else:
            await self.copies.menu(selection.place, selection.seen, selection.path, key=CURL_KEY)

    # Created when first used

    def _is_made(self, name: str) -> bool:
        """Return True if the feature of that attribute was used before; else it has no data and runs nothing."""
        return name in self.__dict__

    @cached_property
    def index(self) -> "IndexController":
        """The index of records, kept up to date."""
        from svc_tui.ui.finder.index_controller import IndexController

        return IndexController(self._context, self.views.sort_newest_first)

    @cached_property
    def finder(self) -> "FinderController":
        """The search in all collections and saved requests."""
        from svc_tui.ui.finder.finder_controller import FinderController

        return FinderController(self._context, self.index, self.navigation, self.saved_requests)

    def note_reading(self, place: Place, record: Record) -> None:
        """Give the search a record that was just read, which is newer than its own."""
        if self._is_made("finder"):
            self.finder.reading.note(place, record)

    def _rows_loaded_for_search(self, collection: Collection) -> LoadedRows | None:
        return self.finder.reading.loaded(collection) if self._is_made("finder") else None

    @cached_property
    def mark_list(self) -> "MarkListController":
        """Marks from a list of ids."""
        from svc_tui.ui.marks.mark_list_controller import MarkListController

        return MarkListController(self._context, self.navigation.place)

    @property
    def ids_not_found(self) -> Sequence[str]:
        """The ids of the last list without a record."""
        return self.mark_list.not_found if self._is_made("mark_list") else ()

    @cached_property
    def records(self) -> "RecordController":
        """Following, previewing and paging values of the selected record."""
        from svc_tui.ui.record.record_controller import RecordController

        return RecordController(self._context)

    @cached_property
    def timeline(self) -> "TimelineController":
        """The history of the selected record."""
        from svc_tui.ui.record.timeline_controller import TimelineController

        return TimelineController(self._context, self.finder, self._context.session.index)

    @cached_property
    def editing(self) -> "EditingController":
        """The editors of fields and records."""
        from svc_tui.ui.editing.editing_controller import EditingController

        return EditingController(self._context, self.drafting)

    @cached_property
    def answers(self) -> "AnswerController":
        """Copying, saving and comparing responses of the console."""
        from svc_tui.ui.console.answers import AnswerController

        return AnswerController(self._context, self.copies, self.records.show_in_pager)

    @cached_property
    def record_actions(self) -> "RecordActions":
        """Creating, copying and deleting records, and actions of the service."""
        from svc_tui.ui.writes.record_actions import RecordActions

        return RecordActions(self._context, self.drafting, self.unsent_forms, self._do_elsewhere)

    @cached_property
    def undoing(self) -> "UndoController":
        """Undoing changes that were sent."""
        from svc_tui.ui.writes.undo import UndoController

        actions = self.record_actions
        return UndoController(
            self._context, self.drafting, actions.creating, actions.deleting, lambda run: self.plans.take_back(run)
        )

    async def _do_elsewhere(self, choice: "ChoiceElsewhere") -> None:
        from svc_tui.writes.offered_actions import (
            AddField,
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
                self._context.table.marking.do("none")
            case ExportRecords():
                await self.exports.ask()
            case ChangeMarked():
                await self.plans.change_marked()
            case CorrectFromFile():
                await self.plans.from_file()
            case AddField():
                await self.editing.add_field()
            case CompareMarked():
                await self.comparing.marked()
            case CompareEarlier():
                await self.comparing.earlier()
            case NoteForTeam():
                await self.notes.write()

    @cached_property
    def plans(self) -> "PlanController":
        """Changes of many records, one after another."""
        from svc_tui.ui.plans.plan_controller import PlanController

        def exported(collection: Collection) -> str:
            return self.exports.exported(collection) if self._is_made("exports") else ""

        return PlanController(self._context, self.writes, exported)

    @cached_property
    def comparing(self) -> "ComparisonController":
        """Two records side by side."""
        from svc_tui.ui.record.comparison import ComparisonController

        return ComparisonController(self._context, self.records.show_in_pager)

    @cached_property
    def journal(self) -> "JournalController":
        """The journal of writes."""
        from svc_tui.ui.journal.journal_controller import JournalController

        return JournalController(
            self._context,
            self.plans.choose_run,
            self.undoing.undo_write,
            self.plans.take_back,
            self.copies.text,
            None if self._context.session.team is None else self.approvals.show,
        )

    @cached_property
    def case_file(self) -> "CaseFileController":
        """The case file."""
        from svc_tui.ui.journal.case_file_controller import CaseFileController

        return CaseFileController(self._context, self.copies.text)

    @cached_property
    def exports(self) -> "ExportController":
        """Exports of the table's records."""
        from svc_tui.ui.export.export_controller import ExportController

        return ExportController(self._context)

    def stop_exporting(self) -> bool:
        """Stop the running export; return False if there is none."""
        return self._is_made("exports") and self.exports.stop()

    # Only with a team

    @property
    def _team(self) -> "Team":
        team = self._context.session.team
        assert team is not None
        return team

    @cached_property
    def notes(self) -> "NotesController":
        """Notes of the team at records."""
        from svc_tui.ui.team.notes_controller import NotesController

        return NotesController(self._context, self._team)

    @cached_property
    def sharing(self) -> "SharingController":
        """Drafts, views and requests shared with the team."""
        from svc_tui.ui.team.sharing_controller import SharingController

        return SharingController(self._context, self._team, self.saved_requests, self.views, self.drafting)

    @cached_property
    def approvals(self) -> "ApprovalsController":
        """Changes that wait for a second person."""
        from svc_tui.ui.team.approvals_controller import ApprovalsController

        async def send_plan(plan: "Plan") -> None:
            await self.plans.carry_out_approved(plan)

        return ApprovalsController(self._context, self._team, self.drafting, self.unsent_forms, send_plan)
