"""Deleting a record: counting the references to it, the card that asks, and sending."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from functools import partial

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Horizontal
from textual.content import Content
from textual.widgets import Input, Static

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
from svc_tui.ui.sending.request_card import CardContent, RequestCard, about_record
from svc_tui.ui.sending.write_controller import Write, WriteRefusal
from svc_tui.ui.text import styled
from svc_tui.ui.widgets.inputs.text_input import TextInput, paste_notice
from svc_tui.ui.widgets.inputs.ticket_input import TicketInput
from svc_tui.writes.approval_guard import Proposal, ProposedChange
from svc_tui.writes.outcomes import WriteReport
from svc_tui.writes.referrers import ReferringRecords, count_by_service, find_referrers
from svc_tui.writes.write_requests import RefreshedRequest, build_delete_request, with_if_match

_MAX_COUNT_REQUESTS = 4
"""Requests spent on counting the references to a record."""


class DeleteController:
    """The deletion of single records."""

    def __init__(self, context: Context, drafting: DraftController) -> None:
        self._context, self._writes, self._drafting = context, drafting.writes, drafting

    async def ask(self, place: Place, record: Record, *, undoes: bool = False) -> None:
        """Ask whether to delete the record, and delete it; `undoes` is True if that undoes its creation."""
        try:
            spec = with_if_match(build_delete_request(place), record.etag)
        except ServiceError as error:
            self._context.notify(error_report(error, f"{place.id} can't be deleted"))
            return
        outcome = await self._writes.carry_out(
            Write(
                Proposal(ProposedChange(("delete",), place.key, spec), place, record),
                lambda spec, ticket: self._writes.pipeline.delete(place, record, spec, ticket),
                partial(self._make_dialog, place, record, undoes),
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
            self._drafting.forget(place)
            self._context.workspace.gone(place)

    def _make_dialog(
        self,
        place: Place,
        record: Record,
        undoes: bool,
        spec: RequestSpec,
        request: SignedRequest,
        _: WriteReport | None,
    ) -> RequestCard:
        label = self._context.privacy_mask.record(record, place.collection.domain).label
        facts = [about_record(label, place)]
        if note := self._context.workspace.selection.marks_note(place):
            facts.append(styled(note, "$role-warning"))
        if self._drafting.drafts.draft(place) is not None:
            facts.append(Content.styled("The draft of this record will be discarded.", "$role-changed"))
        heading = self._writes.heading(f"Undo: delete {place.id}" if undoes else f"Delete {place.id}")
        return DeleteDialog(
            CardContent(heading, request, Content("\n").join(facts)),
            self._find_references(place),
            self._writes.tickets.line(place),
            typed_id=place.id if self._writes.live else "",
            complete=partial(self._writes.refresh, place, spec, Draft(record)),
        )

    async def _find_references(self, place: Place) -> Content:
        """Return what references the record and which collections were searched for it, in a few requests."""
        collections = self._context.session.collections
        referrers, searched = find_referrers(place, self._context.selection.held, collections)
        nested = list(nested_in(place, self._context.session.routes, collections))[:_MAX_COUNT_REQUESTS]
        to_count = referrers[: _MAX_COUNT_REQUESTS - len(nested)]
        nested_counts, counted_referrers = await asyncio.gather(
            asyncio.gather(*(self._count_nested(collection) for collection in nested)),
            asyncio.gather(*(self._count_referrers(referring, place) for referring in to_count)),
        )
        lines = [
            styled(f"{collection.name} of this record: {count:,}", "bold $role-warning")
            for collection, count in zip(nested, nested_counts, strict=True)
            if count
        ]
        lines += [
            _referrers_line(referring)
            for referring in (*counted_referrers, *referrers[len(to_count) :])
            if referring.count
        ]
        if not lines:
            lines.append(Content("No references found."))
        unknown = [collection.name for collection, count in zip(nested, nested_counts, strict=True) if count is None]
        known = [collection.name for collection in nested if collection.name not in unknown]
        lines.append(styled(_search_scope([*known, *(found.key for found in searched)], unknown), "$role-muted"))
        return Content("\n").join(lines)

    async def _count_nested(self, collection: Collection) -> int | None:
        """Return the number of records in a collection of the record; None if it can't be known."""
        try:
            page = await self._context.gateway.page(collection, 1, 1)
        except ServiceError:
            # The card lists the collection as not counted.
            return None
        return page.total if page.total is not None else (0 if not page.records else None)

    async def _count_referrers(self, referring: ReferringRecords, place: Place) -> ReferringRecords:
        """Return the count of all referring records if the service can filter by the field, else of the loaded ones."""
        try:
            query = ((referring.field, place.id),)
            page = await self._context.gateway.page(referring.collection, 1, 1, query=query)
        except ServiceError:
            # The card says that only loaded records were counted.
            return replace(referring, whole=False)
        return count_by_service(referring, place, page)


