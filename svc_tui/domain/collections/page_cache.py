"""The pages of a collection that are held, the least used leaving first, and what those that left held."""

from array import array
from collections import Counter, OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain

from svc_tui.domain.collections.page_records import PageRecords, RecentPages
from svc_tui.domain.model.jsontext import dumps
from svc_tui.domain.model.records import Page, Record

MAX_RECORDS = 20_000
"""Records held of one collection: what a person looks through."""

_MAX_UNPACKED_RECORDS = 1000
"""Records that are ready to be drawn: those in view, and where one was of late."""

_NO_ID = 0
"""Stands among the hashes of ids for a record that has none."""

_MIN_PAGES = 3
_MAX_FINGERPRINTS = 10_000
"""Pages of which it is remembered what they held, after they left the cache."""


@dataclass(slots=True)
class HeldPage:
    """A page in the cache, read as number `sequence`; `stale` ones are shown, and read again once they are in view.

    `ids` are hashes of the records' ids: thousands of texts would take more than all that is packed.
    """

    records: PageRecords
    ids: "array[int]"
    fingerprint: int
    sequence: int
    stale: bool = False

    @property
    def all_have_ids(self) -> bool:
        """Whether each of its records has an id."""
        return _NO_ID not in self.ids

    def place_of(self, record_id: str) -> int | None:
        """Where the record with that id stands in the page, from 0; None where it does not."""
        wanted = hash(record_id)
        if wanted not in self.ids:
            return None
        records = self.records[:]
        return next((at for at, one in enumerate(self.ids) if one == wanted and records[at].id == record_id), None)


class PageCache:
    """Pages by number, from 1. About `max_records` are held; those in view, and the ones around them, always fit.

    Those that are neither in view nor were so a moment ago are packed.
    """

    def __init__(self, page_size: int, max_records: int = MAX_RECORDS) -> None:
        self.page_size = page_size
        self._max_records = max_records
        self._pages: OrderedDict[int, HeldPage] = OrderedDict()
        self._recent = _recent_pages(page_size)
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
        self._recent.look(page.records)
        return page.records[place]

    def records(self) -> Iterator[Record]:
        """The records held, those of the pages used last first."""
        for page in reversed(self._pages.values()):
            yield from page.records

    def identities(self) -> Iterator[object]:
        """A hash of the id of each record held; of one that has no id, where it is."""
        for number, page in self._pages.items():
            if page.all_have_ids:
                yield from page.ids
            else:
                yield from ((number, at) if one == _NO_ID else one for at, one in enumerate(page.ids))

    def pages(self) -> Iterator[tuple[int, PageRecords]]:
        """The pages held, in the order of reading: number, and records: the same object until one of them changes."""
        for number, page in sorted(self._pages.items(), key=lambda item: item[1].sequence):
            yield number, page.records

    def span(self, rows: range) -> Iterator[tuple[int, Record]]:
        """The rows that are held, and their records, in order; no page counts as used by it."""
        for number in sorted(self._pages):
            start, held = (number - 1) * self.page_size, self._pages[number].records
            within = range(max(start, rows.start), min(start + len(held), rows.stop))
            if within:
                yield from zip(within, held[within.start - start : within.stop - start], strict=True)

    def row_of(self, record_id: str) -> int | None:
        """The row of the record with that id; where it stands twice, as read last."""
        row, latest = None, -1
        for number, page in self._pages.items():
            if page.sequence > latest and (place := page.place_of(record_id)) is not None:
                row, latest = (number - 1) * self.page_size + place, page.sequence
        return row

    def outdated_rows(self) -> frozenset[int]:
        """The rows whose record stands in another row as well, where it was read later."""
        counts = Counter(chain.from_iterable(page.ids for page in self._pages.values()))
        repeated = {one for one, count in counts.items() if count > 1 and one != _NO_ID}
        if not repeated:
            return frozenset()
        latest: dict[str, int] = {}
        outdated: set[int] = set()
        for number, records in self.pages():
            if repeated.isdisjoint(self._pages[number].ids):
                continue
            for row, record_id in enumerate((record.id for record in records), (number - 1) * self.page_size):
                if record_id is not None and hash(record_id) in repeated:
                    if record_id in latest:
                        outdated.add(latest[record_id])
                    latest[record_id] = row
        return frozenset(outdated)

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
        # Two ids with one hash are so rare among so few that a false alarm will do.
        ids = set(page.ids) - {_NO_ID}
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
        self._recent = _recent_pages(page_size)
        self._pages.clear()
        self._fingerprints.clear()

    def prepare(self, page: Page) -> HeldPage:
        """Make of a page that came what can be kept; what is past the size of a page is left out."""
        records = page.records[: self.page_size]
        ids = [record.id for record in records]
        identities = tuple(i if i is not None else dumps(r.fields) for i, r in zip(ids, records, strict=True))
        self._read += 1
        hashes = array("q", [_NO_ID if record_id is None else hash(record_id) for record_id in ids])
        return HeldPage(PageRecords(records), hashes, hash(identities), self._read)

    def keep(self, number: int, page: HeldPage) -> list[int]:
        """Hold the page; gives the numbers of the pages that were dropped for it."""
        self._pages[number] = page
        self._pages.move_to_end(number)
        self._recent.look(page.records)
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
        page.records = page.records.replaced(place, record)
        self._recent.look(page.records)

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
                page.records.cut(room), page.ids[:room], page.fingerprint, page.sequence, stale=True
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


def _recent_pages(page_size: int) -> RecentPages:
    return RecentPages(max(_MIN_PAGES, _MAX_UNPACKED_RECORDS // page_size))
