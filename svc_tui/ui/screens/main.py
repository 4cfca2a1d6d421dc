"""The main screen: composes its parts and routes what they say; everything it shows is made elsewhere.

Dialogs are imported where they open, so that the first paint does not wait for them.
"""

from collections.abc import Callable, Coroutine, Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime, tzinfo
from typing import TYPE_CHECKING, Any

from textual import events, on
from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.getters import query_one
from textual.screen import Screen
from textual.signal import Signal
from textual.widgets import Footer

from svc_tui.domain.catalog import COLLECTIONS, ROUTES, Collection
from svc_tui.domain.gateway import (
    Batches,
    Drafts,
    Files,
    Forms,
    Gateway,
    History,
    Journal,
    PreferenceStore,
    Reading,
    SavedRequests,
    TextEditor,
)
from svc_tui.domain.records import Place
from svc_tui.domain.routes import PlaceError
from svc_tui.domain.settings import Preferences, Profile
from svc_tui.domain.traffic import TrafficEvent
from svc_tui.domain.views import Stay
from svc_tui.ui.clipboard import holds_secret
from svc_tui.ui.desk import Desk
from svc_tui.ui.outside import Outside
from svc_tui.ui.panes.browse import BrowsePane
from svc_tui.ui.panes.sheet import Position
from svc_tui.ui.panes.sidebar import Sidebar
from svc_tui.ui.panes.workspace import Workspace
from svc_tui.ui.remembering import Remembering
from svc_tui.ui.report import Report, of_error, of_reading
from svc_tui.ui.screens.amending import Amending
from svc_tui.ui.screens.answering import Answering
from svc_tui.ui.screens.arranging import Arranging
from svc_tui.ui.screens.begun import Begun
from svc_tui.ui.screens.books import Books, Shelves
from svc_tui.ui.screens.copying import Copying
from svc_tui.ui.screens.editing import Editing
from svc_tui.ui.screens.filing import Filing
from svc_tui.ui.screens.inspecting import Inspecting
from svc_tui.ui.screens.looking import Looking
from svc_tui.ui.screens.main_bindings import MAIN_BINDINGS
from svc_tui.ui.screens.recalling import Recalling
from svc_tui.ui.screens.trying import Trying
from svc_tui.ui.screens.unsent import Unsent
from svc_tui.ui.screens.wayfinding import Named, Row, Wayfinding
from svc_tui.ui.text import visible
from svc_tui.ui.veil import Veil
from svc_tui.ui.widgets.status_bar import StatusBar

if TYPE_CHECKING:
    from svc_tui.ui.palette import Command
    from svc_tui.ui.panes.console import ConsolePane
    from svc_tui.ui.panes.record import RecordPane
    from svc_tui.ui.screens.acting import Acting
    from svc_tui.ui.screens.exporting import Exporting
    from svc_tui.ui.screens.writing import Writing
    from svc_tui.ui.widgets.answer_view import AnswerView

FIRST = COLLECTIONS[0]
"""What opens when nothing else was asked for."""

WIDE = 110
"""Columns from which a record stands beside the table."""

MOST_REPORTS = 200
"""How many of the things said are kept for the palette's "Messages"."""


