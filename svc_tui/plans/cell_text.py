"""Values as texts of cells: how `export --for-edit` writes them, and the plain form in which such texts are compared.

Spreadsheets and pandas change texts when they read and write a file: `007` comes back as `7`, `12` as `12.0`, `true` as
`TRUE`, a time with a blank in place of its T. Two texts have the same plain form if they differ in nothing else.
"""

import re
from datetime import UTC, datetime
from decimal import ROUND_HALF_UP, Context, Decimal
from math import isfinite

from svc_tui.core.jsontext import Absent, Json, JsonError, Number, dumps, loads
from svc_tui.core.times import parse_time

_FLAGS = {
    **dict.fromkeys(("true", "wahr", "vrai", "vero", "verdadero", "verdadeiro"), True),
    **dict.fromkeys(("false", "falsch", "faux", "falso"), False),
}
"""The words that spreadsheets write for true and false, in several languages."""

_NUMBER = re.compile(r"([+-]?)(?:([0-9]+)(?:\.([0-9]*))?|\.([0-9]+))(?:[eE]([+-]?[0-9]+))?")
_GROUPED = re.compile(r"[+-]?[1-9][0-9]{0,2}(?:,[0-9]{3})+(?:\.[0-9]+)?")
_COMMA_NUMBER = re.compile(r"[+-]?(?:[0-9]+|[1-9][0-9]{0,2}(?:\.[0-9]{3})+),[0-9]+(?:[eE][+-]?[0-9]+)?")
_GROUPED_BY_POINTS = re.compile(r"[+-]?[1-9][0-9]{0,2}(?:\.[0-9]{3})+")
_INFINITY = re.compile(r"[+-]?inf(?:inity)?", re.IGNORECASE)
_INFINITE = "infinite"
"""The form of all numbers that are too large for 64 bits; LibreOffice loses the sign of some."""
_DIGITS = 15
"""The digits of a number that every spreadsheet keeps."""
_SHORT = re.compile(r"-?[1-9](?:[.,][0-9]{1,5})?E[+-][0-9]{2,3}")
_FIFTEEN = Context(prec=_DIGITS, rounding=ROUND_HALF_UP)
_FLOAT_DIGITS = 17
"""The most digits that a program writes for a fraction of 64 bits."""
_LARGEST, _SMALLEST = 308, -323
"""The powers of ten beyond which a number of 64 bits is infinite, or zero."""
_LARGEST_DIGITS = "179769313486231"
"""The first digits of the largest number of 64 bits, which LibreOffice writes for larger ones."""

_TIME = re.compile(
    r"(?P<date>[0-9]{4}-[0-9]{2}-[0-9]{2}|(?P<day>[0-9]{1,2})\.(?P<month>[0-9]{1,2})\.(?P<year>[0-9]{4}))"
    r"(?:[Tt ] ?(?P<clock>[0-9]{1,2}:[0-9]{2})(?P<seconds>:[0-9]{2}(?:\.[0-9]+)?)?"
    r" ?(?P<zone>[Zz]|UTC|[+-][0-9]{2}(?::?[0-9]{2})?)?)?"
)

