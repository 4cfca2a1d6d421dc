"""The records that are held, filtered and sorted: rows of their own, for which nothing is requested."""

from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice

from svc_tui.core.filters import Filter, comparison_problem
from svc_tui.core.records import Record
from svc_tui.core.views import Sort
from svc_tui.records.sparse_rows import SparseRows
from svc_tui.storage.record_store import QueryView

_CHUNK, _MAX_CHUNKS = 64, 16
"""Rows that are read from the store at a time, and how many of such parts are kept."""


class Arranging:
    """The records held being filtered and sorted, a slice at a time; what is on show stays as it is meanwhile."""

    def __init__(self, rows: SparseRows, wanted: Filter, sort: Sort | None, within: QueryView | None = None) -> None:
        """Begin; `within` is a view of the rows that holds every match."""
        self.filter, self.sort = wanted, sort
        self._rows, self._within = rows, within
        self._steps = rows.store.matching(rows.query, wanted, sort, within)
        self.view: QueryView | None = None
        """The matches so far; None before the first step."""
        self.record_count = rows.cached
        """How many records there are to look at, those that came twice counted twice."""
        self.loaded = rows.cached_once
        """How many there are, each counted once."""

    @property
    def done(self) -> bool:
        """Whether all rows were looked at."""
        return self.view is not None and self.view.is_complete

    @property
    def count(self) -> int:
        """How many records match so far."""
        return 0 if self.view is None else self.view.count

    def has_seen(self, row: int) -> bool:
        """Whether it is known if the record in `row` of the collection matches."""
        if self.view is None:
            return False
        at = row if self._within is None else self._rows.store.row_in_view(self._within, row)
        return at is None or at < self.view.seen_until

    def step(self) -> bool:
        """Look at one more slice; gives whether there was one."""
        self.view = next(self._steps, self.view)
        return not self.done

    @property
    def problem(self) -> str:
        """Why a comparison of the filter can match none of the records, "" where it can, or not all were looked at."""
        return comparison_problem(self.filter, self._kinds) if self.done and not self.count else ""

    def _kinds(self, path: str) -> set[int]:
        return self._rows.store.kinds(self._rows.query, path)


class ArrangedRows:
    """The rows held that match a filter, in the order of `sort`; see `rows.Rows`.

    A record that came twice, since pages shifted, is here once. `take_in` follows what was read since.
    """

    def __init__(self, rows: SparseRows) -> None:
        self._rows = rows
        self.view: QueryView | None = None
        """The rows that match, in order; None if nothing is arranged."""
        self._chunks: OrderedDict[int, list[tuple[int, Record]]] = OrderedDict()
        """Rows that were looked at lately: of each its row in the collection, and its record."""
        self._ids: frozenset[str] | None = None
        """The ids of the records that match; None if they were not asked for."""
        self.count = 0
        """The number of rows that match."""
        self._record_count = 0
        self.loaded = 0
        """The number of records that were looked through, or are being looked through."""
        self.complete = True
        """Whether all that match are here."""
        self.problem = ""
        """Why a comparison of the filter can match none of what was looked through, "" where it can."""
        self.filter = Filter()
        self.sort: Sort | None = None

    def __bool__(self) -> bool:
        """Whether anything is arranged at all: a filter, or a sort."""
        return bool(self.filter) or self.sort is not None

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
        found = self._at(row)
        return None if found is None else found[1]

    def records(self) -> list[Record]:
        """The records that match, in order."""
        return [record for _, record in self.held(range(self.count))]

    def held(self, span: range) -> Iterator[tuple[int, Record]]:
        """The rows of `span` and their records."""
        rows = range(max(0, span.start), min(span.stop, self.count))
        for first in range(rows.start - rows.start % _CHUNK, rows.stop, _CHUNK):
            chunk = self._chunks.get(first) or self._read(first)
            yield from ((row, record) for row, (_, record) in enumerate(chunk, first) if row in rows)

    def waiting(self, row: int) -> bool:
        """False: no page is awaited."""
        return False

    def failure(self, row: int) -> str | None:
        """None: no page is read here, so none fails."""
        return None

    def page_of(self, row: int) -> int:
        """The page of the collection that the record in `row` came with."""
        found = self._at(row)
        return 0 if found is None else self._rows.page_of(found[0])

    def index_of(self, record_id: str) -> int | None:
        """The row of the record with that id."""
        row = self._rows.index_of(record_id)
        return None if row is None or self.view is None else self._rows.store.row_in_view(self.view, row)

    def lacking(self, record_ids: Iterable[str]) -> int:
        """How many of these records do not match, or are not held."""
        if self._ids is None:
            self._ids = frozenset() if self.view is None else self._rows.store.ids_in_view(self.view)
        return len(set(record_ids) - self._ids)

    def field_names(self) -> Mapping[str, str]:
        """The paths of the fields that were seen, by their folded form."""
        return self._rows.field_names

    def arranging(self, wanted: Filter, sort: Sort | None) -> Arranging:
        """Begin to arrange what is held; `show` takes what came of it."""
        view = self.view
        is_current = (
            view is not None and view.is_complete and view.version == self._rows.store.version(self._rows.query)
        )
        narrows = view is not None and is_current and wanted.narrows(view.filter)
        return Arranging(self._rows, wanted, sort, view if narrows else None)

    def show(self, arranging: Arranging) -> None:
        """Take what was arranged, or that of it which is known so far."""
        self.filter, self.sort = arranging.filter, arranging.sort
        self.view, self.count, self.complete = arranging.view, arranging.count, arranging.done
        self._chunks.clear()
        self._ids = None
        self._record_count, self.loaded = arranging.record_count, arranging.loaded
        self.problem = arranging.problem

    def choose(self, wanted: Filter) -> None:
        """Show the rows that match `wanted`."""
        self._arrange(wanted, self.sort)

    def order(self, sort: Sort | None) -> None:
        """Put the rows in another order; None: as the service gave them."""
        self._arrange(self.filter, sort)

    def take_in(self) -> None:
        """Take in what was read, replaced or let go of since."""
        self._arrange(self.filter, self.sort)

    def release(self) -> None:
        """Let go of the view: nothing is arranged, nor about to be."""
        self.view, self.count, self._ids = None, 0, None
        self._chunks.clear()

    def _arrange(self, wanted: Filter, sort: Sort | None) -> None:
        arranging = self.arranging(wanted, sort)
        while arranging.step():
            pass
        self.show(arranging)

    def _at(self, row: int) -> tuple[int, Record] | None:
        if not 0 <= row < self.count:
            return None
        place = row % _CHUNK
        chunk = self._chunks.get(row - place)
        if chunk is None:
            chunk = self._chunks[row - place] = self._read(row - place)
            if len(self._chunks) > _MAX_CHUNKS:
                self._chunks.popitem(last=False)
        # The rows may have been let go of since they were arranged.
        return chunk[place] if place < len(chunk) else None

    def _read(self, first: int) -> list[tuple[int, Record]]:
        assert self.view is not None
        return list(islice(self._rows.view_rows(self.view, first, _CHUNK), self.count - first))
