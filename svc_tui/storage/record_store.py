"""The record store: every record that was read, its position in the open queries, and views of them.

It is a private database of SQLite: in memory while it is small, in an unlinked file beyond that, gone with the
program. What takes longer than a frame is an iterator that works in slices of a few milliseconds.
"""

import sqlite3
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, TypeVar
from weakref import finalize

from svc_tui.core.filters import Filter, FoundRow
from svc_tui.core.jsontext import ABSENT, Absent, Json, encode_json, loads
from svc_tui.core.records import Record, own_id
from svc_tui.core.views import Sort
from svc_tui.storage.filter_sql import Condition, storable
from svc_tui.storage.record_tables import (
    FIRST_SLICE,
    MAX_SLICE,
    RECORD_TABLES,
    Query,
    RecordTables,
    Slice,
    from_bytes,
    joins,
    text_row,
    where_clause,
)
from svc_tui.storage.sort_keys import to_bytes
from svc_tui.storage.stored_columns import StoredColumn

T = TypeVar("T")

_CACHE_KIB = 8 * 1024
"""With 48 MB, a commit writes up to all of it at once as soon as the database has spilled: 145 ms."""

_POSITIONS = (
    """
    CREATE TABLE positions (
        query INTEGER,
        position INTEGER,
        record INTEGER NOT NULL,
        reading INTEGER NOT NULL,      -- counts the pages that were read
        is_repeated INTEGER NOT NULL,  -- the record was read later at another position
        PRIMARY KEY (query, position)
    ) WITHOUT ROWID
    """,
    "CREATE INDEX positions_by_record ON positions (record, query)",
)

_DELETE_ORPHANS = """
DELETE FROM records WHERE collection = {} AND NOT EXISTS (SELECT 1 FROM positions WHERE record = records.number)
"""
"""Deletes the records of a collection that are in no query."""

_MAX_PARAMETERS = 500
"""Parameters of a statement; some builds of SQLite take no more than 999."""


class StoredRow(NamedTuple):
    """A row of a query or a view: the position of its record in the query, and the JSON of the record."""

    position: int
    body: str


@dataclass(eq=False)
class QueryView:
    """The rows of a query that match a filter, in an order: a table sorted by section, key and position.

    Sections are how well a record matches, or whether it has a value to sort by. `version` is that of the query when it
    was made, `times_emptied` how often the store had been emptied by then.
    """

    table: str
    query: Query
    filter: Filter
    sort: Sort | None
    version: tuple[int, int]
    times_emptied: int
    count: int = 0
    seen_until: int = 0
    """The position, or the row of the view that it is made from, up to which rows were looked at."""
    is_complete: bool = False

    @property
    def is_descending(self) -> bool:
        """Whether it is read backwards; the ties are negative positions then."""
        return self.sort is not None and self.sort.descending

    @property
    def order(self) -> str:
        """The columns that it is read by."""
        direction = "DESC" if self.is_descending else "ASC"
        return f"section {direction}, key {direction}, rest {direction}, tie {direction}"


