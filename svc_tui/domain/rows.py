"""A collection of any size as numbered rows, of which only the pages somebody looks at are held.

The document leaves `meta` open, so the number of records may be told, told wrongly, or not told. Where it is told,
all rows exist at once; where not, they grow as they are read, and the end can be found by doubling and halving.
"""

from collections import OrderedDict, deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Protocol

from svc_tui.domain.jsontext import dumps
from svc_tui.domain.records import Page, Record


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
    """A page in the cache; `stale` ones are shown, and read again once they are in view."""

    records: tuple[Record, ...]
    ids: tuple[str | None, ...]
    sign: int
    stale: bool = False


MOST_HELD = 20_000
"""Records held of one collection: what a person looks through, and some 20 MB."""

_FEWEST_PAGES = 3


class SparseRows:
    """Rows counted from 0, filled page by page.

    `limit` is what every request asks for. The service may give fewer: `page_size` is what it really gives, learned
    from page 1, which is therefore asked for alone. About `most` records are held, the pages least used leave first.
    """

    def __init__(self, limit: int, most: int = MOST_HELD) -> None:
        self.limit = limit
        self.page_size = limit
        self.shifted = False
        """Whether a row came twice, or the total changed while reading: others write, rows may be missing."""
        self._most = most
        self._pages: OrderedDict[int, _Held] = OrderedDict()
        self._under_way: set[int] = set()
        self._outdated: set[int] = set()
        self._failures: dict[int, str] = {}
        self._sized = False
        self._said: int | None = None
        """What `meta` says the total is, as long as it is believed."""
        self._distrusted = False
        self._known = 0
        """Rows that are certain to exist: the end of the highest page with records in it."""
        self._past: int | None = None
        """The lowest page known to hold nothing new: it is empty, or repeats the last one (then `_tail` is set)."""
        self._tail: tuple[int, int] | None = None
        """The sign of the page that the service repeats past the end, and how many records it holds."""
        self._short = 0
        """The highest page that came with fewer records than a page holds: perhaps the last."""
        self._claimed = 0
        """The highest page that the service calls its last; believed once the page before it differs."""
        self._found: int | None = None
        """The total as found by reading."""
        self._seeking = False
        self._asked: deque[int] = deque()
        """Pages that somebody wants read, in view or not."""
        self._view = range(0)
        self._direction = 1

    # What is known

    @property
    def total(self) -> int | None:
        """The number of records in the collection; None while that is not known."""
        return self._found if self._found is not None else self._said

    @property
    def end_known(self) -> bool:
        """Whether `total` is known."""
        return self.total is not None

    @property
    def known(self) -> int:
        """The number of rows that are certain to exist."""
        return self._known if self.total is None else self.total

    @property
    def count(self) -> int:
        """The number of rows to offer: all of them, or the known ones and a page that may follow; 0 before page 1."""
        if self.total is not None:
            return self.total
        if not self._sized:
            return 0
        more = self._known + self.page_size
        return more if self._past is None else max(self._known, min(more, (self._past - 1) * self.page_size))

    @property
    def loaded(self) -> bool:
        """Whether anything has come yet."""
        return self._sized

    @property
    def seeking(self) -> bool:
        """Whether the end is being looked for."""
        return self._seeking

    @property
    def cached(self) -> int:
        """The number of records held."""
        return sum(len(held.records) for held in self._pages.values())

    def records(self) -> Iterator[Record]:
        """The records held, in no order."""
        for held in self._pages.values():
            yield from held.records

    def pages(self) -> Iterator[tuple[int, tuple[Record, ...]]]:
        """The pages held: number and records, in no order; the same tuple as long as none of its records changed."""
        for number, held in self._pages.items():
            yield number, held.records

    def page_of(self, row: int) -> int:
        """The number, from 1, of the page that holds `row`."""
        return row // self.page_size + 1

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
        found = None
        for number, held in self._pages.items():
            if record_id in held.ids:
                found = (number - 1) * self.page_size + held.ids.index(record_id)
                if not held.stale:
                    break
        return found

    def fresh(self, row: int) -> bool:
        """Whether the page of `row` has been read since the last `invalidate`."""
        held = self._pages.get(self.page_of(row))
        return held is not None and not held.stale

    # What to read next

    def viewport(self, first: int, until: int, direction: int = 1) -> None:
        """Somebody looks at the rows from `first` up to `until`, having come downwards (1) or upwards (-1)."""
        self._view = range(max(0, first), max(0, until))
        self._direction = direction

    def in_view(self, number: int) -> bool:
        """Whether page `number` holds rows that somebody looks at, or is wanted by hand for another reason."""
        return not self._sized or self._seeking or number in self._pages_in_view()

    def wanted(self) -> int | None:
        """The number of the page to read next; None while there is none, or it is under way.

        What is in view goes first, then the search for the end, then one page ahead in the direction of travel.
        """
        if not self._sized:
            return 1 if self._free(1) else None
        in_view = self._pages_in_view()
        for number in in_view:
            if self._lacks(number) and self._free(number):
                return number
        if self._seeking:
            probe = self._probe()
            return probe if probe is not None and self._free(probe) else None
        while self._asked:
            number = self._asked[0]
            if self._may_exist(number) and self._lacks(number) and number not in self._failures:
                return number if self._free(number) else self._next_asked()
            self._asked.popleft()
        if not in_view:
            return None
        ahead = in_view[-1] + 1 if self._direction >= 0 else in_view[0] - 1
        return ahead if self._may_exist(ahead) and self._lacks(ahead) and self._free(ahead) else None

    def seek_end(self) -> None:
        """Look for the end: `wanted` gives O(log n) pages to read until `end_known`."""
        self._seeking = self.total is None
        self._settle()

    def ask_for(self, numbers: Iterable[int]) -> None:
        """Have these pages read as well, after what is in view; those asked for before and not read are let go of."""
        self._asked = deque(numbers)

    @property
    def asked(self) -> int:
        """How many of the pages asked for are still to be read."""
        return sum(self._may_exist(number) and self._lacks(number) for number in self._asked)

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
        self._under_way.add(number)

    def failed(self, number: int, reason: str) -> None:
        """Page `number` could not be read; it is not wanted again before `retry`."""
        self._under_way.discard(number)
        self._outdated.discard(number)
        self._failures[number] = reason
        self._seeking = False
        self._asked.clear()

    def retry(self) -> None:
        """Forget what failed, so that it is wanted again."""
        self._failures.clear()

    def invalidate(self) -> None:
        """Have everything read again as it comes into view; what is held stays to be seen until then."""
        self._failures.clear()
        self._outdated |= self._under_way
        for held in self._pages.values():
            held.stale = True
        self.shifted = False
        self._past = self._tail = None
        self._short = self._claimed = 0
        if not self._pages:
            # Nothing was there: whether something is there now is for page 1 to say.
            self._sized = self._distrusted = False
            self._said = self._found = None

    def add(self, page: Page) -> range:
        """Take in a page; gives the rows that changed. The number of rows may have changed as well: see `count`."""
        number = page.number
        self._under_way.discard(number)
        self._failures.pop(number, None)
        if not self._sized and number == 1:
            self._learn_size(page)
        held = self._held(page)
        held.stale = number in self._outdated
        self._outdated.discard(number)
        before = len(self._pages[number].records) if number in self._pages else 0
        start = (number - 1) * self.page_size
        self._note_shift(number, held)
        self._note_total(page.total, start + len(held.records))
        twin = self._twin(number, held)
        if not held.records:
            self._ends_before(number)
        elif twin is not None:
            self._repeats(min(number, twin), held)
            if number < twin:
                self._keep(number, held)
        else:
            self._exists(page, held, start + len(held.records))
            self._keep(number, held)
        self._settle()
        return range(start, start + max(before, len(held.records)))

    def replace(self, record: Record) -> int | None:
        """Put a newer reading of a record in its row; gives the row, None where the record is not held.

        Pages under way may have been read before it: they are read once more.
        """
        self._outdated |= self._under_way
        row = None if record.id is None else self.index_of(record.id)
        if row is not None:
            number, place = divmod(row, self.page_size)
            held = self._pages[number + 1]
            held.records = (*held.records[:place], record, *held.records[place + 1 :])
        return row

    # How it is worked out

    @property
    def _room(self) -> int:
        """How many pages are held at most: those in view, and the ones around them, always have a place."""
        return max(_FEWEST_PAGES, self._most // self.page_size)

    def _learn_size(self, page: Page) -> None:
        self._sized = True
        size = page.limit if 0 < page.limit < self.limit else self.limit
        came = len(page.records)
        more = page.total is None or page.total != came
        if 0 < came < size and more and not page.last:
            # Fewer than asked for, and nothing says that this is all: the service caps `limit`.
            size = came
        self.page_size = max(size, came)

    def _held(self, page: Page) -> _Held:
        records = page.records[: self.page_size]
        ids = tuple(record.id for record in records)
        sign = hash(tuple(i if i is not None else dumps(r.fields) for i, r in zip(ids, records, strict=True)))
        return _Held(records, ids, sign)

    def _keep(self, number: int, held: _Held) -> None:
        self._pages[number] = held
        self._pages.move_to_end(number)
        while len(self._pages) > self._room:
            self._pages.popitem(last=False)

    def _note_shift(self, number: int, held: _Held) -> None:
        if held.stale:
            return
        ids = {record_id for record_id in held.ids if record_id is not None}
        for neighbour in (number - 1, number + 1):
            beside = self._pages.get(neighbour)
            if beside is not None and not beside.stale and beside.sign != held.sign and not ids.isdisjoint(beside.ids):
                self.shifted = True

    def _note_total(self, said: int | None, end: int) -> None:
        if said is None or said < 0 or self._distrusted:
            return
        if self._said is not None and said != self._said and any(not held.stale for held in self._pages.values()):
            self.shifted = True
        self._said = said
        self._found = None
        self._known = min(self._known, said)
        last = -(-said // self.page_size)
        for number in [number for number in self._pages if number > last]:
            del self._pages[number]

    def _twin(self, number: int, held: _Held) -> int | None:
        """Another page that holds the same records: the service repeats its last page, or knows only one."""
        if not held.records or held.stale or (None in held.ids and self._said is not None):
            return None
        if self._tail is not None and self._tail[0] == held.sign and self._past is not None and self._past != number:
            return self._past
        for other, beside in self._pages.items():
            if other != number and beside.sign == held.sign and not beside.stale and beside.ids == held.ids:
                return other
        return None

    def _ends_before(self, number: int) -> None:
        """Page `number` is empty."""
        start = (number - 1) * self.page_size
        if self._said is not None and self._said > start:
            self._distrust()
        if self._found is not None and self._found > start:
            self._found = None
        if self._past is None or number < self._past:
            self._past, self._tail = number, None
        self._forget_from(number)

    def _repeats(self, lower: int, held: _Held) -> None:
        """Page `lower` and a later one hold the same records: the end is in `lower`, or before it."""
        self._distrust()
        self._found = None
        self._tail = (held.sign, len(held.records))
        self._past = lower if self._past is None else min(self._past, lower)
        kept = self._pages.get(lower)
        self._forget_from(lower)
        if kept is not None:
            self._keep(lower, kept)

    def _exists(self, page: Page, held: _Held, end: int) -> None:
        """Page `page.number` holds records up to row `end`."""
        if self._tail is not None and page.number == self._past and held.sign == self._tail[0]:
            return
        if self._said is not None and end > self._said:
            self._distrust()
        if self._past is not None and page.number >= self._past:
            self._past = self._tail = None
        self._known = max(self._known, end)
        short = len(held.records) < self.page_size
        if self._said is not None:
            if short and end < self._said and (page.last or page.number == self.page_of(self._said - 1)):
                self._distrust()
                self._found = self._known = end
            return
        if short:
            self._short = max(self._short, page.number)
        if page.last:
            self._claimed = page.number
            if page.number == 1 or page.number - 1 in self._pages:
                self._found = self._known = end
        elif page.number + 1 == self._claimed:
            self._found = self._known
        elif self._found is not None and page.number >= self.page_of(max(0, self._found - 1)):
            # The page that was the last one, read again: still short, it still is.
            self._found = end if short else None

    def _distrust(self) -> None:
        self._said = None
        self._distrusted = True

    def _forget_from(self, number: int) -> None:
        for later in [held for held in self._pages if held >= number]:
            del self._pages[later]
        if self._known > (number - 1) * self.page_size:
            highest = max(self._pages, default=0)
            # Pages between the highest one held and this one may have left the cache; they are found again.
            self._known = (highest - 1) * self.page_size + len(self._pages[highest].records) if highest else 0

    def _settle(self) -> None:
        """Take the end as known where nothing is left between the last page with records and the first without."""
        if self._said is None and self._found is None and self._past is not None:
            highest = -(-self._known // self.page_size)
            if self._past - highest <= 1:
                self._found = self._known
                if self._tail is not None:
                    self._found = self._known = (self._past - 1) * self.page_size + self._tail[1]
        if self.total is not None:
            self._seeking = False

    def _probe(self) -> int | None:
        highest = -(-self._known // self.page_size)
        if self._past is not None:
            return (highest + self._past) // 2 if self._past - highest > 1 else None
        if highest == self._claimed:
            return highest - 1
        return highest + 1 if highest == self._short else max(2, highest * 2)

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
        return number not in self._under_way and number not in self._failures
