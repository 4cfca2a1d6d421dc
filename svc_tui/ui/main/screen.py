"""The main screen: composes the panes, goes from place to place, and gives each key and message to its feature.

Dialogs are imported where they open, so that the first records do not wait for them. Messages of panes that are
imported when they are first opened are handled by their names.
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
from svc_tui.core.catalog import Collection
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
from svc_tui.ui.main.bindings import MAIN_BINDINGS, named_keys
from svc_tui.ui.main.features import MainFeatures
from svc_tui.ui.main.focused_frame import FramesFocusedPane
from svc_tui.ui.main.split_layout import SplitLayout
from svc_tui.ui.navigation.navigation_controller import (
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
from svc_tui.ui.sidebar.sidebar import Sidebar
from svc_tui.ui.table.collection_tabs import CollectionTabs
from svc_tui.ui.table.open_collection import CursorPosition
from svc_tui.ui.table.table_pane import TablePane
from svc_tui.ui.terminal.painting import PaintsDirtyCells
from svc_tui.ui.text import visible
from svc_tui.ui.widgets.bars.key_bar import KeyBar, KeyEmphasis
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
"""How many notices are kept for the palette's "Messages"."""

_PLAIN_WORD = re.compile(r"[a-z]+[ ,]")
"""The beginning of a sentence that may get a capital letter: an id, a file or an address keeps its own."""

_TOAST_SEVERITIES: "Mapping[Severity, SeverityLevel]" = {"warning": "warning", "error": "error", "unknown": "error"}
"""Textual's names of severities; the rest is information."""


