"""The one path of every write in the interface: lock, key, card, sending, and what became of it told to the screen."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from msgspec import Struct
from textual.content import Content
from textual.message import Message

from svc_tui.core.credentials import Environment
from svc_tui.core.draft import Draft
from svc_tui.core.records import Place, Record
from svc_tui.core.requests import Exchange, RequestSpec, SignedRequest
from svc_tui.core.values import replace
from svc_tui.service.errors import SendResult, ServiceError
from svc_tui.session.write_words import OTHER_KEY
from svc_tui.storage.errors import StoreError
from svc_tui.ui.context import Context
from svc_tui.ui.report import Report, error_report
from svc_tui.ui.sending.lock_controller import LockController
from svc_tui.ui.sending.tickets import Tickets
from svc_tui.ui.text import styled
from svc_tui.writes.approval_guard import Permit, Proposal, WriteGate
from svc_tui.writes.outcomes import WriteReport
from svc_tui.writes.pipeline import WritePipeline
from svc_tui.writes.unknown_writes import JOURNAL_NOT_LOADED
from svc_tui.writes.write_requests import RefreshedRequest

if TYPE_CHECKING:
    from svc_tui.ui.sending.request_card import RequestCard


MakeCard: TypeAlias = "Callable[[RequestSpec, SignedRequest, WriteReport | None], RequestCard]"
"""Makes the card that shows a request as it would leave, after an unknown outcome as one that is offered again."""


class Write(Struct, frozen=True):
    """A write that the user wants.

    `proposal` is what it changes, as its author sees it; a record that it names and does not hold is read where
    somebody is to be asked. `run` sends the request, with its key, for a ticket. `settle` takes what became of it.
    `retry` gives what is to be offered again while the outcome is not known, None where nothing is.
    """

    proposal: Proposal
    run: Callable[[RequestSpec, str], Awaitable[WriteReport]]
    make_card: MakeCard
    place: Place | None = None
    """The record that is written to, where it is one."""
    settle: Callable[[WriteReport], None] | None = None
    retry: "Callable[[Write, WriteReport], Awaitable[Write | None]] | None" = None

    @property
    def spec(self) -> RequestSpec:
        """The request."""
        return self.proposal.change.spec


class ConfirmedWrite(Struct, frozen=True):
    """A write that the user agreed to: its request with its key, and the ticket it is for, "" for none."""

    write: Write
    spec: RequestSpec
    ticket: str


class WriteRefusal(Struct, frozen=True):
    """Why a request does not leave: `reason` in a sentence or two, or an `error`.

    `asked`: it does not leave yet, since colleagues were asked for approval.
    """

    reason: str = ""
    error: ServiceError | None = None
    asked: bool = False

    @property
    def line(self) -> str:
        """The refusal on one line."""
        return error_report(self.error).line if self.error is not None else self.reason

    def report(self, title: str = "") -> Report:
        """The refusal as a notice; `title` says what an error was about."""
        if self.error is not None:
            return error_report(self.error, title)
        return Report(self.reason, "Approval requested") if self.asked else Report(self.reason, severity="warning")


ASKED_WORDS = (
    "Nothing is sent yet. You will be notified when a colleague approves the request. "
    "To see it, open Approvals in Commands (ctrl+p)."
)


async def offer_again(write: Write, _: WriteReport) -> Write:
    """Offer the same write again."""
    return write


class WriteController:
    """Runs the writes of one main screen, in workers of the screen: a dialog that closes takes no write with it."""

    @dataclass
    class RecordRead(Message):
        """The record at `place`, as the service gave it just now."""

        place: Place
        record: Record

    @dataclass
    class Exchanged(Message):
        """A request that the user asked for was answered."""

        exchange: Exchange

    @dataclass
    class SendingChanged(Message):
        """Another number of writes is in flight."""

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
        """Whether writes of a run follow one another."""
        self.last_entry = 0
        """The number in the journal of the last write of this session, 0 before there is one."""
        self._dialog_closed = asyncio.Event()
        self._nothing_in_flight = asyncio.Event()
        self._nothing_in_flight.set()

    @property
    def live(self) -> bool:
        """Whether writes change what is real."""
        return self._context.gateway.environment is Environment.LIVE

    @property
    def send_word(self) -> str:
        """The word for sending on a button, which names LIVE."""
        return "Send to LIVE" if self.live else "Send"

    def look_at(self, place: Place) -> None:
        """Show a record as it is at the service now."""
        self._context.go(place)
        self._context.workspace.refresh_all()

    # The path

    async def carry_out(self, write: Write) -> WriteReport | WriteRefusal | None:
        """Have the write confirmed, and send it; None where the user decided against it."""
        confirmed = await self.confirm(write)
        return await self.send(confirmed) if isinstance(confirmed, ConfirmedWrite) else confirmed

    async def confirm(self, write: Write, unknown: WriteReport | None = None) -> ConfirmedWrite | WriteRefusal | None:
        """Show the request as it would leave, after an `unknown` outcome as one that is offered again.

        On locked LIVE a card is shown too: it can be read, and unlocks what it holds back.
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
        ticket = await self._agreed(card, write.place)
        if ticket is None:
            return None
        return await self._asked(proposal, ticket, card.word) if permit.refusal else ConfirmedWrite(write, spec, ticket)

    async def confirm_other_key(self, what: str) -> bool:
        """Ask whether to go on with what was made with another key of this profile."""
        from svc_tui.ui.dialogs.confirm import ConfirmScreen

        body = Content.assemble(styled(what, "bold"), " with another key of this profile. ", OTHER_KEY)
        title = self.heading("Another key was used")
        return await self._context.show(ConfirmScreen(title, body, "Continue", "Cancel", danger=True)) is True

    async def _agreed(self, card: "RequestCard", place: Place | None) -> str | None:
        """The ticket, once the user has agreed to the card; meanwhile colleagues know that its record is open here."""
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

    async def refreshed(self, place: Place, spec: RequestSpec, draft: Draft) -> RefreshedRequest | None:
        """What a fresh reading of the record adds to the card of a request; None where it can't be read.

        `draft` is the record as the card shows it, with its edits where it has any.
        """
        from svc_tui.writes.record_lookup import refresh_request

        refreshed = await refresh_request(self._context.gateway, place, spec, draft)
        if refreshed is None:
            return None
        mask, freshness = self._context.privacy_mask, refreshed.freshness
        if freshness is not None:
            freshness = replace(freshness, draft=mask.draft(freshness.draft, place.collection.domain))
        return replace(refreshed, request=mask.request(refreshed.request, beside=draft.fields), freshness=freshness)

    async def _asked(self, proposal: Proposal, ticket: str, word: str) -> WriteRefusal:
        """Ask colleagues for approval; gives what is to be said of it."""
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
        """Send a confirmed write; it is offered again, under the same key, as long as its outcome is not known."""
        while True:
            write = confirmed.write
            report = await self.run(write.run(confirmed.spec, confirmed.ticket), write.place)
            report = replace(report, ticket=confirmed.ticket)
            if write.settle is not None:
                write.settle(report)
            if report.result is not SendResult.UNKNOWN or report.was_applied or write.retry is None:
                return report
            following = await write.retry(write, report)
            again = None if following is None else await self.confirm(following, report)
            if not isinstance(again, ConfirmedWrite):
                return report
            confirmed = again

    async def run(self, sending: Awaitable[WriteReport], place: Place | None = None) -> WriteReport:
        """Send through a pipeline, counted as in flight meanwhile, and tell the screen what came of it."""
        self._count(+1)
        try:
            report = await sending
        finally:
            self._count(-1)
        self.last_entry = report.entry_number or self.last_entry
        if report.exchange is not None:
            self.publish(report.exchange)
        if report.record is not None and place is not None:
            self._context.screen.post_message(self.RecordRead(place, report.record))
        return report

    def publish(self, exchange: Exchange) -> None:
        """Tell the screen that a request the user asked for was answered."""
        self._context.screen.post_message(self.Exchanged(exchange))

    def _count(self, step: int) -> None:
        self.sending += step
        if self.sending:
            self._nothing_in_flight.clear()
        else:
            self._nothing_in_flight.set()
        self._context.screen.post_message(self.SendingChanged())

    # Around it

    async def may_leave(self, then: str = "quit") -> bool:
        """Whether one may leave: no write is in flight, and no run is under way."""
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

    @property
    def in_front(self) -> bool:
        """Whether no dialog is open."""
        return self._context.screen.app.screen is self._context.screen

    async def wait_until_in_front(self) -> None:
        """Wait until no dialog is open: a question that comes by itself takes no key meant for another one."""
        while not self.in_front:
            self._dialog_closed.clear()
            await self._dialog_closed.wait()

    def dialog_closed(self) -> None:
        """The dialog over the screen was closed."""
        self._dialog_closed.set()
