"""The pane of a collection: tabs, table, frame and filter line, and the parts that load and arrange the rows."""

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
from svc_tui.ui.table.open_collections import OpenCollection, OpenCollections, PageLoader
from svc_tui.ui.table.page_loading import ViewportLoader
from svc_tui.ui.table.row_arrangement import RowArrangement
from svc_tui.ui.table.row_cursor import RowCursor
from svc_tui.ui.table.table_columns import TableColumns
from svc_tui.ui.table.table_frame import EmptyNotice, TableFrame, write_border
from svc_tui.ui.table.title import tab_label
from svc_tui.ui.terminal.done_notifier import LongWork, WorkEnded
from svc_tui.ui.text import visible
from svc_tui.ui.widgets.bars.tab_bar import Tab, TabBar
from svc_tui.ui.widgets.inputs.filter_input import FilterInput
from svc_tui.ui.widgets.table.record_table import RecordTable

_AGE_SECONDS = 30.0
"""Seconds between two updates of the age of the rows."""

_EMPTIED = "No space left for temporary files: the loaded records were dropped and are loaded again when needed."


class CollectionTabs(TabBar, can_focus=False, inherit_bindings=False):
    """The tabs of the open collections; hidden while only one is open."""

    DEFAULT_CSS = """
    CollectionTabs {
        display: none;
        &.-several { display: block; }
    }
    """

    @dataclass
    class CollectionWanted(Message):
        """Sent when the user chooses another collection."""

        collection: Collection

    def __init__(self) -> None:
        super().__init__([])
        self._open: tuple[Collection, ...] = ()
        self._here: Collection | None = None

    def show(self, collections: Sequence[Collection], here: Collection | None) -> None:
        """Show a tab for each collection; `here` is the one that is shown."""
        self._open, self._here = tuple(collections), here
        self.tabs = [Tab(tab_label(collection)) for collection in self._open]
        self.set_class(len(self._open) > 1, "-several")
        if here in self._open:
            with self.prevent(TabBar.Chosen):
                self.chosen = self._open.index(here)

    def step(self, tabs: int) -> None:
        """Choose another tab, from the last to the first and back."""
        if len(self._open) > 1:
            self.action_step(tabs)

    def on_tab_bar_chosen(self, event: TabBar.Chosen) -> None:
        """Ask for the collection of the tab."""
        event.stop()
        if event.index < len(self._open) and self._open[event.index] != self._here:
            self.post_message(self.CollectionWanted(self._open[event.index]))


