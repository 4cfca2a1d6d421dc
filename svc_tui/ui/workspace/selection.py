"""What keys are about: the place, the record, the field and the value under the cursor, in the table or beside it."""

from collections.abc import Sequence
from itertools import islice
from typing import TYPE_CHECKING

from svc_tui.core.catalog import Collection
from svc_tui.core.field_path import path_steps
from svc_tui.core.jsontext import ABSENT, Absent, Json
from svc_tui.core.kinds import Kind, choices_seen, kind_of
from svc_tui.core.records import Place, Record, id_field
from svc_tui.core.references import Held, ReferenceResolver, home_of
from svc_tui.session.memory import LastPosition
from svc_tui.session.privacy_mask import PrivacyMask
from svc_tui.session.session import Session
from svc_tui.session.unsent_drafts import Drafts
from svc_tui.ui.record.open_record import OpenRecord
from svc_tui.ui.workspace.panes import Panes

if TYPE_CHECKING:
    from svc_tui.core.outline import OutlineEntry, Path
    from svc_tui.ui.record.record_pane import RecordPane
    from svc_tui.ui.table.table_pane import TablePane

_MAX_SCANNED_RECORDS = 20
"""Records of a collection whose ids are looked at for every value that is drawn."""


class Selection:
    """Reads the cursor of the panes; nothing is changed by it.

    `record` is the record that keys are about, `shown` the same with its unsent edits, `seen` that with personal data
    masked; `value` and `seen_value` are the value under the cursor in the same two ways.
    """

    def __init__(
        self,
        session: Session,
        privacy_mask: PrivacyMask,
        panes: Panes,
        opened: OpenRecord,
        drafts: Drafts,
    ) -> None:
        self._session, self._mask, self._panes, self._open, self._drafts = session, privacy_mask, panes, opened, drafts

    # Place and record

    @property
    def place(self) -> Place | None:
        """The record that keys are about, or the collection where there is none.

        One that is being read counts as here already: nothing that is pressed meanwhile reaches another.
        """
        table = self._panes.active_table
        if table is self._panes.browse and self._open.place is not None:
            return self._open.place
        record, collection = table.table.cursor_record, table.collection
        return None if collection is None else Place(collection, record.id if record else None)

    @property
    def last_position(self) -> LastPosition:
        """Where the user is, for coming back at another time: a record that is open, or a row of the table."""
        browse = self._panes.browse
        assert browse.collection is not None
        if self._panes.record_open and self._open.place is not None:
            return LastPosition(self._open.place.path)
        here = browse.cursor.position
        return LastPosition(Place(browse.collection).path, here.row, here.field, here.record_id)

    @property
    def record(self) -> Record | None:
        """The record that keys are about; None where there is none, or it has not come yet."""
        table = self._panes.active_table
        if table is self._panes.browse and self._open.place is not None:
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
        if place is None or record is None:
            return record
        return self._mask.record(record, place.collection.domain)

    # Field and value

    @property
    def field(self) -> str | None:
        """The field of the record under the cursor; for a column of something nested, the one that it is nested in."""
        steps = self.steps
        return str(steps[0]) if steps else None

    @property
    def path(self) -> str | None:
        """The path of what is under the cursor, in the record or in the table."""
        if (entry := self._entry) is not None:
            from svc_tui.core.outline import column_of

            return column_of(record.fields if (record := self.shown) is not None else {}, entry.path)
        return self._panes.active_table.table.cursor_field

    @property
    def steps(self) -> "Path | None":
        """The same step by step, into lists too."""
        if (entry := self._entry) is not None:
            return entry.path
        path, record = self._panes.active_table.table.cursor_field, self.shown
        return path_steps(record.fields, path) if path is not None and record is not None else None

    @property
    def value(self) -> Json | Absent:
        """The value under the cursor; ABSENT where there is none."""
        return self._value_in(self.shown)

    @property
    def seen_value(self) -> Json | Absent:
        """The value under the cursor as anybody may see it."""
        return self._value_in(self.seen)

    def _value_in(self, record: Record | None) -> Json | Absent:
        if (steps := self.steps) is None or record is None:
            return ABSENT
        from svc_tui.core.outline import at_path

        return at_path(record.fields, steps)

    @property
    def pane(self) -> "RecordPane | TablePane":
        """The pane that the value under the cursor is in."""
        panes = self._panes
        return panes.active_table if panes.record is None or self._entry is None else panes.record

    @property
    def is_reference(self) -> bool:
        """Whether the value under the cursor leads to another record, as far as a glance can tell."""
        steps = self.steps
        return steps is not None and self.points_at_record(steps, self.value)

    @property
    def is_id(self) -> bool:
        """Whether the cursor is on the id, which can't be changed."""
        record = self.shown
        return record is not None and self.field == id_field(record.fields)

    @property
    def hidden(self) -> bool:
        """Whether something of the field under the cursor is hidden."""
        place, record, field = self.place, self.shown, self.field
        return (
            place is not None
            and record is not None
            and field is not None
            and self._mask.hides(record, field, place.collection.domain)
        )

    @property
    def in_front(self) -> bool:
        """Whether keys are about the record pane, not the table."""
        panes = self._panes
        record_open = panes.record is not None and self._panes.record_open
        return record_open and (panes.in_record or not panes.browse.display)

    @property
    def _entry(self) -> "OutlineEntry | None":
        panes, record = self._panes, self._panes.record
        if record is None or not record.is_ready or not self.in_front or panes.active_table is not panes.browse:
            return None
        return record.fields.entry

    # What the records that are held tell

    @property
    def collection(self) -> Collection | None:
        """The collection that the large table shows."""
        return self._panes.browse.collection

    @property
    def held(self) -> Held:
        """The records that are held of every open collection."""
        return self._panes.held

    @property
    def marked(self) -> int:
        """How many records are marked in the table that keys are about."""
        return len(self._panes.active_table.marking.records)

    def marks_note(self, place: Place) -> str:
        """Return a sentence for what is done to one record while others are marked; "" where none are."""
        table = self._panes.active_table
        if table.collection != place.collection:
            return ""
        others = sum(record.id != place.record_id for record in table.marking.records)
        if not others:
            return ""
        words = "marked record" if others == 1 else f"{others:,} marked records"
        return f"This changes only {place.id}, not the {words}."

    def kind_of(self, name: str) -> Kind:
        """The kind of a field, from all the records seen."""
        kind = self._panes.active_table.kind_of(name)
        if kind is not None:
            return kind
        record = self.record
        return kind_of(name, [record.fields.get(name)] if record else [])

    def kind_in_record(self, name: str) -> Kind:
        """The kind of a field of the record that is open, from all the records seen beside it."""
        return self._panes.browse.kind_of(name) or kind_of(name, [])

    def points_at_record(self, path: "Path", value: Json | Absent) -> bool:
        """Whether a value leads to another record, as far as a glance at the records held can tell."""
        return bool(self.references(path, value, _MAX_SCANNED_RECORDS))

    def choices(self, name: str) -> Sequence[tuple[str, int]]:
        """The texts seen in a field with how often each was, the most frequent first."""
        return choices_seen(self._panes.active_table.rows.values(name))

    def home_of(self, record_id: str, most: int | None = None) -> Collection | None:
        """The collection that an id belongs to, told by at most `most` records of each collection that is open."""
        home = home_of(record_id, ((collection, islice(records, most)) for collection, records in self.held))
        collections = self._session.collections
        return next((known for known in collections if home and known.key == home.key), home)

    def references(self, steps: "Path", value: Json | Absent, most: int | None = None) -> tuple[Place, ...]:
        """The records that a value of the record at hand names; `most` as in `home_of`."""
        here = self.place.collection if self.place else None
        configured = self._session.profile.references(here) if here else {}
        collections = self._session.collections
        return ReferenceResolver(here, collections, configured, lambda text: self.home_of(text, most)).references(
            steps, value
        )
