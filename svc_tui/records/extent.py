"""Where a collection ends: what `meta` says of it, what reading shows, and how to find out in few requests.

The document leaves `meta` open, so the number of records may be told, told wrongly, or not told. Where nothing can be
believed, the end is found by doubling and halving.
"""

from svc_tui.core.records import Page

_MAX_WRONG_TOTALS = 2
"""Totals that may turn out wrong before none is believed any more."""


class Extent:
    """What is known about the number of records; pages count from 1 and hold up to `page_size` records.

    That is learned from page 1: the service may give fewer than the `limit` that is asked for. `bulk_limit` is the most
    that one request asks for.
    """

    def __init__(self, limit: int, bulk_limit: int = 0) -> None:
        self._limit, self._bulk_limit = limit, bulk_limit
        self._grown = False
        """Whether a page after the first held more than the first one let expect."""
        self.begin()

    def begin(self) -> None:
        """Know nothing before page 1 comes, and look for no end."""
        self.seeking = False
        """Whether the end is being looked for."""
        self._begin(self._limit, sized=False)

    def _begin(self, page_size: int, *, sized: bool) -> None:
        """Begin again, with only the page size known."""
        self.page_size = page_size
        self.sized = sized
        """Whether page 1 has told how many records a page holds; before that there are no rows."""
        self._past: int | None = None
        """The lowest page known to hold nothing new: it is empty, or repeats the last one (then `_tail` is set)."""
        self._tail: tuple[int, int] | None = None
        """The sign of the page that the service repeats past the end, and how many records it holds."""
        self._reported: int | None = None
        """What `meta` says the total is, as long as it is believed."""
        self._refuted: set[int] = set()
        """Totals that pages without records spoke against."""
        self._distrusted = False
        self._known = 0
        """The end of the highest page with records in it, perhaps as it was before the last `outdate`."""
        self._certain = 0
        """The same, of the pages read since."""
        self._short = 0
        """The highest page that came with fewer records than a page holds: perhaps the last."""
        self._claimed = 0
        """The highest page that the service calls its last; believed once the page before it differs."""
        self._read_total: int | None = None
        """The total as found by reading."""

    @property
    def total(self) -> int | None:
        """The number of records; None while that is not known."""
        return self._read_total if self._read_total is not None else self._reported

    @property
    def known(self) -> int:
        """The number of rows that are certain to exist."""
        return self._known if self.total is None else self.total

    @property
    def count(self) -> int:
        """The number of rows to offer: all of them, or the known ones and a page that may follow; 0 before page 1."""
        if not self.sized:
            return 0
        if self.total is not None:
            return self.total
        more = self._known + self.page_size
        return more if self._past is None else max(self._known, min(more, self._start(self._past)))

    @property
    def block_pages(self) -> int:
        """The number of pages that one request can ask for; 1 if the service gives fewer records than asked for."""
        return max(1, self._bulk_limit // self.page_size) if self.page_size == self._limit else 1

    def block_of(self, number: int) -> int:
        """The number, from 1, of the block that holds page `number`."""
        return (number - 1) // self.block_pages + 1

    def refuse_blocks(self) -> None:
        """Ask for one page at a time from now on."""
        self._bulk_limit = 0

    def page_of(self, row: int) -> int:
        """The page that holds `row`."""
        return row // self.page_size + 1

    def twin(self, number: int, sign: int) -> int | None:
        """The page past the end that repeats the last one, where page `number` is another one of the same sign."""
        return self._past if self._tail is not None and self._tail[0] == sign and self._past != number else None

    # What comes tells

    def learn_page_size(self, page: Page) -> bool:
        """Learn how many records a page holds; gives whether that is news, and nothing else is known any more.

        A service that gives now more, now fewer is taken to give the most that came.
        """
        record_count = len(page.records)
        if page.number == 1 and (record_count or not self.sized):
            size = page.limit if 0 < page.limit < self._limit else self._limit
            more = page.total is None or page.total != record_count
            if 0 < record_count < size and more and not page.last:
                # Fewer than asked for, and nothing says that this is all: the service caps `limit`.
                size = record_count
            if self._grown:
                size = max(size, self.page_size)
        else:
            size = self.page_size
            self._grown = self._grown or (self.sized and record_count > size)
        size = max(size, record_count)
        if size == self.page_size and (self.sized or page.number > 1):
            return False
        self._begin(size, sized=self.sized or page.number == 1)
        return True

    def update_total(self, total: int | None) -> bool:
        """`meta` says that there are so many records; gives whether that contradicts what it said before."""
        if total is None or total < 0 or self._distrusted:
            return False
        if total in self._refuted:
            return False
        changed = self._reported not in (None, total)
        self._reported, self._read_total = total, None
        self._known, self._certain = min(self._known, total), min(self._certain, total)
        return changed

    def empty(self, number: int, *, reported: bool) -> None:
        """Page `number` holds nothing; `reported` is whether it said a total as well."""
        start = self._start(number)
        if self._reported is not None and self._reported > start:
            # Said with the same breath, it is a lie; said by an older answer, it may have been true then.
            self._refuted.add(self._reported)
            if reported or len(self._refuted) > _MAX_WRONG_TOTALS:
                self._distrust()
            self._reported = None
        if self._read_total is not None and self._read_total > start:
            self._read_total = None
        if self._past is None or number < self._past:
            self._past, self._tail = number, None

    def repeated(self, lower: int, sign: int, record_count: int) -> None:
        """Page `lower` and a later one hold the same `record_count` records: the end is in `lower`, or before it.

        `sign` tells them from others.
        """
        self._distrust()
        self._read_total = None
        self._tail = sign, record_count
        self._past = lower if self._past is None else min(self._past, lower)

    def holds(self, number: int, sign: int, record_count: int, *, last: bool | None, follows_read: bool) -> None:
        """Page `number` holds `record_count` records, more than none; `last` is whether the service calls it its last.

        `follows_read` is whether the page before it was read, and is another.
        """
        if self._tail is not None and number == self._past and sign == self._tail[0]:
            # It still repeats the last one.
            return
        end = self._start(number) + record_count
        if self._reported is not None and end > self._reported:
            self._distrust()
        if self._past is not None and number >= self._past:
            self._past = self._tail = None
        self._known, self._certain = max(self._known, end), max(self._certain, end)
        short = record_count < self.page_size
        if self._reported is not None:
            if short and end < self._reported and (last or number == self.page_of(self._reported - 1)):
                self._distrust()
                self._find(end)
            return
        if short:
            self._short = max(self._short, number)
        if last:
            self._claimed = number
        end_page = None if self._read_total is None else self.page_of(max(0, self._read_total - 1))
        if last and (number == 1 or follows_read):
            self._find(end)
        elif not last and number + 1 == self._claimed:
            self._find(self._known)
        elif end_page is not None and number >= end_page:
            # The page that was the last one, read again: still short, or still called the last, it still is.
            if number == end_page if last else short:
                self._find(end)
            else:
                self._read_total = None

    def cut(self, number: int, held: int, fresh: int) -> None:
        """No page from `number` on holds records; lower ones do up to row `held`, for certain up to `fresh`."""
        start = self._start(number)
        self._known = held if self._known > start else self._known
        self._certain = fresh if self._certain > start else self._certain

    def settle(self) -> None:
        """Take the end as known where nothing is left between the last page with records and the first without."""
        if self.total is None and self._past is not None and self._past - self._highest <= 1:
            self._find(self._certain if self._tail is None else self._start(self._past) + self._tail[1])
        if self.total is not None:
            self.seeking = False

    def outdate(self) -> None:
        """What was read may no longer be so; totals are believed until what comes says otherwise."""
        self._certain = 0
        self._past = self._tail = None
        self._short = self._claimed = 0
        self._refuted.clear()

    # Looking for the end

    def seek(self) -> None:
        """Look for the end, unless it is known: `probe` gives the pages to read."""
        self.seeking = self.total is None
        self.settle()

    def probe(self) -> int | None:
        """The page that halves what is not known about the end, or doubles what is; None where nothing is left."""
        highest = self._highest
        if self._past is not None:
            return (highest + self._past) // 2 if self._past - highest > 1 else None
        if highest and highest == self._claimed:
            return highest - 1
        if highest and highest == self._short:
            return highest + 1
        if self._certain < self._known:
            # Where it was before is the best guess.
            return self.page_of(self._known - 1)
        return max(2, highest * 2)

    @property
    def _highest(self) -> int:
        """The highest page that is certain to hold records; 0 for none."""
        return -(-self._certain // self.page_size)

    def _start(self, number: int) -> int:
        return (number - 1) * self.page_size

    def _find(self, total: int) -> None:
        self._read_total = self._known = self._certain = total

    def _distrust(self) -> None:
        self._reported = None
        self._distrusted = True
