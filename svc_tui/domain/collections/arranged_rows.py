"""The records that are held, filtered and sorted: rows of their own, for which nothing is fetched."""

from collections.abc import Iterator, Mapping
from itertools import chain

from svc_tui.domain.collections.filters import Filter, SearchableRecord
from svc_tui.domain.collections.page_records import PageRecords
from svc_tui.domain.collections.sparse_rows import SparseRows
from svc_tui.domain.collections.views import Sort
from svc_tui.domain.data.field_path import paths
from svc_tui.domain.data.ordering import SortKey
from svc_tui.domain.model.records import Record

_SAMPLE_RECORDS = 20
"""Records of each page that are looked at for the names of their fields."""


class ArrangedRows:
    """What a filter lets through of the rows that are held, in the order of `sort`; see `rows.Rows`.

    A record that came twice, since pages shifted, is here once. `take_in` follows what was read since.
    """

    def __init__(self, rows: SparseRows) -> None:
        self._rows = rows
        self._pages: dict[int, tuple[PageRecords, list[SearchableRecord]]] = {}
        self._names: dict[str, str] = {}
        self._entries: list[SearchableRecord] = []
        self._passed: list[SearchableRecord] = []
        """What the filter lets through, in the order of the entries."""
        self._chosen: list[SearchableRecord] = []
        """The same as it is shown: without a sort what fits best comes first."""
        self._taken = 0
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
    def loaded(self) -> int:
        """The number of records that were looked through."""
        return len(self._entries)

    @property
    def exact(self) -> bool:
        """Whether the whole collection was looked through."""
        rows = self._rows
        return rows.total is not None and self._taken >= rows.total and not rows.shifted

    @property
    def end_known(self) -> bool:
        """True: the end is always known."""
        return True

    def get(self, row: int) -> Record | None:
        """The record in `row`."""
        return self._chosen[row].record if 0 <= row < len(self._chosen) else None

    def records(self) -> Iterator[Record]:
        """The records let through, in order."""
        return (entry.record for entry in self._chosen)

    def held(self, span: range) -> Iterator[tuple[int, Record]]:
        """The rows of `span` and their records."""
        rows = range(max(0, span.start), min(span.stop, len(self._chosen)))
        return ((row, self._chosen[row].record) for row in rows)

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

    def field_names(self) -> Mapping[str, str]:
        """The paths of the fields that were seen, by their folded form."""
        return self._names

    def choose(self, wanted: Filter) -> None:
        """Let through what `wanted` does."""
        among = self._passed if self.filter and wanted.narrows(self.filter) else self._entries
        self.filter = wanted
        self._choose(among)

    def _choose(self, among: list[SearchableRecord]) -> None:
        self._passed = self.filter.chosen(among)
        self._chosen = self.filter.ranked(self._passed) if self.sort is None else self._passed

    def order(self, sort: Sort | None) -> None:
        """Put the rows in another order; None: as the service gave them."""
        self.sort = sort
        self._entries = _sorted(sorted(self._entries, key=lambda entry: entry.row), sort)
        self._choose(self._entries)

    def prepare(self) -> None:
        """Make what was read since ready to be searched, so that the first key of a filter need not wait for it."""
        pages: dict[int, tuple[PageRecords, list[SearchableRecord]]] = {}
        for number, records in self._rows.pages():
            before = self._pages.get(number)
            if before is not None and before[0] is records:
                pages[number] = before
            else:
                start = (number - 1) * self._rows.page_size
                pages[number] = records, [SearchableRecord.of(start + at, record) for at, record in enumerate(records)]
                for path in chain.from_iterable(paths(record.fields) for record in records[:_SAMPLE_RECORDS]):
                    self._names.setdefault(path.casefold(), path)
        self._pages = pages

    def take_in(self) -> None:
        """Take in what was read, replaced or let go of since."""
        self.prepare()
        self._taken = sum(len(entries) for _, entries in self._pages.values())
        self._entries = _sorted(_unique(self._pages), self.sort)
        self._choose(self._entries)


def _unique(pages: Mapping[int, tuple[PageRecords, list[SearchableRecord]]]) -> list[SearchableRecord]:
    """The entries in the order of their pages, which stand in the order of reading: of two, the later one counts."""
    latest = {entry.record_id: entry for _, entries in pages.values() for entry in entries}
    in_order = chain.from_iterable(pages[number][1] for number in sorted(pages))
    return [entry for entry in in_order if entry.record_id is None or latest[entry.record_id] is entry]


def _sorted(entries: list[SearchableRecord], sort: Sort | None) -> list[SearchableRecord]:
    if sort is None:
        return entries
    keyed: list[tuple[SortKey, SearchableRecord]] = []
    empty: list[SearchableRecord] = []
    for entry in entries:
        key = entry.key(sort.field)
        if key is None:
            empty.append(entry)
        else:
            keyed.append((key, entry))
    keyed.sort(key=lambda pair: pair[0], reverse=sort.descending)
    return [entry for _, entry in keyed] + empty
