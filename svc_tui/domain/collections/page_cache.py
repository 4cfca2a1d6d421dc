"""The pages of a collection that are held, the least used leaving first, and what those that left held."""

from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass

from svc_tui.domain.model.jsontext import dumps
from svc_tui.domain.model.records import Page, Record

MAX_RECORDS = 20_000
"""Records held of one collection: what a person looks through, and some 20 MB."""

_MIN_PAGES = 3
_MAX_FINGERPRINTS = 10_000
"""Pages of which it is remembered what they held, after they left the cache."""


@dataclass(slots=True)
class HeldPage:
    """A page in the cache, read as number `sequence`; `stale` ones are shown, and read again once they are in view."""

    records: tuple[Record, ...]
    ids: tuple[str | None, ...]
    fingerprint: int
    sequence: int
    stale: bool = False


class PageCache:
    """Pages by number, from 1. About `max_records` are held; those in view, and the ones around them, always fit."""

    def __init__(self, page_size: int, max_records: int = MAX_RECORDS) -> None:
        self.page_size = page_size
        self._max_records = max_records
        self._pages: OrderedDict[int, HeldPage] = OrderedDict()
        self._fingerprints: OrderedDict[int, int] = OrderedDict()
        """What pages that left the cache held."""
        self._read = 0

    def __len__(self) -> int:
        return len(self._pages)

    def __contains__(self, number: int) -> bool:
        return number in self._pages

    @property
    def free(self) -> int:
        """How many more pages there is room for."""
        return max(0, self._capacity - len(self._pages))

    @property
    def record_count(self) -> int:
        """The number of records held."""
        return sum(len(page.records) for page in self._pages.values())

    @property
    def any_fresh(self) -> bool:
        """Whether a page is held that is not stale."""
        return any(not page.stale for page in self._pages.values())

    # Reading

    def get(self, number: int) -> HeldPage | None:
        """The page, if it is held; it does not count as used by this."""
        return self._pages.get(number)

    def lacks(self, number: int) -> bool:
        """Whether the page is not held, or stale."""
        page = self._pages.get(number)
        return page is None or page.stale

    def record(self, row: int) -> Record | None:
        """The record in `row`, if it is held; its page counts as used."""
        number, place = divmod(row, self.page_size)
        page = self._pages.get(number + 1)
        if page is None or place >= len(page.records):
            return None
        self._pages.move_to_end(number + 1)
        return page.records[place]

    def records(self) -> Iterator[Record]:
        """The records held, in no order."""
        for page in self._pages.values():
            yield from page.records

    def pages(self) -> Iterator[tuple[int, tuple[Record, ...]]]:
        """The pages held, in the order of reading: number, and records: the same tuple until one of them changes."""
        for number, page in sorted(self._pages.items(), key=lambda item: item[1].sequence):
            yield number, page.records

    def span(self, rows: range) -> Iterator[tuple[int, Record]]:
        """The rows that are held, and their records, in order; no page counts as used by it."""
        for number in sorted(self._pages):
            start, records = (number - 1) * self.page_size, self._pages[number].records
            for row in range(max(start, rows.start), min(start + len(records), rows.stop)):
                yield row, records[row - start]

    def row_of(self, record_id: str) -> int | None:
        """The row of the record with that id; where it stands twice, as read last."""
        row, latest = None, -1
        for number, page in self._pages.items():
            if page.sequence > latest and record_id in page.ids:
                row, latest = (number - 1) * self.page_size + page.ids.index(record_id), page.sequence
        return row

    def end(self, *, fresh: bool = False) -> int:
        """The row after the last one held, or held and not stale; 0 for none."""
        return self.end_of(
            max((number for number, page in self._pages.items() if not (fresh and page.stale)), default=0)
        )

    def end_of(self, number: int) -> int:
        """The row after the last one of a page that is held; 0 for none."""
        return (number - 1) * self.page_size + len(self._pages[number].records) if number else 0

    # Comparing

    def repeats(self, number: int, page: HeldPage) -> int | None:
        """Another page, not stale, that holds the same records as `page`, which is to be number `number`."""
        return next(
            (
                other
                for other, beside in self._pages.items()
                if other != number
                and not beside.stale
                and beside.fingerprint == page.fingerprint
                and beside.ids == page.ids
            ),
            None,
        )

    def moved(self, number: int, page: HeldPage) -> bool:
        """Whether rows moved, by id: page `number` holds others than it did, or what another page holds as well."""
        changed = self._fingerprints.pop(number, page.fingerprint) != page.fingerprint
        ids = {record_id for record_id in page.ids if record_id is not None}
        return changed or any(
            other != number
            and not beside.stale
            and beside.fingerprint != page.fingerprint
            and not ids.isdisjoint(beside.ids)
            for other, beside in self._pages.items()
        )

    # Changing

    def clear(self, page_size: int) -> None:
        """Let go of everything: pages hold `page_size` records from now on."""
        self.page_size = page_size
        self._pages.clear()
        self._fingerprints.clear()

    def prepare(self, page: Page) -> HeldPage:
        """Make of a page that came what can be kept; what is past the size of a page is left out."""
        records = page.records[: self.page_size]
        ids = tuple(record.id for record in records)
        identities = tuple(i if i is not None else dumps(r.fields) for i, r in zip(ids, records, strict=True))
        self._read += 1
        return HeldPage(records, ids, hash(identities), self._read)

    def keep(self, number: int, page: HeldPage) -> list[int]:
        """Hold the page; gives the numbers of the pages that were dropped for it."""
        self._pages[number] = page
        self._pages.move_to_end(number)
        evicted = []
        while len(self._pages) > self._capacity:
            left, old = self._pages.popitem(last=False)
            evicted.append(left)
            if not old.stale:
                self._fingerprints[left] = old.fingerprint
        while len(self._fingerprints) > _MAX_FINGERPRINTS:
            self._fingerprints.popitem(last=False)
        return evicted

    def replace(self, row: int, record: Record) -> None:
        """Put a newer reading in the place of the record held in `row`."""
        number, place = divmod(row, self.page_size)
        page = self._pages[number + 1]
        page.records = (*page.records[:place], record, *page.records[place + 1 :])

    def drop_from(self, number: int) -> None:
        """Let go of page `number` and those after it."""
        for later in [held for held in self._pages if held >= number]:
            del self._pages[later]

    def cut(self, total: int) -> None:
        """Let go of what is past row `total`; a page that loses records by it is stale."""
        last = -(-total // self.page_size)
        self.drop_from(last + 1)
        page = self._pages.get(last)
        if page is not None and self.end_of(last) > total:
            # There are fewer now: what stood past the end has moved, and the page is to be read again.
            room = total - (last - 1) * self.page_size
            self._pages[last] = HeldPage(
                page.records[:room], page.ids[:room], page.fingerprint, page.sequence, stale=True
            )

    def outdate(self, number: int) -> bool:
        """Make a page stale, what it held remembered; False where it is not held."""
        page = self._pages.get(number)
        if page is None:
            return False
        if not page.stale:
            self._fingerprints[number] = page.fingerprint
        page.stale = True
        return True

    def outdate_all(self) -> None:
        """Make every page stale; what they held is not compared with what comes."""
        self._fingerprints.clear()
        for page in self._pages.values():
            page.stale = True

    @property
    def _capacity(self) -> int:
        """How many pages are held at most."""
        return max(_MIN_PAGES, self._max_records // self.page_size)
