"""What the main screen does about the table: its tabs, order, filter and columns, and what becomes of its rows."""

from textual import on

from svc_tui.core.records import Place
from svc_tui.ui.keys import availability
from svc_tui.ui.main.base import MainBase
from svc_tui.ui.report import Report, reading_report
from svc_tui.ui.table.collection_tabs import CollectionTabs
from svc_tui.ui.table.table_pane import TablePane


class TableEvents(MainBase):
    """The keys are about the table at hand: the large one, or the one in the record's tab."""

    @on(TablePane.CountKnown)
    def _count_known(self, event: TablePane.CountKnown) -> None:
        self.sidebar.set_count(event.collection, event.total)

    @on(TablePane.KindsKnown)
    def _kinds_known(self, event: TablePane.KindsKnown) -> None:
        self.workspace.record_display.refresh_kinds()

    @on(CollectionTabs.CollectionWanted)
    def _tab_chosen(self, event: CollectionTabs.CollectionWanted) -> None:
        self.go(Place(event.collection))

    @on(TablePane.RowsFailed)
    def _rows_failed(self, event: TablePane.RowsFailed) -> None:
        self.report(reading_report(event.error, "Could not load the records"))

    @on(TablePane.NoticePosted)
    def _show_notice(self, event: TablePane.NoticePosted) -> None:
        self.report(Report(event.text))

    @on(TablePane.Arranged)
    def _rows_arranged(self) -> None:
        self.run_worker(self.controllers.views.take_rest(), group="arranged", exclusive=True)

    # Tabs

    def action_tab(self, steps: int) -> None:
        """Go to another open collection."""
        self.workspace.to_table()
        if self.workspace.browse.open_collections.has_several:
            self.workspace.browse.tabs.step(steps)
        else:
            self.report(Report(availability.ONLY_TAB))

    def action_close_tab(self) -> None:
        """Close the collection shown, and go back to the previous one."""
        if (collection := self.workspace.browse.open_collections.close()) is not None:
            self.go(Place(collection))
        else:
            self.report(Report(availability.ONLY_TAB))

    # Which rows, and in what order

    def action_filter(self) -> None:
        """Type a filter for the table."""
        table = self.workspace.to_rows()
        table.arrangement.start_filter()
        # What is typed is looked for in all that is known of the collection.
        self.run_worker(self.controllers.views.take_known(table), group="known-rows", exclusive=True)

    def action_next(self, steps: int) -> None:
        """On, or back, through the rows that fit the filter."""
        self.workspace.to_rows().table.action_move(steps)

    def action_sort(self) -> None:
        """Choose the order of the table's rows."""
        self.ask(self.controllers.views.sort())

    def action_load_rest(self) -> None:
        """Load the rows that are missing in the table."""
        self.run_worker(self.controllers.views.load_rest(), group="arranged", exclusive=True)

    def action_unarrange(self) -> None:
        """Take back the last thing that narrows or orders the table."""
        self.controllers.views.undo_arrangement()

    def action_unfilter(self) -> None:
        """The filter's chip was clicked."""
        self.workspace.panes.at_hand.arrangement.clear_filter()

    def action_unask(self, number: int) -> None:
        """The chip of a parameter that goes to the service was clicked, counted from 0."""
        self.controllers.views.remove_parameter(number)

    # How they look, and where they go

    def action_columns(self) -> None:
        """Choose the columns of the table."""
        self.ask(self.controllers.columns.columns())

    def action_summary(self) -> None:
        """Sum up the column under the cursor."""
        self.ask(self.controllers.columns.summary())

    def action_export(self) -> None:
        """Export what the table shows."""
        self.ask(self.controllers.export())
