"""Keeps a table's cursor where it belongs while rows come: on the way to a goal, through a refresh, to the end."""

from collections.abc import Callable

from svc_tui.core.values import replace
from svc_tui.ui.table.open_collections import CursorPosition, OpenCollection, OpenCollections
from svc_tui.ui.widgets.table.record_table import RecordTable


class Cursor:
    """Moves the cursor of `table` over its rows; a move by the user takes precedence."""

    def __init__(self, table: RecordTable, collections: OpenCollections, changed: Callable[[], None]) -> None:
        """Make it; `changed` is called when another record is awaited in the collection on show."""
        self._table, self._collections, self._changed = table, collections, changed

    @property
    def position(self) -> CursorPosition:
        """Where the cursor is."""
        record = self._table.cursor_record
        return CursorPosition(self._table.cursor_row, self._table.cursor_field, record.id if record else None)

    def go_to_row(self, row: int) -> None:
        """Go to a row, or to the last one where there are fewer: one page is read for it, or none."""
        opened = self._collections.current
        if opened is None:
            return
        if opened.rows.loaded:
            opened.goal = opened.anchor = None
            self._table.move_to(row)
        else:
            opened.goal = CursorPosition(row)
        self._table.focus()

    def go_back_to(self, position: CursorPosition) -> None:
        """Go where the cursor was at another time, once the rows have come."""
        if (opened := self._collections.current) is not None:
            opened.goal = position

    def select_record(self, record_id: str) -> bool:
        """Go to a record, if it is among those held, or as soon as its row comes; gives whether it is held."""
        row, opened = self._table.rows.index_of(record_id), self._collections.current
        if row is not None:
            self._table.move_to(row)
        elif opened is not None and not opened.rows.loaded:
            opened.goal = CursorPosition(record_id=record_id)
        if opened is not None:
            opened.awaited = None if row is not None else CursorPosition(self._table.cursor_row, record_id=record_id)
            self._changed()
        return row is not None

    def release_record(self, record_id: str | None) -> None:
        """Look no longer for a record without a row, unless it is this one: another is open, or none."""
        opened = self._collections.current
        if opened is not None and opened.awaited is not None and opened.awaited.record_id != record_id:
            opened.awaited = None
            self._changed()

    def _move_to_awaited(self, opened: OpenCollection) -> None:
        """Go to the open record once its row is on show, unless the user moved meanwhile."""
        awaited = opened.awaited
        if awaited is None or awaited.record_id is None:
            return
        row = opened.shown.index_of(awaited.record_id)
        if row is None:
            return
        opened.awaited = None
        if self._table.cursor_row == awaited.row:
            self._table.move_to(row)
        self._changed()

    def rows_arrived(self, opened: OpenCollection) -> None:
        """Go on with whatever the cursor is on its way to."""
        self.move_to_goal(opened)
        self._move_to_awaited(opened)
        self._hold_anchor(opened)
        self.continue_end_seek(opened)

    def move_to_goal(self, opened: OpenCollection) -> None:
        """Go where the collection was left, or where the user asked to go before rows had come."""
        goal, table = opened.goal, self._table
        if goal is None or not opened.rows.loaded:
            return
        opened.goal = None
        table.move_to_field(goal.field)
        row = None if goal.record_id is None else opened.shown.index_of(goal.record_id)
        if goal is opened.return_position and opened.saved_top is not None:
            table.scroll_to(y=opened.saved_top, animate=False, force=True)
        table.move_to(goal.row if row is None else row)
        if row is None and goal.record_id is not None and not opened.arranged:
            opened.anchor = replace(goal, row=table.cursor_row)

    def move_to_arranged_goal(self, opened: OpenCollection) -> bool:
        """The same among rows that are filtered or sorted, as soon as the record is there; not once the user moved.

        Return whether it went there.
        """
        goal = opened.goal
        if goal is None or goal.record_id is None or not opened.arranged:
            return False
        if self._table.cursor_row:
            opened.goal = None
        elif opened.shown.index_of(goal.record_id) is not None:
            self.move_to_goal(opened)
            return True
        return False

    def _hold_anchor(self, opened: OpenCollection) -> None:
        """After a refresh: follow the record that the cursor was on, once its surroundings have been read."""
        anchor = opened.anchor
        if anchor is None or anchor.record_id is None or self._table.cursor_row != anchor.row:
            opened.anchor = None
            return
        rows = opened.rows
        if not rows.fresh(anchor.row):
            return
        row = rows.index_of(anchor.record_id)
        if row is not None and rows.fresh(row):
            opened.anchor = None
            self._table.move_to(row)
            return
        # It has left its page: the ones beside it, as far as they are held, tell where to.
        beside = (anchor.row - rows.page_size, anchor.row + rows.page_size)
        rows.queue.refresh(rows.page_of(other) for other in beside if other >= 0 and not rows.fresh(other))

    def start_end_seek(self, opened: OpenCollection) -> None:
        """Go to the true last record, wherever it turns out to be."""
        opened.goal = opened.anchor = None
        opened.end_seek_row = self._table.cursor_row
        opened.rows.queue.seek_end()
        self.continue_end_seek(opened)

    def continue_end_seek(self, opened: OpenCollection) -> None:
        """Continue to the end until the row that should be the last is there."""
        if opened.end_seek_row is None:
            return
        last = max(0, opened.rows.count - 1)
        # Where there are fewer rows than were promised the table draws the cursor back: nobody moved it.
        if self._table.cursor_row != min(opened.end_seek_row, last):
            opened.end_seek_row = None
            return
        opened.end_seek_row = self._table.cursor_row
        if not opened.rows.end_known:
            opened.rows.queue.seek_end()
            return
        self._table.move_to(last)
        opened.end_seek_row = None if opened.rows.get(last) is not None else last

    def show_rearranged(self, opened: OpenCollection, before: CursorPosition, fallback_row: int) -> None:
        """Show the collection's rows as they are arranged now, the cursor on the record that it was on.

        Where that one is not among them it goes to row `fallback_row`, or back to where it was before all arranging.
        """
        row = None if before.record_id is None else opened.shown.index_of(before.record_id)
        if row is None:
            row = fallback_row if opened.arranged else opened.return_position.row
        self._table.show_rows(opened.shown, row)
        if opened.awaited is not None:
            opened.awaited = replace(opened.awaited, row=self._table.cursor_row)
            self._move_to_awaited(opened)
