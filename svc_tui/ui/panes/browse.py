"""The pane that shows a collection: it fills the table's rows page by page, and says how much there is."""

import time
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import dataclass, replace
from typing import Any

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
from svc_tui.domain.errors import ServiceError
from svc_tui.domain.gateway import Gateway
from svc_tui.domain.records import Page, Record
from svc_tui.domain.rows import SparseRows
from svc_tui.domain.settings import Profile
from svc_tui.ui.panes.sheet import Position, Reader, Sheet, Sheets
from svc_tui.ui.report import of_reading
from svc_tui.ui.text import measure, shown, visible
from svc_tui.ui.widgets.frame_title import across
from svc_tui.ui.widgets.record_table import RecordTable
from svc_tui.ui.widgets.waiting import SPINNER, SPINNER_AFTER

_OLD = 60.0


class BrowsePane(Vertical):
    """One collection at a time, however large; those opened before keep their rows and their place."""

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
        self._sheets = Sheets()
        self._reader: Reader | None = None
        self._nothing = SparseRows(profile.page_size)
        self._waiting_since = 0.0
        self._frame = ""
        self._spinner: Timer | None = None
        self._noticed = ("", False)

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
    def _sheet(self) -> Sheet | None:
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
        record = self.table.cursor_record
        return Position(self.table.cursor_row, self.table.cursor_field, record.id if record else None)

    def open(self, collection: Collection) -> None:
        """Show a collection as it was left, or from the top."""
        self._leave()
        reader = self._sheets.get(collection)
        if reader is None:
            sheet = Sheet(collection, SparseRows(self._profile.page_size))
            reader = Reader(self._gateway, sheet, self._start, self._arrived, self._failed)
            self._sheets.put(reader)
        self._sheets.used(collection)
        self._show(reader)

    def _leave(self) -> None:
        if self._sheet is not None:
            self._sheet.position = self.position
            self._sheet.columns = self.table.columns

    def _show(self, reader: Reader) -> None:
        self._reader = reader
        sheet = reader.sheet
        sheet.end_from = None
        self._waiting_since = 0.0
        self._frame = ""
        self.table.drafts = {}
        self.table.show(sheet.rows, sheet.columns)
        sheet.goal = sheet.position
        self._notice_state()
        if sheet.rows.loaded:
            self._reach_goal(sheet)
        self._read_on()
        self._retitle()

    def _start(self, work: Coroutine[Any, Any, None]) -> None:
        self.run_worker(work, group="pages", exclusive=False)

    def refresh_rows(self) -> None:
        """Read what is in view again; the cursor stays on its record. What failed is tried again."""
        sheet = self._sheet
        if sheet is None:
            return
        sheet.rows.retry()
        if sheet.rows.loaded:
            sheet.rows.invalidate()
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
        if sheet is None:
            return
        sheet.goal = sheet.anchor = None
        sheet.end_from = self.table.cursor_row
        sheet.rows.seek_end()
        self._near_end(sheet)
        self._read_on()
        self._retitle()

    def select_record(self, record_id: str) -> bool:
        """Put the cursor on a record, if it is among those held, or among the first that come; gives whether it is."""
        row = self.rows.index_of(record_id)
        if row is None:
            if self._sheet is not None and not self.rows.loaded:
                self._sheet.goal = Position(record_id=record_id)
            return False
        self.table.move_to(row)
        return True

    def replace(self, record: Record) -> None:
        """Show a newer reading of a record in its row."""
        row = self.rows.replace(record)
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
        """Ask for what the rows want, and turn the spinner while somebody waits."""
        if self._reader is None:
            return
        self._reader.read_on()
        if self._reader.awaited and self._spinner is not None and not self._waiting_since:
            self._waiting_since = self._now()
            self._spinner.resume()

    def _arrived(self, sheet: Sheet, page: Page, changed: range) -> None:
        sheet.problem = ""
        if sheet.read_at is None or sheet.renewing:
            sheet.renewing = False
            sheet.read_at = self._now()
        if sheet is not self._sheet:
            return
        self._fit_columns(page.records)
        self.table.rows_changed(changed)
        self._reach_goal(sheet)
        self._hold_anchor(sheet)
        self._near_end(sheet)
        if sheet.rows.total != sheet.counted:
            sheet.counted = sheet.rows.total
            self.post_message(self.CountKnown(sheet.collection, sheet.counted))
        self._notice_state()
        self._read_on()
        self._retitle()

    def _failed(self, sheet: Sheet, error: ServiceError) -> None:
        sheet.problem = visible(of_reading(error)) if not sheet.rows.loaded else str(error)
        sheet.end_from = None
        if sheet is not self._sheet:
            return
        self.table.rows_changed(None)
        self._notice_state()
        if sheet.rows.loaded:
            self.post_message(self.RowsFailed(error))
        self._read_on()
        self._retitle()

    def _notice_state(self) -> None:
        """Say above the table what is there to be said where it has nothing to show."""
        sheet = self._sheet
        assert sheet is not None
        if sheet.problem and not sheet.rows.loaded:
            self._notice(f"✕ {sheet.problem}", failed=True)
        else:
            self._notice("No records. : goes elsewhere." if sheet.rows.total == 0 else "")

    def _fit_columns(self, records: tuple[Record, ...] | list[Record]) -> None:
        assert self.collection is not None
        settings = self._profile.collections.get(self.collection.key)
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

    def _reach_goal(self, sheet: Sheet) -> None:
        goal = sheet.goal
        if goal is None or not sheet.rows.loaded:
            return
        sheet.goal = None
        names = [column.name for column in self.table.columns]
        if goal.field in names:
            self.table.cursor_column = names.index(goal.field)
        row = None if goal.record_id is None else sheet.rows.index_of(goal.record_id)
        self.table.move_to(goal.row if row is None else row)
        if row is None and goal.record_id is not None:
            sheet.anchor = replace(goal, row=self.table.cursor_row)

    def _hold_anchor(self, sheet: Sheet) -> None:
        """After a refresh: follow the record that the cursor was on, once its surroundings have been read."""
        anchor = sheet.anchor
        if anchor is None or anchor.record_id is None or self.table.cursor_row != anchor.row:
            sheet.anchor = None
            return
        if not sheet.rows.fresh(anchor.row):
            return
        row = sheet.rows.index_of(anchor.record_id)
        if row is not None and sheet.rows.fresh(row):
            sheet.anchor = None
            self.table.move_to(row)

    def _near_end(self, sheet: Sheet) -> None:
        """On the way to the end: go on until the row that should be the last is there."""
        if sheet.end_from is None:
            return
        if self.table.cursor_row != sheet.end_from:
            sheet.end_from = None
            return
        if not sheet.rows.end_known:
            sheet.rows.seek_end()
            return
        last = max(0, sheet.rows.count - 1)
        self.table.move_to(last)
        sheet.end_from = None if sheet.rows.get(last) is not None else last

    def on_record_table_rows_shown(self, event: RecordTable.RowsShown) -> None:
        """The view moved: other pages are wanted."""
        event.stop()
        sheet = self._sheet
        if sheet is None:
            return
        first, until = self.table.view
        # What is wanted is what is in view now; a message may be older than that.
        sheet.rows.viewport(first, until, -1 if first < sheet.top else 1)
        sheet.top = first
        self._read_on()
        self._retitle()

    def on_record_table_cursor_moved(self, event: RecordTable.CursorMoved) -> None:
        """Tell the screen which record the cursor is on."""
        event.stop()
        if self.collection is not None and event.row == self.table.cursor_row:
            self.post_message(self.CursorMoved(self.collection, event.row, self.table.cursor_record))

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
        collection = self.collection
        if collection is None:
            return
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
        if not self.rows.loaded:
            return ""
        known = f"{self.rows.known:,}{'' if self.rows.end_known else '+'}"
        first, until = self.table.view
        until = min(until, self.rows.known)
        return f"{first + 1:,}–{until:,} of {known}" if until > first else known

    def _state(self) -> Content:
        sheet = self._sheet
        assert sheet is not None
        parts: list[Content] = []
        if sheet.problem and sheet.rows.loaded:
            parts.append(shown(f"✕ {sheet.problem}", "$role-danger"))
        if changed := sum(bool(draft.edits) for draft in self.table.drafts.values()):
            parts.append(Content(f"{changed:,} changed").stylize("$role-changed"))
        if self.rows.seeking:
            parts.append(Content("looking for the end"))
        if self.rows.shifted:
            parts.append(Content("others write here: rows moved, r reads them again").stylize("$role-warning"))
        if sheet.read_at is not None and (age := self._now() - sheet.read_at) >= _OLD:
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
        if self._reader is None or not self._reader.awaited:
            assert self._spinner is not None
            self._spinner.pause()
            self._waiting_since = 0.0
            self._frame = ""
        elif waited >= SPINNER_AFTER:
            self._frame = SPINNER[int(waited * 10) % len(SPINNER)]
        self._retitle()


def _cells(text: str) -> int:
    return measure(visible(text))
