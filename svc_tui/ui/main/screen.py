"""The main screen: it composes the panes, opens places, and passes each key and message on to its feature.

Dialogs are imported when they open, so that the first records do not wait for them. Messages of widgets that are
imported later are handled by `on_…` methods, whose names need no import.
"""

import re
from collections.abc import Callable, Coroutine, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from textual import events, on
from textual.app import ComposeResult
from textual.getters import query_one
from textual.screen import Screen
from textual.signal import Signal

from svc_tui.console.links import LinkToOtherService
from svc_tui.core.catalog import Collection, Route
from svc_tui.core.phrases import capitalize_first
from svc_tui.core.records import Place
from svc_tui.core.values import replace
from svc_tui.service.gateway import RecordReading
from svc_tui.service.redact import holds_secret, list_holds_secret
from svc_tui.service.routes import PlaceError
from svc_tui.service.traffic import TrafficEvent
from svc_tui.session.hand_over import HandOver
from svc_tui.session.memory import LastPosition
from svc_tui.session.pane_layout import PaneSizes
from svc_tui.session.privacy_mask import PrivacyMask
from svc_tui.session.remembered_choices import RememberedChoices
from svc_tui.session.session import Session
from svc_tui.session.unsent_drafts import Drafts
from svc_tui.storage.record_store import RecordStore
from svc_tui.ui.context import Context
from svc_tui.ui.editing.draft_controller import DraftController
from svc_tui.ui.keys import availability
from svc_tui.ui.keys.availability import DisabledReason, ExplainsAvailability
from svc_tui.ui.keys.key_scopes import Scope, key_scope
from svc_tui.ui.main.action_availability import ActionAvailability
from svc_tui.ui.main.bindings import MAIN_BINDINGS
from svc_tui.ui.main.features import MainFeatures
from svc_tui.ui.main.first_frame import FramesFocusedPane
from svc_tui.ui.main.split_layout import SplitLayout
from svc_tui.ui.navigation.destinations import (
    LinkDestination,
    ListDestination,
    NamedDestination,
    OtherServiceDestination,
    RowDestination,
    SearchDestination,
)
from svc_tui.ui.navigation.profile_switch import ShowSession
from svc_tui.ui.report import Report, Severity, error_report, reading_report
from svc_tui.ui.sending.lock_controller import LockController
from svc_tui.ui.sending.write_controller import WriteController
from svc_tui.ui.sidebar.sidebar import SavedRequestEntry, SavedView, Sidebar
from svc_tui.ui.table.open_collections import CursorPosition
from svc_tui.ui.table.table_pane import CollectionTabs, TablePane
from svc_tui.ui.terminal.painting import PaintsDirtyCells
from svc_tui.ui.text import visible
from svc_tui.ui.widgets.bars.key_bar import KeyBar
from svc_tui.ui.widgets.bars.status_bar import StatusBar
from svc_tui.ui.widgets.bars.too_small import cover_if_too_small
from svc_tui.ui.widgets.table.record_table import RecordTable
from svc_tui.ui.workspace.workspace import Workspace

if TYPE_CHECKING:
    from textual.notifications import SeverityLevel

    from svc_tui.console.request_line import UnsentRequest
    from svc_tui.team.team import Team
    from svc_tui.ui.console.console_pane import ConsolePane
    from svc_tui.ui.finder.finder_reading import FinderReading
    from svc_tui.ui.team.approvals_controller import ApprovalsController
    from svc_tui.ui.team.watch import TeamWatch
    from svc_tui.ui.widgets.answer.answer_view import AnswerView
    from svc_tui.ui.widgets.record.field_list import FieldList
    from svc_tui.ui.widgets.record.timeline_list import TimelineList

MAX_REPORTS = 200
"""The number of notices kept for the palette's "Messages"."""

_PLAIN_WORD = re.compile(r"[a-z]+[ ,]")
"""The beginning of a sentence that may be capitalized: not an id, a file or an address."""

_TOAST_SEVERITIES: "Mapping[Severity, SeverityLevel]" = {"warning": "warning", "error": "error", "unknown": "error"}
"""Textual's names of severities; all others are "information"."""


