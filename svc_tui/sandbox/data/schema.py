"""What each field of a record may hold, and the words that say otherwise."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import date, datetime

from svc_tui.domain.model.jsontext import Json, Number
from svc_tui.sandbox.refusals import Refusal

_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)")
_DAY = re.compile(r"\d{4}-\d\d-\d\d")
_WHOLE = re.compile(r"-?\d+")
_MAX_TEXT = 20_000


@dataclass(frozen=True, slots=True)
class Rule:
    """What a field may hold: `kind` in words, its `choices` if it has any, null where `nullable`.

    A new record must have a `needed` field. A `fixed` field is the service's own; a request may repeat its value
    but not change it.
    """

    kind: str
    choices: tuple[str, ...] = ()
    nullable: bool = True
    needed: bool = False
    fixed: bool = False

    def complaint(self, value: Json) -> str | None:
        """What is wrong with `value`, to follow the field's name; None: nothing."""
        if value is None:
            return None if self.nullable else "must not be null"
        if self.choices:
            return None if value in self.choices else f"must be one of {', '.join(self.choices)}"
        return None if _fits(self.kind, value) else f"must be {self.kind}"


TEXT = Rule("text")
NUMBER = Rule("a number")
WHOLE = Rule("a whole number")
FLAG = Rule("true or false", nullable=False)
TIME = Rule("a time such as 2025-03-01T07:30:00Z")
DAY = Rule("a date such as 2025-03-01")
LIST = Rule("a list")
OBJECT = Rule("an object")
FIXED = Rule("as the service set it", fixed=True)


def choice(*choices: str) -> Rule:
    """A field that holds one of a few words."""
    return Rule("a choice", choices, nullable=False)


def needed(rule: Rule) -> Rule:
    """The rule for a field that a record cannot be without."""
    return replace(rule, nullable=False, needed=True)


def check_fields(rules: Mapping[str, Rule], fields: Mapping[str, Json], current: Mapping[str, Json]) -> None:
    """Raises Refusal (422, `validation_failed`) that names the first field that may not be set so.

    `current` is the record before the change, empty for a new one.
    """
    for name, value in fields.items():
        rule = rules.get(name)
        if rule is None:
            raise invalid(f"{name[:60]!r} is not a field of this record")
        if rule.fixed:
            if name not in current or current[name] != value:
                raise invalid(f"{name} is set by the service and cannot be changed")
        elif (complaint := rule.complaint(value)) is not None:
            raise invalid(f"{name} {complaint}")


def invalid(message: str) -> Refusal:
    """The refusal of a body that is JSON but not acceptable."""
    return Refusal(422, "validation_failed", message)


def _fits(kind: str, value: Json) -> bool:
    match kind:
        case TEXT.kind:
            return isinstance(value, str) and len(value) <= _MAX_TEXT
        case NUMBER.kind:
            return isinstance(value, Number)
        case WHOLE.kind:
            return isinstance(value, Number) and _WHOLE.fullmatch(value.text) is not None
        case FLAG.kind:
            return isinstance(value, bool)
        case TIME.kind:
            return isinstance(value, str) and _TIME.fullmatch(value) is not None and _exists(value)
        case DAY.kind:
            return isinstance(value, str) and _DAY.fullmatch(value) is not None and _exists(value)
        case LIST.kind:
            return isinstance(value, list)
        case _:
            return isinstance(value, Mapping)


def _exists(text: str) -> bool:
    try:
        if len(text) == 10:
            date.fromisoformat(text)
        else:
            datetime.fromisoformat(text[:19])
    except ValueError:
        return False
    return True
