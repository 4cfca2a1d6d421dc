"""Approval of changes on LIVE by a colleague: requesting it, giving it, checking it, and sending what was approved.

It protects colleagues from mistakes and is no access control: anyone with the key can send without it. The full request
is stored on the author's computer only; the team gets it without masked values. An approval is for one write: the
journal shows if it is used up, since the intent entry, which is saved before the request is sent, has its id.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING
from uuid import uuid4

from msgspec import Struct, field

from svc_tui.core.catalog import Collection
from svc_tui.core.draft import Draft, Freshness, is_same_field
from svc_tui.core.field_forms import FormTarget, SavedForm
from svc_tui.core.jsontext import Json
from svc_tui.core.records import Record
from svc_tui.core.requests import RequestSpec
from svc_tui.core.values import replace
from svc_tui.service.gateway import Gateway
from svc_tui.storage.errors import StoreError
from svc_tui.storage.journal import Journal
from svc_tui.storage.journal_entries import entry_result
from svc_tui.storage.team.kept_asks import AskStore, KeptAsk
from svc_tui.storage.team.lines import LineKind, ServiceScope
from svc_tui.team.approval_rules import ApprovalRules, first_rule
from svc_tui.team.asks import (
    MAX_WORD_CHARACTERS,
    Ask,
    AskedChange,
    AskedPlan,
    AskState,
    VerdictKind,
    ask_content,
    check_size,
    is_one_person,
    read_asks,
    share_change,
    share_text,
    state_content,
    verdict_content,
)
from svc_tui.writes.actions import form_request
from svc_tui.writes.approval_guard import ApprovalGuard, Permit, Proposal, ProposedChange
from svc_tui.writes.outcomes import WriteReport
from svc_tui.writes.pipeline import WritePipeline
from svc_tui.writes.write_requests import identify_request

if TYPE_CHECKING:
    # Loaded with a team; this module also where a profile has rules and no team.
    from svc_tui.storage.team.mirror import TeamMirror
    from svc_tui.storage.team.own_chain import OwnChain

DONE_WORDS = {"delete": "deleted", "create": "created", "action": "sent", "request": "sent"}
"""The result of an approved change that was sent, by its kind."""

OWN_WORDS = "You can't approve your own request. A colleague must approve it."

_MAX_OWN_CLOSED = 20
"""Number of own requests in the list that are closed, the newest ones."""

_WRITES_OF_PLACE = 1_000
"""Number of writes to a place that are searched for one that used an approval."""

_USES = ("done", "unknown", "running")
"""Results, in the journal's words, after which an approval is used up, or may be."""

_UNBOUND_HEADERS = ("if-match",)
"""Headers that may differ from those approved: they change with each version of the record."""


class TeamChannel(Struct, frozen=True):
    """The chains of the team for one service: `own` is written, `mirror` is read, `nudge` starts a synchronization."""

    scope: ServiceScope
    own: OwnChain
    mirror: TeamMirror
    nudge: Callable[[], None]


class OwnAskChoices(Struct, frozen=True):
    """What can be done with an own approval request; `why` explains what can't, "" for nothing to explain."""

    send: bool
    take_back: bool
    why: str = ""


class AskOverview(Struct, frozen=True):
    """Approval requests, the newest first by their clocks: open ones of colleagues, and all own ones.

    `waiting` are those of `others` that this user has not answered, `sendable` the ids of own ones that can be sent
    from this computer.
    """

    others: Sequence[Ask] = ()
    mine: Sequence[Ask] = ()
    waiting: Sequence[Ask] = ()
    sendable: frozenset[str] = field(default_factory=frozenset)

    @property
    def approved(self) -> tuple[Ask, ...]:
        """The own ones that are approved and can be sent from here."""
        return tuple(ask for ask in self.mine if ask.state is AskState.APPROVED and ask.id in self.sendable)

    @property
    def listed(self) -> Sequence[Ask]:
        """All of them in the order of the list: first those that the user can do something about."""
        waiting = {ask.digest for ask in self.waiting}
        mine = [ask for ask in self.mine if ask.state.open]
        closed = [ask for ask in self.mine if not ask.state.open][:_MAX_OWN_CLOSED]
        return [*self.waiting, *mine, *(ask for ask in self.others if ask.digest not in waiting), *closed]

    def own_choices(self, ask: Ask) -> OwnAskChoices:
        """Return what can be done here with one of the own ones."""
        here = ask.id in self.sendable
        why = OWN_WORDS if ask.state in (AskState.WAITING, AskState.ANSWERED) else ""
        if not here and ask.state.open:
            why = f"{why} The change can only be sent from {ask.author.machine}, where approval was requested.".strip()
        return OwnAskChoices(here and ask.state is AskState.APPROVED, here and ask.state.open, why)


