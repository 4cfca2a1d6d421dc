"""Approval of a plan by a second person: of the plan as a whole; its run writes only the rows that were approved."""

import hashlib
import hmac
import secrets
from collections.abc import Mapping, Sequence
from uuid import uuid4

from svc_tui.core.catalog import Collection
from svc_tui.core.draft import json_or_unset
from svc_tui.core.jsontext import ABSENT, Json, dumps, number, same_json
from svc_tui.core.masked_values import split_masked
from svc_tui.core.records import Place
from svc_tui.core.requests import RequestSpec
from svc_tui.service.errors import RequestRefused
from svc_tui.service.redact import mask_fields
from svc_tui.storage.errors import StoreError
from svc_tui.storage.plan import Plan, PlanRow, RowAction
from svc_tui.storage.team.kept_asks import AskStore, KeptAsk
from svc_tui.team.approval_rules import first_rule
from svc_tui.team.approvals import Approvals, explain_missing, explain_state
from svc_tui.team.asks import Ask, AskedPlan, AskState
from svc_tui.writes.approval_guard import ApprovalGuard, Permit, ProposedChange
from svc_tui.writes.write_requests import build_create_request, build_delete_request, build_update_request, parse_fields

SAMPLE_ROWS = 5
"""Rows of a plan that a request for approval shows."""

_MAX_SAMPLE_CHARACTERS = 400


class PlanApproval:
    """The `ApprovalGuard` of the writes of one run of a profile with a team; `plan` is the plan at its beginning."""

    def __init__(self, approvals: Approvals, plans: AskStore, plan: Plan) -> None:
        self._approvals, self._plans, self._plan = approvals, plans, plan

    @property
    def plan_rule(self) -> str:
        """The first rule that requires approval for one of the rows, "" for none."""
        return rule_for_plan(self, self._plan)

    async def find_approval(self) -> tuple[Ask | None, str]:
        """Return the approval of all rows to send, or None and the reason in a sentence; raises StoreError."""
        refusal, rule = "", self.plan_rule
        for kept in await self._approvals.kept_of_run(self._plan.id):
            ask = await self._approvals.approval_for(kept.id)
            if ask is None or ask.change.plan is None:
                refusal = (
                    refusal
                    or "Approval was just requested. The request is not on this computer yet; try again in a moment."
                )
            elif ask.state is not AskState.APPROVED:
                refusal = refusal or explain_state(ask)
            elif await self._is_approved(kept, ask.change.plan, self._plan.ready):
                return ask, ""
            else:
                refusal = refusal or "The plan was changed after approval. Request approval again."
        return None, refusal or explain_missing(rule)

    async def ask(self, ticket: str, word: str, hidden: Sequence[str]) -> None:
        """Request approval of the plan, without the `hidden` fields; raises StoreError and AskError."""
        plan, masked = self._plan, self._approvals.masked
        place, salt = Place(plan.collection), secrets.token_hex(32)
        kept = KeptAsk(uuid4().hex, "plan", place, ticket=ticket, run=plan.id, salt=salt)
        sample = tuple((row.name, _describe_row(row, masked, hidden)) for row in plan.ready[:SAMPLE_ROWS])
        asked = AskedPlan(plan.title, len(plan.ready), plan_digest(plan, salt), sample)
        await self._plans.keep_plan(kept, plan)
        await self._approvals.ask_plan(kept, self.plan_rule, asked, word, hidden)

    async def ended(self, *, given_up: bool = False) -> None:
        """End the approval together with the run; raises StoreError."""
        for kept in await self._approvals.kept_of_run(self._plan.id):
            await self._approvals.plan_ended(kept.id, given_up=given_up)

    # As an ApprovalGuard of the write pipeline

    def rule(self, change: ProposedChange) -> str:
        """Return the rule that requires approval for the change of a row, "" for none."""
        return first_rule(self._approvals.rules, change, len(self._plan.ready))

    async def permit(self, change: ProposedChange) -> Permit:
        """Permit a row without a rule, or one that is as it was approved."""
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
                    refusal = refusal or explain_state(ask)
                elif await self._is_approved(kept, ask.change.plan, [row]):
                    return Permit(approval=ask.id, approved_by=ask.approved_by)
        except StoreError as error:
            return Permit(f"Could not check the approval: {error}")
        return Permit(refusal or f"{row.name} was changed after approval. The rule {rule} requires approval.")

    async def recheck(self, permit: Permit, fields: Mapping[str, Json] | None) -> str:
        """Refuse nothing: if a field of the record changed, the run stops at the row anyway."""
        return ""

    async def settle(self, permit: Permit, result: str) -> None:
        """Do nothing: the approval is for the whole run and ends with it."""

    async def _is_approved(self, kept: KeptAsk, asked: AskedPlan, rows: Sequence[PlanRow]) -> bool:
        """Return True if all of the rows were approved as they are now."""
        plan = await self._plans.plan_of(kept.id)
        if plan is None or not hmac.compare_digest(plan_digest(plan, kept.salt), asked.digest):
            return False
        approved = {row.number: _serialize_row(row) for row in plan.ready}
        return all(approved.get(row.number) == _serialize_row(row) for row in rows)


