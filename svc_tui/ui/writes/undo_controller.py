"""Undoing a journalled write: the inverse goes the way of any other write, with card, fresh reading and journal."""

from collections.abc import Awaitable, Callable

from textual.content import Content

from svc_tui.core.records import Place
from svc_tui.plans.journal_runs import RunGroup, group_runs
from svc_tui.service.errors import NotFound, ServiceError
from svc_tui.storage.errors import StoreError
from svc_tui.storage.journal_entries import JournalEntry, WrittenRecord
from svc_tui.ui.context import Context
from svc_tui.ui.editing.draft_controller import DraftController
from svc_tui.ui.report import Report, error_report
from svc_tui.ui.text import styled
from svc_tui.ui.writes.create import CreateController
from svc_tui.ui.writes.delete import DeleteController
from svc_tui.ui.writes.undo_dialog import UndoableWrite, UndoScreen
from svc_tui.writes.undo import (
    SENT_ONLY,
    LaterChanges,
    NotUndoable,
    RecreateRecord,
    RemoveRecord,
    RestoreValues,
    inverse_of,
    later_changes,
)


class UndoController:
    """Lets the user choose a write, and shows what would take it back."""

    def __init__(
        self,
        context: Context,
        drafting: DraftController,
        creating: CreateController,
        deleting: DeleteController,
        undo_run: Callable[[str], Awaitable[None]],
    ) -> None:
        """Make it; `undo_run` takes back the run of an id."""
        self._context, self._drafting, self._creating, self._deleting = context, drafting, creating, deleting
        self._undo_run = undo_run

    async def choose(self) -> None:
        """Choose from the journal, newest first, what to take back."""
        session, privacy_mask = self._context.session, self._context.privacy_mask
        try:
            items = group_runs(await session.writes.listed(), await session.run_store.runs())
        except StoreError as error:
            self._context.notify(Report(str(error), "Could not load the journal", "error"))
            return
        choices = [
            item
            if isinstance(item, RunGroup)
            else UndoableWrite(privacy_mask.entry(item), inverse_of(item, session.collections))
            for item in items
        ]
        title = self._drafting.writes.heading("Undo")
        chosen = await self._context.show(UndoScreen(title, choices, self._context.local_now()))
        if isinstance(chosen, RunGroup):
            await self._undo_run(chosen.run.id)
        elif chosen is not None:
            await self.write(chosen.write.number)

    async def write(self, number: int) -> None:
        """Take the write of this number in the journal back."""
        writes = self._context.session.writes
        try:
            entry, written = await writes.find(number), await writes.record_after(number)
        except StoreError as error:
            self._context.notify(Report(str(error), "Could not load the journal", "error"))
            return
        if entry is None:
            return
        undo = inverse_of(entry, self._context.session.collections)
        if isinstance(undo, NotUndoable):
            self._context.notify(Report(undo.why, "This change can't be undone", "warning"))
            return
        if entry.other_key and not await self._drafting.writes.confirm_other_key(f"Change {entry.number} was sent"):
            return
        match undo:
            case RestoreValues():
                await self._restore(entry, written, undo)
            case RecreateRecord(collection, record, certain=certain):
                if certain or await self._is_gone(Place(collection, record.id)):
                    await self._creating.again(collection, record)
            case RemoveRecord(place):
                await self._remove(entry, written, place)

    async def _is_gone(self, place: Place) -> bool:
        """Whether a record is there no longer; where it is, or nobody can tell, that is said."""
        try:
            await self._context.gateway.record(place.collection, place.id)
        except NotFound:
            return True
        except ServiceError as error:
            self._context.notify(error_report(error, f"Could not load {place.id}"))
        else:
            self._context.notify(
                Report("The record was not deleted, so there is nothing to undo.", f"{place.id} still exists")
            )
        return False

    async def _restore(self, entry: JournalEntry, written: WrittenRecord | None, undo: RestoreValues) -> None:
        """Lay the old values into the record as edits, and show the card."""
        place = undo.place
        if refusal := self._drafting.writes.lock.lasting_refusal:
            # First of all: a refused undo leaves no edits behind.
            self._context.notify(Report(refusal, severity="warning"))
            return
        if self._drafting.drafts.draft(place) is not None:
            self._context.go(place)
            words = "Send or discard the draft, then undo."
            self._context.notify(Report(words, f"{place.id} has a draft", "warning"))
            return
        try:
            fresh = await self._context.gateway.record(place.collection, place.id)
        except ServiceError as error:
            self._context.notify(error_report(error, f"Could not load {place.id}"))
            return
        draft = undo.draft(fresh, written).rebased(fresh)
        if not draft.edits:
            self._context.notify(Report(f"{place.id} already has the old values."))
            return
        changes = later_changes(entry, written, fresh, self._context.gateway.secrets)
        replaced = [name for name in changes.names if name in draft.edits]
        if replaced:
            effect = f"Undo replaces the current {', '.join(replaced)}. Other fields are not changed."
        else:
            effect = "Undo does not change these fields."
        if not await self._accepts(place, changes, written, effect):
            return
        if self._context.selection.place != place:
            self._context.go(place)
        self._drafting.put(place, draft)
        if not await self._drafting.review(place, undoes=True):
            # A draft that is left would refuse the next undo.
            self._drafting.forget(place)

    async def _remove(self, entry: JournalEntry, written: WrittenRecord | None, place: Place) -> None:
        try:
            record = await self._context.gateway.record(place.collection, place.id)
        except ServiceError as error:
            self._context.notify(error_report(error, f"Could not load {place.id}"))
            return
        changes = later_changes(entry, written, record, self._context.gateway.secrets)
        if await self._accepts(place, changes, written, "Undo deletes the record and these changes."):
            await self._deleting.ask(place, record, undoes=True)

    async def _accepts(self, place: Place, changes: LaterChanges, written: WrittenRecord | None, effect: str) -> bool:
        """Ask whether to undo the write although its record changed since; True where it did not."""
        if not changes.names:
            if written is None:
                self._context.notify(Report(SENT_ONLY))
            return True
        from svc_tui.ui.dialogs.confirm import ConfirmScreen
        from svc_tui.ui.widgets.text.difference import diff_content

        seen = self._context.privacy_mask.draft(changes.draft, place.collection.domain)
        parts = [styled(f"{effect}{f' {SENT_ONLY}' if written is None else ''}", "$role-warning")]
        if seen.changes:
            parts.append(diff_content(seen.changes))
        if changes.removed:
            parts.append(styled(f"Removed: {', '.join(changes.removed)}"))
        if changes.unknown:
            parts.append(styled(f"May have changed (values not available): {', '.join(changes.unknown)}"))
        screen = ConfirmScreen(
            self._drafting.writes.heading(f"{place.id} changed later"),
            Content("\n\n").join(parts),
            "Undo anyway",
            danger=self._drafting.writes.live,
        )
        return bool(await self._context.show(screen))