class Approvals:
    """Approvals of the changes of one service; the `ApprovalGuard` of its single writes, for a profile with a team.

    Calls raise StoreError, except those of `ApprovalGuard`.
    """

    def __init__(
        self,
        rules: ApprovalRules,
        channel: TeamChannel,
        store: AskStore,
        journal: Journal,
        masked: frozenset[str],
        now: Callable[[], datetime],
    ) -> None:
        """`rules` are none except on LIVE; `masked` are names of fields, lower-case."""
        self.rules, self._channel, self._store, self._journal = rules, channel, store, journal
        self.masked, self._now = masked, now

    # For the write pipeline: `ApprovalGuard`

    def rule(self, change: ProposedChange) -> str:
        """Return the rule that requires approval for the change, "" for none."""
        return first_rule(self.rules, change)

    async def permit(self, change: ProposedChange) -> Permit:
        """Permit a change if a colleague approved exactly this request and it was not sent since."""
        rule = self.rule(change)
        if not rule:
            return Permit()
        try:
            same = [
                kept
                for kept in await self._store.all()
                if kept.spec is not None and _is_same_request(kept.spec, change.spec)
            ]
            asks = await self._own_asks() if same else {}
            refusal = explain_missing(rule)
            for kept in same:
                ask = asks.get(kept.id)
                if ask is None:
                    continue
                if ask.state in (AskState.APPROVED, AskState.SENT) and await self._is_unused(ask, change):
                    return Permit(approval=ask.id, approved_by=ask.approved_by)
                refusal = explain_state(ask)
        except StoreError as error:
            return Permit(f"Could not check the approval: {error}")
        return Permit(refusal)

    async def recheck(self, permit: Permit, fields: Mapping[str, Json] | None) -> str:
        """Return why the approval is not valid for the record as it is now, "" if it is; tell the team if not."""
        if not permit.approval:
            return ""
        try:
            kept = await self.kept(permit.approval)
            if kept is None or not kept.concerned:
                return ""
            if fields is None:
                return "Could not reload the record to check it against the approved change. Nothing was sent."
            moved = [name for name in kept.concerned if not is_same_field(kept.shown or {}, fields, name)]
            if not moved:
                return ""
            words = f"{', '.join(moved)} changed since the request"
            await self._close(permit.approval, AskState.VOIDED, words)
        except StoreError as error:
            return f"Could not check whether the approval is still valid: {error}"
        return f"The approval is outdated: {words}. Check the record, then request approval again."

    async def settle(self, permit: Permit, result: str) -> None:
        """Tell the team that the change was sent; if the service refused it, it can be sent again."""
        if permit.approval and result in ("done", "unknown"):
            try:
                await self._add_state(permit.approval, AskState.SENT, "" if result == "done" else "outcome unknown")
                if result == "done":
                    await self._store.drop(permit.approval)
            except StoreError:
                # `_is_unused` finds the write in the journal.
                return

    # For the author of a change

    async def ask(self, proposal: Proposal, ticket: str, word: str, secrets: Sequence[str]) -> str:
        """Request approval of a change and return the id of the request; raises AskError if that is impossible."""
        change, shown = proposal.change, proposal.shown
        kept = KeptAsk(
            uuid4().hex,
            change.kinds[0],
            proposal.place,
            change.spec,
            None if shown is None else shown.fields,
            "" if shown is None else shown.etag,
            proposal.concerned,
            proposal.edits,
            ticket,
        )
        asked = share_change(proposal, self.rule(change), self.masked, secrets)
        asked = replace(asked, ticket=share_text(ticket, secrets), word=share_text(word[:MAX_WORD_CHARACTERS], secrets))
        await self._put(kept, asked)
        return kept.id

    async def ask_plan(self, kept: KeptAsk, rule: str, plan: AskedPlan, word: str, secrets: Sequence[str]) -> None:
        """Request one approval for many changes; `kept` has their collection, run, salt and ticket."""
        place, word = kept.place, word[:MAX_WORD_CHARACTERS]
        key, path = ("", "") if place is None else (place.key, place.path)
        ticket = share_text(kept.ticket, secrets)
        asked = AskedChange(rule, "plan", key, path, ticket=ticket, word=share_text(word, secrets), plan=plan)
        await self._put(kept, asked)

    async def withdraw(self, ask_id: str) -> None:
        """Withdraw an own request."""
        await self._close(ask_id, AskState.WITHDRAWN, "")

    async def plan_ended(self, ask_id: str, *, given_up: bool) -> None:
        """Close the request of a plan whose run has ended."""
        await self._close(ask_id, AskState.WITHDRAWN if given_up else AskState.SENT, "")

    async def kept(self, ask_id: str) -> KeptAsk | None:
        """Return the full change of an own request; None if it is on another computer, or was sent."""
        return next((kept for kept in await self._store.all() if kept.id == ask_id), None)

    async def kept_of_run(self, run: str) -> list[KeptAsk]:
        """Return the own requests for the plan of a run, the newest first."""
        return [kept for kept in await self._store.all() if run and kept.run == run]

    async def note_told(self, ask: Ask) -> bool:
        """Save that the author is notified of the state of a request; return False if a program did that before."""
        standing = " ".join([ask.state.value, *(verdict.digest for verdict in ask.deciding)])
        return await self._store.note_told(ask.id, standing)

    async def approval_for(self, ask_id: str) -> Ask | None:
        """Return the request of this computer with the id; None if it is not in the mirror yet."""
        return (await self._own_asks()).get(ask_id)

    # For colleagues

    async def overview(self) -> AskOverview:
        """Return all requests that concern this user."""
        me = await self._channel.own.author()
        others, mine, waiting = [], [], []
        for ask in sorted(await self._asks(), key=lambda ask: ask.at.timestamp(), reverse=True):
            if is_one_person(ask.author, me):
                mine.append(ask)
            elif ask.state.open:
                others.append(ask)
                answered = any(is_one_person(verdict.author, me) for verdict in ask.verdicts)
                if ask.state in (AskState.WAITING, AskState.ANSWERED) and not answered:
                    waiting.append(ask)
        sendable = frozenset(kept.id for kept in await self._store.all())
        return AskOverview(tuple(others), tuple(mine), tuple(waiting), sendable)

    async def verdict(self, ask: Ask, kind: VerdictKind, word: str, secrets: Sequence[str]) -> str:
        """Answer a colleague's request; return why that is impossible, in a sentence, or "" if it is done."""
        if is_one_person(ask.author, await self._channel.own.author()):
            return OWN_WORDS
        current = next((other for other in await self._asks() if other.digest == ask.digest), None)
        if current is None:
            return "The approval request no longer exists."
        if not current.state.open:
            return f"The approval request is already {current.state.label}."
        content = verdict_content(ask, kind, share_text(word, secrets))
        await self._add_line(LineKind.VERDICT, ask.change.place, content)
        return ""

    async def _put(self, kept: KeptAsk, asked: AskedChange) -> None:
        content = ask_content(kept.id, asked)
        check_size(content)
        # Stored before the team sees it: an approval is useless without the request that it is for.
        await self._store.keep(kept)
        await self._add_line(LineKind.ASK, asked.place, content)

    async def _close(self, ask_id: str, state: AskState, word: str) -> None:
        await self._add_state(ask_id, state, word)
        await self._store.drop(ask_id)

    async def _add_state(self, ask_id: str, state: AskState, word: str) -> None:
        ask = await self.approval_for(ask_id)
        place = ask.change.place if ask is not None else ""
        await self._add_line(LineKind.ASK, place, state_content(ask_id, state, word))

    async def _add_line(self, kind: LineKind, place: str, content: Mapping[str, Json]) -> None:
        """Add a line to the own chain and to the mirror, so that it counts at once."""
        own, mirror = self._channel.own, self._channel.mirror
        line = await own.add(kind, place, content, self._now())
        await mirror.take_own(line.author, await own.waiting(line.sequence - 1))
        self._channel.nudge()

    async def _asks(self) -> list[Ask]:
        mirror = self._channel.mirror
        broken = frozenset(chain.author.chain for chain in await mirror.chains() if chain.broken is not None)
        return read_asks(await mirror.lines(self._channel.scope, (LineKind.ASK, LineKind.VERDICT)), broken)

    async def _own_asks(self) -> dict[str, Ask]:
        """Return the requests of this computer's chain by id: requests of other chains permit nothing here."""
        chain = (await self._channel.own.author()).chain
        return {ask.id: ask for ask in await self._asks() if ask.author.chain == chain}

    async def _is_unused(self, ask: Ask, change: ProposedChange) -> bool:
        """Return True if no write used the approval, or only ones of unknown outcome with this idempotency key."""
        entries = await self._journal.entries(_WRITES_OF_PLACE, place=change.place)
        uses = [entry for entry in entries if entry.intent.approval == ask.id and entry_result(entry) in _USES]
        if not uses:
            return ask.state is AskState.APPROVED
        key = change.spec.idempotency_key
        return bool(key) and all(
            entry_result(entry) == "unknown" and entry.intent.idempotency_key == key for entry in uses
        )