@key_scope(Scope.MAIN_SCREEN)
class MainScreen(ExplainsAvailability, FramesFocusedPane, PaintsDirtyCells, Screen[None]):
    """Sidebar, workspace, status bar, keys of one session."""

    # Those of what is inside too: Textual takes the layers of the outermost widget that names any.
    DEFAULT_CSS = "MainScreen { layers: base over table notice too-small; }"
    BINDINGS = MAIN_BINDINGS

    draws_in_batch = False
    split_layout = query_one(SplitLayout)
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
        """Make the screen of a session; it opens `place`, or what was open last, and begins by showing `reports`.

        `show` shows another session in its place; `carried` is what goes along from what was there before.
        """
        super().__init__()
        self.session = session
        self.privacy_mask = PrivacyMask(session.preferences.mask_fields)
        self.privacy_mask.on = carried is not None and carried.masked
        self.reports: list[Report] = []
        self.asking = False
        self._said: dict[str, set[tuple[str, str]]] = {}
        """The titles and bodies of the notices of each cause."""
        self._traffic, self._asked_place, self._first_reports, self._arrived = traffic, place, reports, carried
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
        self._key_bar = KeyBar(self._named_keys)
        self._availability = ActionAvailability(self.context, self.features.drafting)
        if carried is not None:
            self.features.writes.tickets.last = carried.ticket
            drafts.take_over(carried.drafts)

    def compose(self) -> ComposeResult:
        """The sidebar, the workspace, and two bars below."""
        gateway, profile = self.session.gateway, self.session.profile
        yield SplitLayout(self.sidebar, self.workspace, self.context.remembered.sizes, self._keep_sizes)
        yield StatusBar(
            gateway.environment,
            profile.name,
            gateway.host,
            gateway.signs,
            self.session.monotonic,
            key_from=profile.key_from,
        )
        yield self._key_bar

    def _named_keys(self) -> KeyEmphasis:
        selection, opened = self.workspace.selection, self.context.table.open_collections.current
        return named_keys(
            selection.marked,
            has_record=selection.record is not None,
            in_record=self.workspace.panes.in_record,
            is_reference=selection.is_reference,
            is_id=selection.is_id,
            in_sidebar=self.sidebar.has_focus,
            has_written=bool(self.features.writes.last_entry),
            back_label=self._back_label,
            can_quit=self._can_quit,
            in_range=self.context.table.marking.in_range,
            is_narrow=self.split_layout.is_narrow,
            lock_label=self.features.lock.key_label,
            apply_label="" if opened is None else opened.apply_label,
        )

    @property
    def _back_label(self) -> str:
        """What Esc does in a record, or to a filter; "" where it closes something else first, or nothing."""
        panes, opened = self.workspace.panes, self.context.table.open_collections.current
        if self.split_layout.zoomed or self.context.table.marking.in_range:
            return ""
        if panes.in_record and panes.record is not None:
            return "End search" if panes.record.is_searching else "Back"
        is_filtered = opened is not None and bool(opened.filter.text) and not (opened.filtering or opened.loads_rest)
        return "Clear filter" if is_filtered and panes.browse.has_focus_within and not panes.record_open else ""

    @property
    def _can_quit(self) -> bool:
        """Whether the key that goes back quits; what it ends first, such as loading, is shown in the border."""
        workspace = self.workspace
        is_inside = workspace.panes.record_open or workspace.in_console or self.context.table.marking.in_range
        return not (self._back_label or self.split_layout.zoomed or is_inside)

    @on(TablePane.CursorMoved)
    @on(TablePane.CountKnown)
    @on(TablePane.Arranged)
    @on(RecordTable.ColumnMoved)
    def _cursor_moved(self) -> None:
        """Have the line of keys name others where those that it names do nothing here, or more keys work."""
        self._key_bar.update_if_changed()

    def on_field_list_moved(self) -> None:
        """The same for the cursor in a record."""
        self._cursor_moved()

    # The beginning

    def on_mount(self) -> None:
        """Listen to the traffic, open the first place."""
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
        asked = self._asked_place or (last_position.path if last_position else "")
        if asked:
            try:
                place = self.features.navigation.place(asked)
            except LinkToOtherService as service:
                self.ask(self.features.profiles.follow(asked, service))
            except PlaceError as error:
                # A remembered place may have been deleted since: that is no mistake of the user.
                if self._asked_place:
                    self.report(Report(str(error), severity="error"))
        self.go(place)
        if self._arrived is not None and self._arrived.view is not None:
            self.features.views.go_on(self._arrived.view)
        if last_position is not None and place.path == last_position.path and place.record_id is None:
            self.workspace.browse.cursor.go_back_to(
                CursorPosition(last_position.row, last_position.field, last_position.record_id)
            )

    @on(PaintsDirtyCells.FirstDrawn)
    def _first_drawn(self) -> None:
        if self.session.first_page is not None:
            self.session.first_page.shown()
        self.features.load()
        if self._arrived is not None and self._arrived.request is not None:
            self.run_worker(self._restore_request(self._arrived.request), group="console")
        if self.session.team is not None:
            self.run_worker(self._watch_team(self.session.team), group="team")

    async def _restore_request(self, request: "UnsentRequest") -> None:
        await self.workspace.take_up_request(request)
        if not request.on_show:
            self.report(Report("Press 4 to open it.", "Unsent request in the console"))

    async def _watch_team(self, team: "Team") -> None:
        # There is nothing to be told until its work has begun, and the first records are not to wait for it.
        await team.wait_until_open()
        from svc_tui.ui.team.watch import TeamWatch

        self.features.start_team()
        self._team_watch = TeamWatch(self.context, team)
        self._team_watch.begin()

    def on_unmount(self) -> None:
        """Nothing more is heard here of the team."""
        if self._team_watch is not None:
            self._team_watch.end()

    # Notices

    def report(self, report: Report) -> None:
        """Show a notice; text from outside is made visible here."""
        report = replace(report, body=self.privacy_mask.text(report.body))
        if self.reports and self.reports[-1] == report:
            # Said again: one notice is enough.
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
            said = self._said.setdefault(report.cause, set())
            said.add((title, body))
            # Once the app has taken the notice, and those that were posted just before.
            self.app.call_later(self._keep_newest_notice, said)

    def _keep_newest_notice(self, said: set[tuple[str, str]]) -> None:
        """Take the notices of one cause away but for the newest."""
        notices = [one for one in self.app._notifications if (one.title, one.message) in said]
        for notice in notices[:-1]:
            self.app._unnotify(notice)

    @property
    def seen_reports(self) -> list[Report]:
        """The notices shown so far, as the privacy mask lets anybody read them."""
        return [replace(report, body=self.privacy_mask.text(report.body)) for report in self.reports]

    def _warn(self, body: str) -> None:
        self.report(Report(body, severity="warning"))

    # One dialog at a time

    def ask(self, work: Coroutine[Any, Any, object]) -> None:
        """Run what opens a dialog; while one is being opened or is open, nothing else opens one over it."""
        if self.asking:
            work.close()
            return
        self.asking = True
        self._remove_information()
        self.run_worker(self._run_dialog(work), group="dialogs")

    def _remove_information(self) -> None:
        """Remove the notices that only inform: they must not cover what the user looks at next."""
        for notice in [one for one in self.app._notifications if one.severity == "information"]:
            self.app._unnotify(notice)

    async def _run_dialog(self, work: Coroutine[Any, Any, object]) -> None:
        try:
            await work
        finally:
            self.asking = False

    def on_screen_resume(self) -> None:
        """Show what changed behind a dialog: below one, the footer is drawn again at some moment or not at all."""
        self.features.writes.dialog_closed()
        self.refresh_bindings()

    # Keys

    def disabled_reason(self, action: str, parameters: tuple[object, ...]) -> DisabledReason | None:
        """Why the action's key is not taken; None where it is."""
        return self._availability.disabled_reason(action, parameters) if self.is_mounted else None

    def noop_reason(self, action: str, parameters: tuple[object, ...]) -> str:
        """Why the action would do nothing; "" where it would act."""
        return self._availability.noop_reason(action, parameters)

    def action_help(self) -> None:
        """Show the keys that work here."""
        if self.asking:
            return
        from svc_tui.ui.help.help_screen import HelpScreen
        from svc_tui.ui.keys.shortcuts import shortcuts

        place = self.workspace.selection.place
        self.app.push_screen(HelpScreen(shortcuts(self.app, self.active_bindings), place.key if place else ""))

    # Going places

    def go(self, place: Place, reading: RecordReading | None = None, *, visit: bool = True) -> None:
        """Open a collection, or a record in it; `reading` is one of that record made just now."""
        if visit:
            self.features.navigation.visited(place)
        gateway, profile = self.session.gateway, self.session.profile
        self.app.title = f"{gateway.environment.label} {profile.name} · {place.key} · svc-tui"
        self.run_worker(self.context.remembered.left(LastPosition(place.path)), group="memory")
        self.sidebar.reveal(place.collection)
        self.workspace.open(place, reading)

    def _show_view(self, collection: Collection, view: str) -> None:
        """Open a collection as one of its saved views shows it."""
        self.go(Place(collection))
        self.features.views.show_named(collection.key, view)

    def action_go_to(self) -> None:
        """Ask where to go."""
        self.ask(self._go_where_asked(""))

    def on_paste(self, event: events.Paste) -> None:
        """A paste into a list runs no keys: it fills the line of `:`."""
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
        self.ask(self._go_where_asked(line))

    async def _go_where_asked(self, initial: str) -> None:
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
        """Go back or forward through the places visited."""
        place = self.features.navigation.travelled(steps)
        if place is not None:
            self.go(place, visit=False)

    def action_search(self) -> None:
        """Find a record in all collections."""
        self.ask(self.features.finder.find())

    def on_finder_reading_loading(self, event: "FinderReading.Loading") -> None:
        """Show in the status bar which collection is being loaded for the search."""
        self.status.loaded_for_search = event.name

    def action_referrers(self) -> None:
        """Choose among the records that reference the selected one."""
        self.ask(self.features.finder.referrers())

    def action_explore(self) -> None:
        """Show the catalogue of what the service offers."""
        from svc_tui.ui.catalogue.catalogue_screen import explore

        self.ask(explore(self.context, self.features.record_actions))

    # The sidebar

    @on(Sidebar.CollectionChosen)
    def _collection_chosen(self, event: Sidebar.CollectionChosen) -> None:
        self.go(Place(event.collection))

    @on(Sidebar.ViewChosen)
    def _view_chosen(self, event: Sidebar.ViewChosen) -> None:
        self._show_view(event.view.collection, event.view.name)

    @on(Sidebar.ViewRemovalWanted)
    def _forget_view(self, event: Sidebar.ViewRemovalWanted) -> None:
        self.ask(self.features.views.forget_view(event.view.collection.key, event.view.name))

    @on(Sidebar.RouteChosen)
    async def _route_chosen(self, event: Sidebar.RouteChosen) -> None:
        (await self.workspace.console()).prefill(event.route)

    @on(Sidebar.RequestChosen)
    def _request_chosen(self, event: Sidebar.RequestChosen) -> None:
        self.ask(self.features.saved_requests.open(event.request.file))

    @on(Sidebar.RequestRemovalWanted)
    def _forget_request(self, event: Sidebar.RequestRemovalWanted) -> None:
        self.ask(self.features.saved_requests.forget(event.request))

    # The panes, and the room they have

    async def action_pane(self, name: str) -> None:
        """Put the focus on a pane, opening it where it is closed."""
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
        """The pane in focus full screen, and back."""
        self.split_layout.toggle_zoom()

    def action_size(self, steps: int) -> None:
        """More room for the pane in focus, or less."""
        if not self.split_layout.enlarge(steps):
            self.report(Report("This pane can't be larger."))

    def action_usual_sizes(self) -> None:
        """All panes as large as they were before the user changed them."""
        self.split_layout.reset_sizes()

    def on_resize(self, event: events.Resize) -> None:
        """The panes share what room there is."""
        self.split_layout.fit(event.size)
        cover_if_too_small(self, event.size)

    def _keep_sizes(self, sizes: PaneSizes) -> None:
        self.run_worker(self.context.remembered.sized(sizes), group="memory")

    # What all panes show

    def _handle_traffic(self, event: TrafficEvent) -> None:
        self.status.handle_traffic(event)
        self.workspace.handle_traffic(event)

    def action_raw(self) -> None:
        """Show values as they came, or as people read them."""
        self.workspace.raw = not self.workspace.raw

    def action_refresh_rows(self) -> None:
        """Load again what is shown, and draw all of it, over whatever another program may have written there."""
        self._remove_information()
        self.workspace.refresh_all()
        self.app.refresh(layout=True)

    def turn_mask(self) -> None:
        """Hide personal data, or show it again."""
        self.workspace.toggle_mask()
        self.status.masked = self.privacy_mask.on
        if self.privacy_mask.on:
            # What was said before, or searched for, may name a person.
            self.app.clear_notifications()
            if self.workspace.panes.record is not None:
                self.workspace.panes.record.end_search()
        off = "Personal data is unmasked."
        self.report(Report("Personal data is masked, also in copies and files." if self.privacy_mask.on else off))

    @on(Workspace.PlaceWanted)
    def _place_wanted(self, event: Workspace.PlaceWanted) -> None:
        self.go(event.place)

    @on(Workspace.Opened)
    def _place_opened(self, event: Workspace.Opened) -> None:
        self.features.navigation.visited(event.place)

    # The table that keys are about: the large one, or the one in the record's tab

    @on(TablePane.CountKnown)
    def _show_count(self, event: TablePane.CountKnown) -> None:
        self.sidebar.set_count(event.collection, event.total)

    @on(TablePane.KindsKnown)
    def _kinds_known(self) -> None:
        self.workspace.record_display.refresh_kinds()

    @on(CollectionTabs.CollectionWanted)
    def _tab_chosen(self, event: CollectionTabs.CollectionWanted) -> None:
        self.go(Place(event.collection))

    @on(TablePane.RowsFailed)
    def _rows_failed(self, event: TablePane.RowsFailed) -> None:
        self.report(reading_report(event.error, "Could not load the records"))

    @on(TablePane.NoticePosted)
    def _show_notice(self, event: TablePane.NoticePosted) -> None:
        self.report(Report(event.text))

    @on(TablePane.Arranged)
    def _rows_arranged(self) -> None:
        self.run_worker(self.features.views.take_rest(), group="arranged", exclusive=True)

    def action_tab(self, steps: int) -> None:
        """Go to another open collection."""
        self.workspace.to_table()
        if self.workspace.browse.open_collections.has_several:
            self.workspace.browse.tabs.step(steps)
        else:
            self.report(Report(availability.ONLY_TAB))

    def action_close_tab(self) -> None:
        """Close the collection shown, and go back to the previous one."""
        if (collection := self.workspace.browse.open_collections.close()) is not None:
            self.go(Place(collection))
        else:
            self.report(Report(availability.ONLY_TAB))

    def action_filter(self) -> None:
        """Type a filter for the table."""
        table = self.workspace.to_rows()
        table.arrangement.start_filter()
        # What is typed is looked for in all that is known of the collection.
        self.run_worker(self.features.views.take_known(table), group="known-rows", exclusive=True)

    def action_next(self, steps: int) -> None:
        """Go on, or back, through the rows that match the filter."""
        self.workspace.to_rows().table.action_move(steps)

    def action_sort(self) -> None:
        """Choose the order of the table's rows."""
        self.ask(self.features.views.sort())

    def action_load_rest(self) -> None:
        """Load the rows that are missing in the table."""
        self.run_worker(self.features.views.load_rest(), group="arranged", exclusive=True)

    def action_unarrange(self) -> None:
        """Clear the last thing that narrows or orders the table."""
        self.features.views.undo_arrangement()

    def action_unfilter(self) -> None:
        """The filter's chip was clicked."""
        self.context.table.arrangement.clear_filter()

    def action_unask(self, number: int) -> None:
        """The chip of a query parameter was clicked, counted from 0."""
        self.features.views.remove_parameter(number)

    def action_columns(self) -> None:
        """Choose the columns of the table."""
        self.ask(self.features.columns.columns())

    def action_summary(self) -> None:
        """Sum up the column under the cursor."""
        self.ask(self.features.columns.summary())

    def action_export(self) -> None:
        """Export what the table shows."""
        self.ask(self.features.exports.ask())

    # The selected record: the open one, or the one under the table's cursor

    @on(Workspace.RecordFailed)
    def _record_failed(self, event: Workspace.RecordFailed) -> None:
        self.report(error_report(event.error, f"Could not load {event.place.record_id}"))

    @on(Workspace.Looked)
    def _record_opened(self, event: Workspace.Looked) -> None:
        self.features.session_log.opened(event.place, event.record)
        self.features.note_reading(event.place, event.record)

    def on_field_list_opened(self, event: "FieldList.Opened") -> None:
        """Enter on a value of the record."""
        self.features.records.opened(event.entry, event.truncated)

    def on_record_views_history_wanted(self) -> None:
        """The record's history is on show."""
        self.run_worker(self.features.timeline.show(), group="history", exclusive=True)

    def on_timeline_list_opened(self, event: "TimelineList.Opened") -> None:
        """Enter on an event of the record's history."""
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

    # Changes: nothing is sent from here, each is reviewed first

    def action_edit(self, edit_externally: bool = False) -> None:
        """Edit the field under the cursor, in its place or outside."""
        selection = self.workspace.selection
        if selection.shown is None or selection.steps is None:
            self.report(Report(availability.NO_RECORD if selection.shown is None else availability.NO_FIELD))
        else:
            self.ask(self.features.editing.edit_value(selection.steps, externally=edit_externally))

    def action_edit_whole(self) -> None:
        """Edit the whole record in the user's editor."""
        self.ask(self.features.editing.edit_record())

    def action_take_back(self) -> None:
        """Discard the edit of the field under the cursor."""
        place, field = self.workspace.selection.place, self.workspace.selection.field
        if place is None or field is None or not self.features.drafting.revert_field(place, field):
            self.report(Report(availability.NOT_CHANGED))

    def action_review(self) -> None:
        """Open the change card."""
        place = self.workspace.selection.place
        if place is None or place.record_id is None:
            self.report(Report(availability.NOTHING_TO_SEND))
        else:
            self.ask(self.features.drafting.review(place))

    def action_act(self, what: str) -> None:
        """Create, copy, delete, or choose from what can be done with the record under the cursor."""
        self.ask(self.features.record_actions.do(what))

    def action_undo(self) -> None:
        """Choose a change to undo."""
        self.ask(self.features.undoing.choose())

    def action_lock(self) -> None:
        """Unlock LIVE, or lock it again."""
        self.ask(self.features.lock.toggle())

    def action_rotate(self) -> None:
        """Put a new key pair in the place of the session's own."""
        from svc_tui.ui.connect.rotate import rotate

        self.ask(rotate(self.context))

    def action_journal(self) -> None:
        """Show the journal of writes."""
        self.ask(self.features.journal.show())

    def action_proof(self) -> None:
        """Copy the proof of the last write."""
        self.run_worker(self.features.journal.copy_proof(self.features.writes.last_entry), group="copies")

    @on(DraftController.DraftChanged)
    def _draft_changed(self, event: DraftController.DraftChanged) -> None:
        self.workspace.draft_changed(event.place)
        self.refresh_bindings()
        self.sidebar.set_unsent({place.collection.key for place in self.context.drafts.places})

    @on(WriteController.Exchanged)
    def _exchanged(self, event: WriteController.Exchanged) -> None:
        self.features.session_log.answered(event.exchange)

    @on(WriteController.RecordRead)
    def _record_read(self, event: WriteController.RecordRead) -> None:
        self.features.session_log.read(event.place, event.record)
        self.features.note_reading(event.place, event.record)
        self.workspace.record_read(event.place, event.record)

    @on(WriteController.SendingChanged)
    def _sending_changed(self) -> None:
        self.workspace.record_display.refresh_history()
        if self.is_active:
            self.refresh_bindings()

    @on(LockController.Changed)
    def _show_lock(self) -> None:
        """Show in the status bar whether, and how long, writes may leave."""
        lock = self.features.lock.shown
        self.status.read_only = lock.read_only
        self.status.locked = lock.locked
        self.status.writable_until = lock.writable_until
        self._key_bar.update_if_changed()

    # The team

    def on_approvals_controller_counted(self, event: "ApprovalsController.Counted") -> None:
        """Show in the status bar what waits for a second person, and what one approved."""
        self.status.asks = (event.waiting, event.approved)

    def on_team_watch_changed(self, event: "TeamWatch.Changed") -> None:
        """Something is different with the team."""
        news = event.watch.tell()
        self.status.team = event.watch.mark
        self._show_lock()
        display = self.workspace.record_display
        display.show_colleagues()
        if news and display.shown is not None:
            self.run_worker(self.features.timeline.look_for_news(), group="history-news", exclusive=True)

    # The console, and the response shown in it

    def action_history(self) -> None:
        """Show the requests that were sent."""
        self.ask(self.features.requests.show_history())

    def on_console_pane_ready(self, event: "ConsolePane.Ready") -> None:
        """The console has just been made."""
        self.run_worker(self.features.requests.load_known_paths(event.console), group="console-paths")

    async def on_console_pane_submitted(self, event: "ConsolePane.Submitted") -> None:
        """The console's request is to be sent."""
        self.run_worker(self.features.requests.send(await self.workspace.console(), event.spec), group="console")

    def on_console_pane_cancel_wanted(self) -> None:
        """The console's read is to be cancelled."""
        self.features.requests.cancel()

    def on_console_pane_values_wanted(self, event: "ConsolePane.ValuesWanted") -> None:
        """The console's request has blanks left."""
        from svc_tui.ui.console.fill_blanks import ask_for_blanks

        self.ask(ask_for_blanks(self, event.console, event.form))

    def on_console_pane_edit_wanted(self, event: "ConsolePane.EditWanted") -> None:
        """The body of the console's request is to be edited outside."""
        self.ask(self.features.requests.edit_body(event.console, event.body))

    def on_console_pane_save_wanted(self, event: "ConsolePane.SaveWanted") -> None:
        """The console's request is to be saved under a name."""
        self.ask(self.features.saved_requests.save(event.form))

    def on_console_pane_copy_wanted(self, event: "ConsolePane.CopyWanted") -> None:
        """The console's request is to be copied."""
        self.ask(self.features.copies.choice(event.copies, event.key))

    def on_console_pane_explain_wanted(self, event: "ConsolePane.ExplainWanted") -> None:
        """The signature of the console's request is to be explained."""
        requests = self.features.requests
        if event.pasted is not None:
            self.ask(requests.judge_pasted(event.pasted, event.request))
        else:
            self.ask(requests.explain(event.request, event.exchange, event.failure, edited=event.edited))

    def on_console_pane_open_wanted(self, event: "ConsolePane.OpenWanted") -> None:
        """What the console reads is to be opened."""
        self.go(event.place)
        if event.place.record_id is None:
            self.workspace.browse.set_service_query(event.query)

    def on_console_pane_leave_wanted(self) -> None:
        """Esc in the console leads back to the table."""
        self.workspace.to_table()

    def on_answer_view_save_wanted(self, event: "AnswerView.SaveWanted") -> None:
        """The console's response is to be saved."""
        self.ask(self.features.answers.save(event.name, event.data))

    def on_answer_view_copied(self, event: "AnswerView.Copied") -> None:
        """A text of the console's response is to be copied."""
        self.run_worker(self.features.copies.text(event.text), group="copies")

    def on_answer_view_copy_wanted(self, event: "AnswerView.CopyWanted") -> None:
        """Something of the console's response is to be copied."""
        self.ask(self.features.copies.choice(event.copies))

    async def on_answer_view_compare_wanted(self) -> None:
        """The console's response is to be compared with another one."""
        self.ask(self.features.answers.compare((await self.workspace.console()).requests.transcript))

    # Back, and out

    def action_back(self) -> None:
        """Leave the innermost thing that is open here."""
        self._leave_innermost()

    def _leave_innermost(self) -> bool:
        """Do what Esc does here; return whether there was anything to leave.

        In this order: the console, a range or list being marked, loading, a filter that hides all rows, the search in a
        record, the drawer, the zoom, the record (a record that was reached from another one in favour of that one), an
        export, the filter.
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
            # As the sentence in its place says.
            pass
        elif workspace.panes.in_record and workspace.panes.record is not None and workspace.panes.record.end_search():
            pass
        elif self.split_layout.drawer_open:
            self.split_layout.close_drawer()
        elif self.split_layout.zoomed:
            self.split_layout.toggle_zoom()
        elif workspace.panes.in_record and self.features.navigation.trail.came_from_record:
            self.action_travel(-1)
        elif workspace.panes.record_open:
            workspace.close_record()
        else:
            return self.features.stop_exporting() or table.arrangement.clear_filter()
        return True

    def action_leave(self) -> None:
        """Go back, and quit where there is nothing left to close."""
        if not self._leave_innermost():
            self.quit_asking()

    def go_on_in_lines(self, hand_over: Callable[[HandOver], None]) -> None:
        """Leave for the reader, which gets what goes along; nothing is asked, since nothing ends."""
        if not self._leaving:
            self._leaving = True
            self.run_worker(self._go_on_in_lines(hand_over), group="leaving")

    async def _go_on_in_lines(self, hand_over: Callable[[HandOver], None]) -> None:
        try:
            if await self.features.may_go():
                hand_over(self._carried)
        finally:
            self._leaving = False

    @property
    def _carried(self) -> HandOver:
        """What goes along to the reader."""
        place, ticket = self.workspace.selection.last_position.path, self.features.writes.tickets.last
        view, request = self.workspace.browse.view, self.workspace.unsent_request
        drafts = self.context.drafts.saved
        return HandOver(self.session.profile.name, place, ticket, self.privacy_mask.on, drafts, view, request)

    def quit_asking(self) -> None:
        """Leave the program; ask where something is not sent, once for each change."""
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
