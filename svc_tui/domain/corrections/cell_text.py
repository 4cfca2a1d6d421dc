"""Values as texts of cells: how `export --for-edit` writes them, and the one form in which such texts are compared.

Spreadsheets and pandas write back what they took a cell for: `007` comes back as `7`, `12` as `12.0`, `true` as `TRUE`,
a time with a blank in place of its T. Two texts have the same plain form where one is only that.
"""

import re
from datetime import UTC, datetime
from decimal import ROUND_HALF_UP, Context, Decimal
from math import isfinite

from svc_tui.domain.data.times import parse_time
from svc_tui.domain.model.absent import Absent
from svc_tui.domain.model.jsontext import Json, JsonError, Number, dumps, loads

_FLAGS = {
    **dict.fromkeys(("true", "wahr", "vrai", "vero", "verdadero", "verdadeiro"), True),
    **dict.fromkeys(("false", "falsch", "faux", "falso"), False),
}
"""What spreadsheets write for true and false, in the languages that they speak."""

_NUMBER = re.compile(r"([+-]?)(?:([0-9]+)(?:\.([0-9]*))?|\.([0-9]+))(?:[eE]([+-]?[0-9]+))?")
_GROUPED = re.compile(r"[+-]?[1-9][0-9]{0,2}(?:,[0-9]{3})+(?:\.[0-9]+)?")
_COMMA_NUMBER = re.compile(r"[+-]?(?:[0-9]+|[1-9][0-9]{0,2}(?:\.[0-9]{3})+),[0-9]+(?:[eE][+-]?[0-9]+)?")
_GROUPED_BY_POINTS = re.compile(r"[+-]?[1-9][0-9]{0,2}(?:\.[0-9]{3})+")
_INFINITY = re.compile(r"[+-]?inf(?:inity)?", re.IGNORECASE)
_INFINITE = "infinite"
"""The form of all numbers that are too large for 64 bits: of some of them LibreOffice loses the sign."""
_DIGITS = 15
"""The digits of a number that survive every spreadsheet."""
_SHORT = re.compile(r"-?[1-9](?:[.,][0-9]{1,5})?E[+-][0-9]{2,3}")
_FIFTEEN = Context(prec=_DIGITS, rounding=ROUND_HALF_UP)
_FLOAT_DIGITS = 17
"""The most digits that a program writes of a fraction of 64 bits."""
_LARGEST, _SMALLEST = 308, -323
"""Powers of ten beyond which such a number is infinite, or zero."""
_LARGEST_DIGITS = "179769313486231"
"""The first digits of the largest one, which LibreOffice writes for those that are larger."""

_TIME = re.compile(
    r"(?P<date>[0-9]{4}-[0-9]{2}-[0-9]{2}|(?P<day>[0-9]{1,2})\.(?P<month>[0-9]{1,2})\.(?P<year>[0-9]{4}))"
    r"(?:[Tt ] ?(?P<clock>[0-9]{1,2}:[0-9]{2})(?P<seconds>:[0-9]{2}(?:\.[0-9]+)?)?"
    r" ?(?P<zone>[Zz]|UTC|[+-][0-9]{2}(?::?[0-9]{2})?)?)?"
)

_BLANK = r"[\s\x00-\x1f\x7f-\xa0\xad\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]"
_SIGN = r"[=+\-@＝＋－＠﹦﹢﹣﹫]"
# As in `export_formats`, with apostrophes among what may stand before the sign: so one more of them can be taken away
# again, and a text that begins with one of its own is told from it.
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
"""Texts that spreadsheets take for dates, times, amounts and errors, and from which nobody can tell what they were.

Dates and times of ISO 8601 are not among them, nor what looks like a number: `plain_form` knows those again.
"""
_ISO_DATE = r"[0-9]{4}-[0-9]{2}-[0-9]{2}"
_COULD_CHANGE = rf"'*(?:[\t\r\n]|(?!{_ISO_DATE}\Z)\s*(?i:{_RETYPED})\s*\Z)"
_FORMULA = re.compile(rf"\A(?={_COULD_CHANGE})|{_START}(?={_COULD_RUN})")
_DEFUSED = re.compile(rf"\A'(?={_COULD_CHANGE})|{_START}'(?={_COULD_RUN})")
_NUMERIC_ID = re.compile(rf"'*(?!-?(?:0|[1-9][0-9]{{0,{_DIGITS - 1}}})\Z)[0-9]*[.,]?[0-9]+(?:[eE][+-]?[0-9]+)?")
"""Ids that look like a number, and would not come back as they are."""
_PICTURES = {code: 0x2400 + code for code in range(0x20) if chr(code) not in "\t\r\n"} | {0x7F: 0x2421}
_CONTROLS = {picture: code for code, picture in _PICTURES.items()}
_FORMULA_INSIDE = re.compile(rf"(;{_BLANK}*)({_SIGN})")


def cell_text(value: Json | Absent) -> str:
    """What `export --for-edit` writes for the value; "" for null, "" and absent alike.

    A text that a spreadsheet could run as a formula gets an apostrophe in front of what it would run, and one that it
    would take for a date or an amount gets one too. So does a text that begins with apostrophes of its own and then
    like one of these: `fused_again` gives all of them back to the letter. Control characters are pictures.
    """
    match value:
        case None | Absent():
            return ""
        case str():
            return _FORMULA.sub("'", with_pictures(value))
        case Number():
            return value.text
        case bool():
            return dumps(value)
    # Inside JSON the sign can be escaped, which changes nothing.
    return _FORMULA_INSIDE.sub(lambda match: f"{match[1]}\\u{ord(match[2]):04x}", dumps(value))