@key_scope(Scope.MAIN_SCREEN)
class MainScreen(ExplainsAvailability, FramesFocusedPane, Screen[None]):
    """The sidebar, the workspace, the status bar and the keys of one session."""

    # Includes the layers of the widgets inside: Textual uses those of the outermost widget that names any.
    DEFAULT_CSS = "MainScreen { layers: base over table notice too-small; }"
    BINDINGS = MAIN_BINDINGS

    draws_in_batch = False
    status = query_one(StatusBar)

    def __init__(
        self,
        session: Session,
        traffic: Signal[TrafficEvent],
        place: str | None,
        reports: Sequence[Report],
        show: ShowSession,
        *,
        carried: HandOver | None = None,
    ) -> None:
        """Create the screen of a session, which opens `place`, or the place open last, and shows `reports`.

        `show` shows another session in its place; `carried` is the state taken over from the reader or the former
        session.
        """
        super().__init__()
        self.session = session
        self.privacy_mask = PrivacyMask(session.preferences.mask_fields)
        self.privacy_mask.on = carried is not None and carried.masked
        self.reports: list[Report] = []
        self.asking = False
        self._notices_by_cause: dict[str, set[tuple[str, str]]] = {}
        """The titles and bodies of the notices of each cause."""
        self._traffic, self._requested_place, self._first_reports, self._carried = traffic, place, reports, carried
        self._leaving = False
        self._team_watch: TeamWatch | None = None

        remembered = RememberedChoices(
            session.preference_store, session.profile.name, session.gateway.environment, self._warn
        )
        drafts, records = Drafts(session.draft_store, session.now), RecordStore()
        self.sidebar = Sidebar(session.profile.domains(), session.routes)
        self.workspace = Workspace(session, self.privacy_mask, remembered, records, drafts)
        self.context = Context(
            session,
            self,
            self.workspace,
            self.privacy_mask,
            remembered,
            records,
            drafts,
            self.report,
            self.ask,
            self.go,
        )
        self.features = MainFeatures(self.context, self.sidebar, show)
        self.split_layout = SplitLayout(self.sidebar, self.workspace, remembered.sizes, self._save_sizes)
        self._availability = ActionAvailability(self.context, self.features, self.sidebar, self.split_layout)
        self._key_bar = KeyBar(self._availability.key_emphasis)
        if carried is not None:
            self.features.writes.tickets.last = carried.ticket
            drafts.take_over(carried.drafts)

    def compose(self) -> ComposeResult:
        """Show the sidebar, the workspace, and two bars below."""
        gateway, profile = self.session.gateway, self.session.profile
        yield self.split_layout
        yield StatusBar(
            gateway.environment,
            profile.name,
            gateway.host,
            gateway.signs,
            self.session.monotonic,
            key_from=profile.key_from,
        )
        yield self._key_bar

    @on(TablePane.CursorMoved)
    @on(TablePane.CountKnown)
    @on(TablePane.Arranged)
    @on(RecordTable.ColumnMoved)
    def _update_key_bar(self) -> None:
        """Update the line of keys if it has to name other keys."""
        self._key_bar.update_if_changed()

    def on_field_list_moved(self) -> None:
        """Update the line of keys for the cursor in a record."""
        self._update_key_bar()

    # The beginning

    def on_mount(self) -> None:
        """Subscribe to the traffic, and open the first place."""
        self._traffic.subscribe(self, self._handle_traffic)
        if self.session.first_page is not None:
            for event in self.session.first_page.take_traffic():
                self._handle_traffic(event)
        self._show_lock()
        self.set_interval(1, self._show_lock)
        self.status.masked = self.privacy_mask.on
        for report in self._first_reports:
            self.report(report)
        for collection in self.session.collections:
            if names := tuple(self.context.remembered.habit(collection.key).named):
                self.sidebar.set_views(collection.key, names)
        self._open_first()

    def _open_first(self) -> None:
        place = Place(self.session.profile.first)
        last_position = self.context.remembered.last_position
        path = self._requested_place or (last_position.path if last_position else "")
        if path:
            try:
                place = self.features.navigation.place(path)
            except LinkToOtherService as service:
                self.ask(self.features.profiles.follow(path, service))
            except PlaceError as error:
                # A remembered place may have been deleted since, which is no mistake of the user.
                if self._requested_place:
                    self.report(Report(str(error), severity="error"))
        self.go(place)
        if self._carried is not None and self._carried.view is not None:
            self.features.views.go_on(self._carried.view)
        if last_position is not None and place.path == last_position.path and place.record_id is None:
            self.workspace.browse.cursor.go_back_to(
                CursorPosition(last_position.row, last_position.field, last_position.record_id)
            )

    @on(PaintsDirtyCells.FirstDrawn)
    def _begin_background_work(self) -> None:
        if self.session.first_page is not None:
            self.session.first_page.shown()
        self.features.load()
        if self._carried is not None and self._carried.request is not None:
            self.run_worker(self._restore_request(self._carried.request), group="console")
        if self.session.team is not None:
            self.run_worker(self._watch_team(self.session.team), group="team")

    async def _restore_request(self, request: "UnsentRequest") -> None:
        await self.workspace.take_up_request(request)
        if not request.on_show:
            self.report(Report("Press 4 to open it.", "Unsent request in the console"))

    async def _watch_team(self, team: "Team") -> None:
        # The team has no news before its work has begun, for which the first records do not wait.
        await team.wait_until_open()
        from svc_tui.ui.team.watch import TeamWatch

        self.features.start_team()
        self._team_watch = TeamWatch(self.context, team)
        self._team_watch.begin()

    def on_unmount(self) -> None:
        """Stop watching the team."""
        if self._team_watch is not None:
            self._team_watch.end()

    # Notices

    def report(self, report: Report) -> None:
        """Show a notice; control characters in it are made visible here."""
        report = replace(report, body=self.privacy_mask.text(report.body))
        if self.reports and self.reports[-1] == report:
            # One notice is enough for the same report.
            self.app.clear_notifications()
        self.reports = [*self.reports, report][-MAX_REPORTS:]
        words = report.marked
        body, title = visible(words.body, lines=True), visible(words.title)
        if title and _PLAIN_WORD.match(body):
            body = capitalize_first(body)
        self.notify(
            body,
            title=title,
            severity=_TOAST_SEVERITIES.get(report.severity, "information"),
            timeout=None if report.severity == "information" else 12.0,
            markup=False,
        )
        if report.cause:
            same_cause = self._notices_by_cause.setdefault(report.cause, set())
            same_cause.add((title, body))
            # After the app has handled this notice, and those posted just before.
            self.app.call_later(self._keep_newest_notice, same_cause)

    def _keep_newest_notice(self, same_cause: set[tuple[str, str]]) -> None:
        notices = [notice for notice in self.app._notifications if (notice.title, notice.message) in same_cause]
        for notice in notices[:-1]:
            self.app._unnotify(notice)

    @property
    def seen_reports(self) -> list[Report]:
        """The notices shown so far, masked as the privacy mask is now."""
        return [replace(report, body=self.privacy_mask.text(report.body)) for report in self.reports]

    def _warn(self, body: str) -> None:
        self.report(Report(body, severity="warning"))

    # One dialog at a time

    def ask(self, work: Coroutine[Any, Any, object]) -> None:
        """Run a coroutine that opens a dialog, unless a dialog is open or about to open."""
        if self.asking:
            work.close()
            return
        self.asking = True
        self._remove_information()
        self.run_worker(self._run_dialog(work), group="dialogs")

    def _remove_information(self) -> None:
        """Remove the notices that only inform, so that they do not cover what opens next."""
        for notice in [notice for notice in self.app._notifications if notice.severity == "information"]:
            self.app._unnotify(notice)

    async def _run_dialog(self, work: Coroutine[Any, Any, object]) -> None:
        try:
            await work
        finally:
            self.asking = False

    def on_screen_resume(self) -> None:
        """Update what changed behind a dialog; while one is open, the line of keys may not be updated."""
        self.features.writes.dialog_closed()
        self.refresh_bindings()

    # Keys

    def disabled_reason(self, action: str, parameters: tuple[object, ...]) -> DisabledReason | None:
        """Return why the action's key is disabled; None if it is enabled."""
        return self._availability.disabled_reason(action, parameters) if self.is_mounted else None

    def noop_reason(self, action: str, parameters: tuple[object, ...]) -> str:
        """Return why the action would do nothing; "" if it would act."""
        return self._availability.noop_reason(action, parameters)

    def action_help(self) -> None:
        """Show the keys that work here."""
        if self.asking:
            return
        from svc_tui.ui.help.help_screen import HelpScreen
        from svc_tui.ui.keys.shortcuts import shortcuts

        place = self.workspace.selection.place
        self.app.push_screen(HelpScreen(shortcuts(self.app, self.active_bindings), place.key if place else ""))

    # Places

    def go(self, place: Place, reading: RecordReading | None = None, *, visit: bool = True) -> None:
        """Open a collection, or a record in it; `reading` is that record, if it was read just now."""
        if visit:
            self.features.navigation.add_visit(place)
        gateway, profile = self.session.gateway, self.session.profile
        self.app.title = f"{gateway.environment.label} {profile.name} · {place.key} · svc-tui"
        self.run_worker(self.context.remembered.left(LastPosition(place.path)), group="memory")
        self.sidebar.reveal(place.collection)
        self.workspace.open(place, reading)

    def _show_view(self, collection: Collection, view: str) -> None:
        """Open a collection with one of its saved views."""
        self.go(Place(collection))
        self.features.views.show_named(collection.key, view)

    def action_go_to(self) -> None:
        """Ask where to go."""
        self.ask(self._ask_where_to_go(""))

    def on_paste(self, event: events.Paste) -> None:
        """Put a text pasted into a list into the `:` line."""
        event.stop()
        from svc_tui.search.id_list import on_one_line

        text, secrets = event.text.strip(), self.session.gateway.secrets
        line = on_one_line(text)
        if holds_secret(text, secrets) or list_holds_secret(line, secrets):
            self.report(Report("Not accepted: this looks like a key or a secret.", severity="warning"))
            return
        from svc_tui.ui.navigation.goto_dialog import places_notice

        if notice := places_notice(text, line):
            self.report(Report(notice, severity="warning"))
        self.ask(self._ask_where_to_go(line))

    async def _ask_where_to_go(self, initial: str) -> None:
        match await self.features.navigation.ask(initial):
            case Place() as place:
                self.go(place)
            case RowDestination(index):
                self.workspace.close_record()
                self.workspace.browse.cursor.go_to_row(index)
            case NamedDestination(collection, name):
                self._show_view(collection, name)
            case OtherServiceDestination(name):
                await self.features.profiles.to(name)
            case SearchDestination(text):
                await self.features.finder.find(text)
            case LinkDestination(text, service):
                await self.features.profiles.follow(text, service)
            case ListDestination(text):
                self.features.mark_list.mark(text)
            case None:
                pass

    def action_travel(self, steps: int) -> None:
        """Go back or forward through the visited places."""
        place = self.features.navigation.travel(steps)
        if place is not None:
            self.go(place, visit=False)

    def action_search(self) -> None:
        """Search all collections."""
        self.ask(self.features.finder.find())

    def on_finder_reading_loading(self, event: "FinderReading.Loading") -> None:
        """Show in the status bar which collection is being loaded for the search."""
        self.status.loaded_for_search = event.name

    def action_referrers(self) -> None:
        """Search for records that reference the selected one."""
        self.ask(self.features.finder.referrers())

    def action_explore(self) -> None:
        """Show the reference of the API."""
        from svc_tui.ui.catalogue.catalogue_screen import explore

        self.ask(explore(self.context, self.features.record_actions))

    # The sidebar

    @on(Sidebar.Chosen)
    async def _open_sidebar_entry(self, event: Sidebar.Chosen) -> None:
        match event.target:
            case Collection() as collection:
                self.go(Place(collection))
            case SavedView(collection, name):
                self._show_view(collection, name)
            case Route() as route:
                (await self.workspace.console()).prefill(route)
            case SavedRequestEntry(file):
                self.ask(self.features.saved_requests.open(file))

    @on(Sidebar.RemovalWanted)
    def _delete_sidebar_entry(self, event: Sidebar.RemovalWanted) -> None:
        match event.target:
            case SavedView(collection, name):
                self.ask(self.features.views.forget_view(collection.key, name))
            case SavedRequestEntry() as request:
                self.ask(self.features.saved_requests.forget(request))

    # The panes and their sizes

    async def action_pane(self, name: str) -> None:
        """Focus a pane, and open it if it is closed."""
        if name == "sidebar":
            self.split_layout.focus_sidebar()
        elif name == "console":
            (await self.workspace.console()).start()
        elif name == "table":
            self.workspace.to_table()
        elif not self.workspace.to_record():
            self.report(Report(availability.NO_RECORD))

    def action_sidebar(self) -> None:
        """Show or hide the sidebar."""
        self.split_layout.toggle_sidebar()

    def action_zoom(self) -> None:
        """Maximize the focused pane, or restore it."""
        self.split_layout.toggle_zoom()

    def action_size(self, steps: int) -> None:
        """Enlarge or shrink the focused pane."""
        if not self.split_layout.enlarge(steps):
            self.report(Report("This pane can't be larger."))

    def action_usual_sizes(self) -> None:
        """Reset all panes to their default sizes."""
        self.split_layout.reset_sizes()

    def on_resize(self, event: events.Resize) -> None:
        """Fit the panes into the new size."""
        self.split_layout.fit(event.size)
        cover_if_too_small(self, event.size)

    def _save_sizes(self, sizes: PaneSizes) -> None:
        self.run_worker(self.context.remembered.sized(sizes), group="memory")

    # Changes in all panes

    def _handle_traffic(self, event: TrafficEvent) -> None:
        self.status.handle_traffic(event)
        self.workspace.handle_traffic(event)

    def action_raw(self) -> None:
        """Show raw or formatted values."""
        self.workspace.raw = not self.workspace.raw

    def action_refresh_rows(self) -> None:
        """Load what is shown again, and redraw it, in case another program has written to the terminal."""
        self._remove_information()
        self.workspace.refresh_all()
        self.app.refresh(layout=True)

    def toggle_mask(self) -> None:
        """Hide personal data, or show it again."""
        self.workspace.toggle_mask()
        self.status.masked = self.privacy_mask.on
        if self.privacy_mask.on:
            # Earlier notices and the search may name a person.
            self.app.clear_notifications()
            if self.workspace.panes.record is not None:
                self.workspace.panes.record.end_search()
        off = "Personal data is unmasked."
        self.report(Report("Personal data is masked, also in copies and files." if self.privacy_mask.on else off))

    @on(Workspace.PlaceWanted)
    def _open_place(self, event: Workspace.PlaceWanted) -> None:
        self.go(event.place)

    @on(Workspace.Opened)
    def _remember_visit(self, event: Workspace.Opened) -> None:
        self.features.navigation.add_visit(event.place)

    # The active table: the one of the browse pane, or the one in a tab of the record

    @on(TablePane.CountKnown)
    def _show_count(self, event: TablePane.CountKnown) -> None:
        self.sidebar.set_count(event.collection, event.total)

    @on(TablePane.KindsKnown)
    def _refresh_kinds(self) -> None:
        self.workspace.record_display.refresh_kinds()

    @on(CollectionTabs.CollectionWanted)
    def _open_tab(self, event: CollectionTabs.CollectionWanted) -> None:
        self.go(Place(event.collection))

    @on(TablePane.RowsFailed)
    def _report_failed_rows(self, event: TablePane.RowsFailed) -> None:
        self.report(reading_report(event.error, "Could not load the records"))

    @on(TablePane.NoticePosted)
    def _show_notice(self, event: TablePane.NoticePosted) -> None:
        self.report(Report(event.text))

    @on(TablePane.Arranged)
    def _load_rows_to_arrange(self) -> None:
        self.run_worker(self.features.views.take_rest(), group="arranged", exclusive=True)

    def action_tab(self, steps: int) -> None:
        """Go to another open collection."""
        self.workspace.to_table()
        if self.workspace.browse.open_collections.has_several:
            self.workspace.browse.tabs.step(steps)
        else:
            self.report(Report(availability.ONLY_TAB))

    def action_close_tab(self) -> None:
        """Close the tab of the collection, and go to the previous one."""
        if (collection := self.workspace.browse.open_collections.close()) is not None:
            self.go(Place(collection))
        else:
            self.report(Report(availability.ONLY_TAB))

    def action_filter(self) -> None:
        """Focus the filter of the table."""
        table = self.workspace.to_rows()
        table.arrangement.start_filter()
        # The filter searches all records of the collection that are in memory or in the index.
        self.run_worker(self.features.views.take_known(table), group="known-rows", exclusive=True)

    def action_next(self, steps: int) -> None:
        """Go to the next or the previous row that matches the filter."""
        self.workspace.to_rows().table.action_move(steps)

    def action_sort(self) -> None:
        """Choose the order of the table's rows."""
        self.ask(self.features.views.sort())

    def action_load_rest(self) -> None:
        """Load the remaining rows."""
        self.run_worker(self.features.views.load_rest(), group="arranged", exclusive=True)

    def action_unarrange(self) -> None:
        """Clear the filter, else the sorting, else the query."""
        self.features.views.undo_arrangement()

    def action_unfilter(self) -> None:
        """Clear the filter, whose chip was clicked."""
        self.context.table.arrangement.clear_filter()

    def action_unask(self, number: int) -> None:
        """Remove a query parameter, counted from 0, whose chip was clicked."""
        self.features.views.remove_parameter(number)

    def action_columns(self) -> None:
        """Choose the columns of the table."""
        self.ask(self.features.views.choose_columns())

    def action_summary(self) -> None:
        """Summarize the values of the column under the cursor."""
        self.ask(self.features.views.summarize())

    def action_export(self) -> None:
        """Export records of the table."""
        self.ask(self.features.exports.ask())

    # The selected record: the open one, or the one under the table's cursor

    @on(Workspace.RecordFailed)
    def _report_failed_record(self, event: Workspace.RecordFailed) -> None:
        self.report(error_report(event.error, f"Could not load {event.place.record_id}"))

    @on(Workspace.Looked)
    def _log_opened_record(self, event: Workspace.Looked) -> None:
        self.features.session_log.opened(event.place, event.record)
        self.features.note_reading(event.place, event.record)

    def on_field_list_opened(self, event: "FieldList.Opened") -> None:
        """Open a value of the record."""
        self.features.records.opened(event.entry, event.truncated)

    def on_record_views_history_wanted(self) -> None:
        """Load the record's history, whose tab was opened."""
        self.run_worker(self.features.timeline.show(), group="history", exclusive=True)

    def on_timeline_list_opened(self, event: "TimelineList.Opened") -> None:
        """Open an event of the record's history."""
        self.features.timeline.opened(event.event)

    def action_follow(self) -> None:
        """Go to the record that the value under the cursor references."""
        self.features.records.follow()

    def action_peek(self) -> None:
        """Preview the record that the value under the cursor references."""
        self.ask(self.features.records.peek())

    def action_page(self) -> None:
        """Show the text of the console or the record in the user's pager."""
        self.ask(self.features.records.page())

    def action_copy(self) -> None:
        """Copy the value under the cursor."""
        self.run_worker(self.features.copies.value(self.workspace.selection.seen_value), group="copies")

    def action_copy_menu(self) -> None:
        """Choose what to copy."""
        selection = self.workspace.selection
        domain = selection.place.collection.domain if selection.place is not None else ""
        marked = self.privacy_mask.records(self.context.table.marking.records, domain)
        ids = self.features.ids_not_found
        self.ask(self.features.copies.menu(selection.place, selection.seen, selection.path, marked, ids))

    # Edits and writes: each is reviewed before it is sent

    def action_edit(self, edit_externally: bool = False) -> None:
        """Edit the field under the cursor, here or in $EDITOR."""
        selection = self.workspace.selection
        if selection.shown is None or selection.steps is None:
            self.report(Report(availability.NO_RECORD if selection.shown is None else availability.NO_FIELD))
        else:
            self.ask(self.features.editing.edit_value(selection.steps, externally=edit_externally))

    def action_edit_whole(self) -> None:
        """Edit the whole record in $EDITOR."""
        self.ask(self.features.editing.edit_record())

    def action_take_back(self) -> None:
        """Discard the edit of the field under the cursor."""
        place, field = self.workspace.selection.place, self.workspace.selection.field
        if place is None or field is None or not self.features.drafting.revert_field(place, field):
            self.report(Report(availability.NOT_CHANGED))

    def action_review(self) -> None:
        """Review the draft of the record."""
        place = self.workspace.selection.place
        if place is None or place.record_id is None:
            self.report(Report(availability.NOTHING_TO_SEND))
        else:
            self.ask(self.features.drafting.review(place))

    def action_act(self, what: str) -> None:
        """Create, copy or delete a record, or choose from the actions on the record under the cursor."""
        self.ask(self.features.record_actions.do(what))

    def action_undo(self) -> None:
        """Choose a change to undo."""
        self.ask(self.features.undoing.choose())

    def action_lock(self) -> None:
        """Unlock LIVE, or lock it again."""
        self.ask(self.features.lock.toggle())

    def action_rotate(self) -> None:
        """Replace the API key and the signing secret."""
        from svc_tui.ui.connect.rotate import rotate

        self.ask(rotate(self.context))

    def action_journal(self) -> None:
        """Show the journal of writes."""
        self.ask(self.features.journal.show())

    def action_proof(self) -> None:
        """Copy a summary of the last write for a ticket."""
        self.run_worker(self.features.journal.copy_proof(self.features.writes.last_entry), group="copies")

    @on(DraftController.DraftChanged)
    def _show_draft(self, event: DraftController.DraftChanged) -> None:
        self.workspace.draft_changed(event.place)
        self.refresh_bindings()
        self.sidebar.set_unsent({place.collection.key for place in self.context.drafts.places})

    @on(WriteController.Exchanged)
    def _log_exchange(self, event: WriteController.Exchanged) -> None:
        self.features.session_log.answered(event.exchange)

    @on(WriteController.RecordRead)
    def _show_new_reading(self, event: WriteController.RecordRead) -> None:
        self.features.session_log.read(event.place, event.record)
        self.features.note_reading(event.place, event.record)
        self.workspace.record_read(event.place, event.record)

    @on(WriteController.SendingChanged)
    def _show_sending(self) -> None:
        self.workspace.record_display.refresh_history()
        if self.is_active:
            self.refresh_bindings()

    @on(LockController.Changed)
    def _show_lock(self) -> None:
        """Show in the status bar if, and how long, writes are unlocked."""
        lock = self.features.lock.shown
        self.status.read_only = lock.read_only
        self.status.locked = lock.locked
        self.status.writable_until = lock.writable_until
        self._key_bar.update_if_changed()

    # The team

    def on_approvals_controller_counted(self, event: "ApprovalsController.Counted") -> None:
        """Show in the status bar how many changes wait for approval, and how many are approved."""
        self.status.asks = (event.waiting, event.approved)

    def on_team_watch_changed(self, event: "TeamWatch.Changed") -> None:
        """Show the team's news."""
        news = event.watch.tell()
        self.status.team = event.watch.mark
        self._show_lock()
        display = self.workspace.record_display
        display.show_colleagues()
        if news and display.shown is not None:
            self.run_worker(self.features.timeline.look_for_news(), group="history-news", exclusive=True)

    # The console, and the response shown in it

    def action_history(self) -> None:
        """Show the request history."""
        self.ask(self.features.requests.show_history())

    def on_console_pane_ready(self, event: "ConsolePane.Ready") -> None:
        """Load paths for the completion of the new console."""
        self.run_worker(self.features.requests.load_known_paths(event.console), group="console-paths")

    async def on_console_pane_submitted(self, event: "ConsolePane.Submitted") -> None:
        """Send the console's request."""
        self.run_worker(self.features.requests.send(await self.workspace.console(), event.spec), group="console")

    def on_console_pane_cancel_wanted(self) -> None:
        """Cancel the console's request."""
        self.features.requests.cancel()

    def on_console_pane_values_wanted(self, event: "ConsolePane.ValuesWanted") -> None:
        """Ask for the blanks in the console's request."""
        from svc_tui.ui.console.fill_blanks import ask_for_blanks

        self.ask(ask_for_blanks(self, event.console, event.form))

    def on_console_pane_edit_wanted(self, event: "ConsolePane.EditWanted") -> None:
        """Edit the body of the console's request in $EDITOR."""
        self.ask(self.features.requests.edit_body(event.console, event.body))

    def on_console_pane_save_wanted(self, event: "ConsolePane.SaveWanted") -> None:
        """Save the console's request under a name."""
        self.ask(self.features.saved_requests.save(event.form))

    def on_console_pane_copy_wanted(self, event: "ConsolePane.CopyWanted") -> None:
        """Copy the console's request."""
        self.ask(self.features.copies.choice(event.copies, event.key))

    def on_console_pane_explain_wanted(self, event: "ConsolePane.ExplainWanted") -> None:
        """Explain the signature of the console's request."""
        requests = self.features.requests
        if event.pasted is not None:
            self.ask(requests.judge_pasted(event.pasted, event.request))
        else:
            self.ask(requests.explain(event.request, event.exchange, event.failure, edited=event.edited))

    def on_console_pane_open_wanted(self, event: "ConsolePane.OpenWanted") -> None:
        """Open the place that the console's request reads."""
        self.go(event.place)
        if event.place.record_id is None:
            self.workspace.browse.set_service_query(event.query)

    def on_console_pane_leave_wanted(self) -> None:
        """Go back from the console to the table."""
        self.workspace.to_table()

    def on_answer_view_save_wanted(self, event: "AnswerView.SaveWanted") -> None:
        """Save the console's response."""
        self.ask(self.features.answers.save(event.name, event.data))

    def on_answer_view_copied(self, event: "AnswerView.Copied") -> None:
        """Copy a text of the console's response."""
        self.run_worker(self.features.copies.text(event.text), group="copies")

    def on_answer_view_copy_wanted(self, event: "AnswerView.CopyWanted") -> None:
        """Choose what of the console's response to copy."""
        self.ask(self.features.copies.choice(event.copies))

    async def on_answer_view_compare_wanted(self) -> None:
        """Compare the console's response with an earlier one."""
        self.ask(self.features.answers.compare((await self.workspace.console()).requests.transcript))

    # Back and quit

    def action_back(self) -> None:
        """Close or end the innermost thing that is open."""
        self._go_back()

    def _go_back(self) -> bool:
        """Do what Esc does; return False if there was nothing to close.

        In this order: the console, a range or list being marked, loading, a filter that hides all rows, the search in a
        record, the drawer, the zoom, the record (going back to the one from which it was reached), an export, the
        filter.
        """
        workspace, table = self.workspace, self.context.table
        if workspace.in_console:
            workspace.to_table()
        elif (
            table.marking.end_range()
            or table.marking.stop_list()
            or (not workspace.panes.in_record and table.viewport.stop())
        ):
            pass
        elif table.has_focus_within and not table.table.rows.count and table.arrangement.clear_filter():
            # The text shown in place of the rows says that Esc clears the filter.
            pass
        elif workspace.panes.in_record and workspace.panes.record is not None and workspace.panes.record.end_search():
            pass
        elif self.split_layout.drawer_open:
            self.split_layout.close_drawer()
        elif self.split_layout.zoomed:
            self.split_layout.toggle_zoom()
        elif workspace.panes.in_record and self.features.navigation.trail.record_before is not None:
            self.action_travel(-1)
        elif workspace.panes.record_open:
            workspace.close_record()
        else:
            return self.features.stop_exporting() or table.arrangement.clear_filter()
        return True

    def action_leave(self) -> None:
        """Go back, or quit if there is nothing to close."""
        if not self._go_back():
            self.quit_asking()

    def leave_for_reader(self, hand_over: Callable[[HandOver], None]) -> None:
        """Continue in the reader, which gets the state; nothing is asked, since nothing ends."""
        if not self._leaving:
            self._leaving = True
            self.run_worker(self._leave_for_reader(hand_over), group="leaving")

    async def _leave_for_reader(self, hand_over: Callable[[HandOver], None]) -> None:
        try:
            if await self.features.may_go():
                hand_over(self._state_for_reader())
        finally:
            self._leaving = False

    def _state_for_reader(self) -> HandOver:
        place, ticket = self.workspace.selection.last_position.path, self.features.writes.tickets.last
        view, request = self.workspace.browse.view, self.workspace.unsent_request
        drafts = self.context.drafts.saved
        return HandOver(self.session.profile.name, place, ticket, self.privacy_mask.on, drafts, view, request)

    def quit_asking(self) -> None:
        """Quit; ask first if something was not sent."""
        if not self._leaving:
            self._leaving = True
            self.run_worker(self._quit(), group="leaving")

    async def _quit(self) -> None:
        try:
            if await self.features.writes.may_leave() and await self.features.unsent.may_leave():
                await self.context.remembered.left(self.workspace.selection.last_position)
                self.app.exit()
        finally:
            self._leaving = False
