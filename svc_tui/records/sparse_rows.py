"""A collection of any size as numbered rows, of which only the pages that are looked at are held.

Where the number of records is known, all rows exist at once; where not, they grow as they are read.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice

from svc_tui.core.field_path import paths
from svc_tui.core.jsontext import Absent, Json
from svc_tui.core.records import Page, Record
from svc_tui.core.values import replace
from svc_tui.records.extent import Extent
from svc_tui.records.page_cache import HeldPage, PageCache
from svc_tui.records.read_queue import ReadQueue
from svc_tui.records.rows import MAX_RECORDS
from svc_tui.storage.record_store import QueryView, RecordStore, values_of
from svc_tui.storage.record_tables import record_of

_SAMPLE_RECORDS = 20
"""Records of each page that are looked at for the names of their fields."""


class FieldNames(dict[str, str]):
    """The paths of the fields that were seen, by their folded form."""

    def learn(self, records: Iterable[Record]) -> None:
        """Take in the fields of these records."""
        for path in chain.from_iterable(paths(record.fields) for record in records):
            self.setdefault(path.casefold(), path)


class SparseRows:
    """Rows counted from 0, filled page by page; `queue` says which page to read next.

    `limit` is what a request for one page asks for. The service may give fewer: `page_size` is what it really gives,
    learned from page 1, which is therefore read alone. A request for the rest asks for a block of pages, up to
    `bulk_limit` records. About `max_records` are held.
    """

    def __init__(
        self, store: RecordStore, key: str, limit: int, max_records: int = MAX_RECORDS, bulk_limit: int = 0
    ) -> None:
        """Make it; nothing is read yet. The records are put into `store`, as those of the collection `key`."""
        self.store, self.limit, self.bulk_limit = store, limit, bulk_limit
        self.query = store.open_query(key)
        self.shifted = False
        """Whether rows moved while reading: one came twice, a page now holds others, or the total changed."""
        self._extent = Extent(limit, bulk_limit)
        self._pages = PageCache(store, self.query, limit, max_records)
        self.queue = ReadQueue(self._pages, self._extent)
        self._total_request = 0
        """The request whose answer gave the total."""
        self.field_names = FieldNames()

    # What is known

    @property
    def page_size(self) -> int:
        """How many records a page holds."""
        return self._extent.page_size

    @property
    def block_pages(self) -> int:
        """How many pages a request for the rest asks for."""
        return self._extent.block_pages

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
        return self._extent.count

    @property
    def loaded(self) -> bool:
        """Whether anything has come yet."""
        return self._extent.sized

    @property
    def cached(self) -> int:
        """The number of records held."""
        return self._pages.record_count

    @property
    def cached_once(self) -> int:
        """The number of records held, those that came twice counted once."""
        return self.store.count(self.query)

    def records(self) -> Iterator[Record]:
        """The records held, in no order."""
        return self._pages.records()

    def identities(self) -> Iterator[object]:
        """What tells the records held from each other, and is the same for one that other rows hold as well."""
        return self._pages.identities()

    def records_once(self) -> list[Record]:
        """The records held in the order of their rows, each once, as it was read last."""
        outdated = self.outdated_rows()
        return [record for row, record in self.held(range(self._pages.end())) if row not in outdated]

    @property
    def pages(self) -> Sequence[int]:
        """The numbers of the pages held, in order."""
        return self._pages.numbers

    def peek(self, row: int) -> Record | None:
        """The record in `row`, if it is held; its page does not count as used by it."""
        return self._pages.peek(row)

    def page_records(self, number: int) -> Sequence[Record]:
        """The records of a page, none where it is not held."""
        return self._pages.page_records(number)

    def outdated_rows(self) -> frozenset[int]:
        """The rows whose record stands in another row as well, where it was read later."""
        return self._pages.outdated_rows()

    def page_of(self, row: int) -> int:
        """The number, from 1, of the page that holds `row`."""
        return self._extent.page_of(row)

    def get(self, row: int) -> Record | None:
        """The record in `row`, if it is held."""
        return self._pages.record(row)

    def held(self, span: range) -> Iterator[tuple[int, Record]]:
        """The rows of `span` that are held, and their records, in order; no page counts as used by it."""
        return self._pages.span(span)

    def waiting(self, row: int) -> bool:
        """Whether the page of `row` is not held; a row that its page lacks waits for nothing."""
        return self.page_of(row) not in self._pages

    def failure(self, row: int) -> str | None:
        """Why the page of `row` could not be read; None where nothing failed."""
        return self.queue.failure(self.page_of(row))

    def index_of(self, record_id: str) -> int | None:
        """The row of the record with that id, among those held; where it stands twice, as read last."""
        return self._pages.row_of(record_id)

    def fresh(self, row: int) -> bool:
        """Whether the page of `row` has been read since the last `invalidate`."""
        return not self._pages.lacks(self.page_of(row))

    def missing(self) -> list[int]:
        """The pages that are not held, as many as there is room for; [] where the end is not known."""
        if self.total is None:
            return []
        last = -(-self.total // self.page_size)
        missing = (number for number in range(1, last + 1) if number not in self._pages)
        return list(islice(missing, self._pages.free))

    @property
    def missing_requests(self) -> int:
        """The number of requests for the missing pages."""
        return len({self._extent.block_of(number) for number in self.missing()})

    def values(self, path: str) -> list[Json]:
        """The values at a path of the records held, each as often as it comes; missing ones are left out."""
        *_, counts = chain([Counter[str]()], self.store.counts(self.query, path))
        values = ([value] * times for value, times in values_of(counts) if not isinstance(value, Absent))
        return list(chain.from_iterable(values))

    def view_rows(self, view: QueryView, first: int, count: int) -> Iterator[tuple[int, Record]]:
        """The rows of a view from `first` on: of each its row here, and its record."""
        for position, body in self.store.view_rows(view, first, count):
            yield position, self._pages.own_record(position) or record_of(body)

    # What came

    def invalidate(self) -> None:
        """Have everything read again as it comes into view; what is held stays to be seen until then."""
        self.queue.invalidate()
        self._pages.outdate_all()
        self.shifted = False
        self._extent.outdate()
        if not len(self._pages):
            # Nothing was there: whether something is there now is for page 1 to say.
            self._extent.begin()
            self._start_over()

    def add(self, page: Page) -> range:
        """Take in a page; gives the rows that changed. The number of rows may have changed as well: see `count`."""
        number = page.number
        self.field_names.learn(page.records[:_SAMPLE_RECORDS])
        request, outdated = self.queue.arrived(number)
        offered = self.count
        resized = self._extent.learn_page_size(page)
        if resized:
            self._start_over()
        new = self._pages.prepare(page)
        new.stale = outdated
        before = self._pages.length(number)
        start = (number - 1) * self.page_size
        if not new.stale and self._pages.moved(number, new):
            self.shifted = True
        self._note_total(page.total, request)
        twin = self._twin(number, new)
        if not new.records:
            self._extent.empty(number, reported=page.total is not None)
            self._forget_from(number)
        elif twin is not None:
            lower = min(number, twin)
            kept = new if number == lower else self._pages.taken(lower)
            self._extent.repeated(lower, new.fingerprint, len(new.records))
            self._forget_from(lower)
            if kept is not None:
                self._keep(lower, kept)
        else:
            follows_read = number - 1 in self._pages
            self._extent.holds(number, new.fingerprint, len(new.records), last=page.last, follows_read=follows_read)
            self._keep(number, new)
        self._extent.settle()
        return range(max(offered, self.count)) if resized else range(start, start + max(before, len(new.records)))

    def add_block(self, block: Page, numbers: Sequence[int]) -> Iterator[tuple[Page, range]]:
        """Take in the pages `numbers` of an answer that holds a block; gives each, and the rows that changed.

        If the service gave fewer records than a block holds, none is taken in: see `refuse_block`.
        """
        if self._is_whole(block):
            for page in split_page(block, self.page_size):
                if page.number in numbers:
                    page = self.queue.with_newer_records(page)
                    yield page, self.add(page)
            self.queue.release(numbers)
        else:
            self.refuse_block(numbers)

    def refuse_block(self, numbers: Sequence[int]) -> None:
        """Request one page at a time from now on, the pages `numbers` too: the service does not give blocks."""
        self._extent.refuse_blocks()
        self.queue.release(numbers)

    def fill(self, page: Page) -> bool:
        """Take in a page that was not read just now, unless it is held or under way; gives whether it was taken in.

        Where the service has told how many records there are, a page that says otherwise is not taken in.
        """
        if page.number in self._pages or self.queue.under_way(page.number):
            return False
        if self.total is not None:
            there = self.total - (page.number - 1) * self.page_size
            if len(page.records) != min(self.page_size, max(0, there)):
                return False
            page = replace(page, last=None)
        self.add(page)
        return True

    def replace(self, record: Record) -> int | None:
        """Put a newer reading of a record in its row; gives the row, None where the record is not held."""
        self.queue.note_record(record)
        self.field_names.learn([record])
        row = None if record.id is None else self.index_of(record.id)
        if row is not None:
            self._pages.replace(row, record)
        return row

    # How it is worked out

    def _is_whole(self, block: Page) -> bool:
        """Whether the service gave as many records as a block holds."""
        limit = self.block_pages * self.page_size
        if not block.records or block.limit != limit:
            return False
        if len(block.records) == limit:
            return True
        total = self.total if block.total is None else block.total
        if total is None or len(block.records) != total - (block.number - 1) * limit:
            return False
        # As many as the last block holds can also be a smaller page with rows before it, which were read before.
        row = None if block.records[0].id is None else self.index_of(block.records[0].id)
        return row is None or not self.fresh(row)

    def _start_over(self) -> None:
        """Hold nothing: pages may be of another size now."""
        self._pages.clear(self.page_size)
        self.queue.begin()

    def _keep(self, number: int, page: HeldPage) -> None:
        self.queue.forget(self._pages.keep(number, page))

    def _note_total(self, total: int | None, request: int) -> None:
        if total is None or request < self._total_request:
            # Nothing said; or an answer that was overtaken on its way, and tells an older total.
            return
        self._total_request = request
        if self._extent.update_total(total) and self._pages.any_fresh:
            self.shifted = True
        if self.total is not None:
            self._pages.cut(self.total)

    def _twin(self, number: int, page: HeldPage) -> int | None:
        """Another page that holds the same records: the service repeats its last page, or knows only one."""
        if not page.records or page.stale or (self.total is not None and not page.all_have_ids):
            return None
        past = self._extent.twin(number, page.fingerprint)
        return self._pages.repeats(number, page) if past is None else past

    def _forget_from(self, number: int) -> None:
        """Page `number` and those after it hold nothing."""
        self._pages.drop_from(number)
        # Pages between the highest one held and this one may have left the cache; they are found again.
        self._extent.cut(number, self._pages.end(), self._pages.end(fresh=True))


def split_page(page: Page, size: int) -> list[Page]:
    """Return the records of `page`, whose limit is a multiple of `size`, as pages of `size` records."""
    first = (page.number - 1) * page.limit // size + 1
    starts = range(0, len(page.records), size)
    return [
        replace(
            page,
            records=page.records[start : start + size],
            number=number,
            limit=size,
            last=page.last and start == starts[-1],
            # It counts pages of the larger size.
            pages=None,
        )
        for number, start in enumerate(starts, first)
    ]
