"""The selection that keys act on: the place, record, field and value under the cursor, in the table or the record."""

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
from svc_tui.ui.workspace.open_record import OpenRecord
from svc_tui.ui.workspace.panes import Panes

if TYPE_CHECKING:
    from svc_tui.core.outline import OutlineEntry, Path
    from svc_tui.ui.record.record_pane import RecordPane
    from svc_tui.ui.table.table_pane import TablePane

_MAX_SCANNED_RECORDS = 20
"""Records of a collection whose ids are searched for every value that is drawn."""


class Selection:
    """A read-only view of the cursor in the panes.

    `record` is the selected record, `shown` the same with its unsent edits, `seen` that with personal data masked;
    `value` is the value under the cursor in `shown`, `seen_value` in `seen`.
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
        """The place of the selected record, or the collection if there is none.

        A record that is being loaded is selected already: no key pressed meanwhile acts on another one.
        """
        table = self._panes.active_table
        if table is self._panes.browse and self._open.place is not None:
            return self._open.place
        record, collection = table.table.cursor_record, table.collection
        return None if collection is None else Place(collection, record.id if record else None)

    @property
    def last_position(self) -> LastPosition:
        """The position to restore in another session: the open record, or a row of the table."""
        browse = self._panes.browse
        assert browse.collection is not None
        if self._panes.record_open and self._open.place is not None:
            return LastPosition(self._open.place.path)
        here = browse.cursor.position
        return LastPosition(Place(browse.collection).path, here.row, here.field, here.record_id)

    @property
    def record(self) -> Record | None:
        """The selected record; None if there is none, or it is not loaded yet."""
        table = self._panes.active_table
        if table is self._panes.browse and self._open.place is not None:
            return self._open.record
        return table.table.cursor_record

    @property
    def shown(self) -> Record | None:
        """The selected record with its unsent edits."""
        place, record = self.place, self.record
        draft = self._drafts.draft(place, record) if place is not None else None
        return record if draft is None else Record(draft.fields)

    @property
    def seen(self) -> Record | None:
        """The selected record with its unsent edits and personal data masked, for reading and copying only."""
        place, record = self.place, self.shown
        if place is None or record is None:
            return record
        return self._mask.record(record, place.collection.domain)

    # Field and value

    @property
    def field(self) -> str | None:
        """The field under the cursor; for a nested value, the top-level field that contains it."""
        steps = self.steps
        return str(steps[0]) if steps else None

    @property
    def path(self) -> str | None:
        """The path of the value under the cursor, as the name of a column."""
        if (entry := self._entry) is not None:
            from svc_tui.core.outline import column_of

            return column_of(record.fields if (record := self.shown) is not None else {}, entry.path)
        return self._panes.active_table.table.cursor_field

    @property
    def steps(self) -> "Path | None":
        """The path of the value under the cursor, step by step and into lists."""
        if (entry := self._entry) is not None:
            return entry.path
        path, record = self._panes.active_table.table.cursor_field, self.shown
        return path_steps(record.fields, path) if path is not None and record is not None else None

    @property
    def value(self) -> Json | Absent:
        """The value under the cursor; ABSENT if there is none."""
        return self._value_in(self.shown)

    @property
    def seen_value(self) -> Json | Absent:
        """The value under the cursor, personal data masked."""
        return self._value_in(self.seen)

    def _value_in(self, record: Record | None) -> Json | Absent:
        if (steps := self.steps) is None or record is None:
            return ABSENT
        from svc_tui.core.outline import at_path

        return at_path(record.fields, steps)

    @property
    def pane(self) -> "RecordPane | TablePane":
        """The pane with the value under the cursor."""
        panes = self._panes
        return panes.active_table if panes.record is None or self._entry is None else panes.record

    @property
    def is_reference(self) -> bool:
        """True if the value under the cursor references another record; see `points_at_record`."""
        steps = self.steps
        return steps is not None and self.points_at_record(steps, self.value)

    @property
    def is_id(self) -> bool:
        """True if the cursor is on the id, which can't be changed."""
        record = self.shown
        return record is not None and self.field == id_field(record.fields)

    def is_masked(self, field: str) -> bool:
        """Return True if personal data in a field of the record is masked."""
        place, record = self.place, self.shown
        return place is not None and record is not None and self._mask.hides(record, field, place.collection.domain)

    @property
    def in_front(self) -> bool:
        """True if keys act on the record pane, not on the table."""
        panes = self._panes
        record_open = panes.record is not None and self._panes.record_open
        return record_open and (panes.in_record or not panes.browse.display)

    @property
    def _entry(self) -> "OutlineEntry | None":
        panes, record = self._panes, self._panes.record
        if record is None or not record.is_ready or not self.in_front or panes.active_table is not panes.browse:
            return None
        return record.fields.entry

    # Loaded records

    @property
    def collection(self) -> Collection | None:
        """The collection that `browse` shows."""
        return self._panes.browse.collection

    @property
    def held(self) -> Held:
        """The loaded records of every open collection."""
        return self._panes.browse.open_collections.held

    @property
    def marked(self) -> int:
        """The number of marked records in the active table."""
        return len(self._panes.active_table.marking.records)

    def marks_note(self, place: Place) -> str:
        """Return a note for a change of one record while others are marked; "" if none are."""
        table = self._panes.active_table
        if table.collection != place.collection:
            return ""
        others = sum(record.id != place.record_id for record in table.marking.records)
        if not others:
            return ""
        words = "marked record" if others == 1 else f"{others:,} marked records"
        return f"This changes only {place.id}, not the {words}."

    def kind_of(self, name: str) -> Kind:
        """Return the kind of a field, from all the records seen."""
        kind = self._panes.active_table.kind_of(name)
        if kind is not None:
            return kind
        record = self.record
        return kind_of(name, [record.fields.get(name)] if record else [])

    def kind_in_record(self, name: str) -> Kind:
        """Return the kind of a field of the open record, from all the records seen in the table."""
        return self._panes.browse.kind_of(name) or kind_of(name, [])

    def points_at_record(self, path: "Path", value: Json | Absent) -> bool:
        """Return True if a value references another record, as far as the first loaded records tell."""
        return bool(self.references(path, value, _MAX_SCANNED_RECORDS))

    def choices(self, name: str) -> Sequence[tuple[str, int]]:
        """Return the texts seen in a field with their counts, the most frequent first."""
        return choices_seen(self._panes.active_table.rows.values(name))

    def home_of(self, record_id: str, most: int | None = None) -> Collection | None:
        """Return the collection of an id, found by at most `most` loaded records of each open collection."""
        home = home_of(record_id, ((collection, islice(records, most)) for collection, records in self.held))
        collections = self._session.collections
        return next((known for known in collections if home and known.key == home.key), home)

    def references(self, steps: "Path", value: Json | Absent, most: int | None = None) -> tuple[Place, ...]:
        """Return the records that a value of the selected record references; `most` as in `home_of`."""
        here = self.place.collection if self.place else None
        configured = self._session.profile.references(here) if here else {}
        collections = self._session.collections
        return ReferenceResolver(here, collections, configured, lambda text: self.home_of(text, most)).references(
            steps, value
        )
