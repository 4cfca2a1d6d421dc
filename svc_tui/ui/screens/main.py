"""The main screen: composes the panes and routes what they say; everything it shows is made elsewhere."""

from collections.abc import Awaitable, Callable, Sequence
from datetime import UTC, datetime

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Horizontal
from textual.content import Content
from textual.getters import query_one
from textual.reactive import var
from textual.screen import Screen
from textual.signal import Signal
from textual.widgets import ContentSwitcher, Footer

from svc_tui.domain.catalog import COLLECTIONS, ROUTES
from svc_tui.domain.errors import RequestRefused, ServiceError, failure_of
from svc_tui.domain.gateway import Drafts, Gateway, Journal, StoreError
from svc_tui.domain.records import Place, Record, id_field
from svc_tui.domain.references import target_of
from svc_tui.domain.requests import RequestSpec
from svc_tui.domain.routes import PlaceError, parse_place
from svc_tui.domain.settings import Preferences, Profile
from svc_tui.domain.traffic import TrafficEvent
from svc_tui.domain.trail import Trail
from svc_tui.domain.values import Kind, choices_seen, kind_of
from svc_tui.ui.clipboard import holds_secret
from svc_tui.ui.desk import Desk
from svc_tui.ui.panes.browse import BrowsePane
from svc_tui.ui.panes.console import ConsolePane
from svc_tui.ui.panes.record import RecordPane
from svc_tui.ui.panes.sidebar import Sidebar
from svc_tui.ui.report import Report, of_error, of_write
from svc_tui.ui.screens.confirm import ConfirmScreen
from svc_tui.ui.screens.copying import Copying
from svc_tui.ui.screens.editing import Editing
from svc_tui.ui.screens.goto import GoToScreen
from svc_tui.ui.screens.help import HelpScreen
from svc_tui.ui.screens.journal import JournalScreen
from svc_tui.ui.shortcuts import shortcuts
from svc_tui.ui.text import shown, visible
from svc_tui.ui.widgets.status_bar import StatusBar

FIRST = COLLECTIONS[0]
"""What opens when nothing else was asked for."""

MOST_REPORTS = 200
"""How many of the things said are kept for the palette's "Messages"."""


