"""The records that are held, made ready page by page to be searched and sorted."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import chain
from typing import Any, TypeAlias

from svc_tui.domain.collections.filters import Filter, SearchableRecord, SearchableValues
from svc_tui.domain.collections.page_records import PageRecords
from svc_tui.domain.collections.sparse_rows import SparseRows
from svc_tui.domain.collections.views import Sort

_Keyed: TypeAlias = tuple[int, Any, int, SearchableRecord]
"""An entry behind what it is sorted by: the rank of its value's kind, the value, and its row, which no two share."""


@dataclass(slots=True)
class SearchablePage:
    """A page ready to be searched, and those of its entries that `filter` lets through."""

    records: PageRecords
    values: SearchableValues
    entries: list[SearchableRecord]
    chosen: list[SearchableRecord]
    filter: Filter = field(default_factory=Filter)


class SortedEntries:
    """The entries of some pages in the order of `sort`; equal ones as the service gives them, empty ones last."""

    def __init__(self, sort: Sort) -> None:
        self.sort = sort
        self._pages: dict[int, SearchablePage] = {}
        self._runs: list[list[_Keyed]] = []
        """Sorted lists, each shorter than the one before: what is added is merged with few others at a time."""
        self._empty: list[SearchableRecord] = []

    def add(self, number: int, page: SearchablePage) -> None:
        """Take in a page, unless it is there."""
        if number in self._pages:
            return
        self._pages[number] = page
        run: list[_Keyed] = []
        for entry, key in zip(page.entries, page.values.keys(self.sort.field), strict=True):
            if key is None:
                self._empty.append(entry)
            else:
                run.append((*key, -entry.row if self.sort.descending else entry.row, entry))
        run.sort(reverse=self.sort.descending)
        while self._runs and len(self._runs[-1]) <= len(run):
            run = sorted(self._runs.pop() + run, reverse=self.sort.descending)
        self._runs.append(run)

    def keep(self, pages: Mapping[int, SearchablePage]) -> None:
        """Let go of pages that are not among these."""
        gone = {number: page for number, page in self._pages.items() if pages.get(number) is not page}
        if not gone:
            return
        entries = set(chain.from_iterable(page.entries for page in gone.values()))
        self._runs = [[keyed for keyed in run if keyed[3] not in entries] for run in self._runs]
        self._empty = [entry for entry in self._empty if entry not in entries]
        for number in gone:
            del self._pages[number]

    def entries(self) -> list[SearchableRecord]:
        """All of them in order."""
        self._runs = [sorted(chain.from_iterable(self._runs), reverse=self.sort.descending)]
        self._empty.sort(key=lambda entry: entry.row)
        return [keyed[3] for keyed in self._runs[0]] + self._empty


class SearchIndex:
    """The pages that `rows` holds, each made ready when it is first asked for, and kept until `clear`."""

    def __init__(self, rows: SparseRows) -> None:
        self.outdated: frozenset[int] = frozenset()
        """The rows, of those in `held`, whose record was read later in another row."""
        self._rows = rows
        self._held: list[tuple[int, PageRecords]] = []
        self._pages: dict[int, SearchablePage] = {}
        self._sorted: SortedEntries | None = None

    def held(self) -> list[tuple[int, PageRecords]]:
        """The pages that are held now, by number."""
        held = sorted(self._rows.pages(), key=lambda page: page[0])
        if held != self._held:
            self._held = held
            self.outdated = self._rows.outdated_rows()
            records = dict(held)
            self._pages = {n: page for n, page in self._pages.items() if records.get(n) is page.records}
            if self._sorted is not None:
                self._sorted.keep(self._pages)
        return held

    def page(self, number: int, records: PageRecords) -> SearchablePage:
        """The page of that number, ready to be searched."""
        page = self._pages.get(number)
        if page is None or page.records is not records:
            start, values = (number - 1) * self._rows.page_size, SearchableValues(records)
            ids, texts = records.searchable()
            entries = [
                SearchableRecord(start + place, record_id, text, values, place)
                for place, (record_id, text) in enumerate(zip(ids, texts, strict=True))
            ]
            page = self._pages[number] = SearchablePage(records, values, entries, entries)
        return page

    def sorted(self, sort: Sort) -> SortedEntries:
        """The entries in that order, as far as pages were added to it."""
        if self._sorted is None or self._sorted.sort != sort:
            self._sorted = SortedEntries(sort)
        return self._sorted

    def clear(self) -> None:
        """Let go of all that was made ready."""
        self.outdated, self._held, self._pages, self._sorted = frozenset(), [], {}, None
