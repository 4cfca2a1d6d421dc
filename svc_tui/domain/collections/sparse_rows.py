"""A collection of any size as numbered rows, of which only the pages somebody looks at are held.

Where the number of records is told, all rows exist at once; where not, they grow as they are read.
"""

from collections import OrderedDict, deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import islice
from typing import Protocol

from svc_tui.domain.collections.extent import Extent
from svc_tui.domain.model.jsontext import dumps
from svc_tui.domain.model.records import Page, Record


class Rows(Protocol):
    """Numbered rows, from 0, as a table draws them."""

    @property
    def count(self) -> int:
        """The number of rows to offer."""

    @property
    def end_known(self) -> bool:
        """Whether that is all."""

    def get(self, row: int) -> Record | None:
        """The record in `row`, if it is held."""

    def held(self, span: range) -> Iterator[tuple[int, Record]]:
        """The rows of `span` (counting up by one) that are held, and their records, in order."""

    def waiting(self, row: int) -> bool:
        """Whether the record in `row` is still to come."""

    def failure(self, row: int) -> str | None:
        """Why it could not be read; None where nothing failed."""

    def page_of(self, row: int) -> int:
        """The page that holds `row`: what failed, failed for all of it."""

    def index_of(self, record_id: str) -> int | None:
        """The row of the record with that id, among those held."""


@dataclass(slots=True)
class _Held:
    """A page in the cache, read as number `at`; `stale` ones are shown, and read again once they are in view."""

    records: tuple[Record, ...]
    ids: tuple[str | None, ...]
    sign: int
    at: int
    stale: bool = False


MOST_HELD = 20_000
"""Records held of one collection: what a person looks through, and some 20 MB."""

_FEWEST_PAGES = 3
_MOST_SIGNS = 10_000
"""Pages of which it is remembered what they held, after they left the cache."""


