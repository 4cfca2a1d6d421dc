"""The local index of a service's records: what it holds, what can be asked of it, and what it is told.

It is a cache. Nothing is decided by it: before an edit the record is read.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from svc_tui.domain.model.records import Page, Record
    from svc_tui.domain.search.seen_changes import SeenChange


class IndexProblem(Exception):
    """The index can't be used; the text is one line that says why, and what to do."""


class NoIndex(IndexProblem):
    """There is no index, or nothing in it."""


@dataclass(frozen=True, slots=True)
class IndexedCollection:
    """What the index holds of one collection.

    `total` is how many records the service counted when it was read last; `completed_at` when it was last read to its
    end, None where it never was. A reading under way goes on at `next_page`, counted from 1; None: none is under way.
    `fields` are the paths of the fields seen. `without_id` counts the records that nothing addresses, which are left
    out, and `repeated_ids` those whose id another has too, of which the one read last is held. `problem` is why it
    could not be read to its end. `page_size` is how many records were asked for at a time, or are so by the reading
    under way; 0 before its first page.
    """

    key: str
    records: int = 0
    fields: tuple[str, ...] = ()
    total: int | None = None
    completed_at: datetime | None = None
    next_page: int | None = None
    without_id: int = 0
    repeated_ids: int = 0
    problem: str = ""
    page_size: int = 0


@dataclass(frozen=True, slots=True)
class IndexStatus:
    """What the index holds, by the keys of collections; how many bytes it takes, and when it was begun."""

    collections: Mapping[str, IndexedCollection]
    size: int
    began_at: datetime

    @property
    def records(self) -> int:
        """How many records it holds."""
        return sum(collection.records for collection in self.collections.values())

    def of(self, key: str) -> IndexedCollection:
        """What it holds of a collection."""
        return self.collections.get(key) or IndexedCollection(key)


@dataclass(frozen=True, slots=True)
class Comparison:
    """A number that the value at `path` is compared with: `operator` is one of `>`, `>=`, `<`, `<=`."""

    path: str
    operator: str
    number: float


@dataclass(frozen=True, slots=True)
class Conditions:
    """What the records asked for have in common: they are looked at closely by whoever asked.

    `texts` are those that the record's text holds, as `search_text` gives it between two line feeds. `collections` are
    keys. `id_begins` is what the id begins with, in the one case or the other.
    """

    collections: frozenset[str]
    texts: frozenset[str] = frozenset()
    comparisons: tuple[Comparison, ...] = ()
    id_begins: str = ""


@dataclass(frozen=True, slots=True)
class IndexedRecord:
    """A record as it was read at `read_at`, of the collection of that key."""

    collection: str
    record: Record
    read_at: datetime


@dataclass(frozen=True, slots=True)
class Candidates:
    """Some records that may be asked for, the newest in the index first; `rest` asks for more, None: that is all."""

    records: Sequence[IndexedRecord]
    rest: int | None


@dataclass(frozen=True, slots=True)
class PageReading:
    """A page of the list of the collection `key`, asked for at `asked_at`.

    `chosen`: the service returned only what matches a query, so that its position in the list means nothing. `again`:
    the same sweep has read the page before.
    """

    key: str
    page: Page
    asked_at: datetime
    chosen: bool = False
    again: bool = False


@dataclass(frozen=True, slots=True)
class SingleReading:
    """A record of the collection `key`, read by itself at `asked_at`, or given back by a write: `own` then.

    `record` None: there is no such record any more.
    """

    key: str
    id: str
    record: Record | None
    asked_at: datetime
    own: bool = False


@dataclass(frozen=True, slots=True)
class Sweep:
    """A reading of the collection `key` to its end, `number` in a row; it begins, or goes on, with page `first`.

    `limit` is that of the pages before `first`, None where there are none.
    """

    key: str
    number: int
    first: int = 1
    limit: int | None = None


class FindsRecords(Protocol):
    """An index, as a search needs it."""

    async def find(self, conditions: Conditions, before: int | None = None, most: int = 200) -> Candidates:
        """Records that fit the conditions, or nearly; `before` is the `rest` of those given before."""


class RecordIndex(Protocol):
    """The index of one profile, environment and base URL. Every call may raise IndexProblem."""

    @property
    def notice(self) -> str:
        """What the user should know of how it was found; "" when all is well."""

    async def status(self) -> IndexStatus:
        """What it holds."""

    async def find(self, conditions: Conditions, before: int | None = None, most: int = 200) -> Candidates:
        """Records that fit the conditions, or nearly; `before` is the `rest` of those given before."""

    def listed(self, key: str, most: int, size: int) -> AsyncGenerator[Sequence[IndexedRecord], None]:
        """The records of a collection in the order of its list, at most so many, in parts of `size`."""

    async def add_page(self, reading: PageReading, sweep: Sweep | None = None) -> None:
        """Take in a page that was read, in a sweep or besides."""

    async def add_record(self, reading: SingleReading) -> None:
        """Take in a record that was read by itself."""

    async def expect_own(self, key: str, record_id: str, at: datetime) -> None:
        """The user has written to a record: what the next reading after that shows is no change of somebody else."""

    def claim(self) -> bool:
        """Be the one program that sweeps; gives whether no other is."""

    async def begin_sweep(self, key: str, page_size: int) -> Sweep:
        """Begin to read a collection to its end, or go on where that was left with pages of `page_size` or fewer."""

    async def unseen(self, sweep: Sweep) -> Sequence[str]:
        """The ids of the records that a sweep has not met, and an earlier one had."""

    async def end_sweep(self, sweep: Sweep, ended_at: datetime, total: int | None) -> None:
        """The collection was read to its end."""

    async def fail_sweep(self, key: str, problem: str) -> None:
        """The collection can't be read to its end; the sweep goes on another time."""

    async def changes(
        self, since: datetime, key: str = "", record_id: str = "", most: int = 10_000
    ) -> Sequence[SeenChange]:
        """What others changed, of all records or one, found since then, the newest first, at most so many."""

    async def clear(self) -> None:
        """Forget all records and changes."""

    async def aclose(self) -> None:
        """Close it once what was handed over is done."""


@dataclass(slots=True)
class IndexRules:
    """How long an index is good: swept again after `hours`, forgotten after `days` without a sweep."""

    hours: int = 24
    days: int = 30
    masked: tuple[str, ...] = field(default=())
    """The fields, or paths of fields, that never get into it."""