_BLANK = r"[\s\x00-\x1f\x7f-\xa0\xad\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]"
_SIGN = r"[=+\-@＝＋－＠﹦﹢﹣﹫]"
# As in `export_formats`, but with apostrophes before the sign, so that a text that begins with an apostrophe of its own
# gets a second one, and loses only that one later.
_COULD_RUN = rf"(?:{_BLANK}|[\"'])*{_SIGN}"
_START = r"(?:\A|(?<=[;\t\n])|(?<=\r)(?!\n))"
_MONTH = (
    r"(?:jan(?:uar[yi]?)?|feb(?:ruar[yi]?)?|mar(?:ch)?|mär(?:z)?|apr(?:il)?|may|mai|june?|juni|july?|juli|aug(?:ust)?"
    r"|sept?(?:ember)?|o[ck]t(?:ober)?|nov(?:ember)?|de[cz](?:ember)?)\.?"
)
_RETYPED = "|".join(
    (
        r"[0-9]{1,4} ?[/-] ?[0-9]{1,4}(?: ?[/-] ?[0-9]{1,4})?",  # 3/4, 1-2 and 2026-11 are dates to them
        r"[0-9]{1,2}\.[0-9]{1,2}\.(?:[0-9]{2,4})?",
        rf"(?:[0-9]{{1,4}}[ -]?)?{_MONTH}[ /-]?[0-9]{{1,4}}(?:,? [0-9]{{2,4}})?|[0-9]{{1,2}}[ -]?{_MONTH}",
        r"[0-9]{1,5}:(?:[0-9]{1,2})?(?::[0-9]{1,2}(?:[.,][0-9]+)?)?(?: ?[ap]m)?|[0-9]{1,2} ?[ap]m",
        r"[0-9.,]+ ?[%$\u20ac\u00a3\u00a5]|[%$\u20ac\u00a3\u00a5] ?[0-9.,]+",
        r"[0-9.]*,[0-9.,]*|[0-9.,]+(?:e[0-9]+)?[+-]",  # 1.5 here, 15 there
        r"#(?:N/A|REF!|VALUE!|DIV/0!|NAME\?|NUM!|NULL!)",
    )
)
"""Texts that spreadsheets take for dates, times, amounts and errors, and whose original can't be known afterwards.

Dates and times of ISO 8601 and numbers are not among them: `to_plain_form` recognizes those.
"""
_ISO_DATE = r"[0-9]{4}-[0-9]{2}-[0-9]{2}"
_COULD_CHANGE = rf"'*(?:[\t\r\n]|(?!{_ISO_DATE}\Z)\s*(?i:{_RETYPED})\s*\Z)"
_FORMULA = re.compile(rf"\A(?={_COULD_CHANGE})|{_START}(?={_COULD_RUN})")
_DEFUSED = re.compile(rf"\A'(?={_COULD_CHANGE})|{_START}'(?={_COULD_RUN})")
_NUMERIC_ID = re.compile(rf"'*(?!-?(?:0|[1-9][0-9]{{0,{_DIGITS - 1}}})\Z)[0-9]*[.,]?[0-9]+(?:[eE][+-]?[0-9]+)?")
"""Ids that look like a number, and that a spreadsheet would change."""
_PICTURES = {code: 0x2400 + code for code in range(0x20) if chr(code) not in "\t\r\n"} | {0x7F: 0x2421}
_CONTROLS = {picture: code for code, picture in _PICTURES.items()}
_FORMULA_INSIDE = re.compile(rf"(;{_BLANK}*)({_SIGN})")


def format_cell(value: Json | Absent) -> str:
    """Return the text that `export --for-edit` writes for the value; "" for null, "" and absent alike.

    A text that a spreadsheet could run as a formula, or take for a date or an amount, gets an apostrophe in front of
    that. So does one that begins with apostrophes of its own before such a text; `unescape_text` restores all of them.
    Control characters become pictures.
    """
    match value:
        case None | Absent():
            return ""
        case str():
            return _FORMULA.sub("'", with_control_pictures(value))
        case Number():
            return value.text
        case bool():
            return dumps(value)
    # Inside JSON the sign can be escaped without changing the value.
    return _FORMULA_INSIDE.sub(lambda match: f"{match[1]}\\u{ord(match[2]):04x}", dumps(value))


def with_control_pictures(text: str) -> str:
    """Return the text with pictures (`␛`) for control characters, which spreadsheets lose; tabs and line ends stay."""
    return text if text.isprintable() else text.translate(_PICTURES)


def without_control_pictures(text: str) -> str:
    """Return the text with the control characters in place of their pictures."""
    return text.translate(_CONTROLS)


def unescape_text(text: str) -> str:
    """Return the text without the apostrophes that `format_cell` added."""
    return _DEFUSED.sub("", text) if "'" in text else text


def format_id(value: Json | Absent) -> str:
    """Return the text that `export --for-edit` writes for an id; one like `007` gets an apostrophe."""
    text = format_cell(value)
    return f"'{text}" if isinstance(value, str) and _NUMERIC_ID.fullmatch(text) else text


