"""What is written into an index: pages and records that were read, and what differs from the readings before."""

import json
import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import cast

from svc_tui.domain.data.field_path import paths
from svc_tui.domain.model.absent import ABSENT
from svc_tui.domain.model.jsontext import Json, dumps, encode_json, loads
from svc_tui.domain.model.records import Record
from svc_tui.domain.search.record_index import PageReading, SingleReading, Sweep
from svc_tui.domain.search.seen_changes import Change, ChangeKind, changed_fields
from svc_tui.store.database import transaction
from svc_tui.store.record_index.texts import folds_to_ascii, indexed_text, storable

_MAX_FIELDS = 500
"""Paths of fields that are known of a collection at most."""

_MAX_REMOVED = 1_000
"""Records that are known to be gone, at most."""

_MAX_CHANGES = 200
"""Fields of one change that are kept at most."""

_LARGEST_CHANGED_VALUE = 2_000
"""Characters of a value that a change keeps; a longer one is cut."""


@dataclass(frozen=True, slots=True)
class _Held:
    """A record that the index holds, and its latest reading."""

    number: int
    body: str
    sweep: int
    read_at: float
    whole: bool


@dataclass(frozen=True, slots=True)
class _Reading:
    """How some records were read: at `read_at`, in which sweep, 0 none; `whole`: each by itself."""

    read_at: float
    sweep: int = 0
    whole: bool = False
    own: bool = False


