"""What a search looks through: the rows of open queries, and lists of a few records."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import Enum

from svc_tui.core.catalog import Collection
from svc_tui.core.filters import Filter, FoundRow, kinds_in
from svc_tui.core.folded_text import search_text
from svc_tui.core.records import Record
from svc_tui.records.sparse_rows import FieldNames, SparseRows
from svc_tui.storage.record_index.index_values import IndexedCollection, IndexProblem, IndexStatus
from svc_tui.storage.record_index.indexed_records import IndexedRecords

_MAX_INDEXED_MATCHES = 10_000


class Origin(Enum):
    """The place where a searched record is held; the value is written to exported files."""

    UNSENT = "not sent"
    LOADED = "loaded"
    READ = "read"
    JOURNAL = "journal"
    VISITED = "visited"
    INDEX = "index"

    @property
    def label(self) -> str:
        """The word on the screen."""
        return {Origin.UNSENT: "draft", Origin.READ: "loaded", Origin.VISITED: "viewed"}.get(self, self.value)


@dataclass(slots=True, eq=False)
class SearchedRows(ABC):
    """The records of one collection that are searched, as rows numbered from 0.

    `read_at` is when they were read, by the monotonic clock; None if that is unknown.
    """

    collection: Collection
    origin: Origin
    read_at: float | None = None

    @property
    def max_matches(self) -> int | None:
        """The number of matches after which the search of these records ends; None: no limit."""
        return None

    def read_at_of(self, record: Record) -> float | None:
        """When one of them was read, by the same clock."""
        return self.read_at

    @property
    @abstractmethod
    def field_names(self) -> Mapping[str, str]:
        """The paths of the fields that were seen, by their folded form."""

    @property
    @abstractmethod
    def count(self) -> int:
        """How many records there are."""

    @abstractmethod
    def identities(self) -> Iterator[object]:
        """What distinguishes the records, and is the same for one that other sources hold as well."""

    @abstractmethod
    def found(self, wanted: Filter) -> Iterator[Sequence[FoundRow]]:
        """The rows that match, some at a time."""

    @abstractmethod
    def record(self, row: int) -> Record | None:
        """The record in a row; None where it is not held any more."""

    def prepare(self, path: str) -> Iterator[None]:
        """Make ready what `kinds` needs, in steps of a few milliseconds."""
        yield from ()

    @abstractmethod
    def kinds(self, path: str) -> set[int]:
        """The kinds of the values at a path: `ordering.NUMBER` and so on."""


@dataclass(slots=True, eq=False)
class LoadedRows(SearchedRows):
    """The rows of an open query, as far as they were read."""

    rows: SparseRows = field(kw_only=True)

    @property
    def field_names(self) -> Mapping[str, str]:
        """The paths of the fields that were seen, by their folded form."""
        return self.rows.field_names

    @property
    def count(self) -> int:
        """How many records are held."""
        return self.rows.cached

    def identities(self) -> Iterator[object]:
        """The hash of each record's id."""
        return self.rows.identities()

    def found(self, wanted: Filter) -> Iterator[Sequence[FoundRow]]:
        """The rows that match, some at a time."""
        return self.rows.store.found(self.rows.query, wanted)

    def record(self, row: int) -> Record | None:
        """The record in a row."""
        return self.rows.peek(row)

    def prepare(self, path: str) -> Iterator[None]:
        """Make ready what `kinds` needs, in steps of a few milliseconds."""
        return self.rows.store.prepare(self.rows.query, path)

    def kinds(self, path: str) -> set[int]:
        """The kinds of the values at a path."""
        return self.rows.store.kinds(self.rows.query, path)


