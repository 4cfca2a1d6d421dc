"""Undoing a journalled write: the inverse goes the way of any other write, with card, fresh reading and journal."""

from datetime import tzinfo

from svc_tui.domain.editing.ports import Journal, StoreError
from svc_tui.domain.editing.undo import Inverse, Remake, Remove, Restore, inverse_of
from svc_tui.domain.http.errors import ServiceError
from svc_tui.ui.report import Report, of_error
from svc_tui.ui.writes.create import CreateController
from svc_tui.ui.writes.delete import DeleteController
from svc_tui.ui.writes.undo_dialog import UndoScreen
from svc_tui.ui.writes.write_context import Writing


class UndoController:
    """Lets somebody choose a write, and shows what would take it back."""

    def __init__(
        self, writing: Writing, journal: Journal, creating: CreateController, deleting: DeleteController, tz: tzinfo
    ) -> None:
        self._writing, self._journal, self._creating, self._deleting = writing, journal, creating, deleting
        self._tz = tz

    async def choose(self) -> None:
        """Choose from the journal, newest first, what to take back."""
        writing = self._writing
        try:
            entries = await self._journal.entries()
        except StoreError as error:
            writing.tell(Report(str(error), "The journal could not be read", "error"))
            return
        privacy_mask = writing.workspace.privacy_mask
        writes = [(privacy_mask.entry(entry), inverse_of(entry, writing.collections)) for entry in entries]
        chosen = await writing.ask(UndoScreen(writes, writing.gateway.environment, self._tz))
        if chosen is not None:
            await self._undo(chosen)

    async def _undo(self, inverse: Inverse) -> None:
        match inverse:
            case Restore():
                await self._restore(inverse)
            case Remake(collection, record):
                await self._creating.again(collection, record)
            case Remove():
                await self._remove(inverse)

    async def _restore(self, undo: Restore) -> None:
        """Lay the old values into the record as edits, and show the card."""
        writing, place = self._writing, undo.place
        assert place.record_id is not None
        if refusal := writing.editing.refusal():
            # First of all: a refused undo leaves no edits behind.
            writing.tell(Report(refusal, severity="warning"))
            return
        if writing.editing.drafts.draft(place) is not None:
            writing.go(place)
            words = "It has edits that are not sent. Send them or take them back, then undo."
            writing.tell(Report(words, f"{place.record_id} is being edited", "warning"))
            return
        try:
            fresh = await writing.gateway.record(place.collection, place.record_id)
        except ServiceError as error:
            writing.tell(of_error(error, f"{place.record_id} could not be read"))
            return
        draft = undo.draft(fresh)
        if not draft.edits:
            writing.tell(Report(f"{place.record_id} has its old values already."))
            return
        writing.go(place)
        writing.editing.put(place, draft)
        await writing.editing.review(place)

    async def _remove(self, undo: Remove) -> None:
        writing, place = self._writing, undo.place
        assert place.record_id is not None
        try:
            record = await writing.gateway.record(place.collection, place.record_id)
        except ServiceError as error:
            writing.tell(of_error(error, f"{place.record_id} could not be read"))
            return
        await self._deleting.ask(place, record)
