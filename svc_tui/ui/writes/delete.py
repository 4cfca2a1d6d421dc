"""Deleting the record under the cursor: what points at it is counted, then it is asked for, then sent."""

import asyncio
from collections.abc import Sequence
from functools import partial

from textual.content import Content

from svc_tui.core.catalog import Collection
from svc_tui.core.draft import Draft
from svc_tui.core.phrases import counted
from svc_tui.core.records import Place, Record
from svc_tui.core.requests import RequestSpec, SignedRequest
from svc_tui.core.values import replace
from svc_tui.service.errors import SendResult, ServiceError
from svc_tui.service.routes import nested_in
from svc_tui.ui.context import Context
from svc_tui.ui.editing.draft_controller import DraftController
from svc_tui.ui.report import PROOF_OFFER, action_report, cause_of, error_report
from svc_tui.ui.sending.request_card import CardContent, about_record
from svc_tui.ui.sending.write_controller import Write, WriteRefusal
from svc_tui.ui.text import styled
from svc_tui.ui.writes.delete_dialog import DeleteDialog
from svc_tui.writes.approval_guard import Proposal, ProposedChange
from svc_tui.writes.outcomes import WriteReport
from svc_tui.writes.referrers import ReferringRecords, count_by_service, find_referrers
from svc_tui.writes.write_requests import build_delete_request, with_if_match

_MAX_COUNT_REQUESTS = 4
"""Requests spent on counting what points at a record."""


class DeleteController:
    """Deletes one record at a time."""

    def __init__(self, context: Context, drafting: DraftController) -> None:
        self._context, self._writes, self._drafting = context, drafting.writes, drafting

    async def ask(self, place: Place, record: Record, *, undoes: bool = False) -> None:
        """Ask whether to delete the record, and do it; `undoes`: that undoes its creation."""
        try:
            spec = with_if_match(build_delete_request(place), record.etag)
        except ServiceError as error:
            self._context.notify(error_report(error, f"{place.id} can't be deleted"))
            return
        outcome = await self._writes.carry_out(
            Write(
                Proposal(ProposedChange(("delete",), place.key, spec), place, record),
                lambda spec, ticket: self._writes.pipeline.delete(place, record, spec, ticket),
                partial(self._dialog, place, record, undoes),
                place,
            )
        )
        if outcome is None:
            return
        if isinstance(outcome, WriteRefusal):
            self._context.notify(outcome.report(f"{place.id} can't be deleted"))
            return
        report = action_report(outcome, place.id, "deleted", undoes=undoes)
        if outcome.was_applied:
            undo = "Press u to create it again (new id possible)." if outcome.is_undoable else ""
            proof = PROOF_OFFER if outcome.result is SendResult.DONE else ""
            report = replace(report, body=" ".join(filter(None, (cause_of(outcome), undo, proof))))
        self._context.notify(report)
        if outcome.is_gone:
            self._put_away(place)

    def _dialog(
        self,
        place: Place,
        record: Record,
        undoes: bool,
        spec: RequestSpec,
        request: SignedRequest,
        _: WriteReport | None,
    ) -> DeleteDialog:
        label = self._context.privacy_mask.record(record, place.collection.domain).label
        facts = [about_record(label, place)]
        if note := self._context.workspace.selection.marks_note(place):
            facts.append(styled(note, "$role-warning"))
        if self._drafting.drafts.draft(place) is not None:
            facts.append(Content.styled("The draft of this record will be discarded.", "$role-changed"))
        heading = self._writes.heading(f"Undo: delete {place.id}" if undoes else f"Delete {place.id}")
        return DeleteDialog(
            CardContent(heading, request, Content("\n").join(facts)),
            self._pointing(place),
            self._writes.tickets.line(place),
            typed_id=place.id if self._writes.live else "",
            complete=partial(self._writes.refreshed, place, spec, Draft(record)),
        )

    def _put_away(self, place: Place) -> None:
        workspace = self._context.workspace
        self._drafting.forget(place)
        workspace.gone(place)

    async def _pointing(self, place: Place) -> Content:
        """What points at the record, and what was looked through for it, in a few requests."""
        referrers, looked = find_referrers(place, self._context.selection.held, self._context.session.collections)
        below = list(nested_in(place, self._context.session.routes, self._context.session.collections))[
            :_MAX_COUNT_REQUESTS
        ]
        counted = referrers[: _MAX_COUNT_REQUESTS - len(below)]
        counts, known = await asyncio.gather(
            asyncio.gather(*(self._under(collection) for collection in below)),
            asyncio.gather(*(self._counted(pointers, place) for pointers in counted)),
        )
        pointing = [*known, *referrers[len(counted) :]]
        lines = [
            styled(f"{collection.name} of this record: {count:,}", "bold $role-warning")
            for collection, count in zip(below, counts, strict=True)
            if count
        ]
        lines += [_pointers_line(pointers) for pointers in pointing if pointers.count]
        unknown = [collection.name for collection, count in zip(below, counts, strict=True) if count is None]
        if not lines:
            lines.append(Content("No references found."))
        lines.append(styled(_search_scope(looked, [c for c in below if c.name not in unknown], unknown), "$role-muted"))
        return Content("\n").join(lines)

    async def _under(self, collection: Collection) -> int | None:
        """How many records hang under it; None where that can't be told."""
        try:
            page = await self._context.gateway.page(collection, 1, 1)
        except ServiceError:
            # Not being able to count is said with what was looked through.
            return None
        return page.total if page.total is not None else (0 if not page.records else None)

    async def _counted(self, pointers: ReferringRecords, place: Place) -> ReferringRecords:
        """The count of all there are, where the service can choose by the field."""
        try:
            query = ((pointers.field, place.id),)
            page = await self._context.gateway.page(pointers.collection, 1, 1, query=query)
        except ServiceError:
            # Then the records that are held are all that was looked through, which is said.
            return replace(pointers, whole=False)
        return count_by_service(pointers, place, page)


def _pointers_line(pointers: ReferringRecords) -> Content:
    reach = "" if pointers.whole else f" of {pointers.held:,} loaded"
    records = counted(pointers.count, "record")
    words = f"{records}{reach} in {pointers.collection.key} {'references' if pointers.count == 1 else 'reference'} it"
    return Content.assemble(styled(words, "bold $role-warning"), styled(f" ({pointers.field})", "$role-muted"))


def _search_scope(looked: Sequence[Collection], below: Sequence[Collection], unknown: Sequence[str]) -> str:
    names = [*(collection.name for collection in below), *(collection.key for collection in looked)]
    words = f"Searched: {', '.join(names) or 'nothing'}. Other collections were not searched."
    return f"{words} Not counted: {', '.join(unknown)}." if unknown else words
