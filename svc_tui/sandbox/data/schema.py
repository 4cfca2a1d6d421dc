"""What each field of a record may hold, and the words that say otherwise."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import date, datetime

from svc_tui.core.jsontext import Json, Number
from svc_tui.sandbox.errors import ApiError

_TIME = re.compile(
    r"\d{4}-\d\d-\d\dT(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,9})?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)", re.ASCII
)
_DATE = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)
MAX_TEXT = 20_000
"""Characters that a text may have."""


@dataclass(frozen=True, slots=True)
class FieldRule:
    """What a field may hold: `kind` in words, its `choices` if it has any, null where `nullable`.

    A new record must have a `required` field. A `read_only` field is the service's own; a request may repeat its value
    but not change it. A field that is not `seeded` is in no record that the service begins with.
    """

    kind: str
    choices: tuple[str, ...] = ()
    nullable: bool = True
    required: bool = False
    read_only: bool = False
    seeded: bool = True

    def problem(self, value: Json) -> str | None:
        """What is wrong with `value`, to follow the field's name; None: nothing."""
        if value is None:
            return None if self.nullable else "must not be null"
        if self.choices:
            return None if value in self.choices else f"must be one of {', '.join(self.choices)}"
        return None if _fits(self.kind, value) else f"must be {self.kind}"


TEXT = FieldRule("text")
NUMBER = FieldRule("a number")
INTEGER = FieldRule("a whole number")
BOOLEAN = FieldRule("true or false", nullable=False)
TIME = FieldRule("a time such as 2025-03-01T07:30:00Z")
DATE = FieldRule("a date such as 2025-03-01")
LIST = FieldRule("a list")
OBJECT = FieldRule("an object")


def choice(*choices: str) -> FieldRule:
    """A field that holds one of a few words."""
    return FieldRule("a choice", choices, nullable=False)


def required(rule: FieldRule) -> FieldRule:
    """The rule for a field that a record cannot be without."""
    return replace(rule, nullable=False, required=True)


def set_by_service(rule: FieldRule) -> FieldRule:
    """The rule for a field that every record has and that is the service's own."""
    return replace(rule, nullable=False, read_only=True)


def check_fields(rules: Mapping[str, FieldRule], fields: Mapping[str, Json], current: Mapping[str, Json]) -> None:
    """Raises ApiError (422, `validation_failed`) that names the first field that may not be set so.

    `current` is the record before the change, empty for a new one.
    """
    for name, value in fields.items():
        rule = rules.get(name)
        if rule is None:
            raise validation_error(f"{name[:60]!r} is not a field of this record")
        if rule.read_only:
            if name not in current or current[name] != value:
                raise validation_error(f"{name} is set by the service and can't be changed")
        elif (problem := rule.problem(value)) is not None:
            raise validation_error(f"{name} {problem}")


def validation_error(message: str) -> ApiError:
    """The refusal of a body that is JSON but not acceptable."""
    return ApiError("validation_failed", message)


def is_whole(number: Number) -> bool:
    """Whether a number is a whole one, by its value: 2.0 is (JSON Schema Validation, section 6.1.1)."""
    value = number.decimal
    return value is not None and (value.as_tuple().exponent == 0 or value == value.to_integral_value())


def _fits(kind: str, value: Json) -> bool:
    match kind:
        case TEXT.kind:
            return isinstance(value, str) and len(value) <= MAX_TEXT
        case NUMBER.kind:
            return isinstance(value, Number)
        case INTEGER.kind:
            return isinstance(value, Number) and is_whole(value)
        case BOOLEAN.kind:
            return isinstance(value, bool)
        case TIME.kind:
            return isinstance(value, str) and _TIME.fullmatch(value) is not None and _is_calendar_date(value)
        case DATE.kind:
            return isinstance(value, str) and _DATE.fullmatch(value) is not None and _is_calendar_date(value)
        case LIST.kind:
            return isinstance(value, list)
        case _:
            return isinstance(value, Mapping)


def _is_calendar_date(text: str) -> bool:
    try:
        if len(text) == 10:
            date.fromisoformat(text)
        else:
            datetime.fromisoformat(text[:19])
    except ValueError:
        return False
    return True
