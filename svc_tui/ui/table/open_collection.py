"""One open collection: its rows, the reading of their pages, and how the user left it."""

from __future__ import annotations

import time
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, TypeAlias

from msgspec import Struct

from svc_tui.core.catalog import Collection
from svc_tui.core.filters import Filter
from svc_tui.core.records import Page
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

_MAX_REQUESTS = 2
"""Requests for pages under way at the same time."""
_UNASKED_REQUESTS = 10
"""Requests for the rest of a collection that are sent without a key; Esc stops them."""

StartTask: TypeAlias = Callable[[Coroutine[Any, Any, None]], object]
"""Lets work run in the background."""


class CursorPosition(Struct, frozen=True):
    """Where the user was in a collection."""

    row: int = 0
    field: str | None = None
    record_id: str | None = None


@dataclass(slots=True)
class OpenCollection:
    """An open collection, with its rows, filter and position.

    `return_position` is where the cursor comes back to: where it was when the collection was left, or before its rows
    were filtered or sorted; `goal` where it is to go once rows have come; `anchor` what it stays on through a refresh;
    `end_seek_row` the row it set out from for the end. `awaited` is the record that is open and has no row here, with
    the row that the cursor was on when it was opened. `problem` is why the latest page could not be read. By the
    monotonic clock, `read_at` is when the rows were read, and `load_rest_started_at` when all that is missing was asked
    for.
    """

    collection: Collection
    rows: SparseRows
    query: tuple[tuple[str, str], ...] = ()
    """Parameters that the user has the service choose by, beside those of the profile."""
    arranged: ArrangedRows = field(init=False)
    """The rows that are held as the user's filter and sort arrange them."""
    arranging: Arranging | None = None
    """How they are about to be arranged; None while they are as the user wants them."""
    layout: Layout = field(default_factory=Layout)
    marks: Marks = field(default_factory=Marks)
    """The records that the user has marked."""
    watch: CollectionWatch | None = None
    """What watching found; None while nobody watches."""
    return_position: CursorPosition = field(default_factory=CursorPosition)
    goal: CursorPosition | None = None
    anchor: CursorPosition | None = None
    awaited: CursorPosition | None = None
    end_seek_row: int | None = None
    load_rest_started_at: float | None = None
    offers_rest: bool = False
    """Whether the line below the rows is about the rest: it was not loaded without a key, or that was stopped."""
    rest_requests: int = 0
    """How many requests for it were answered since."""
    rest_was_read_again: bool = False
    top_record_id: str | None = None
    """The record in the first row when loading the rest began; if the cursor is still on it at the end, it goes to the
    row that is first then. None if it stays on its record.
    """
    read_at: float | None = None
    renewing: bool = False
    was_refreshed: bool = False
    """Whether rows were read again since the first time."""
    indexed_at: datetime | None = None
    """When those of its rows were read that are from the index; None: none are."""
    indexed_pages: set[int] = field(default_factory=set)
    """The pages that are from the index, and were not read since."""
    filtering: bool = False
    """Whether a filter is being typed: what is in view is about to be something else."""
    takes_rest: bool = False
    """Filtered before any rows were there: once they are, what is missing is taken if that costs little."""
    problem: str = ""
    counted: int | None = None
    view: tuple[int, int] = (0, 0)
    """The first row in view, and the one after the last."""
    saved_top: int | None = None
    """The first row in view when it was left."""

    def __post_init__(self) -> None:
        self.arranged = ArrangedRows(self.rows)

    def with_query(self, query: tuple[tuple[str, str], ...]) -> OpenCollection:
        """The same collection, chosen by the service by other parameters: no rows yet; marks, filter, order stay."""
        rows = SparseRows(self.rows.store, self.collection.path, self.rows.limit, bulk_limit=self.rows.bulk_limit)
        fresh = OpenCollection(self.collection, rows, query, layout=self.layout)
        fresh.marks = self.marks.settled()
        fresh.arranged.filter, fresh.arranged.sort = self.filter, self.sort
        return fresh

    @property
    def filter(self) -> Filter:
        """What the user wants to be let through."""
        return (self.arranging or self.arranged).filter

    @property
    def sort(self) -> Sort | None:
        """The order that the user wants."""
        return (self.arranging or self.arranged).sort

    def stop_end_seek(self) -> None:
        """Look for the end no longer."""
        self.rows.queue.stop_seeking()
        self.end_seek_row = None

    def records_arrived(self, now: float) -> bool:
        """Note that a page was read at `now`; gives whether that was the last of all that was asked for."""
        self.problem = ""
        if self.read_at is None or self.renewing:
            self.was_refreshed |= self.renewing
            self.renewing = False
            self.read_at = now
        return self.load_rest_started_at is not None and not self.rows.queue.requested

    @property
    def loads_rest(self) -> bool:
        """Whether the rest is being loaded."""
        return self.load_rest_started_at is not None and self.rows.queue.requested > 0

    def read_rest_again(self) -> bool:
        """Have all rows read once more, page after page, if records moved while the rest was loaded.

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
        """How many of the marked have no row on show: the filter holds them back, or their page is not loaded."""
        marked = self.marks.records
        if not marked or self.arranged:
            return self.arranged.lacking(marked)
        held = set(self.rows.identities())
        return sum(hash(record_id) not in held for record_id in marked)

    @property
    def loads_rest_unasked(self) -> bool:
        """Whether the rest is loaded as soon as a filter is applied: few requests are enough."""
        return 0 < self.rows.missing_requests <= _UNASKED_REQUESTS

    @property
    def apply_label(self) -> str:
        """What Enter does to the filter that is typed; "" where the key's own label says it."""
        return f"Search all {self.rows.known:,}" if self.filtering and self.loads_rest_unasked else ""

    @property
    def awaited_note(self) -> str:
        """Why the open record has no row on show; "" where it has one, or no record is open."""
        record_id = None if self.awaited is None else self.awaited.record_id
        if record_id is None or not self.rows.loaded:
            return ""
        if self.rows.index_of(record_id) is not None:
            return f"{record_id} is filtered out"
        if self.rows.end_known and self.rows.cached >= self.rows.known:
            return f"{record_id} is not in this list"
        return f"{record_id} is not in the loaded rows"

    @property
    def shown(self) -> Rows:
        """The rows on show: all there are, or those held as they are arranged."""
        return self.arranged or self.rows


