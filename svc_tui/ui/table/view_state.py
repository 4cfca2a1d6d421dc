"""How the collection on show is looked at: its columns, filter, order and query; remembered for the next time."""

from collections.abc import Callable, Sequence

from svc_tui.core.kinds import Kind
from svc_tui.core.values import replace
from svc_tui.core.views import ChosenColumn, View
from svc_tui.session.remembered_choices import RememberedChoices
from svc_tui.ui.table.open_collection import OpenCollection
from svc_tui.ui.table.table_columns import TableColumns
from svc_tui.ui.widgets.table.record_table import RecordTable


class ViewState:
    """Changes and remembers the view of `current()`; `changed` is called when the frame may say otherwise.

    `show` has the same collection, asked for by another query, take its place.
    """

    def __init__(
        self,
        table: RecordTable,
        columns: TableColumns,
        remembered: RememberedChoices,
        current: Callable[[], OpenCollection | None],
        changed: Callable[[], None],
        show: Callable[[OpenCollection], None],
    ) -> None:
        self._table, self._columns, self._remembered = table, columns, remembered
        self._current, self._changed, self._show = current, changed, show

    @property
    def view(self) -> View:
        """How the collection on show is looked at now."""
        opened = self._current()
        if opened is None:
            return View()
        columns = self._remembered.habit(opened.collection.kind).last.columns
        return View(opened.filter.text, opened.sort, columns, opened.query)

    def kind_of(self, path: str) -> Kind | None:
        """The kind of a field of the collection on show, from all the records seen; None where it was not seen."""
        opened = self._current()
        return None if opened is None else opened.layout.kinds.get(path)

    def choose_columns(self, chosen: Sequence[ChosenColumn], *, keep: bool = True) -> None:
        """Show these columns, none meaning those that would be there had nobody chosen; `keep` remembers it."""
        opened = self._current()
        if opened is None:
            return
        self._columns.choose(opened, chosen)
        self._changed()
        if keep:
            self.remember(lambda last: replace(last, columns=tuple(chosen)))

    def set_service_query(self, query: tuple[tuple[str, str], ...]) -> None:
        """Have the service choose by these parameters: other rows, read from the top."""
        opened = self._current()
        if opened is not None and query != opened.query:
            self._show(opened.with_query(query))
            self.remember(lambda last: replace(last, query=query))

    def show_raw(self, raw: bool) -> None:
        """Show values as they came, or as people read them."""
        self._table.raw = raw
        if (opened := self._current()) is not None:
            self._columns.show(opened)
        self._changed()

    def remember(self, change: Callable[[View], View]) -> None:
        """Keep how the collection on show is looked at, for the next time."""
        opened = self._current()
        assert opened is not None
        kind = opened.collection.kind
        habit = self._remembered.habit(kind)
        changed = replace(habit, last=change(habit.last))
        self._table.run_worker(self._remembered.changed(kind, changed), group="memory")
