"""A second person for kinds of change on LIVE: asked for, looked at, approved, and used up by one write.

It is a guard among colleagues and no lock: whoever holds the key can send without it. What is to be sent stays whole on
the author's machine, in the store; the team gets it without the values that are masked. Whether an approval is used up
the journal tells, which has it in the line that is written before the request leaves.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from uuid import uuid4

from svc_tui.domain.editing.journal import entry_result
from svc_tui.domain.editing.ports import Author, Journal, Permit, Proposal, ProposedChange, StoreError
from svc_tui.domain.editing.write_requests import request_identity
from svc_tui.domain.model.jsontext import Json
from svc_tui.domain.model.requests import RequestSpec
from svc_tui.domain.team.approval_rules import ApprovalRules, first_rule
from svc_tui.domain.team.asks import (
    MAX_WORD_CHARACTERS,
    Ask,
    AskedChange,
    AskedPlan,
    AskState,
    VerdictKind,
    ask_content,
    is_one_person,
    read_asks,
    same_field,
    state_content,
    verdict_content,
)
from svc_tui.domain.team.kept_ask import KeptAsk
from svc_tui.domain.team.lines import LineKind, ServiceScope
from svc_tui.domain.team.ports import AskStore, OwnChain, TeamMirror
from svc_tui.domain.team.shared_change import check_size, share_change, share_text

_WRITES_OF_PLACE = 1_000
"""Writes to one place that are looked through for one that used an approval up."""


@dataclass(frozen=True, slots=True)
class TeamChannel:
    """What is said to the team about one service, and heard of it; `nudge` has it told at once."""

    scope: ServiceScope
    own: OwnChain
    mirror: TeamMirror
    nudge: Callable[[], None]


@dataclass(frozen=True, slots=True)
class AskOverview:
    """Colleagues' asks that are open, and one's own; the newest first, as far as clocks tell.

    `waiting` are those of `others` that wait for this person, `sendable` the ids of one's own that can be sent here.
    """

    others: Sequence[Ask] = ()
    mine: Sequence[Ask] = ()
    waiting: Sequence[Ask] = ()
    sendable: frozenset[str] = field(default_factory=frozenset)

    @property
    def approved(self) -> tuple[Ask, ...]:
        """One's own that may be sent from here."""
        return tuple(ask for ask in self.mine if ask.state is AskState.APPROVED and ask.id in self.sendable)


