"""Marking records of the shown collection: one, a range of rows, or all of them."""

from collections.abc import Callable, Iterable, Sequence

from textual.binding import Binding, BindingType

from svc_tui.core.phrases import counted
from svc_tui.core.records import Record
from svc_tui.records.marks import Marks
from svc_tui.ui.table.open_collections import OpenCollection, OpenCollections
from svc_tui.ui.widgets.table.record_table import RecordTable

BINDINGS: list[BindingType] = [
    Binding("space", "mark('toggle')", "Mark", id="marks.toggle",
            tooltip="Mark or unmark the record and move down, to select several"),
    Binding("v", "mark('reach')", "Mark a range", show=False, id="marks.range",
            tooltip="Mark the records that you move over; v or esc ends the range"),
    Binding("shift+up", "mark('up')", "Mark upwards", show=False, id="marks.up",
            tooltip="Mark this record and the one above"),
    Binding("shift+down", "mark('down')", "Mark downwards", show=False, id="marks.down",
            tooltip="Mark this record and the one below"),
    Binding("asterisk", "mark('all')", "Mark all", show=False, id="marks.all", key_display="*",
            tooltip="Mark or unmark all loaded records that match the filter"),
    Binding("U", "mark('none')", "Unmark all", show=False, id="marks.none",
            tooltip="Unmark all records, including those not shown"),
]  # fmt: skip
"""The bindings of the pane around the table."""


