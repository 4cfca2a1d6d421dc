"""A second person's approval as its author meets it: whether it is wanted, the asking, and the sending afterwards."""

from collections.abc import Awaitable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from svc_tui.domain.editing.draft import Draft, Freshness
from svc_tui.domain.editing.ports import ApprovalGuard, Permit, Proposal
from svc_tui.domain.editing.write_pipeline import WritePipeline
from svc_tui.domain.editing.write_report import WriteReport
from svc_tui.domain.http.gateway import Gateway
from svc_tui.domain.model.catalog import Collection
from svc_tui.domain.model.records import Record
from svc_tui.domain.team.approvals import OWN_WORDS, Approvals, AskOverview, is_same, wanted_words
from svc_tui.domain.team.asks import Ask, AskState
from svc_tui.domain.team.kept_ask import KeptAsk

if TYPE_CHECKING:
    # Loaded with the first form.
    from svc_tui.domain.editing.forms import FormTarget, SavedForm

MAX_OWN_CLOSED = 20
"""Of one's own asks, those that are at an end: so many of the last ones are listed."""

DONE_WORDS = {"delete": "deleted", "create": "created", "action": "sent", "request": "sent"}
"""What became of what was approved, by its kind, where it was sent."""


@dataclass(frozen=True, slots=True)
class NeededApproval:
    """What a change wants: `rule` is the rule that asks for a second person, "" for none."""

    rule: str = ""
    permit: Permit = field(default_factory=Permit)

    @property
    def missing(self) -> bool:
        """Whether it can't be sent as it is."""
        return bool(self.permit.refusal)

    @property
    def standing(self) -> str:
        """How what was asked for already stands, a sentence; "" where nobody was asked."""
        return "" if self.permit.refusal == wanted_words(self.rule) else self.permit.refusal


async def needed_approval(guard: ApprovalGuard, proposal: Proposal) -> NeededApproval:
    """Whether a change wants a second person, and has one."""
    rule = guard.rule(proposal.change)
    return NeededApproval(rule, await guard.permit(proposal.change)) if rule else NeededApproval()


async def put_to_team(gateway: Gateway, approvals: Approvals, proposal: Proposal, ticket: str, word: str) -> None:
    """Ask colleagues; the record is read first where its author has not seen it.

    Raises ServiceError, and AskError and StoreError where nobody was asked.
    """
    place = proposal.place
    if proposal.shown is None and place is not None and place.record_id is not None:
        proposal = replace(proposal, shown=await gateway.record(place.collection, place.record_id))
    await approvals.ask(proposal, ticket, word, gateway.secrets)


def listed_asks(overview: AskOverview) -> Sequence[Ask]:
    """The asks as they are listed: first what can be done something about."""
    waiting = {ask.digest for ask in overview.waiting}
    mine = [ask for ask in overview.mine if ask.state.open]
    closed = [ask for ask in overview.mine if not ask.state.open][:MAX_OWN_CLOSED]
    return [*overview.waiting, *mine, *(ask for ask in overview.others if ask.digest not in waiting), *closed]


@dataclass(frozen=True, slots=True)
class OwnAskChoices:
    """What can be done about an ask of one's own, and why not more, "" where there is nothing to say."""

    send: bool
    take_back: bool
    why: str = ""


def own_ask_choices(ask: Ask, overview: AskOverview) -> OwnAskChoices:
    """What its author can do about an ask here."""
    here = ask.id in overview.sendable
    why = OWN_WORDS if ask.state in (AskState.WAITING, AskState.ANSWERED) else ""
    if not here and ask.state.open:
        why = f"{why} The change can only be sent from {ask.author.machine}, where approval was requested.".strip()
    return OwnAskChoices(here and ask.state is AskState.APPROVED, here and ask.state.open, why)


def approved_write(
    pipeline: WritePipeline, kept: KeptAsk, form: "FormTarget | None" = None
) -> Awaitable[WriteReport] | None:
    """What sends a change that was approved, as it was asked for; None for a plan, which is a run.

    `form` is the kept form that it was filled in in.
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


def forms_of_ask(kept: KeptAsk, forms: Iterable["SavedForm"], collections: Sequence[Collection]) -> list["FormTarget"]:
    """The targets of the unsent forms that make the very request that was asked for."""
    if kept.spec is None:
        return []
    from svc_tui.domain.editing.actions import form_request

    record = Record(kept.shown or {})
    requests = [(saved.purpose, form_request(saved, record, collections)) for saved in forms]
    return [purpose for purpose, spec in requests if spec is not None and is_same(spec, kept.spec)]


async def _refuse(_: Freshness) -> Draft | None:
    # A field that moved has made the approval void before this is asked.
    return None
