"""Records in a database: their tables, columns of the values that are compared, and the records that match a filter.

The record store has them in memory, an index in a file that several programs use.
"""

import sqlite3
from collections import OrderedDict, deque
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import count
from typing import NamedTuple, cast
from weakref import finalize

from svc_tui.core import ordering
from svc_tui.core.filters import Filter, FoundRow
from svc_tui.core.folded_text import fold, search_text
from svc_tui.core.jsontext import Json, loads
from svc_tui.core.records import Record
from svc_tui.storage.filter_sql import Condition, term_condition
from svc_tui.storage.sort_keys import FLAG, NESTED, TEXT, TIME, to_bytes
from svc_tui.storage.stored_columns import StoredColumn, add_functions

RECORD_TABLES = (
    """
    CREATE TABLE records (
        number INTEGER PRIMARY KEY,    -- never used again: columns are filled by it
        collection INTEGER NOT NULL,
        identity NOT NULL,             -- the id; of a record without one of its own, a negative number
        body TEXT NOT NULL,            -- compact JSON
        has_escapes INTEGER NOT NULL   -- a backslash: SQLite before 3.45 compares names as they are written
    )
    """,
    "CREATE UNIQUE INDEX records_by_identity ON records (collection, identity)",
    "CREATE INDEX records_by_collection ON records (collection)",
    """
    CREATE TABLE texts (
        record INTEGER PRIMARY KEY,
        id BLOB NOT NULL,              -- what addresses the record, empty for nothing
        folded_id BLOB NOT NULL,
        text BLOB NOT NULL             -- all values folded, a line feed around each
    )
    """,
    "CREATE TRIGGER record_deleted AFTER DELETE ON records BEGIN DELETE FROM texts WHERE record = OLD.number; END",
)
"""Statements that create the tables of records; `positions` is a table or a view besides."""

_KINDS = {TIME: ordering.TIME, TEXT: ordering.TEXT, FLAG: ordering.FLAG, NESTED: ordering.NESTED, b"": ordering.NUMBER}
"""The kinds of value by the first byte of their keys; a number has none."""

_MAX_COLUMNS = 16
"""Paths whose values are kept: those that are compared, and those that were lately."""

FIRST_SLICE = 200
"""Rows that are looked at first, so that a screen is full at once."""

MAX_SLICE = 2_000
"""Rows that take 2 to 5 ms."""


@dataclass(eq=False)
class Query:
    """A collection as the service returns it for some parameters, in pages; its rows are numbered from 0."""

    number: int
    collection: int
    changes: int = 0
    """Counts the changes of its rows."""
    has_stand_ins: bool = False
    """Whether it holds records that are addressed by a field that is not an id, such as `code`."""


class Slice(NamedTuple):
    """A SELECT of `record` and `position` for some rows, its parameters, and the highest number of a record in it.

    `until` is the position after the last one, or its row in the view that is looked through.
    """

    sql: str
    values: tuple[int | str, ...]
    newest: int
    until: int


