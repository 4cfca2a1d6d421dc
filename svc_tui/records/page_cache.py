"""The pages of a collection that are held, the least used leaving first, and what those that left held."""

from array import array
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import cast

from svc_tui.core.jsontext import Number, dumps
from svc_tui.core.records import Page, Record
from svc_tui.core.values import replace
from svc_tui.records.rows import MAX_RECORDS
from svc_tui.storage.record_store import RecordStore
from svc_tui.storage.record_tables import Query, record_of

_MAX_RECENT_RECORDS = 1000
"""Records that are ready to be drawn: those in view, and where one was of late."""

_NO_ID = 0
"""Stands among the hashes of ids for a record that has none."""

_MIN_PAGES = 3
_MAX_FINGERPRINTS = 10_000
"""Pages of which it is remembered what they held, after they left the cache."""

_SCALARS = frozenset({str, Number, bool, type(None)})


@dataclass(slots=True)
class HeldPage:
    """A page in the cache, read as number `sequence`; `stale` ones are shown, and read again once they are in view.

    `ids` are hashes of the records' ids. `records` are those of a page that was looked at lately, () of others: the
    store has them. `own` are those, by their place, that JSON would not give back as they are.
    """

    records: tuple[Record, ...]
    ids: "array[int]"
    fingerprint: int
    sequence: int
    stale: bool = False
    own: Mapping[int, Record] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.ids)

    @property
    def all_have_ids(self) -> bool:
        """Whether each of its records has an id."""
        return _NO_ID not in self.ids


