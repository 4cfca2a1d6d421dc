"""Looking at a table from the main screen: which columns it has, and what one of them amounts to."""

from collections.abc import Callable, Sequence
from datetime import tzinfo
from typing import Any

from textual.screen import Screen

from svc_tui.domain.collections.columns import Column, paths_seen
from svc_tui.domain.collections.views import ChosenColumn
from svc_tui.ui.keys import availability
from svc_tui.ui.main.workspace import Workspace
from svc_tui.ui.report import Report
from svc_tui.ui.session.remembered_choices import RememberedChoices
from svc_tui.ui.table.view_controller import among


class ColumnsController:
    """Opens the dialogs about columns for one screen; its methods run in workers of the screen."""

    def __init__(
        self,
        screen: Screen[Any],
        workspace: Callable[[], Workspace],
        remembered: RememberedChoices,
        tell: Callable[[Report], None],
        tz: tzinfo,
    ) -> None:
        self._screen, self._workspace, self._remembered, self._tell, self._tz = (
            screen,
            workspace,
            remembered,
            tell,
            tz,
        )

    async def columns(self) -> None:
        """Choose the columns, the table following every key."""
        browse = self._workspace().at_hand
        if browse.collection is None or not browse.columns:
            self._tell(Report(availability.NO_COLUMNS))
            return
        from svc_tui.ui.table.columns_dialog import ColumnsScreen

        def try_on(chosen: Sequence[ChosenColumn]) -> tuple[Column, ...]:
            browse.choose_columns(chosen, keep=False)
            return browse.columns

        chosen = self._remembered.habit(browse.collection.kind).last.columns
        privacy_mask, domain = self._workspace().privacy_mask, browse.collection.domain
        record = browse.table.cursor_record
        fields = privacy_mask.record(record, domain).fields if record else {}
        screen = ColumnsScreen(chosen, browse.columns, paths_seen(browse.rows.records()), fields, try_on, self._tz)
        kept = await self._screen.app.push_screen_wait(screen)
        if kept is not None:
            browse.choose_columns(kept)

    async def summary(self) -> None:
        """Sum up the values of the field under the cursor."""
        workspace = self._workspace()
        browse, path = workspace.at_hand, workspace.path
        if path is None or browse.collection is None or not browse.rows.loaded:
            self._tell(Report(availability.NO_COLUMN))
            return
        from svc_tui.domain.collections.summary import summarize
        from svc_tui.ui.table.summary_dialog import SummaryScreen

        records = browse.arrangement.records()
        source = among(browse)
        if browse.view.filter:
            source = f"the {len(records):,} that the filter lets through of {source}"
        told = summarize(workspace.privacy_mask.records(records, browse.collection.domain), path, self._tz)
        await self._screen.app.push_screen_wait(SummaryScreen(path, workspace.kind_of(path), told, source, self._tz))
