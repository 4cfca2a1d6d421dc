"""The records of one export, read page by page or at hand, and how far it has come."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import aclosing
from dataclasses import replace
from itertools import islice
from typing import cast

from svc_tui.domain.collections.export_scope import ExportScope
from svc_tui.domain.collections.filters import SearchableRecord
from svc_tui.domain.collections.page_walk import PageWalk
from svc_tui.domain.collections.progress import Progress
from svc_tui.domain.http.errors import NotFound
from svc_tui.domain.http.gateway import Gateway
from svc_tui.domain.model.catalog import Collection
from svc_tui.domain.model.records import Page, Record

_CHUNK_RECORDS = 200
"""Records at hand that are given between two chances for others to work."""


class RecordExport:
    """The records of `scope`, or the first `most` of the collection; each comes once."""

    def __init__(
        self,
        gateway: Gateway,
        collection: Collection,
        *,
        query: Sequence[tuple[str, str]],
        page_size: int | None = None,
        scope: ExportScope,
        most: int | None = None,
    ) -> None:
        """`most` goes with a scope that is the whole collection; without `page_size` pages are as large as may be."""
        self._gateway, self._query = gateway, tuple(query)
        self.collection = collection
        self._page_size, self._scope, self._most = page_size, scope, most
        self._walk = PageWalk(most)
        self._whole = False
        """Whether the end of the collection was reached."""
        self.read = 0
        """How many records were looked at."""
        self.written = 0
        """How many of them the scope's filter let through."""

    def progress(self, seconds: float, held: int | None = None) -> Progress:
        """How far it has come in `seconds`; `held` is as in Progress."""
        total = self._scope.goal if self._walk.total is None else self._walk.total
        goal = total if self._most is None else min(self._most, self._most if total is None else total)
        return Progress(self.read, goal, seconds, held)

    @property
    def notice(self) -> str:
        """What readers of the records should know, one sentence without its capital and full stop, or ""."""
        return "" if self._scope.records is not None else self._walk.notice(whole=self._whole)

    async def records(self) -> AsyncGenerator[list[Record], None]:
        """The records in chunks; raises ServiceError. Leave it early under `contextlib.aclosing`."""
        source = self._read() if self._scope.records is None else _in_chunks(self._scope.records)
        async with aclosing(cast("AsyncGenerator[list[Record], None]", source)) as chunks:
            async for records in chunks:
                chosen = self._choose(records)
                self.read += len(records)
                self.written += len(chosen)
                yield chosen

    def _choose(self, records: list[Record]) -> list[Record]:
        if not self._scope.filter:
            return records
        return [entry.record for entry in self._scope.filter.chosen(SearchableRecord.of(0, one) for one in records)]

    async def _read(self) -> AsyncIterator[list[Record]]:
        """Page after page, what is new on it, until the end or as many as are wanted."""
        most, number, used, limit = self._most, 1, 0, self._page_size
        received: dict[int, int] = {}  # records by page: a page can come again
        pages = self._gateway.walk(self.collection, limit=self._page_size, most=most, query=self._query)
        async with aclosing(cast("AsyncGenerator[Page, None]", pages)):
            async for page in pages:
                number, used, limit = page.number, len(page.records), page.limit
                again = number in received
                received[number] = used
                yield self._walk.new(page, again=again)
        self._whole = most is None or sum(received.values()) < most
        if limit is None:
            return
        # Records that came twice do not count: where they leave too few, the rest of the last page and others follow.
        while not (self._whole or self._walk.full):
            try:
                page = await self._gateway.page(self.collection, number, limit, query=self._query, background=True)
            except NotFound:
                # Some services answer a page past the end like this.
                self._whole = True
                return
            new = self._walk.new(replace(page, records=page.records[used:]))
            yield new
            self._whole = not new and not used
            number, used = number + 1, 0


async def _in_chunks(records: Sequence[Record]) -> AsyncIterator[list[Record]]:
    rest = iter(records)
    while chunk := list(islice(rest, _CHUNK_RECORDS)):
        yield chunk
        await asyncio.sleep(0)
