"""The path of every write in the interface: the lock, the idempotency key, the card, sending, and the outcome."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, TypeAlias

from msgspec import Struct
from textual.content import Content
from textual.message import Message

from svc_tui.core.credentials import Environment
from svc_tui.core.draft import Draft
from svc_tui.core.phrases import capitalize_first
from svc_tui.core.records import Place, Record
from svc_tui.core.requests import Exchange, RequestSpec, SignedRequest
from svc_tui.core.values import replace
from svc_tui.service.errors import SendResult, ServiceError
from svc_tui.service.gateway import Gateway
from svc_tui.service.redact import holds_secret
from svc_tui.session.write_words import OTHER_KEY
from svc_tui.storage.errors import StoreError
from svc_tui.ui.context import Context
from svc_tui.ui.report import Report, cause_of, error_report
from svc_tui.ui.sending.lock_controller import LockController
from svc_tui.ui.text import styled
from svc_tui.writes.approval_guard import Permit, Proposal, WriteGate
from svc_tui.writes.outcomes import WriteReport
from svc_tui.writes.pipeline import WritePipeline
from svc_tui.writes.record_lookup import refresh_request
from svc_tui.writes.unknown_writes import JOURNAL_NOT_LOADED
from svc_tui.writes.write_requests import RefreshedRequest

if TYPE_CHECKING:
    from svc_tui.ui.sending.request_card import RequestCard
    from svc_tui.ui.widgets.inputs.ticket_input import TicketInput

MakeCard: TypeAlias = "Callable[[RequestSpec, SignedRequest, WriteReport | None], RequestCard]"
"""Makes the card of a request with its signed form; after an unknown outcome, the card that offers it again."""


class Write(Struct, frozen=True):
    """A write that is not confirmed yet.

    `proposal` is the change as its author sees it; if it names a record and does not hold it, the record is loaded
    when approval is requested. `run` sends the request with its idempotency key for a ticket. `settle` is called with
    the outcome. `retry` returns the write to offer again after an unknown outcome, None for none.
    """

    proposal: Proposal
    run: Callable[[RequestSpec, str], Awaitable[WriteReport]]
    make_card: MakeCard
    place: Place | None = None
    """The record that is written to; None for a collection or a request of the console."""
    settle: Callable[[WriteReport], None] | None = None
    retry: "Callable[[Write, WriteReport], Awaitable[Write | None]] | None" = None

    @property
    def spec(self) -> RequestSpec:
        """The request, without its idempotency key."""
        return self.proposal.change.spec


class ConfirmedWrite(Struct, frozen=True):
    """A write that the user confirmed, its request with the idempotency key, and its ticket, "" for none."""

    write: Write
    spec: RequestSpec
    ticket: str


class WriteRefusal(Struct, frozen=True):
    """The reason that a request is not sent: a `reason` in a sentence or two, or an `error`.

    `asked` is True if it is not sent yet because colleagues were asked for approval.
    """

    reason: str = ""
    error: ServiceError | None = None
    asked: bool = False

    @property
    def line(self) -> str:
        """The refusal on one line."""
        return error_report(self.error).line if self.error is not None else self.reason

    def report(self, title: str = "") -> Report:
        """Return the refusal as a notice; `title` is that of an error."""
        if self.error is not None:
            return error_report(self.error, title)
        return Report(self.reason, "Approval requested") if self.asked else Report(self.reason, severity="warning")


ASKED_WORDS = (
    "Nothing is sent yet. You will be notified when a colleague approves the request. "
    "To see it, open Approvals in Commands (ctrl+p)."
)


async def offer_again(write: Write, _: WriteReport) -> Write:
    """Return the same write, to offer it again."""
    return write


class Tickets:
    """The last ticket of one screen, and the input lines for tickets, which refuse the gateway's secrets."""

    def __init__(self, gateway: Gateway) -> None:
        self._gateway = gateway
        self.last = ""
        self._last_place: Place | None = None
        """The record that the last ticket was used for."""

    def line(self, place: Place | None = None, unknown: WriteReport | None = None) -> "TicketInput":
        """Make the input line for the card of a write to `place`.

        It holds the last ticket if that was for the same record, else it offers it. A request that is sent again after
        an `unknown` outcome keeps its ticket, or none.
        """
        if unknown is not None:
            return self._make_line(unknown.ticket, last=self.last, carried=True)
        same = place is not None and place.record_id is not None and place == self._last_place
        return self._make_line(self.last if same else "", last=self.last, carried=same)

    def plan_line(self, ticket: str) -> "TicketInput":
        """Make the input line for a plan, with the ticket of its run; a write's ticket is not offered for a plan."""
        return self._make_line(ticket)

    def remember(self, line: "TicketInput", place: Place | None = None) -> None:
        """Remember the ticket of this line and the record it was for; an empty line keeps the last ticket."""
        if line.ticket:
            self.last, self._last_place = line.ticket, place
        elif place == self._last_place:
            self._last_place = None

    def _make_line(self, ticket: str, *, last: str = "", carried: bool = False) -> "TicketInput":
        from svc_tui.ui.widgets.inputs.ticket_input import TicketInput

        secrets = self._gateway.secrets
        return TicketInput(ticket, lambda text: holds_secret(text, secrets), last=last, carried=carried)