@dataclass(slots=True, eq=False)
class ListedRecords(SearchedRows):
    """A few records that are not rows of a query: drafts, those of the journal."""

    records: Sequence[Record] = field(kw_only=True)

    @property
    def field_names(self) -> Mapping[str, str]:
        """The paths of the fields that were seen, by their folded form."""
        names = FieldNames()
        names.learn(self.records)
        return names

    @property
    def count(self) -> int:
        """How many records there are."""
        return len(self.records)

    def identities(self) -> Iterator[object]:
        """The hash of each record's id."""
        return ((self, row) if record.id is None else hash(record.id) for row, record in enumerate(self.records))

    def found(self, wanted: Filter) -> Iterator[Sequence[FoundRow]]:
        """The rows that match, all at once."""
        matches = wanted.matcher()
        yield [
            FoundRow(row, record.id, search_text(record.fields))
            for row, record in enumerate(self.records)
            if matches(record)
        ]

    def record(self, row: int) -> Record | None:
        """The record in a row."""
        return self.records[row]

    def kinds(self, path: str) -> set[int]:
        """The kinds of the values at a path."""
        return kinds_in(self.records, path)


@dataclass(slots=True, eq=False)
class IndexedRows(SearchedRows):
    """The records of one collection in an index.

    `clock` converts a time to the monotonic clock. If the index can't be used, `on_problem` is called with the reason,
    and nothing is found; without it, IndexProblem is raised.
    """

    index: IndexedRecords = field(kw_only=True)
    held: IndexedCollection = field(kw_only=True)
    clock: Callable[[datetime], float] = field(kw_only=True)
    on_problem: Callable[[IndexProblem], None] | None = field(default=None, kw_only=True)
    is_every_match_counted: bool = field(default=False, kw_only=True)

    @property
    def max_matches(self) -> int | None:
        """The limit that keeps a search of a million records short if most of them match."""
        return None if self.is_every_match_counted else _MAX_INDEXED_MATCHES

    def read_at_of(self, record: Record) -> float | None:
        """When one of them was read, by the monotonic clock."""
        try:
            read_at = self.index.read_at(self.collection.key, record.id or "")
        except IndexProblem as error:
            self._report(error)
            return None
        return None if read_at is None else self.clock(read_at)

    @property
    def field_names(self) -> Mapping[str, str]:
        """The paths of the fields that were seen, by their folded form."""
        return {path.casefold(): path for path in self.held.fields}

    @property
    def count(self) -> int:
        """How many records there are."""
        return self.held.records

    def identities(self) -> Iterator[object]:
        """The hash of each record's id."""
        return (hash(row.record_id) for found in self.found(Filter()) for row in found)

    def found(self, wanted: Filter) -> Iterator[Sequence[FoundRow]]:
        """The records that match, some at a time."""
        try:
            yield from self.index.found(self.collection.key, wanted)
        except IndexProblem as error:
            self._report(error)

    def record(self, row: int) -> Record | None:
        """A record; None where it was deleted or has changed since."""
        try:
            return self.index.record(row)
        except IndexProblem as error:
            self._report(error)
            return None

    def prepare(self, path: str) -> Iterator[None]:
        """Make ready what `kinds` needs, in steps of a few milliseconds."""
        try:
            yield from self.index.prepare(self.collection.key, path)
        except IndexProblem as error:
            self._report(error)

    def kinds(self, path: str) -> set[int]:
        """The kinds of the values at a path."""
        try:
            return self.index.kinds(self.collection.key, path)
        except IndexProblem as error:
            self._report(error)
            return set()

    def _report(self, error: IndexProblem) -> None:
        if self.on_problem is None:
            raise error
        self.on_problem(error)


def indexed_rows(
    index: IndexedRecords,
    status: IndexStatus,
    collections: Iterable[Collection],
    clock: Callable[[datetime], float],
    on_problem: Callable[[IndexProblem], None] | None = None,
    *,
    is_every_match_counted: bool = False,
) -> list[IndexedRows]:
    """Return what an index holds of some collections, to be searched."""
    return [
        IndexedRows(
            collection,
            Origin.INDEX,
            index=index,
            held=status.of(collection.key),
            clock=clock,
            on_problem=on_problem,
            is_every_match_counted=is_every_match_counted,
        )
        for collection in collections
        if status.of(collection.key).records
    ]
