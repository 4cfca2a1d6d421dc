"""Arranging a table from the main screen: its order, what is looked through, what the service is asked for, views."""

from collections.abc import Callable
from dataclasses import replace

from textual.content import Content

from svc_tui.domain.collections.page_cache import MAX_RECORDS
from svc_tui.domain.collections.views import RememberedView, Sort, View
from svc_tui.domain.data.counted import counted
from svc_tui.domain.model.catalog import Collection
from svc_tui.domain.search.record_index import IndexProblem
from svc_tui.ui.keys import availability
from svc_tui.ui.report import Report
from svc_tui.ui.session.context import Context
from svc_tui.ui.table.pane import TablePane
from svc_tui.ui.text import field_label, pad, styled

_UNASKED_REQUESTS = 10
"""Requests for the rest of a collection that nobody is asked about; Esc stops them."""


class ViewController:
    """Asks how the rows of `browse` are to be looked at; its dialogs run in workers of the screen."""

    def __init__(
        self, context: Context, table: Callable[[], TablePane], views_changed: Callable[[str, tuple[str, ...]], None]
    ) -> None:
        self._context, self._table, self._views_changed = context, table, views_changed

    async def sort(self) -> None:
        """Ask for the order of the rows; choosing the field that sorts already turns it round."""
        from svc_tui.ui.dialogs.menu import MenuScreen

        browse = self._table()
        if not browse.table.columns:
            self._context.notify(Report(availability.NOTHING_TO_SORT))
            return
        now = browse.view_state.view.sort
        lines: list[tuple[Content, Sort | str]] = [(Content("unsorted, as returned by the service"), "")]
        for column in browse.table.columns:
            mark = "" if now is None or now.field != column.name else "↓" if now.descending else "↑"
            turned = now is not None and now.field == column.name and not now.descending
            line = Content.assemble(styled(pad(field_label(column.name), 40)), (f" {mark}", "$role-accent"))
            lines.append((line, Sort(column.name, turned)))
        names = [column.name for column in browse.table.columns]
        at = 1 + names.index(now.field) if now is not None and now.field in names else 1 + browse.table.cursor_column
        title = f"Sort {scope_text(browse)}"
        menu = MenuScreen(title, lines, hint="enter sort, again to reverse · esc cancel", at=at)
        chosen = await self._context.show(menu)
        if chosen is not None:
            browse.arrangement.order(chosen if isinstance(chosen, Sort) else None)
        if isinstance(chosen, Sort):
            await self.offer_load_rest("Sort")

    async def offer_load_rest(self, title: str = "Filter") -> None:
        """After a filter was kept, or rows were sorted: offer to read the rest too, with its cost; little is not asked.

        Where a filter lets nothing through, the rest is what one wants.
        """
        if await self.take_rest():
            return
        from svc_tui.ui.dialogs.menu import MenuScreen

        browse = self._table()
        rows, missing, total = browse.rows, browse.rows.missing(), browse.rows.total
        assert total is not None
        requests = f"{len(missing):,} request{'s' if len(missing) > 1 else ''}"
        more = rows.cached + len(missing) * rows.page_size
        reach = f"all {total:,} records" if more >= total else f"{min(more, MAX_RECORDS):,} of {total:,} records"
        lines = [
            (Content(f"Use only {counted(rows.cached, 'loaded record')}"), False),
            (Content(f"Load {reach}: {requests}"), True),
        ]
        at = 1 if browse.open_collections.current is not None and not browse.open_collections.current.shown.count else 0
        if await self._context.show(MenuScreen(title, lines, at=at)):
            browse.viewport.load_rest()

    async def take_rest(self) -> bool:
        """Have the rest taken from the index, or read where that takes few requests; False: it takes many."""
        browse = self._table()
        if await self.take_indexed(browse):
            return True
        missing = browse.rows.missing()
        if not missing or browse.rows.total is None:
            return True
        few = len(missing) <= _UNASKED_REQUESTS
        if few:
            browse.viewport.load_rest()
        return few

    async def take_indexed(self, browse: TablePane) -> bool:
        """Have the rows that are missing taken from the index; gives whether it holds all of the collection."""
        index, opened = self._context.session.index, browse.open_collections.current
        if opened is None or opened.query or not opened.rows.loaded:
            return False
        as_of = index.complete(opened.collection)
        rows = opened.rows
        if as_of is None or (rows.end_known and not rows.missing()):
            return False
        try:
            pages = index.pages(opened.collection, rows.page_size, MAX_RECORDS)
            await browse.take_indexed(opened, pages, as_of)
        except IndexProblem as error:
            self._context.notify(Report(str(error), "Could not load the index", "warning"))
            return False
        return not rows.missing()

    async def load_rest(self) -> None:
        """Offer the same at any time, and say why there is nothing to offer."""
        rows = self._table().rows
        if not rows.loaded:
            self._context.notify(Report("Nothing to load yet."))
        elif rows.total is None:
            self._context.notify(Report("The number of records is unknown. Press G to go to the last record."))
        elif not rows.missing():
            full = rows.cached < rows.total
            self._context.notify(
                Report(f"The maximum of {MAX_RECORDS:,} records is loaded." if full else "All records are loaded.")
            )
        else:
            await self.offer_load_rest("Load the rest")

    def undo_arrangement(self) -> None:
        """Take back the last thing that narrows or orders the table: filter, order, question to the service."""
        browse = self._table()
        view = browse.view_state.view
        if view.filter:
            browse.arrangement.choose("")
        elif view.sort is not None:
            browse.arrangement.order(None)
        elif view.query:
            self.remove_parameter(len(view.query) - 1)
        else:
            self._context.notify(Report(availability.NOTHING_ARRANGED))

    def remove_parameter(self, number: int) -> None:
        """Take back one parameter that the service is asked with, counted from 0."""
        query = self._table().view_state.view.query
        self._table().view_state.set_service_query((*query[:number], *query[number + 1 :]))

    async def save_view(self) -> None:
        """Ask for a name, and keep the way that the collection is looked at under it."""
        from svc_tui.ui.dialogs.name_prompt import NamePromptScreen

        browse = self._table()
        if browse.collection is None:
            return
        name = await self._context.show(NamePromptScreen("Save view", "name, for example: heavy and open"))
        if name:
            await self.keep_view(browse.collection, name, browse.view_state.view)
            self._context.notify(Report(f"Saved the view “{name}”. Open it from the sidebar."))

    @property
    def on_show(self) -> tuple[Collection, View] | None:
        """The collection on show, and how it is looked at."""
        browse = self._table()
        return None if browse.collection is None else (browse.collection, browse.view_state.view)

    async def keep_view(self, collection: Collection, name: str, view: View) -> None:
        """Keep a view of a collection under a name."""
        key = collection.key
        await self._keep(key, self._context.remembered.habit(key).with_view(name, view))

    async def forget_view(self, key: str, name: str) -> None:
        """Take a view away, once asked."""
        from svc_tui.ui.dialogs.menu import MenuScreen

        lines = [(Content("Keep the view"), False), (styled(f"Delete the view {name}"), True)]
        if await self._context.show(MenuScreen("Delete view", lines)):
            await self._keep(key, self._context.remembered.habit(key).without_view(name))

    async def _keep(self, key: str, habit: RememberedView) -> None:
        await self._context.remembered.changed(key, habit)
        self._views_changed(key, tuple(habit.named))

    def show_named(self, key: str, name: str) -> None:
        """Look at the collection on show as the view of that name says."""
        view = self._context.remembered.habit(key).named.get(name)
        if view is not None:
            self.show(view)

    def go_on(self, view: View) -> None:
        """Look at the collection on show, of which nothing was read yet, as it was looked at before.

        What else its filter lets through is taken once the first rows are there, where that costs little.
        """
        collections = self._table().open_collections
        assert collections.current is not None
        columns = self._context.remembered.habit(collections.current.collection.kind).last.columns
        self.show(replace(view, columns=columns))
        collections.current.takes_rest = bool(view.filter)

    def show(self, view: View) -> None:
        """Look at the collection on show in this way."""
        browse = self._table()
        browse.view_state.set_service_query(view.query)
        browse.arrangement.choose(view.filter)
        browse.arrangement.order(view.sort)
        browse.view_state.choose_columns(view.columns)


def scope_text(browse: TablePane) -> str:
    """The records that are meant, in words: all of the collection, or those loaded."""
    rows = browse.rows
    if rows.total is not None and rows.cached >= rows.total:
        return f"all {counted(rows.total, 'record')}"
    return counted(rows.cached, "loaded record") + (f" of {rows.total:,}" if rows.total is not None else "")
