"""Keeps an index up to date: reads collections to their end, behind whatever the user does, and looks for news."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, cast

from svc_tui.service.errors import (
    KeyRefused,
    NotFound,
    ServiceError,
    SignatureRefused,
    TimestampStale,
    is_about_one_record,
)
from svc_tui.storage.record_index.index_values import IndexedCollection, IndexProblem, Sweep

if TYPE_CHECKING:
    from svc_tui.core.catalog import Collection
    from svc_tui.core.records import Page
    from svc_tui.search.session_index import SessionIndex

_AHEAD = 2
"""Pages that are asked for before the one waited for has come."""

_PAGES_BETWEEN_LOOKS = 10
"""Pages after which it is told how much the index holds by now."""

_OF_ALL_REQUESTS = (KeyRefused, SignatureRefused, TimestampStale)
"""Refusals that are about the key pair or the clock, not about what was asked for."""

_MAX_CHECKED = 200
"""Records that a sweep has not met and that are asked for one by one; of more, no word is believed."""

_LOOK_SECONDS = 600.0
"""Seconds between two looks at what is due, and at the ends of collections."""


@dataclass(slots=True)
class Sweeping:
    """Sweeps the collections of an index; `now` is the time of day.

    A page has `page_size` records or fewer. `now_sweeping` is the collection that is being read, `page` the page that
    came last, `limit` how many records were asked for with it, and `elsewhere` tells that another program sweeps.
    """

    index: SessionIndex
    page_size: int
    now: Callable[[], datetime]
    now_sweeping: Collection | None = None
    page: int = 0
    limit: int = 0
    total: int | None = None
    """How many records the service counts in the collection that is being read."""
    elsewhere: bool = False
    errors: dict[str, ServiceError] = field(default_factory=dict)
    """Why a collection could not be read to its end, where the last attempt failed."""
    _failed: dict[str, datetime] = field(default_factory=dict)
    """When a collection could not be read to its end."""

    async def run(self) -> None:
        """Sweep what is due, look for new records, and do so again every few minutes, until cancelled."""
        while await self.index.open():
            try:
                await self.sweep_due()
                await self.look_at_ends()
            except IndexProblem as error:
                self.index.problem = str(error)
            await asyncio.sleep(_LOOK_SECONDS)

    async def sweep_due(self, collections: Sequence[Collection] | None = None) -> None:
        """Read those to their end that were not, or too long ago; `collections` whenever they were.

        A collection that can't be read is passed over. Raises IndexProblem.
        """
        index = self.index.index
        if index is None:
            return
        if not index.claim():
            self.elsewhere = True
            return
        self.elsewhere = False
        status = await self.index.look()
        due = collections
        if due is None:
            due = [c for c in self.index.collections if status is None or self._is_due(status.of(c.key))]
        try:
            for collection in due:
                self.now_sweeping, self.page, self.total = collection, 0, None
                await self._sweep(collection)
                if isinstance(self.errors.get(collection.key), _OF_ALL_REQUESTS):
                    # It would be the same of all others.
                    break
        finally:
            self.now_sweeping = None
            await self.index.look()

    def _is_due(self, held: IndexedCollection) -> bool:
        failed_at = self._failed.get(held.key)
        if failed_at is not None and self.now() - failed_at < timedelta(seconds=_LOOK_SECONDS):
            return False
        if held.completed_at is None or held.next_page is not None:
            return True
        return self.now() - held.completed_at >= timedelta(hours=self.index.rules.hours)

    async def _sweep(self, collection: Collection) -> None:
        index = self.index.index
        assert index is not None
        sweep = await index.begin_sweep(collection.key, self.page_size)
        try:
            total = await self._read(collection, sweep)
            for record_id in (await self.index.unseen(sweep))[:_MAX_CHECKED]:
                await self._check(collection, record_id)
        except ServiceError as error:
            self._failed[collection.key] = self.now()
            self.errors[collection.key] = error
            await index.fail_sweep(collection.key, str(error))
            return
        self._failed.pop(collection.key, None)
        self.errors.pop(collection.key, None)
        await index.end_sweep(sweep, self.now(), total)
        await self.index.look()
        self.index.changed()

    async def _read(self, collection: Collection, sweep: Sweep) -> int | None:
        """Read the pages from the first on that is missing; gives how many records the service counted."""
        asked_at = deque([self.now()], maxlen=_AHEAD + 2)
        walk = self.index.gateway.walk(collection, limit=sweep.limit, first=sweep.first, background=True, ahead=_AHEAD)
        highest_page = 0
        async with aclosing(cast("AsyncGenerator[Page, None]", walk)) as pages:
            async for page in pages:
                again = page.number <= highest_page
                await self.index.add_swept(collection, page, asked_at[0], sweep, again=again)
                asked_at.append(self.now())
                self.page, self.limit, highest_page = page.number, page.limit, max(highest_page, page.number)
                self.total = page.total if page.total is not None else self.total
                if page.number % _PAGES_BETWEEN_LOOKS == 0:
                    await self.index.look()
        return self.total

    async def _check(self, collection: Collection, record_id: str) -> None:
        """Read a record that was not in the list: it may be gone, or have moved to a page that was read already."""
        asked_at = self.now()
        try:
            record = await self.index.gateway.record(collection, record_id, background=True)
        except NotFound:
            self.index.note_record(collection, record_id, None, asked_at)
        except ServiceError as error:
            if not is_about_one_record(error):
                raise
            # That of one record is no reason to think so of all.
        else:
            self.index.note_record(collection, record_id, record, asked_at)

    async def look_at_ends(self) -> None:
        """Look for new records where they are likely to be: on the first page, and after the last that was read."""
        status = await self.index.look()
        if status is None or self.elsewhere:
            return
        for collection in self.index.collections:
            held = status.of(collection.key)
            lately = timedelta(seconds=_LOOK_SECONDS)
            if held.completed_at is None or held.problem or self.now() - held.completed_at < lately:
                continue
            # A collection without records has no page that tells how large one is.
            limit = held.page_size or self.page_size
            try:
                page = await self._read_page(collection, 1, limit)
                last = -(-(held.total or held.records) // max(1, page.limit))
                if last > 1:
                    page = await self._read_page(collection, last, limit)
                while _may_go_on(page):
                    before, page = page, await self._read_page(collection, page.number + 1, limit)
                    if page.records == before.records:
                        # So some services answer past the end.
                        break
            except ServiceError:
                # Whoever reads the collection is told why; this was no more than an attempt.
                continue

    async def _read_page(self, collection: Collection, number: int, limit: int) -> Page:
        asked_at = self.now()
        page = await self.index.gateway.page(collection, number, limit, background=True)
        self.index.note_page(collection, page, asked_at, chosen=False)
        return page


def _may_go_on(page: Page) -> bool:
    return len(page.records) >= page.limit and page.last is not True