def _referrers_line(referring: ReferringRecords) -> Content:
    reach = "" if referring.whole else f" of {referring.held:,} loaded"
    records = counted(referring.count, "record")
    verb = "references" if referring.count == 1 else "reference"
    words = f"{records}{reach} in {referring.collection.key} {verb} it"
    return Content.assemble(styled(words, "bold $role-warning"), styled(f" ({referring.field})", "$role-muted"))


def _search_scope(searched: Sequence[str], not_counted: Sequence[str]) -> str:
    words = f"Searched: {', '.join(searched) or 'nothing'}. Other collections were not searched."
    return f"{words} Not counted: {', '.join(not_counted)}." if not_counted else words


class DeleteDialog(RequestCard):
    """The card of a deletion: it shows the references before anything is sent, and asks for the id on LIVE."""

    DEFAULT_CSS = """
    DeleteDialog #id-line { height: 1; margin-top: 1; }
    DeleteDialog.-short #id-line { margin-top: 0; }
    DeleteDialog #id-line Static { color: $role-muted; }
    DeleteDialog #id-line TextInput { width: 1fr; }
    """

    AUTO_FOCUS = "#typed, #back"

    BINDINGS = [
        Binding("y", "send", "Delete", id="delete.yes", tooltip="Delete the record"),
        Binding("enter", "send", "Delete", show=False, id="delete.typed", tooltip="Delete the record"),
        Binding("ctrl+t", "ticket", "Ticket", show=False, id="delete.ticket", tooltip="Add the ticket"),
    ]

    def __init__(
        self,
        content: CardContent,
        references: Awaitable[Content],
        ticket_line: TicketInput,
        *,
        typed_id: str = "",
        complete: Callable[[], Awaitable[RefreshedRequest | None]] | None = None,
    ) -> None:
        """Show `references` once they are known; `typed_id` is the id to type in place of a key, "" for none."""
        super().__init__(replace(content, send="Delete", danger=True), ticket_line, complete=complete)
        self._typed_id, self._references = typed_id, references
        self._references_shown = False
        if typed_id:
            self.confirm_key, ticket_line.focus_key, self.word_key = "enter", "^t", "shift+tab"
            self.rows_below += 1

    def compose_details(self) -> ComposeResult:
        """Compose the references to the record."""
        yield Static(Content.styled("Searching for references…", "$role-muted"), id="pointing")

    def compose_inputs(self) -> ComposeResult:
        """Compose the line for the id."""
        if self._typed_id:
            with Horizontal(id="id-line"):
                label = Static("Id", markup=False)
                label.styles.width = self._label_cells - 1
                yield label
                yield TextInput(placeholder="type or paste the record's id", id="typed")

    def show_choice(self) -> None:
        """Allow typing the id once LIVE is unlocked."""
        super().show_choice()
        for typed in self.query("#typed"):
            typed.disabled = self._locked

    def on_mount(self) -> None:
        """Start searching for references."""
        self.run_worker(self._show_references(), group="pointing")

    async def _show_references(self) -> None:
        references = await self._references
        if not self.is_current:
            # The dialog is being closed.
            return
        self.query_one("#pointing", Static).update(references)
        self._references_shown = True
        if self.said_below:
            self._say_below("")

    def may_send(self) -> bool:
        """Return True if writes are unlocked, the references were shown and on LIVE the id was typed; else say why."""
        if not super().may_send():
            return False
        if not self._references_shown:
            self._say_below("still searching for references")
        elif self._typed_id and self.query_one("#typed", Input).value.strip() != self._typed_id:
            self._say_below("wrong id · type the id of this record")
            self.query_one("#typed").focus()
        else:
            return True
        return False

    @on(Input.Submitted, "#typed")
    def _id_typed(self) -> None:
        self.action_send()

    def on_paste(self, event: events.Paste) -> None:
        """Take a paste beside the lines for the id, if one is asked for; a paste never presses a key."""
        for typed in self.query("#typed").results(Input):
            event.prevent_default()
            event.stop()
            typed.value = " ".join(event.text.split())
            if notice := paste_notice(event.text, typed.value):
                self._say_below(notice)
            typed.focus()