def parse_id(text: str) -> str:
    """Return the id in a cell, without the apostrophes of `format_id`."""
    return text[1:] if text.startswith("'") and _NUMERIC_ID.fullmatch(text) else unescape_text(text)


def to_plain_form(text: str, *, decimal_comma: bool = False) -> str:
    """Return the form in which texts of cells are compared; "" for an empty one.

    Equal are: numbers with the same first 15 digits; times of the same moment (a time without a zone is in UTC, a date
    is its first moment); JSON objects and arrays, in any order of names and with any form of numbers.
    """
    if not text or text.isspace():
        # Users of a table can't see the difference between blanks and an empty cell.
        return ""
    if (value := parse_structure(text)) is not None:
        return f"json {_plain_json(value)}"
    written = text.replace("\r\n", "\n").replace("\r", "\n")
    text = _escape_surrogates(unescape_text(with_control_pictures(written)))
    stripped = text.strip()
    # A text with an apostrophe is as it was exported, so its comma is no decimal comma of a program.
    decimal_comma = decimal_comma and "'" not in written
    if (number := _plain_number(stripped, decimal_comma)) is not None:
        return f"number {number}"
    if (flag := _FLAGS.get(stripped.casefold())) is not None:
        return f"flag {flag}"
    if (moment := parse_moment(stripped)) is not None:
        return f"time {moment.isoformat()}"
    return f"text {text}"


def parse_structure(text: str) -> Json | None:
    """Parse a JSON object or array; return None for any other text."""
    if not text.lstrip().startswith(("{", "[")):
        return None
    try:
        return loads(text)
    except JsonError:
        return None


def with_decimal_point(text: str, *, decimal_comma: bool = False) -> str:
    """Return a number with a decimal point and without separators of thousands; any other text as it is."""
    if decimal_comma:
        if _COMMA_NUMBER.fullmatch(text):
            return text.replace(".", "").replace(",", ".")
        return text.replace(".", "") if _GROUPED_BY_POINTS.fullmatch(text) else text
    return text.replace(",", "") if _GROUPED.fullmatch(text) else text


def to_json_number(text: str, *, decimal_comma: bool = False) -> str | None:
    """Return a number as JSON writes it, with every digit; None for a text that is no number.

    `+5`, `.5`, `5.`, `007`, `1,234.5` and, with a decimal comma, `23,9` and `1.234,5` are numbers as tables write them.
    """
    text = with_decimal_point(text, decimal_comma=decimal_comma)
    match = _NUMBER.fullmatch(text)
    if match is None:
        return None
    sign, whole, fraction, bare_fraction, exponent = match.groups()
    fraction = fraction or bare_fraction
    return (
        ("-" if sign == "-" else "")
        + ((whole or "").lstrip("0") or "0")
        + (f".{fraction}" if fraction else "")
        + ("" if exponent is None else text[match.start(5) - 1] + exponent)
    )


def is_beyond_spreadsheets(number: str) -> bool:
    """Return True if no spreadsheet wrote the number: it has more digits than they keep, or is too large.

    A fraction may have 17 digits, since pandas writes the last two of them wrong.
    """
    match = _NUMBER.fullmatch(number)
    if match is None:
        return False
    digits, power = _digits_and_power(match)
    kept = _DIGITS if number.lstrip("-").isdigit() else _FLOAT_DIGITS
    return len(digits) > kept or (digits != "" and not _SMALLEST <= power + len(digits) - 1 <= _LARGEST)


def is_written_by_program(number: str, old: str) -> bool:
    """Return True if `number` is `old` as programs with more digits write it: all of them, or those of 64 bits."""
    value, old_value = Number(number).decimal, Number(old).decimal
    if value is None or old_value is None:
        return number == old
    nearest = float(old_value)
    return value == old_value or (
        isfinite(nearest)
        and any(
            value == written
            for short in (repr(nearest), f"{nearest:.17g}", f"{nearest:.16g}")
            for written in (Decimal(short), Decimal(float(short)))
        )
    )


