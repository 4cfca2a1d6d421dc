"""The one path of every write in the reader: read out, sent by a word, journalled, its end said."""

from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass, field

from svc_tui.core.bodies import size_text
from svc_tui.core.draft import Draft
from svc_tui.core.requests import RequestSpec, SignedRequest
from svc_tui.core.values import replace
from svc_tui.core.visible_text import field_label, visible
from svc_tui.reader.locking import Locking
from svc_tui.reader.mistakes import Mistake
from svc_tui.reader.talk import Talk
from svc_tui.service.errors import SendResult
from svc_tui.service.redact import holds_secret
from svc_tui.session.write_words import SECRET_TYPED, NextSteps, Report, changed_meanwhile_words
from svc_tui.storage.errors import StoreError
from svc_tui.storage.journal_entries import JournalEntry
from svc_tui.team.approvals import NeededApproval, find_needed_approval, request_approval
from svc_tui.team.asks import AskError
from svc_tui.writes.approval_guard import Proposal, WriteGate
from svc_tui.writes.lock import UNLOCK_WORD
from svc_tui.writes.outcomes import WriteReport
from svc_tui.writes.pipeline import WritePipeline
from svc_tui.writes.unknown_writes import JOURNAL_NOT_LOADED
from svc_tui.writes.write_requests import RefreshedRequest

_MAX_BODY_CHARACTERS = 4_000
"""Characters of a body that are read out; how many there are is said."""

SEND_IT = "To send it, type send."

_GUARDS = ("if-match", "idempotency-key")
"""Headers, in lower case, that say how a write is kept from doing harm: these are read out whole."""


def _always() -> bool:
    return True


def _nothing_asked() -> None:
    """Nothing is held that asking would settle."""


async def _nothing(_: WriteReport) -> None:
    """Settle nothing: the write is about no record that is held."""


@dataclass(frozen=True, slots=True)
class ReviewedWrite:
    """A write that the user wants: what it is about, how it is sent, and what is said of its end.

    An empty `title` stands for the method and the path; `next_step` says how to go on once it was read out.

    `proposal` is what it changes as its author sees it, `changes` are lines that say so. `complete` gives the request
    with what is still to be read for it. `stands` tells whether it is still what the user wants; `settle` takes what
    became of it, and `asked` that colleagues are asked for approval.
    `beside` names the fields of the record that it changes some of.
    """

    title: str
    changes: Sequence[str]
    proposal: Proposal
    run: Callable[[RequestSpec, str], Awaitable[WriteReport]]
    report: Callable[[WriteReport, NextSteps], Report]
    settle: Callable[[WriteReport], Awaitable[None]] = field(default=_nothing)
    asked: Callable[[], None] = field(default=_nothing_asked)
    complete: Callable[[RequestSpec], Awaitable[RefreshedRequest | None]] | None = None
    stands: Callable[[], bool] = field(default=_always)
    beside: Sequence[str] = ()
    next_step: str = SEND_IT

    @property
    def spec(self) -> RequestSpec:
        """The request."""
        return self.proposal.change.spec

    @property
    def word(self) -> str:
        """What is typed on LIVE to send it."""
        return confirming_word(self.proposal)


def confirming_word(proposal: Proposal) -> str:
    """Return what is typed to send a change on LIVE: the id of a record that it deletes, else the word that unlocks."""
    place = proposal.place
    if place is None or place.record_id is None or "delete" not in proposal.change.kinds:
        return UNLOCK_WORD
    return place.id


@dataclass(frozen=True, slots=True)
class _ReadOut:
    """A write that was read out, with its key; `asks`: colleagues are to be asked for approval first."""

    write: ReviewedWrite
    spec: RequestSpec
    asks: bool

    @property
    def proposal(self) -> Proposal:
        """What it changes, with its key."""
        proposal = self.write.proposal
        return replace(proposal, change=replace(proposal.change, spec=self.spec))


