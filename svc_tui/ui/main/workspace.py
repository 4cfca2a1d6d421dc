"""The middle of the screen: the table with the record beside or over it, or the console in their place.

Record and console are imported and made when first needed: the first records wait for neither.
"""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, tzinfo
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING

from textual import on
from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.geometry import Region
from textual.getters import query_one
from textual.message import Message
from textual.reactive import var
from textual.widgets import ContentSwitcher

from svc_tui.domain.app.memory import LastPosition
from svc_tui.domain.app.pane_layout import Standing
from svc_tui.domain.data.field_path import outer
from svc_tui.domain.data.kinds import Kind, choices_seen, kind_of
from svc_tui.domain.data.nested_value import steps_of
from svc_tui.domain.data.outline import Entry, Path, at_path, column_of
from svc_tui.domain.data.references import Held, Signposts, home_of
from svc_tui.domain.editing.ports import JournalEntry
from svc_tui.domain.http.errors import ServiceError
from svc_tui.domain.http.gateway import Gateway, RecordReading
from svc_tui.domain.http.redact import hidden_in, masked_exchange
from svc_tui.domain.http.scopes import Scopes
from svc_tui.domain.model.absent import ABSENT, Absent
from svc_tui.domain.model.catalog import Collection, Route
from svc_tui.domain.model.jsontext import Json
from svc_tui.domain.model.records import Place, Record
from svc_tui.domain.model.settings import Profile
from svc_tui.domain.model.traffic import TrafficEvent
from svc_tui.ui.main.pane_factory import PaneFactory
from svc_tui.ui.record.open_record import OpenRecord
from svc_tui.ui.session.drafts import Drafts
from svc_tui.ui.session.privacy_mask import PrivacyMask
from svc_tui.ui.session.remembered_choices import RememberedChoices
from svc_tui.ui.table.pane import TablePane

if TYPE_CHECKING:
    from svc_tui.domain.editing.offered_actions import Offer, Offering
    from svc_tui.ui.console.pane import ConsolePane
    from svc_tui.ui.record.nested_table import NestedPane
    from svc_tui.ui.record.pane import RecordPane

TABLE = "browsing"
CONSOLE = "console"

_GLANCE = 20
"""Records of a collection whose ids are looked at for every value that is drawn."""