class WriteController:
    """The path of the writes of one main screen; a write is sent in a worker that outlives its dialog."""

    @dataclass
    class RecordRead(Message):
        """The record at `place` was loaded from the service."""

        place: Place
        record: Record

    @dataclass
    class Exchanged(Message):
        """A request of the user was answered."""

        exchange: Exchange

    @dataclass
    class SendingChanged(Message):
        """The number of writes in flight changed."""

    def __init__(self, context: Context, lock: LockController) -> None:
        session = context.session
        self._context, self.lock, self.heading = context, lock, lock.heading
        self.tickets = Tickets(session.gateway)
        self.gate = WriteGate(lock.refusal, session.approval_guard)
        self.pipeline = WritePipeline(
            session.gateway, session.journal, self.gate, session.now, collections=session.collections
        )
        self.sending = 0
        """The number of writes in flight."""
        self.run_under_way = False
        """True while a run sends its writes."""
        self.last_entry = 0
        """The journal number of the last write of this session, 0 for none."""
        self._dialog_closed = asyncio.Event()
        self._nothing_in_flight = asyncio.Event()
        self._nothing_in_flight.set()

    @property
    def live(self) -> bool:
        """True if writes go to LIVE."""
        return self._context.gateway.environment is Environment.LIVE

    @property
    def send_word(self) -> str:
        """The label of the button that sends, which names LIVE."""
        return "Send to LIVE" if self.live else "Send"

    # The path

    async def carry_out(self, write: Write) -> WriteReport | WriteRefusal | None:
        """Ask the user to confirm the write, and send it; return None if the user cancels."""
        confirmed = await self.confirm(write)
        return await self.send(confirmed) if isinstance(confirmed, ConfirmedWrite) else confirmed

    async def confirm(self, write: Write, unknown: WriteReport | None = None) -> ConfirmedWrite | WriteRefusal | None:
        """Show the card of the write, or after an `unknown` outcome the one that offers it again; None for a cancel.

        The card is shown on locked LIVE too: it can be read there, and unlocks LIVE.
        """
        if refusal := self.lock.lasting_refusal:
            return WriteRefusal(refusal)
        try:
            await self.pipeline.unknown_writes.load(self._context.journal)
        except StoreError as error:
            return WriteRefusal(JOURNAL_NOT_LOADED.format(error))
        sent_before = "" if unknown is not None else self.pipeline.unknown_writes.describe_similar(write.spec)
        try:
            spec = self.pipeline.with_idempotency_key(write.spec)
            request = self._context.gateway.preview(spec)
        except ServiceError as error:
            return WriteRefusal(error=error)
        card = write.make_card(spec, request, unknown)
        card.sent_before, card.write_lock = sent_before, self.lock
        proposal = replace(write.proposal, change=replace(write.proposal.change, spec=spec))
        permit = Permit()
        if self.gate.approvals.rule(proposal.change):
            from svc_tui.team.approvals import find_needed_approval

            needed = await find_needed_approval(self.gate.approvals, proposal)
            permit = needed.permit
            if not needed.missing:
                card.approved_by = permit.approved_by
            elif self._context.session.team is None:
                return WriteRefusal(permit.refusal)
            else:
                card.ask_for_approval(needed.rule, needed.standing)
        ticket = await self._show_card(card, write.place)
        if ticket is None:
            return None
        if permit.refusal:
            return await self._request_approval(proposal, ticket, card.word)
        return ConfirmedWrite(write, spec, ticket)

    async def _show_card(self, card: "RequestCard", place: Place | None) -> str | None:
        """Return the ticket if the user confirms; the team is told meanwhile that the record is open here."""
        ticket: str | None
        if (team := self._context.session.team) is None or place is None:
            ticket = await self._context.show(card)
        else:
            from svc_tui.ui.sending.colleagues import colleagues_at

            card.colleagues = await colleagues_at(self._context, team, place)
            with team.presence.open(place.key):
                ticket = await self._context.show(card)
        self.tickets.remember(card.ticket_line, place)
        return ticket

    async def _request_approval(self, proposal: Proposal, ticket: str, word: str) -> WriteRefusal:
        """Ask colleagues for approval, and return that nothing is sent yet, or why they could not be asked."""
        from svc_tui.team.approvals import request_approval
        from svc_tui.team.asks import AskError

        team = self._context.session.team
        assert team is not None
        try:
            await request_approval(self._context.gateway, team.approvals, proposal, ticket, word)
        except ServiceError as error:
            return WriteRefusal(error=error)
        except (AskError, StoreError) as error:
            return WriteRefusal(f"Approval not requested: {error}")
        return WriteRefusal(ASKED_WORDS, asked=True)

    async def send(self, confirmed: ConfirmedWrite) -> WriteReport:
        """Send a confirmed write; after an unknown outcome, offer it again with the same idempotency key."""
        while True:
            write = confirmed.write
            report = await self.run(write.run(confirmed.spec, confirmed.ticket), write.place)
            report = replace(report, ticket=confirmed.ticket)
            if write.settle is not None:
                write.settle(report)
            if report.result is not SendResult.UNKNOWN or report.was_applied or write.retry is None:
                return report
            retry = await write.retry(write, report)
            again = None if retry is None else await self.confirm(retry, report)
            if not isinstance(again, ConfirmedWrite):
                return report
            confirmed = again

    async def run(self, sending: Awaitable[WriteReport], place: Place | None = None) -> WriteReport:
        """Await the `sending` of a write, counted as in flight, and post its response and record to the screen."""
        self._count_in_flight(+1)
        try:
            report = await sending
        finally:
            self._count_in_flight(-1)
        self.last_entry = report.entry_number or self.last_entry
        if report.exchange is not None:
            self.publish(report.exchange)
        if report.record is not None and place is not None:
            self._context.screen.post_message(self.RecordRead(place, report.record))
        return report

    def publish(self, exchange: Exchange) -> None:
        """Post the response to a request of the user to the screen."""
        self._context.screen.post_message(self.Exchanged(exchange))

    def _count_in_flight(self, step: int) -> None:
        self.sending += step
        if self.sending:
            self._nothing_in_flight.clear()
        else:
            self._nothing_in_flight.set()
        self._context.screen.post_message(self.SendingChanged())

    # The card

    def plain_card(
        self,
        what: str,
        *,
        place: Place | None = None,
        label: str = "",
        note: str = "",
        complete: Callable[[RequestSpec], Awaitable[RefreshedRequest | None]] | None = None,
    ) -> MakeCard:
        """Return a function that makes the card of a request that is neither an edit nor a deletion.

        `place` is the record with that `label`, or the collection; None for a request of the console. `complete` loads
        what the request still lacks, and returns None if that can't be loaded.
        """

        def make_card(spec: RequestSpec, request: SignedRequest, unknown: WriteReport | None) -> "RequestCard":
            from svc_tui.ui.sending.request_card import CardContent, RequestCard, about_record

            record = place if place is not None and place.record_id is not None else None
            about = [about_record(label, record) if record else Content(), styled(note, "$role-warning")]
            content = CardContent(
                self.heading(what),
                self._context.privacy_mask.request(request),
                Content("\n").join(line for line in about if line),
                send=self.send_word,
                danger=self.live,
            )
            if unknown is not None:
                content = replace(
                    content,
                    title=self.heading(f"Outcome unknown: {what}"),
                    back="Later",
                    send="Send again",
                    retry_reason=_retry_reason(unknown),
                    look=None if record is None else partial(self.look_at, record),
                )
            line = self.tickets.line(place, unknown)
            return RequestCard(content, line, complete=partial(complete, spec) if complete else None)

        return make_card

    def look_at(self, place: Place) -> None:
        """Open a record, and load it again."""
        self._context.go(place)
        self._context.workspace.refresh_all()

    async def refresh(self, place: Place, spec: RequestSpec, draft: Draft) -> RefreshedRequest | None:
        """Load the record, and return the request with its ETag and the changes of others; None if it can't be loaded.

        `draft` is the record with the edits that the card shows.
        """
        refreshed = await refresh_request(self._context.gateway, place, spec, draft)
        if refreshed is None:
            return None
        mask, freshness = self._context.privacy_mask, refreshed.freshness
        if freshness is not None:
            freshness = replace(freshness, draft=mask.draft(freshness.draft, place.collection.domain))
        return replace(refreshed, request=mask.request(refreshed.request, beside=draft.fields), freshness=freshness)

    # Leaving, and questions that come by themselves

    async def may_leave(self, then: str = "quit") -> bool:
        """Return True if no write is in flight and no run in progress; else say so, with `then` as the next step."""
        if self.run_under_way:
            words = (
                f"A run is in progress. Press esc to stop after the current row, then {then}. "
                "To resume it, open Runs in Commands (ctrl+p)."
            )
            self._context.notify(Report(words, severity="warning"))
            return False
        if self.sending:
            self._context.notify(
                Report(f"A change is being sent. Wait for the response, then {then}.", severity="warning")
            )
            return False
        return True

    async def wait_until_sent(self) -> None:
        """Wait until no write is in flight."""
        await self._nothing_in_flight.wait()

    async def confirm_other_key(self, what: str) -> bool:
        """Ask whether to continue with something made with another key of this profile; `what` says what was made."""
        from svc_tui.ui.dialogs.confirm import ConfirmScreen

        body = Content.assemble(styled(what, "bold"), " with another key of this profile. ", OTHER_KEY)
        title = self.heading("Another key was used")
        return await self._context.show(ConfirmScreen(title, body, "Continue", "Cancel", danger=True)) is True

    @property
    def in_front(self) -> bool:
        """True if no dialog is open."""
        return self._context.screen.app.screen is self._context.screen

    async def wait_until_in_front(self) -> None:
        """Wait until no dialog is open, so that a question that comes by itself takes no key meant for another one."""
        while not self.in_front:
            self._dialog_closed.clear()
            await self._dialog_closed.wait()

    def dialog_closed(self) -> None:
        """Note that the dialog over the screen was closed."""
        self._dialog_closed.set()


def _retry_reason(unknown: WriteReport) -> str:
    return (
        f"{capitalize_first(cause_of(unknown))}\nThe request may have been carried out. y sends it again with the same "
        "idempotency key. If the service ignores these keys, it may be carried out twice: if in doubt, check first."
    )
