"""The records that are held, filtered and sorted: rows of their own, for which nothing is fetched."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from svc_tui.domain.collections.filters import ComparedKinds, Filter, SearchableRecord, SearchableValues
from svc_tui.domain.collections.page_records import RecentPages
from svc_tui.domain.collections.search_index import SearchIndex
from svc_tui.domain.collections.sparse_rows import SparseRows
from svc_tui.domain.collections.views import Sort
from svc_tui.domain.model.records import Record

_MAX_UNPACKED_PAGES = 64
"""Pages that are ready to be drawn: each row in view may be of another."""


class Arranging:
    """The records held being filtered and sorted, a page at a time; what is on show stays as it is meanwhile.

    One that is left unfinished is no loss: the next goes on from what it made ready.
    """

    def __init__(self, index: SearchIndex, wanted: Filter, sort: Sort | None) -> None:
        self.filter, self.sort = wanted, sort
        self._index, self._choice = index, wanted.choice()
        self._pages = index.held()
        self._sorted = None if sort is None else index.sorted(sort)
        self._looked_at = 0
        self._chosen: list[SearchableRecord] = []
        self.latest: Sequence[SearchableRecord] = ()
        """What was let through of the page that was looked at last."""
        self.compared = ComparedKinds(wanted)
        self._before, self._narrows = Filter(), True
        """The filter that the last page was chosen by, and whether this one holds back what that did."""

    @property
    def done(self) -> bool:
        """Whether all pages were looked at."""
        return self._looked_at == len(self._pages)

    @property
    def count(self) -> int:
        """How many records were let through so far."""
        return len(self._chosen)

    @property
    def record_count(self) -> int:
        """How many records there are to look at, those that came twice counted twice."""
        return sum(len(records) for _, records in self._pages)

    @property
    def loaded(self) -> int:
        """How many there are, each counted once."""
        return self.record_count - len(self._index.outdated)

    @property
    def next_page(self) -> int:
        """The number of the page to be looked at next; those before it were."""
        return self._pages[self._looked_at][0]

    def step(self) -> bool:
        """Look at one more page; gives whether there was one."""
        if self.done:
            return False
        number, records = self._pages[self._looked_at]
        self._looked_at += 1
        page = self._index.page(number, records)
        self.compared.add(page.values)
        if page.filter != self.filter:
            if page.filter is not self._before:
                self._before, self._narrows = page.filter, self.filter.narrows(page.filter)
            page.chosen = self._choice(page.chosen if self._narrows else page.entries)
            page.filter = self.filter
        outdated = self._index.outdated
        self.latest = [entry for entry in page.chosen if entry.row not in outdated] if outdated else page.chosen
        self._chosen += self.latest
        if self._sorted is not None:
            self._sorted.add(number, page)
        return True

    def entries(self) -> list[SearchableRecord]:
        """What was let through so far; without a sort what fits best comes first."""
        if self._sorted is None:
            return self.filter.ranked(self._chosen[:])
        entries, chosen = self._sorted.entries(), set(self._chosen)
        return entries if len(entries) == len(chosen) else [entry for entry in entries if entry in chosen]


class ArrangedRows:
    """What a filter lets through of the rows that are held, in the order of `sort`; see `sparse_rows.Rows`.

    A record that came twice, since pages shifted, is here once. `take_in` follows what was read since.
    """

    def __init__(self, rows: SparseRows) -> None:
        self._rows = rows
        self._index = SearchIndex(rows)
        self._recent = RecentPages(_MAX_UNPACKED_PAGES)
        self._chosen: list[SearchableRecord] = []
        self._record_count = 0
        self.loaded = 0
        """The number of records that were looked through, or are being looked through."""
        self.complete = True
        """Whether all that is let through is here."""
        self.problem = ""
        """Why a comparison of the filter can match none of what was looked through, "" where it can."""
        self.filter = Filter()
        self.sort: Sort | None = None

    def __bool__(self) -> bool:
        """Whether anything is arranged at all: a filter, or a sort."""
        return bool(self.filter) or self.sort is not None

    @property
    def count(self) -> int:
        """The number of rows that are let through."""
        return len(self._chosen)

    @property
    def exact(self) -> bool:
        """Whether the whole collection was looked through, or is being looked through."""
        rows = self._rows
        return rows.total is not None and self._record_count >= rows.total and not rows.shifted

    @property
    def end_known(self) -> bool:
        """True: the end is always known."""
        return True

    def get(self, row: int) -> Record | None:
        """The record in `row`."""
        if not 0 <= row < len(self._chosen):
            return None
        entry = self._chosen[row]
        self._recent.look(entry.values.records)
        return entry.record

    def records(self) -> list[Record]:
        """The records let through, in order."""
        return _records(self._chosen)

    def held(self, span: range) -> Iterator[tuple[int, Record]]:
        """The rows of `span` and their records."""
        rows = range(max(0, span.start), min(span.stop, len(self._chosen)))
        return zip(rows, _records(self._chosen[rows.start : rows.stop]), strict=True)

    def waiting(self, row: int) -> bool:
        """False: no page is awaited."""
        return False

    def failure(self, row: int) -> str | None:
        """None: no page is read here, so none fails."""
        return None

    def page_of(self, row: int) -> int:
        """The page of the collection that the record in `row` came with."""
        return self._rows.page_of(self._chosen[row].row) if 0 <= row < len(self._chosen) else 0

    def index_of(self, record_id: str) -> int | None:
        """The row of the record with that id."""
        return next((row for row, entry in enumerate(self._chosen) if entry.record_id == record_id), None)

    def lacking(self, record_ids: Iterable[str]) -> int:
        """How many of these records are not let through, or not held."""
        shown = {entry.record_id for entry in self._chosen}
        return sum(record_id not in shown for record_id in record_ids)

    def field_names(self) -> Mapping[str, str]:
        """The paths of the fields that were seen, by their folded form."""
        return self._rows.field_names

    def arranging(self, wanted: Filter, sort: Sort | None) -> Arranging:
        """Begin to arrange what is held; `show` takes what came of it."""
        return Arranging(self._index, wanted, sort)

    def preparing(self, path: str) -> Iterator[None]:
        """Make the values at `path` ready to be compared, a page at a step."""
        for number, records in self._index.held():
            self._index.page(number, records).values.keys(path)
            yield

    def show(self, arranging: Arranging) -> None:
        """Take what was arranged, or that of it which is known so far."""
        self.filter, self.sort = arranging.filter, arranging.sort
        self._chosen, self.complete = arranging.entries(), arranging.done
        self._record_count, self.loaded = arranging.record_count, arranging.loaded
        self.problem = arranging.compared.problem

    def choose(self, wanted: Filter) -> None:
        """Let through what `wanted` does."""
        self._arrange(wanted, self.sort)

    def order(self, sort: Sort | None) -> None:
        """Put the rows in another order; None: as the service gave them."""
        self._arrange(self.filter, sort)

    def take_in(self) -> None:
        """Take in what was read, replaced or let go of since."""
        self._arrange(self.filter, self.sort)

    def _arrange(self, wanted: Filter, sort: Sort | None) -> None:
        arranging = self.arranging(wanted, sort)
        while arranging.step():
            pass
        self.show(arranging)

    def release(self) -> None:
        """Let go of what was made ready to be searched: nothing is arranged, nor about to be."""
        self._index.clear()
        self._recent = RecentPages(_MAX_UNPACKED_PAGES)
        self._chosen = []


def _records(entries: Iterable[SearchableRecord]) -> list[Record]:
    """The records of entries in any order; each page is unpacked once for them."""
    pages: dict[SearchableValues, Sequence[Record]] = {}
    records = []
    for entry in entries:
        if (page := pages.get(entry.values)) is None:
            page = pages[entry.values] = entry.values.records[:]
        records.append(page[entry.place])
    return records