class Workspace(ContentSwitcher):
    """Knows what is open and where in it somebody is."""

    DEFAULT_CSS = """
    Workspace {
        width: 1fr;
        height: 1fr;
        & #browsing { width: 1fr; height: 1fr; }
        &.-below #browsing { layout: vertical; }
        & #collections { width: 1fr; height: 1fr; }
        & RecordPane { width: 1fr; height: 1fr; display: none; }
        &.-record RecordPane { display: block; }
        &.-alone.-record #collections { display: none; }
        &.-alone.-record.-table-alone #collections { display: block; }
        &.-alone.-table-alone RecordPane { display: none; }
    }
    """

    record_open: var[bool] = var(False, toggle_class="-record")
    """Whether a record is shown."""
    alone: var[bool] = var(False, toggle_class="-alone")
    """Whether the record stands in place of the table, not beside or below it."""
    below: var[bool] = var(False, toggle_class="-below")
    """Whether the record stands below the table."""
    table_alone: var[bool] = var(False, toggle_class="-table-alone")
    """Whether the table stands in place of the record that is open."""
    raw: var[bool] = var(False, init=False)
    """Whether values are shown as they came."""

    browse = query_one("#collections", TablePane)
    """The table of collections."""

    @dataclass
    class Opened(Message):
        """A place was opened by somebody's own doing."""

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
        gateway: Gateway,
        profile: Profile,
        routes: Sequence[Route],
        drafts: Drafts,
        remembered: RememberedChoices,
        monotonic: Callable[[], float],
        tz: tzinfo = UTC,
        privacy_mask: PrivacyMask | None = None,
    ) -> None:
        """Make the workspace; it shows times in `tz`, and what `veil` lets through."""
        super().__init__(initial=TABLE)
        self.privacy_mask = privacy_mask or PrivacyMask()
        self._gateway, self._profile, self._drafts = gateway, profile, drafts
        self.scopes = Scopes()
        self._collections = profile.catalog
        self._record_pane: RecordPane | None = None
        self._console_pane: ConsolePane | None = None
        self._record_cells = 0
        self._at_record = False
        self._open = OpenRecord()
        self._one_console = asyncio.Lock()
        self._furnishing = PaneFactory(
            gateway, profile, routes, self._collections, remembered, monotonic, tz, self.privacy_mask
        )
        self._routes = routes

    def compose(self) -> ComposeResult:
        """The table; the rest comes when it is asked for."""
        with Horizontal(id=TABLE):
            yield self._furnishing.table("collections")

    # Where somebody is

    @property
    def place(self) -> Place | None:
        """The record that keys are about, or the collection where there is none.

        One that is being read counts as here already: nothing that is pressed meanwhile reaches another.
        """
        table = self.at_hand
        if table is self.browse and self._open.place is not None:
            return self._open.place
        record, collection = table.table.cursor_record, table.collection
        return None if collection is None else Place(collection, record.id if record else None)

    @property
    def at_hand(self) -> TablePane:
        """The table that keys are about: the one in the record's open tab if the focus is there, else the large one."""
        table = self._record_pane.table if self._record_pane is not None else None
        return table if table is not None and table.has_focus_within else self.browse

    def to_rows(self) -> TablePane:
        """Put the focus on that table."""
        if (table := self.at_hand) is self.browse:
            self.to_table()
        else:
            table.table.focus()
        return table

    @property
    def stay(self) -> LastPosition:
        """Where somebody is, for coming back at another time: a record that is open, or a row of the table."""
        collection = self.browse.collection
        assert collection is not None
        if self.record_open and self._open.place is not None:
            return LastPosition(self._open.place.path)
        here = self.browse.position
        return LastPosition(Place(collection).path, here.row, here.field, here.record_id)

    @property
    def record(self) -> Record | None:
        """The record that keys are about; None where there is none, or it has not come yet."""
        table = self.at_hand
        if table is self.browse and self._open.place is not None:
            return self._open.record
        return table.table.cursor_record

    @property
    def shown(self) -> Record | None:
        """The same record as it is shown: with the edits not yet sent."""
        place, record = self.place, self.record
        draft = self._drafts.draft(place, record) if place is not None else None
        return record if draft is None else Record(draft.fields)

    @property
    def seen(self) -> Record | None:
        """The same record as anybody may see it; for looking and handing out alone."""
        place, record = self.place, self.shown
        return record if place is None or record is None else self.privacy_mask.record(record, place.collection.domain)

    @property
    def seen_value(self) -> Json | Absent:
        """The value under the cursor as anybody may see it."""
        steps, record = self.steps, self.seen
        return ABSENT if steps is None or record is None else at_path(record.fields, steps)

    @property
    def hidden(self) -> bool:
        """Whether something of the field under the cursor is hidden."""
        place, record, field = self.place, self.shown, self.field
        return (
            place is not None
            and record is not None
            and field is not None
            and self.privacy_mask.hides(record, field, place.collection.domain)
        )

    @property
    def field(self) -> str | None:
        """The field of the record under the cursor; for a column of something nested, the one that it is nested in."""
        steps = self.steps
        return str(steps[0]) if steps else None

    @property
    def path(self) -> str | None:
        """The path of what is under the cursor, in the record or in the table."""
        if (entry := self._entry) is not None:
            return column_of(entry.path)
        return self.at_hand.table.cursor_field or None

    @property
    def steps(self) -> Path | None:
        """The same step by step, into lists too."""
        if (entry := self._entry) is not None:
            return entry.path
        path, record = self.at_hand.table.cursor_field, self.shown
        return steps_of(record.fields, path) if path and record is not None else None

    @property
    def value(self) -> Json | Absent:
        """The value under the cursor; ABSENT where there is none."""
        steps, record = self.steps, self.shown
        return ABSENT if steps is None or record is None else at_path(record.fields, steps)

    @property
    def text(self) -> str | None:
        """The text shown whole at hand: in the console its answer, in the record pane JSON or the body of an answer."""
        if self.in_console and self._console_pane is not None:
            return self._console_pane.text
        return self._record_pane.text if self._record_pane is not None and self._in_front else None

    @property
    def _in_front(self) -> bool:
        """Whether keys are about the record pane, not the table."""
        return self._record_pane is not None and self.record_open and (self.in_record or not self.browse.display)

    @property
    def _entry(self) -> Entry | None:
        pane = self._record_pane
        return pane.fields.entry if pane is not None and self._in_front and self.at_hand is self.browse else None

    @property
    def in_record(self) -> bool:
        """Whether the focus is in the record pane."""
        return self._record_pane is not None and self._record_pane.has_focus_within

    @property
    def in_console(self) -> bool:
        """Whether the console is on show."""
        return self.current == CONSOLE

    def kind_of(self, name: str) -> Kind:
        """The kind of a field, from all the records seen."""
        kind = self.at_hand.kind_of(name)
        if kind is not None:
            return kind
        record = self.record
        return kind_of(name, [record.fields.get(name)] if record else [])

    def _kind_in_record(self, name: str) -> Kind:
        """The kind of a field of the record that is open, from all the records seen beside it."""
        return self.browse.kind_of(name) or kind_of(name, [])

    def choices(self, name: str) -> Sequence[tuple[str, int]]:
        """The texts seen in a field with how often each was, the most frequent first."""
        return choices_seen(held.fields.get(name) for held in self.at_hand.rows.records())

    @property
    def collection(self) -> Collection | None:
        """The collection that the table shows."""
        return self.browse.collection

    @property
    def held(self) -> Held:
        """The records that are held of every open collection."""
        return self.browse.held

    @property
    def marked(self) -> int:
        """How many records are marked in the table that keys are about."""
        return len(self.at_hand.marking.records)

    # Where values lead

    def home_of(self, record_id: str, most: int | None = None) -> Collection | None:
        """The collection that an id belongs to, told by at most `most` records of each collection that is open."""
        held = ((collection, islice(records, most)) for collection, records in self.browse.held)
        found = home_of(record_id, held)
        return next((c for c in self._collections if found and c.key == found.key), found)

    def references(self, steps: Path, value: Json | Absent, most: int | None = None) -> tuple[Place, ...]:
        """The records that a value of the record at hand names; `most` as in `home_of`."""
        here = self.place.collection if self.place else None
        configured = self._profile.references(here) if here else {}
        posts = Signposts(here, self._collections, configured, lambda text: self.home_of(text, most))
        return posts.references(steps, value)

    def _leads(self, path: Path, value: Json | Absent) -> bool:
        return bool(self.references(path, value, _GLANCE))

    # Going and coming

    def open(self, place: Place, reading: RecordReading | None = None) -> None:
        """Show a collection, or read a record of it and show that; `reading` is one of that record made just now."""
        self.current = TABLE
        if place.collection != self.browse.collection:
            self.browse.open(place.collection)
            self.browse.show_drafts(self._drafts.of(place.collection))
        if place.record_id is None:
            self.close_record()
            return
        self.browse.select_record(place.record_id)
        if reading is not None:
            self._came(place, reading)
            self._focus_record()
            return
        self._open.leave_for(place)
        if self._record_pane is not None:
            self._record_pane.show(None, coming=place.record_id)
        self._read_record(place, focus=True)

    def open_record(self) -> bool:
        """Open the record under the table's cursor, or go to the one that is open; False where there is none."""
        self.current = TABLE
        record, collection = self.browse.table.cursor_record, self.browse.collection
        if self._open.shown is not None:
            self._focus_record()
        elif record is not None and collection is not None:
            self._chosen(TablePane.RecordChosen(collection, record))
        else:
            return False
        return True

    def close_record(self) -> None:
        """Put the record away, and the focus on the table."""
        self._put_away()
        self.browse.table.focus()

    def _put_away(self) -> None:
        self._open.close()
        self.record_open = self.table_alone = self._at_record = False
        if self._record_pane is not None:
            self._record_pane.show(None)

    def to_table(self) -> None:
        """Put the focus on the table, whatever stands in its place."""
        self.current = TABLE
        if self.alone and not self.table_alone:
            self.close_record()
        self._at_record = False
        self._focus_elsewhere()
        self.browse.table.focus()

    def _focus_elsewhere(self) -> None:
        if self._record_pane is not None:
            self._record_pane.focus_elsewhere()

    async def console(self) -> "ConsolePane":
        """The console, on show."""
        async with self._one_console:
            if self._console_pane is None:
                made = self._furnishing.console(lambda: self.browse.held, CONSOLE)
                await self.add_content(made)
                self._console_pane = made
        self.current = CONSOLE
        self._focus_elsewhere()
        return self._console_pane

    def watch_raw(self, raw: bool) -> None:
        """Table and record show values in the same way."""
        self.browse.show_raw(raw)
        if self._record_pane is not None:
            self._record_pane.show_raw(raw)

    def toggle_mask(self) -> None:
        """Hide personal data, or show it again, everywhere."""
        self.privacy_mask.on = not self.privacy_mask.on
        for table in self._tables:
            table.mask_toggled()
        if self._open.shown is not None:
            self._show(*self._open.shown)
        if self._record_pane is not None:
            self._record_pane.forget_history()
        if self._console_pane is not None:
            self._console_pane.show_again()

    @property
    def _tables(self) -> Sequence[TablePane]:
        """All tables there are."""
        pane = self._record_pane
        return (self.browse, pane.nested) if pane is not None and pane.is_mounted else (self.browse,)

    def _tables_of(self, collection: Collection) -> Sequence[TablePane]:
        """The tables that show a collection."""
        return [table for table in self._tables if table.collection == collection]

    def stand(self, standing: Standing, cells: int) -> None:
        """Have a record stand so, with that many columns beside the table or rows below it.

        Where they no longer share the screen, the one that somebody is at stays in view.
        """
        shared, self.alone, self.below = not self.alone, standing is Standing.ALONE, standing is Standing.BELOW
        self.table_alone = self.alone and (not self._at_record if shared else self.table_alone)
        self._record_cells = cells
        self._give_room()

    def _give_room(self) -> None:
        if self._record_pane is not None:
            styles, cells = self._record_pane.styles, self._record_cells
            styles.width = "1fr" if self.alone or self.below else cells
            styles.height = cells if self.below else "1fr"

    @property
    def record_region(self) -> Region | None:
        """Where a record is on the screen that shares it with the table; None where there is none."""
        pane = self._record_pane
        shared = pane is not None and self.current == TABLE and pane.display and self.browse.display
        return pane.region if pane is not None and shared else None

    # What others tell it

    def heard(self, event: TrafficEvent) -> None:
        """Something happened on the wire."""
        scopes, self.scopes = self.scopes, self.scopes.heard(event)
        for table in self._tables:
            table.heard(event)
        if self._record_pane is not None and scopes.told != self.scopes.told:
            self._record_pane.refresh_actions()
        if self._console_pane is not None:
            self._console_pane.heard(event)

    def refresh_all(self) -> None:
        """Read again what is shown."""
        self.refresh_rows()
        if self._open.shown is not None and self._open.shown[0].record_id is not None:
            self._read_record(self._open.shown[0])

    def gone(self, place: Place) -> None:
        """The record at `place` is no more: put it away if it is open, and read anew what may list it."""
        if self._open.place == place:
            self.close_record()
        self.refresh_rows()

    def refresh_rows(self) -> None:
        """Read again the rows that are shown."""
        for table in self._tables:
            table.refresh_rows()

    def draft_changed(self, place: Place) -> None:
        """The edits at `place` are others now."""
        for table in self._tables_of(place.collection):
            table.show_drafts(self._drafts.of(place.collection))
        if self._open.shown is not None and self._open.shown[0] == place:
            self._show(*self._open.shown)

    def record_read(self, place: Place, record: Record) -> None:
        """The service gave the record at `place` just now."""
        if self._open.awaited == place:
            # A reading under way may have left before this one.
            self.workers.cancel_group(self, "record")
        for table in self._tables_of(place.collection):
            table.replace(record)
        if self._open.shows(place):
            self._show(place, record)

    def writes_ended(self) -> None:
        """The journal may know more of the record than before."""
        if self._record_pane is not None:
            self._record_pane.forget_history()

    def show_history(self, place: Place, entries: Sequence[JournalEntry] | None, problem: str = "") -> None:
        """Show the writes to the record at `place`, if it still is the one that is open."""
        if self._record_pane is not None and self._open.shows(place):
            told = None if entries is None else [self.privacy_mask.entry(entry) for entry in entries]
            self._record_pane.show_history(told, problem)

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
        path = self.browse.table.cursor_field
        self._show(place, event.record)
        if self._record_pane is not None and path:
            self._record_pane.point_at(outer(event.record.fields, path))
        self._focus_record()
        self.post_message(self.Opened(place))
        if place.record_id is not None:
            # The row may hold less than the record does.
            self._read_record(place)

    def on_nested_pane_opened(self, event: "NestedPane.Opened") -> None:
        """What hangs under the record came on show."""
        event.stop()
        event.pane.show_drafts(self._drafts.of(event.collection))

    @on(TablePane.KindsKnown)
    def _kinds_known(self, event: TablePane.KindsKnown) -> None:
        event.stop()
        if self._record_pane is not None:
            self._record_pane.kinds_known()

    @on(TablePane.TabChosen)
    def _tab_chosen(self, event: TablePane.TabChosen) -> None:
        event.stop()
        self.post_message(self.PlaceWanted(Place(event.collection)))

    @on(TablePane.CursorMoved)
    def _follow(self, event: TablePane.CursorMoved) -> None:
        event.stop()
        self._follow_cursor()

    def on_descendant_focus(self) -> None:
        """Back in the table, the record is again the one under the cursor: keys act on what is seen."""
        self._at_record = self.in_record
        self._follow_cursor()

    def _follow_cursor(self) -> None:
        if not self.record_open or not self.browse.has_focus_within or self.browse.collection is None:
            return
        record = self.browse.table.cursor_record
        if record is not None:
            self._show(Place(self.browse.collection, record.id), record)
        elif self._record_pane is not None:
            # The row has not come yet.
            self._open.close()
            self._record_pane.show(None)

    def _read_record(self, place: Place, *, focus: bool = False) -> None:
        self._open.awaited = place
        self.run_worker(self._reading(place, focus), group="record", exclusive=True)

    async def _reading(self, place: Place, focus: bool) -> None:
        assert place.record_id is not None
        try:
            reading = await self._gateway.reading(place.collection, place.record_id)
        except ServiceError as error:
            if self._open.awaited == place:
                self._not_come()
                self.post_message(self.RecordFailed(place, error))
            return
        if self._open.awaited != place:
            return
        self._came(place, reading)
        self.post_message(self.Looked(place, reading.record))
        if focus:
            self._focus_record()

    def _not_come(self) -> None:
        """What was awaited can't be read: what stood beside the same table before is back, or nothing is open."""
        # While it was awaited there was nothing in its pane to have the focus.
        unfocused = self.in_record or self.screen.focused is None
        before = self._open.failed()
        if before is not None and before[0].collection == self.browse.collection:
            self._show(*before)
            if unfocused:
                self._focus_record()
        elif self._open.shown is None:
            self._put_away()
            if unfocused:
                self.browse.table.focus()

    def _came(self, place: Place, reading: RecordReading) -> None:
        exchange = reading.exchange
        hidden = hidden_in(exchange, self._gateway.secrets)
        self._open.answered(place, replace(reading, exchange=masked_exchange(exchange, hidden)))
        self.browse.replace(reading.record)
        self._show(place, reading.record)

    def _show(self, place: Place, record: Record) -> None:
        self._open.show(place, record)
        if self._record_pane is None:
            self._record_pane = self._furnishing.record(self._kind_in_record, self._offers, self._leads, raw=self.raw)
            self._give_room()
            self.query_one(f"#{TABLE}").mount(self._record_pane)
        self.record_open = True
        self._record_pane.draft_age = self._drafts.age(place)
        reading = self._open.reading
        draft = self._drafts.draft(place, record)
        self._record_pane.show(
            None if draft is None else self.privacy_mask.draft(draft, place.collection.domain),
            reading=None if reading is None else self.privacy_mask.reading(reading, place.collection.domain),
            under=self.offering.nested(place),
        )

    @cached_property
    def offering(self) -> "Offering":
        """What makes offers; made when a record is first open."""
        from svc_tui.domain.editing.offered_actions import Offering

        return Offering(self._routes, self._collections)

    def _offers(self) -> "Sequence[Offer]":
        """What can be done with the record that is open."""
        if self._open.shown is None or self._open.shown[0].record_id is None:
            return ()
        return self.offering.of_record(*self._open.shown, self.scopes)

    def _focus_record(self) -> None:
        self.table_alone, self._at_record = False, True
        if self._record_pane is not None:
            self._record_pane.focus_soon()