@dataclass(slots=True, weakref_slot=True)
class RecordStore:
    """The records that were read with one key."""

    _db: sqlite3.Connection = field(init=False)
    _collections: dict[str, int] = field(default_factory=dict)
    _tables: RecordTables = field(init=False)
    _numbers: int = 0
    """Counts queries, views, readings, and records."""
    _changes: int = 0
    """Counts the records whose content changed, in whatever query that was read."""
    _times_emptied: int = 0
    was_emptied: bool = False
    """Whether everything was dropped since there was no space left; reset it after telling the user."""
    _closing: "finalize[[], RecordStore]" = field(init=False)

    def __post_init__(self) -> None:
        # A private database on disk, which stays in memory while it is small.
        self._open("")
        self._tables = RecordTables(self._db)

    def _open(self, path: str) -> None:
        self._db = db = sqlite3.connect(path, isolation_level=None, cached_statements=512, check_same_thread=False)
        db.execute(f"PRAGMA cache_size = -{_CACHE_KIB}")
        # Nothing here is worth a wait for the disk: it can be read from the service again.
        db.execute("PRAGMA synchronous = OFF")
        db.execute("PRAGMA journal_mode = MEMORY")
        for statement in (*RECORD_TABLES, *_POSITIONS):
            db.execute(statement)
        self._closing = finalize(self, db.close)

    # What is read

    def open_query(self, collection: str) -> Query:
        """Return a new query of a collection; its rows are deleted once it is held no more."""
        number = self._next()
        query = Query(number, self._collections.setdefault(collection, len(self._collections) + 1))
        delete = f"DELETE FROM positions WHERE query = {number}", _DELETE_ORPHANS.format(query.collection)
        finalize(query, self._tables.dropped.extend, delete)
        return query

    def add(self, query: Query, first: int, records: Sequence[Record]) -> None:
        """Store records at the positions from `first` on.

        A record that is at two positions keeps both; the one that was read earlier is marked as repeated.
        """
        self._write(lambda: self._add(query, first, records))

    def _add(self, query: Query, first: int, records: Sequence[Record]) -> None:
        self._tables.delete_dropped()
        reading = self._next()
        with self._transaction():
            numbers = self._store(query, records)
            span = query.number, first, first + len(records)
            moved = self._records_at(*span)
            self._db.executemany(
                "INSERT OR REPLACE INTO positions VALUES (?, ?, ?, ?, 0)",
                [(query.number, position, number, reading) for position, number in enumerate(numbers, first)],
            )
            # Most records are new, and in no other row.
            read_before = numbers if len(set(numbers)) < len(numbers) else [one for one in numbers if one < reading]
            self._mark_repeated(query, {*moved, *read_before})
            self._delete_orphans(moved)
        query.changes += 1

    def remove(self, query: Query, first: int, until: int | None = None) -> None:
        """Delete the rows from `first` on, up to `until`; the records stay for others."""
        self._write(lambda: self._remove(query, first, (1 << 62) if until is None else until))

    def _remove(self, query: Query, first: int, until: int) -> None:
        span = query.number, first, until
        with self._transaction():
            moved = self._records_at(*span)
            self._db.execute("DELETE FROM positions WHERE query = ? AND position >= ? AND position < ?", span)
            self._mark_repeated(query, moved)
            self._delete_orphans(moved)
        query.changes += 1

    def _store(self, query: Query, records: Sequence[Record]) -> list[int]:
        """Store records, or their newer content; return their numbers."""
        bodies = [encode_json(record.fields).decode() for record in records]
        own_ids = [own_id(record.fields) for record in records]
        known = self._known(query.collection, [storable(own) for own in own_ids if own is not None])
        numbers: list[int] = []
        added: dict[int, tuple[int, int, str | bytes | int, str, bool]] = {}
        texts: dict[int, tuple[int, bytes, bytes, bytes]] = {}
        changed: set[int] = set()
        for record, body, own in zip(records, bodies, own_ids, strict=True):
            identity = None if own is None else storable(own)
            number, held = known.get(identity, (0, "")) if identity is not None else (0, "")
            if not number:
                # A number is never used again: columns are filled by it.
                number = self._next()
            elif held != body and number not in added:
                changed.add(number)
            if held != body:
                values = number, query.collection, -number if identity is None else identity, body, "\\" in body
                added[number] = values
                record_id = own or record.id or ""
                query.has_stand_ins = query.has_stand_ins or (own is None and bool(record_id))
                texts[number] = text_row(number, record_id, record.fields)
            if identity is not None:
                known[identity] = number, body
            numbers.append(number)
        self._db.executemany(
            "INSERT INTO records VALUES (?1, ?2, ?3, ?4, ?5) ON CONFLICT (number) "
            "DO UPDATE SET body = ?4, has_escapes = ?5",
            added.values(),
        )
        self._db.executemany("REPLACE INTO texts VALUES (?, ?, ?, ?)", texts.values())
        self._changes += len(changed)
        if changed:
            self._tables.refill(query.collection, changed)
        return numbers

    def _known(self, collection: int, identities: Sequence[str | bytes]) -> dict[str | bytes, tuple[int, str]]:
        """Return the numbers and the content of those of some records that are stored."""
        known: dict[str | bytes, tuple[int, str]] = {}
        for first in range(0, len(identities), _MAX_PARAMETERS):
            part = identities[first : first + _MAX_PARAMETERS]
            rows = self._db.execute(
                "SELECT identity, number, body FROM records "
                f"WHERE collection = ? AND identity IN ({', '.join('?' * len(part))})",
                (collection, *part),
            )
            known.update((identity, (number, body)) for identity, number, body in rows)
        return known

    def _records_at(self, query: int, first: int, until: int) -> list[int]:
        rows = self._db.execute(
            "SELECT record FROM positions WHERE query = ? AND position >= ? AND position < ?", (query, first, until)
        )
        return [number for (number,) in rows]

    def _delete_orphans(self, records: Iterable[int]) -> None:
        """Delete those of the records that are in no query any more."""
        self._db.executemany(
            "DELETE FROM records WHERE number = ?1 AND NOT EXISTS (SELECT 1 FROM positions WHERE record = ?1)",
            [(number,) for number in records],
        )

    def _mark_repeated(self, query: Query, records: Iterable[int]) -> None:
        # "+" keeps SQLite from walking all positions of the query for each record.
        self._db.executemany(
            """
            UPDATE positions SET is_repeated = EXISTS (
                SELECT 1 FROM positions AS other WHERE +other.query = ?1 AND other.record = ?2
                AND (other.reading, other.position) > (positions.reading, positions.position)
            ) WHERE +query = ?1 AND record = ?2
            """,
            [(query.number, number) for number in records],
        )

    @property
    def size(self) -> int:
        """The bytes that the database takes, in memory or on disk."""
        return int(
            self._db.execute("SELECT page_count * page_size FROM pragma_page_count, pragma_page_size").fetchone()[0]
        )

    # Rows

    def rows(self, query: Query, first: int, count: int) -> list[StoredRow]:
        """Return the rows of a query at `count` positions from `first` on that were read, in order."""
        statement = (
            "SELECT position, body FROM positions CROSS JOIN records ON number = record "
            "WHERE query = ? AND position >= ? AND position < ? ORDER BY position"
        )
        return list(map(StoredRow._make, self._db.execute(statement, (query.number, first, first + count))))

    def view_rows(self, view: QueryView, first: int, count: int) -> list[StoredRow]:
        """Return `count` rows of a view from row `first` on, none if everything was dropped since."""
        if view.times_emptied != self._times_emptied:
            return []
        statement = (
            f"SELECT abs(tie), body FROM (SELECT * FROM {view.table} ORDER BY {view.order} LIMIT ? OFFSET ?) "
            f"CROSS JOIN records ON number = record ORDER BY {view.order}"
        )
        return list(map(StoredRow._make, self._db.execute(statement, (count, first))))

    def version(self, query: Query) -> tuple[int, int]:
        """Return what changes whenever the rows of a query, or the content of their records, may have changed."""
        return query.changes, self._changes

    def count(self, query: Query) -> int:
        """Return how many records of a query were read, each counted once."""
        statement = "SELECT count(*) FROM positions WHERE query = ? AND NOT is_repeated"
        return int(self._db.execute(statement, (query.number,)).fetchone()[0])

    def repeated(self, query: Query) -> frozenset[int]:
        """Return the positions whose record was read later at another position."""
        statement = "SELECT position FROM positions WHERE query = ? AND is_repeated"
        return frozenset(position for (position,) in self._db.execute(statement, (query.number,)))

    def position_of(self, query: Query, record_id: str) -> int | None:
        """Return the position of the record with an id; where it is at two, the one that was read last."""
        row = self._db.execute(
            "SELECT position FROM records CROSS JOIN positions ON record = number "
            "WHERE collection = ? AND identity = ? AND query = ? ORDER BY is_repeated",
            (query.collection, storable(record_id), query.number),
        ).fetchone()
        if row is None and query.has_stand_ins:
            row = self._db.execute(
                "SELECT position FROM positions CROSS JOIN texts USING (record) WHERE query = ? AND id = ? "
                "ORDER BY reading DESC",
                (query.number, to_bytes(record_id)),
            ).fetchone()
        return None if row is None else int(row[0])

    def row_in_view(self, view: QueryView, position: int) -> int | None:
        """Return the row of a view that shows the record at a position; None where the view leaves it out."""
        if view.times_emptied != self._times_emptied:
            return None
        entry = self._db.execute(
            f"SELECT section, key, rest, tie FROM {view.table} WHERE abs(tie) = ?",
            (position,),
        ).fetchone()
        if entry is None:
            return None
        before = ">" if view.is_descending else "<"
        (row,) = self._db.execute(
            f"SELECT count(*) FROM {view.table} WHERE (section, key, rest, tie) {before} (?, ?, ?, ?)",
            entry,
        ).fetchone()
        return int(row)

    def ids_in_view(self, view: QueryView) -> frozenset[str]:
        """Return the ids of the records in a view."""
        if view.times_emptied != self._times_emptied:
            return frozenset()
        rows = self._db.execute(f"SELECT id FROM {view.table} CROSS JOIN texts USING (record)")
        return frozenset(from_bytes(record_id) for (record_id,) in rows)

    # Filtering and sorting

    def matching(
        self, query: Query, wanted: Filter, sort: Sort | None = None, within: QueryView | None = None
    ) -> Iterator[QueryView]:
        """Filter and sort the rows of a query in slices: yield the view as it grows, at last complete.

        `within` is a complete view that holds every match, as while the text of a filter grows.
        """
        return self._slices_of(lambda: self._matching(query, wanted, sort, within))

    def _matching(
        self, query: Query, wanted: Filter, sort: Sort | None, within: QueryView | None
    ) -> Iterator[QueryView]:
        columns = self._tables.columns_compared(query, wanted)
        where = where_clause(wanted, columns)
        tables = {column.table for column in columns.values()}
        if sort is not None:
            sorted_by = columns[sort.field] = self._tables.column(query.collection, sort.field)
            order, tables = _value_order(sorted_by, sort), tables | {sorted_by.table}
        else:
            order = _match_order(wanted)
        if wanted.uses_texts:
            tables.add("texts")
        view = self._new_view(query, wanted, sort)
        for source in self._slices(query, within):
            for column in columns.values():
                for _ in column.fill(source.newest):
                    yield view
            view.count += self._db.execute(
                f"INSERT INTO {view.table} SELECT {order.sql}, source.record "
                f"FROM ({source.sql}) AS source {joins(tables)} WHERE {where.sql}",
                (*order.values, *source.values, *where.values),
            ).rowcount
            view.seen_until = source.until
            yield view
        view.is_complete = True
        yield view

    def found(self, query: Query, wanted: Filter) -> Iterator[list[FoundRow]]:
        """Yield the rows of a query that match a filter, slice by slice, in order."""
        return self._slices_of(lambda: self._tables.found(query, wanted, self._slices(query)))

    def kinds(self, query: Query, path: str) -> set[int]:
        """Return the kinds of the values at a path in the rows of a query: `ordering.NUMBER` and so on."""
        return self._tables.kinds(query, path)

    def prepare(self, query: Query, path: str) -> Iterator[None]:
        """Make the values at a path ready to be compared, in slices."""
        return self._slices_of(lambda: self._tables.column(query.collection, path).fill(self._numbers))

    def counts(self, query: Query, path: str, within: QueryView | None = None) -> Iterator[Counter[str]]:
        """Count the values at a path in the rows of a query, or of a view of it, in slices.

        Yield their JSON ("" for a missing value) with how often each comes, in the order of the rows.
        """
        return self._slices_of(lambda: self._counts(query, path, within))

    def _counts(self, query: Query, path: str, within: QueryView | None) -> Iterator[Counter[str]]:
        column = self._tables.column(query.collection, path)
        counts: Counter[str] = Counter()
        for source in self._slices(query, within):
            for _ in column.fill(source.newest):
                yield counts
            rows = self._db.execute(
                f"SELECT ifnull(value, '') FROM ({source.sql}) AS source {joins([column.table])}", source.values
            )
            counts.update(value for (value,) in rows)
            yield counts

    def _new_view(self, query: Query, wanted: Filter, sort: Sort | None) -> QueryView:
        self._tables.delete_dropped()
        table = f"view_{self._next()}"
        self._db.execute(
            f"CREATE TABLE {table} (section INTEGER, key, rest BLOB, tie INTEGER, record INTEGER, "
            "PRIMARY KEY (section, key, rest, tie)) WITHOUT ROWID"
        )
        view = QueryView(table, query, wanted, sort, self.version(query), self._times_emptied)
        finalize(view, self._tables.dropped.append, f"DROP TABLE IF EXISTS {table}")
        return view

    def _slices(self, query: Query, within: QueryView | None = None) -> Iterator[Slice]:
        """Yield the rows of a query, or of a view of it, a slice at a time."""
        if within is None or within.times_emptied != self._times_emptied:
            rows = "SELECT record, position FROM positions WHERE query = ? AND NOT is_repeated"
            yield from self._tables.slices(rows, (query.number,))
            return
        for first, limit in _spans(within.count):
            rows = f"SELECT record, abs(tie) AS position FROM {within.table} ORDER BY {within.order} LIMIT ? OFFSET ?"
            yield self._tables.slice(rows, (limit, first), first + limit)

    # The database

    def _write(self, work: Callable[[], None]) -> None:
        """Carry out some work; if there is no space left, once more in the emptied store."""
        try:
            work()
        except sqlite3.Error as error:
            self._empty(error)
            work()

    def _slices_of(self, work: Callable[[], Iterator[T]]) -> Iterator[T]:
        """Yield what some work yields; begin it again if the store is emptied, by this work or in between."""
        while True:
            times_emptied = self._times_emptied
            try:
                yield from work()
                return
            except sqlite3.Error as error:
                if times_emptied == self._times_emptied:
                    self._empty(error)

    def _empty(self, error: sqlite3.Error) -> None:
        """Drop everything after an error that says that there is no space left; raise any other."""
        if error.sqlite_errorcode & 0xFF not in (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR):
            raise error
        self._closing()
        # Not on the disk again.
        self._open(":memory:")
        self._tables.connect(self._db)
        self._times_emptied += 1
        self.was_emptied = True

    def _next(self) -> int:
        self._numbers += 1
        return self._numbers

    def _transaction(self) -> sqlite3.Connection:
        self._db.execute("BEGIN")
        return self._db


