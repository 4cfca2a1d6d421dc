"""The index of one session's service: opened once it is wanted, and told of all that is read and written meanwhile."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Coroutine, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from svc_tui.core.records import Page
from svc_tui.core.values import replace
from svc_tui.service.routes import PlaceError, parse_place
from svc_tui.storage.record_index.index_values import (
    IndexProblem,
    IndexRules,
    IndexStatus,
    PageReading,
    SingleReading,
    Sweep,
)

if TYPE_CHECKING:
    from svc_tui.core.catalog import Collection
    from svc_tui.core.records import Place, Record
    from svc_tui.service.gateway import Gateway
    from svc_tui.storage.record_index.record_index import RecordIndex
    from svc_tui.storage.record_index.seen_changes import SeenChange

OpenIndex = Callable[[str, bool], Awaitable["RecordIndex | None"]]
"""Opens the index of the key with a fingerprint; where there is none, creates it or returns None. Raises IndexProblem.
"""

_OTHER_KEY = "the key has changed; the next search uses the index of the new key"

_EVER = datetime(1970, 1, 2, tzinfo=UTC)

_WORTH_SEARCHING = 20
"""Pages and records after which it is worth searching again."""

_MAX_WAITING = 400
"""Pages and records that wait to be written at most; what comes beyond is left to the next sweep."""


@dataclass(slots=True)
class SessionIndex:
    """The index of the records in `collections`, once it is open; `problem` is why it can't be used.

    Nothing that fails here fails what was read: an index is no more than a help.
    """

    gateway: Gateway
    """The service itself: what is read through it is put into the index by the reader."""
    collections: tuple[Collection, ...]
    rules: IndexRules
    wanted: bool
    """Whether the user wants one kept."""
    open_index: OpenIndex
    key: Callable[[], str]
    """Returns the fingerprint of the key in use now."""
    problem: str = ""
    status: IndexStatus | None = None
    """What it held when that was asked last."""
    changes: int = 0
    """How often so much was written into it that searching again is worth it."""
    _index: RecordIndex | None = None
    _opened_for: str = ""
    """The fingerprint of the key that the open index is of."""
    _opening: asyncio.Lock = field(default_factory=asyncio.Lock)
    _written_since: int = 0
    _waiting: set[asyncio.Task[None]] = field(default_factory=set)

    @property
    def has_records(self) -> bool:
        """Whether it is open and not empty; one that only the command line keeps can be."""
        return self.index is not None and self.status is not None and self.status.records > 0

    @property
    def index(self) -> RecordIndex | None:
        """The open index; None where none is open, or the key in use is another one than that of the index."""
        return self._index if self._index is not None and self._opened_for == self.key() else None

    async def open(self) -> bool:
        """Open it, unless it is open; return whether it can be used. It is created only if the user wants one kept."""
        async with self._opening:
            if self.index is None:
                await self.aclose()
                try:
                    key = self.key()
                    self._index, self._opened_for = await self.open_index(key, self.wanted), key
                    self.problem = ""
                    await self.look()
                except IndexProblem as error:
                    self.problem = str(error)
        return self.index is not None

    async def look(self) -> IndexStatus | None:
        """What it holds now; None where it can't be told."""
        if self._index is not None and self.index is None:
            # The source of the key gave another one meanwhile.
            await self.open()
        elif self.index is not None:
            try:
                self.status = await self.index.status()
            except IndexProblem as error:
                self.problem = str(error)
        return self.status

    def complete(self, collection: Collection) -> datetime | None:
        """When all of a collection was read last; None where the index does not hold all of it."""
        if self.index is None or self.status is None or collection not in self.collections:
            return None
        return self.status.of(collection.key).completed_at

    async def pages(self, collection: Collection, size: int, most: int) -> AsyncGenerator[Page, None]:
        """The records of a collection, at most so many, in pages of that size, as its list had them.

        Raises IndexProblem.
        """
        if self.index is None:
            return
        page: Page | None = None
        async with aclosing(self.index.listed(collection.key, most, size)) as parts:
            async for part in parts:
                if page is not None:
                    yield page
                page = Page(tuple(indexed.record for indexed in part), page.number + 1 if page else 1, size)
        if page is not None:
            yield replace(page, last=True)

    async def changes_since(self, since: datetime, most: int) -> Sequence[SeenChange]:
        """What others changed, found since then, the newest first, at most so many; raises IndexProblem."""
        return () if self.index is None else await self.index.changes(since, most=most)

    async def changes_of(self, place: Place) -> Sequence[SeenChange]:
        """The changes of the record at `place` that others made, the oldest first; raises IndexProblem."""
        if self.index is None or place.record_id is None:
            return ()
        return tuple(reversed(await self.index.changes(_EVER, place.collection.key, place.record_id)))

    # What it is told

    def note_page(self, collection: Collection, page: Page, asked_at: datetime, *, chosen: bool) -> None:
        """A page was read; `chosen`: of what fits a query."""
        if self.index is not None and collection in self.collections:
            self._start(self.index.add_page(PageReading(collection.key, page, asked_at, chosen)))

    def note_record(
        self, collection: Collection, record_id: str, record: Record | None, asked_at: datetime, *, own: bool = False
    ) -> None:
        """A record was read by itself, or given back by a write of the user; None: it is gone."""
        if self.index is not None and collection in self.collections:
            self._start(self.index.add_record(SingleReading(collection.key, record_id, record, asked_at, own)))

    def note_write(self, path: str, record: Record | None, *, gone: bool, at: datetime) -> None:
        """The user has written to `path`, and was given this record back, if any; `gone`: it is removed."""
        if self.index is None or (found := self._place(path)) is None:
            return
        place, under = found
        record_id = place.record_id or (record.id if record is not None and not under else None)
        if record_id is None:
            return
        if not under and (gone or (record is not None and record.id == record_id)):
            self.note_record(place.collection, record_id, None if gone else record, at, own=True)
        else:
            self._start(self.index.expect_own(place.collection.key, record_id, at))

    def _place(self, path: str) -> tuple[Place, bool] | None:
        """The record or the collection that a path is of, and whether the path leads to something under it."""
        whole = path
        while path.count("/") > 1:
            try:
                place = parse_place(path, self.collections)
            except PlaceError:
                pass
            else:
                if place.collection in self.collections:
                    return place, path != whole
            path = path.rpartition("/")[0]
        return None

    def _start(self, writing: Coroutine[Any, Any, None]) -> None:
        if not (self.wanted or self.has_records) or len(self._waiting) >= _MAX_WAITING:
            writing.close()
            return
        task = asyncio.create_task(self._written(writing))
        self._waiting.add(task)
        task.add_done_callback(self._waiting.discard)

    async def _written(self, writing: Awaitable[None]) -> None:
        try:
            await writing
            self.problem = ""
            self._count()
        except IndexProblem as error:
            self.problem = str(error)

    def _count(self) -> None:
        self._written_since += 1
        if self._written_since >= _WORTH_SEARCHING:
            self.changed()

    def changed(self) -> None:
        """What was written is worth searching again."""
        self._written_since = 0
        self.changes += 1

    # Sweeps

    async def add_swept(
        self, collection: Collection, page: Page, asked_at: datetime, sweep: Sweep, *, again: bool
    ) -> None:
        """Add a page of a sweep, `again` if the sweep has read it before; raises IndexProblem."""
        if self.index is None:
            raise IndexProblem(_OTHER_KEY)
        await self.index.add_page(PageReading(collection.key, page, asked_at, again=again), sweep)
        self.problem = ""
        self._count()

    async def unseen(self, sweep: Sweep) -> Sequence[str]:
        """The ids of the records that a sweep has not met, and an earlier one had; raises IndexProblem."""
        if self.index is None:
            raise IndexProblem(_OTHER_KEY)
        return await self.index.unseen(sweep)

    async def settled(self) -> None:
        """Wait until what was read and written so far is in it."""
        while self._waiting:
            await asyncio.wait(self._waiting)

    async def aclose(self) -> None:
        """Let what is being written end, and close the index."""
        index, self._index, self.status = self._index, None, None
        await self.settled()
        if index is not None:
            await index.aclose()
