"""A second person for a plan: it is asked for whole, and its run writes the rows that were approved and no others."""

import hashlib
import hmac
import secrets
from collections.abc import Mapping, Sequence
from uuid import uuid4

from svc_tui.domain.corrections.correction import RowAction
from svc_tui.domain.data.masked_values import split_masked
from svc_tui.domain.editing.draft import json_or_unset
from svc_tui.domain.editing.ports import ApprovalGuard, Permit, ProposedChange, StoreError
from svc_tui.domain.editing.write_requests import body_fields, create_request, delete_request, update_request
from svc_tui.domain.http.errors import RequestRefused
from svc_tui.domain.http.redact import mask_fields
from svc_tui.domain.model.absent import ABSENT
from svc_tui.domain.model.catalog import Collection
from svc_tui.domain.model.jsontext import Json, dumps, number, same_json
from svc_tui.domain.model.records import Place
from svc_tui.domain.model.requests import RequestSpec
from svc_tui.domain.plans.plan import Plan, PlanRow
from svc_tui.domain.plans.ports import AskedPlans
from svc_tui.domain.team.approval_rules import first_rule
from svc_tui.domain.team.approvals import Approvals, standing_words, wanted_words
from svc_tui.domain.team.asks import Ask, AskedPlan, AskState
from svc_tui.domain.team.kept_ask import KeptAsk

SAMPLE_ROWS = 5
"""Rows of a plan that an ask shows."""

_MAX_SAMPLE_CHARACTERS = 400


class PlanApproval:
    """See `domain.editing.ports.ApprovalGuard`; for the writes of one run, `plan` as it is at its beginning."""

    def __init__(self, approvals: Approvals, plans: AskedPlans, plan: Plan) -> None:
        self._approvals, self._plans, self._plan = approvals, plans, plan

    @property
    def plan_rule(self) -> str:
        """The first rule that wants a second person for one of its rows, "" for none."""
        return rule_for_plan(self, self._plan)

    async def standing(self) -> tuple[Ask | None, str]:
        """The ask that approves all that is to be sent; where there is none, why not, in a sentence. StoreError."""
        refusal, rule = "", self.plan_rule
        for kept in await self._approvals.kept_of_run(self._plan.id):
            ask = await self._approvals.approval_for(kept.id)
            if ask is None or ask.change.plan is None:
                refusal = (
                    refusal
                    or "Approval was just requested. The request is not on this computer yet; try again in a moment."
                )
            elif ask.state is not AskState.APPROVED:
                refusal = refusal or standing_words(ask)
            elif await self._covered(kept, ask.change.plan, self._plan.ready):
                return ask, ""
            else:
                refusal = refusal or "The plan was changed after approval. Request approval again."
        return None, refusal or wanted_words(rule)

    async def ask(self, ticket: str, word: str, hidden: Sequence[str]) -> None:
        """Ask colleagues for all of it as one; they are not shown what is `hidden`. Raises StoreError and AskError."""
        plan, masked = self._plan, self._approvals.masked
        place, salt = Place(plan.collection), secrets.token_hex(32)
        kept = KeptAsk(uuid4().hex, "plan", place, ticket=ticket, run=plan.id, salt=salt)
        sample = tuple((row.name, _row_words(row, masked, hidden)) for row in plan.ready[:SAMPLE_ROWS])
        asked = AskedPlan(plan.title, len(plan.ready), plan_digest(plan, salt), sample)
        await self._plans.keep_plan(kept, plan)
        await self._approvals.ask_plan(kept, self.plan_rule, asked, word, hidden)

    async def ended(self, *, given_up: bool = False) -> None:
        """Its run is at its end: the approval is used up. Raises StoreError."""
        for kept in await self._approvals.kept_of_run(self._plan.id):
            await self._approvals.plan_ended(kept.id, given_up=given_up)

    # As the write pipeline sees it

    def rule(self, change: ProposedChange) -> str:
        """The rule that wants a second person for the change of a row, "" for none."""
        return first_rule(self._approvals.rules, change, len(self._plan.ready))

    async def permit(self, change: ProposedChange) -> Permit:
        """Whether a row may be sent: where it has to be approved, as it was approved."""
        rule = self.rule(change)
        if not rule:
            return Permit()
        row = next((row for row in self._plan.rows if row.number == change.row), None)
        if row is None or not _is_request_of(row, self._plan.collection, change.spec):
            return Permit(f"This row is not part of the approved plan. The rule {rule} requires approval.")
        refusal = ""
        try:
            for kept in await self._approvals.kept_of_run(self._plan.id):
                ask = await self._approvals.approval_for(kept.id)
                if ask is None or ask.change.plan is None:
                    continue
                if ask.state is not AskState.APPROVED:
                    refusal = refusal or standing_words(ask)
                elif await self._covered(kept, ask.change.plan, [row]):
                    return Permit(approval=ask.id, approved_by=ask.approved_by)
        except StoreError as error:
            return Permit(f"Could not check the approval: {error}")
        return Permit(refusal or f"{row.name} was changed after approval. The rule {rule} requires approval.")

    async def recheck(self, permit: Permit, fields: Mapping[str, Json] | None) -> str:
        """A field that moved under a plan is a surprise anyway: the row is not sent, and its run stops."""
        return ""

    async def settle(self, permit: Permit, result: str) -> None:
        """The approval is for the whole run; at its end it is used up."""

    # Within

    async def _covered(self, kept: KeptAsk, asked: AskedPlan, rows: Sequence[PlanRow]) -> bool:
        """Whether the rows are all among those that were approved, each as it is now."""
        plan = await self._plans.plan_of(kept.id)
        if plan is None or not hmac.compare_digest(plan_digest(plan, kept.salt), asked.digest):
            return False
        approved = {row.number: _row_text(row) for row in plan.ready}
        return all(approved.get(row.number) == _row_text(row) for row in rows)


