"""The local index of a service's records: what it holds, what can be asked of it, and what it is told.

It is a cache. Nothing is decided by it: before an edit the record is read.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import TYPE_CHECKING

from msgspec import Struct

if TYPE_CHECKING:
    from svc_tui.core.records import Page, Record


class IndexProblem(Exception):
    """The index can't be used; the text is one line that says why, and what to do."""


class NoIndex(IndexProblem):
    """There is no index, or nothing in it."""


class IndexedCollection(Struct, frozen=True):
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


class IndexStatus(Struct, frozen=True):
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


class IndexedRecord(Struct, frozen=True):
    """A record as it was read at `read_at`, of the collection of that key."""

    collection: str
    record: Record
    read_at: datetime


class PageReading(Struct, frozen=True):
    """A page of the list of the collection `key`, asked for at `asked_at`.

    `chosen`: the service returned only what matches a query, so that its position in the list means nothing. `again`:
    the same sweep has read the page before.
    """

    key: str
    page: Page
    asked_at: datetime
    chosen: bool = False
    again: bool = False


class SingleReading(Struct, frozen=True):
    """A record of the collection `key`, read by itself at `asked_at`, or given back by a write: `own` then.

    `record` None: there is no such record any more.
    """

    key: str
    id: str
    record: Record | None
    asked_at: datetime
    own: bool = False


class Sweep(Struct, frozen=True):
    """A reading of the collection `key` to its end, `number` in a row; it begins, or goes on, with page `first`.

    `limit` is that of the pages before `first`, None where there are none.
    """

    key: str
    number: int
    first: int = 1
    limit: int | None = None


class IndexRules(Struct):
    """How long an index is good: swept again after `hours`, forgotten after `days` without a sweep."""

    hours: int = 24
    days: int = 30
    masked: tuple[str, ...] = ()
    """The fields, or paths of fields, that never get into it."""
