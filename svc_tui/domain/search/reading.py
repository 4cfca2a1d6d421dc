"""Reading collections to their end, so that all of their records can be searched."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field

from svc_tui.domain.collections.sparse_rows import SparseRows
from svc_tui.domain.http.errors import ServiceError
from svc_tui.domain.http.gateway import Gateway
from svc_tui.domain.model.catalog import Collection
from svc_tui.domain.model.records import Place, Record
from svc_tui.domain.search.record_search import Origin, SearchedRows

MAX_RECORDS = 100_000
"""Records read of one collection at most: about 200 bytes each are held of it until the program ends."""


@dataclass(slots=True, eq=False)
class CollectionReading:
    """How far one collection was read: `pages` of up to `limit` records, `problem` is why no more could be."""

    source: SearchedRows
    pages: int = 0
    limit: int | None = None
    complete: bool = False
    problem: ServiceError | None = None

    @property
    def total(self) -> int | None:
        """How many records it holds; None where that is not known."""
        return self.source.rows.total

    @property
    def cut(self) -> bool:
        """Whether it holds more than is read of a collection."""
        held = self.source.rows.cached
        return self.complete and held >= MAX_RECORDS and self.total != held

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
    """Reads collections one after the other, behind whatever the user does; what was read stays as long as it does."""

    gateway: Gateway
    page_size: int
    monotonic: Callable[[], float]
    readings: dict[str, CollectionReading] = field(default_factory=dict)
    """What was read so far, by the key of the collection."""
    now_reading: CollectionReading | None = None
    """The collection that is being read."""
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
            rows = SparseRows(self.page_size, MAX_RECORDS + self.page_size)
            reading = self.readings[collection.key] = CollectionReading(SearchedRows(collection, rows, Origin.READ))
        return reading

    def note(self, place: Place, record: Record) -> None:
        """The record at `place` was read by itself just now: what is held of it is older."""
        if (reading := self.readings.get(place.collection.key)) is not None:
            reading.source.rows.replace(record)
            self.changes += 1

    async def read(self, collections: Sequence[Collection]) -> None:
        """Read what is missing of these; one that can't be read is passed over."""
        try:
            for collection in collections:
                self.now_reading = self.reading(collection)
                await self._read(self.now_reading)
        finally:
            self.now_reading = None
            self.changes += 1

    async def _read(self, reading: CollectionReading) -> None:
        if reading.complete:
            return
        reading.problem = None
        try:
            await self._walk(reading)
            if reading.begins_late:
                reading.pages, reading.limit = 0, None
                await self._walk(reading)
            reading.complete = True
        except ServiceError as error:
            reading.problem = error
        self.changes += 1

    async def _walk(self, reading: CollectionReading) -> None:
        """Read the pages after those that were read."""
        source, began = reading.source, self.monotonic()
        held = source.rows.cached if reading.pages else 0
        walk = self.gateway.walk(
            source.collection,
            limit=reading.limit,
            first=reading.pages + 1,
            most=max(0, MAX_RECORDS - held),
            background=True,
        )
        async with aclosing(walk) as pages:  # type: ignore[type-var]
            async for page in pages:
                source.rows.add(page)
                reading.pages, reading.limit = page.number, page.limit
                source.read_at = now = self.monotonic()
                self.seconds, self.requests, began = self.seconds + now - began, self.requests + 1, now
                self.changes += 1