class SparseRows:
    """Rows counted from 0, filled page by page.

    `limit` is what every request asks for. The service may give fewer: `page_size` is what it really gives, learned
    from page 1, which is therefore asked for alone. About `most` records are held, the pages least used leave first.
    """

    def __init__(self, limit: int, most: int = MOST_HELD) -> None:
        self.limit = limit
        self.shifted = False
        """Whether rows moved while reading: one came twice, a page now holds others, or the total changed."""
        self._most = most
        self._extent = Extent(limit)
        self._pages: OrderedDict[int, _Held] = OrderedDict()
        self._signs: OrderedDict[int, int] = OrderedDict()
        """What pages that left the cache held."""
        self._under_way: dict[int, int] = {}
        """Pages asked for, and when: a count of requests."""
        self._requests = 0
        self._answers = 0
        self._told_at = 0
        """The request whose answer told the total."""
        self._outdated: set[int] = set()
        self._since: dict[str, tuple[int, Record]] = {}
        """Records that were read by themselves while pages were under way, by id, and after which request."""
        self._failures: dict[int, str] = {}
        self._sized = False
        self._grown = False
        """Whether a page after the first held more than the first one let expect."""
        self._asked: deque[int] = deque()
        """Pages that somebody wants read, in view or not."""
        self._quiet: dict[int, None] = {}
        """Pages to be read again without anybody waiting for them, in this order."""
        self._view = range(0)
        self._direction = 1

    # What is known

    @property
    def page_size(self) -> int:
        """How many records a page holds."""
        return self._extent.page_size

    @property
    def total(self) -> int | None:
        """The number of records in the collection; None while that is not known."""
        return self._extent.total

    @property
    def end_known(self) -> bool:
        """Whether `total` is known."""
        return self.total is not None

    @property
    def known(self) -> int:
        """The number of rows that are certain to exist."""
        return self._extent.known

    @property
    def count(self) -> int:
        """The number of rows to offer: all of them, or the known ones and a page that may follow; 0 before page 1."""
        return self._extent.count if self._sized else 0

    @property
    def loaded(self) -> bool:
        """Whether anything has come yet."""
        return self._sized

    @property
    def seeking(self) -> bool:
        """Whether the end is being looked for."""
        return self._extent.seeking

    @property
    def cached(self) -> int:
        """The number of records held."""
        return sum(len(held.records) for held in self._pages.values())

    def records(self) -> Iterator[Record]:
        """The records held, in no order."""
        for held in self._pages.values():
            yield from held.records

    def pages(self) -> Iterator[tuple[int, tuple[Record, ...]]]:
        """The pages held, in the order of reading: number, and records: the same tuple until one of them changes."""
        for number, held in sorted(self._pages.items(), key=lambda page: page[1].at):
            yield number, held.records

    def page_of(self, row: int) -> int:
        """The number, from 1, of the page that holds `row`."""
        return self._extent.page_of(row)

    def get(self, row: int) -> Record | None:
        """The record in `row`, if it is held."""
        number, place = divmod(row, self.page_size)
        held = self._pages.get(number + 1)
        if held is None or place >= len(held.records):
            return None
        self._pages.move_to_end(number + 1)
        return held.records[place]

    def held(self, span: range) -> Iterator[tuple[int, Record]]:
        """The rows of `span` that are held, and their records, in order; no page counts as used by it."""
        for number in sorted(self._pages):
            start, records = (number - 1) * self.page_size, self._pages[number].records
            for row in range(max(start, span.start), min(start + len(records), span.stop)):
                yield row, records[row - start]

    def waiting(self, row: int) -> bool:
        """Whether the page of `row` is not held; a row that its page lacks waits for nothing."""
        return self.page_of(row) not in self._pages

    def failure(self, row: int) -> str | None:
        """Why the page of `row` could not be read; None where nothing failed."""
        return self._failures.get(self.page_of(row))

    def index_of(self, record_id: str) -> int | None:
        """The row of the record with that id, among those held; where it stands twice, as read last."""
        found, at = None, -1
        for number, held in self._pages.items():
            if held.at > at and record_id in held.ids:
                found, at = (number - 1) * self.page_size + held.ids.index(record_id), held.at
        return found

    def fresh(self, row: int) -> bool:
        """Whether the page of `row` has been read since the last `invalidate`."""
        held = self._pages.get(self.page_of(row))
        return held is not None and not held.stale

    # What to read next

    def viewport(self, first: int, until: int, direction: int | None = 1) -> None:
        """Somebody looks at the rows from `first` up to `until`, having come down (1), up (-1), or neither way."""
        self._view = range(max(0, first), max(0, until))
        if direction is not None:
            self._direction = direction

    def awaited(self, number: int) -> bool:
        """Whether somebody waits for page `number`: its rows are in view, or it is wanted by hand otherwise."""
        if number in self._quiet:
            return False
        return not self._sized or self.seeking or number in self._pages_in_view()

    def wanted(self) -> int | None:
        """The number of the page to read next; None while there is none, or it is under way.

        What is in view goes first, then the search for the end, then what was asked for besides, last one page ahead in
        the direction of travel.
        """
        if not self._sized:
            return 1 if self._free(1) else None
        in_view = self._pages_in_view()
        for number in in_view:
            if self._lacks(number) and self._free(number) and number not in self._quiet:
                return number
        if self.seeking:
            probe = self._extent.probe()
            return probe if probe is not None and self._free(probe) else None
        while self._asked:
            number = self._asked[0]
            if self._may_exist(number) and self._lacks(number) and number not in self._failures:
                return number if self._free(number) else self._next_asked()
            self._asked.popleft()
        for number in self._quiet:
            if self._may_exist(number) and self._lacks(number) and self._free(number):
                return number
        if not in_view:
            return None
        ahead = in_view[-1] + 1 if self._direction >= 0 else in_view[0] - 1
        return ahead if self._may_exist(ahead) and self._lacks(ahead) and self._free(ahead) else None

    def seek_end(self) -> None:
        """Look for the end: `wanted` gives O(log n) pages to read until `end_known`."""
        self._extent.seek()

    def stop_seeking(self) -> None:
        """Look for the end no longer; what was learned on the way stays known."""
        self._extent.seeking = False

    def ask_for(self, numbers: Iterable[int]) -> None:
        """Have these pages read as well, after what is in view; those asked for before and not read are let go of."""
        self._asked = deque(numbers)

    @property
    def asked(self) -> int:
        """How many of the pages asked for are still to be read."""
        return sum(self._may_exist(number) and self._lacks(number) for number in self._asked)

    def renewing(self, numbers: Iterable[int]) -> bool:
        """Whether some of these pages are still to be read again, after `renew`."""
        return any(number in self._quiet and self._may_exist(number) for number in numbers)

    def missing(self) -> list[int]:
        """The pages that are not held, as many as there is room for; [] where the end is not known."""
        if self.total is None:
            return []
        room = max(0, self._room - len(self._pages))
        last = -(-self.total // self.page_size)
        found = (number for number in range(1, last + 1) if number not in self._pages)
        return list(islice(found, room))

    # What came of it

    def started(self, number: int) -> None:
        """Page `number` has been asked for."""
        self._requests += 1
        self._under_way[number] = self._requests

    def failed(self, number: int, reason: str) -> None:
        """Page `number` could not be read; it is not wanted again before `retry`, unless that was while it was read."""
        self._ended(number)
        self._quiet.pop(number, None)
        if number in self._outdated:
            self._outdated.discard(number)
            return
        self._failures[number] = reason
        self.stop_seeking()
        self._asked.clear()

    def retry(self, *, awaited: bool = True) -> None:
        """Have what failed read again; without anybody waiting for it, what is in view, which says why until then."""
        if awaited:
            self._failures.clear()
            # A quiet try that is under way may have set out too early: somebody wants to see another one.
            self._outdated.update(self._quiet.keys() & self._under_way.keys())
            return
        in_view = self._pages_in_view() if self._sized else [1]
        self._failures = {number: reason for number, reason in self._failures.items() if number in in_view}
        self._quiet.update(dict.fromkeys(self._failures))

    def renew(self, numbers: Iterable[int]) -> None:
        """Have these pages, of those held, read again without anybody waiting: they are shown until then."""
        for number in numbers:
            if (held := self._pages.get(number)) is not None and number not in self._quiet:
                if not held.stale:
                    self._signs[number] = held.sign
                held.stale = True
                self._quiet[number] = None
                self._failures.pop(number, None)
                if number in self._under_way:
                    self._outdated.add(number)

    def invalidate(self) -> None:
        """Have everything read again as it comes into view; what is held stays to be seen until then."""
        self._failures.clear()
        self._quiet.clear()
        self._signs.clear()
        self._outdated.update(self._under_way)
        for held in self._pages.values():
            held.stale = True
        self.shifted = False
        self._extent.outdate()
        if not self._pages:
            # Nothing was there: whether something is there now is for page 1 to say.
            self._begin(self.limit, sized=False)

    def current(self, page: Page) -> Page:
        """A page that is about to be added, with the records that were read by themselves since it was asked for."""
        sent = self._under_way.get(page.number, self._requests + 1)
        newer = {record_id: record for record_id, (at, record) in self._since.items() if sent <= at}
        if not newer:
            return page
        records = (record if record.id is None else newer.get(record.id, record) for record in page.records)
        return replace(page, records=tuple(records))

    def add(self, page: Page) -> range:
        """Take in a page; gives the rows that changed. The number of rows may have changed as well: see `count`."""
        number = page.number
        sent = self._ended(number)
        self._failures.pop(number, None)
        outdated = number in self._outdated
        self._outdated.discard(number)
        if not outdated:
            self._quiet.pop(number, None)
        offered = self.count
        resized = self._learn_size(page)
        held = self._held(page)
        held.stale = outdated
        before = len(self._pages[number].records) if number in self._pages else 0
        start = (number - 1) * self.page_size
        self._note_shift(number, held)
        self._note_total(page.total, sent)
        twin = self._twin(number, held)
        if not held.records:
            self._extent.empty(number, told=page.total is not None)
            self._forget_from(number)
        elif twin is not None:
            lower = min(number, twin)
            kept = held if number == lower else self._pages.get(lower)
            self._extent.repeated(lower, held.sign, len(held.records))
            self._forget_from(lower)
            if kept is not None:
                self._keep(lower, kept)
        else:
            self._note_records(page, held)
            self._keep(number, held)
        self._extent.settle()
        return range(max(offered, self.count)) if resized else range(start, start + max(before, len(held.records)))

    def replace(self, record: Record) -> int | None:
        """Put a newer reading of a record in its row; gives the row, None where the record is not held.

        Pages under way may have been read before it: see `current`.
        """
        if record.id is not None and self._under_way:
            self._since[record.id] = self._requests, record
        row = None if record.id is None else self.index_of(record.id)
        if row is not None:
            number, place = divmod(row, self.page_size)
            held = self._pages[number + 1]
            held.records = (*held.records[:place], record, *held.records[place + 1 :])
        return row

    # How it is worked out

    def _ended(self, number: int) -> int:
        """Page `number` is under way no more; gives which request it was."""
        sent = self._under_way.pop(number, self._requests + 1)
        oldest = min(self._under_way.values(), default=self._requests + 1)
        self._since = {record_id: (at, record) for record_id, (at, record) in self._since.items() if oldest <= at}
        return sent

    @property
    def _room(self) -> int:
        """How many pages are held at most: those in view, and the ones around them, always have a place."""
        return max(_FEWEST_PAGES, self._most // self.page_size)

    def _begin(self, page_size: int, *, sized: bool) -> None:
        """Nothing is known yet but how many records a page holds."""
        self._sized = sized
        self._extent = Extent(page_size)
        self._pages.clear()
        self._signs.clear()
        self._quiet.clear()

    def _learn_size(self, page: Page) -> bool:
        """Learn how many records a page holds; gives whether that is news, and what was held is gone.

        A service that gives now more, now fewer is taken to give the most that came.
        """
        came = len(page.records)
        if page.number == 1 and (came or not self._sized):
            size = page.limit if 0 < page.limit < self.limit else self.limit
            more = page.total is None or page.total != came
            if 0 < came < size and more and not page.last:
                # Fewer than asked for, and nothing says that this is all: the service caps `limit`.
                size = came
            if self._grown:
                size = max(size, self.page_size)
        else:
            size = self.page_size
            self._grown = self._grown or (self._sized and came > size)
        size = max(size, came)
        if size == self.page_size and (self._sized or page.number > 1):
            return False
        seeking = self.seeking
        self._begin(size, sized=self._sized or page.number == 1)
        self._extent.seeking = seeking
        return True

    def _held(self, page: Page) -> _Held:
        records = page.records[: self.page_size]
        ids = tuple(record.id for record in records)
        sign = hash(tuple(i if i is not None else dumps(r.fields) for i, r in zip(ids, records, strict=True)))
        self._answers += 1
        return _Held(records, ids, sign, self._answers)

    def _keep(self, number: int, held: _Held) -> None:
        self._pages[number] = held
        self._pages.move_to_end(number)
        while len(self._pages) > self._room:
            left, page = self._pages.popitem(last=False)
            self._quiet.pop(left, None)
            if not page.stale:
                self._signs[left] = page.sign
        while len(self._signs) > _MOST_SIGNS:
            self._signs.popitem(last=False)

    def _note_shift(self, number: int, held: _Held) -> None:
        """Notice by id that rows moved: a page holds others than it did, or what another page holds as well."""
        if held.stale:
            return
        if self._signs.pop(number, held.sign) != held.sign:
            self.shifted = True
        ids = {record_id for record_id in held.ids if record_id is not None}
        for other, beside in self._pages.items():
            if other != number and not beside.stale and beside.sign != held.sign and not ids.isdisjoint(beside.ids):
                self.shifted = True

    def _note_total(self, told: int | None, sent: int) -> None:
        if told is None or sent < self._told_at:
            # Nothing said; or an answer that was overtaken on its way, and tells an older total.
            return
        self._told_at = sent
        if self._extent.tell(told) and any(not held.stale for held in self._pages.values()):
            self.shifted = True
        if self.total is not None:
            last = -(-self.total // self.page_size)
            for number in [number for number in self._pages if number > last]:
                del self._pages[number]
            if self._end_of(last if last in self._pages else 0) > self.total:
                # There are fewer now: what stood past the end has moved, and the page is to be read again.
                held, room = self._pages[last], self.total - (last - 1) * self.page_size
                self._pages[last] = _Held(held.records[:room], held.ids[:room], held.sign, held.at, stale=True)

    def _twin(self, number: int, held: _Held) -> int | None:
        """Another page that holds the same records: the service repeats its last page, or knows only one."""
        extent = self._extent
        if not held.records or held.stale or (None in held.ids and extent.total is not None):
            return None
        if extent.tail is not None and extent.tail[0] == held.sign and extent.past not in (None, number):
            return extent.past
        for other, beside in self._pages.items():
            if other != number and beside.sign == held.sign and not beside.stale and beside.ids == held.ids:
                return other
        return None

    def _note_records(self, page: Page, held: _Held) -> None:
        extent, number = self._extent, page.number
        if extent.tail is None or number != extent.past or held.sign != extent.tail[0]:
            extent.holds(number, len(held.records), last=page.last, follows_read=number - 1 in self._pages)

    def _forget_from(self, number: int) -> None:
        """Page `number` and those after it hold nothing."""
        for later in [held for held in self._pages if held >= number]:
            del self._pages[later]
        # Pages between the highest one held and this one may have left the cache; they are found again.
        fresh = [other for other, held in self._pages.items() if not held.stale]
        self._extent.cut(number, self._end_of(max(self._pages, default=0)), self._end_of(max(fresh, default=0)))

    def _end_of(self, number: int) -> int:
        """The row after the last one of a page that is held; 0 for none."""
        return (number - 1) * self.page_size + len(self._pages[number].records) if number else 0

    def _pages_in_view(self) -> list[int]:
        if not self._view:
            return []
        numbers = range(self.page_of(self._view.start), self.page_of(self._view.stop - 1) + 1)
        return [number for number in numbers if self._may_exist(number)]

    def _may_exist(self, number: int) -> bool:
        return number >= 1 and (number - 1) * self.page_size < self.count

    def _next_asked(self) -> int | None:
        """The first page asked for after one that is under way."""
        return next(
            (n for n in self._asked if self._may_exist(n) and self._lacks(n) and self._free(n)),
            None,
        )

    def _lacks(self, number: int) -> bool:
        held = self._pages.get(number)
        return held is None or held.stale

    def _free(self, number: int) -> bool:
        return number not in self._under_way and (number in self._quiet or number not in self._failures)