def _value_order(column: StoredColumn, sort: Sort) -> Condition:
    """Return the section, the key, its rest and the tie-break of a view that is sorted by a column."""
    table, descending = column.table, sort.descending
    # Records without a value come last in either direction.
    section = f"{table}.key IS {'NOT ' if descending else ''}NULL"
    return Condition(f"{section}, ifnull({table}.key, 0), {table}.rest, {'-' if descending else ''}source.position")


def _match_order(wanted: Filter) -> Condition:
    """Return the same of a view in the order of the rows: only if it is words that are sought, better matches first."""
    words = wanted.words
    if not words or len(words) < len(wanted.terms):
        return Condition("0, 0, 0, source.position")
    phrase = to_bytes(" ".join(words))
    has_phrase = "instr(texts.text, ?)" if len(words) > 1 else "? IS NULL"
    by_id = "WHEN texts.folded_id = ? THEN 0 WHEN instr(texts.folded_id, ?) THEN 1"
    sql = f"CASE {by_id} WHEN {has_phrase} THEN 2 ELSE 3 END"
    return Condition(f"{sql}, 0, 0, source.position", (phrase, phrase, phrase))


def _spans(count: int) -> Iterator[tuple[int, int]]:
    """Yield where each slice of so many rows begins, and how many rows it has."""
    first, limit = 0, FIRST_SLICE
    while first < count:
        yield first, limit
        first, limit = first + limit, min(2 * limit, MAX_SLICE)


def values_of(counts: Mapping[str, int]) -> list[tuple[Json | Absent, int]]:
    """Return the values that were counted by their JSON, each with how often it comes."""
    return [(loads(text, keep_repeated=True) if text else ABSENT, times) for text, times in counts.items()]