def _is_request_of(row: PlanRow, collection: Collection, spec: RequestSpec) -> bool:
    """Return True if a request makes only changes of the row; it can leave out fields that are as planned already."""
    try:
        match row.action:
            case RowAction.CREATE:
                wanted = build_create_request(collection, row.edits)
            case RowAction.DELETE:
                wanted = build_delete_request(Place(collection, row.record_id))
            case RowAction.UPDATE:
                wanted = build_update_request(Place(collection, row.record_id), row.draft)
    except RequestRefused:
        return False
    if (wanted.method, wanted.path, wanted.query) != (spec.method, spec.path, spec.query):
        return False
    if row.action is not RowAction.UPDATE:
        return wanted.body == spec.body
    fields = parse_fields(spec.body)
    return bool(fields) and all(
        name in row.edits and same_json(row.edits[name], value) for name, value in (fields or {}).items()
    )


def rule_for_plan(guard: ApprovalGuard, plan: Plan) -> str:
    """Return the first rule that requires approval for one of the rows to send, "" for none."""
    # Rules depend on action and place, not on the request.
    spec = RequestSpec("", "")
    changes = (ProposedChange((row.action.value,), plan.place(row).key, spec, row.number) for row in plan.ready)
    return next(filter(None, map(guard.rule, changes)), "")


def plan_digest(plan: Plan, salt: str) -> str:
    """Return a digest of the rows to send, in hex; the `salt` prevents guessing their values from it."""
    text = "\n".join(_serialize_row(row) for row in plan.ready)
    return hmac.new(salt.encode(), f"{plan.collection.key}\n{text}".encode(), hashlib.sha256).hexdigest()


def _serialize_row(row: PlanRow) -> str:
    parts: list[Json] = [number(row.number), row.action.value, row.record_id, row.base, row.edits]
    return dumps(parts, ascii_only=True)


def _describe_row(row: PlanRow, masked: frozenset[str], hidden: Sequence[str]) -> str:
    """Describe the change of one record, without masked and hidden fields."""
    if row.action is RowAction.DELETE:
        return "deleted"
    new, old = split_masked(row.edits, masked, lambda _: ""), split_masked(row.base, masked, lambda _: "").kept
    kept, base = mask_fields(new.kept, hidden), mask_fields(old, hidden)
    words = [f"{name}: {json_or_unset(base.get(name, ABSENT))} → {dumps(value)}" for name, value in kept.items()]
    words += [f"{path}: masked" for path in new.digests]
    return "; ".join(words)[:_MAX_SAMPLE_CHARACTERS]