class RecordTables:
    """The records of a database as they are compared and searched; the columns for that are made when first asked for.

    `is_shared`: other programs change the records; the columns are in temporary tables of this connection then.
    """

    def __init__(self, db: sqlite3.Connection, *, is_shared: bool = False) -> None:
        """Set the connection up; the tables are there, or are created before they are asked for."""
        self._is_shared = is_shared
        self._columns: OrderedDict[tuple[int, str], StoredColumn] = OrderedDict()
        self._column_numbers = count(1)
        self.dropped: deque[str] = deque()
        """Statements that delete what is not used any more."""
        self.connect(db)

    def connect(self, db: sqlite3.Connection) -> None:
        """Use another connection, whose database has neither columns nor anything to delete."""
        self._columns.clear()
        self.dropped.clear()
        self._db = db
        db.text_factory = lambda text: text.decode("utf-8", "surrogatepass")
        add_functions(db)

    def delete_dropped(self) -> None:
        """Carry out the statements that delete what is not used any more."""
        while self.dropped:
            self._db.execute(self.dropped.popleft())

    # Columns

    def column(self, collection: int, path: str) -> StoredColumn:
        """Return the column of the values at a path, created if there is none."""
        column = self._columns.get((collection, path))
        if column is None:
            name = f"column_{next(self._column_numbers)}"
            column = StoredColumn(self._db, name, collection, path, is_temporary=self._is_shared)
            self._columns[collection, path] = column
            finalize(column, self.dropped.extend, column.delete_statements)
        self._columns.move_to_end((collection, path))
        if len(self._columns) > _MAX_COLUMNS:
            self._columns.popitem(last=False)
        return column

    def columns_compared(self, query: Query, wanted: Filter) -> dict[str, StoredColumn]:
        """Return the columns that a filter compares, by their paths."""
        return {term.field: self.column(query.collection, term.field) for term in wanted.terms if term.field}

    def refill(self, collection: int, changed: Iterable[int]) -> None:
        """Read the values of changed records again."""
        for column in self._columns.values():
            if column.collection == collection:
                column.refill(changed)

    # Rows that match

    def slices(self, rows: str, values: tuple[int | str, ...]) -> Iterator[Slice]:
        """Yield rows, a slice at a time; `rows` is a SELECT of `record` and `position` with a WHERE, and no order."""
        last, limit = -1, FIRST_SLICE
        while True:
            end, newest = self._db.execute(
                f"SELECT max(position), max(record) FROM ({rows} AND position > ? ORDER BY position LIMIT ?)",
                (*values, last, limit),
            ).fetchone()
            if end is None:
                return
            yield Slice(f"{rows} AND position > ? AND position <= ?", (*values, last, end), newest, end + 1)
            last, limit = end, min(2 * limit, MAX_SLICE)

    def slice(self, rows: str, values: tuple[int | str, ...], until: int) -> Slice:
        """Return the slice that a SELECT gives."""
        (newest,) = self._db.execute(f"SELECT ifnull(max(record), 0) FROM ({rows})", values).fetchone()
        return Slice(rows, values, newest, until)

    def found(self, query: Query, wanted: Filter, slices: Iterable[Slice]) -> Iterator[list[FoundRow]]:
        """Yield the rows of some slices that match a filter, slice by slice, in order."""
        columns = self.columns_compared(query, wanted)
        where = where_clause(wanted, columns)
        joined = joins(["texts", *(column.table for column in columns.values())])
        for source in slices:
            for column in columns.values():
                for _ in column.fill(source.newest):
                    yield []
            rows = self._db.execute(
                f"SELECT source.position, texts.id, texts.text FROM ({source.sql}) AS source {joined} "
                f"WHERE {where.sql}",
                (*source.values, *where.values),
            )
            yield [
                FoundRow(position, from_bytes(record_id) or None, from_bytes(text))
                for position, record_id, text in rows
            ]

    def kinds(self, query: Query, path: str) -> set[int]:
        """Return the kinds of the values at a path in the rows of a query: `ordering.NUMBER` and so on."""
        column = self.column(query.collection, path)
        for _ in column.fill(self.newest):
            pass
        rows = self._db.execute(
            f"SELECT DISTINCT iif(typeof(key) = 'blob', substr(key, 1, 1), x'') FROM positions "
            f"CROSS JOIN {column.table} USING (record) WHERE query = ? AND key IS NOT NULL",
            (query.number,),
        )
        return {_KINDS[kind] for (kind,) in rows}

    @property
    def newest(self) -> int:
        """The highest number of a record."""
        return int(self._db.execute("SELECT ifnull(max(number), 0) FROM records").fetchone()[0])


def text_row(number: int, record_id: str, fields: Mapping[str, Json]) -> tuple[int, bytes, bytes, bytes]:
    """Return the row of `texts` for a record."""
    return number, to_bytes(record_id), to_bytes(fold(record_id)), to_bytes(search_text(fields))


def where_clause(wanted: Filter, columns: Mapping[str, StoredColumn]) -> Condition:
    """Return the condition of a filter on the tables of its columns and on the texts."""
    conditions = [term_condition(term, columns[term.field].table if term.field else "texts") for term in wanted.terms]
    sql = " AND ".join(f"({condition.sql})" for condition in conditions)
    return Condition(sql or "true", tuple(value for condition in conditions for value in condition.values))


def joins(tables: Iterable[str]) -> str:
    """Return the joins of tables with rows by the number of the record."""
    return " ".join(f"CROSS JOIN {table} ON {table}.record = source.record" for table in tables)


def from_bytes(text: bytes) -> str:
    """Return the text that was stored as bytes."""
    return text.decode("utf-8", "surrogatepass")


def record_of(body: str) -> Record:
    """Return the record of a row."""
    return Record(cast("Mapping[str, Json]", loads(body)))
