"""Which changes on LIVE want a second person: by what they do, by how many there are at once, by where."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from svc_tui.domain.model.catalog import COLLECTIONS, DOMAINS, find_collection
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


def _applies(rule: str, kind: str, place_key: str, rows: int) -> bool:
    if batch := _BATCH.fullmatch(rule):
        return rows > int(batch[1])
    if rule in (kind, _EVERYWHERE):
        return True
    return f"{place_key}/".startswith(f"{rule.removesuffix('/' + _EVERYWHERE)}/")
