"""The order of values: numbers by value, moments by time, texts without case, flags; unlike things by kind."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from decimal import Decimal, InvalidOperation
from typing import TypeAlias

from svc_tui.core.jsontext import Absent, Json, Number, dumps
from svc_tui.core.times import parse_time

SortKey: TypeAlias = tuple[int, Decimal | datetime | str | bool]
"""A value as it is compared: its kind's rank, then what is comparable within the kind."""

NUMBER, TIME, TEXT, FLAG, NESTED = range(5)


def sort_key(value: Json | Absent) -> SortKey | None:
    """What `value` is compared by; None for null, "" and missing, which have no place in any order."""
    # What most values are comes first: thousands are asked about at one key.
    match value:
        case str():
            return _text(value) if value else None
        case Number():
            return _number(value)
        case None | Absent():
            return None
        case bool():
            return FLAG, value
        case Mapping() | Sequence():
            return NESTED, dumps(value)


def _text(value: str) -> SortKey:
    at = parse_time(value) if value[0].isdigit() else None
    if at is None:
        return TEXT, value.casefold()
    return TIME, at if at.tzinfo else at.replace(tzinfo=UTC)


def _number(value: Number) -> SortKey:
    try:
        return NUMBER, Decimal(value.text)
    except InvalidOperation:
        # Its exponent has more digits than can be reckoned with; it is still one value, and equal to itself.
        return TEXT, value.text
