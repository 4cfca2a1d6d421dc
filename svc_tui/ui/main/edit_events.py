"""What the main screen does about changes: editing, reviewing, acting, the lock, and what there is to tell of them."""

from typing import TYPE_CHECKING

from textual import on

from svc_tui.ui.dialogs.mask_consent import run_unmasked
from svc_tui.ui.editing.edit_controller import EditController
from svc_tui.ui.editing.lock_controller import LockController
from svc_tui.ui.editing.write_controller import WriteController
from svc_tui.ui.keys import availability
from svc_tui.ui.main.base import MainBase
from svc_tui.ui.report import Report

if TYPE_CHECKING:
    from svc_tui.ui.team.approvals_controller import ApprovalsController
    from svc_tui.ui.team.watch import TeamWatch


class EditEvents(MainBase):
    """Nothing is sent from here: each change is reviewed first."""

    # What has changed

    @on(EditController.DraftChanged)
    def _draft_changed(self, event: EditController.DraftChanged) -> None:
        self.workspace.draft_changed(event.place)
        self.refresh_bindings()
        self.sidebar.set_unsent({place.collection.key for place in self.controllers.editing.drafts.places})

    @on(WriteController.Exchanged)
    def _exchanged(self, event: WriteController.Exchanged) -> None:
        self.controllers.session_log.answered(event.exchange)

    @on(WriteController.RecordRead)
    def _record_read(self, event: WriteController.RecordRead) -> None:
        self.controllers.session_log.read(event.place, event.record)
        self.controllers.note_reading(event.place, event.record)
        self.workspace.record_read(event.place, event.record)

    @on(WriteController.SendingChanged)
    def _sending_changed(self) -> None:
        self.workspace.record_display.refresh_history()
        if self.is_active:
            self.refresh_bindings()

    def on_approvals_controller_counted(self, event: "ApprovalsController.Counted") -> None:
        """Show in the status bar what waits for a second person, and what one approved."""
        self.status.asks = (event.waiting, event.approved)

    def on_screen_resume(self) -> None:
        """Tell the footer what changed behind a dialog: below one, it is drawn anew at some moment or not at all."""
        self.refresh_bindings()

    @on(LockController.Changed)
    def show_lock(self) -> None:
        """Show in the status bar whether, and how long, writes may leave."""
        lock = self.controllers.lock.shown
        self.status.read_only = lock.read_only
        self.status.locked = lock.locked
        self.status.writable_until = lock.writable_until

    def on_team_watch_changed(self, event: "TeamWatch.Changed") -> None:
        """Something is different with the team."""
        news = event.watch.tell()
        self.status.team = event.watch.mark
        self.show_lock()
        display = self.workspace.record_display
        display.show_colleagues()
        if news and display.shown is not None:
            self.run_worker(self.controllers.timeline.look_for_news(), group="history-news", exclusive=True)

    # What is to change

    def action_edit(self, edit_externally: bool = False) -> None:
        """Edit the field under the cursor, in its place or outside."""
        record, path = self.workspace.selection.shown, self.workspace.selection.steps
        if record is None or path is None:
            self.report(Report(availability.NO_RECORD if record is None else availability.NO_FIELD))
        else:
            value = self.controllers.field_editing.value(path, edit_externally=edit_externally)
            self.ask(run_unmasked(self.context, value, hidden=self.workspace.selection.hidden))

    def action_edit_whole(self) -> None:
        """Edit the whole record in the user's editor."""
        hidden = self.workspace.selection.seen != self.workspace.selection.shown
        self.ask(run_unmasked(self.context, self.controllers.field_editing.whole(), hidden=hidden))

    def action_take_back(self) -> None:
        """Take back the change of the field under the cursor."""
        place, field = self.workspace.selection.place, self.workspace.selection.field
        if place is None or field is None or not self.controllers.editing.revert_field(place, field):
            self.report(Report(availability.NOT_CHANGED))

    def action_review(self) -> None:
        """Open the change card."""
        place = self.workspace.selection.place
        if place is None or place.record_id is None:
            self.report(Report(availability.NOTHING_TO_SEND))
        else:
            self.ask(self.controllers.editing.review(place))

    def action_act(self, what: str) -> None:
        """Create, copy, delete, undo, or choose from what can be done with the record under the cursor."""
        self.ask(self.controllers.record_actions.do(what))

    def action_lock(self) -> None:
        """Unlock writes on LIVE, or lock them again."""
        self.ask(self.controllers.lock.toggle())

    def action_rotate(self) -> None:
        """Put a new key pair in the place of the session's own."""
        self.ask(self.controllers.rotate())

    def action_journal(self) -> None:
        """Show the journal of writes."""
        self.ask(self.controllers.journal.show())

    def action_proof(self) -> None:
        """Copy the proof of the last write."""
        self.run_worker(self.controllers.journal.copy_proof(self.controllers.writes.last_entry), group="copies")