@dataclass(slots=True)
class IndexWriter:
    """Writes into one index, on the thread of its database; `left_out` are names and paths of fields, folded."""

    left_out: frozenset[str]
    own: dict[tuple[str, str], float] = field(default_factory=dict)
    """When the user has written to records that were not read since, by their collection and id."""
    removed: dict[tuple[str, str], float] = field(default_factory=dict)
    """When records were found to be gone: what was asked for before brings none of them back."""

    def add_page(self, connection: sqlite3.Connection, reading: PageReading, sweep: Sweep | None) -> None:
        """Take in the records of a page."""
        page, asked_at = reading.page, reading.asked_at.timestamp()
        read = _Reading(asked_at, sweep.number if sweep else 0)
        records = [self._kept(record) for record in page.records]
        start = None if reading.chosen else (page.number - 1) * page.limit
        with transaction(connection):
            collection = _Collection.of(connection, reading.key)
            if sweep is not None and collection.sweep != sweep.number:
                # Another program has begun anew, or the index was cleared: this sweep is over.
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
        """Take in a record that was read by itself, or that is gone."""
        read = _Reading(reading.asked_at.timestamp(), whole=True, own=reading.own)
        with transaction(connection):
            collection = _Collection.of(connection, reading.key)
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
        """The record without the fields that are left out."""
        return Record(_without(record.fields, self.left_out, "")) if self.left_out else record

    def _learn_fields(
        self, connection: sqlite3.Connection, collection: "_Collection", records: Sequence[Record]
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
        collection: "_Collection",
        records: Sequence[Record],
        read: _Reading,
        start: int | None,
    ) -> int:
        """Put the records in, those of a page from the row `start` on; gives how many had an id that came before."""
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
                # It was read by itself meanwhile, or changed: it is there all the same.
                connection.execute(
                    "UPDATE readings SET sweep = ?, position = coalesce(?, position) WHERE number = ?",
                    (read.sweep, position, before.number),
                )
        return repeated

    def _insert(
        self,
        connection: sqlite3.Connection,
        collection: "_Collection",
        record: Record,
        read: _Reading,
        position: int | None,
    ) -> _Held:
        body = encode_json(record.fields).decode()
        number = connection.execute(
            "INSERT INTO records (collection, id, folds, body) VALUES (?, ?, ?, ?)",
            (collection.number, record.id, folds_to_ascii(body), body),
        ).lastrowid
        assert number is not None
        connection.execute("INSERT INTO texts (rowid, text) VALUES (?, ?)", (number, indexed_text(record.fields)))
        connection.execute(
            "INSERT INTO readings VALUES (?, ?, ?, ?, ?)", (number, position, read.sweep, read.read_at, read.whole)
        )
        connection.execute("UPDATE collections SET records = records + 1 WHERE number = ?", (collection.number,))
        if collection.completed_at is not None and position is not None:
            # What a query chose, or an address, may have been there all the time and not be listed.
            self._note(connection, collection, record, ChangeKind.MADE, [("", ABSENT, ABSENT)], read, None)
        return _Held(number, body, read.sweep, read.read_at, read.whole)

    def _update(
        self,
        connection: sqlite3.Connection,
        collection: "_Collection",
        held: _Held,
        record: Record,
        read: _Reading,
        position: int | None,
    ) -> _Held:
        body = encode_json(record.fields).decode()
        if body != held.body:
            before, given = _fields(held.body), record.fields.keys()
            if read.own or (held.whole and not read.whole):
                # A row of a list, or what a write gives back, may hold less than its record: the rest is as it was.
                record = Record({**before, **record.fields})
                body = encode_json(record.fields).decode()
            changes = list(changed_fields(before, record.fields, both=held.whole != read.whole))
            connection.execute(
                "INSERT INTO texts (texts, rowid, text) VALUES ('delete', ?, ?)", (held.number, indexed_text(before))
            )
            connection.execute(
                "INSERT INTO texts (rowid, text) VALUES (?, ?)", (held.number, indexed_text(record.fields))
            )
            connection.execute(
                "UPDATE records SET folds = ?, body = ? WHERE number = ?", (folds_to_ascii(body), body, held.number)
            )
            self._note(connection, collection, record, ChangeKind.CHANGED, changes, read, held.read_at)
            if read.own and before.keys() - given:
                # What the write did to the rest, the next reading tells.
                self.own[collection.key, record.id or ""] = read.read_at
        else:
            self._is_own(collection.key, record.id or "", read)
        sweep, whole = read.sweep or held.sweep, read.whole or held.whole
        connection.execute(
            "UPDATE readings SET position = coalesce(?, position), sweep = ?, read_at = ?, whole = ? WHERE number = ?",
            (position, sweep, read.read_at, whole, held.number),
        )
        return _Held(held.number, body, sweep, read.read_at, whole)

    def _remove(
        self, connection: sqlite3.Connection, collection: "_Collection", record_id: str, read: _Reading
    ) -> None:
        held = _held(connection, collection.number, [record_id]).get(record_id)
        if held is None:
            return
        before = _fields(held.body)
        text = indexed_text(before)
        connection.execute("INSERT INTO texts (texts, rowid, text) VALUES ('delete', ?, ?)", (held.number, text))
        connection.execute("DELETE FROM records WHERE number = ?", (held.number,))
        connection.execute("DELETE FROM readings WHERE number = ?", (held.number,))
        connection.execute("UPDATE collections SET records = records - 1 WHERE number = ?", (collection.number,))
        record = Record({**before, "id": before.get("id", record_id)})
        gone: list[Change] = [("", before, ABSENT)]
        self._note(connection, collection, record, ChangeKind.GONE, gone, read, held.read_at, record_id)

    def _is_own(self, key: str, record_id: str, read: _Reading) -> bool:
        """Whether a reading shows what the user has written; the next one is about others again."""
        written_at = self.own.get((key, record_id))
        if written_at is None or read.read_at < written_at:
            return False
        del self.own[key, record_id]
        return True

    def _note(
        self,
        connection: sqlite3.Connection,
        collection: "_Collection",
        record: Record,
        kind: ChangeKind,
        changes: Sequence[Change],
        read: _Reading,
        read_before: float | None,
        record_id: str = "",
    ) -> None:
        """Keep what others changed; what the user did is in the journal."""
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