class PageCache:
    """Pages by number, from 1; their records are in `store`. About `max_records` are held.

    Pages in view, and the ones around them, always fit.
    """

    def __init__(self, store: RecordStore, query: Query, page_size: int, max_records: int = MAX_RECORDS) -> None:
        self.page_size = page_size
        self._store, self._query, self._max_records = store, query, max_records
        self._pages: OrderedDict[int, HeldPage] = OrderedDict()
        self._recent: OrderedDict[int, None] = OrderedDict()
        """The pages that were shown lately, whose records are kept beside the store."""
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
        return sum(map(len, self._pages.values()))

    @property
    def any_fresh(self) -> bool:
        """Whether a page is held that is not stale."""
        return any(not page.stale for page in self._pages.values())

    # Reading

    def taken(self, number: int) -> HeldPage | None:
        """The page with its records, if it is held, to be kept once more."""
        page = self._pages.get(number)
        return None if page is None else replace(page, records=self.page_records(number))

    def lacks(self, number: int) -> bool:
        """Whether the page is not held, or stale."""
        page = self._pages.get(number)
        return page is None or page.stale

    def record(self, row: int) -> Record | None:
        """The record in `row`, if it is held; its page counts as used."""
        number, place = divmod(row, self.page_size)
        page = self._pages.get(number + 1)
        if page is None or place >= len(page):
            return None
        self._pages.move_to_end(number + 1)
        self._recent[number + 1] = None
        self._recent.move_to_end(number + 1)
        if not page.records:
            page.records = self._stored(number + 1, page)
            self._forget_oldest()
        if not page.records:
            # The store was emptied since: the page is to be read again.
            del self._pages[number + 1]
            return None
        return page.records[place]

    def records(self) -> Iterator[Record]:
        """The records held, in no order."""
        for number in list(self._pages):
            yield from self.page_records(number)

    def identities(self) -> Iterator[object]:
        """The hash of the id of each record held, another value for each that has none."""
        for number, page in self._pages.items():
            yield from ((number, at) if one == _NO_ID else one for at, one in enumerate(page.ids))

    @property
    def numbers(self) -> list[int]:
        """The numbers of the pages held, in order."""
        return sorted(self._pages)

    def page_records(self, number: int) -> tuple[Record, ...]:
        """The records of a page, none where it is not held; no page counts as used by it."""
        page = self._pages.get(number)
        return () if page is None else page.records or self._stored(number, page)

    def span(self, rows: range) -> Iterator[tuple[int, Record]]:
        """The rows that are held, and their records, in order; no page counts as used by it."""
        for number in self.numbers:
            start = (number - 1) * self.page_size
            within = range(max(start, rows.start), min(self.end_of(number), rows.stop))
            if within:
                records = self.page_records(number)
                # The store may have been emptied since.
                yield from zip(within, records[within.start - start : within.stop - start], strict=False)

    def row_of(self, record_id: str) -> int | None:
        """The row of the record with that id; where it stands twice, as read last."""
        return self._store.position_of(self._query, record_id)

    def outdated_rows(self) -> frozenset[int]:
        """The rows whose record stands in another row as well, where it was read later."""
        return self._store.repeated(self._query)

    def end(self, *, fresh: bool = False) -> int:
        """The row after the last one held, or held and not stale; 0 for none."""
        return self.end_of(
            max((number for number, page in self._pages.items() if not (fresh and page.stale)), default=0)
        )

    def end_of(self, number: int) -> int:
        """The row after the last one of a page that is held; 0 for none."""
        return (number - 1) * self.page_size + self.length(number) if number else 0

    def length(self, number: int) -> int:
        """How many records a page holds, 0 where it is not held."""
        return len(self._pages.get(number, ()))

    def peek(self, row: int) -> Record | None:
        """The record in `row`, if it is held; its page does not count as used by this."""
        number, place = divmod(row, self.page_size)
        page = self._pages.get(number + 1)
        if page is None or place >= len(page):
            return None
        if page.records:
            return page.records[place]
        stored = self._store.rows(self._query, row, 1)
        return (page.own.get(place) or record_of(stored[0].body)) if stored else None

    def own_record(self, row: int) -> Record | None:
        """The record in `row` if JSON would not give it back as it is, or if it was read by itself."""
        number, place = divmod(row, self.page_size)
        page = self._pages.get(number + 1)
        return None if page is None else page.own.get(place)

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
        self._recent.clear()
        self._pages.clear()
        self._fingerprints.clear()
        self._store.remove(self._query, 0)

    def prepare(self, page: Page) -> HeldPage:
        """Make of a page that came what can be kept; what is past the size of a page is left out."""
        records = page.records[: self.page_size]
        ids = [record.id for record in records]
        identities = tuple(i if i is not None else dumps(r.fields) for i, r in zip(ids, records, strict=True))
        self._read += 1
        hashes = array("q", [_NO_ID if record_id is None else hash(record_id) for record_id in ids])
        own = {place: record for place, record in enumerate(records) if not _is_plain_record(record)}
        return HeldPage(records, hashes, hash(identities), self._read, own=own)

    def keep(self, number: int, page: HeldPage) -> list[int]:
        """Hold the page; gives the numbers of the pages that were dropped for it."""
        start, before = (number - 1) * self.page_size, self._pages.get(number)
        if before is not None and len(before) > len(page):
            self._store.remove(self._query, start + len(page), start + len(before))
        self._store.add(self._query, start, page.records)
        self._pages[number] = page
        self._pages.move_to_end(number)
        self._recent[number] = None
        self._recent.move_to_end(number)
        self._forget_oldest()
        evicted = []
        while len(self._pages) > self._capacity:
            left, old = self._pages.popitem(last=False)
            self._store.remove(self._query, (left - 1) * self.page_size, left * self.page_size)
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
        if page.records:
            page.records = (*page.records[:place], record, *page.records[place + 1 :])
        page.own = {**page.own, place: record}
        self._store.add(self._query, row, [record])

    def drop_from(self, number: int) -> None:
        """Let go of page `number` and those after it."""
        later = [held for held in self._pages if held >= number]
        for held in later:
            del self._pages[held]
        if later:
            self._store.remove(self._query, (number - 1) * self.page_size)

    def cut(self, total: int) -> None:
        """Let go of what is past row `total`; a page that loses records by it is stale."""
        last = -(-total // self.page_size)
        self.drop_from(last + 1)
        page = self._pages.get(last)
        if page is not None and self.end_of(last) > total:
            # There are fewer now: what stood past the end has moved, and the page is to be read again.
            room = total - (last - 1) * self.page_size
            own = {place: record for place, record in page.own.items() if place < room}
            self._pages[last] = HeldPage(
                page.records[:room], page.ids[:room], page.fingerprint, page.sequence, stale=True, own=own
            )
            self._store.remove(self._query, total)

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

    def _stored(self, number: int, page: HeldPage) -> tuple[Record, ...]:
        rows = self._store.rows(self._query, (number - 1) * self.page_size, len(page))
        if len(rows) < len(page):
            return ()
        return tuple(page.own.get(place) or record_of(row.body) for place, row in enumerate(rows))

    def _forget_oldest(self) -> None:
        """Leave the records of pages that were not looked at lately to the store."""
        while len(self._recent) > max(_MIN_PAGES, _MAX_RECENT_RECORDS // self.page_size):
            number, _ = self._recent.popitem(last=False)
            if (page := self._pages.get(number)) is not None:
                page.records = ()


def _is_plain_record(record: Record) -> bool:
    return not record.etag and _is_plain(record.fields)


def _is_plain(value: object) -> bool:
    """Whether JSON gives back an object or array as it is: as it was read, and no name in it stood twice."""
    if type(value) not in (dict, list):
        return False
    items: Iterable[object] = value.values() if isinstance(value, dict) else cast("Sequence[object]", value)
    # Most values are no more than that: a page holds hundreds.
    nested = [item for item in items if type(item) not in _SCALARS]
    return not nested or all(map(_is_plain, nested))