class RowMarker:
    """The marks of the shown collection; `changed` is called with new ones, `notify` with a sentence for the user."""

    def __init__(
        self,
        table: RecordTable,
        collections: OpenCollections,
        changed: Callable[[], None],
        notify: Callable[[str], object],
    ) -> None:
        self._table, self._collections, self._changed, self._notify = table, collections, changed, notify

    @property
    def records(self) -> tuple[Record, ...]:
        """The marked records of the shown collection, in the order of marking."""
        opened = self._collections.current
        return () if opened is None else tuple(opened.marks.records.values())

    @property
    def in_range(self) -> bool:
        """True while a range follows the cursor until it is ended."""
        opened = self._collections.current
        return opened is not None and opened.marks.reach is not None and opened.marks.reach.lasting

    @property
    def out_of_view_note(self) -> str:
        """A warning, before marked records are changed, about those without a visible row; "" if there are none."""
        opened = self._collections.current
        unseen = 0 if opened is None else opened.marks_out_of_view
        subject = f"{counted(unseen, 'marked record')} {'is' if unseen == 1 else 'are'}"
        return f"{subject} not shown: filtered out or not loaded." if unseen else ""

    def do(self, action: str) -> None:
        """Run the action of a binding."""
        opened = self._collections.current
        if opened is None:
            return
        match action:
            case "toggle":
                self._toggle(opened)
            case "reach":
                self._toggle_range(opened)
            case "up":
                self._step(opened, -1)
            case "down":
                self._step(opened, 1)
            case "all":
                self._toggle_all(opened)
            case "none":
                self._set(opened, Marks())

    def row_clicked(self, event: RecordTable.MarkWanted) -> None:
        """Mark the row that was clicked, or all rows up to it."""
        opened = self._collections.current
        if opened is None:
            return
        if event.reach:
            reach = opened.marks.reach
            start = event.start if reach is None else reach.anchor
            self._set(opened, opened.marks.reaching(start, event.row, opened.shown))
        elif (record := self._markable(opened, event.row)) is not None:
            self._set(opened, opened.marks.toggled(record))

    def cursor_moved(self) -> None:
        """Stretch a lasting range to the cursor; end another one."""
        opened, row = self._collections.current, self._table.cursor_row
        if opened is None or (reach := opened.marks.reach) is None or row == reach.end:
            return
        if reach.lasting:
            self._set(opened, opened.marks.stretched(row, opened.shown))
        else:
            self.end_range()

    def end_range(self) -> bool:
        """End the open range; its records stay marked. Return False if there was none."""
        opened = self._collections.current
        if opened is None or (reach := opened.marks.reach) is None:
            return False
        if reach.lacking:
            self._notify(f"Not marked: {reach.lacking:,} of {counted(len(reach.rows), 'record')} (not loaded yet).")
        self._set(opened, opened.marks.settled())
        return True

    def records_arrived(self, opened: OpenCollection, records: Sequence[Record]) -> None:
        """Replace marked records by their newer versions, and mark those that belong to an open range."""
        marks = opened.marks.renewed(records)
        if marks.reach is not None:
            marks = marks.stretched(marks.reach.end, opened.shown)
        if marks is not opened.marks:
            self._set(opened, marks)

    def mark_listed(self, opened: OpenCollection, records: Iterable[Record], awaited: int) -> None:
        """Mark records of a list, while `awaited` more of it are loaded."""
        self._set(opened, opened.marks.listed(records, awaited))

    def end_list(self, opened: OpenCollection, ids: Iterable[str]) -> None:
        """Put the marked records in the order of the list: all of it was marked."""
        self._set(opened, opened.marks.listed((), 0).in_order(ids))

    def stop_list(self) -> bool:
        """Stop marking a list; marked records stay marked. Return False if no list was being marked."""
        opened = self._collections.current
        if opened is None or not opened.marks.awaited:
            return False
        self._set(opened, opened.marks.listed((), 0))
        return True

    def unmark_finished(self, changed: frozenset[str], left_out: frozenset[str]) -> None:
        """Unmark the records that a run `changed`; those that it `left_out` stay marked."""
        opened = self._collections.current
        if opened is None:
            return
        marked = opened.marks.records
        # A run that was resumed may have begun with other marks.
        gone = marked.keys() - left_out if changed <= marked.keys() else marked.keys() & changed
        if gone:
            self._set(opened, opened.marks.without([marked[record_id] for record_id in gone]))

    def show(self) -> None:
        """Show the marks of the shown collection in the table."""
        opened = self._collections.current
        self._table.marks = () if opened is None else opened.marks.records.keys()

    def _toggle(self, opened: OpenCollection) -> None:
        if (record := self._markable(opened, self._table.cursor_row)) is not None:
            self._set(opened, opened.marks.toggled(record))
            self._table.action_move(1)

    def _toggle_range(self, opened: OpenCollection) -> None:
        if not self.end_range() and opened.shown.count:
            row = self._table.cursor_row
            self._set(opened, opened.marks.reaching(row, row, opened.shown, lasting=True))

    def _step(self, opened: OpenCollection, rows: int) -> None:
        if not opened.shown.count:
            return
        row, reach = self._table.cursor_row, opened.marks.reach
        to = self._table.validate_cursor_row(row + rows)
        # The range first: moving the cursor would end it.
        if reach is None or row != reach.end:
            self._set(opened, opened.marks.reaching(row, to, opened.shown))
        else:
            self._set(opened, opened.marks.stretched(to, opened.shown))
        self._table.move_to(to)

    def _toggle_all(self, opened: OpenCollection) -> None:
        self.end_range()
        rows = opened.shown
        records = [record for _, record in rows.held(range(rows.count)) if record.id is not None]
        marked = opened.marks.records
        if all(record.id in marked for record in records):
            self._set(opened, opened.marks.without(records))
            return
        self._set(opened, opened.marks.with_records(records))
        if not opened.arranged.exact:
            matching = " that match the filter" if opened.arranged.filter else ""
            self._notify(f"Marked {counted(len(records), 'loaded record')}{matching}.")

    def _markable(self, opened: OpenCollection, row: int) -> Record | None:
        """Return the record in `row`; if it can't be marked, tell the user why and return None."""
        record = opened.shown.get(row)
        if record is None:
            self._notify("This record is not loaded yet and can't be marked.")
        elif record.id is None:
            self._notify("This record has no id and can't be marked.")
            return None
        return record

    def _set(self, opened: OpenCollection, marks: Marks) -> None:
        opened.marks = marks
        if opened is self._collections.current:
            self.show()
            self._changed()
