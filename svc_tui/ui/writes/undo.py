"""Undoing a journalled write: the inverse goes the way of any other write, with card, fresh reading and journal."""

from collections.abc import Awaitable, Callable

from svc_tui.domain.editing.ports import StoreError
from svc_tui.domain.editing.undo import Inverse, NotUndoable, RecreateRecord, RemoveRecord, RestoreValues, inverse_of
from svc_tui.domain.http.errors import NotFound, ServiceError
from svc_tui.domain.model.records import Place
from svc_tui.domain.plans.journal_groups import RunGroup, run_groups
from svc_tui.ui.editing.controller import EditController
from svc_tui.ui.report import Report, error_report
from svc_tui.ui.session.context import Context
from svc_tui.ui.writes.create import CreateController
from svc_tui.ui.writes.delete import DeleteController
from svc_tui.ui.writes.undo_dialog import UndoableWrite, UndoScreen


class UndoController:
    """Lets the user choose a write, and shows what would take it back."""

    def __init__(
        self,
        context: Context,
        editing: EditController,
        creating: CreateController,
        deleting: DeleteController,
        undo_run: Callable[[str], Awaitable[None]],
    ) -> None:
        """Make it; `undo_run` takes back the run of an id."""
        self._context, self._editing, self._creating, self._deleting = context, editing, creating, deleting
        self._undo_run = undo_run

    async def choose(self) -> None:
        """Choose from the journal, newest first, what to take back."""
        session, privacy_mask = self._context.session, self._context.privacy_mask
        try:
            items = run_groups(await session.writes.listed(), await session.run_store.runs())
        except StoreError as error:
            self._context.notify(Report(str(error), "The journal could not be read", "error"))
            return
        choices = [
            item
            if isinstance(item, RunGroup)
            else UndoableWrite(privacy_mask.entry(item), inverse_of(item, session.collections))
            for item in items
        ]
        chosen = await self._context.show(UndoScreen(choices, self._context.gateway.environment, session.tz))
        if isinstance(chosen, RunGroup):
            await self._undo_run(chosen.run.id)
        elif chosen is not None:
            await self._undo(chosen.inverse)

    async def write(self, number: int) -> None:
        """Take the write of this number in the journal back."""
        try:
            entry = await self._context.session.writes.find(number)
        except StoreError as error:
            self._context.notify(Report(str(error), "The journal could not be read", "error"))
            return
        if entry is not None:
            await self._undo(inverse_of(entry, self._context.session.collections))

    async def _undo(self, inverse: Inverse) -> None:
        match inverse:
            case RestoreValues():
                await self._restore(inverse)
            case RecreateRecord(collection, record, certain=certain):
                if certain or await self._is_gone(Place(collection, record.id)):
                    await self._creating.again(collection, record)
            case RemoveRecord():
                await self._remove(inverse)
            case NotUndoable(why):
                self._context.notify(Report(why, "This write can't be taken back", "warning"))

    async def _is_gone(self, place: Place) -> bool:
        """Whether a record is there no longer; where it is, or nobody can tell, that is said."""
        try:
            await self._context.gateway.record(place.collection, place.id)
        except NotFound:
            return True
        except ServiceError as error:
            self._context.notify(error_report(error, f"{place.id} could not be read"))
        else:
            self._context.notify(Report("It was not deleted.", f"{place.id} is still there"))
        return False

    async def _restore(self, undo: RestoreValues) -> None:
        """Lay the old values into the record as edits, and show the card."""
        place = undo.place
        if refusal := self._editing.writes.lock.lasting_refusal:
            # First of all: a refused undo leaves no edits behind.
            self._context.notify(Report(refusal, severity="warning"))
            return
        if self._editing.drafts.draft(place) is not None:
            self._context.go(place)
            words = "It has edits that are not sent. Send them or take them back, then undo."
            self._context.notify(Report(words, f"{place.id} is being edited", "warning"))
            return
        try:
            fresh = await self._context.gateway.record(place.collection, place.id)
        except ServiceError as error:
            self._context.notify(error_report(error, f"{place.id} could not be read"))
            return
        draft = undo.draft(fresh)
        if not draft.edits:
            self._context.notify(Report(f"{place.id} has its old values already."))
            return
        self._context.go(place)
        self._editing.put(place, draft)
        await self._editing.review(place)

    async def _remove(self, undo: RemoveRecord) -> None:
        place = undo.place
        try:
            record = await self._context.gateway.record(place.collection, place.id)
        except ServiceError as error:
            self._context.notify(error_report(error, f"{place.id} could not be read"))
            return
        await self._deleting.ask(place, record)