def begin_sweep(connection: sqlite3.Connection, key: str, page_size: int) -> Sweep:
    """Begin to read a collection to its end, or go on where that was left with pages of `page_size` or fewer."""
    with transaction(connection):
        collection = _Collection.of(connection, key)
        if collection.next_page is not None and 0 < collection.page_size <= page_size:
            return Sweep(key, collection.sweep, collection.next_page, collection.page_size)
        connection.execute(
            "UPDATE collections SET sweep = sweep + 1, next_page = 1, page_size = 0, without_id = 0, "
            "repeated_ids = 0, problem = '' WHERE number = ?",
            (collection.number,),
        )
        return Sweep(key, collection.sweep + 1)


def unseen(connection: sqlite3.Connection, sweep: Sweep) -> list[str]:
    """The ids of the records that a sweep has not met, and an earlier one had."""
    return [
        record_id
        for (record_id,) in connection.execute(
            "SELECT records.id FROM records JOIN readings USING (number) JOIN collections ON "
            "collections.number = records.collection WHERE collections.key = ? AND readings.sweep < ? "
            # Those first that were not asked for since.
            "ORDER BY readings.read_at",
            (sweep.key, sweep.number),
        )
    ]


def end_sweep(
    connection: sqlite3.Connection, sweep: Sweep, ended_at: datetime, total: int | None, oldest_change: float
) -> None:
    """The collection was read to its end; changes found before `oldest_change` are forgotten."""
    with transaction(connection):
        connection.execute(
            "UPDATE collections SET completed_at = ?, next_page = NULL, total = coalesce(?, total), problem = '' "
            "WHERE key = ? AND sweep = ?",
            (ended_at.timestamp(), total, sweep.key, sweep.number),
        )
        connection.execute("DELETE FROM changes WHERE read_after < ?", (oldest_change,))


def fail_sweep(connection: sqlite3.Connection, key: str, problem: str) -> None:
    """The collection can't be read to its end, for now."""
    with transaction(connection):
        collection = _Collection.of(connection, key)
        connection.execute("UPDATE collections SET problem = ? WHERE number = ?", (problem, collection.number))


@dataclass(frozen=True, slots=True)
class _Collection:
    """What is known of a collection."""

    number: int
    key: str
    fields: tuple[str, ...]
    total: int | None
    completed_at: float | None
    sweep: int
    next_page: int | None
    page_size: int

    @classmethod
    def of(cls, connection: sqlite3.Connection, key: str) -> "_Collection":
        """The collection of that key, begun where nothing is known of it."""
        while True:
            row = connection.execute(
                "SELECT number, key, fields, total, completed_at, sweep, next_page, page_size FROM collections "
                "WHERE key = ?",
                (key,),
            ).fetchone()
            if row is not None:
                return cls(row[0], row[1], tuple(json.loads(row[2])), *row[3:])
            connection.execute("INSERT INTO collections (key) VALUES (?)", (key,))


def _held(connection: sqlite3.Connection, collection: int, ids: Sequence[str | None]) -> dict[str, _Held]:
    """Those of the records that the index holds."""
    held: dict[str, _Held] = {}
    for record_id in dict.fromkeys(filter(None, ids)):
        row = connection.execute(
            "SELECT records.number, body, sweep, read_at, whole FROM records JOIN readings USING (number) "
            "WHERE collection = ? AND id = ?",
            (collection, record_id),
        ).fetchone()
        if row is not None:
            held[record_id] = _Held(row[0], row[1], row[2], row[3], bool(row[4]))
    return held


def _is_addressed(record: Record) -> bool:
    """Whether a record has an id, and one that can be stored: half a character can't, nor stand in a path."""
    return record.id is not None and storable(record.id) == record.id


def _fields(body: str) -> Mapping[str, Json]:
    return cast("Mapping[str, Json]", loads(body))


def _said(before: object, after: object) -> str:
    """Before and after as JSON; what is not there is left out, what is long is cut."""
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
    """The fields without those that are named, or that stand at a path that is."""
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
