"""Which page of a collection to read next, which are being read, and which could not be."""

from collections import deque
from collections.abc import Iterable

from svc_tui.core.records import Page, Record
from svc_tui.core.values import replace
from svc_tui.records.extent import Extent
from svc_tui.records.page_cache import PageCache


class ReadQueue:
    """What is in view goes first, then the search for the end, then what was asked for, last one page ahead."""

    def __init__(self, pages: PageCache, extent: Extent) -> None:
        self._pages, self._extent = pages, extent
        self._in_flight: dict[int, int] = {}
        """Pages being read, and which request each is."""
        self._requests = 0
        self._outdated: set[int] = set()
        """Pages being read whose answers will already be old."""
        self._newer: dict[str, tuple[int, Record]] = {}
        """Records that were read by themselves while pages were in flight, by id, and after which request."""
        self._failures: dict[int, str] = {}
        self._requested: deque[int] = deque()
        """Pages to read whether in view or not."""
        self._in_order = False
        """Whether each requested page waits for the one before it."""
        self._in_blocks = False
        """Whether one request asks for a block of the requested pages."""
        self._background: dict[int, None] = {}
        """Pages to read again that nobody waits for, in this order."""
        self._view = range(0)
        self._direction = 1

    # What to read next

    def set_viewport(self, first: int, until: int, direction: int | None = 1) -> None:
        """The rows from `first` up to `until` are in view, reached by going down (1) or up (-1); None for neither.

        0: they are passing, and nothing is read ahead of them.
        """
        self._view = range(max(0, first), max(0, until))
        if direction is not None:
            self._direction = direction

    def awaited(self, number: int) -> bool:
        """Whether the user waits for page `number`: its rows are in view, or the end is being looked for."""
        if number in self._background:
            return False
        return not self._extent.sized or self._extent.seeking or number in self._pages_in_view()

    def next_page(self) -> int | None:
        """The number of the page to read next; None while there is none, or it is in flight."""
        if not self._extent.sized:
            return 1 if self._free(1) else None
        in_view = self._pages_in_view()
        for number in in_view:
            if self._pages.lacks(number) and self._free(number) and number not in self._background:
                return number
        if self._extent.seeking:
            probe = self._extent.probe()
            return probe if probe is not None and self._free(probe) else None
        while self._requested:
            number = self._requested[0]
            if self._to_read(number) and number not in self._failures:
                candidates = (number,) if self._in_order else self._requested
                following = next((n for n in candidates if self._to_read(n) and self._free(n)), None)
                return None if following is None or self._waits(following) else following
            self._requested.popleft()
        for number in self._background:
            if self._to_read(number) and self._free(number):
                return number
        if not in_view or not self._direction:
            return None
        ahead = in_view[-1] + 1 if self._direction >= 0 else in_view[0] - 1
        return ahead if self._to_read(ahead) and self._free(ahead) else None

    @property
    def seeking(self) -> bool:
        """Whether the end is being looked for."""
        return self._extent.seeking

    def seek_end(self) -> None:
        """Look for the end: `next_page` gives O(log n) pages to read until it is known."""
        self._extent.seek()

    def stop_seeking(self) -> None:
        """Look for the end no longer; what was learned on the way stays known."""
        self._extent.seeking = False

    def request(self, numbers: Iterable[int], *, in_order: bool = False, in_blocks: bool = False) -> None:
        """Have these pages read as well, after what is in view, in place of those requested before.

        With `in_order` each is requested only when the one before it has come; with `in_blocks` one request asks for as
        many as it can.
        """
        self._requested, self._in_order, self._in_blocks = deque(numbers), in_order, in_blocks

    def pages_with(self, number: int) -> list[int]:
        """The pages that one request asks for if page `number` is to be read: it alone, or the rest of its block."""
        if not self._in_blocks or number not in self._requested or self.awaited(number):
            return [number]
        block_of = self._extent.block_of
        block = (other for other in self._requested if block_of(other) == block_of(number))
        return [other for other in block if self._to_read(other) and self._free(other)]

    @property
    def requested(self) -> int:
        """How many of the requested pages are still to be read."""
        return sum(self._to_read(number) for number in self._requested)

    @property
    def requests_left(self) -> int:
        """How many requests it takes to read them."""
        if not self._in_blocks:
            return self.requested
        return len({self._extent.block_of(number) for number in self._requested if self._to_read(number)})

    def under_way(self, number: int) -> bool:
        """Whether page `number` has been asked for, and has not come."""
        return number in self._in_flight

    def refreshing(self, numbers: Iterable[int]) -> bool:
        """Whether some of these pages are still to be read again, after `refresh`."""
        return any(number in self._background and self._exists(number) for number in numbers)

    # What came of it

    def started(self, number: int) -> None:
        """Page `number` has been asked for."""
        self._requests += 1
        self._in_flight[number] = self._requests

    def failed(self, number: int, reason: str) -> None:
        """Page `number` could not be read; it is not read again before `retry`, unless that came while it was read."""
        self._end(number)
        self._background.pop(number, None)
        if number in self._outdated:
            self._outdated.discard(number)
            return
        self._failures[number] = reason
        self.stop_seeking()
        self._requested.clear()

    def release(self, numbers: Iterable[int]) -> None:
        """Have those of these pages read again that did not come."""
        for number in numbers:
            if number in self._in_flight:
                self._end(number)
                self._outdated.discard(number)

    def arrived(self, number: int) -> tuple[int, bool]:
        """Page `number` has come; gives which request it answers, and whether the answer is already outdated."""
        request = self._end(number)
        self._failures.pop(number, None)
        outdated = number in self._outdated
        self._outdated.discard(number)
        if not outdated:
            self._background.pop(number, None)
        return request, outdated

    def failure(self, number: int) -> str | None:
        """Why page `number` could not be read; None where nothing failed."""
        return self._failures.get(number)

    def retry(self, *, awaited: bool = True) -> None:
        """Have what failed read again; without anybody waiting for it, what is in view, which says why until then."""
        if awaited:
            self._failures.clear()
            # A try in the background may have set out too early: the user wants to see another one.
            self._outdated.update(self._background.keys() & self._in_flight.keys())
            return
        in_view = self._pages_in_view() if self._extent.sized else [1]
        self._failures = {number: reason for number, reason in self._failures.items() if number in in_view}
        self._background.update(dict.fromkeys(self._failures))

    def refresh(self, numbers: Iterable[int]) -> None:
        """Have these pages, of those held, read again in the background: they are shown until then."""
        for number in numbers:
            if number not in self._background and self._pages.outdate(number):
                self._background[number] = None
                self._failures.pop(number, None)
                if number in self._in_flight:
                    self._outdated.add(number)

    def invalidate(self) -> None:
        """Take every answer in flight as outdated, and no failure as lasting."""
        self._failures.clear()
        self._background.clear()
        self._outdated.update(self._in_flight)

    # Records read by themselves

    def note_record(self, record: Record) -> None:
        """A record was read by itself: pages in flight may have been read before it."""
        if record.id is not None and self._in_flight:
            self._newer[record.id] = self._requests, record

    def with_newer_records(self, page: Page) -> Page:
        """A page that is about to be added, with the records that were read by themselves since it was asked for."""
        request = self._in_flight.get(page.number, self._requests + 1)
        newer = {record_id: record for record_id, (at, record) in self._newer.items() if request <= at}
        if not newer:
            return page
        records = (record if record.id is None else newer.get(record.id, record) for record in page.records)
        return replace(page, records=tuple(records))

    # For SparseRows alone

    def begin(self) -> None:
        """Start over with pages of another size: none is held that could be refreshed."""
        self._background.clear()

    def forget(self, numbers: Iterable[int]) -> None:
        """These pages left the cache: nothing of them is shown that could be refreshed."""
        for number in numbers:
            self._background.pop(number, None)

    def _end(self, number: int) -> int:
        """Take page `number` out of flight; gives which request it was."""
        request = self._in_flight.pop(number, self._requests + 1)
        oldest = min(self._in_flight.values(), default=self._requests + 1)
        self._newer = {record_id: (at, record) for record_id, (at, record) in self._newer.items() if oldest <= at}
        return request

    def _waits(self, number: int) -> bool:
        """Whether page `number` is in the last block, and others are under way: they prove that blocks are whole."""
        block_of, last = self._extent.block_of, self._extent.page_of(self._extent.count - 1)
        others = (other for other in self._in_flight if block_of(other) < block_of(last))
        return self._in_blocks and block_of(number) == block_of(last) and any(others)

    def _pages_in_view(self) -> list[int]:
        if not self._view:
            return []
        page_of = self._extent.page_of
        return [n for n in range(page_of(self._view.start), page_of(self._view.stop - 1) + 1) if self._exists(n)]

    def _exists(self, number: int) -> bool:
        """Whether page `number` may hold rows."""
        return number >= 1 and (number - 1) * self._extent.page_size < self._extent.count

    def _to_read(self, number: int) -> bool:
        return self._exists(number) and self._pages.lacks(number)

    def _free(self, number: int) -> bool:
        return number not in self._in_flight and (number in self._background or number not in self._failures)
