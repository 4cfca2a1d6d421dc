"""One collection as a list that is read as it is asked for, a page at a time, and what a filter lets through of it."""

from collections.abc import Callable, Sequence
from contextlib import aclosing
from datetime import datetime

from svc_tui.core.catalog import Collection
from svc_tui.core.field_path import paths
from svc_tui.core.filters import Filter, comparison_problem, kinds_in, parse_filter
from svc_tui.core.records import Page, Record
from svc_tui.core.values import replace
from svc_tui.core.views import View
from svc_tui.records.page_walk import PageWalk
from svc_tui.service.errors import StatusError, may_be_about_limit
from svc_tui.service.gateway import Gateway
from svc_tui.session.privacy_mask import PrivacyMask

MAX_PAGES = 10
"""Pages that are read at most before the user is asked whether to go on: a filter may let nothing through."""


class Listing:
    """The records of `collection` that a view's filter and query let through, numbered in the collection's order.

    The order of the view is one of the screens: it is kept for them, and not followed here.
    """

    def __init__(
        self,
        gateway: Gateway,
        collection: Collection,
        page_size: int,
        bulk_page_size: int,
        view: View,
        now: Callable[[], datetime],
    ) -> None:
        """Make it; nothing is read yet. `now` gives the time in the zone of the user."""
        self.collection, self.view, self._now = collection, view, now
        self._gateway, self._page_size = gateway, page_size
        self._block_pages = max(1, bulk_page_size // page_size)
        """The number of pages that one request can ask for."""
        self._walk = PageWalk()
        self._page = 0
        self._last: Page | None = None
        self.read: list[Record] = []
        """Every record that was read."""
        self._field_names: dict[str, None] = {}
        self.shown: list[Record] = []
        """Those that were given, in order: the first is number 1."""
        self._ready: list[Record] = []
        self.ended = False
        """Whether all of the collection was read."""

    @property
    def total(self) -> int | None:
        """How many records the service counts, None where it does not say."""
        return self._walk.total

    @property
    def filter(self) -> Filter:
        """What the filter means for the fields that were seen."""
        return parse_filter(self.view.filter, {path.casefold(): path for path in self.field_names}, self._now())

    @property
    def problem(self) -> str:
        """Why a comparison of the filter can match none of the records that were read, "" where it can."""
        return comparison_problem(self.filter, lambda path: kinds_in(self.read, path)) if self.read else ""

    @property
    def narrowed(self) -> bool:
        """Whether not all of the collection is wanted."""
        return bool(self.view.filter or self.view.query)

    def seen_text(self, mask: PrivacyMask) -> str:
        """What narrows the list, as `/` takes it and as it may be heard."""
        domain = self.collection.domain
        return " ".join(filter(None, (mask.filter(self.filter, domain), *mask.masked_query(self.view.query, domain))))

    @property
    def field_names(self) -> Sequence[str]:
        """The paths of all fields that were seen, in order."""
        return tuple(self._field_names)

    @property
    def more_ready(self) -> bool:
        """Whether there is more to give, or may be."""
        return bool(self._ready) or not self.ended

    async def following(self, most: int) -> Sequence[Record]:
        """The next records that the filter lets through, at most so many; fewer also where `MAX_PAGES` were read.

        Raises ServiceError; what was read before that stays.
        """
        for _ in range(MAX_PAGES):
            if len(self._ready) >= most or self.ended:
                break
            await self._read_page()
        given, self._ready = self._ready[:most], self._ready[most:]
        self.shown += given
        return given

    async def load_rest(self) -> None:
        """Read every page that was not read yet. Raises ServiceError; what was read before that stays."""
        if not self._page:
            # A refusal of the first page is about the query, not about the size of a block.
            await self._read_page()
        await self._read_blocks()
        while not self.ended:
            await self._read_page()

    async def _read_blocks(self) -> None:
        """Read the rest in blocks of pages, as long as the service gives as many records as asked for."""
        size = self._block_pages * self._page_size
        if self.ended or self._block_pages == 1 or (self._last is not None and self._last.limit != self._page_size):
            return
        number, read_pages = divmod(self._page, self._block_pages)
        walk = self._gateway.walk(
            self.collection, limit=size, first=number + 1, query=self.view.query, background=False
        )
        try:
            async with aclosing(walk) as blocks:  # type: ignore[type-var]
                async for block in blocks:
                    end = (block.number - 1) * size + len(block.records)
                    if block.limit != size or (block.total is not None and end < min(block.number * size, block.total)):
                        return
                    again = block.number <= number
                    self._take(replace(block, records=block.records[read_pages * self._page_size :]), again=again)
                    number, read_pages = max(number, block.number), 0
                    self._page = number * self._block_pages
        except StatusError as error:
            if may_be_about_limit(error):
                return
            raise
        self.ended = True

    async def _read_page(self) -> None:
        walk = self._gateway.walk(
            self.collection,
            limit=self._page_size,
            first=self._page + 1,
            query=self.view.query,
            background=False,
            ahead=0,
        )
        async with aclosing(walk) as pages:  # type: ignore[type-var]
            page: Page | None = await anext(pages, None)
        if page is None or (self._last is not None and page.records == self._last.records):
            self.ended = True
            return
        self._page, self._last = self._page + 1, page
        self._take(page)
        self.ended = bool(page.last) or (page.total is not None and self._walk.count >= page.total)

    def _take(self, page: Page, *, again: bool = False) -> None:
        """Take in the records of a page; `again`: it was read before."""
        new = self._walk.new(page, again=again)
        self.read += new
        self._field_names |= dict.fromkeys(path for record in new for path in paths(record.fields))
        self._ready += filter(self.filter.matcher(), new)

    def note(self, record: Record) -> None:
        """The record was read by itself just now: what is held of it is replaced."""
        for records in (self.read, self.shown, self._ready):
            for at, held in enumerate(records):
                if held.id == record.id:
                    records[at] = record