class Writes:
    """The writes of one conversation; `sending` while one is on its way, which nothing calls back."""

    def __init__(self, talk: Talk, locking: Locking) -> None:
        session = talk.session
        self._talk, self._locking = talk, locking
        gate = WriteGate(locking.refusal, session.approval_guard)
        self.pipeline = WritePipeline(
            session.gateway, session.journal, gate, session.now, collections=session.collections
        )
        self.ticket = ""
        self.sending = False
        self._gate = gate
        self._read_out: _ReadOut | None = None

    def forget_review(self) -> None:
        """What was read out is not what `send` is about any more."""
        self._read_out = None

    async def review_again(self, *, full: bool) -> bool:
        """Read out what was read out last; return False if there is nothing."""
        if self._read_out is None:
            return False
        await self.read_out(self._read_out.write, full=full)
        return True

    async def read_out(self, write: ReviewedWrite, *, full: bool = False) -> None:
        """Read a write out line by line: environment, what changes, ticket, lock; in full, the exact request too."""
        self._read_out = None
        if self._locking.state.read_only:
            raise Mistake(self._locking.refusal() or "")
        await self.require_earlier()
        spec = self.pipeline.with_idempotency_key(write.spec)
        request, moved = self._talk.session.gateway.preview(spec), ""
        edits, record = write.proposal.edits or {}, write.proposal.shown
        if write.complete is not None and (completed := await write.complete(spec)) is not None:
            request = completed.request
            if (freshness := completed.freshness) is not None and (place := write.proposal.place) is not None:
                edits, record = freshness.draft.edits, freshness.draft.base
                seen = self._talk.mask.draft(freshness.draft, place.collection.domain)
                moved = visible(changed_meanwhile_words(replace(freshness, draft=seen)))
        seen_request = self._talk.mask.request(request, write.beside)
        title = write.title or f"Send {seen_request.method} {visible(seen_request.target)}"
        self._talk.say(f"{self._talk.label}. {title}.")
        changes = Draft(record, edits).changes if record is not None else ()
        cautions = [f"{field_label(change.name)}: {change.caution}" for change in changes if change.caution]
        sent_before = self.pipeline.unknown_writes.describe_similar(spec).split("\n")
        for line in filter(None, (*write.changes, *cautions, moved, *sent_before)):
            self._talk.say(line)
        session = self._talk.session
        if full:
            self._talk.say(f"Profile {visible(session.profile.name)} at {session.gateway.host}.")
            for line in request_lines(seen_request):
                self._talk.say(line)
        elif not write.changes and (body := _body_line(seen_request)):
            self._talk.say(body)
        ticket = f"Ticket {visible(self.ticket)}." if self.ticket else "No ticket. To add one: ticket SUP-1."
        headers = "" if full else " For the full request: review full."
        read_out = _ReadOut(write, spec, asks=False)
        needed = await find_needed_approval(self._gate.approvals, read_out.proposal)
        if needed.missing:
            self._offer_to_ask(replace(read_out, asks=True), needed, ticket)
            return
        refusal = self._locking.refusal()
        approved = f"Approved by {visible(needed.permit.approved_by)}. " if needed.permit.approved_by else ""
        self._talk.say(f"{approved}{ticket} {refusal + ' Then type send.' if refusal else write.next_step}{headers}")
        self._read_out = read_out

    def _offer_to_ask(self, read_out: _ReadOut, needed: NeededApproval, ticket: str) -> None:
        if self._talk.session.team is None:
            self._talk.say(f"This change can't be sent. {visible(needed.permit.refusal)}")
            return
        standing = f"{visible(needed.standing)} " if needed.standing else ""
        rule = visible(needed.rule)
        self._talk.say(f"{ticket} {standing}Needs approval (rule {rule}). To request it, type send.")
        self._read_out = read_out

    async def send(self, _: str) -> None:
        """Send what was read out last; on LIVE after a typed word."""
        if self._read_out is None:
            raise Mistake("Nothing to send. Type review first.")
        read_out, write = self._read_out, self._read_out.write
        if not write.stands():
            self._read_out = None
            raise Mistake("Not sent: the draft has changed since the review. To review it again, type review.")
        if read_out.asks:
            await self._ask_team(read_out)
            return
        if refusal := self._locking.refusal():
            raise Mistake(f"Not sent. {refusal}")
        if self._talk.live and not await self.word_typed(write.word):
            self._talk.say(f"Not sent: you did not type {visible(write.word)}.")
            return
        self._read_out = None
        report = await self.sent(write.run(read_out.spec, self.ticket), write.settle)
        self.say_end(report, lambda steps: write.report(report, steps))

    async def _ask_team(self, read_out: _ReadOut) -> None:
        """Ask colleagues for approval, with a word to them."""
        team = self._talk.session.team
        assert team is not None
        word = await self._talk.ask("Message to the approver, or an empty line; ctrl+c cancels")
        if holds_secret(word, self._talk.session.gateway.secrets):
            raise Mistake(f"Approval not requested: {SECRET_TYPED}")
        self._read_out = None
        try:
            await request_approval(self._talk.session.gateway, team.approvals, read_out.proposal, self.ticket, word)
        except (AskError, StoreError) as error:
            raise Mistake(f"Approval not requested: {visible(str(error))}") from None
        read_out.write.asked()
        self._talk.say("Approval requested. Nothing is sent to the service yet. To check: approvals.")

    def refusal(self) -> str | None:
        """Why nothing may be written now; None where it may."""
        return self._locking.refusal()

    async def sent(
        self, sending: Awaitable[WriteReport], settle: Callable[[WriteReport], Awaitable[None]] = _nothing
    ) -> WriteReport:
        """Wait for a write that is on its way, which nothing breaks off, and settle it."""
        self.sending = True
        try:
            report = await sending
            await settle(report)
        finally:
            self.sending = False
        return report

    def say_end(self, report: WriteReport, words: Callable[[NextSteps], Report]) -> None:
        """Say how a write ended."""
        self._talk.say(visible(words(self._steps(report)).line))
        if report.result is SendResult.UNKNOWN and not report.was_applied:
            self._talk.say("Check the record first. Sending the change again uses the same idempotency key.")

    async def word_typed(self, word: str) -> bool:
        """Whether the user types the word that sends."""
        typed = await self._talk.ask(f"Type {visible(word)} to send it")
        # An id is one to the letter; of the word, capitals are no other one.
        return typed == word or (word == UNLOCK_WORD and typed.casefold() == word)

    def _steps(self, report: WriteReport) -> NextSteps:
        if not report.entry_number:
            return self._talk.steps
        return replace(
            self._talk.steps,
            undo=f"To undo it, type undo {report.entry_number}.",
            proof=f"For details, type journal {report.entry_number}.",
        )

    async def name_ticket(self, text: str) -> None:
        """Name the ticket that the next writes are for, or say which it is; `none` takes it away."""
        if holds_secret(text, self._talk.session.gateway.secrets):
            raise Mistake(SECRET_TYPED)
        if text:
            self.ticket = "" if text.casefold() == "none" else text
        self._talk.say(f"Ticket {visible(self.ticket)}." if self.ticket else "No ticket.")

    async def require_earlier(self) -> None:
        """Load the writes of earlier sessions whose outcome is not known; raises Mistake: nothing is sent before."""
        try:
            await self.pipeline.unknown_writes.load(self._talk.session.journal)
        except StoreError as error:
            raise Mistake(JOURNAL_NOT_LOADED.format(visible(str(error)))) from None

    async def load_earlier(self) -> Sequence[JournalEntry]:
        """Load the writes of earlier sessions whose outcome is not known; say so if that fails."""
        try:
            return await self.pipeline.unknown_writes.load(self._talk.session.journal)
        except StoreError as error:
            self._talk.say(f"Could not load the journal: {visible(str(error))}")
            return ()


def request_lines(request: SignedRequest) -> Iterator[str]:
    """A request as it would leave: its line, its body, the headers that guard it, the names of the others."""
    yield f"Request: {request.method} {visible(request.target)}"
    if body := _body_line(request):
        yield body
    for name, value in request.headers:
        if name.lower() in _GUARDS:
            yield f"{visible(name)}: {visible(value)}"
    others = [visible(name) for name, _ in request.headers if name.lower() not in _GUARDS]
    if others:
        yield f"Other headers: {', '.join(others)}."


def _body_line(request: SignedRequest) -> str:
    if not request.body:
        return ""
    text = request.body.decode(errors="replace")
    cut = f" … shortened, {size_text(len(request.body))} in total" if len(text) > _MAX_BODY_CHARACTERS else ""
    return f"Body: {visible(text[:_MAX_BODY_CHARACTERS])}{cut}"