@keys_count_in(RecordTable)
class TablePane(Vertical):
    """A table of one collection of any size; collections opened before keep their rows and their position."""

    DEFAULT_CSS = """
    TablePane {
        & > #rows { height: 1fr; layers: table notice; align: center middle; }
        & RecordTable { height: 1fr; layer: table; }
        & > #rest { height: 1; display: none; color: $role-muted; }
    }
    """

    @dataclass
    class CursorMoved(Message):
        """Sent when the cursor is on another record or column; `record` is None until the row is loaded."""

        collection: Collection
        row: int
        record: Record | None

    @dataclass
    class RecordChosen(Message):
        """Sent when the user opens a record."""

        collection: Collection
        record: Record

    @dataclass
    class CountKnown(Message):
        """Sent when the number of records changed; `total` is None if it is no longer known."""

        collection: Collection
        total: int | None

    class KindsKnown(Message):
        """Sent when loaded records tell more about the kinds of the fields."""

    class Arranged(Message):
        """Sent when the user filtered or sorted the rows; some may not be loaded."""

    @dataclass
    class NoticePosted(Message):
        """Sent with a sentence for the user."""

        text: str

    @dataclass
    class RowsFailed(Message):
        """Sent when further rows could not be loaded; beside those on the screen, there is no room for the reason."""

        error: ServiceError

    BINDINGS = marking.BINDINGS

    table = getters.query_one(RecordTable)
    """The table; it takes the focus."""
    filter_line = getters.query_one(FilterInput)
    """The line in which the filter is typed."""
    tabs = getters.query_one(CollectionTabs)
    """The tabs of the open collections."""

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
        """Create the pane; `records` stores what is loaded, `monotonic` counts seconds, times are shown in `tz`."""
        super().__init__(classes="pane")
        self._profile, self._remembered, self._records, self._drafts = profile, remembered, records, drafts
        self._now, self._tz = monotonic, tz
        self._privacy_mask = privacy_mask or PrivacyMask()
        self.open_collections = OpenCollections(
            lambda opened: PageLoader(self, gateway, opened, self._arrived, self._failed)
        )
        self._nothing = SparseRows(records, "", profile.page_size)

    def compose(self) -> ComposeResult:
        """Compose the tabs, the table with its notice, the line about rows that are not loaded, and the filter line."""
        yield CollectionTabs()
        with Vertical(id="rows"):
            yield RecordTable(self._tz)
            yield EmptyNotice()
        yield Static(id="rest")
        yield FilterInput()

    def on_mount(self) -> None:
        """Create the parts that load, arrange and mark the rows."""
        table, collections = self.table, self.open_collections
        self._frame = TableFrame(self, table, collections, self._privacy_mask, self._now, self.write_frame)
        self.cursor = RowCursor(table, collections, self._frame)
        self.viewport = ViewportLoader(self, table, self.cursor, collections, self._frame, self._now)
        self.marking = marking.RowMarker(
            table, collections, self._marks_changed, lambda text: self.post_message(self.NoticePosted(text))
        )
        self._columns = TableColumns(table, self._profile.collections)
        self.arrangement = RowArrangement(
            table, self.filter_line, self.cursor, self.marking, collections, self._rearranged, self._tz
        )
        self.set_interval(_AGE_SECONDS, self._frame.refresh)
        self.mask_toggled()

    # The shown collection

    @property
    def collection(self) -> Collection | None:
        """The collection that is shown."""
        opened = self.open_collections.current
        return None if opened is None else opened.collection

    @property
    def rows(self) -> SparseRows:
        """All rows of the shown collection."""
        opened = self.open_collections.current
        return self._nothing if opened is None else opened.rows

    def open(self, collection: Collection) -> None:
        """Show a collection as it was left, or from its first row."""
        self._leave()
        opened = self.open_collections.get(collection)
        if opened is None:
            last = self._remembered.habit(collection.kind).last
            layout = self._columns.initial_layout(collection, last.columns)
            profile = self._profile
            rows = SparseRows(self._records, collection.path, profile.page_size, bulk_limit=profile.bulk_page_size)
            opened = OpenCollection(collection, rows, last.query, layout=layout)
        self._show(opened)

    def show_nothing(self) -> None:
        """Show no collection and request nothing more; the collection that was open keeps its position."""
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
        self._columns.learn_drafts(opened)
        self.table.show(opened.shown, self._columns.columns(opened))
        self.table.filter, self.table.sort = opened.arranged.filter, opened.arranged.sort
        self.marking.show()
        opened.goal = opened.return_position
        self.tabs.show(self.open_collections.collections, self.collection)
        if opened.rows.loaded:
            self.cursor.move_to_goal(opened)
        self.viewport.begin(opened)

    # Changes from outside

    def refresh_rows(self) -> None:
        """Load the rows in view again, and what failed; the cursor stays on its record."""
        if (opened := self.open_collections.current) is not None:
            self.marking.end_range()
            self.viewport.refresh(opened)

    def replace(self, record: Record) -> None:
        """Show a newer version of a record in its row."""
        opened = self.open_collections.current
        if opened is None:
            return
        self.marking.records_arrived(opened, [record])
        row = opened.rows.replace(record)
        if row is None:
            return
        self._columns.learn(opened, (record,))
        self._columns.fit(opened)
        if not opened.arranged:
            self.table.rows_changed(range(row, row + 1))
        self.arrangement.rearrange()

    def show_drafts(self) -> None:
        """Show the drafts as they are now."""
        if (opened := self.open_collections.current) is not None:
            self.table.drafts = self._drafts.of(opened.collection)
            self._columns.fit(opened)
        self._frame.refresh()

    @property
    def value_region(self) -> Region | None:
        """The cells of the screen that show the value under the cursor; None if it is out of view."""
        return self.table.value_region

    def show_edited(self, kind: str, field: str = "") -> None:
        """Show on the border the kind of the value that is edited in its place; "" ends that."""
        self._frame.edited_kind = kind
        self._frame.refresh()

    def mask_toggled(self) -> None:
        """Hide personal data, or show it again."""

        def masked(draft: Draft) -> Draft:
            return self._privacy_mask.draft(draft, self.collection.domain if self.collection is not None else "")

        self.table.mask = masked if self._privacy_mask.on else None
        self._rearranged()

    def _marks_changed(self) -> None:
        self._frame.refresh()
        # The key bar names the keys for marks if there are any.
        self.screen.refresh_bindings()

    # The view: columns, filter, sort and query

    @property
    def view(self) -> View:
        """The view of the shown collection."""
        opened = self.open_collections.current
        if opened is None:
            return View()
        columns = self._remembered.habit(opened.collection.kind).last.columns
        return View(opened.filter.text, opened.sort, columns, opened.query)

    def kind_of(self, path: str) -> Kind | None:
        """Return the kind of a field of the shown collection, from all the records seen; None if it was not seen."""
        opened = self.open_collections.current
        return None if opened is None else opened.layout.kinds.get(path)

    def choose_columns(self, chosen: Sequence[ChosenColumn], *, keep: bool = True) -> None:
        """Show these columns, or the automatic ones if there are none; `keep` remembers the choice."""
        opened = self.open_collections.current
        if opened is None:
            return
        self._columns.choose(opened, chosen)
        self._frame.refresh()
        if keep:
            self._remember(opened, lambda last: replace(last, columns=tuple(chosen)))

    def set_service_query(self, query: tuple[tuple[str, str], ...]) -> None:
        """Load the collection with other query parameters, from its first row."""
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
        """Show values raw, or formatted."""
        self.table.raw = raw
        if (opened := self.open_collections.current) is not None:
            self._columns.show(opened)
        self._frame.refresh()

    def _rearranged(self) -> None:
        self._tell_if_emptied()
        self._frame.refresh()

    def _tell_if_emptied(self) -> None:
        """Tell the user once that the loaded records were dropped because there was no space left."""
        if self._records.was_emptied:
            self._records.was_emptied = False
            self.post_message(self.NoticePosted(_EMPTIED))
            self.arrangement.rearrange()

    @on(RecordTable.SortWanted)
    def _order_by(self, event: RecordTable.SortWanted) -> None:
        event.stop()
        sort = next_sort(self.view.sort, event.field)
        self.arrangement.sort_by(sort)
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
        self.arrangement.filter_by(local)
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
        """Fill missing rows with pages loaded elsewhere at `as_of`; those in view are then loaded again.

        Raises IndexProblem.
        """
        opened.indexed_at = as_of
        async with aclosing(pages):
            async for page in pages:
                if opened.rows.fill(page):
                    opened.indexed_pages.add(page.number)
                    self._columns.learn(opened, page.records)
                    if opened is self.open_collections.current:
                        self.arrangement.records_arrived()
        if opened is self.open_collections.current:
            self._columns.fit(opened)
            self.table.rows_changed(None)
            self.arrangement.rearrange()
            self.viewport.view_moved()

    # Arriving pages

    def _arrived(self, opened: OpenCollection, page: Page, changed: range) -> None:
        if opened.records_arrived(self._now()) and not opened.read_rest_again():
            assert opened.load_rest_started_at is not None
            self.post_message(WorkEnded(LongWork.LOADING, time.monotonic() - opened.load_rest_started_at))
            opened.load_rest_started_at = None
        self._tell_if_emptied()
        self.viewport.watcher.records_arrived(opened)
        self.marking.records_arrived(opened, page.records)
        if self._columns.learn(opened, page.records):
            self.post_message(self.KindsKnown())
        if opened is not self.open_collections.current or not self.query(RecordTable):
            # Another collection is shown, or the pane is being removed.
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
        # With a query, the total is not the number of records in the collection.
        if opened.rows.total != opened.counted and not opened.query:
            opened.counted = opened.rows.total
            self.post_message(self.CountKnown(opened.collection, opened.counted))
        self.viewport.request_pages()

    def _return_to_top(self, opened: OpenCollection) -> None:
        """Go to the first row after the rest was loaded, unless the user has moved to another record meanwhile."""
        has_moved = self.cursor.position.record_id != opened.top_record_id
        opened.top_record_id = None
        if not has_moved:
            self.arrangement.rearrange()
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

    # Messages of the table

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
            # It names the field that matches.
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
        """Mark or unmark records; see `marking.BINDINGS`."""
        self.marking.do(what)

    # The frame

    def notify_style_update(self) -> None:
        """Write the frame again: its colour may have changed, and the title's line with it."""
        super().notify_style_update()
        if self.is_mounted:
            self._frame.refresh()

    def on_resize(self) -> None:
        """Write the frame again: its title spans its width."""
        self._frame.refresh()

    def write_frame(self, name: Content, count: str, state: Content) -> None:
        """Write the frame around the table."""
        write_border(self, name, count, state)
