"""The middle of the screen: the table with the record beside or over it, or the console in their place.

Record and console are imported and created when first needed: the first records wait for neither.
"""

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING

from textual import on
from textual.app import ComposeResult
from textual.message import Message
from textual.reactive import var
from textual.widgets import ContentSwitcher

from svc_tui.core.catalog import Collection
from svc_tui.core.field_path import outer_field
from svc_tui.core.records import Place, Record
from svc_tui.core.values import replace
from svc_tui.service.errors import ServiceError
from svc_tui.service.gateway import RecordReading
from svc_tui.service.traffic import TrafficEvent
from svc_tui.session.privacy_mask import PrivacyMask
from svc_tui.session.remembered_choices import RememberedChoices
from svc_tui.session.session import Session
from svc_tui.session.unsent_drafts import Drafts
from svc_tui.storage.record_store import RecordStore
from svc_tui.ui.table.table_pane import TablePane
from svc_tui.ui.workspace.open_record import OpenRecord
from svc_tui.ui.workspace.panes import Panes
from svc_tui.ui.workspace.record_display import RecordDisplay
from svc_tui.ui.workspace.selection import Selection

if TYPE_CHECKING:
    from svc_tui.console.request_line import UnsentRequest
    from svc_tui.ui.console.console_pane import ConsolePane

TABLE = "browsing"
CONSOLE = "console"