def explain_missing(rule: str) -> str:
    """Return why a change is not sent for which approval was not requested."""
    return f"On LIVE this requires approval (rule {rule} of this profile). Request approval first."


def explain_state(ask: Ask) -> str:
    """Return why a change is not sent for which approval was requested."""
    match ask.state:
        case AskState.REFUSED:
            return f"{_format_verdicts(ask, 'declined')}. Fix this, then request approval again."
        case AskState.VOIDED:
            return f"The approval is outdated: {ask.reason}. Check the record, then request approval again."
        case AskState.SENT | AskState.APPROVED:
            return "This was approved and sent. Sending it again requires a new approval."
        case AskState.WITHDRAWN:
            return "The approval request was withdrawn. Request approval again."
        case AskState.ANSWERED:
            return f"{_format_verdicts(ask, 'replied')}. Not approved yet."
    return "Waiting for approval by a colleague. Open Approvals to see the request."


def _format_verdicts(ask: Ask, verb: str) -> str:
    return "; ".join(
        f"{verdict.author.name} {verb}{f': {verdict.word}' if verdict.word else ''}" for verdict in ask.deciding
    )


def _is_same_request(one: RequestSpec, other: RequestSpec) -> bool:
    """Return True if an approval of one is for the other too: same method, target, body and bound headers."""
    return identify_request(one) == identify_request(other) and _bound(one.headers) == _bound(other.headers)


