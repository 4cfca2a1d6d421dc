"""Rules for changes on LIVE that require approval: by their kind, their number, or their place."""

import re
from collections.abc import Mapping, Sequence

from msgspec import Struct

from svc_tui.core.catalog import COLLECTIONS, DOMAINS, find_collection
from svc_tui.core.jsontext import Json
from svc_tui.core.spelling import nearest_name
from svc_tui.writes.approval_guard import Permit, ProposedChange

KINDS = ("create", "update", "delete", "action", "request")
"""Kinds of changes; `request` is one written in the console or on the command line."""

ALLOWED = f"{', '.join(KINDS)}, batch>N, domain/collection, domain/*, *"
"""The forms of a rule."""

_EVERYWHERE = "*"
_BATCH = re.compile(r"batch>(0|[1-9][0-9]{0,8})")
_PLACES = (
    *(collection.key for collection in COLLECTIONS),
    *(f"{domain.name}/{_EVERYWHERE}" for domain in DOMAINS),
    _EVERYWHERE,
)


class ApprovalRuleError(ValueError):
    """An invalid rule; the message, which is shown after the rule, names the forms that are allowed."""


class ApprovalRules(Struct, frozen=True):
    """The rules of a profile; without rules, no change requires approval."""

    rules: tuple[str, ...] = ()
    """The rules as text: `delete`, `batch>20`, `finance/invoices`, `operations/*`."""

    @classmethod
    def parse(cls, rules: Sequence[str]) -> "ApprovalRules":
        """Parse rules; raise ApprovalRuleError for the first that is invalid."""
        for rule in rules:
            if rule not in KINDS and rule not in _PLACES and not _BATCH.fullmatch(rule):
                known = find_collection(rule)
                close = known.key if known else nearest_name(rule, (*KINDS, *_PLACES))
                raise ApprovalRuleError(f"allowed: {ALLOWED}" + (f'; did you mean "{close}"?' if close else ""))
        return cls(tuple(rules))

    def rule_for(self, kind: str, place_key: str, rows: int = 1) -> str:
        """Return the first rule that requires approval, "" for none.

        `kind` is one of `KINDS`, `place_key` the place of the change (`operations/lots/lot-1`, "" for none), `rows` the
        number of changes that are made at once.
        """
        return next((rule for rule in self.rules if _applies(rule, kind, place_key, rows)), "")


def first_rule(rules: ApprovalRules, change: ProposedChange, rows: int = 1) -> str:
    """Return the first rule that requires approval for one of the kinds of the change, "" for none."""
    return next(filter(None, (rules.rule_for(kind, change.where, rows) for kind in change.kinds)), "")


class RefusingGuard:
    """The `ApprovalGuard` where rules apply and approval can't be requested: without a team, and on the command line.

    It refuses every change that a rule names.
    """

    def __init__(self, rules: ApprovalRules, why: str, rows: int = 1) -> None:
        """`why` is a sentence that says what to do, `rows` the number of changes that are made at once."""
        self._rules, self._why, self._rows = rules, why, rows

    def rule(self, change: ProposedChange) -> str:
        """Return the rule that requires approval for the change, "" for none."""
        return first_rule(self._rules, change, self._rows)

    async def permit(self, change: ProposedChange) -> Permit:
        """Permit only changes without a rule."""
        rule = self.rule(change)
        return Permit(f"On LIVE this requires approval (rule {rule} of this profile): {self._why}" * bool(rule))

    async def recheck(self, permit: Permit, fields: Mapping[str, Json] | None) -> str:
        """Return "": there are no approvals that could become outdated."""
        return ""

    async def settle(self, permit: Permit, result: str) -> None:
        """Do nothing: there are no approvals that could be used up."""


def _applies(rule: str, kind: str, place_key: str, rows: int) -> bool:
    if batch := _BATCH.fullmatch(rule):
        return rows > int(batch[1])
    if rule in (kind, _EVERYWHERE):
        return True
    return f"{place_key}/".startswith(f"{rule.removesuffix('/' + _EVERYWHERE)}/")
