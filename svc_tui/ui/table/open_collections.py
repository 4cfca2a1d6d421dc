"""The open collections: the rows of each, the loading of their pages, and how the user left it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from msgspec import Struct
from textual.widget import Widget

from svc_tui.core.catalog import Collection
from svc_tui.core.filters import Filter
from svc_tui.core.records import Page, Record
from svc_tui.core.values import replace
from svc_tui.core.views import Sort
from svc_tui.records.arranged_rows import ArrangedRows, Arranging
from svc_tui.records.columns import Layout
from svc_tui.records.marks import Marks
from svc_tui.records.rows import Rows
from svc_tui.records.sparse_rows import SparseRows
from svc_tui.records.watched_changes import CollectionWatch
from svc_tui.service.errors import NotFound, ServiceError, may_be_about_limit
from svc_tui.service.gateway import PageSource

_MAX_OPEN = 12
"""Collections that are open at the same time; the least recently used one is closed for another."""
_MAX_REQUESTS = 2
"""Requests for pages under way at the same time."""
_MAX_UNASKED_REQUESTS = 10
"""Requests for the rest of a collection that are sent without a key; Esc stops them."""


class CursorPosition(Struct, frozen=True):
    """A position of the cursor: its row and field, and the record it is on."""

    row: int = 0
    field: str | None = None
    record_id: str | None = None


@dataclass(slots=True)
class OpenCollection:
    """An open collection, with its rows, filter and position. Times in seconds are of the monotonic clock."""

    collection: Collection
    rows: SparseRows
    query: tuple[tuple[str, str], ...] = ()
    """Query parameters that the user added to those of the profile."""
    arranged: ArrangedRows = field(init=False)
    """The loaded rows, filtered and sorted."""
    arranging: Arranging | None = None
    """A filter and sort in progress; None if `arranged` is up to date."""
    layout: Layout = field(default_factory=Layout)
    marks: Marks = field(default_factory=Marks)
    watch: CollectionWatch | None = None
    """The changes found by watching; None if the collection is not watched."""

    return_position: CursorPosition = field(default_factory=CursorPosition)
    """The cursor when the collection was left, or before its rows were filtered or sorted."""
    goal: CursorPosition | None = None
    """The position that the cursor goes to once rows are loaded."""
    anchor: CursorPosition | None = None
    """The position that the cursor stays on through a refresh."""
    awaited: CursorPosition | None = None
    """The open record if it has no row here, and the row under the cursor when it was opened."""
    end_seek_row: int | None = None
    """The row under the cursor when a search for the last record began; None if there is none."""
    view: tuple[int, int] = (0, 0)
    """The first row in view, and the one after the last."""
    saved_top: int | None = None
    """The first row in view when the collection was left."""

    load_rest_started_at: float | None = None
    """When loading of the rest began; None if the rest is not being loaded."""
    rest_requests: int = 0
    """Requests for the rest that were answered since."""
    rest_was_read_again: bool = False
    offers_rest: bool = False
    """True if the line below the rows is about the rest: loading it needs a key, or was stopped."""
    top_record_id: str | None = None
    """The record in the first row when loading the rest began; if the cursor is still on it at the end, it goes to the
    row that is first then. None if it stays on its record.
    """
    takes_rest: bool = False
    """True if the collection was filtered before it had rows: the missing ones are then loaded if that costs little."""

    read_at: float | None = None
    """When the rows were loaded."""
    renewing: bool = False
    """True if the next page that arrives belongs to a refresh."""
    was_refreshed: bool = False
    """True if rows were loaded again since the first time."""
    indexed_at: datetime | None = None
    """The age of the rows that are from the index; None if there are none."""
    indexed_pages: set[int] = field(default_factory=set)
    """The pages that are from the index and were not loaded since."""
    filtering: bool = False
    """True while a filter is being typed: other rows are about to be in view."""
    problem: str = ""
    """Why the latest page could not be loaded."""
    counted: int | None = None
    """The number of records that was last posted."""

    def __post_init__(self) -> None:
        self.arranged = ArrangedRows(self.rows)

    def with_query(self, query: tuple[tuple[str, str], ...]) -> OpenCollection:
        """Return the collection with another query: without rows, but with its marks, filter and sort."""
        rows = SparseRows(self.rows.store, self.collection.path, self.rows.limit, bulk_limit=self.rows.bulk_limit)
        fresh = OpenCollection(self.collection, rows, query, layout=self.layout)
        fresh.marks = self.marks.settled()
        fresh.arranged.filter, fresh.arranged.sort = self.filter, self.sort
        return fresh

    @property
    def filter(self) -> Filter:
        """The filter that the user chose."""
        return (self.arranging or self.arranged).filter

    @property
    def sort(self) -> Sort | None:
        """The sort that the user chose."""
        return (self.arranging or self.arranged).sort

    def stop_end_seek(self) -> None:
        """Stop the search for the last record."""
        self.rows.queue.stop_seeking()
        self.end_seek_row = None

    def records_arrived(self, now: float) -> bool:
        """Note that a page was loaded at `now`. Return True if it was the last one of the rest."""
        self.problem = ""
        if self.read_at is None or self.renewing:
            self.was_refreshed |= self.renewing
            self.renewing = False
            self.read_at = now
        return self.load_rest_started_at is not None and not self.rows.queue.requested

    @property
    def loads_rest(self) -> bool:
        """True while the rest is being loaded."""
        return self.load_rest_started_at is not None and self.rows.queue.requested > 0

    def read_rest_again(self) -> bool:
        """Load all rows once more, page after page, if records moved while the rest was loaded.

        Return False if they did not move, or if this was done already.
        """
        rows = self.rows
        if not rows.shifted or self.rest_was_read_again or rows.total is None:
            return False
        self.rest_was_read_again = True
        rows.invalidate()
        rows.queue.request(range(1, -(-rows.total // rows.page_size) + 1), in_order=True, in_blocks=True)
        return True

    @property
    def marks_out_of_view(self) -> int:
        """The number of marked records without a visible row: filtered out, or not loaded."""
        marked = self.marks.records
        if not marked or self.arranged:
            return self.arranged.lacking(marked)
        held = set(self.rows.identities())
        return sum(hash(record_id) not in held for record_id in marked)

    @property
    def loads_rest_unasked(self) -> bool:
        """True if the rest is loaded as soon as a filter is applied: it takes few requests."""
        return 0 < self.rows.missing_requests <= _MAX_UNASKED_REQUESTS

    @property
    def apply_label(self) -> str:
        """The label of Enter while a filter is typed; "" for the usual one."""
        return f"Search all {self.rows.known:,}" if self.filtering and self.loads_rest_unasked else ""

    @property
    def awaited_note(self) -> str:
        """The reason why the open record has no visible row; "" if it has one, or no record is open."""
        record_id = None if self.awaited is None else self.awaited.record_id
        if record_id is None or not self.rows.loaded:
            return ""
        if self.rows.index_of(record_id) is not None:
            return f"{record_id} is filtered out"
        if self.rows.end_known and self.rows.cached >= self.rows.known:
            return f"{record_id} is not in this list"
        return f"{record_id}: not shown here"

    @property
    def shown(self) -> Rows:
        """The visible rows: all of them, or the loaded ones filtered and sorted."""
        return self.arranged or self.rows


class PageLoader:
    """The loading of a collection's pages, in workers of `pane`: at most two requests at a time, none is cancelled.

    A page goes into the rows that it was requested for, also if another collection is shown by then. Then `arrived` is
    called; or `failed`, with True if the user waited for the page.
    """

    def __init__(
        self,
        pane: Widget,
        gateway: PageSource,
        opened: OpenCollection,
        arrived: Callable[[OpenCollection, Page, range], None],
        failed: Callable[[OpenCollection, ServiceError, bool], None],
    ) -> None:
        self.opened = opened
        self.paused = False
        """True if the collection is not shown: requests under way are awaited, but no more are sent."""
        self.seconds = 0.0
        """The duration of the latest request."""
        self._pane, self._gateway, self._arrived, self._failed = pane, gateway, arrived, failed
        self._requests = 0
        self._awaited_requests = 0

    @property
    def awaited(self) -> bool:
        """True while the user waits for a page."""
        return self._awaited_requests > 0

    @property
    def under_way(self) -> bool:
        """True while a page is being loaded."""
        return self._requests > 0

    def request_pages(self) -> None:
        """Request the pages that the rows need, as far as the limit of requests allows."""
        rows = self.opened.rows
        while self._requests < _MAX_REQUESTS and not self.paused:
            number = rows.queue.next_page()
            if number is None:
                break
            awaited = rows.queue.awaited(number)
            numbers = rows.queue.pages_with(number)
            for each in numbers:
                rows.queue.started(each)
            self._requests += 1
            self._awaited_requests += awaited
            work = self._load(number, awaited=awaited) if len(numbers) == 1 else self._load_block(numbers)
            self._pane.run_worker(work, group="pages")

    async def _load(self, number: int, *, awaited: bool) -> None:
        rows, began = self.opened.rows, time.monotonic()
        answer = await self._answer(number, rows.limit, background=not awaited)
        self.seconds = time.monotonic() - began
        changed = range(0)
        if isinstance(answer, Page):
            answer = rows.queue.with_newer_records(answer)
            changed = rows.add(answer)
        else:
            rows.queue.failed(number, str(answer))
        self._requests -= 1
        self._awaited_requests -= awaited
        self.opened.rest_requests += not awaited
        if isinstance(answer, Page):
            self._arrived(self.opened, answer, changed)
        else:
            self._failed(self.opened, answer, awaited)
        self.request_pages()

    async def _load_block(self, numbers: Sequence[int]) -> None:
        """Load the pages of a block with one request."""
        rows, pages = self.opened.rows, self.opened.rows.block_pages
        number = (numbers[0] - 1) // pages + 1
        answer = await self._answer(number, pages * rows.page_size, background=True)
        self._requests -= 1
        self.opened.rest_requests += 1
        if isinstance(answer, Page):
            for page, changed in rows.add_block(answer, numbers):
                self._arrived(self.opened, page, changed)
        elif may_be_about_limit(answer):
            rows.refuse_block(numbers)
        else:
            for each in numbers:
                rows.queue.failed(each, str(answer))
            self._failed(self.opened, answer, False)
        self.request_pages()

    async def _answer(self, number: int, limit: int, *, background: bool) -> Page | ServiceError:
        opened = self.opened
        try:
            page = await self._gateway.page(opened.collection, number, limit, query=opened.query, background=background)
        except NotFound as error:
            # The document does not say how a page past the end is answered; on page 1, a 404 is about the path.
            return Page((), number, limit) if number > 1 else error
        except ServiceError as error:
            return error
        # A service may answer another page than was requested: the rows notice that by its records.
        return replace(page, number=number)


class OpenCollections:
    """The open collections in the order of their tabs, and the one that is shown."""

    def __init__(self, make_loader: Callable[[OpenCollection], PageLoader]) -> None:
        self._make_loader = make_loader
        self._open: dict[str, PageLoader] = {}
        self._used: list[str] = []
        self.loader: PageLoader | None = None
        """The loader of the collection that is shown; those of the others are paused."""

    @property
    def current(self) -> OpenCollection | None:
        """The collection that is shown."""
        return None if self.loader is None else self.loader.opened

    @property
    def collections(self) -> Sequence[Collection]:
        """The open collections, in the order of their tabs."""
        return tuple(loader.opened.collection for loader in self._open.values())

    @property
    def has_several(self) -> bool:
        """True if more than one collection is open."""
        return len(self._open) > 1

    @property
    def opened(self) -> Sequence[OpenCollection]:
        """The open collections with their rows, the most recently used first."""
        return [self._open[key].opened for key in reversed(self._used)]

    @property
    def held(self) -> Iterator[tuple[Collection, Iterable[Record]]]:
        """The loaded records of each open collection, the most recently used first."""
        for opened in self.opened:
            yield opened.collection, opened.rows.records()

    def get(self, collection: Collection) -> OpenCollection | None:
        """Return an open collection as it was left; None if it is not open."""
        loader = self._open.get(collection.key)
        # Another spelling in the URL is another collection.
        return loader.opened if loader is not None and loader.opened.collection == collection else None

    def show(self, opened: OpenCollection) -> None:
        """Show a collection; one that is not open yet replaces another with the same key."""
        self.hide()
        key = opened.collection.key
        loader = self._open.get(key)
        if loader is None or loader.opened is not opened:
            loader = self._open[key] = self._make_loader(opened)
        self._used = [other for other in self._used if other != key] + [key]
        while len(self._open) > _MAX_OPEN:
            del self._open[self._used.pop(0)]
        self.loader, loader.paused = loader, False

    def hide(self) -> None:
        """Show no collection."""
        if self.loader is not None:
            self.loader.paused = True
            self.loader = None

    def close(self) -> Collection | None:
        """Close the shown collection and return the one to show next; the only one stays open: return None."""
        if self.loader is None or not self.has_several:
            return None
        key = self.loader.opened.collection.key
        self.hide()
        del self._open[key]
        self._used.remove(key)
        return self._open[self._used[-1]].opened.collection
