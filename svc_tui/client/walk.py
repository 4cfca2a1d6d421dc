"""Reads a list page by page, its requests a little ahead of the caller."""

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, Callable, Coroutine
from typing import Any

from msgspec import Struct

from svc_tui.core.records import Page
from svc_tui.core.values import replace
from svc_tui.service.errors import NotFound

_COMPARED_PAGES = 8
"""Pages before a page whose ids are compared with its own: a shift by more than that between two requests is rare."""


async def walk_pages(
    fetch: Callable[[int], Coroutine[Any, Any, Page]], *, first: int = 1, most: int | None = None, ahead: int = 3
) -> AsyncGenerator[Page, None]:
    """Pages in order from `first` until the end: an empty page, one that repeats the page before, or by `meta`'s word.

    At most `ahead` pages beyond the one waited for are under way, none that is not known to be there. `most` stops
    after that many records, the last page cut to fit. What `fetch` raises is raised in its page's turn, and `first`
    goes on from there. Once the generator is closed nothing of it runs: leave it early under `contextlib.aclosing`.

    A page that is requested before the page in front of it has arrived can miss records that move from that one to it.
    If the walk then meets an id twice or ends with fewer records than the last total, the pages from the lowest such
    page on are read and given once more, one after the other.
    """
    requested: deque[asyncio.Task[Page]] = deque()
    recent_ids: deque[frozenset[str | None]] = deque(maxlen=_COMPARED_PAGES)
    so_far = _WalkState(first, most, first - 1)
    before_early: _WalkState | None = None
    early_page: int | None = None
    repeats = 0

    def ask(until: int) -> None:
        nonlocal early_page
        for number in range(so_far.number + len(requested) + 1, until + 1):
            if early_page is None and requested and not requested[-1].done():
                early_page = number
            requested.append(asyncio.create_task(fetch(number)))

    async def cancel_requests() -> None:
        for task in requested:
            task.cancel()
        # Waits for their end, and takes the errors of pages that nobody will ask about.
        await asyncio.gather(*requested, return_exceptions=True)
        requested.clear()

    async def next_page() -> Page | None:
        if so_far.ended:
            return None
        following = so_far.number + 1
        ask(max(following, min(following + ahead, so_far.reach)))
        try:
            page = await requested.popleft()
        except NotFound:
            if so_far.may_end_here:
                return None
            raise
        return None if not page.records or so_far.repeated_by(page) else page

    try:
        while True:
            if before_early is None and so_far.number + 1 == early_page:
                before_early = so_far
            page = await next_page()
            if page is None:
                if before_early is None or ahead == 0 or not (repeats or so_far.is_short_of_total(repeats)):
                    return
                await cancel_requests()
                so_far, ahead = before_early, 0
                continue
            wanted = so_far.wanted_of(page)
            so_far = so_far.after(page)
            if ahead:
                ids = frozenset(record.id for record in page.records if record.id is not None)
                repeats += sum(any(record_id in others for others in recent_ids) for record_id in ids)
                recent_ids.append(ids)
            # The requests go on while the user is busy with this page.
            ask(min(so_far.number + ahead, so_far.reach))
            yield wanted
    finally:
        await cancel_requests()


class _WalkState(Struct, frozen=True):
    """What the pages up to `number` tell of those to come; before any has come, `number` is the one before `first`.

    `record_count` counts their records, `size` is the most that one page held: what the service really gives, whatever
    it was asked for. `total` and `pages` are the last that were believable.
    """

    first: int
    most: int | None
    number: int
    page: Page | None = None
    record_count: int = 0
    size: int = 0
    total: int | None = None
    pages: int | None = None

    def after(self, page: Page) -> "_WalkState":
        """The same with one more page."""
        return replace(
            self,
            number=self.number + 1,
            page=page,
            record_count=self.record_count + len(page.records),
            size=max(self.size, len(page.records)),
            total=self.total if page.total is None else page.total,
            pages=self.pages if page.pages is None else page.pages,
        )

    def repeated_by(self, page: Page) -> bool:
        """Whether the page holds what the one before it held: past the end some services give their last page again."""
        return self.page is not None and page.records == self.page.records

    def wanted_of(self, page: Page) -> Page:
        """The page that comes next, cut to the records still wanted."""
        left = len(page.records) if self.most is None else self.most - self.record_count
        return page if left >= len(page.records) else replace(page, records=page.records[:left])

    @property
    def ended(self) -> bool:
        """Whether no page is wanted any more."""
        if self.most is not None and self.record_count >= self.most:
            return True
        if self.page is None:
            return False
        return bool(self.page.last) if self.page.total is None else self._passed >= self.page.total

    def is_short_of_total(self, repeats: int) -> bool:
        """Whether the end came with fewer records than the last total, `repeats` of them not counted."""
        stopped_by_most = self.most is not None and self.record_count >= self.most
        return not stopped_by_most and self.total is not None and self._passed - repeats < self.total

    @property
    def may_end_here(self) -> bool:
        """Whether "not found" can mean that the list is over; page 1 is there if the list is, or was said to be."""
        return self.number > 0 and (self.page is None or self.page.last is not False)

    @property
    def reach(self) -> int:
        """The highest page that is known to be there and may hold a record still wanted; `number` if none follows."""
        if self.page is None or self.page.last:
            return self.number
        if self.total is None:
            reach = self.number if self.pages is None else max(self.number, self.pages)
        elif self.number == self.first > 1:
            # It may be the last one, and short: how many records came before it is anybody's guess.
            reach = self.number
        else:
            reach = self.number + self._pages_for(self.total - self._passed)
        return reach if self.most is None else min(reach, self.number + self._pages_for(self.most - self.record_count))

    @property
    def _passed(self) -> int:
        """The records up to here. Those before `first` are estimated from the pages since, too few rather than many.

        A total is held against records, not against page numbers: a service may give fewer on a page than it was asked
        for.
        """
        return (self.first - 1) * self.size + self.record_count

    def _pages_for(self, records: int) -> int:
        """How many pages it takes at least to hold so many."""
        return max(0, -(-records // self.size))