def is_shortened(text: str, old: str) -> bool:
    """Return True if a text is `old` with the few digits that a spreadsheet shows of a long number and saves as CSV.

    Excel writes `1.23457E+11` for 123456789012, LibreOffice `5.01E-08` for 5.00942E-08.
    """
    if not _SHORT.fullmatch(text):
        return False
    short, value = Decimal(text.replace(",", ".")), Number(old).decimal
    return value is not None and Context(prec=len(short.as_tuple().digits), rounding=ROUND_HALF_UP).plus(value) == short


def parse_moment(text: str) -> datetime | None:
    """Parse a time or a date as spreadsheets, pandas and the service write them; return it in UTC, None for others."""
    match = _TIME.fullmatch(text)
    if match is None:
        return None
    date = match["date"]
    if match["day"] is not None:
        date = f"{match['year']}-{match['month']:0>2}-{match['day']:0>2}"
    zone = match["zone"] or "Z"
    if zone == "UTC":
        zone = "Z"
    elif zone not in "Zz":
        zone = f"{zone[:3]}:{zone[3:].removeprefix(':') or '00'}"
    at = parse_time(f"{date}T{match['clock'] or '00:00':0>5}{match['seconds'] or ':00'}{zone}")
    try:
        return None if at is None else at.astimezone(UTC)
    except (OverflowError, ValueError):
        return None


def _plain_number(text: str, decimal_comma: bool) -> str | None:
    """Return one form for all texts of a number at 15 digits, such as `239e-1`; None for a text that is no number."""
    text = with_decimal_point(text, decimal_comma=decimal_comma)
    if _INFINITY.fullmatch(text) is not None:
        return _INFINITE
    match = _NUMBER.fullmatch(text)
    if match is None:
        return None
    digits, power = _digits_and_power(match)
    size = power + len(digits) - 1
    if not digits or size < _SMALLEST:
        return "0"
    if size > _LARGEST or (size == _LARGEST and digits[:_DIGITS].ljust(_DIGITS, "0") >= _LARGEST_DIGITS):
        return _INFINITE
    sign = "-" if match[1] == "-" else ""
    if len(digits) > _DIGITS:
        # As LibreOffice does: the shortest text of the number in 64 bits, and of that the first digits.
        rounded = _FIFTEEN.create_decimal(repr(float(f"{digits}e{power}")))
        digits, power = split_digits(rounded)
    return f"{sign}{digits}e{power}"


def split_digits(number: Decimal) -> tuple[str, int]:
    """Return the digits of `number` without zeros at the end, and the power of ten of the last one."""
    _, kept, power = number.as_tuple()
    digits = "".join(map(str, kept))
    shortened = digits.rstrip("0")
    return shortened, int(power) + len(digits) - len(shortened)


def _digits_and_power(match: re.Match[str]) -> tuple[str, int]:
    """Return the digits from the first to the last that is not 0 ("" for zero), and the power of ten of the last."""
    _, whole, fraction, bare_fraction, exponent = match.groups()
    fraction = fraction or bare_fraction or ""
    digits = ((whole or "") + fraction).lstrip("0")
    written = len(digits)
    digits = digits.rstrip("0")
    # Exponents of more digits are beyond every number, and slow to convert.
    sign, size = (exponent or "0").startswith("-"), (exponent or "0").lstrip("+-").lstrip("0") or "0"
    power = int(size) if len(size) < 9 else 10**9
    return digits, (-power if sign else power) - len(fraction) + written - len(digits)


def _plain_json(value: Json) -> str:
    match value:
        case Number():
            # No spreadsheet changes numbers inside JSON, so every digit counts.
            match = _NUMBER.fullmatch(value.text)
            assert match is not None
            digits, power = _digits_and_power(match)
            return f"{match[1]}{digits}e{power}" if digits else "0"
        case str() | bool() | None:
            return dumps(value)
        case dict():
            return f"{{{','.join(f'{dumps(name)}:{_plain_json(value[name])}' for name in sorted(value))}}}"
        case list():
            return f"[{','.join(map(_plain_json, value))}]"
    raise AssertionError(f"{type(value).__name__} is not a JSON value")


def _escape_surrogates(text: str) -> str:
    """Return the text with lone surrogates as the escapes that `encode_utf8` writes for them."""
    return text if text.isascii() else text.encode("utf-8", "backslashreplace").decode()
