"""The order of values: numbers by value, moments by time, texts without case, flags; unlike things by kind."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from decimal import Decimal, InvalidOperation
from typing import TypeAlias

from svc_tui.domain.draft import Absent
from svc_tui.domain.jsontext import Json, Number, dumps
from svc_tui.domain.values import moment

Ordered: TypeAlias = tuple[int, Decimal | datetime | str | bool]
"""A value as it is compared: its kind's rank, then what is comparable within the kind."""

NUMBER, TIME, TEXT, FLAG, NESTED = range(5)


def ordered(value: Json | Absent) -> Ordered | None:
    """What `value` is compared by; None for null, "" and missing, which have no place in any order."""
    match value:
        case None | Absent() | "":
            return None
        case bool():
            return FLAG, value
        case Number():
            return _number(value)
        case str():
            at = moment(value) if value[:1].isdigit() else None
            return (TEXT, value.casefold()) if at is None else (TIME, at if at.tzinfo else at.replace(tzinfo=UTC))
        case Mapping() | Sequence():
            return NESTED, dumps(value)


def _number(value: Number) -> Ordered:
    try:
        return NUMBER, Decimal(value.text)
    except InvalidOperation:
        # Its exponent has more digits than can be reckoned with; it is still one value, and equal to itself.
        return TEXT, value.text
