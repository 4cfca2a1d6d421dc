"""The cursor of a table while its rows are loaded: its goal, its record through a refresh, the way to the end."""

from svc_tui.core.values import replace
from svc_tui.ui.table.open_collections import CursorPosition, OpenCollection, OpenCollections
from svc_tui.ui.table.table_frame import TableFrame
from svc_tui.ui.widgets.table.record_table import RecordTable


class RowCursor:
    """The movement of the cursor over rows that may not be loaded yet; a move by the user takes precedence."""

    def __init__(self, table: RecordTable, collections: OpenCollections, frame: TableFrame) -> None:
        self._table, self._collections, self._frame = table, collections, frame

    @property
    def position(self) -> CursorPosition:
        """The position of the cursor."""
        record = self._table.cursor_record
        return CursorPosition(self._table.cursor_row, self._table.cursor_field, record.id if record else None)

    def go_to_row(self, row: int) -> None:
        """Go to a row, or to the last one if there are fewer; loads at most one page."""
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
        """Go to an earlier position once the rows are loaded."""
        if (opened := self._collections.current) is not None:
            opened.goal = position

    def select_record(self, record_id: str) -> bool:
        """Go to a record now, or as soon as its row is loaded. Return True if it is loaded."""
        row, opened = self._table.rows.index_of(record_id), self._collections.current
        if row is not None:
            self._table.move_to(row)
        elif opened is not None and not opened.rows.loaded:
            opened.goal = CursorPosition(record_id=record_id)
        if opened is not None:
            opened.awaited = None if row is not None else CursorPosition(self._table.cursor_row, record_id=record_id)
            self._frame.refresh()
        return row is not None

    def release_record(self, record_id: str | None) -> None:
        """Stop waiting for the row of the open record, unless `record_id` is still open."""
        opened = self._collections.current
        if opened is not None and opened.awaited is not None and opened.awaited.record_id != record_id:
            opened.awaited = None
            self._frame.refresh()

    def _move_to_awaited(self, opened: OpenCollection) -> None:
        """Go to the open record once its row is shown, unless the user moved meanwhile."""
        awaited = opened.awaited
        if awaited is None or awaited.record_id is None:
            return
        row = opened.shown.index_of(awaited.record_id)
        if row is None:
            return
        opened.awaited = None
        if self._table.cursor_row == awaited.row:
            self._table.move_to(row)
        self._frame.refresh()

    def rows_arrived(self, opened: OpenCollection) -> None:
        """Move on to the goal, the open record, the record before a refresh, or the end."""
        self.move_to_goal(opened)
        self._move_to_awaited(opened)
        self._hold_anchor(opened)
        self.continue_end_seek(opened)

    def move_to_goal(self, opened: OpenCollection) -> None:
        """Go where the collection was left, or where the user asked to go before rows were loaded."""
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
        """Go to the goal among filtered or sorted rows once its record is there, unless the user moved.

        Return True if the cursor went there.
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
        """After a refresh, follow the record that the cursor was on, once the pages around it are loaded."""
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
        # The record has left its page; it is likely to be on one of the two beside it.
        beside = (anchor.row - rows.page_size, anchor.row + rows.page_size)
        rows.queue.refresh(rows.page_of(other) for other in beside if other >= 0 and not rows.fresh(other))

    def start_end_seek(self, opened: OpenCollection) -> None:
        """Begin to go to the true last record."""
        opened.goal = opened.anchor = None
        opened.end_seek_row = self._table.cursor_row
        opened.rows.queue.seek_end()
        self.continue_end_seek(opened)

    def continue_end_seek(self, opened: OpenCollection) -> None:
        """Continue to the end until the last row is loaded."""
        if opened.end_seek_row is None:
            return
        last = max(0, opened.rows.count - 1)
        # If there are fewer rows than announced, the table moves the cursor back: that is no move by the user.
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
        """Show the rows as they are filtered and sorted now, with the cursor on the same record.

        If that is not among them, the cursor goes to `fallback_row`, or back to its row before filter and sort.
        """
        row = None if before.record_id is None else opened.shown.index_of(before.record_id)
        if row is None:
            row = fallback_row if opened.arranged else opened.return_position.row
        self._table.show_rows(opened.shown, row)
        if opened.awaited is not None:
            opened.awaited = replace(opened.awaited, row=self._table.cursor_row)
            self._move_to_awaited(opened)
