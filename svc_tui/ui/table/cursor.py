"""Keeps a table's cursor where it belongs while rows come: on the way to a goal, through a refresh, to the end."""

from dataclasses import replace

from svc_tui.ui.table.open_collection import OpenCollection, Position
from svc_tui.ui.widgets.table.record_table import RecordTable


class Cursor:
    """Moves the cursor of `table` over the rows on show; whoever moves it by hand has the last word."""

    def __init__(self, table: RecordTable) -> None:
        self._table = table

    @property
    def position(self) -> Position:
        """Where the cursor is."""
        record = self._table.cursor_record
        return Position(self._table.cursor_row, self._table.cursor_field, record.id if record else None)

    def rows_came(self, sheet: OpenCollection) -> None:
        """Go on with whatever the cursor is on its way to."""
        self.reach_goal(sheet)
        self._hold_anchor(sheet)
        self.near_end(sheet)

    def reach_goal(self, sheet: OpenCollection) -> None:
        """Go where the sheet was left, or where somebody asked to go before rows had come."""
        goal, table = sheet.goal, self._table
        if goal is None or not sheet.rows.loaded:
            return
        sheet.goal = None
        names = [column.name for column in table.columns]
        if goal.field in names:
            table.cursor_column = names.index(goal.field)
        row = None if goal.record_id is None else sheet.shown.index_of(goal.record_id)
        if goal is sheet.position and sheet.left_top is not None:
            table.scroll_to(y=sheet.left_top, animate=False, force=True)
        table.move_to(goal.row if row is None else row)
        if row is None and goal.record_id is not None and not sheet.arranged:
            sheet.anchor = replace(goal, row=table.cursor_row)

    def _hold_anchor(self, sheet: OpenCollection) -> None:
        """After a refresh: follow the record that the cursor was on, once its surroundings have been read."""
        anchor = sheet.anchor
        if anchor is None or anchor.record_id is None or self._table.cursor_row != anchor.row:
            sheet.anchor = None
            return
        rows = sheet.rows
        if not rows.fresh(anchor.row):
            return
        row = rows.index_of(anchor.record_id)
        if row is not None and rows.fresh(row):
            sheet.anchor = None
            self._table.move_to(row)
            return
        # It has left its page: the ones beside it, as far as they are held, tell where to.
        beside = (anchor.row - rows.page_size, anchor.row + rows.page_size)
        rows.renew(rows.page_of(other) for other in beside if other >= 0 and not rows.fresh(other))

    def set_out_for_end(self, sheet: OpenCollection) -> None:
        """Go to the true last record, wherever it turns out to be."""
        sheet.goal = sheet.anchor = None
        sheet.end_from = self._table.cursor_row
        sheet.rows.seek_end()
        self.near_end(sheet)

    def near_end(self, sheet: OpenCollection) -> None:
        """On the way to the end: go on until the row that should be the last is there."""
        if sheet.end_from is None:
            return
        last = max(0, sheet.rows.count - 1)
        # Where there are fewer rows than were promised the table draws the cursor back: nobody moved it.
        if self._table.cursor_row != min(sheet.end_from, last):
            sheet.end_from = None
            return
        sheet.end_from = self._table.cursor_row
        if not sheet.rows.end_known:
            sheet.rows.seek_end()
            return
        self._table.move_to(last)
        sheet.end_from = None if sheet.rows.get(last) is not None else last

    def rearranged(self, sheet: OpenCollection, before: Position, elsewhere: int) -> None:
        """Show the sheet's rows as they are arranged now, the cursor on the record that it was on.

        Where that one is not among them it goes to row `elsewhere`, or back to where it was before all arranging.
        """
        row = None if before.record_id is None else sheet.shown.index_of(before.record_id)
        if row is None:
            row = elsewhere if sheet.arranged else sheet.position.row
        self._table.show_rows(sheet.shown, row)