class MainScreen(Screen[None]):
    """Sidebar, table, record, console, status bar, keys."""

    DEFAULT_CSS = """
    MainScreen #body { height: 1fr; }
    MainScreen Sidebar { width: 30; }
    MainScreen ContentSwitcher { width: 1fr; height: 1fr; }
    MainScreen #browsing { width: 1fr; height: 1fr; }
    MainScreen BrowsePane { width: 1fr; }
    MainScreen RecordPane { width: 2fr; min-width: 40; max-width: 80; display: none; }
    MainScreen BrowsePane { width: 3fr; }
    MainScreen.-record RecordPane { display: block; }
    MainScreen.-narrow.-record BrowsePane { display: none; }
    MainScreen.-narrow.-record RecordPane { width: 1fr; max-width: 100%; }
    MainScreen.-narrow Sidebar { width: 26; }
    MainScreen.-no-sidebar Sidebar { display: none; }
    MainScreen.-zoom Sidebar { display: none; }
    MainScreen.-zoom.-record BrowsePane { display: none; }
    MainScreen.-zoom.-record.-table-first BrowsePane { display: block; }
    MainScreen.-zoom.-table-first RecordPane { display: none; }
    MainScreen.-zoom RecordPane { max-width: 100%; }
    """

    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (110, "-wide")]

    BINDINGS = [
        Binding("e", "edit", "Edit", id="record.edit", tooltip="Edit the field under the cursor; nothing is sent yet"),
        Binding("backspace", "take_back", "Take back", id="record.take_back", show=False,
                tooltip="Take back the change of the field under the cursor"),
        Binding("ctrl+s", "review", "Review", id="record.review", tooltip="Review the change and send it"),
        Binding("f", "follow", "Follow", id="record.follow", show=False,
                tooltip="Go to the record that the field under the cursor names"),
        Binding("colon", "go_to", "Go to", id="go.to", key_display=":",
                tooltip="A collection, collection/id, or a path"),
        Binding("left_square_bracket", "travel(-1)", "Back", id="go.back", show=False, tooltip="The place before"),
        Binding("right_square_bracket", "travel(1)", "Forward", id="go.forward", show=False, tooltip="The place after"),
        Binding("1", "pane('sidebar')", "Collections", id="pane.sidebar", show=False, tooltip="To the sidebar"),
        Binding("2", "pane('table')", "Table", id="pane.table", show=False, tooltip="To the table"),
        Binding("3", "pane('record')", "Record", id="pane.record", show=False,
                tooltip="To the record under the cursor"),
        Binding("4", "pane('console')", "Console", id="pane.console", tooltip="Send any request"),
        Binding("b,ctrl+b", "sidebar", "Sidebar", id="pane.fold_sidebar", show=False,
                tooltip="Show or hide the sidebar"),
        Binding("z", "zoom", "Full screen", id="pane.zoom", show=False, tooltip="This pane full screen, and back"),
        Binding("r,ctrl+r,f5", "refresh_rows", "Refresh", id="table.refresh", show=False,
                tooltip="Read again what is shown, the cursor staying on its record"),
        Binding("c", "copy", "Copy", id="copy.value", show=False, tooltip="Copy the value under the cursor"),
        Binding("y", "copy_menu", "Copy…", id="copy.menu", show=False, tooltip="Copy the id, the record, or a link"),
        Binding("w", "lock", "Unlock or lock", id="writes.lock", show=False,
                tooltip="Unlock writes on LIVE, or lock them"),
        Binding("at", "journal", "Journal", id="writes.journal", show=False, key_display="@",
                tooltip="The journal of writes"),
        Binding("question_mark,f1", "help", "Help", id="app.help", key_display="?", tooltip="Keys that work here"),
        Binding("escape", "back", "Back", id="go.up", show=False, tooltip="Close what is open"),
        Binding("q", "leave", "Back or quit", id="app.back", show=False, tooltip="Close what is open, then quit"),
    ]  # fmt: skip

    sidebar = query_one(Sidebar)
    browse = query_one(BrowsePane)
    record_pane = query_one(RecordPane)
    console_pane = query_one(ConsolePane)
    status = query_one(StatusBar)
    switcher = query_one("#work", ContentSwitcher)

    record_open: var[bool] = var(False, toggle_class="-record")

    def __init__(
        self,
        *,
        gateway: Gateway,
        profile: Profile,
        preferences: Preferences,
        journal: Journal,
        drafts: Drafts,
        traffic: Signal[TrafficEvent],
        place: str | None,
        notices: Sequence[str],
        monotonic: Callable[[], float],
    ) -> None:
        super().__init__()
        self._gateway, self._profile, self._journal, self._traffic = gateway, profile, journal, traffic
        self._asked_place = place
        self._notices = notices
        self.reports: list[Report] = []
        self._collections = tuple(c for d in profile.domains() for c in d.collections)
        self._routes = (*ROUTES, *profile.routes)
        self._trail = Trail()
        self._read: tuple[Place, Record] | None = None
        self._asked_about: frozenset[Place] = frozenset()
        desk = Desk(drafts, lambda: datetime.now(UTC))
        self.editing = Editing(self, gateway, profile, preferences, journal, desk, self.report, monotonic)
        self.copying = Copying(self, gateway, self.report)

    def compose(self) -> ComposeResult:
        """Sidebar, then either table and record or the console; the two bars below."""
        gateway, profile = self._gateway, self._profile
        with Horizontal(id="body"):
            yield Sidebar(profile.domains(), self._routes)
            with ContentSwitcher(initial="browsing", id="work"):
                with Horizontal(id="browsing"):
                    yield BrowsePane(gateway, profile, self.editing.now)
                    yield RecordPane(self._kind_of)
                yield ConsolePane(gateway.environment, gateway.preview, self._routes, id="console")
        yield StatusBar(gateway.environment, profile.name, gateway.host, gateway.signs, self.editing.now)
        yield Footer(show_command_palette=False)

    def on_mount(self) -> None:
        """Listen to the wire, take up old drafts, open the first place."""
        self._traffic.subscribe(self, self._heard)
        self._lock_shown()
        self.set_interval(1, self._lock_shown)
        self.run_worker(self.editing.load(), group="drafts")
        for notice in self._notices:
            self.report(Report(notice, severity="warning"))
        self.call_after_refresh(self._open_first)

    def _open_first(self) -> None:
        try:
            place = parse_place(self._asked_place, self._collections) if self._asked_place else Place(FIRST)
        except PlaceError as error:
            self.report(Report(str(error), severity="error"))
            place = Place(FIRST)
        self.go(place)

    # What is said to the user

    def report(self, report: Report) -> None:
        """Tell the user something; words from outside are made visible here."""
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
        self.console_pane.heard(event)

    # Where one is

    @property
    def place(self) -> Place | None:
        """The record that keys are about, or the collection where there is none."""
        if self._read is not None and self.record_open:
            return self._read[0]
        record = self.browse.table.cursor_record
        collection = self.browse.collection
        if collection is None:
            return None
        return Place(collection, record.id if record else None)

    @property
    def record(self) -> Record | None:
        """The record that keys are about."""
        if self._read is not None and self.record_open:
            return self._read[1]
        return self.browse.table.cursor_record

    @property
    def field(self) -> str | None:
        """The field under the cursor, in the record pane or in the table."""
        if self.record_open and (self.record_pane.has_focus_within or not self.browse.display):
            return self.record_pane.field
        return self.browse.table.cursor_field or None

    def go(self, place: Place, *, visit: bool = True) -> None:
        """Open a collection, or a record in it."""
        if visit:
            self._trail = self._trail.visited(place)
        self.switcher.current = "browsing"
        if place.collection != self.browse.collection:
            self.browse.open(place.collection)
            self.browse.show_drafts(self.editing.desk.of(place.collection))
            self.sidebar.reveal(place.collection)
        if place.record_id is None:
            self._close_record()
            self.browse.table.focus()
            return
        self.browse.select_record(place.record_id)
        self.run_worker(self._read_record(place), group="record", exclusive=True)

    async def _read_record(self, place: Place) -> None:
        assert place.record_id is not None
        try:
            record = await self._gateway.record(place.collection, place.record_id)
        except ServiceError as error:
            self.report(of_error(error, f"{place.record_id} could not be read"))
            return
        self._show_record(place, record, focus=not self.record_open)

    def _show_record(self, place: Place, record: Record, *, focus: bool) -> None:
        self._read = (place, record)
        self.record_open = True
        self.record_pane.show(self.editing.desk.draft(place, record))
        if focus:
            self.call_after_refresh(self.record_pane.focus_inside)

    def _close_record(self) -> None:
        self._read = None
        self.record_open = False
        self.record_pane.show(None)

    # What the panes say

    @on(Sidebar.CollectionChosen)
    def _collection_chosen(self, event: Sidebar.CollectionChosen) -> None:
        self.go(Place(event.collection))

    @on(Sidebar.RouteChosen)
    def _route_chosen(self, event: Sidebar.RouteChosen) -> None:
        self.action_pane("console")
        self.console_pane.prefill(event.route)

    @on(BrowsePane.CountKnown)
    def _count_known(self, event: BrowsePane.CountKnown) -> None:
        self.sidebar.set_count(event.collection, event.total)

    @on(BrowsePane.RecordChosen)
    def _record_chosen(self, event: BrowsePane.RecordChosen) -> None:
        place = Place(event.collection, event.record.id)
        self._show_record(place, event.record, focus=True)
        if place.record_id is not None:
            self._trail = self._trail.visited(place)
            self.run_worker(self._read_record(place), group="record", exclusive=True)

    @on(BrowsePane.CursorMoved)
    def _cursor_moved(self, event: BrowsePane.CursorMoved) -> None:
        if self.record_open and self.browse.has_focus_within and event.record is not None:
            self._show_record(Place(event.collection, event.record.id), event.record, focus=False)

    @on(RecordPane.FieldOpened)
    def _field_opened(self) -> None:
        self.action_follow()

    @on(ConsolePane.Submitted)
    def _submitted(self, event: ConsolePane.Submitted) -> None:
        self.run_worker(self._send(event.spec), group="console")

    async def _send(self, spec: RequestSpec) -> None:
        self.console_pane.waiting(spec)
        if spec.writes:
            report = await self.editing.submit(spec)
            if report is None:
                self.console_pane.show_failure(RequestRefused("Not sent: you went back."))
            elif report.exchange is not None:
                self.console_pane.show_exchange(report.exchange, report.error)
            else:
                self.console_pane.show_failure(report.error or RequestRefused(report.reason))
            if report is not None and report.journal_problem:
                self.report(of_write(report, f"{spec.method} {spec.path}"))
            return
        try:
            exchange = await self._gateway.send(spec)
        except ServiceError as error:
            self.console_pane.show_failure(error)
        else:
            self.console_pane.show_exchange(exchange, failure_of(exchange))

    @on(ConsolePane.Left)
    def _console_left(self) -> None:
        self.action_pane("table")

    @on(Editing.DraftChanged)
    def _draft_changed(self, event: Editing.DraftChanged) -> None:
        desk = self.editing.desk
        if event.place.collection == self.browse.collection:
            self.browse.show_drafts(desk.of(event.place.collection))
        if self._read is not None and self._read[0] == event.place:
            self.record_pane.show(desk.draft(event.place, self._read[1]))

    @on(Editing.RecordRead)
    def _record_read(self, event: Editing.RecordRead) -> None:
        if event.place.collection == self.browse.collection:
            self.browse.replace(event.record)
        if self._read is not None and self._read[0] == event.place:
            self._read = (event.place, event.record)
            self.record_pane.show(self.editing.desk.draft(event.place, event.record))

    @on(Editing.LockChanged)
    def _lock_shown(self) -> None:
        lock, now = self.editing.lock, self.editing.now()
        self.status.read_only = lock.read_only
        self.status.locked = lock.refusal(now) is not None
        self.status.writable_until = lock.counts_down_to(now)

    @on(Editing.SendingChanged)
    def _sending_changed(self) -> None:
        self.refresh_bindings()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """While a write is on its way, another review waits (greyed)."""
        return None if action == "review" and self.editing.sending else True

    # Keys and pointer

    def on_key(self) -> None:
        """Every key is a sign of the user; an idle LIVE locks itself."""
        self.editing.touched()

    def on_paste(self, event: events.Paste) -> None:
        """A paste into a list runs no keys: it fills the line of `:`."""
        event.stop()
        text = event.text.strip()
        if holds_secret(text, self._gateway.secrets):
            self.report(Report("What was pasted looks like a key or a secret. It was not read.", severity="warning"))
            return
        self._ask_place(text)

    def action_go_to(self) -> None:
        """Ask where to go."""
        self._ask_place("")

    def _ask_place(self, initial: str) -> None:
        candidates = [*(c.key for c in self._collections), *(place.key for place in self._trail.places)]
        self._working(
            self._asked_for_place(
                GoToScreen(list(dict.fromkeys(candidates)), self._check_place, initial, self._gateway.secrets)
            )
        )

    async def _asked_for_place(self, screen: GoToScreen) -> None:
        text = await self.app.push_screen_wait(screen)
        if text:
            self.go(parse_place(text, self._collections))

    def _check_place(self, text: str) -> str | None:
        try:
            parse_place(text, self._collections)
        except PlaceError as error:
            return str(error)
        return None

    def _working(self, work: Awaitable[None], group: str = "dialogs") -> None:
        self.run_worker(work, group=group)

    def action_travel(self, steps: int) -> None:
        """Back and forward through the places visited."""
        self._trail = self._trail.moved(steps)
        if self._trail.here is not None:
            self.go(self._trail.here, visit=False)

    def action_pane(self, name: str) -> None:
        """Put the focus on a pane, opening it where it is closed."""
        if name == "sidebar":
            self.remove_class("-no-sidebar", "-zoom")
            self.sidebar.focus()
        elif name == "console":
            self.switcher.current = "console"
            self.console_pane.start()
        elif name == "record":
            self._open_record_here()
        else:
            self.switcher.current = "browsing"
            if self.has_class("-narrow"):
                self._close_record()
            self.browse.table.focus()

    def _open_record_here(self) -> None:
        self.switcher.current = "browsing"
        record, collection = self.browse.table.cursor_record, self.browse.collection
        if not self.record_open and record is not None and collection is not None:
            self._record_chosen(BrowsePane.RecordChosen(collection, record))
        elif self.record_open:
            self.record_pane.focus_inside()
        else:
            self.report(Report("No record is under the cursor."))

    def action_sidebar(self) -> None:
        """Show or hide the sidebar."""
        self.toggle_class("-no-sidebar")
        if self.has_class("-no-sidebar") and self.sidebar.has_focus:
            self.action_pane("table")

    def action_zoom(self) -> None:
        """The pane in focus full screen, and back."""
        self.set_class(not self.record_pane.has_focus_within, "-table-first")
        self.toggle_class("-zoom")

    def action_refresh_rows(self) -> None:
        """Read again what is shown."""
        self.browse.refresh_rows()
        if self._read is not None and self._read[0].record_id is not None:
            self.run_worker(self._read_record(self._read[0]), group="record", exclusive=True)

    def action_edit(self) -> None:
        """Edit the field under the cursor."""
        place, record, name = self.place, self.record, self.field
        if place is None or record is None or name is None or place.record_id is None:
            self.report(Report("No field is under the cursor. Enter on a row opens its record."))
            return
        if name == id_field(record.fields):
            self.report(Report("The id can't be changed: it is how the record is addressed."))
            return
        seen = choices_seen(held.fields.get(name) for held in self.browse.rows.records())
        self._working(self.editing.edit(place, record, name, self._kind_of(name), seen))

    def _kind_of(self, name: str) -> Kind:
        """The kind of a field, from all the records seen."""
        column = next((column for column in self.browse.columns if column.name == name), None)
        if column is not None:
            return column.kind
        record = self.record
        return kind_of(name, [record.fields.get(name)] if record else [])

    def action_take_back(self) -> None:
        """Take back the change of the field under the cursor."""
        if self.place is not None and self.field is not None:
            self.editing.take_back(self.place, self.field)

    def action_review(self) -> None:
        """Open the change card."""
        if self.place is not None:
            self._working(self.editing.review(self.place), group="writes")

    def action_follow(self) -> None:
        """Go to the record that the field under the cursor names."""
        name, record = self.field, self.record
        target = target_of(name, self._collections) if name else None
        value = record.fields.get(name) if record and name else None
        if target is None or not isinstance(value, str) or not value:
            self.report(Report("This field names no other record."))
            return
        self.go(Place(target, value))

    def action_lock(self) -> None:
        """Unlock writes on LIVE, or lock them again."""
        self._working(self.editing.turn_lock())

    def action_journal(self) -> None:
        """Show the journal of writes."""
        self._working(self._show_journal())

    async def _show_journal(self) -> None:
        try:
            entries = await self._journal.entries()
        except StoreError as error:
            self.report(Report(str(error), "The journal could not be read", "error"))
            return
        await self.app.push_screen_wait(JournalScreen(entries, self._gateway.environment))

    def action_copy(self) -> None:
        """Copy the value under the cursor."""
        self._working(self.copying.value(self.record, self.field))

    def action_copy_menu(self) -> None:
        """Choose what to copy."""
        self._working(self.copying.menu(self.place, self.record, self.field))

    def action_help(self) -> None:
        """Show the keys that work here."""
        self.app.push_screen(
            HelpScreen(shortcuts(self.app, self.active_bindings), self.place.key if self.place else "")
        )

    def action_back(self) -> None:
        """Close what is open: the console, full screen, the record."""
        self._closed_something()

    def _closed_something(self) -> bool:
        if self.switcher.current == "console":
            self.action_pane("table")
        elif self.has_class("-zoom"):
            self.remove_class("-zoom")
        elif self.record_open:
            self._close_record()
            self.browse.table.focus()
        else:
            return False
        return True

    def action_leave(self) -> None:
        """Back, and quit where there is nothing left to close."""
        if not self._closed_something():
            self.quit_asking()

    def quit_asking(self) -> None:
        """Leave the program; ask where something is not sent, once for each change."""
        self._working(self._quit())

    async def _quit(self) -> None:
        if self.editing.sending:
            self.report(Report("A write is on its way. Wait for its answer, then quit.", severity="warning"))
            return
        unsent = frozenset(self.editing.desk.places) - self._asked_about
        if unsent:
            names = ", ".join(sorted(place.record_id or "" for place in unsent)[:6])
            body = Content.assemble(
                ("1 record has" if len(unsent) == 1 else f"{len(unsent)} records have", ""),
                " changes that are not sent: ",
                shown(names, "$role-changed"),
                ". They are kept for the next start.",
            )
            if not await self.app.push_screen_wait(ConfirmScreen(Content("Quit"), body, "Quit", "Stay")):
                return
            self._asked_about |= unsent
        self.app.exit()