class Workspace(ContentSwitcher):
    """The table, the record and the console, and the navigation between them."""

    DEFAULT_CSS = """
    Workspace { width: 1fr; height: 1fr; }
    """

    raw: var[bool] = var(False, init=False)
    """True if values are shown raw, not formatted."""

    @dataclass
    class Opened(Message):
        """Sent when the user opened a place in the table."""

        place: Place

    @dataclass
    class PlaceWanted(Message):
        """Sent to open another place."""

        place: Place

    @dataclass
    class Looked(Message):
        """Sent when a record was loaded by itself."""

        place: Place
        record: Record

    @dataclass
    class RecordFailed(Message):
        """Sent when a record could not be loaded."""

        place: Place
        error: ServiceError

    def __init__(
        self,
        session: Session,
        privacy_mask: PrivacyMask,
        remembered: RememberedChoices,
        records: RecordStore,
        drafts: Drafts,
    ) -> None:
        """Create the workspace of a session; `records` stores what is loaded."""
        super().__init__(initial=TABLE)
        self._session, self._mask = session, privacy_mask
        self._open = OpenRecord()
        self._console_lock = asyncio.Lock()
        self._column: tuple[Collection | None, str | None] | None = None
        """The column of the cursor when the table got the focus; None while the record has it."""
        self.panes = Panes(session, privacy_mask, remembered, records, drafts, id=TABLE)
        self.browse = self.panes.browse
        """The table of collections."""
        self.selection = Selection(session, privacy_mask, self.panes, self._open, drafts)
        self.record_display = RecordDisplay(session, privacy_mask, self.panes, self._open, drafts, self.selection)
        self._console_pane: ConsolePane | None = None
        """The console; None until it is first needed."""

    def compose(self) -> ComposeResult:
        """Compose the table; record and console are added when needed."""
        yield self.panes

    def to_rows(self) -> TablePane:
        """Focus the table that is selected, in the record too, and return its pane."""
        if (table := self.panes.active_table) is self.browse:
            self.to_table()
        else:
            table.table.focus()
        return table

    @property
    def in_console(self) -> bool:
        """True if the console is shown."""
        return self.current == CONSOLE

    # Navigation

    def open(self, place: Place, reading: RecordReading | None = None) -> None:
        """Show a collection, or a record of it: that of `reading` if it was loaded just now, else load it."""
        self.current = TABLE
        if place.collection != self.browse.collection:
            self.browse.open(place.collection)
        if place.record_id is None:
            self.close_record()
            return
        self.browse.cursor.select_record(place.record_id)
        if reading is not None:
            self.record_display.take(place, reading)
            self.panes.focus_record()
            return
        self.record_display.start_reading(place)
        self._load_record(place, focus=True)

    def to_record(self) -> bool:
        """Focus the open record, or open the one under the table's cursor. Return False if there is none."""
        self.current = TABLE
        record, collection = self.browse.table.cursor_record, self.browse.collection
        if self._open.shown is not None:
            self.panes.focus_record()
        elif record is not None and collection is not None:
            self._open_chosen_record(TablePane.RecordChosen(collection, record))
        else:
            return False
        return True

    def close_record(self) -> None:
        """Close the record and focus the table."""
        self.record_display.put_away()
        self.browse.table.focus()

    def to_table(self) -> None:
        """Focus the table, which takes the place of a record or console that covers it."""
        self.current = TABLE
        if self.panes.alone and not self.panes.table_alone:
            self.close_record()
        self.panes.at_record = False
        self.record_display.focus_elsewhere()
        self.browse.table.focus()

    async def console(self) -> "ConsolePane":
        """Show the console and return it."""
        console = await self._ensure_console()
        self.current = CONSOLE
        self.record_display.focus_elsewhere()
        return console

    async def _ensure_console(self) -> "ConsolePane":
        async with self._console_lock:
            if self._console_pane is None:
                console = self._make_console()
                await self.add_content(console)
                self._console_pane = console
        return self._console_pane

    def _make_console(self) -> "ConsolePane":
        from svc_tui.console.request_form import known_paths
        from svc_tui.ui.console.composer import RequestComposer
        from svc_tui.ui.console.console_pane import ConsolePane

        session = self._session
        composer = RequestComposer(
            session.gateway,
            tuple(session.collections),
            known_paths=known_paths(session.profile.domains(), session.routes),
            idempotency_header=session.profile.idempotency_header,
            held=lambda: self.selection.held,
            read_body=session.read_body,
        )
        return ConsolePane(composer, self._mask.exchange, id=CONSOLE)

    @property
    def text(self) -> str | None:
        """The whole text that is shown: the response in the console, or JSON or a response body in the record pane."""
        if self.in_console and self._console_pane is not None:
            return self._console_pane.text
        record = self.panes.record
        return record.text if record is not None and self.selection.in_front else None

    @property
    def unsent_request(self) -> "UnsentRequest | None":
        """The request in the console that was not sent."""
        request = None if self._console_pane is None else self._console_pane.unsent
        return request and replace(request, on_show=self.in_console)

    async def take_up_request(self, request: "UnsentRequest") -> None:
        """Restore an unsent request in the console; show the console if it was shown."""
        (await self._ensure_console()).take_up(request)
        if request.on_show:
            (await self.console()).start()

    def watch_raw(self, raw: bool) -> None:
        """Show values raw, or formatted, in table and record."""
        self.browse.show_raw(raw)
        if self.panes.record is not None:
            self.panes.record.show_raw(raw)

    def toggle_mask(self) -> None:
        """Hide personal data everywhere, or show it again."""
        self._mask.on = not self._mask.on
        for table in self.panes.tables:
            table.mask_toggled()
        self.record_display.show_again()
        self.record_display.refresh_history()
        if self._console_pane is not None:
            self._console_pane.requests.show()

    # Changes from outside
    def handle_traffic(self, event: TrafficEvent) -> None:
        """Pass a traffic event to the panes."""
        for table in self.panes.tables:
            table.viewport.handle_traffic(event)
        self.record_display.scopes = self.record_display.scopes.after(event)
        if self._console_pane is not None:
            self._console_pane.requests.handle_traffic(event)

    def refresh_all(self) -> None:
        """Load what is shown again."""
        self.panes.refresh_rows()
        if self._open.shown is not None and self._open.shown[0].record_id is not None:
            self._load_record(self._open.shown[0])

    def gone(self, place: Place) -> None:
        """Close a record that no longer exists, and load the rows again that may list it."""
        if self._open.place == place:
            self.close_record()
        self.panes.refresh_rows()

    def draft_changed(self, place: Place) -> None:
        """Show the changed edits of the record at `place`."""
        for table in self.panes.tables_of(place.collection):
            table.show_drafts()
        if self._open.shows(place):
            self.record_display.show_again()

    def record_read(self, place: Place, record: Record) -> None:
        """Show a record that was loaded just now."""
        if self._open.awaited == place:
            # A request under way may return an older version.
            self.workers.cancel_group(self, "record")
        for table in self.panes.tables_of(place.collection):
            table.replace(record)
        if self._open.shows(place):
            self.record_display.show(place, record)

    # Messages of the panes

    @on(TablePane.RecordChosen)
    def _open_chosen_record(self, event: TablePane.RecordChosen) -> None:
        event.stop()
        place = Place(event.collection, event.record.id)
        if event.collection != self.browse.collection:
            # From the table in a tab of the record: the way back leads to that record, also if the cursor opened it.
            if self._open.place is not None:
                self.post_message(self.Opened(self._open.place))
            self.post_message(self.PlaceWanted(place))
            return
        path, is_id = self.browse.table.cursor_field, self.selection.is_id
        self.record_display.show(place, event.record)
        # Only another column than before moves to its field; the id does not, as it can't be edited.
        is_other = not is_id and (event.collection, path) != self._column
        if self.panes.record is not None and path is not None and is_other:
            self.panes.record.move_to_field(outer_field(event.record.fields, path))
        self.panes.focus_record()
        self.post_message(self.Opened(place))
        if place.record_id is not None:
            # The row may have fewer fields than the record.
            self._load_record(place)

    @on(TablePane.CursorMoved)
    def _follow(self) -> None:
        self.record_display.follow_cursor()
        self.record_display.show_position()

    @on(TablePane.CountKnown)
    @on(TablePane.Arranged)
    def _rows_changed(self) -> None:
        # The cursor may be on another record now without having moved.
        self.record_display.show_position()

    def on_descendant_focus(self) -> None:
        """Show the record under the cursor when the focus returns to the table: keys act on what is seen."""
        self.panes.at_record = self.panes.in_record
        if self.panes.in_record:
            self._column = None
        elif self.browse.has_focus_within and self._column is None:
            self._column = self.browse.collection, self.browse.table.cursor_field
        self.record_display.follow_cursor()

    # Loading a record

    def _load_record(self, place: Place, *, focus: bool = False) -> None:
        self._open.awaited = place
        self.run_worker(self._load(place, focus), group="record", exclusive=True)

    async def _load(self, place: Place, focus: bool) -> None:
        try:
            reading = await self._session.gateway.reading(place.collection, place.id)
        except ServiceError as error:
            if self._open.awaited == place:
                self._show_previous_record()
                self.post_message(self.RecordFailed(place, error))
            return
        if self._open.awaited == place:
            self.record_display.take(place, reading)
            if focus:
                self.panes.focus_record()
            self.post_message(self.Looked(place, reading.record))

    def _show_previous_record(self) -> None:
        """Show the record again that was open in the same table before the failed one, or none."""
        # While a record is loading, its pane has nothing to focus.
        unfocused = self.panes.in_record or self.screen.focused is None
        previous = self._open.failed()
        if previous is not None and previous[0].collection == self.browse.collection:
            self.record_display.show(*previous)
            if unfocused:
                self.panes.focus_record()
        elif self._open.shown is None:
            self.record_display.put_away()
            if unfocused:
                self.browse.table.focus()
