"""The columns of a table and their widths: those that the user chose, or those that fit the records.

`widgets.table.column_geometry` fits them into a narrower table.
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
"""Records looked at to size a column that was just chosen."""


class TableColumns:
    """The columns of `table`; `settings` are those of the profile, by the key of the collection."""

    def __init__(self, table: RecordTable, settings: Mapping[str, CollectionSettings]) -> None:
        self._table, self._settings = table, settings
        self._widened: OpenCollection | None = None

    def initial_layout(self, collection: Collection, chosen: Sequence[ChosenColumn]) -> Layout:
        """Return the layout of a new collection: the columns of the user, of the profile, or automatic ones."""
        return Layout(self._chosen_or_configured(collection, chosen))

    def learn(self, opened: OpenCollection, records: Sequence[Record]) -> bool:
        """Extend the layout by more records. Return True if they tell more about the kinds of the fields."""
        kinds = opened.layout.kinds
        opened.layout = opened.layout.saw(records, _text_cells)
        return opened.layout.kinds != kinds

    def fit(self, opened: OpenCollection) -> None:
        """Fit the columns to the records and drafts seen so far."""
        self.learn_drafts(opened)
        self.show(opened)

    def learn_drafts(self, opened: OpenCollection) -> None:
        """Extend the layout by the drafts: they may have fields that no record has."""
        if opened.layout.own and self._table.drafts:
            drafts = [Record(draft.fields) for draft in self._table.drafts.values()]
            opened.layout = opened.layout.saw(drafts, _text_cells)

    def choose(self, opened: OpenCollection, chosen: Sequence[ChosenColumn]) -> None:
        """Show other columns; the automatic ones if `chosen` is empty."""
        columns = self._chosen_or_configured(opened.collection, chosen)
        opened.layout = opened.layout.choosing(columns, self._sample(opened), _text_cells)
        self.show(opened)

    def show(self, opened: OpenCollection) -> None:
        """Show the columns of the collection, if they are not shown already."""
        columns = self.columns(opened)
        if columns != self._table.columns:
            self._table.show_columns(columns)

    def columns(self, opened: OpenCollection) -> tuple[Column, ...]:
        """Return the columns of the collection, widened for raw values if those are shown."""
        columns = opened.layout.shown
        if not self._table.raw:
            self._widened = None
            return columns
        if self._widened is opened:
            # A column stays wide when the value it was widened for has left the view.
            before = {column.name: column.width for column in self._table.columns}
            columns = tuple(
                column if column.by_hand else replace(column, width=max(column.width, before.get(column.name, 0)))
                for column in columns
            )
        self._widened = opened
        return widen_for_raw(columns, self._sample(opened), _text_cells)

    def _chosen_or_configured(self, collection: Collection, chosen: Sequence[ChosenColumn]) -> tuple[ChosenColumn, ...]:
        settings = self._settings.get(collection.key)
        return tuple(chosen) or tuple(map(ChosenColumn, settings.columns if settings else ()))

    def _sample(self, opened: OpenCollection) -> list[Record]:
        """Return the records in view, and the first of the loaded ones."""
        in_view: Iterable[Record | None] = map(opened.shown.get, range(*self._table.view))
        return list(islice(chain(filter(None, in_view), opened.rows.records()), _SAMPLE_RECORDS))


def _text_cells(text: str) -> int:
    return measure(visible(text))