def _bound(headers: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    return sorted((name.lower(), value) for name, value in headers if name.lower() not in _UNBOUND_HEADERS)


# A change from review to sending


class NeededApproval(Struct, frozen=True):
    """The approval that a change needs; `rule` is the rule that requires it, "" for none."""

    rule: str = ""
    permit: Permit = field(default_factory=Permit)

    @property
    def missing(self) -> bool:
        """True if the change can't be sent yet."""
        return bool(self.permit.refusal)

    @property
    def standing(self) -> str:
        """The state of an earlier request for it, in a sentence; "" if there is none."""
        return "" if self.permit.refusal == explain_missing(self.rule) else self.permit.refusal


async def find_needed_approval(guard: ApprovalGuard, proposal: Proposal) -> NeededApproval:
    """Return which approval a change needs, and if it has that."""
    rule = guard.rule(proposal.change)
    return NeededApproval(rule, await guard.permit(proposal.change)) if rule else NeededApproval()


async def request_approval(gateway: Gateway, approvals: Approvals, proposal: Proposal, ticket: str, word: str) -> None:
    """Request approval of a change; load the record first if the author has not seen it.

    Raises ServiceError, AskError and StoreError; nothing was requested then.
    """
    place = proposal.place
    if proposal.shown is None and place is not None and place.record_id is not None:
        proposal = replace(proposal, shown=await gateway.record(place.collection, place.record_id))
    await approvals.ask(proposal, ticket, word, gateway.secrets)


def send_approved_change(
    pipeline: WritePipeline, kept: KeptAsk, form: FormTarget | None = None
) -> Awaitable[WriteReport] | None:
    """Send an approved change as it was requested; None for a plan, which is sent as a run.

    `form` is the unsent form that it was entered in.
    """
    place, spec = kept.place, kept.spec
    if spec is None:
        return None
    shown = Record(kept.shown or {}, kept.etag)
    match kept.kind:
        case "update" if place is not None and kept.edits is not None:
            return pipeline.update(place, Draft(shown, kept.edits), spec, _refuse, kept.ticket)
        case "create" if place is not None:
            return pipeline.create(place.collection, spec, kept.ticket, form)
        case "delete" if place is not None:
            return pipeline.delete(place, shown, spec, kept.ticket)
        case "action" if place is not None:
            return pipeline.act(place, shown, spec, kept.ticket, form)
    return pipeline.request(spec, kept.ticket)


async def _refuse(_: Freshness) -> Draft | None:
    # Not reached for a field of the approved edits: `Approvals.recheck` refuses before.
    return None


def find_forms(kept: KeptAsk, forms: Iterable[SavedForm], collections: Sequence[Collection]) -> list[FormTarget]:
    """Return the targets of the unsent forms that make exactly the approved request."""
    if kept.spec is None:
        return []
    record = Record(kept.shown or {})
    requests = [(saved.purpose, form_request(saved, record, collections)) for saved in forms]
    return [purpose for purpose, spec in requests if spec is not None and _is_same_request(spec, kept.spec)]
