"""The view of a table: its sort and query, its columns, loading the rest of its rows, and saved views."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Sequence
from datetime import timedelta

from textual.content import Content

from svc_tui.core.catalog import Collection
from svc_tui.core.kinds import Kind
from svc_tui.core.moments import change_time_field
from svc_tui.core.phrases import counted, loaded_of
from svc_tui.core.records import Page
from svc_tui.core.values import replace
from svc_tui.core.views import ChosenColumn, RememberedView, Sort, View
from svc_tui.records.columns import Column, paths_seen
from svc_tui.records.rows import MAX_RECORDS
from svc_tui.records.sparse_rows import SparseRows
from svc_tui.search.sources import LoadedRows
from svc_tui.storage.record_index.index_values import IndexProblem
from svc_tui.ui.context import Context
from svc_tui.ui.keys import availability
from svc_tui.ui.report import Report
from svc_tui.ui.table.table_pane import TablePane
from svc_tui.ui.text import field_label, pad, styled

_BUILD_INDEX = "To list changes, run Build an index in Commands (ctrl+p)."


class ViewController:
    """Actions on the view of the table; the coroutines run in workers of the screen."""

    def __init__(
        self,
        context: Context,
        views_changed: Callable[[str, tuple[str, ...]], None],
        searched: Callable[[Collection], LoadedRows | None],
    ) -> None:
        """Create the controller.

        `views_changed` is called with the key of a collection and the names of its saved views; `searched` returns the
        rows of a collection if the search has loaded all of them.
        """
        self._context, self._views_changed, self._searched = context, views_changed, searched

    async def sort(self) -> None:
        """Ask by which field to sort; choosing the current one again reverses the order."""
        from svc_tui.ui.dialogs.menu import MenuScreen

        browse = self._context.table
        if not browse.table.columns:
            self._context.notify(Report(availability.NOTHING_TO_SORT))
            return
        current = browse.view.sort
        lines: list[tuple[Content, Sort | str]] = [(Content("unsorted, as returned by the service"), "")]
        for column in browse.table.columns:
            ascending, descending = Sort(column.name), Sort(column.name, descending=True)
            mark = "↑" if current == ascending else "↓" if current == descending else ""
            line = Content.assemble(styled(pad(field_label(column.name), 40)), (f" {mark}", "$role-accent"))
            lines.append((line, descending if current == ascending else ascending))
        names = [column.name for column in browse.table.columns]
        index = names.index(current.field) if current and current.field in names else browse.table.cursor_column
        title = f"Sort {scope_text(browse)}"
        menu = MenuScreen(title, lines, hint="enter sort, again to reverse · esc cancel", at=1 + index)
        chosen = await self._context.show(menu)
        if chosen is not None:
            browse.arrangement.sort_by(chosen if isinstance(chosen, Sort) else None)
        if isinstance(chosen, Sort):
            await self.take_rest()

    async def sort_newest_first(self) -> None:
        """Sort the open collection by the time of its last changes; used if there is no index."""
        browse = self._context.table
        opened = browse.open_collections.current
        if opened is None:
            self._context.notify(Report(f"No index, and no collection is open. {_BUILD_INDEX}"))
            return
        columns = opened.layout.own
        if not columns:
            self._context.notify(Report(availability.NOTHING_TO_SORT))
            return
        field = change_time_field(column.name for column in columns if column.kind is Kind.TIME)
        name = opened.collection.name
        if field is None:
            self._context.notify(Report(f"No index, and {name} has no update time. {_BUILD_INDEX}"))
            return
        browse.arrangement.sort_by(Sort(field, descending=True))
        browse.arrangement.finish()
        browse.cursor.go_to_row(0)
        self._context.notify(Report(f"No index: {name} sorted by {field}, newest first."))
        await self.take_rest()
        if browse.rows.missing_requests:
            opened.top_record_id = browse.cursor.position.record_id

    async def choose_columns(self) -> None:
        """Let the user choose the columns; the table follows every key."""
        browse = self._context.table
        if browse.collection is None or not browse.table.columns:
            self._context.notify(Report(availability.NO_COLUMNS))
            return
        from svc_tui.ui.table.columns_dialog import ColumnsScreen

        def preview_columns(chosen: Sequence[ChosenColumn]) -> tuple[Column, ...]:
            browse.choose_columns(chosen, keep=False)
            return browse.table.columns

        chosen = self._context.remembered.habit(browse.collection.kind).last.columns
        privacy_mask, domain = self._context.privacy_mask, browse.collection.domain
        record = browse.table.cursor_record
        fields = privacy_mask.record(record, domain).fields if record else {}
        screen = ColumnsScreen(
            chosen, browse.table.columns, paths_seen(browse.rows.records()), fields, preview_columns, self._context.tz
        )
        chosen_columns = await self._context.show(screen)
        if chosen_columns is not None:
            browse.choose_columns(chosen_columns)

    async def summarize(self) -> None:
        """Show a summary of the values of the field under the cursor."""
        workspace = self._context.workspace
        browse, path = self._context.table, workspace.selection.path
        if path is None or browse.collection is None or not browse.rows.loaded:
            self._context.notify(Report(availability.NO_COLUMN))
            return
        from svc_tui.records.summary import summarize
        from svc_tui.ui.table.summary_dialog import SummaryScreen

        mask, domain, names = self._context.privacy_mask, browse.collection.domain, browse.rows.field_names.values()
        values = await browse.arrangement.count_values(path)
        seen = ((mask.value_at(path, value, domain, names), times) for value, times in values)
        # A summary of thousands of different values takes longer than a frame.
        summary = await asyncio.to_thread(summarize, seen, self._context.tz)
        source = scope_text(browse)
        if browse.view.filter:
            source = f"{counted(summary.count, 'match', 'matches')} in {source}"
        kind, requests = workspace.selection.kind_of(path), browse.rows.missing_requests
        if await self._context.show(SummaryScreen(path, kind, summary, source, requests, self._context.tz)):
            await self.load_rest()

    async def take_rest(self) -> None:
        """Load the missing rows from what is known, or from the service if that takes few requests; else offer it."""
        browse = self._context.table
        if await self.take_known(browse):
            return
        opened = browse.open_collections.current
        if opened is not None and opened.loads_rest_unasked:
            browse.viewport.load_rest()
        elif browse.rows.missing_requests:
            browse.viewport.offer_rest()

    async def take_known(self, browse: TablePane) -> bool:
        """Load the missing rows from the search, or from the index. Return False if some are still missing."""
        session, opened = self._context.session, browse.open_collections.current
        if opened is None or opened.query or not opened.rows.loaded:
            return False
        rows, loaded = opened.rows, self._searched(opened.collection)
        if rows.end_known and not rows.missing():
            return False
        if loaded is not None and loaded.read_at is not None:
            as_of = session.now() - timedelta(seconds=session.monotonic() - loaded.read_at)
            pages = _pages_of(loaded.rows, rows.page_size)
        elif (completed_at := session.index.complete(opened.collection)) is not None:
            as_of, pages = completed_at, session.index.pages(opened.collection, rows.page_size, MAX_RECORDS)
        else:
            return False
        try:
            await browse.take_known(opened, pages, as_of)
        except IndexProblem as error:
            self._context.notify(Report(str(error), "Could not load the index", "warning"))
            return False
        return not rows.missing()

    async def load_rest(self) -> None:
        """Load the missing rows, or tell the user why there are none to load."""
        browse = self._context.table
        rows = browse.rows
        if not rows.loaded:
            self._context.notify(Report("Nothing to load yet."))
        elif rows.total is None:
            self._context.notify(Report("The number of records is unknown. Press G to go to the last record."))
        elif not rows.missing():
            full = rows.cached < rows.total
            self._context.notify(
                Report(f"The maximum of {MAX_RECORDS:,} records is loaded." if full else "All records are loaded.")
            )
        elif not await self.take_known(browse):
            browse.viewport.load_rest()

    def undo_arrangement(self) -> None:
        """Clear the filter; without one the sort, without that the last query parameter."""
        browse = self._context.table
        view = browse.view
        if view.filter:
            browse.arrangement.filter_by("")
        elif view.sort is not None:
            browse.arrangement.sort_by(None)
        elif view.query:
            self.remove_parameter(len(view.query) - 1)
        else:
            self._context.notify(Report(availability.NOTHING_ARRANGED))

    def remove_parameter(self, number: int) -> None:
        """Remove a query parameter by its index."""
        query = self._context.table.view.query
        self._context.table.set_service_query((*query[:number], *query[number + 1 :]))

    async def save_view(self) -> None:
        """Ask for a name, and save the view of the collection under it."""
        from svc_tui.ui.dialogs.name_prompt import NamePromptScreen

        browse = self._context.table
        if browse.collection is None:
            return
        name = await self._context.show(NamePromptScreen("Save view", "name, for example: heavy and open"))
        if name:
            await self.keep_view(browse.collection, name, browse.view)
            self._context.notify(Report(f"Saved the view “{name}”. Open it from the sidebar."))

    @property
    def on_show(self) -> tuple[Collection, View] | None:
        """The shown collection and its view."""
        browse = self._context.table
        return None if browse.collection is None else (browse.collection, browse.view)

    async def keep_view(self, collection: Collection, name: str, view: View) -> None:
        """Save a view of a collection under a name."""
        key = collection.key
        await self._save(key, self._context.remembered.habit(key).with_view(name, view))

    async def forget_view(self, key: str, name: str) -> None:
        """Delete a saved view after a question."""
        from svc_tui.ui.dialogs.menu import MenuScreen

        lines = [(Content("Keep the view"), False), (styled(f"Delete the view {name}"), True)]
        if await self._context.show(MenuScreen("Delete view", lines)):
            await self._save(key, self._context.remembered.habit(key).without_view(name))

    async def _save(self, key: str, habit: RememberedView) -> None:
        await self._context.remembered.changed(key, habit)
        self._views_changed(key, tuple(habit.named))

    def show_named(self, key: str, name: str) -> None:
        """Show the collection in the saved view of that name."""
        view = self._context.remembered.habit(key).named.get(name)
        if view is not None:
            self.show(view)

    def go_on(self, view: View) -> None:
        """Restore the view of a collection that was just opened.

        If it has a filter, the missing rows are loaded after the first ones if that takes few requests.
        """
        collections = self._context.table.open_collections
        assert collections.current is not None
        columns = self._context.remembered.habit(collections.current.collection.kind).last.columns
        self.show(replace(view, columns=columns))
        collections.current.takes_rest = bool(view.filter)

    def show(self, view: View) -> None:
        """Show the collection in this view."""
        browse = self._context.table
        browse.set_service_query(view.query)
        browse.arrangement.filter_by(view.filter)
        browse.arrangement.sort_by(view.sort)
        browse.choose_columns(view.columns)


async def _pages_of(rows: SparseRows, size: int) -> AsyncGenerator[Page, None]:
    """Yield the records of the rows as pages of another size."""
    for first in range(0, min(rows.count, MAX_RECORDS), size):
        records = tuple(record for _, record in rows.held(range(first, first + size)))
        yield Page(records, first // size + 1, size)
        # Let key events go first.
        await asyncio.sleep(0)


def scope_text(browse: TablePane) -> str:
    """Return the scope of an action in words: all records of the collection, or the loaded ones."""
    rows = browse.rows
    if rows.total is not None and rows.cached >= rows.total:
        return f"all {counted(rows.total, 'record')}"
    return loaded_of(rows.cached, rows.known, end_known=rows.end_known)
