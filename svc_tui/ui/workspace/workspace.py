"""The middle of the screen: the table with the record beside or over it, or the console in their place.

Record and console are imported and made when first needed: the first records wait for neither.
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
from svc_tui.ui.record.open_record import OpenRecord
from svc_tui.ui.table.table_pane import TablePane
from svc_tui.ui.workspace.panes import Panes
from svc_tui.ui.workspace.record_display import RecordDisplay
from svc_tui.ui.workspace.selection import Selection

if TYPE_CHECKING:
    from svc_tui.console.request_line import UnsentRequest
    from svc_tui.ui.console.console_pane import ConsolePane

TABLE = "browsing"
CONSOLE = "console"


class Workspace(ContentSwitcher):
    """Knows what is open and where in it the user is."""

    DEFAULT_CSS = """
    Workspace { width: 1fr; height: 1fr; }
    """

    raw: var[bool] = var(False, init=False)
    """Whether values are shown as they came."""

    @dataclass
    class Opened(Message):
        """A place was opened by the user's own doing."""

        place: Place

    @dataclass
    class PlaceWanted(Message):
        """Another place is to be opened."""

        place: Place

    @dataclass
    class Looked(Message):
        """A record that was opened has come."""

        place: Place
        record: Record

    @dataclass
    class RecordFailed(Message):
        """A record could not be read."""

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
        """Make the workspace of a session; `records` are those that were read."""
        super().__init__(initial=TABLE)
        self._session, self._mask = session, privacy_mask
        self._open = OpenRecord()
        self._one_console = asyncio.Lock()
        self._column: tuple[Collection | None, str | None] | None = None
        """The table's column under the cursor when the user came to the table; None while the user is in the record."""
        self.panes = Panes(session, privacy_mask, remembered, records, drafts, id=TABLE)
        self.browse = self.panes.browse
        """The table of collections."""
        self.selection = Selection(session, privacy_mask, self.panes, self._open, drafts)
        self.record_display = RecordDisplay(session, privacy_mask, self.panes, self._open, drafts, self.selection)
        self._console_pane: ConsolePane | None = None
        """The console, None until it is first shown."""

    def compose(self) -> ComposeResult:
        """The table; the rest comes when it is asked for."""
        yield self.panes

    def to_rows(self) -> TablePane:
        """Put the focus on that table."""
        if (table := self.panes.active_table) is self.browse:
            self.to_table()
        else:
            table.table.focus()
        return table

    @property
    def in_console(self) -> bool:
        """Whether the console is on show."""
        return self.current == CONSOLE

    # Going and coming

    def open(self, place: Place, reading: RecordReading | None = None) -> None:
        """Show a collection, or read a record of it and show that; `reading` is one of that record made just now."""
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
        self._read_record(place, focus=True)

    def to_record(self) -> bool:
        """Focus the open record, or open the one under the table's cursor. Return False if there is none."""
        self.current = TABLE
        record, collection = self.browse.table.cursor_record, self.browse.collection
        if self._open.shown is not None:
            self.panes.focus_record()
        elif record is not None and collection is not None:
            self._chosen(TablePane.RecordChosen(collection, record))
        else:
            return False
        return True

    def close_record(self) -> None:
        """Put the record away, and the focus on the table."""
        self.record_display.put_away()
        self.browse.table.focus()

    def to_table(self) -> None:
        """Focus the table, or what is shown in its place."""
        self.current = TABLE
        if self.panes.alone and not self.panes.table_alone:
            self.close_record()
        self.panes.at_record = False
        self.record_display.focus_elsewhere()
        self.browse.table.focus()

    async def console(self) -> "ConsolePane":
        """The console, on show."""
        console = await self._made_console()
        self.current = CONSOLE
        self.record_display.focus_elsewhere()
        return console

    async def _made_console(self) -> "ConsolePane":
        async with self._one_console:
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
            held=lambda: self.panes.held,
            read_body=session.read_body,
        )
        return ConsolePane(composer, self._mask.exchange, id=CONSOLE)

    @property
    def text(self) -> str | None:
        """The text shown whole: in the console its response, in the record pane JSON or the body of a response."""
        if self.in_console and self._console_pane is not None:
            return self._console_pane.text
        record = self.panes.record
        return record.text if record is not None and self.selection.in_front else None

    @property
    def unsent_request(self) -> "UnsentRequest | None":
        """What stands in the console and was not sent."""
        request = None if self._console_pane is None else self._console_pane.unsent
        return request and replace(request, on_show=self.in_console)

    async def take_up_request(self, request: "UnsentRequest") -> None:
        """Have the console hold what was typed before and not sent; it is shown if it was."""
        (await self._made_console()).take_up(request)
        if request.on_show:
            (await self.console()).start()

    def watch_raw(self, raw: bool) -> None:
        """Table and record show values in the same way."""
        self.browse.show_raw(raw)
        self.record_display.show_raw(raw)

    def toggle_mask(self) -> None:
        """Hide personal data, or show it again, everywhere."""
        self._mask.on = not self._mask.on
        for table in self.panes.tables:
            table.mask_toggled()
        self.record_display.show_again()
        self.record_display.refresh_history()
        if self._console_pane is not None:
            self._console_pane.requests.show()

    # What others tell it

    def handle_traffic(self, event: TrafficEvent) -> None:
        """Pass a traffic event to the panes."""
        for table in self.panes.tables:
            table.viewport.handle_traffic(event)
        self.record_display.scopes = self.record_display.scopes.after(event)
        if self._console_pane is not None:
            self._console_pane.requests.handle_traffic(event)

    def refresh_all(self) -> None:
        """Read again what is shown."""
        self.panes.refresh_rows()
        if self._open.shown is not None and self._open.shown[0].record_id is not None:
            self._read_record(self._open.shown[0])

    def gone(self, place: Place) -> None:
        """The record at `place` is no more: put it away if it is open, and read anew what may list it."""
        if self._open.place == place:
            self.close_record()
        self.panes.refresh_rows()

    def draft_changed(self, place: Place) -> None:
        """The edits at `place` are others now."""
        for table in self.panes.tables_of(place.collection):
            table.show_drafts()
        if self._open.shows(place):
            self.record_display.show_again()

    def record_read(self, place: Place, record: Record) -> None:
        """The service gave the record at `place` just now."""
        if self._open.awaited == place:
            # A reading under way may have left before this one.
            self.workers.cancel_group(self, "record")
        for table in self.panes.tables_of(place.collection):
            table.replace(record)
        if self._open.shows(place):
            self.record_display.show(place, record)

    # Inside

    @on(TablePane.RecordChosen)
    def _chosen(self, event: TablePane.RecordChosen) -> None:
        event.stop()
        place = Place(event.collection, event.record.id)
        if event.collection != self.browse.collection:
            # Of the table in a tab of the record: the way back leads to that record, whoever came to it by a cursor.
            if self._open.place is not None:
                self.post_message(self.Opened(self._open.place))
            self.post_message(self.PlaceWanted(place))
            return
        path, is_id = self.browse.table.cursor_field, self.selection.is_id
        self.record_display.show(place, event.record)
        # Only another column than before leads to another field, and none to the id, where nothing can be edited.
        is_other = not is_id and (event.collection, path) != self._column
        if self.panes.record is not None and path is not None and is_other:
            self.panes.record.move_to_field(outer_field(event.record.fields, path))
        self.panes.focus_record()
        self.post_message(self.Opened(place))
        if place.record_id is not None:
            # The row may hold less than the record does.
            self._read_record(place)

    @on(TablePane.CursorMoved)
    def _follow(self) -> None:
        self.record_display.follow_cursor()
        self.record_display.show_position()

    @on(TablePane.CountKnown)
    @on(TablePane.Arranged)
    def _rows_changed(self) -> None:
        """Rows came, or others are shown: the cursor may be on a record now without having moved."""
        self.record_display.show_position()

    def on_descendant_focus(self) -> None:
        """Back in the table, the record is again the one under the cursor: keys act on what is seen."""
        self.panes.at_record = self.panes.in_record
        if self.panes.in_record:
            self._column = None
        elif self.browse.has_focus_within and self._column is None:
            self._column = self.browse.collection, self.browse.table.cursor_field
        self.record_display.follow_cursor()

    def _read_record(self, place: Place, *, focus: bool = False) -> None:
        self._open.awaited = place
        self.run_worker(self._reading(place, focus), group="record", exclusive=True)

    async def _reading(self, place: Place, focus: bool) -> None:
        answer = await self.record_display.read(place)
        if isinstance(answer, RecordReading):
            self.record_display.take(place, answer)
            if focus:
                self.panes.focus_record()
            self.post_message(self.Looked(place, answer.record))
        elif answer is not None:
            self._not_come()
            self.post_message(self.RecordFailed(place, answer))

    def _not_come(self) -> None:
        """What was awaited can't be read: what stood beside the same table before is back, or nothing is open."""
        # While it was awaited there was nothing in its pane to have the focus.
        unfocused = self.panes.in_record or self.screen.focused is None
        before = self._open.failed()
        if before is not None and before[0].collection == self.browse.collection:
            self.record_display.show(*before)
            if unfocused:
                self.panes.focus_record()
        elif self._open.shown is None:
            self.record_display.put_away()
            if unfocused:
                self.browse.table.focus()