def _is_request_of(row: PlanRow, collection: Collection, spec: RequestSpec) -> bool:
    """Whether a request does what the row says, and nothing more: of its fields some may be so already."""
    try:
        match row.action:
            case RowAction.CREATE:
                wanted = create_request(collection, row.edits)
            case RowAction.DELETE:
                wanted = delete_request(Place(collection, row.record_id))
            case RowAction.UPDATE:
                wanted = update_request(Place(collection, row.record_id), row.draft)
    except RequestRefused:
        return False
    if (wanted.method, wanted.path, wanted.query) != (spec.method, spec.path, spec.query):
        return False
    if row.action is not RowAction.UPDATE:
        return wanted.body == spec.body
    fields = body_fields(spec.body)
    return bool(fields) and all(
        name in row.edits and same_json(row.edits[name], value) for name, value in (fields or {}).items()
    )


def rule_for_plan(guard: ApprovalGuard, plan: Plan) -> str:
    """The first rule that wants a second person for one of the rows that are to be sent, "" for none."""
    # Rules go by what is done where, not by the request.
    spec = RequestSpec("", "")
    changes = (ProposedChange((row.action.value,), plan.place(row).key, spec, row.number) for row in plan.ready)
    return next(filter(None, map(guard.rule, changes)), "")


def plan_digest(plan: Plan, salt: str) -> str:
    """What the rows that are to be sent come to, in hex; without the `salt` no value in them can be tried out."""
    text = "\n".join(_row_text(row) for row in plan.ready)
    return hmac.new(salt.encode(), f"{plan.collection.key}\n{text}".encode(), hashlib.sha256).hexdigest()


def _row_text(row: PlanRow) -> str:
    parts: list[Json] = [number(row.number), row.action.value, row.record_id, row.base, row.edits]
    return dumps(parts, ascii_only=True)


def _row_words(row: PlanRow, masked: frozenset[str], hidden: Sequence[str]) -> str:
    """What becomes of one record, without what colleagues are not shown."""
    if row.action is RowAction.DELETE:
        return "deleted"
    new, old = split_masked(row.edits, masked, lambda _: ""), split_masked(row.base, masked, lambda _: "").kept
    kept, base = mask_fields(new.kept, hidden), mask_fields(old, hidden)
    words = [f"{name}: {json_or_unset(base.get(name, ABSENT))} → {dumps(value)}" for name, value in kept.items()]
    words += [f"{path}: masked" for path in new.digests]
    return "; ".join(words)[:_MAX_SAMPLE_CHARACTERS]
