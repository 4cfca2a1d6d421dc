"""Writing to an index: pages and records that were read, and what changed since they were read before."""

import json
import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import cast

from msgspec import Struct

from svc_tui.core.field_path import paths
from svc_tui.core.jsontext import ABSENT, Json, dumps, encode_json, loads
from svc_tui.core.records import Record
from svc_tui.storage.database import transaction
from svc_tui.storage.record_index.index_schema import TRIGRAMS, storable, trigrams_of
from svc_tui.storage.record_index.index_values import PageReading, SingleReading, Sweep
from svc_tui.storage.record_index.seen_changes import Change, ChangeKind, changed_fields
from svc_tui.storage.record_tables import from_bytes, text_row

_MAX_FIELDS = 500
"""Most paths of fields that are stored of a collection."""

_MAX_REMOVED = 1_000
"""Most deleted records that are remembered."""

_MAX_CHANGES = 200
"""Most fields of one change that are stored."""

_LARGEST_CHANGED_VALUE = 2_000
"""Characters of a value that a change stores; a longer one is cut."""


class _Held(Struct, frozen=True):
    """A record in the index, and its latest reading."""

    number: int
    body: str
    position: int | None
    sweep: int
    read_at: float
    whole: bool


class _Reading(Struct, frozen=True):
    """How some records were read: at `read_at`, in which sweep, 0 none; `whole`: each by itself."""

    read_at: float
    sweep: int = 0
    whole: bool = False
    own: bool = False


