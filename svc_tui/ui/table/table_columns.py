"""Which columns a table shows, and how wide: as the user chose, else as the records need.

What becomes of them where the table is narrower is decided in `widgets.table.column_geometry`.
"""

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain, islice

from svc_tui.core.catalog import Collection
from svc_tui.core.records import Record
from svc_tui.core.settings import CollectionSettings
from svc_tui.core.values import replace
from svc_tui.core.views import ChosenColumn
from svc_tui.records.columns import Column, Layout, widen_for_raw
from svc_tui.ui.table.open_collections import OpenCollection
from svc_tui.ui.text import measure, visible
from svc_tui.ui.widgets.table.record_table import RecordTable

_SAMPLE_RECORDS = 200
"""Records looked at for a column that was just chosen."""


class TableColumns:
    """Gives `table` its columns; `settings` are the profile's, by the collection's key."""

    def __init__(self, table: RecordTable, settings: Mapping[str, CollectionSettings]) -> None:
        self._table, self._settings = table, settings
        self._widened: OpenCollection | None = None

    def layout(self, collection: Collection, chosen: Sequence[ChosenColumn]) -> Layout:
        """How a collection begins: as the user chose; else as the profile says; else as its records will tell."""
        return Layout(self._wanted(collection, chosen))

    def saw(self, opened: OpenCollection, records: Sequence[Record]) -> bool:
        """Take in more records, on show or not; gives whether they tell more of what kinds the fields are of."""
        kinds = opened.layout.kinds
        opened.layout = opened.layout.saw(records, _text_cells)
        return opened.layout.kinds != kinds

    def fit(self, opened: OpenCollection) -> None:
        """Have the table show what records and drafts have by now."""
        self.saw_drafts(opened)
        self.show(opened)

    def saw_drafts(self, opened: OpenCollection) -> None:
        """The edits that the table shows may be of fields that no record of the collection has."""
        if opened.layout.own and self._table.drafts:
            drafts = [Record(draft.fields) for draft in self._table.drafts.values()]
            opened.layout = opened.layout.saw(drafts, _text_cells)

    def choose(self, opened: OpenCollection, chosen: Sequence[ChosenColumn]) -> None:
        """Show other columns; with none, the automatic ones."""
        wanted = self._wanted(opened.collection, chosen)
        opened.layout = opened.layout.choosing(wanted, self._sample(opened), _text_cells)
        self.show(opened)

    def show(self, opened: OpenCollection) -> None:
        """Have the table show the collection's columns, if it does not already."""
        columns = self.columns(opened)
        if columns != self._table.columns:
            self._table.show_columns(columns)

    def columns(self, opened: OpenCollection) -> tuple[Column, ...]:
        """The collection's columns as the table is to show them."""
        columns = opened.layout.shown
        if not self._table.raw:
            self._widened = None
            return columns
        if self._widened is opened:
            # What was widened for a value that has left the view stays so.
            before = {column.name: column.width for column in self._table.columns}
            columns = tuple(
                column if column.by_hand else replace(column, width=max(column.width, before.get(column.name, 0)))
                for column in columns
            )
        self._widened = opened
        return widen_for_raw(columns, self._sample(opened), _text_cells)

    def _wanted(self, collection: Collection, chosen: Sequence[ChosenColumn]) -> tuple[ChosenColumn, ...]:
        settings = self._settings.get(collection.key)
        return tuple(chosen) or tuple(map(ChosenColumn, settings.columns if settings else ()))

    def _sample(self, opened: OpenCollection) -> list[Record]:
        """Records of the collection: those in view, and the first of those held."""
        in_view: Iterable[Record | None] = map(opened.shown.get, range(*self._table.view))
        return list(islice(chain(filter(None, in_view), opened.rows.records()), _SAMPLE_RECORDS))


def _text_cells(text: str) -> int:
    return measure(visible(text))