class PageLoader:
    """Reads the pages that a collection's rows need: at most two requests at a time, none sent is cancelled.

    Each answer goes into the rows it was asked for, whoever looks at them by then; `arrived` and `failed` are told,
    the latter also whether the user waited for that page.
    """

    def __init__(
        self,
        gateway: PageSource,
        opened: OpenCollection,
        start: StartTask,
        arrived: Callable[[OpenCollection, Page, range], None],
        failed: Callable[[OpenCollection, ServiceError, bool], None],
    ) -> None:
        self.opened = opened
        self.paused = False
        """Whether the collection is not on show: what is under way may come, and nothing more is asked for."""
        self._gateway, self._start, self._arrived, self._failed = gateway, start, arrived, failed
        self._requests = 0
        self._by_hand = 0
        self.seconds = 0.0
        """How long the latest page took."""

    @property
    def awaited(self) -> bool:
        """Whether the user waits for a page that is under way."""
        return self._by_hand > 0

    @property
    def under_way(self) -> bool:
        """Whether a page is under way."""
        return self._requests > 0

    def request_pages(self) -> None:
        """Ask for what the rows want, as far as requests may be under way."""
        rows = self.opened.rows
        while self._requests < _MAX_REQUESTS and not self.paused:
            number = rows.queue.next_page()
            if number is None:
                break
            by_hand = rows.queue.awaited(number)
            numbers = rows.queue.pages_with(number)
            for each in numbers:
                rows.queue.started(each)
            self._requests += 1
            self._by_hand += by_hand
            self._start(self._read(number, by_hand=by_hand) if len(numbers) == 1 else self._read_block(numbers))

    async def _read(self, number: int, *, by_hand: bool) -> None:
        rows, began = self.opened.rows, time.monotonic()
        answer = await self._answer(number, rows.limit, background=not by_hand)
        self.seconds = time.monotonic() - began
        changed = range(0)
        if isinstance(answer, Page):
            answer = rows.queue.with_newer_records(answer)
            changed = rows.add(answer)
        else:
            rows.queue.failed(number, str(answer))
        self._requests -= 1
        self._by_hand -= by_hand
        self.opened.rest_requests += not by_hand
        if isinstance(answer, Page):
            self._arrived(self.opened, answer, changed)
        else:
            self._failed(self.opened, answer, by_hand)
        self.request_pages()

    async def _read_block(self, numbers: Sequence[int]) -> None:
        """Read pages of one block by one request."""
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
            # The document does not say how a page past the end is answered; page 1 tells a wrong path from it.
            return Page((), number, limit) if number > 1 else error
        except ServiceError as error:
            return error
        # Where the service answers another page than was asked for, the rows find out by what is in it.
        return replace(page, number=number)
