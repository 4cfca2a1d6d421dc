"""Which changes on LIVE want a second person: by what they do, by how many there are at once, by where."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from svc_tui.domain.editing.ports import Permit, ProposedChange
from svc_tui.domain.model.catalog import COLLECTIONS, DOMAINS, find_collection
from svc_tui.domain.model.jsontext import Json
from svc_tui.domain.model.spelling import nearest_name

KINDS = ("create", "update", "delete", "action", "request")
"""What a change can be; `request` is one that was written out in the console or on the command line."""

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
    """A rule that can't be used; the message follows what was written, and says which forms are allowed."""


@dataclass(frozen=True, slots=True)
class ApprovalRules:
    """What wants a second person; none of it where there is no rule."""

    rules: tuple[str, ...] = ()
    """As they are written: `delete`, `batch>20`, `finance/invoices`, `operations/*`."""

    @classmethod
    def parse(cls, rules: Sequence[str]) -> "ApprovalRules":
        """The rules that these texts write; raises ApprovalRuleError for the first that is none."""
        for rule in rules:
            if rule not in KINDS and rule not in _PLACES and not _BATCH.fullmatch(rule):
                known = find_collection(rule)
                close = known.key if known else nearest_name(rule, (*KINDS, *_PLACES))
                raise ApprovalRuleError(f"allowed: {ALLOWED}" + (f'; did you mean "{close}"?' if close else ""))
        return cls(tuple(rules))

    def rule_for(self, kind: str, place_key: str, rows: int = 1) -> str:
        """The first rule, as it is written, that asks for a second person; "" where none does.

        `kind` is one of `KINDS`, `place_key` where the change is made (`operations/lots/lot-1`, "" where that is no
        place), `rows` how many changes are made at once.
        """
        return next((rule for rule in self.rules if _applies(rule, kind, place_key, rows)), "")


def first_rule(rules: ApprovalRules, change: ProposedChange, rows: int = 1) -> str:
    """The rule that asks for a second person for the change, whichever of its kinds it is for; "" where none does."""
    return next(filter(None, (rules.rule_for(kind, change.where, rows) for kind in change.kinds)), "")


class NobodyToAsk:
    """See `domain.editing.ports.ApprovalGuard`: the same rules, where there is nobody who could be asked from."""

    def __init__(self, rules: ApprovalRules, why: str, rows: int = 1) -> None:
        """Make it; `why` is a sentence that says what to do, `rows` how many changes are made at once."""
        self._rules, self._why, self._rows = rules, why, rows

    def rule(self, change: ProposedChange) -> str:
        """The rule that wants a second person for the change, "" for none."""
        return first_rule(self._rules, change, self._rows)

    async def permit(self, change: ProposedChange) -> Permit:
        """Whether it may be sent: where no rule names it."""
        rule = self.rule(change)
        return Permit(f"This change needs approval on LIVE (rule {rule} of the profile): {self._why}" * bool(rule))

    async def recheck(self, permit: Permit, fields: Mapping[str, Json] | None) -> str:
        """There was no approval that could not hold."""
        return ""

    async def settle(self, permit: Permit, result: str) -> None:
        """There was no approval that could be used up."""


def _applies(rule: str, kind: str, place_key: str, rows: int) -> bool:
    if batch := _BATCH.fullmatch(rule):
        return rows > int(batch[1])
    if rule in (kind, _EVERYWHERE):
        return True
    return f"{place_key}/".startswith(f"{rule.removesuffix('/' + _EVERYWHERE)}/")