def with_pictures(text: str) -> str:
    """The text with pictures (`␛`) for control characters, which no spreadsheet can hold; tabs and line ends stay."""
    return text if text.isprintable() else text.translate(_PICTURES)


def without_pictures(text: str) -> str:
    """The text with the control characters in place of their pictures."""
    return text.translate(_CONTROLS)


def fused_again(text: str) -> str:
    """The text without the apostrophes that `cell_text` put into it."""
    return _DEFUSED.sub("", text) if "'" in text else text


def id_text(value: Json | Absent) -> str:
    """What `export --for-edit` writes for an id: a text like `007` gets an apostrophe, so that it stays what it is."""
    text = cell_text(value)
    return f"'{text}" if isinstance(value, str) and _NUMERIC_ID.fullmatch(text) else text


def read_id(text: str) -> str:
    """The id that a cell names, without the apostrophes of `id_text`."""
    return text[1:] if text.startswith("'") and _NUMERIC_ID.fullmatch(text) else fused_again(text)


def plain_form(text: str, *, decimal_comma: bool = False) -> str:
    """The form in which texts of cells are compared; "" for an empty one.

    Numbers are alike at 15 digits, times where they name the same moment (a time without a zone is in UTC, a date its
    first moment), JSON objects and arrays whatever the order of names and the form of their numbers.
    """
    if not text or text.isspace():
        # Blanks alone can't be told from nothing by those who see the table.
        return ""
    if (value := structure(text)) is not None:
        return f"json {_plain_json(value)}"
    written = text.replace("\r\n", "\n").replace("\r", "\n")
    text = _half_characters_escaped(fused_again(with_pictures(written)))
    stripped = text.strip()
    # A text with an apostrophe is as it was exported: no program has put a comma into it.
    decimal_comma = decimal_comma and "'" not in written
    if (number := _plain_number(stripped, decimal_comma)) is not None:
        return f"number {number}"
    if (flag := _FLAGS.get(stripped.casefold())) is not None:
        return f"flag {flag}"
    if (moment := read_moment(stripped)) is not None:
        return f"time {moment.isoformat()}"
    return f"text {text}"


def structure(text: str) -> Json | None:
    """The JSON object or array that the text is; None for anything else."""
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


def json_number(text: str, *, decimal_comma: bool = False) -> str | None:
    """The number that a text is, as JSON writes it and with every digit of it; None where it is none.

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


def counts_to_the_digit(number: str) -> bool:
    """Whether no spreadsheet has written the number: it is whole and has more digits than they keep, or is too large.

    In the last two of 17 digits of a fraction pandas errs, so that they say nothing.
    """
    match = _NUMBER.fullmatch(number)
    if match is None:
        return False
    digits, power = _digits_and_power(match)
    kept = _DIGITS if number.lstrip("-").isdigit() else _FLOAT_DIGITS
    return len(digits) > kept or (digits != "" and not _SMALLEST <= power + len(digits) - 1 <= _LARGEST)


def written_by_program(number: str, held: str) -> bool:
    """Whether a number is what programs that keep more digits make of `held`: all of them, or those of 64 bits."""
    value, wanted = Number(held).decimal, Number(number).decimal
    if value is None or wanted is None:
        return number == held
    nearest = float(value)
    return wanted == value or (
        isfinite(nearest)
        and any(
            wanted == written
            for short in (repr(nearest), f"{nearest:.17g}", f"{nearest:.16g}")
            for written in (Decimal(short), Decimal(float(short)))
        )
    )


def shortened_for_show(text: str, held: str) -> bool:
    """Whether a text is `held` with the few digits that a spreadsheet shows of a long number, and so saves as CSV.

    Excel writes `1.23457E+11` for 123456789012, LibreOffice `5.01E-08` for 5.00942E-08.
    """
    if not _SHORT.fullmatch(text):
        return False
    short, value = Decimal(text.replace(",", ".")), Number(held).decimal
    return value is not None and Context(prec=len(short.as_tuple().digits), rounding=ROUND_HALF_UP).plus(value) == short


def read_moment(text: str) -> datetime | None:
    """The moment in UTC of a time or a date as spreadsheets, pandas and the service write them; None for others."""
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
    """One text for all that are the same number at 15 digits, such as `239e-1`; None where it is no number."""
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
        digits, power = digits_and_power_of(rounded)
    return f"{sign}{digits}e{power}"


def digits_and_power_of(number: Decimal) -> tuple[str, int]:
    """Return the digits of `number` without zeros at the end, and the power of ten of the last one."""
    _, kept, power = number.as_tuple()
    digits = "".join(map(str, kept))
    shortened = digits.rstrip("0")
    return shortened, int(power) + len(digits) - len(shortened)


def _digits_and_power(match: re.Match[str]) -> tuple[str, int]:
    """The digits from the first to the last that is not 0 ("" for zero), and the power of ten of the last one."""
    _, whole, fraction, bare_fraction, exponent = match.groups()
    fraction = fraction or bare_fraction or ""
    digits = ((whole or "") + fraction).lstrip("0")
    written = len(digits)
    digits = digits.rstrip("0")
    # Exponents of more digits than this are beyond every number, and long to read.
    sign, size = (exponent or "0").startswith("-"), (exponent or "0").lstrip("+-").lstrip("0") or "0"
    power = int(size) if len(size) < 9 else 10**9
    return digits, (-power if sign else power) - len(fraction) + written - len(digits)


def _plain_json(value: Json) -> str:
    match value:
        case Number():
            # No spreadsheet looks into JSON: its numbers count to the digit.
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


def _half_characters_escaped(text: str) -> str:
    """Half a character stands in a file as the escape that `encode_utf8` writes for it."""
    return text if text.isascii() else text.encode("utf-8", "backslashreplace").decode()
