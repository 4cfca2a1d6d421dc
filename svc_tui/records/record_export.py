"""The records of one export, read page by page or at hand, and how far it has come."""

import asyncio
import re
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import aclosing
from datetime import datetime
from itertools import islice
from typing import cast

from msgspec import Struct, field

from svc_tui.core.catalog import Collection
from svc_tui.core.export_formats import Format
from svc_tui.core.filters import Filter
from svc_tui.core.phrases import counted
from svc_tui.core.records import Page, Record
from svc_tui.core.values import replace
from svc_tui.records.page_walk import PageWalk
from svc_tui.records.progress import Progress
from svc_tui.service.errors import NotFound
from svc_tui.service.gateway import Gateway

_UNSAFE_CHARACTERS = re.compile(r"[^A-Za-z0-9._-]+")


class ExportScope(Struct, frozen=True):
    """A part of a collection: in words, and what it costs to get.

    `records` are those at hand; None where the pages of the collection have to be read, and `filter` then says which
    records on them are meant. `goal` is how many records will be looked at, None where nobody knows.
    """

    name: str
    cost: str = ""
    records: tuple[Record, ...] | None = None
    filter: Filter = field(default_factory=Filter)
    goal: int | None = None


def export_scopes(
    total: int | None, page_size: int, chosen: Filter, loaded: Sequence[Record], held: str, marked: Sequence[Record]
) -> tuple[ExportScope, ...]:
    """The shares there are, what is most likely wanted first.

    `total` counts the collection, where it is known; `loaded` are the loaded records that match the filter, and `held`
    says how many are loaded.
    """
    cost = f"1 request per {page_size} records" if total is None else counted(-(-total // page_size), "request")
    whole = ExportScope("all records" if total is None else f"all {counted(total, 'record')}", cost, goal=total)
    scopes = []
    if marked:
        scopes.append(ExportScope(counted(len(marked), "marked record"), records=tuple(marked), goal=len(marked)))
    if chosen:
        scopes.append(
            ExportScope(
                f"{counted(len(loaded), 'match', 'matches')} in {held}", records=tuple(loaded), goal=len(loaded)
            )
        )
        scopes.append(ExportScope("all records matching the filter", cost, filter=chosen, goal=total))
        return (*scopes, whole)
    name = counted(len(loaded), "loaded record") if len(loaded) == total else held
    return (*scopes, whole, ExportScope(name, records=tuple(loaded), goal=len(loaded)))


def file_name(collection: Collection, now: datetime, form: Format) -> str:
    """A name for a file with records of the collection: `lots-20261120-0512.csv`."""
    return f"{_stem(collection)}-{now:%Y%m%d-%H%M}.{form.ending}"


def name_to_edit(collection: Collection, form: Format) -> str:
    """A name for a file that is to be edited, and read again as corrections: `lots-to-edit.csv`."""
    return f"{_stem(collection)}-to-edit.{form.ending}"


def _stem(collection: Collection) -> str:
    return _UNSAFE_CHARACTERS.sub("-", collection.name).strip("-.") or "records"


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
        return list(filter(self._scope.filter.matcher(), records))

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
