"""Reading collections to their end, so that all of their records can be searched."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import aclosing
from dataclasses import dataclass, field

from svc_tui.core.catalog import Collection
from svc_tui.core.records import Place, Record
from svc_tui.records.sparse_rows import SparseRows
from svc_tui.search.sources import LoadedRows, Origin
from svc_tui.service.errors import BadAnswer, ServiceError, is_about_one_record
from svc_tui.service.gateway import Gateway
from svc_tui.storage.record_store import RecordStore

MAX_RECORDS = 100_000
"""The most records that are loaded of one collection."""

_AHEAD = 3
"""Pages that are asked for before the one waited for has come."""

MAX_BYTES = 256 * 1024 * 1024
"""The size of the record store beyond which no more is loaded; a record takes about 1,500 bytes."""


def fails_for_all(error: ServiceError) -> bool:
    """Return whether other collections would fail too, as with a rate limit, a refused key or a lost connection."""
    return not (is_about_one_record(error) or isinstance(error, BadAnswer) or error.status == 500)


@dataclass(slots=True, eq=False)
class CollectionReading:
    """How far one collection was read: `pages` of up to `limit` records, `problem` is why no more could be."""

    source: LoadedRows
    pages: int = 0
    limit: int | None = None
    complete: bool = False
    is_cut: bool = False
    """Whether it was not loaded to its end, since that is too much."""
    problem: ServiceError | None = None

    @property
    def total(self) -> int | None:
        """How many records it holds; None where that is not known."""
        return self.source.rows.total

    @property
    def begins_late(self) -> bool:
        """Whether its first page was let go of: a later one held more, and all are numbered by the most that came."""
        return self.source.rows.cached > 0 and self.source.rows.waiting(0)

    @property
    def requests_left(self) -> int | None:
        """How many requests read the rest; None where that is not known."""
        if self.complete:
            return 0
        if self.total is None:
            return None
        return max(1, -(-min(self.total, MAX_RECORDS) // self.source.rows.page_size) - self.pages)


@dataclass(slots=True)
class CollectionsReader:
    """Reads collections, behind whatever the user does; what was read stays as long as it does."""

    gateway: Gateway
    store: RecordStore
    page_size: int
    monotonic: Callable[[], float]
    readings: dict[str, CollectionReading] = field(default_factory=dict)
    """What was read so far, by the key of the collection."""
    seconds: float = 0.0
    requests: int = 0
    """What the requests so far took, and how many they were."""
    changes: int = 0
    """How often something changed of what is held, or of what is being read."""

    def reading(self, collection: Collection) -> CollectionReading:
        """How far a collection was read."""
        reading = self.readings.get(collection.key)
        if reading is None:
            # The last page may stand past what is read: no other has to leave for it.
            rows = SparseRows(self.store, collection.path, self.page_size, MAX_RECORDS + self.page_size)
            source = LoadedRows(collection, Origin.READ, rows=rows)
            reading = self.readings[collection.key] = CollectionReading(source)
        return reading

    def note(self, place: Place, record: Record) -> None:
        """The record at `place` was read by itself just now: what is held of it is older."""
        if (reading := self.readings.get(place.collection.key)) is not None:
            reading.source.rows.replace(record)
            self.changes += 1

    async def read(self, collection: Collection, *, first_page_only: bool = False) -> None:
        """Read what is missing of a collection, or one page of it; `problem` of its reading says why that failed."""
        reading = self.reading(collection)
        if reading.complete:
            return
        reading.problem = None
        try:
            await self._walk(reading, first_page_only=first_page_only)
            if reading.begins_late:
                reading.pages, reading.limit = 0, None
                await self._walk(reading)
            held = reading.source.rows.cached
            reading.is_cut = reading.is_cut or (held >= MAX_RECORDS and held != reading.total)
            reading.complete = not first_page_only or held == reading.total
        except ServiceError as error:
            reading.problem = error
        self.changes += 1

    async def _walk(self, reading: CollectionReading, *, first_page_only: bool = False) -> None:
        """Read the pages after those that were read, or the first of them."""
        source, began = reading.source, self.monotonic()
        held = source.rows.cached if reading.pages else 0
        walk = self.gateway.walk(
            source.collection,
            limit=reading.limit,
            first=reading.pages + 1,
            most=max(0, MAX_RECORDS - held),
            background=True,
            ahead=0 if first_page_only else _AHEAD,
        )
        async with aclosing(walk) as pages:  # type: ignore[type-var]
            async for page in pages:
                source.rows.add(page)
                reading.pages, reading.limit = page.number, page.limit
                source.read_at = now = self.monotonic()
                self.seconds, self.requests, began = self.seconds + now - began, self.requests + 1, now
                self.changes += 1
                if self.store.size >= MAX_BYTES:
                    reading.is_cut = source.rows.cached != reading.total
                    break
                if first_page_only:
                    break