@dataclass(slots=True)
class IndexWriter:
    """Writes to one index, on the thread of its database; `left_out` are names and paths of fields, folded."""

    left_out: frozenset[str]
    own: dict[tuple[str, str], float] = field(default_factory=dict)
    """Times of the user's writes to records that were not read since, by collection and id."""
    removed: dict[tuple[str, str], float] = field(default_factory=dict)
    """Times at which records were found to be deleted: a reading requested before does not add them again."""

    def add_page(self, connection: sqlite3.Connection, reading: PageReading, sweep: Sweep | None) -> None:
        """Add the records of a page."""
        page, asked_at = reading.page, reading.asked_at.timestamp()
        read = _Reading(asked_at, sweep.number if sweep else 0)
        records = [self._kept(record) for record in page.records]
        start = None if reading.chosen else (page.number - 1) * page.limit
        with transaction(connection):
            collection = StoredCollection.of(connection, reading.key)
            if sweep is not None and collection.sweep != sweep.number:
                # Another program has begun a new sweep, or the index was cleared: this sweep is over.
                return
            self._learn_fields(connection, collection, records)
            repeated = self._put(connection, collection, records, read, start)
            if reading.chosen:
                return
            total = page.total if page.total is not None else collection.total
            connection.execute("UPDATE collections SET total = ? WHERE number = ?", (total, collection.number))
            if sweep is not None:
                without_id = 0 if reading.again else sum(not _is_addressed(record) for record in records)
                repeated = 0 if reading.again else repeated
                connection.execute(
                    "UPDATE collections SET next_page = ?, page_size = ?, without_id = without_id + ?, "
                    "repeated_ids = repeated_ids + ?, problem = '' WHERE number = ?",
                    (page.number + 1, page.limit, without_id, repeated, collection.number),
                )

    def add_record(self, connection: sqlite3.Connection, reading: SingleReading) -> None:
        """Add a record that was read by itself, or delete it if it is gone."""
        read = _Reading(reading.asked_at.timestamp(), whole=True, own=reading.own)
        with transaction(connection):
            collection = StoredCollection.of(connection, reading.key)
            if reading.record is None:
                self._remember_removed((reading.key, reading.id), read.read_at)
                self._remove(connection, collection, reading.id, read)
            elif reading.record.id == reading.id and _is_addressed(reading.record):
                record = self._kept(reading.record)
                self._learn_fields(connection, collection, [record])
                self._put(connection, collection, [record], read, None)

    def _remember_removed(self, which: tuple[str, str], at: float) -> None:
        self.removed[which] = at
        while len(self.removed) > _MAX_REMOVED:
            # The oldest: a page that was asked for before has long come.
            del self.removed[next(iter(self.removed))]

    def _kept(self, record: Record) -> Record:
        """Return the record without the fields that are left out."""
        return Record(_without(record.fields, self.left_out, "")) if self.left_out else record

    def _learn_fields(
        self, connection: sqlite3.Connection, collection: "StoredCollection", records: Sequence[Record]
    ) -> None:
        known = dict.fromkeys(collection.fields)
        for record in records:
            known.update(dict.fromkeys(paths(record.fields)))
        if len(known) > len(collection.fields) and len(collection.fields) < _MAX_FIELDS:
            kept = json.dumps(list(known)[:_MAX_FIELDS])
            connection.execute("UPDATE collections SET fields = ? WHERE number = ?", (kept, collection.number))

    def _put(
        self,
        connection: sqlite3.Connection,
        collection: "StoredCollection",
        records: Sequence[Record],
        read: _Reading,
        start: int | None,
    ) -> int:
        """Add the records, those of a page from the row `start` on; return how many had an id that came before."""
        held = _held(connection, collection.number, [record.id for record in records if _is_addressed(record)])
        repeated = 0
        for at, record in enumerate(records):
            if record.id is None or not _is_addressed(record):
                continue
            position = None if start is None else start + at
            before = held.get(record.id)
            if before is not None and read.sweep and before.sweep == read.sweep:
                repeated += 1
            if before is None and self.removed.get((collection.key, record.id), -1.0) > read.read_at:
                continue
            if before is None:
                held[record.id] = self._insert(connection, collection, record, read, position)
            elif before.read_at <= read.read_at:
                held[record.id] = self._update(connection, collection, before, record, read, position)
            elif read.sweep:
                # It was read by itself meanwhile, or changed; the sweep has met it all the same.
                connection.execute(
                    "UPDATE readings SET sweep = ?, position = coalesce(?, position) WHERE number = ?",
                    (read.sweep, position, before.number),
                )
        return repeated

    def _insert(
        self,
        connection: sqlite3.Connection,
        collection: "StoredCollection",
        record: Record,
        read: _Reading,
        position: int | None,
    ) -> _Held:
        held = _add(connection, collection.number, record, (position, read.sweep, read.read_at, read.whole))
        connection.execute("UPDATE collections SET records = records + 1 WHERE number = ?", (collection.number,))
        if collection.completed_at is not None and position is not None:
            # What a query chose, or an address, may have been there all the time and not be listed.
            self._note(connection, collection, record, ChangeKind.MADE, [("", ABSENT, ABSENT)], read, None)
        return held

    def _update(
        self,
        connection: sqlite3.Connection,
        collection: "StoredCollection",
        held: _Held,
        record: Record,
        read: _Reading,
        position: int | None,
    ) -> _Held:
        body, given = encode_json(record.fields).decode(), record.fields.keys()
        position = held.position if position is None else position
        reading = position, read.sweep or held.sweep, read.read_at, read.whole or held.whole
        before = _fields(held.body) if body != held.body else record.fields
        if body != held.body and (read.own or (held.whole and not read.whole)):
            # A row of a list, or the response to a write, may have fewer fields than the record: the rest stays.
            record = Record({**before, **record.fields})
            body = encode_json(record.fields).decode()
        if body != held.body:
            changes = list(changed_fields(before, record.fields, both=held.whole != read.whole))
            self._note(connection, collection, record, ChangeKind.CHANGED, changes, read, held.read_at)
            _delete(connection, collection.number, held.number)
            held = _add(connection, collection.number, record, reading)
        else:
            self._is_own(collection.key, record.id or "", read)
            connection.execute(
                "UPDATE readings SET position = ?, sweep = ?, read_at = ?, whole = ? WHERE number = ?",
                (*reading, held.number),
            )
            held = _Held(held.number, body, *reading)
        if read.own and before.keys() - given:
            # The next reading shows what the write did to the rest.
            self.own[collection.key, record.id or ""] = read.read_at
        return held

    def _remove(
        self, connection: sqlite3.Connection, collection: "StoredCollection", record_id: str, read: _Reading
    ) -> None:
        held = _held(connection, collection.number, [record_id]).get(record_id)
        if held is None:
            return
        before = _fields(held.body)
        _delete(connection, collection.number, held.number)
        connection.execute("UPDATE collections SET records = records - 1 WHERE number = ?", (collection.number,))
        record = Record({**before, "id": before.get("id", record_id)})
        gone: list[Change] = [("", before, ABSENT)]
        self._note(connection, collection, record, ChangeKind.GONE, gone, read, held.read_at, record_id)

    def _is_own(self, key: str, record_id: str, read: _Reading) -> bool:
        """Return if a reading shows what the user has written; the next one shows changes by others again."""
        written_at = self.own.get((key, record_id))
        if written_at is None or read.read_at < written_at:
            return False
        del self.own[key, record_id]
        return True

    def _note(
        self,
        connection: sqlite3.Connection,
        collection: "StoredCollection",
        record: Record,
        kind: ChangeKind,
        changes: Sequence[Change],
        read: _Reading,
        read_before: float | None,
        record_id: str = "",
    ) -> None:
        """Store changes by others; those by the user are in the journal."""
        record_id = record_id or record.id or ""
        if self._is_own(collection.key, record_id, read) or read.own:
            return
        before = read_before if read_before is not None else collection.completed_at or read.read_at
        label = storable(record.label)
        connection.executemany(
            "INSERT INTO changes (collection, id, label, kind, path, said, read_before, read_after) "
            "VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            (
                (collection.number, record_id, label, kind.value, storable(path), _said(old, new), before, read.read_at)
                for path, old, new in changes[:_MAX_CHANGES]
            ),
        )


