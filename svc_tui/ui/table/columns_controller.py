"""The dialogs about the columns of a table: their choice, and the summary of one of them."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence

from svc_tui.core.phrases import counted
from svc_tui.core.views import ChosenColumn
from svc_tui.records.columns import Column, paths_seen
from svc_tui.ui.context import Context
from svc_tui.ui.keys import availability
from svc_tui.ui.report import Report
from svc_tui.ui.table.view_controller import scope_text


class ColumnsController:
    """Dialogs about columns; its methods run in workers of the screen."""

    def __init__(self, context: Context, load_rest: Callable[[], Awaitable[None]]) -> None:
        self._context, self._load_rest = context, load_rest

    async def columns(self) -> None:
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

    async def summary(self) -> None:
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
            await self._load_rest()