class MainScreen(Screen[None]):
    """Sidebar, workspace, status bar, keys."""

    DEFAULT_CSS = """
    MainScreen {
        & #body { height: 1fr; }
        & Sidebar { width: 30; }
        & Sidebar.-narrow { width: 26; }
        &.-no-sidebar Sidebar, &.-zoom Sidebar { display: none; }
    }
    """

    BINDINGS = MAIN_BINDINGS

    sidebar = query_one(Sidebar)
    workspace = query_one(Workspace)
    status = query_one(StatusBar)

    def __init__(
        self,
        *,
        gateway: Gateway,
        profile: Profile,
        preferences: Preferences,
        journal: Journal,
        batches: Batches,
        drafts: Drafts,
        forms: Forms,
        history: History,
        requests: SavedRequests,
        traffic: Signal[TrafficEvent],
        place: str | None,
        notices: Sequence[str],
        monotonic: Callable[[], float],
        lasting: bool,
        store: PreferenceStore,
        files: Files,
        editor: TextEditor,
        tz: tzinfo,
    ) -> None:
        super().__init__()
        self._tz = tz
        self._gateway, self._profile, self._journal, self._traffic = gateway, profile, journal, traffic
        self._asked_place = place
        self._notices = notices
        self.asking = self._leaving = False
        self._collections = tuple(collection for domain in profile.domains() for collection in domain.collections)
        self._routes = (*ROUTES, *profile.routes)
        desk = Desk(drafts, lambda: datetime.now(UTC))
        self.veil = Veil(preferences.mask_fields)
        self.reports: list[Report] = []
        self.remembering = Remembering(store, profile.name, lambda line: self.report(Report(line, severity="warning")))
        self.editing = Editing(self, gateway, profile, preferences, journal, desk, self.report, monotonic, self.veil)
        self._begun = Begun(self, forms, self.report, lambda: datetime.now(UTC))
        self.unsent = Unsent(
            self,
            desk,
            self._begun,
            self.go,
            self._ask,
            self.editing.put,
            lambda purpose: self.acting.go_on(purpose),
            self.veil,
            lasting=lasting,
        )
        recalling = Recalling(
            self, history, gateway, profile, preferences, self.veil, lambda: self.workspace.console(), self.report, tz
        )
        filing = Filing(
            self,
            requests,
            gateway,
            self._collections,
            lambda: self.workspace.console(),
            lambda kept: self.sidebar.set_requests(kept),
            self.report,
        )
        self.trying = Trying(gateway, self.editing, recalling, filing, self.report)
        self.copying = Copying(self, gateway, files, self.report, self.veil)
        self.answering = Answering(
            self, files, self.copying, self.veil, lambda text: self.inspecting.page_text(text), self.report, tz
        )
        self._files = files
        self.books = Books(
            self,
            gateway,
            profile,
            Shelves(journal, batches, files),
            self.editing,
            self.copying,
            self.veil,
            self._writing,
            self._ask,
            self.report,
            tz,
        )
        outside = self._outside = Outside(lambda: self.app, editor, files, self.report)
        self._amending = Amending(
            self, gateway, profile, self.editing, lambda: self.workspace, outside, self.report, tz
        )
        self._exporting: Exporting | None = None
        self._acting: Acting | None = None
        self.arranging = Arranging(
            self,
            lambda: self.workspace.at_hand,
            self.remembering,
            self.report,
            lambda *views: self.sidebar.set_views(*views),
        )
        self.looking = Looking(self, lambda: self.workspace, self.remembering, self.report, tz)
        self.inspecting = Inspecting(
            self, gateway, journal, lambda: self.workspace, self._ask, self._go_read, self.report, tz
        )
        self.wayfinding = Wayfinding(
            self,
            gateway,
            self._collections,
            lambda text: self.workspace.home_of(text),
            lambda key: self.remembering.habit(key).named,
        )

    def compose(self) -> ComposeResult:
        """The sidebar, the workspace, and two bars below."""
        gateway, profile, now = self._gateway, self._profile, self.editing.now
        with Horizontal(id="body"):
            yield Sidebar(profile.domains(), self._routes)
            yield Workspace(
                gateway, profile, self._routes, self.editing.desk, self.remembering, now, self._tz, self.veil
            )
        yield StatusBar(gateway.environment, profile.name, gateway.host, gateway.signs, now)
        yield Footer(show_command_palette=False)

    def on_mount(self) -> None:
        """Listen to the wire, open the first place, take up old drafts."""
        self._traffic.subscribe(self, self._heard)
        self._lock_shown()
        self.set_interval(1, self._lock_shown)
        for notice in self._notices:
            self.report(Report(notice, severity="warning"))
        for collection in self._collections:
            if names := tuple(self.remembering.habit(collection.key).named):
                self.sidebar.set_views(collection.key, names)
        self._open_first()
        self.run_worker(self.editing.load(), group="drafts")
        self.run_worker(self._begun.load(), group="drafts")
        self.run_worker(self.books.take_up(), group="batches")
        self.run_worker(self.trying.filing.load(), group="saved-requests")

    def _open_first(self) -> None:
        place = Place(FIRST)
        stay = self.remembering.stay
        asked = self._asked_place or (stay.path if stay else "")
        if asked:
            try:
                place = self.wayfinding.place(asked)
            except PlaceError as error:
                # A remembered place that is no more was nobody's mistake.
                if self._asked_place:
                    self.report(Report(str(error), severity="error"))
        self.go(place)
        if stay is not None and place.path == stay.path and place.record_id is None:
            self.workspace.browse.return_to(Position(stay.row, stay.field, stay.record_id))

    # What is said, here and there

    def report(self, report: Report) -> None:
        """Tell the user something; words from outside are made visible here."""
        report = replace(report, body=self.veil.text(report.body))
        if self.reports and self.reports[-1] == report:
            # Said again: one notice is enough.
            self.app.clear_notifications()
        self.reports = [*self.reports, report][-MOST_REPORTS:]
        timeout = None if report.severity == "information" else 12.0
        self.notify(
            visible(report.body, lines=True),
            title=visible(report.title),
            severity=report.severity,
            timeout=timeout,
            markup=False,
        )

    def _heard(self, event: TrafficEvent) -> None:
        self.status.heard(event)
        self.workspace.heard(event)

    @on(Sidebar.CollectionChosen)
    def _collection_chosen(self, event: Sidebar.CollectionChosen) -> None:
        self.go(Place(event.collection))

    @on(Sidebar.ViewChosen)
    def _view_chosen(self, event: Sidebar.ViewChosen) -> None:
        self._look_at(event.view.collection, event.view.name)

    def _look_at(self, collection: Collection, view: str) -> None:
        self.go(Place(collection))
        self.arranging.show_named(collection.key, view)

    @on(Sidebar.ViewUnwanted)
    def _view_unwanted(self, event: Sidebar.ViewUnwanted) -> None:
        self._ask(self.arranging.forget_view(event.view.collection.key, event.view.name))

    @on(Sidebar.RouteChosen)
    async def _route_chosen(self, event: Sidebar.RouteChosen) -> None:
        (await self.workspace.console()).prefill(event.route)

    @on(Sidebar.RequestChosen)
    def _request_chosen(self, event: Sidebar.RequestChosen) -> None:
        self._ask(self.trying.filing.open(event.request.file))

    @on(Sidebar.RequestUnwanted)
    def _request_unwanted(self, event: Sidebar.RequestUnwanted) -> None:
        self._ask(self.trying.filing.forget(event.request))

    def on_console_pane_keep_wanted(self, event: "ConsolePane.KeepWanted") -> None:
        """The console's request is to be saved under a name."""
        self._ask(self.trying.filing.save(event.form))

    @on(BrowsePane.CountKnown)
    def _count_known(self, event: BrowsePane.CountKnown) -> None:
        self.sidebar.set_count(event.collection, event.total)

    @on(BrowsePane.RowsFailed)
    def _rows_failed(self, event: BrowsePane.RowsFailed) -> None:
        self.report(Report(of_reading(event.error), "Rows could not be read", "error"))

    @on(BrowsePane.Told)
    def _told(self, event: BrowsePane.Told) -> None:
        self.report(Report(event.text))

    @on(Workspace.Opened)
    def _opened(self, event: Workspace.Opened) -> None:
        self.wayfinding.visited(event.place)

    @on(Workspace.RecordFailed)
    def _record_failed(self, event: Workspace.RecordFailed) -> None:
        self.report(of_error(event.error, f"{event.place.record_id} could not be read"))

    def on_record_pane_field_opened(self, event: "RecordPane.FieldOpened") -> None:
        """Enter on a value of the record."""
        self.inspecting.opened(event.entry, event.cut)

    def on_record_pane_history_wanted(self) -> None:
        """The record's history is on show."""
        self.run_worker(self.inspecting.history(), group="history", exclusive=True)

    def on_record_pane_entry_opened(self, event: "RecordPane.EntryOpened") -> None:
        """Enter on a write in the record's history."""
        self._ask(self.inspecting.show_entry(event.entry))

    def on_record_pane_action_wanted(self, event: "RecordPane.ActionWanted") -> None:
        """Enter on something that can be done with the record."""
        self._ask(self.acting.carry_out(event.choice))

    def on_console_pane_values_wanted(self, event: "ConsolePane.ValuesWanted") -> None:
        """The console's request has blanks left."""
        from svc_tui.ui.screens.filling_in import fill_in

        self._ask(fill_in(self, event.console, event.form))

    async def on_console_pane_submitted(self, event: "ConsolePane.Submitted") -> None:
        """The console wants a request sent."""
        self.run_worker(self.trying.send(await self.workspace.console(), event.spec), group="console")

    def on_console_pane_ready(self, event: "ConsolePane.Ready") -> None:
        """The console has just been made."""
        self.run_worker(self.trying.teach(event.console), group="console-paths")

    def action_history(self) -> None:
        """Show the requests that were sent."""
        self._ask(self.trying.show_history())

    def on_console_pane_copy_wanted(self, event: "ConsolePane.CopyWanted") -> None:
        """The console's request is to be copied."""
        self._ask(self.copying.choice(event.copies))

    def on_console_pane_explain_wanted(self, event: "ConsolePane.ExplainWanted") -> None:
        """The signature of the console's request is to be explained."""
        plain = self._collections[0]
        self._ask(self.trying.explain(self, event.request, event.exchange, event.failure, plain))

    def on_answer_view_save_wanted(self, event: "AnswerView.SaveWanted") -> None:
        """The console's answer is to be saved."""
        self._ask(self.answering.save(event.name, event.data))

    def on_answer_view_copied(self, event: "AnswerView.Copied") -> None:
        """A text of the console's answer is to be copied."""
        self.run_worker(self.answering.copy(event.text), group="copies")

    def on_answer_view_copy_wanted(self, event: "AnswerView.CopyWanted") -> None:
        """Something of the console's answer is to be copied."""
        self._ask(self.answering.choose_copy(event.copies))

    async def on_answer_view_compare_wanted(self) -> None:
        """The console's answer is to be compared with another one."""
        self._ask(self.answering.compare((await self.workspace.console()).transcript))

    def on_console_pane_open_wanted(self, event: "ConsolePane.OpenWanted") -> None:
        """What the console reads is to be opened."""
        self.go(event.place)
        if event.place.record_id is None:
            self.workspace.browse.ask_service(event.query)

    def on_console_pane_edit_wanted(self, event: "ConsolePane.EditWanted") -> None:
        """The body of the console's request is to be edited outside."""
        self._ask(self.trying.edit_body(event.console, event.body, self._outside))

    def on_console_pane_cancel_wanted(self) -> None:
        """The console's read is to be given up."""
        self.trying.cancel()

    def on_console_pane_left(self) -> None:
        """Esc in the console leads back to the table."""
        self.workspace.to_table()

    @on(Editing.DraftChanged)
    def _draft_changed(self, event: Editing.DraftChanged) -> None:
        self.workspace.draft_changed(event.place)
        self.sidebar.set_unsent({place.collection.key for place in self.editing.desk.places})

    @on(Editing.Exchanged)
    def _exchanged(self, event: Editing.Exchanged) -> None:
        self.books.exchanged(event.exchange)

    @on(Workspace.Looked)
    def _looked(self, event: Workspace.Looked) -> None:
        self.books.looked(event.place, event.record)

    @on(Editing.RecordRead)
    def _record_read(self, event: Editing.RecordRead) -> None:
        self.books.read(event.place, event.record)
        self.workspace.record_read(event.place, event.record)

    @on(Editing.LockChanged)
    def _lock_shown(self) -> None:
        lock, now = self.editing.lock, self.editing.now()
        self.status.read_only = lock.read_only
        self.status.locked = lock.refusal(now) is not None
        self.status.writable_until = lock.counts_down_to(now)

    def on_screen_resume(self) -> None:
        """A dialog was closed, or the program came back."""
        self.editing.came_to_front()

    @on(Editing.SendingChanged)
    def _sending_changed(self) -> None:
        self.workspace.writes_ended()
        self.refresh_bindings()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """While a write is on its way, another review waits (greyed)."""
        return None if action == "review" and self.editing.sending else True

    def on_paste(self, event: events.Paste) -> None:
        """A paste into a list runs no keys: it fills the line of `:`."""
        event.stop()
        text = event.text.strip()
        if holds_secret(text, self._gateway.secrets):
            self.report(Report("What was pasted looks like a key or a secret. It was not read.", severity="warning"))
            return
        self._ask(self._go_where_asked(text.split("\n")[0].strip()))

    def on_resize(self, event: events.Resize) -> None:
        """A record has the whole width where there is no room beside it."""
        self._fit(event.size.width)

    def _fit(self, width: int) -> None:
        # Not by Textual's breakpoints: a class on the screen has everything on it styled again, at the start too.
        workspace, zoomed = self.workspace, self.has_class("-zoom")
        workspace.alone = width < WIDE or (zoomed and not workspace.table_alone)
        self.sidebar.set_class(width < WIDE, "-narrow")

    def _ask(self, work: Coroutine[Any, Any, None]) -> None:
        """Run what opens a dialog; while one is being opened or is open, nothing else opens one over it."""
        if self.asking:
            work.close()
            return
        self.asking = True
        self.run_worker(self._asked(work), group="dialogs")

    async def _asked(self, work: Coroutine[Any, Any, None]) -> None:
        try:
            await work
        finally:
            self.asking = False

    # Going places

    def _go_read(self, place: Place, reading: Reading) -> None:
        self.go(place, reading=reading)

    def go(self, place: Place, *, visit: bool = True, reading: Reading | None = None) -> None:
        """Open a collection, or a record in it; `reading` is one of that record made just now."""
        if visit:
            self.wayfinding.visited(place)
        self.app.title = f"{self._gateway.environment.label} {self._profile.name} · {place.key} · svc-tui"
        self.run_worker(self.remembering.left(Stay(place.path)), group="memory")
        self.sidebar.reveal(place.collection)
        self.workspace.open(place, reading)

    def action_go_to(self) -> None:
        """Ask where to go."""
        self._ask(self._go_where_asked(""))

    async def _go_where_asked(self, initial: str) -> None:
        match await self.wayfinding.ask(initial):
            case Place() as place:
                self.go(place)
            case Row(index):
                self.workspace.close_record()
                self.workspace.browse.go_to_row(index)
            case Named(collection, name):
                self._look_at(collection, name)
            case None:
                pass

    def action_explore(self) -> None:
        """Show the catalogue of what the service offers."""
        from svc_tui.ui.screens.exploring import explore

        self._ask(explore(self, self._gateway, self._profile, self.workspace, self.acting))

    def action_travel(self, steps: int) -> None:
        """Back and forward through the places visited."""
        place = self.wayfinding.travelled(steps)
        if place is not None:
            self.go(place, visit=False)

    def action_follow(self) -> None:
        """Go to the record that the value under the cursor names."""
        self.inspecting.follow()

    def action_peek(self) -> None:
        """Look at the record that the value under the cursor names."""
        self._ask(self.inspecting.peek())

    def action_page(self) -> None:
        """Show the text at hand in the user's pager."""
        self._ask(self.inspecting.page())

    async def action_pane(self, name: str) -> None:
        """Put the focus on a pane, opening it where it is closed."""
        if name == "sidebar":
            self.remove_class("-no-sidebar", "-zoom")
            self.sidebar.focus()
        elif name == "console":
            (await self.workspace.console()).start()
        elif name == "table":
            self.workspace.to_table()
        elif not self.workspace.open_record():
            self.report(Report("No record is under the cursor."))

    def action_sidebar(self) -> None:
        """Show or hide the sidebar."""
        self.toggle_class("-no-sidebar")
        if self.has_class("-no-sidebar") and self.sidebar.has_focus:
            self.workspace.to_table()

    def action_zoom(self) -> None:
        """The pane in focus full screen, and back."""
        self.toggle_class("-zoom")
        self.workspace.table_alone = self.has_class("-zoom") and not self.workspace.in_record
        self._fit(self.size.width)

    def action_filter(self) -> None:
        """Type a filter for the table."""
        self.workspace.to_rows().start_filter()

    @on(Workspace.PlaceWanted)
    def _place_wanted(self, event: Workspace.PlaceWanted) -> None:
        self.go(event.place)

    def action_tab(self, steps: int) -> None:
        """To another of the collections that are open."""
        self.workspace.to_table()
        self.workspace.browse.step(steps)

    def action_close_tab(self) -> None:
        """Close the collection on show, and go to the one that was looked at before it."""
        if (collection := self.workspace.browse.close()) is not None:
            self.go(Place(collection))
        else:
            self.report(Report("Only this collection is open. : opens another, q leaves."))

    def action_sort(self) -> None:
        """Choose the order of the table's rows."""
        self._ask(self.arranging.sort())

    def action_next(self, steps: int) -> None:
        """On, or back, through the rows that fit the filter."""
        self.workspace.to_rows().table.action_move(steps)

    def request_commands(self, command: "type[Command]") -> "Iterator[Command]":
        """What no key does with requests."""
        yield from self.trying.commands(command, self._ask)

    def save_view(self) -> None:
        """Keep the way that the collection is looked at under a name."""
        self._ask(self.arranging.save_view())

    def load_rest(self) -> None:
        """Read what is missing, for what it costs."""
        self._ask(self.arranging.load_rest())

    def action_unarrange(self) -> None:
        """Take back the last thing that narrows or orders the table."""
        self.arranging.take_back()

    def action_unfilter(self) -> None:
        """The filter's chip was clicked."""
        self.workspace.at_hand.arrangement.clear_filter()

    def action_unask(self, number: int) -> None:
        """The chip of a parameter that goes to the service was clicked, counted from 0."""
        self.arranging.unask(number)

    @on(BrowsePane.FilterKept)
    def _filter_kept(self) -> None:
        self._ask(self.arranging.offer_rest())

    def action_columns(self) -> None:
        """Choose the columns of the table."""
        self._ask(self.looking.columns())

    def action_summary(self) -> None:
        """Sum up the column under the cursor."""
        self._ask(self.looking.summary())

    def action_raw(self) -> None:
        """Show values as they came, or as people read them."""
        self.workspace.raw = not self.workspace.raw

    def action_refresh_rows(self) -> None:
        """Read again what is shown."""
        self.workspace.refresh_all()

    def action_back(self) -> None:
        """Close what is open, or end it: the console, a range being marked, reading on, full screen, the record."""
        self._closed_something()

    def _closed_something(self) -> bool:
        workspace, browse = self.workspace, self.workspace.at_hand
        if workspace.in_console:
            workspace.to_table()
        elif browse.marking.settle() or (not workspace.in_record and browse.stop_loading()):
            pass
        elif self.has_class("-zoom"):
            self.action_zoom()
        elif workspace.record_open:
            workspace.close_record()
        else:
            exporting = self._exporting is not None and self._exporting.stop()
            return exporting or browse.arrangement.clear_filter()
        return True

    # Changing, copying, looking things up

    def action_edit(self, outside: bool = False) -> None:
        """Edit the field under the cursor, in its dialog or outside."""
        record, path = self.workspace.shown, self.workspace.steps
        if record is None or path is None:
            self.report(Report("No field is under the cursor. Enter on a row opens its record."))
        else:
            self._ask(self.books.unveiled(self.workspace.hidden, self._amending.value(path, outside=outside)))

    def action_edit_whole(self) -> None:
        """Edit the whole record in the user's editor."""
        hidden = self.workspace.seen != self.workspace.shown
        self._ask(self.books.unveiled(hidden, self._amending.whole()))

    def action_take_back(self) -> None:
        """Take back the change of the field under the cursor."""
        if self.workspace.place is not None and self.workspace.field is not None:
            self.editing.take_back(self.workspace.place, self.workspace.field)

    def action_review(self) -> None:
        """Open the change card."""
        if self.workspace.place is not None:
            self._ask(self.editing.review(self.workspace.place))

    def action_act(self, what: str) -> None:
        """Create, copy, delete, undo, or choose from what can be done with the record under the cursor."""
        self._ask(self.acting.do(what))

    @property
    def acting(self) -> "Acting":
        """What does with records what is more than an edit, made when it is first needed."""
        if self._acting is None:
            from svc_tui.ui.screens.acting import Acting

            self._acting = Acting(
                self._writing(),
                self._journal,
                self._tz,
                self.workspace.home_of,
                self._export,
                self.books.change_marked,
            )
        return self._acting

    def action_lock(self) -> None:
        """Unlock writes on LIVE, or lock them again."""
        self._ask(self.editing.turn_lock())

    def _writing(self) -> "Writing":
        from svc_tui.ui.screens.writing import Writing

        return Writing(
            self,
            self._gateway,
            self._profile,
            self.editing,
            self._begun,
            self.workspace,
            self._routes,
            self._collections,
            self.report,
            self.go,
        )

    def turn_mask(self) -> None:
        """Hide personal data, or show it again."""
        self.workspace.turn_veil()
        self.status.masked = self.veil.on
        if self.veil.on:
            # What was said before may name somebody.
            self.app.clear_notifications()
        off = "Personal data is shown again."
        self.report(Report("Personal data is hidden, here and in what leaves." if self.veil.on else off))

    @property
    def seen_reports(self) -> list[Report]:
        """What was said, as anybody may read it."""
        return [replace(report, body=self.veil.text(report.body)) for report in self.reports]

    def action_journal(self) -> None:
        """Show the journal of writes."""
        self.books.show_journal()

    def action_copy(self) -> None:
        """Copy the value under the cursor."""
        self.run_worker(self.copying.value(self.workspace.seen_value), group="copies")

    def action_copy_menu(self) -> None:
        """Choose what to copy."""
        workspace = self.workspace
        domain = workspace.place.collection.domain if workspace.place is not None else ""
        marked = self.veil.records(workspace.at_hand.marking.records, domain)
        self._ask(self.copying.menu(workspace.place, workspace.seen, workspace.path, marked))

    def action_export(self) -> None:
        """Export what the table shows."""
        self._ask(self._export())

    async def _export(self) -> None:
        if self._exporting is None:
            from svc_tui.ui.screens.exporting import Exporting

            self._exporting = Exporting(
                self,
                self._gateway,
                self._files,
                lambda: self.workspace.at_hand,
                self.report,
                lambda: datetime.now(self._tz),
                self.editing.now,
                self.veil,
            )
        await self._exporting.ask()

    def action_help(self) -> None:
        """Show the keys that work here."""
        if self.asking:
            return
        from svc_tui.ui.screens.help import HelpScreen
        from svc_tui.ui.shortcuts import shortcuts

        place = self.workspace.place
        self.app.push_screen(HelpScreen(shortcuts(self.app, self.active_bindings), place.key if place else ""))

    def action_leave(self) -> None:
        """Back, and quit where there is nothing left to close."""
        if not self._closed_something():
            self.quit_asking()

    def quit_asking(self) -> None:
        """Leave the program; ask where something is not sent, once for each change."""
        if not self._leaving:
            self._leaving = True
            self.run_worker(self._quit(), group="leaving")

    async def _quit(self) -> None:
        try:
            if await self.editing.may_leave() and await self.unsent.may_leave():
                await self.remembering.left(self.workspace.stay)
                self.app.exit()
        finally:
            self._leaving = False