class StoredCollection(Struct, frozen=True):
    """A collection as its row in the index has it."""

    number: int
    key: str
    fields: tuple[str, ...]
    total: int | None
    completed_at: float | None
    sweep: int
    next_page: int | None
    page_size: int

    @classmethod
    def of(cls, connection: sqlite3.Connection, key: str) -> "StoredCollection":
        """Return the collection of that key, whose row is added if there is none."""
        while True:
            row = connection.execute(
                "SELECT number, key, fields, total, completed_at, sweep, next_page, page_size FROM collections "
                "WHERE key = ?",
                (key,),
            ).fetchone()
            if row is not None:
                return cls(row[0], row[1], tuple(json.loads(row[2])), *row[3:])
            number = connection.execute("INSERT INTO collections (key) VALUES (?)", (key,)).lastrowid
            connection.execute(TRIGRAMS.format(trigrams_of(number or 0)))


def _held(connection: sqlite3.Connection, collection: int, ids: Sequence[str | None]) -> dict[str, _Held]:
    """Return those of the records that are in the index."""
    held: dict[str, _Held] = {}
    for record_id in dict.fromkeys(filter(None, ids)):
        row = connection.execute(
            "SELECT number, body, position, sweep, read_at, whole FROM records JOIN readings USING (number) "
            "WHERE collection = ? AND identity = ?",
            (collection, record_id),
        ).fetchone()
        if row is not None:
            held[record_id] = _Held(*row)
    return held


def _add(
    connection: sqlite3.Connection, collection: int, record: Record, reading: tuple[int | None, int, float, bool]
) -> _Held:
    """Store a record with its reading: position, sweep, time, and whether it was read whole."""
    body, record_id = encode_json(record.fields).decode(), record.id or ""
    number = connection.execute(
        "INSERT INTO readings (position, sweep, read_at, whole) VALUES (?, ?, ?, ?)", reading
    ).lastrowid
    assert number is not None
    connection.execute(
        "INSERT INTO records VALUES (?, ?, ?, ?, ?)", (number, collection, record_id, body, "\\" in body)
    )
    row = text_row(number, record_id, record.fields)
    connection.execute("INSERT INTO texts VALUES (?, ?, ?, ?)", row)
    connection.execute(f"INSERT INTO {trigrams_of(collection)} (rowid, text) VALUES (?, ?)", (number, _words(row[-1])))
    return _Held(number, body, *reading)


def _delete(connection: sqlite3.Connection, collection: int, number: int) -> None:
    """Delete a record and its reading."""
    (text,) = connection.execute("SELECT text FROM texts WHERE record = ?", (number,)).fetchone()
    trigrams = trigrams_of(collection)
    connection.execute(
        f"INSERT INTO {trigrams} ({trigrams}, rowid, text) VALUES ('delete', ?, ?)", (number, _words(text))
    )
    connection.execute("DELETE FROM records WHERE number = ?", (number,))
    connection.execute("DELETE FROM readings WHERE number = ?", (number,))


def _words(text: bytes) -> str:
    """Return the text of a record of which trigrams are made."""
    return storable(from_bytes(text))


def _is_addressed(record: Record) -> bool:
    """Return if a record has an id that can be stored: one with half a character can't, and is valid in no path."""
    return record.id is not None and storable(record.id) == record.id


def _fields(body: str) -> Mapping[str, Json]:
    return cast("Mapping[str, Json]", loads(body))


def _said(before: object, after: object) -> str:
    """Return before and after as JSON; missing values are left out, long ones are cut."""
    said = {
        name: _cut(cast("Json", value)) for name, value in (("before", before), ("after", after)) if value is not ABSENT
    }
    return encode_json(said).decode()


def _cut(value: Json) -> Json:
    if isinstance(value, str):
        return value if len(value) <= _LARGEST_CHANGED_VALUE else f"{value[:_LARGEST_CHANGED_VALUE]}…"
    if isinstance(value, Mapping | list) and len(text := dumps(value)) > _LARGEST_CHANGED_VALUE:
        return f"{text[:_LARGEST_CHANGED_VALUE]}…"
    return value


def _without(fields: Mapping[str, Json], left_out: frozenset[str], above: str) -> dict[str, Json]:
    """Return the fields without those whose name or path is in `left_out`."""
    kept: dict[str, Json] = {}
    for name, value in fields.items():
        path = f"{above}{name}"
        if name.casefold() not in left_out and path.casefold() not in left_out:
            kept[name] = _value_without(value, left_out, f"{path}.")
    return kept


def _value_without(value: Json, left_out: frozenset[str], above: str) -> Json:
    if isinstance(value, Mapping):
        return _without(value, left_out, above)
    if isinstance(value, list):
        return [_value_without(item, left_out, above) for item in value]
    return value
