"""A pane that shows a collection: it fills the table's rows page by page, and says how much there is."""

import time
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo

from textual import getters, on
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.geometry import Region
from textual.message import Message
from textual.widgets import Static

from svc_tui.core.catalog import Collection
from svc_tui.core.draft import Draft
from svc_tui.core.filters import split_terms
from svc_tui.core.kinds import Kind
from svc_tui.core.records import Page, Record
from svc_tui.core.settings import Profile
from svc_tui.core.values import replace
from svc_tui.core.views import ChosenColumn, View, next_sort
from svc_tui.records.columns import ColumnChoice
from svc_tui.records.sparse_rows import SparseRows
from svc_tui.service.errors import ServiceError
from svc_tui.service.gateway import PageSource
from svc_tui.session.privacy_mask import PrivacyMask
from svc_tui.session.remembered_choices import RememberedChoices
from svc_tui.session.unsent_drafts import Drafts
from svc_tui.storage.record_store import RecordStore
from svc_tui.ui.keys.key_scopes import keys_count_in
from svc_tui.ui.report import error_report
from svc_tui.ui.table import marking
from svc_tui.ui.table.collection_tabs import CollectionTabs
from svc_tui.ui.table.open_collections import OpenCollection, OpenCollections, PageLoader
from svc_tui.ui.table.page_loading import ViewportLoader
from svc_tui.ui.table.row_arrangement import RowArrangement
from svc_tui.ui.table.row_cursor import RowCursor
from svc_tui.ui.table.table_columns import TableColumns
from svc_tui.ui.table.table_frame import EmptyNotice, TableFrame, write_border
from svc_tui.ui.terminal.done_notices import LongWork
from svc_tui.ui.terminal.done_notifier import WorkEnded
from svc_tui.ui.text import visible
from svc_tui.ui.widgets.inputs.filter_input import FilterInput
from svc_tui.ui.widgets.table.record_table import RecordTable

_AGE_SECONDS = 30.0
"""Seconds between two updates of the age shown with the rows."""

_EMPTIED = "No space left for temporary files: the loaded records were dropped and are loaded again when needed."