class Approvals:
    """See `domain.editing.ports.ApprovalGuard`; but for that every call raises StoreError."""

    def __init__(
        self,
        rules: ApprovalRules,
        channel: TeamChannel,
        store: AskStore,
        journal: Journal,
        masked: frozenset[str],
        now: Callable[[], datetime],
    ) -> None:
        """Make it; the `rules` are those that hold here, none but on LIVE. `masked` are names of fields, lower-case."""
        self.rules, self._channel, self._store, self._journal = rules, channel, store, journal
        self.masked, self._now = masked, now

    # As the write pipeline sees it

    def rule(self, change: ProposedChange) -> str:
        """The rule that wants a second person for the change, "" for none."""
        return first_rule(self.rules, change)

    async def permit(self, change: ProposedChange) -> Permit:
        """Whether the change may be sent: a colleague approved the very same request, and it was not sent since."""
        rule = self.rule(change)
        if not rule:
            return Permit()
        try:
            kept = [
                kept for kept in await self._store.all() if kept.spec is not None and is_same(kept.spec, change.spec)
            ]
            asks = await self._by_id() if kept else {}
            refusal = wanted_words(rule)
            for one in kept:
                ask = asks.get(one.id)
                if ask is None:
                    continue
                if ask.state in (AskState.APPROVED, AskState.SENT) and await self._is_left(ask, change):
                    return Permit(approval=ask.id, approved_by=ask.approved_by)
                refusal = standing_words(ask)
        except StoreError as error:
            return Permit(f"Could not check the approval: {error}")
        return Permit(refusal)

    async def recheck(self, permit: Permit, fields: Mapping[str, Json] | None) -> str:
        """Why the approval does not hold for the record as it is now; the team is told that it is void."""
        if not permit.approval:
            return ""
        try:
            kept = await self.kept(permit.approval)
            if kept is None or not kept.concerned:
                return ""
            if fields is None:
                return "Could not reload the record to check it against the approved change. Nothing was sent."
            moved = [name for name in kept.concerned if not same_field(kept.shown or {}, fields, name)]
            if not moved:
                return ""
            words = f"{', '.join(moved)} changed since the request"
            await self._tell(permit.approval, AskState.VOIDED, words)
        except StoreError as error:
            return f"Could not check whether the approval is still valid: {error}"
        return f"The approval is outdated: {words}. Check the record, then request approval again."

    async def settle(self, permit: Permit, result: str) -> None:
        """The change was sent; one that the service refused may be sent again."""
        if permit.approval and result in ("done", "unknown"):
            try:
                await self._say_state(permit.approval, AskState.SENT, "" if result == "done" else "outcome unknown")
                if result == "done":
                    await self._store.drop(permit.approval)
            except StoreError:
                # The journal holds that it was sent, and it is the journal that is asked.
                return

    # As its author sees it

    async def ask(self, proposal: Proposal, ticket: str, word: str, secrets: Sequence[str]) -> str:
        """Ask the team for a second person; gives the ask's id. Raises AskError where it can't be put to anybody."""
        change, place = proposal.change, proposal.place
        concerned = proposal.concerned
        kept = KeptAsk(
            uuid4().hex,
            change.kinds[0],
            place,
            change.spec,
            None if proposal.shown is None else proposal.shown.fields,
            "" if proposal.shown is None else proposal.shown.etag,
            concerned,
            proposal.edits,
            ticket,
        )
        asked = share_change(proposal, self.rule(change), self.masked, secrets)
        asked = replace(asked, ticket=share_text(ticket, secrets), word=share_text(word[:MAX_WORD_CHARACTERS], secrets))
        await self._put(kept, asked)
        return kept.id

    async def ask_plan(self, kept: KeptAsk, rule: str, plan: AskedPlan, word: str, secrets: Sequence[str]) -> None:
        """Ask for many changes as one; `kept` is their ask with its collection, run, salt and ticket."""
        place, word = kept.place, word[:MAX_WORD_CHARACTERS]
        key, path = ("", "") if place is None else (place.key, place.path)
        ticket = share_text(kept.ticket, secrets)
        asked = AskedChange(rule, "plan", key, path, ticket=ticket, word=share_text(word, secrets), plan=plan)
        await self._put(kept, asked)

    async def withdraw(self, ask_id: str) -> None:
        """Take back what was asked."""
        await self._tell(ask_id, AskState.WITHDRAWN, "")

    async def plan_ended(self, ask_id: str, *, given_up: bool) -> None:
        """The run of a plan that was approved is at its end."""
        await self._tell(ask_id, AskState.WITHDRAWN if given_up else AskState.SENT, "")

    async def kept(self, ask_id: str) -> KeptAsk | None:
        """What is kept here of an ask; None where it is another machine's, or was sent."""
        return next((kept for kept in await self._store.all() if kept.id == ask_id), None)

    async def kept_of_run(self, run: str) -> list[KeptAsk]:
        """The asks for one plan, the last one first."""
        return [kept for kept in await self._store.all() if run and kept.run == run]

    async def note_told(self, ask: Ask) -> bool:
        """Note that the author is told how the ask stands; gives whether that is news, to one program alone."""
        standing = " ".join([ask.state.value, *(verdict.digest for verdict in ask.deciding)])
        return await self._store.note_told(ask.id, standing)

    async def approval_for(self, ask_id: str) -> Ask | None:
        """The ask of this machine by its id, once it is in this machine's copy."""
        return (await self._by_id()).get(ask_id)

    # As colleagues see it

    async def overview(self) -> AskOverview:
        """What there is to look at."""
        me = await self._channel.own.author()
        others, mine, waiting = [], [], []
        for ask in sorted(await self._asks(), key=lambda ask: ask.at.timestamp(), reverse=True):
            if is_one_person(ask.author, me):
                mine.append(ask)
            elif ask.state.open:
                others.append(ask)
                if ask.state in (AskState.WAITING, AskState.ANSWERED) and not _spoke(ask, me):
                    waiting.append(ask)
        sendable = frozenset(kept.id for kept in await self._store.all())
        return AskOverview(tuple(others), tuple(mine), tuple(waiting), sendable)

    async def verdict(self, ask: Ask, kind: VerdictKind, word: str, secrets: Sequence[str]) -> str:
        """Say something to a colleague's ask; gives why that can't be, a sentence, "" where it is said."""
        if is_one_person(ask.author, await self._channel.own.author()):
            return OWN_WORDS
        now = next((other for other in await self._asks() if other.digest == ask.digest), None)
        if now is None or not now.state.open:
            return (
                "The approval request no longer exists."
                if now is None
                else f"The approval request is already {now.state.label}."
            )
        content = verdict_content(ask, kind, share_text(word, secrets))
        await self._say(LineKind.VERDICT, ask.change.place, content)
        return ""

    async def author(self) -> Author:
        """Who this is."""
        return await self._channel.own.author()

    # Within

    async def _put(self, kept: KeptAsk, asked: AskedChange) -> None:
        content = ask_content(kept.id, asked)
        check_size(content)
        # First of all what is to be sent: an approval for something that is nowhere would be of no use.
        await self._store.keep(kept)
        await self._say(LineKind.ASK, asked.place, content)

    async def _tell(self, ask_id: str, state: AskState, word: str) -> None:
        await self._say_state(ask_id, state, word)
        await self._store.drop(ask_id)

    async def _say_state(self, ask_id: str, state: AskState, word: str) -> None:
        ask = await self.approval_for(ask_id)
        place = ask.change.place if ask is not None else ""
        await self._say(LineKind.ASK, place, state_content(ask_id, state, word))

    async def _say(self, kind: LineKind, place: str, content: Mapping[str, Json]) -> None:
        """Add a line, to this machine's copy as well: what one said oneself holds at once."""
        own, mirror = self._channel.own, self._channel.mirror
        line = await own.add(kind, place, content, self._now())
        await mirror.take_own(line.author, await own.waiting(line.sequence - 1))
        self._channel.nudge()

    async def _asks(self) -> list[Ask]:
        mirror = self._channel.mirror
        broken = frozenset(chain.author.chain for chain in await mirror.chains() if chain.broken is not None)
        return read_asks(await mirror.lines(self._channel.scope, (LineKind.ASK, LineKind.VERDICT)), broken)

    async def _by_id(self) -> dict[str, Ask]:
        """The asks of this machine's own chain: nobody else's ask, whatever its id, lets anything out here."""
        chain = (await self._channel.own.author()).chain
        return {ask.id: ask for ask in await self._asks() if ask.author.chain == chain}

    async def _is_left(self, ask: Ask, change: ProposedChange) -> bool:
        """Whether the approval is not used up; what nobody knows the fate of may be sent again with the same key."""
        entries = await self._journal.entries(_WRITES_OF_PLACE, place=change.place)
        uses = [entry for entry in entries if entry.intent.approval == ask.id and entry_result(entry) in _USES]
        if not uses:
            return ask.state is AskState.APPROVED
        key = change.spec.idempotency_key
        return bool(key) and all(
            entry_result(entry) == "unknown" and entry.intent.idempotency_key == key for entry in uses
        )


