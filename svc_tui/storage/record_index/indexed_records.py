"""The records of an index, as a search looks through them."""

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime

from svc_tui.core.filters import Filter, FoundRow
from svc_tui.core.records import Record
from svc_tui.storage.record_index.index_file import IndexFile
from svc_tui.storage.record_index.index_schema import match_expression, storable, trigrams_of
from svc_tui.storage.record_index.index_values import IndexProblem
from svc_tui.storage.record_tables import Query, RecordTables, Slice, record_of


class IndexedRecords:
    """Records of an index, searched on the event loop; every call may raise IndexProblem. The connection is its own."""

    def __init__(self, file: IndexFile, connection: sqlite3.Connection) -> None:
        self._file, self._db = file, connection
        self._tables = RecordTables(connection, is_shared=True)
        self._is_closed = False

    def found(self, key: str, wanted: Filter) -> Iterator[Sequence[FoundRow]]:
        """Yield the records of a collection that match, a few milliseconds at a time; their positions are numbers.

        A record whose id is the text of the filter comes first, then the others in the order in which they were added.
        """
        with self._problems():
            self._tables.delete_dropped()
            query = self._query(key)
            if query is not None:
                yield from self._tables.found(query, wanted, self._slices(query, wanted))

    def record(self, number: int) -> Record | None:
        """Return a record; None if it was deleted or has changed since."""
        with self._problems():
            row = self._db.execute("SELECT body FROM records WHERE number = ?", (number,)).fetchone()
        return None if row is None else record_of(row[0])

    def read_at(self, key: str, record_id: str) -> datetime | None:
        """Return when a record was read; None if it is not in the index."""
        with self._problems():
            row = self._db.execute(
                "SELECT read_at FROM collections JOIN records ON collection = collections.number "
                "JOIN readings ON readings.number = records.number WHERE key = ? AND identity = ?",
                (key, storable(record_id)),
            ).fetchone()
        return None if row is None else datetime.fromtimestamp(row[0], UTC)

    def prepare(self, key: str, path: str) -> Iterator[None]:
        """Make ready what `kinds` needs, a few milliseconds at a time."""
        with self._problems():
            if (query := self._query(key)) is not None:
                yield from self._tables.column(query.collection, path).fill(self._tables.newest)

    def kinds(self, key: str, path: str) -> set[int]:
        """Return the kinds of the values at a path: `ordering.NUMBER` and so on."""
        with self._problems():
            query = self._query(key)
            return set() if query is None else self._tables.kinds(query, path)

    def close(self) -> None:
        """Close the connection; every call after that raises IndexProblem."""
        self._is_closed = True
        self._db.close()

    def _query(self, key: str) -> Query | None:
        row = self._db.execute("SELECT number FROM collections WHERE key = ?", (key,)).fetchone()
        return None if row is None else Query(row[0], row[0])

    def _slices(self, query: Query, wanted: Filter) -> Iterator[Slice]:
        phrase = storable(" ".join(wanted.words))
        named = self._db.execute(
            "SELECT number FROM records WHERE collection = ? AND identity IN (?, ?)",
            (query.collection, phrase, phrase.upper()),
        ).fetchall()
        first = f"({', '.join(str(number) for (number,) in named)})"
        rows = "SELECT record, position FROM positions WHERE query = ?"
        if named:
            yield self._tables.slice(f"{rows} AND record IN {first}", (query.number,), 0)
        trigrams, texts = trigrams_of(query.collection), match_expression(wanted.words)
        if texts:
            rows = f"SELECT rowid AS record, rowid AS position FROM {trigrams} WHERE {trigrams} MATCH ?"
        yield from self._tables.slices(f"{rows} AND position NOT IN {first}", (texts or query.number,))

    @contextmanager
    def _problems(self) -> Iterator[None]:
        if self._is_closed:
            raise IndexProblem("the index is closed")
        try:
            yield
        except sqlite3.Error as error:
            raise IndexProblem("the index is closed") if self._is_closed else self._file.problem(error) from None
