"""Sort keys: what SQLite compares in place of JSON values, so that it orders and filters as `ordering` does.

A key is a double for a number and bytes for all else, which come after; beside it is the rest: what the double leaves
out of the number. Times come before texts, then true and false, then objects and lists. Null, "" and a missing field
have no key. Keys are equal for equal values: 1.50 and 1.5, 12:00Z and 13:00+01:00, "Ore" and "ORE".
"""

from datetime import UTC, datetime, timedelta
from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal, InvalidOperation
from math import isfinite
from typing import TypeAlias

from svc_tui.core.jsontext import Absent, Json, Number, dumps
from svc_tui.core.times import parse_time

TIME, TEXT, FLAG, NESTED = (bytes([rank]) for rank in range(1, 5))
"""The first byte of the key of what is not a number: the kind of the value."""

EXACT = b"\x02"
"""The rest of a number that its double holds entirely, and of all that is not a number."""

EXACT_DIGITS = 15
"""Decimal digits that a double keeps: two numbers of so many digits are equal only if their doubles are."""

_DOUBLE_SPAN = 700
"""More than the decimal places between the largest and the smallest double."""

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
_BIAS = 1 << 63
_NEGATIVE, _POSITIVE = b"\x01", b"\x03"

Key: TypeAlias = tuple[float | bytes | None, bytes]
"""A key and the rest of its number."""


def key_of(value: Json | Absent) -> Key:
    """Return the key of `value`; it is None for null, "" and a missing field, which come last in every order."""
    match value:
        case "" | None | Absent():
            return None, EXACT
        case str():
            return text_key(value), EXACT
        case Number():
            return number_key(value.text)
        case bool():
            return FLAG + bytes([value]), EXACT
        case _:
            return NESTED + to_bytes(dumps(value)), EXACT


def number_key(text: str) -> Key:
    """Return the key of a JSON number of any length."""
    nearest = float(text)
    if len(text) <= EXACT_DIGITS and "e" not in text and "E" not in text:
        return nearest, EXACT
    try:
        value = Decimal(text)
    except InvalidOperation:
        # An exponent beyond Decimal's range: one value, equal to itself, ordered as text.
        return TEXT + text.encode(), EXACT
    shown = Decimal(repr(nearest)) if isfinite(nearest) else Decimal(0)
    context = Context(prec=len(text) + _DOUBLE_SPAN, Emax=MAX_EMAX, Emin=MIN_EMIN)
    return nearest, _decimal_bytes(context.subtract(value, shown) if shown else value)


def text_key(text: str) -> bytes:
    """Return the key of a text that is not empty: a moment where it is an RFC 3339 time, else the text, casefolded."""
    at = parse_time(text) if text[0].isdigit() else None
    return TEXT + to_bytes(text.casefold()) if at is None else time_key(at)


def time_key(at: datetime) -> bytes:
    """Return the key of a moment; one without a zone is in UTC."""
    if at.tzinfo is None:
        at = at.replace(tzinfo=UTC)
    try:
        return TIME + at.astimezone(UTC).replace(tzinfo=None).isoformat().encode()
    except OverflowError:
        # In UTC it is before the year 1 or after 9999: "!" and ":" come before and after all digits.
        microseconds = (at - _EPOCH) // _MICROSECOND
        return TIME + (b"!" if microseconds < 0 else b":") + (microseconds + _BIAS).to_bytes(8, "big")


def to_bytes(text: str) -> bytes:
    """Encode a text that may hold lone surrogates, which SQLite can't hold as TEXT; the order stays that of str."""
    return text.encode("utf-8", "surrogatepass")


def _decimal_bytes(value: Decimal) -> bytes:
    """Encode a number of any size: sign, exponent of the first digit, digits; inverted if it is negative."""
    if not value:
        return EXACT
    sign, digits, _ = value.as_tuple()
    magnitude = (value.adjusted() + _BIAS).to_bytes(8, "big") + bytes(digits).rstrip(b"\0")
    return _NEGATIVE + bytes(255 - byte for byte in magnitude) + b"\xff" if sign else _POSITIVE + magnitude