OWN_WORDS = "You can't approve your own request. A colleague must approve it."

_USES = ("done", "unknown", "running")
"""Results, in the journal's words, after which an approval is used up, or may be."""

_UNBOUND_HEADERS = ("if-match",)
"""Headers that are made anew from each reading of the record."""


def wanted_words(rule: str) -> str:
    """Why a change does not leave that nobody was asked for."""
    return f"On LIVE this requires approval (rule {rule} of this profile). Request approval first."


def standing_words(ask: Ask) -> str:
    """Why a change does not leave that a colleague was asked for, by how that stands."""
    match ask.state:
        case AskState.REFUSED:
            return f"{_said(ask, 'declined')}. Fix this, then request approval again."
        case AskState.VOIDED:
            return f"The approval is outdated: {ask.reason}. Check the record, then request approval again."
        case AskState.SENT | AskState.APPROVED:
            return "This was approved and sent. Sending it again requires a new approval."
        case AskState.WITHDRAWN:
            return "The approval request was withdrawn. Request approval again."
        case AskState.ANSWERED:
            return f"{_said(ask, 'replied')}. Not approved yet."
    return "Waiting for approval by a colleague. Open Approvals to see the request."


def _said(ask: Ask, what: str) -> str:
    return "; ".join(
        f"{verdict.author.name} {what}{f': {verdict.word}' if verdict.word else ''}" for verdict in ask.deciding
    )


def is_same(one: RequestSpec, other: RequestSpec) -> bool:
    """Whether two requests are the same to whoever approves one: method, target, body, and headers of the user's."""
    return request_identity(one) == request_identity(other) and _bound(one.headers) == _bound(other.headers)


def _bound(headers: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    return sorted((name.lower(), value) for name, value in headers if name.lower() not in _UNBOUND_HEADERS)


def _spoke(ask: Ask, me: Author) -> bool:
    return any(is_one_person(verdict.author, me) for verdict in ask.verdicts)
