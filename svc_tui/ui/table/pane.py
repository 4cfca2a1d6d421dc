"""A pane that shows a collection: it fills the table's rows page by page, and says how much there is."""

import time
from collections.abc import Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, tzinfo
from typing import Any

from textual import getters
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message
from textual.widgets import Static

from svc_tui.domain.app.done_notices import Work
from svc_tui.domain.collections.column_choice import ColumnChoice
from svc_tui.domain.collections.columns import Column
from svc_tui.domain.collections.filters import parted
from svc_tui.domain.collections.sparse_rows import SparseRows
from svc_tui.domain.collections.views import ChosenColumn, View, turned
from svc_tui.domain.data.kinds import Kind
from svc_tui.domain.data.references import Held
from svc_tui.domain.editing.draft import Draft
from svc_tui.domain.http.errors import ServiceError
from svc_tui.domain.http.gateway import Gateway
from svc_tui.domain.model.catalog import Collection
from svc_tui.domain.model.records import Page, Record
from svc_tui.domain.model.settings import Profile
from svc_tui.domain.model.traffic import TrafficEvent
from svc_tui.ui.report import of_reading
from svc_tui.ui.session.privacy_mask import PrivacyMask
from svc_tui.ui.session.remembered_choices import RememberedChoices
from svc_tui.ui.table import marking, title
from svc_tui.ui.table.column_fit import ColumnSizing
from svc_tui.ui.table.cursor import Cursor
from svc_tui.ui.table.filter_sort import Arrangement
from svc_tui.ui.table.frame import Frame, Spinner
from svc_tui.ui.table.open_collection import OpenCollection, OpenCollections, PageLoader, Position
from svc_tui.ui.table.reconnect import Reconnecting
from svc_tui.ui.table.scroll_settle import ScrollDebounce
from svc_tui.ui.table.tabs import OpenTabs
from svc_tui.ui.table.watching import Watching
from svc_tui.ui.terminal.done_notices import WorkEnded
from svc_tui.ui.text import visible
from svc_tui.ui.widgets.inputs.filter_input import FilterLine
from svc_tui.ui.widgets.table.record_table import RecordTable


