"""The pane that shows a collection: it fills the table's rows page by page, and says how much there is."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from textual import getters
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.geometry import Region
from textual.message import Message
from textual.timer import Timer
from textual.widgets import Static

from svc_tui.domain.catalog import Collection
from svc_tui.domain.columns import Column, choose_columns, widen
from svc_tui.domain.draft import Draft
from svc_tui.domain.errors import NotFound, ServiceError
from svc_tui.domain.gateway import Gateway
from svc_tui.domain.records import Page, Record
from svc_tui.domain.rows import SparseRows
from svc_tui.domain.settings import Profile
from svc_tui.ui.report import of_reading
from svc_tui.ui.text import measure, shown, visible
from svc_tui.ui.widgets.frame_title import across
from svc_tui.ui.widgets.record_table import RecordTable
from svc_tui.ui.widgets.waiting import SPINNER, SPINNER_AFTER

_AT_ONCE = 2
"""Requests for pages under way at the same time."""

_OLD = 60.0


@dataclass(frozen=True, slots=True)
class Position:
    """Where somebody was in a collection."""

    row: int = 0
    field: str = ""
    record_id: str | None = None


class BrowsePane(Vertical):
    """One collection at a time, however large.

    Pages are asked for as their rows come into view, at most two at a time and none twice. None that left is
    cancelled: each answer goes into the rows it was asked for, even when nobody looks at them any more.
    """

    DEFAULT_CSS = """
    BrowsePane {
        & > #notice { height: auto; padding: 1 0; color: $role-muted; display: none; }
        & > #notice.-failed { color: $role-danger; }
        & > #notice.-shown { display: block; }
        & > RecordTable { height: 1fr; }
    }
    """

    @dataclass
    class CursorMoved(Message):
        """The cursor is on another record; `record` None while the row has not come."""

        collection: Collection
        row: int
        record: Record | None

    @dataclass
    class RecordChosen(Message):
        """Somebody wants to see this record."""

        collection: Collection
        record: Record

    @dataclass
    class CountKnown(Message):
        """How many records the collection holds; None: no longer known."""

        collection: Collection
        total: int | None

    @dataclass
    class RowsFailed(Message):
        """Further rows could not be read; what is there stays, and has no room for the whole reason."""

        error: ServiceError

    table = getters.query_one(RecordTable)
    """The table; it takes the focus."""

    def __init__(
        self,
        gateway: Gateway,
        profile: Profile,
        monotonic: Callable[[], float] = time.monotonic,
        *,
        id: str | None = None,  # noqa: A002 - Textual's own name for it
    ) -> None:
        super().__init__(id=id, classes="pane")
        self._gateway = gateway
        self._profile = profile
        self._now = monotonic
        self._collection: Collection | None = None
        self._rows = SparseRows(profile.page_size)
        self._requests = 0
        self._by_hand = 0
        self._waiting_since = 0.0
        self._frame = ""
        self._spinner: Timer | None = None
        self._top = 0
        self._goal: Position | None = None
        self._anchor: Position | None = None
        self._end_from: int | None = None
        self._counted: int | None = None
        self._problem = ""
        self._noticed = ("", False)
        self._read_at: float | None = None
        self._renewing = False
        self._positions: dict[str, Position] = {}

    def compose(self) -> ComposeResult:
        """The table, and above it a sentence where there is nothing to show."""
        yield Static(id="notice", markup=False)
        yield RecordTable()

    def on_mount(self) -> None:
        """Start the clockwork of the title, at rest."""
        self._spinner = self.set_interval(0.1, self._spin, pause=True)
        self.set_interval(30, self._retitle)

    # What the screen uses

    @property
    def collection(self) -> Collection | None:
        """The collection on show."""
        return self._collection

    @property
    def rows(self) -> SparseRows:
        """The rows on show."""
        return self._rows

    @property
    def columns(self) -> tuple[Column, ...]:
        """The columns on show."""
        return self.table.columns

    @property
    def position(self) -> Position:
        """Where the cursor is, for coming back later."""
        record = self.table.cursor_record
        return Position(self.table.cursor_row, self.table.cursor_field, record.id if record else None)

    def open(self, collection: Collection) -> None:
        """Show a collection where it was left, or from the top."""
        if self._collection is not None:
            self._positions[self._collection.key] = self.position
        self._collection = collection
        self._rows = SparseRows(self._profile.page_size)
        self._requests = self._by_hand = self._top = 0
        self._waiting_since = 0.0
        self._frame = ""
        self._goal = self._positions.get(collection.key)
        self._anchor = self._end_from = self._counted = self._read_at = None
        self._problem = ""
        self._notice("")
        self.table.drafts = {}
        self.table.show(self._rows, ())
        self._read_on()
        self._retitle()

    def refresh_rows(self) -> None:
        """Read what is in view again; the cursor stays on its record. What failed is tried again."""
        self._rows.retry()
        if self._rows.loaded:
            self._rows.invalidate()
            self._anchor = self.position
        self._problem = ""
        self._renewing = True
        self._notice("")
        self.table.rows_changed(None)
        self._read_on()
        self._retitle()

    def go_end(self) -> None:
        """Put the cursor on the true last record: one page where the total is known, O(log n) where it is not."""
        self._goal = self._anchor = None
        self._end_from = self.table.cursor_row
        self._rows.seek_end()
        self._near_end()
        self._read_on()
        self._retitle()

    def select_record(self, record_id: str) -> bool:
        """Put the cursor on a record, if it is among those held, or among the first that come; gives whether it is."""
        row = self._rows.index_of(record_id)
        if row is None:
            if not self._rows.loaded:
                self._goal = Position(record_id=record_id)
            return False
        self.table.move_to(row)
        return True

    def replace(self, record: Record) -> None:
        """Show a newer reading of a record in its row."""
        row = self._rows.replace(record)
        if row is not None:
            self._fit_columns([record])
            self.table.rows_changed(range(row, row + 1))

    def show_drafts(self, drafts: Mapping[str, Draft]) -> None:
        """Show edits not yet sent, by the record's id."""
        self.table.drafts = dict(drafts)
        if drafts and self.table.columns:
            self._fit_columns([Record(draft.fields) for draft in drafts.values()])
        self._retitle()

    # Reading pages

    def _read_on(self) -> None:
        """Ask for what the rows want, as far as requests may be under way."""
        while self._collection is not None and self._requests < _AT_ONCE:
            number = self._rows.wanted()
            if number is None:
                break
            by_hand = self._rows.in_view(number)
            self._rows.started(number)
            self._requests += 1
            self._by_hand += by_hand
            self.run_worker(self._read(self._collection, self._rows, number, by_hand), group="pages", exclusive=False)
        if self._by_hand and self._spinner is not None and not self._waiting_since:
            self._waiting_since = self._now()
            self._spinner.resume()

    async def _read(self, collection: Collection, rows: SparseRows, number: int, by_hand: bool) -> None:
        """Read one page into `rows`; whether they are still on show is asked afterwards."""
        answer = await self._answer(collection, number, rows.limit, by_hand)
        changed = range(0)
        if isinstance(answer, Page):
            changed = rows.add(answer)
        else:
            rows.failed(number, str(answer))
        if rows is not self._rows:
            return
        self._requests -= 1
        self._by_hand -= by_hand
        if isinstance(answer, Page):
            self._arrived(answer, changed)
        else:
            self._failed(answer)
        self._read_on()
        self._retitle()

    async def _answer(self, collection: Collection, number: int, limit: int, by_hand: bool) -> Page | ServiceError:
        query = self._profile.query(collection)
        try:
            page = await self._gateway.page(collection, number, limit, query=query, background=not by_hand)
        except NotFound as error:
            # The document does not say how a page past the end is answered; page 1 tells a wrong path from it.
            return Page((), number, limit) if number > 1 else error
        except ServiceError as error:
            return error
        # Where the service answers another page than was asked for, the rows find out by what is in it.
        return replace(page, number=number)

    def _arrived(self, page: Page, changed: range) -> None:
        self._problem = ""
        if self._read_at is None or self._renewing:
            self._renewing = False
            self._read_at = self._now()
        self._fit_columns(page.records)
        self.table.rows_changed(changed)
        self._reach_goal()
        self._hold_anchor()
        self._near_end()
        if self._rows.total != self._counted and self._collection is not None:
            self._counted = self._rows.total
            self.post_message(self.CountKnown(self._collection, self._counted))
        self._notice("No records. : goes elsewhere." if self._rows.total == 0 else "")

    def _failed(self, error: ServiceError) -> None:
        self._problem = str(error)
        self._end_from = None
        self.table.rows_changed(None)
        if not self._rows.loaded:
            self._notice(f"✕ {visible(of_reading(error))}", failed=True)
        else:
            self.post_message(self.RowsFailed(error))

    def _fit_columns(self, records: tuple[Record, ...] | list[Record]) -> None:
        assert self._collection is not None
        settings = self._profile.collections.get(self._collection.key)
        wanted = settings.columns if settings else ()
        before = self.table.columns
        if before:
            columns = widen(before, records, _cells, fixed=bool(wanted))
        else:
            drafts = [Record(draft.fields) for draft in self.table.drafts.values()]
            columns = widen(choose_columns(records, _cells, wanted), drafts, _cells, fixed=bool(wanted))
        if columns != before:
            self.table.show_columns(columns)

    # Keeping the cursor where it belongs

    def _reach_goal(self) -> None:
        goal = self._goal
        if goal is None or not self._rows.loaded:
            return
        self._goal = None
        names = [column.name for column in self.table.columns]
        if goal.field in names:
            self.table.cursor_column = names.index(goal.field)
        row = None if goal.record_id is None else self._rows.index_of(goal.record_id)
        self.table.move_to(goal.row if row is None else row)
        if row is None and goal.record_id is not None:
            self._anchor = replace(goal, row=self.table.cursor_row)

    def _hold_anchor(self) -> None:
        """After a refresh: follow the record that the cursor was on, once its surroundings have been read."""
        anchor = self._anchor
        if anchor is None or anchor.record_id is None or self.table.cursor_row != anchor.row:
            self._anchor = None
            return
        if not self._rows.fresh(anchor.row):
            return
        row = self._rows.index_of(anchor.record_id)
        if row is not None and self._rows.fresh(row):
            self._anchor = None
            self.table.move_to(row)

    def _near_end(self) -> None:
        """On the way to the end: go on until the row that should be the last is there."""
        if self._end_from is None:
            return
        if self.table.cursor_row != self._end_from:
            self._end_from = None
            return
        if not self._rows.end_known:
            self._rows.seek_end()
            return
        last = max(0, self._rows.count - 1)
        self.table.move_to(last)
        self._end_from = None if self._rows.get(last) is not None else last

    def on_record_table_rows_shown(self, event: RecordTable.RowsShown) -> None:
        """The view moved: other pages are wanted."""
        event.stop()
        first, until = self.table.view
        # What is wanted is what is in view now; a message may be older than that.
        self._rows.viewport(first, until, -1 if first < self._top else 1)
        self._top = first
        self._read_on()
        self._retitle()

    def on_record_table_cursor_moved(self, event: RecordTable.CursorMoved) -> None:
        """Tell the screen which record the cursor is on."""
        event.stop()
        if self._collection is not None and event.row == self.table.cursor_row:
            self.post_message(self.CursorMoved(self._collection, event.row, self.table.cursor_record))

    def on_record_table_record_chosen(self, event: RecordTable.RecordChosen) -> None:
        """Tell the screen which record is to be opened."""
        event.stop()
        if self._collection is not None:
            self.post_message(self.RecordChosen(self._collection, event.record))

    def on_record_table_end_wanted(self, event: RecordTable.EndWanted) -> None:
        """Go to the end, wherever it turns out to be."""
        event.stop()
        self.go_end()

    # The frame

    def notify_style_update(self) -> None:
        """The frame's colour may have changed, and the title's line with it."""
        super().notify_style_update()
        if self.is_mounted:
            self._retitle()

    def on_resize(self) -> None:
        """The title spans the frame."""
        self._retitle()

    def _retitle(self) -> None:
        if self._collection is None:
            return
        collection = self._collection
        names = collection.key.split("/") if collection.under else (collection.domain, collection.name)
        title = across(self, shown(" / ".join(names)), Content(" ".join(filter(None, (self._frame, self._count())))))
        edge = Region(-self.content_offset.x, -self.content_offset.y, self.outer_size.width, 1)
        if title != self._border_title:
            # Setting `border_title` would draw the whole pane again, which is dear at every page down.
            self._border_title = title
            self.refresh(edge)
        subtitle = self._state()
        if subtitle != self._border_subtitle:
            self._border_subtitle = subtitle
            self.refresh(edge.translate((0, self.outer_size.height - 1)))

    def _count(self) -> str:
        """`1–26 of 5,000`; `1–26 of 300+` where the end is not known."""
        if not self._rows.loaded:
            return ""
        known = f"{self._rows.known:,}{'' if self._rows.end_known else '+'}"
        first, until = self.table.view
        until = min(until, self._rows.known)
        return f"{first + 1:,}–{until:,} of {known}" if until > first else known

    def _state(self) -> Content:
        parts: list[Content] = []
        if self._problem and self._rows.loaded:
            parts.append(shown(f"✕ {self._problem}", "$role-danger"))
        if changed := sum(bool(draft.edits) for draft in self.table.drafts.values()):
            parts.append(Content(f"{changed:,} changed").stylize("$role-changed"))
        if self._rows.seeking:
            parts.append(Content("looking for the end"))
        if self._rows.shifted:
            parts.append(Content("others write here: rows moved, r reads them again").stylize("$role-warning"))
        if self._read_at is not None and (age := self._now() - self._read_at) >= _OLD:
            parts.append(Content(f"age {age / 60:.0f} min"))
        return Content(" · ").join(parts)

    def _notice(self, text: str, *, failed: bool = False) -> None:
        if (text, failed) == self._noticed:
            return
        self._noticed = text, failed
        notice = self.query_one("#notice", Static)
        notice.update(text)
        notice.set_class(bool(text), "-shown")
        notice.set_class(failed, "-failed")

    def _spin(self) -> None:
        waited = self._now() - self._waiting_since
        if not self._by_hand:
            assert self._spinner is not None
            self._spinner.pause()
            self._waiting_since = 0.0
            self._frame = ""
        elif waited >= SPINNER_AFTER:
            self._frame = SPINNER[int(waited * 10) % len(SPINNER)]
        self._retitle()


def _cells(text: str) -> int:
    return measure(visible(text))
