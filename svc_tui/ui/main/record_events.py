"""What the main screen does about the record at hand, short of changing it: looks into it, follows it, copies it."""

from typing import TYPE_CHECKING

from textual import on

from svc_tui.ui.main.base import MainBase
from svc_tui.ui.main.workspace import Workspace
from svc_tui.ui.report import error_report

if TYPE_CHECKING:
    from svc_tui.ui.widgets.record.field_list import FieldList
    from svc_tui.ui.widgets.record.timeline_list import TimelineList


class RecordEvents(MainBase):
    """Messages and keys about the selected record: the open one, or the one under the table's cursor."""

    @on(Workspace.RecordFailed)
    def _record_failed(self, event: Workspace.RecordFailed) -> None:
        self.report(error_report(event.error, f"Could not load {event.place.record_id}"))

    @on(Workspace.Looked)
    def _looked(self, event: Workspace.Looked) -> None:
        self.controllers.session_log.opened(event.place, event.record)
        self.controllers.note_reading(event.place, event.record)

    def on_field_list_opened(self, event: "FieldList.Opened") -> None:
        """Enter on a value of the record."""
        self.controllers.records.opened(event.entry, event.truncated)

    def on_record_views_history_wanted(self) -> None:
        """The record's history is on show."""
        self.run_worker(self.controllers.timeline.show(), group="history", exclusive=True)

    def on_timeline_list_opened(self, event: "TimelineList.Opened") -> None:
        """Enter on an event of the record's history."""
        self.controllers.timeline.opened(event.event)

    def action_follow(self) -> None:
        """Go to the record that the value under the cursor names."""
        self.controllers.records.follow()

    def action_peek(self) -> None:
        """Look at the record that the value under the cursor names."""
        self.ask(self.controllers.records.peek())

    def action_page(self) -> None:
        """Show the text at hand in the user's pager."""
        self.ask(self.controllers.records.page())

    def action_copy(self) -> None:
        """Copy the value under the cursor."""
        self.run_worker(self.controllers.copies.value(self.workspace.selection.seen_value), group="copies")

    def action_copy_menu(self) -> None:
        """Choose what to copy."""
        workspace = self.workspace
        domain = workspace.selection.place.collection.domain if workspace.selection.place is not None else ""
        marked = self.privacy_mask.records(workspace.panes.at_hand.marking.records, domain)
        self.ask(
            self.controllers.copies.menu(
                workspace.selection.place,
                workspace.selection.seen,
                workspace.selection.path,
                marked,
                self.controllers.not_found,
            )
        )