class TablePane(Vertical):
    """One collection at a time, however large; those opened before keep their rows and their place."""

    DEFAULT_CSS = """
    TablePane {
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
    class TabChosen(Message):
        """Another of the collections that are open is to be shown."""

        collection: Collection

    @dataclass
    class CountKnown(Message):
        """How many records the collection holds; None: no longer known."""

        collection: Collection
        total: int | None

    class KindsKnown(Message):
        """The records that came tell more of what kinds of values the fields hold."""

    class FilterKept(Message):
        """A filter stands; it may be that not all of the collection was looked through."""

    @dataclass
    class Told(Message):
        """Something to tell the user, in one sentence."""

        text: str

    @dataclass
    class RowsFailed(Message):
        """Further rows could not be read; what is there stays, and has no room for the whole reason."""

        error: ServiceError

    BINDINGS = marking.BINDINGS

    table = getters.query_one(RecordTable)
    """The table; it takes the focus."""
    filter_line = getters.query_one(FilterLine)
    """The line of `/`."""

    def __init__(
        self,
        gateway: Gateway,
        profile: Profile,
        remembered: RememberedChoices,
        monotonic: Callable[[], float] = time.monotonic,
        tz: tzinfo = UTC,
        privacy_mask: PrivacyMask | None = None,
        *,
        id: str | None = None,  # noqa: A002 - Textual's own name for it
    ) -> None:
        super().__init__(id=id, classes="pane")
        self._gateway = gateway
        self._profile = profile
        self._remembered = remembered
        self._now = monotonic
        self._tz = tz
        self._privacy_mask = privacy_mask or PrivacyMask()
        self._sheets = OpenCollections()
        self._reader: PageLoader | None = None
        self._nothing = SparseRows(profile.page_size)
        self._noticed = ("", False)

    def compose(self) -> ComposeResult:
        """The table, and above it a sentence where there is nothing to show."""
        yield OpenTabs()
        yield Static(id="notice", markup=False)
        yield RecordTable(self._tz)
        yield FilterLine()

    def on_mount(self) -> None:
        """Make those who know how rows are looked at."""
        self._steering = Cursor(self.table)
        self._settling = ScrollDebounce(self, self._now, self._look)
        self.reconnecting = Reconnecting(self, self._try_again)
        self.watching = Watching(self, self.table, lambda: self._sheet, self._watch_on)
        self.marking = marking.Marking(self.table, lambda: self._sheet, self._retitle, self._tell)
        self._fitting = ColumnSizing(self.table, self._profile.collections)
        self.arrangement = Arrangement(
            self, self.table, self._steering, lambda: self._sheet, self.marking.settle, self._rearranged
        )
        self._spinner = Spinner(self, self._now, lambda: self._awaited, self._retitle)
        self._frame = Frame(self)
        self.set_interval(30, self._retitle)
        self.mask_toggled()

    # What the screen uses

    @property
    def _sheet(self) -> OpenCollection | None:
        return None if self._reader is None else self._reader.sheet

    @property
    def collection(self) -> Collection | None:
        """The collection on show."""
        return None if self._sheet is None else self._sheet.collection

    @property
    def rows(self) -> SparseRows:
        """The rows of the collection on show."""
        return self._nothing if self._sheet is None else self._sheet.rows

    @property
    def columns(self) -> tuple[Column, ...]:
        """The columns on show."""
        return self.table.columns

    @property
    def position(self) -> Position:
        """Where the cursor is, for coming back later."""
        return self._steering.position

    def open(self, collection: Collection) -> None:
        """Show a collection as it was left, or from the top."""
        self._leave()
        reader = self._sheets.get(collection)
        if reader is None:
            last = self._remembered.habit(collection.kind).last
            layout = self._fitting.layout(collection, last.columns)
            reader = self._opened(
                OpenCollection(collection, SparseRows(self._profile.page_size), last.query, layout=layout)
            )
        self._sheets.used(collection)
        self._show(reader)

    def put_away(self) -> None:
        """Show nothing, and ask for nothing more; what was open keeps its place."""
        self._leave()
        if self._reader is not None:
            self._reader.resting = True
            self._reader = None
        self.table.show(self._nothing, ())
        self.filter_line.close()
        self.reconnecting.stop()
        self._notice("")

    def _opened(self, sheet: OpenCollection) -> PageLoader:
        reader = PageLoader(self._gateway, sheet, self._start, self._arrived, self._failed)
        self._sheets.put(reader)
        return reader

    def _leave(self) -> None:
        if self._sheet is not None:
            self._sheet.rows.stop_seeking()
            self.marking.settle()
            self._sheet.position, self._sheet.left_top = self.position, self.table.view[0]

    def _show(self, reader: PageLoader) -> None:
        if self._reader is not None:
            self._reader.resting = True
        self._reader = reader
        reader.resting = False
        sheet = reader.sheet
        sheet.end_from = None
        self._spinner.begin()
        self.table.drafts = {}
        self.table.show(sheet.shown, self._fitting.columns(sheet))
        self.table.sort = sheet.arranged.sort
        self.marking.show()
        self.filter_line.close()
        sheet.goal = sheet.position
        self.query_one(OpenTabs).show(self._sheets.collections, self.collection)
        self._notice_state()
        if sheet.rows.loaded:
            self._steering.reach_goal(sheet)
        self._settling.begin(self.table.view[0])
        self.reconnecting.stop()
        sheet.rows.retry(awaited=False)
        self.watching.show()
        self._read_on()
        self._retitle()

    def _start(self, work: Coroutine[Any, Any, None]) -> None:
        self.run_worker(work, group="pages", exclusive=False)

    def refresh_rows(self) -> None:
        """Read what is in view again; the cursor stays on its record. What failed is tried again."""
        sheet = self._sheet
        if sheet is None:
            return
        self.marking.settle()
        self.reconnecting.stop()
        sheet.rows.retry()
        if sheet.rows.loaded:
            sheet.rows.invalidate()
            if sheet.arranged:
                sheet.rows.ask_for(dict.fromkeys(map(sheet.arranged.page_of, range(*self.table.view))))
            else:
                sheet.anchor = self.position
        sheet.problem = ""
        sheet.renewing = True
        self._notice("")
        self.table.rows_changed(None)
        self._read_on()
        self._retitle()

    def go_end(self) -> None:
        """Put the cursor on the true last record: one page where the total is known, O(log n) where it is not."""
        sheet = self._sheet
        if sheet is None or sheet.arranged:
            return
        self._steering.set_out_for_end(sheet)
        self._read_on()
        self._retitle()

    def go_to_row(self, row: int) -> None:
        """Put the cursor on a row, or on the last one where there are fewer: one page is read for it."""
        sheet = self._sheet
        if sheet is None:
            return
        if sheet.rows.loaded:
            sheet.goal = sheet.anchor = None
            self.table.move_to(row)
        else:
            sheet.goal = Position(row)
        self.table.focus()

    def return_to(self, position: Position) -> None:
        """Put the cursor where it was at another time, once the rows have come."""
        if self._sheet is not None:
            self._sheet.goal = position

    def select_record(self, record_id: str) -> bool:
        """Put the cursor on a record, if it is among those held, or among the first that come; gives whether it is."""
        row = self.table.rows.index_of(record_id)
        if row is None:
            if self._sheet is not None and not self.rows.loaded:
                self._sheet.goal = Position(record_id=record_id)
            return False
        self.table.move_to(row)
        return True

    def replace(self, record: Record) -> None:
        """Show a newer reading of a record in its row."""
        if self._sheet is not None:
            self.marking.came(self._sheet, [record])
        row = self.rows.replace(record)
        if row is None:
            return
        assert self._sheet is not None
        self._fitting.saw(self._sheet, (record,))
        self._fit(self._sheet)
        if self._sheet.arranged:
            self.arrangement.again()
        else:
            self.table.rows_changed(range(row, row + 1))

    def show_drafts(self, drafts: Mapping[str, Draft]) -> None:
        """Show edits not yet sent, by the record's id."""
        self.table.drafts = dict(drafts)
        if self._sheet is not None:
            self._fit(self._sheet)
        self._retitle()

    def mask_toggled(self) -> None:
        """Personal data is to be hidden, or to be shown again."""
        self.table.look = self._looked if self._privacy_mask.on else None
        if self._sheet is not None:
            self._notice_state()
        self._retitle()

    def _looked(self, draft: Draft) -> Draft:
        return self._privacy_mask.draft(draft, self.collection.domain if self.collection is not None else "")

    # The collections that are open

    @property
    def several(self) -> bool:
        """Whether more than one collection is open."""
        return len(self._sheets.collections) > 1

    def step(self, tabs: int) -> None:
        """To another of the collections that are open, round the ends."""
        self.query_one(OpenTabs).step(tabs)

    def close(self) -> Collection | None:
        """Close the collection on show; gives the one to show then, None (and it stays) where it is the only one."""
        if self.collection is None or not self.several:
            return None
        assert self._reader is not None
        self._reader.resting = True
        self._reader, closed = None, self.collection
        return self._sheets.close(closed)

    def on_open_tabs_wanted(self, event: OpenTabs.Wanted) -> None:
        """A tab was clicked, or stepped to."""
        event.stop()
        self.post_message(self.TabChosen(event.collection))

    # Columns

    def kind_of(self, path: str) -> Kind | None:
        """The kind of a field of the collection on show, from all the records seen; None where it was not seen."""
        return None if self._sheet is None else self._sheet.layout.kinds.get(path)

    def choose_columns(self, chosen: Sequence[ChosenColumn], *, keep: bool = True) -> None:
        """Show these columns, none meaning those that would be there had nobody chosen; `keep` remembers it."""
        if self._sheet is None:
            return
        self._fitting.choose(self._sheet, chosen)
        self._retitle()
        if keep:
            self._remember(lambda last: replace(last, columns=tuple(chosen)))

    def show_raw(self, raw: bool) -> None:
        """Show values as they came, or as people read them."""
        self.table.raw = raw
        if self._sheet is not None:
            self._fitting.show(self._sheet)
        self._retitle()

    def _fit(self, sheet: OpenCollection) -> None:
        self._fitting.saw_drafts(sheet)
        self._fitting.show(sheet)

    def on_record_table_sort_wanted(self, event: RecordTable.SortWanted) -> None:
        """A column's head was clicked."""
        event.stop()
        self.arrangement.order(turned(self.view.sort, event.field))

    def on_record_table_column_sized(self, event: RecordTable.ColumnSized) -> None:
        """A column's edge was dragged."""
        event.stop()
        if self._sheet is not None:
            choice = ColumnChoice(self._sheet.layout.explicit).sized(event.field, event.width)
            self.choose_columns(choice.shown, keep=event.kept)

    # Filtering and sorting what is held

    @property
    def view(self) -> View:
        """How the collection on show is looked at now."""
        sheet = self._sheet
        if sheet is None:
            return View()
        columns = self._remembered.habit(sheet.collection.kind).last.columns
        return View(sheet.arranged.filter.text, sheet.arranged.sort, columns, sheet.query)

    def start_filter(self) -> None:
        """Open the line of the filter."""
        if self._sheet is not None:
            self.filter_line.start(self._sheet.arranged.filter.text)

    def ask_service(self, query: tuple[tuple[str, str], ...]) -> None:
        """Have the service choose by these parameters: other rows, read from the top."""
        sheet = self._sheet
        if sheet is None or query == sheet.query:
            return
        fresh = OpenCollection(sheet.collection, SparseRows(self._profile.page_size), query, layout=sheet.layout)
        fresh.marks = sheet.marks.settled()
        fresh.arranged.filter, fresh.arranged.sort = sheet.arranged.filter, sheet.arranged.sort
        self._show(self._opened(fresh))
        self._remember(lambda last: replace(last, query=query))

    def _remember(self, change: Callable[[View], View]) -> None:
        """Keep how the collection on show is looked at, for the next time."""
        assert self.collection is not None
        habit = self._remembered.habit(self.collection.kind)
        changed = replace(habit, last=change(habit.last))
        self.run_worker(self._remembered.changed(self.collection.kind, changed), group="memory")

    @property
    def held(self) -> Held:
        """The records that the open collections hold."""
        return self._sheets.held

    def load_rest(self) -> None:
        """Read every page that is missing, as far as there is room, in the background."""
        self.rows.ask_for(self.rows.missing())
        if self._sheet is not None:
            self._sheet.rest_asked_at = time.monotonic()
        self._read_on()
        self._retitle()

    def stop_loading(self) -> bool:
        """Read no more than is in view, and look for the end no longer; gives whether there was anything to stop."""
        asked = self.rows.asked > 0 or self.rows.seeking
        self.rows.ask_for(())
        self.rows.stop_seeking()
        if self._sheet is not None:
            self._sheet.end_from = self._sheet.rest_asked_at = None
        self._retitle()
        return asked

    def _rearranged(self) -> None:
        self._notice_state()
        self._retitle()

    def on_filter_line_changed(self, event: FilterLine.Changed) -> None:
        """The filter holds as one types; what is for the service waits for Enter."""
        event.stop()
        self.arrangement.choose(parted(event.text)[0])

    def on_filter_line_kept(self, event: FilterLine.Kept) -> None:
        """Back to the rows, with the filter; what is for the service goes to it."""
        event.stop()
        local, query = parted(event.text)
        self.arrangement.choose(local)
        self.filter_line.close()
        self.table.focus()
        if query and self._sheet is not None:
            names = {name for name, _ in query}
            kept = tuple(pair for pair in self._sheet.query if pair[0] not in names)
            self.ask_service((*kept, *query))
        elif local:
            self.post_message(self.FilterKept())

    def on_filter_line_given_up(self, event: FilterLine.GivenUp) -> None:
        """Back to all rows."""
        event.stop()
        self.filter_line.close()
        self.arrangement.clear_filter()
        self.table.focus()

    # Reading pages

    def _read_on(self) -> None:
        """Ask for what the rows want, and turn the spinner while somebody waits."""
        if self._reader is None:
            return
        self._reader.read_on()
        self._spinner.look()

    @property
    def _awaited(self) -> bool:
        return self._reader is not None and self._reader.awaited

    def _try_again(self) -> None:
        """Without anybody having asked: read what failed and is in view."""
        self.rows.retry(awaited=False)
        self._read_on()

    def _arrived(self, sheet: OpenCollection, page: Page, changed: range) -> None:
        sheet.problem = ""
        if sheet.read_at is None or sheet.renewing:
            sheet.renewing = False
            sheet.read_at = self._now()
        if sheet.rest_asked_at is not None and not sheet.rows.asked:
            self.post_message(WorkEnded(Work.LOADING, time.monotonic() - sheet.rest_asked_at))
            sheet.rest_asked_at = None
        self.watching.came(sheet)
        self.marking.came(sheet, page.records)
        kinds = sheet.layout.kinds
        self._fitting.saw(sheet, page.records)
        if sheet.layout.kinds != kinds:
            self.post_message(self.KindsKnown())
        if sheet is not self._sheet or not self.query(RecordTable):
            # Another sheet is on show; or none any more, as the program ends.
            return
        self.reconnecting.stop()
        self._fit(sheet)
        sheet.arranged.prepare()
        if sheet.arranged:
            self.arrangement.came()
        else:
            self.table.rows_changed(changed)
            self._steering.rows_came(sheet)
        # A number that the service was asked to choose is not how many the collection holds.
        if sheet.rows.total != sheet.counted and not sheet.query:
            sheet.counted = sheet.rows.total
            self.post_message(self.CountKnown(sheet.collection, sheet.counted))
        self._notice_state()
        self._read_on()
        self._retitle()

    def _failed(self, sheet: OpenCollection, error: ServiceError, awaited: bool) -> None:
        sheet.problem = visible(of_reading(error)) if not sheet.rows.loaded else str(error)
        sheet.end_from = None
        self.watching.came(sheet, failed=True)
        if sheet is not self._sheet or not self.query(RecordTable):
            # Another sheet is on show; or none any more, as the program ends.
            return
        self.reconnecting.failed(error)
        self.table.rows_changed(None)
        self._notice_state()
        if sheet.rows.loaded and awaited:
            self.post_message(self.RowsFailed(error))
        self._read_on()
        self._retitle()

    def _notice_state(self) -> None:
        """Say above the table what is there to be said where it has nothing to show."""
        sheet = self._sheet
        assert sheet is not None
        text, failed = title.notice(sheet, self._privacy_mask)
        self._notice(text, failed=failed)

    def _watch_on(self) -> None:
        """Read what a round of watching wants."""
        sheet = self._sheet
        if sheet is not None and not sheet.arranged:
            sheet.anchor = self.position
        self._read_on()
        self._retitle()

    def heard(self, event: TrafficEvent) -> None:
        """Something happened on the wire."""
        self.reconnecting.heard(event)
        self.watching.heard(event)

    # What the table tells

    def on_record_table_rows_shown(self, event: RecordTable.RowsShown) -> None:
        """The view moved: other pages are wanted, once it rests."""
        event.stop()
        first, until = self.table.view
        self._settling.moved(first, until - first)
        self._retitle()

    def _look(self) -> None:
        """Read what is in view."""
        sheet = self._sheet
        if sheet is None:
            return
        first, until = self.table.view
        if not sheet.arranged:
            # What is wanted is what is in view now; a message may be older than that.
            # Where both ends went up or down, somebody moved; a frame that grew or shrank goes nowhere.
            up, down = (first < sheet.view[0], until < sheet.view[1]), (first > sheet.view[0], until > sheet.view[1])
            sheet.rows.viewport(first, until, -1 if all(up) else 1 if all(down) else None)
            sheet.view = first, until
            self._read_on()
        self._retitle()

    def on_record_table_cursor_moved(self, event: RecordTable.CursorMoved) -> None:
        """Tell the screen which record the cursor is on."""
        event.stop()
        self.marking.cursor_moved()
        if self.collection is not None and event.row == self.table.cursor_row:
            self.post_message(self.CursorMoved(self.collection, event.row, self.table.cursor_record))

    def _tell(self, text: str) -> None:
        self.post_message(self.Told(text))

    def on_record_table_mark_wanted(self, event: RecordTable.MarkWanted) -> None:
        """Mark what was clicked."""
        event.stop()
        self.marking.clicked(event)

    def action_mark(self, what: str) -> None:
        """Mark records, or take marks off; see `marking`."""
        self.marking.do(what)

    def on_record_table_record_chosen(self, event: RecordTable.RecordChosen) -> None:
        """Tell the screen which record is to be opened."""
        event.stop()
        if self.collection is not None:
            self.post_message(self.RecordChosen(self.collection, event.record))

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
        sheet = self._sheet
        if sheet is None:
            return
        changed = len(self.table.drafts)
        count = " ".join(filter(None, (self._spinner.sign, title.count(sheet, self.table.view))))
        state = title.state(sheet, changed, self._now(), self._privacy_mask, self._fitting.note())
        self.write_frame(title.name(sheet.collection, changed), count, state)

    def write_frame(self, name: Content, count: str, state: Content) -> None:
        """Show these around the table."""
        self._frame.write(name, count, state)

    def _notice(self, text: str, *, failed: bool = False) -> None:
        if (text, failed) == self._noticed:
            return
        self._noticed = text, failed
        notice = self.query_one("#notice", Static)
        notice.update(text)
        notice.set_class(bool(text), "-shown")
        notice.set_class(failed, "-failed")