@keys_count_in(RecordTable)
class TablePane(Vertical):
    """One collection at a time, however large; those opened before keep their rows and their place."""

    DEFAULT_CSS = """
    TablePane {
        & > #rows { height: 1fr; layers: table notice; align: center middle; }
        & RecordTable { height: 1fr; layer: table; }
        & > #rest { height: 1; display: none; color: $role-muted; }
    }
    """

    @dataclass
    class CursorMoved(Message):
        """The cursor is on another record or column; `record` None while the row has not come."""

        collection: Collection
        row: int
        record: Record | None

    @dataclass
    class RecordChosen(Message):
        """The user wants to see this record."""

        collection: Collection
        record: Record

    @dataclass
    class CountKnown(Message):
        """How many records the collection holds; None: no longer known."""

        collection: Collection
        total: int | None

    class KindsKnown(Message):
        """The records that came tell more of what kinds of values the fields hold."""

    class Arranged(Message):
        """Rows stand filtered or sorted; it may be that not all of the collection was looked through."""

    @dataclass
    class NoticePosted(Message):
        """Something to tell the user, in one sentence."""

        text: str

    @dataclass
    class RowsFailed(Message):
        """Further rows could not be read; what is there stays, and has no room for the whole reason."""

        error: ServiceError

    BINDINGS = marking.BINDINGS

    table = getters.query_one(RecordTable)
    """The table; it takes the focus."""
    filter_line = getters.query_one(FilterInput)
    """The line of `/`."""
    tabs = getters.query_one(CollectionTabs)
    """The tabs of the collections that are open."""

    def __init__(
        self,
        gateway: PageSource,
        profile: Profile,
        remembered: RememberedChoices,
        records: RecordStore,
        drafts: Drafts,
        monotonic: Callable[[], float] = time.monotonic,
        tz: tzinfo = UTC,
        privacy_mask: PrivacyMask | None = None,
    ) -> None:
        """Make the pane; `records` takes what is read, `monotonic` counts seconds, times are shown in `tz`."""
        super().__init__(classes="pane")
        self._profile, self._remembered, self._records, self._drafts = profile, remembered, records, drafts
        self._now, self._tz = monotonic, tz
        self._privacy_mask = privacy_mask or PrivacyMask()
        self.open_collections = OpenCollections(
            lambda opened: PageLoader(self, gateway, opened, self._arrived, self._failed)
        )
        self._nothing = SparseRows(records, "", profile.page_size)

    def compose(self) -> ComposeResult:
        """The table, a sentence where there is nothing to show, and a line about rows that are not loaded."""
        yield CollectionTabs()
        with Vertical(id="rows"):
            yield RecordTable(self._tz)
            yield EmptyNotice()
        yield Static(id="rest")
        yield FilterInput()

    def on_mount(self) -> None:
        """Make the parts that know how the rows are looked at."""
        table, collections = self.table, self.open_collections
        self._frame = TableFrame(self, table, collections, self._privacy_mask, self._now, self.write_frame)
        self.cursor = RowCursor(table, collections, self._frame)
        self.viewport = ViewportLoader(self, table, self.cursor, collections, self._frame, self._now)
        self.marking = marking.RowMarker(
            table, collections, self._marks_changed, lambda text: self.post_message(self.NoticePosted(text))
        )
        self._columns = TableColumns(table, self._profile.collections)
        self.arrangement = RowArrangement(
            table,
            self.filter_line,
            self.cursor,
            collections,
            self.marking.end_range,
            self._rearranged,
            lambda: datetime.now(self._tz),
        )
        self.set_interval(_AGE_SECONDS, self._frame.refresh)
        self.mask_toggled()

    # What is on show

    @property
    def collection(self) -> Collection | None:
        """The collection on show."""
        opened = self.open_collections.current
        return None if opened is None else opened.collection

    @property
    def rows(self) -> SparseRows:
        """The rows of the collection on show."""
        opened = self.open_collections.current
        return self._nothing if opened is None else opened.rows

    def open(self, collection: Collection) -> None:
        """Show a collection as it was left, or from the top."""
        self._leave()
        opened = self.open_collections.get(collection)
        if opened is None:
            last = self._remembered.habit(collection.kind).last
            layout = self._columns.layout(collection, last.columns)
            profile = self._profile
            rows = SparseRows(self._records, collection.path, profile.page_size, bulk_limit=profile.bulk_page_size)
            opened = OpenCollection(collection, rows, last.query, layout=layout)
        self._show(opened)

    def show_nothing(self) -> None:
        """Show nothing, and ask for nothing more; what was open keeps its place."""
        self._leave()
        self.open_collections.hide()
        self.table.show(self._nothing, ())
        self.viewport.stop_retrying()
        self._frame.refresh()

    def _leave(self) -> None:
        self.arrangement.close_filter()
        if (opened := self.open_collections.current) is not None:
            opened.stop_end_seek()
            self.marking.end_range()
            opened.return_position, opened.saved_top = self.cursor.position, self.table.view[0]

    def _show(self, opened: OpenCollection) -> None:
        self.open_collections.show(opened)
        self._frame.begin()
        self.table.drafts = self._drafts.of(opened.collection)
        self._columns.saw_drafts(opened)
        self.table.show(opened.shown, self._columns.columns(opened))
        self.table.filter, self.table.sort = opened.arranged.filter, opened.arranged.sort
        self.marking.show()
        opened.goal = opened.return_position
        self.tabs.show(self.open_collections.collections, self.collection)
        if opened.rows.loaded:
            self.cursor.move_to_goal(opened)
        self.viewport.begin(opened)

    # What the screen has it do

    def refresh_rows(self) -> None:
        """Read what is in view again; the cursor stays on its record. What failed is tried again."""
        if (opened := self.open_collections.current) is not None:
            self.marking.end_range()
            self.viewport.refresh(opened)

    def replace(self, record: Record) -> None:
        """Show a newer reading of a record in its row."""
        opened = self.open_collections.current
        if opened is None:
            return
        self.marking.records_arrived(opened, [record])
        row = opened.rows.replace(record)
        if row is None:
            return
        self._columns.saw(opened, (record,))
        self._columns.fit(opened)
        if not opened.arranged:
            self.table.rows_changed(range(row, row + 1))
        self.arrangement.again()

    def show_drafts(self) -> None:
        """Show the edits not yet sent as they are now."""
        if (opened := self.open_collections.current) is not None:
            self.table.drafts = self._drafts.of(opened.collection)
            self._columns.fit(opened)
        self._frame.refresh()

    @property
    def value_region(self) -> Region | None:
        """The cells of the screen that show the value under the cursor; None if it is out of view."""
        return self.table.value_region

    def show_edited(self, kind: str, field: str = "") -> None:
        """Say on the border which kind of value is edited in its place; "" ends that."""
        self._frame.edited_kind = kind
        self._frame.refresh()

    def mask_toggled(self) -> None:
        """Personal data is to be hidden, or to be shown again."""

        def masked(draft: Draft) -> Draft:
            return self._privacy_mask.draft(draft, self.collection.domain if self.collection is not None else "")

        self.table.mask = masked if self._privacy_mask.on else None
        self._rearranged()

    def _marks_changed(self) -> None:
        self._frame.refresh()
        # The line of keys speaks of marks where there are any.
        self.screen.refresh_bindings()

    # How it is looked at: columns, filter, order and query, remembered for the next time

    @property
    def view(self) -> View:
        """How the collection on show is looked at now."""
        opened = self.open_collections.current
        if opened is None:
            return View()
        columns = self._remembered.habit(opened.collection.kind).last.columns
        return View(opened.filter.text, opened.sort, columns, opened.query)

    def kind_of(self, path: str) -> Kind | None:
        """The kind of a field of the collection on show, from all the records seen; None where it was not seen."""
        opened = self.open_collections.current
        return None if opened is None else opened.layout.kinds.get(path)

    def choose_columns(self, chosen: Sequence[ChosenColumn], *, keep: bool = True) -> None:
        """Show these columns, with none the automatic ones; `keep` remembers the choice."""
        opened = self.open_collections.current
        if opened is None:
            return
        self._columns.choose(opened, chosen)
        self._frame.refresh()
        if keep:
            self._remember(opened, lambda last: replace(last, columns=tuple(chosen)))

    def set_service_query(self, query: tuple[tuple[str, str], ...]) -> None:
        """Have the service choose by these parameters: other rows, read from the top."""
        opened = self.open_collections.current
        if opened is not None and query != opened.query:
            self.arrangement.close_filter()
            self._show(opened.with_query(query))
            self._remember(opened, lambda last: replace(last, query=query))

    def _remember(self, opened: OpenCollection, change: Callable[[View], View]) -> None:
        kind = opened.collection.kind
        habit = self._remembered.habit(kind)
        self.run_worker(self._remembered.changed(kind, replace(habit, last=change(habit.last))), group="memory")

    def show_raw(self, raw: bool) -> None:
        """Show values as they came, or as people read them."""
        self.table.raw = raw
        if (opened := self.open_collections.current) is not None:
            self._columns.show(opened)
        self._frame.refresh()

    def _rearranged(self) -> None:
        self._tell_if_emptied()
        self._frame.refresh()

    def _tell_if_emptied(self) -> None:
        """Tell the user once that the loaded records were dropped, since there was no space left for them."""
        if self._records.was_emptied:
            self._records.was_emptied = False
            self.post_message(self.NoticePosted(_EMPTIED))
            self.arrangement.again()

    @on(RecordTable.SortWanted)
    def _order_by(self, event: RecordTable.SortWanted) -> None:
        event.stop()
        sort = next_sort(self.view.sort, event.field)
        self.arrangement.order(sort)
        if sort is not None:
            self.post_message(self.Arranged())

    @on(RecordTable.ColumnSized)
    def _size_column(self, event: RecordTable.ColumnSized) -> None:
        event.stop()
        if (opened := self.open_collections.current) is not None:
            choice = ColumnChoice(opened.layout.explicit).sized(event.field, event.width)
            self.choose_columns(choice.shown, keep=event.kept)

    @on(FilterInput.Submitted)
    @on(FilterInput.Cancelled)
    def _filter(self, event: FilterInput.Submitted | FilterInput.Cancelled) -> None:
        event.stop()
        local, query = split_terms("" if isinstance(event, FilterInput.Cancelled) else event.text)
        self.arrangement.choose(local)
        self.arrangement.close_filter()
        self.viewport.view_moved()
        self.table.focus()
        opened = self.open_collections.current
        if query and opened is not None:
            names = {name for name, _ in query}
            other_parameters = tuple(pair for pair in opened.query if pair[0] not in names)
            self.set_service_query((*other_parameters, *query))
        elif local:
            self.post_message(self.Arranged())

    async def take_known(self, opened: OpenCollection, pages: AsyncGenerator[Page, None], as_of: datetime) -> None:
        """Show rows that were loaded elsewhere at `as_of`, where none were read; those in view are read again.

        Raises IndexProblem.
        """
        opened.indexed_at = as_of
        async with aclosing(pages):
            async for page in pages:
                if opened.rows.fill(page):
                    opened.indexed_pages.add(page.number)
                    self._columns.saw(opened, page.records)
                    if opened is self.open_collections.current:
                        self.arrangement.records_arrived()
        if opened is self.open_collections.current:
            self._columns.fit(opened)
            self.table.rows_changed(None)
            self.arrangement.again()
            self.viewport.view_moved()

    # Pages that come

    def _arrived(self, opened: OpenCollection, page: Page, changed: range) -> None:
        if opened.records_arrived(self._now()) and not opened.read_rest_again():
            assert opened.load_rest_started_at is not None
            self.post_message(WorkEnded(LongWork.LOADING, time.monotonic() - opened.load_rest_started_at))
            opened.load_rest_started_at = None
        self._tell_if_emptied()
        self.viewport.watcher.records_arrived(opened)
        self.marking.records_arrived(opened, page.records)
        if self._columns.saw(opened, page.records):
            self.post_message(self.KindsKnown())
        if opened is not self.open_collections.current or not self.query(RecordTable):
            # Another collection is on show; or none any more, as the program ends.
            return
        self.viewport.stop_retrying()
        self._columns.fit(opened)
        if not opened.arranged:
            self.table.rows_changed(changed)
            self.cursor.rows_arrived(opened)
        self.arrangement.records_arrived()
        if opened.top_record_id is not None and opened.load_rest_started_at is None:
            self._return_to_top(opened)
        if opened.takes_rest:
            opened.takes_rest = False
            self.post_message(self.Arranged())
        # A number that the service was asked to choose is not how many the collection holds.
        if opened.rows.total != opened.counted and not opened.query:
            opened.counted = opened.rows.total
            self.post_message(self.CountKnown(opened.collection, opened.counted))
        self.viewport.request_pages()

    def _return_to_top(self, opened: OpenCollection) -> None:
        """Go to the first row after the rest was loaded, unless the user has moved to another record meanwhile."""
        has_moved = self.cursor.position.record_id != opened.top_record_id
        opened.top_record_id = None
        if not has_moved:
            self.arrangement.again()
            self.arrangement.finish()
            self.table.move_to(0)

    def _failed(self, opened: OpenCollection, error: ServiceError, awaited: bool) -> None:
        opened.problem = str(error) if opened.rows.loaded else visible(error_report(error).body)
        opened.end_seek_row = None
        if opened.load_rest_started_at is not None and not opened.rows.queue.requested:
            opened.load_rest_started_at, opened.offers_rest = None, True
        on_show = opened is self.open_collections.current and bool(self.query(RecordTable))
        self.viewport.failed(opened, error, on_show=on_show)
        if not on_show:
            return
        self.table.rows_changed(None)
        if opened.rows.loaded and awaited:
            self.post_message(self.RowsFailed(error))
        self.viewport.request_pages()

    # What the table tells

    @on(RecordTable.RowsShown)
    def _rows_shown(self, event: RecordTable.RowsShown) -> None:
        event.stop()
        self.viewport.view_moved()

    @on(RecordTable.EndWanted)
    def _go_end(self, event: RecordTable.EndWanted) -> None:
        event.stop()
        self.viewport.go_end()

    @on(RecordTable.CursorMoved)
    def _cursor_moved(self, event: RecordTable.CursorMoved) -> None:
        event.stop()
        self.marking.cursor_moved()
        if self.arrangement.filter:
            # It says where the record holds what is looked for.
            self._frame.refresh()
        if self.collection is not None and event.row == self.table.cursor_row:
            self.post_message(self.CursorMoved(self.collection, event.row, self.table.cursor_record))

    @on(RecordTable.RecordChosen)
    def _record_chosen(self, event: RecordTable.RecordChosen) -> None:
        event.stop()
        if self.collection is not None:
            self.post_message(self.RecordChosen(self.collection, event.record))

    @on(RecordTable.MarkWanted)
    def _mark_clicked(self, event: RecordTable.MarkWanted) -> None:
        event.stop()
        self.marking.row_clicked(event)

    def action_mark(self, what: str) -> None:
        """Mark records, or take marks off; see `marking`."""
        self.marking.do(what)

    # The frame

    def notify_style_update(self) -> None:
        """Write the frame anew: its colour may have changed, and the title's line with it."""
        super().notify_style_update()
        if self.is_mounted:
            self._frame.refresh()

    def on_resize(self) -> None:
        """Write the frame anew: its title spans it."""
        self._frame.refresh()

    def write_frame(self, name: Content, count: str, state: Content) -> None:
        """Show these around the table."""
        write_border(self, name, count, state)
