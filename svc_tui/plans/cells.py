"""Cells of a table: which value each one means for a field, and where a spreadsheet may have changed it.

The texts themselves, and the form in which they are compared, are in `cell_text`.
"""

import re
from collections.abc import Iterable
from datetime import datetime, time
from decimal import Decimal
from enum import Enum, StrEnum

from msgspec import Struct

from svc_tui.core.field_entry import ValueProblem, entry_of
from svc_tui.core.jsontext import ABSENT, Absent, Json, Number
from svc_tui.core.kinds import Kind, kind_of_value
from svc_tui.core.times import parse_time
from svc_tui.core.values import replace
from svc_tui.plans.cell_text import (
    format_cell,
    is_beyond_spreadsheets,
    is_shortened,
    is_written_by_program,
    parse_moment,
    parse_structure,
    split_digits,
    to_json_number,
    to_plain_form,
    unescape_text,
    with_control_pictures,
    with_decimal_point,
    without_control_pictures,
)


class DecimalMark(StrEnum):
    """The character before the decimals of a number; the values are those of `plan --decimal`."""

    COMMA = "comma"
    POINT = "point"


class NumberCertainty(Enum):
    """The certainty about the number that a cell means."""

    ASSUMED = "read like the other numbers in the table"
    AMBIGUOUS = "its point or comma may separate thousands"
    CHOSEN = "decimal separator set by the user"


class TypedNumber(str):
    """The text of a cell that a spreadsheet holds as a number: its point is a decimal point."""

    __slots__ = ()


class Cell(Struct, frozen=True):
    """The text in a cell of a table, which has no type: `7` may be a number or a text.

    `decimal_comma`: numbers are read with a decimal comma (`23,9`). `meaning` is null or "" if the text is one of the
    `ValueWords`, else absent.
    """

    text: str
    decimal_comma: bool = False
    meaning: Json | Absent = ABSENT
    certainty: NumberCertainty = NumberCertainty.ASSUMED


_DATE_LENGTH = len("2026-11-20")
_FRACTION_OF_NOTHING = re.compile(r"\.0+\Z")


def is_same_value(cell: Cell, value: Json | Absent) -> bool:
    """Return True if the cell is the value as a spreadsheet or pandas would write it back, by `to_plain_form`.

    null, "" and absent match an empty cell. A number with more digits than a spreadsheet keeps matches only what
    programs with 64 bits write for the value, since any other was typed. One with the few digits that a spreadsheet
    shows of the value matches.
    """
    if isinstance(value, str) and cell.text == value:
        return True
    exported = format_cell(value)
    if cell.certainty is NumberCertainty.AMBIGUOUS and not cell.decimal_comma and cell.text.strip() != exported:
        return False
    old_number = to_json_number(unescape_text(exported).strip())
    if old_number is not None and is_shortened(cell.text.strip(), old_number):
        return True
    if to_plain_form(cell.text, decimal_comma=cell.decimal_comma) != to_plain_form(exported):
        return False
    number = to_json_number(unescape_text(cell.text).strip(), decimal_comma=cell.decimal_comma)
    return number is None or not is_beyond_spreadsheets(number) or is_written_by_program(number, old_number or "0")


def read_cell(cell: Cell, kind: Kind, old: Json | Absent = ABSENT) -> Json:
    """Return the value of the cell for a field of that kind with the `old` value; raises ValueProblem.

    The kind of the old value counts first: a field that holds a text gets a text, `007` too. For a new record, `old`
    can be the value of another one. Numbers keep every digit that was typed; `13.0` for an old whole number is 13,
    since programs write it so. A time is written like the service writes times, in UTC if the cell has no zone. An
    empty cell, which leaves a field alone, is read as "".
    """
    if not isinstance(cell.meaning, Absent):
        return cell.meaning
    own = kind_of_value(old)
    if own is Kind.NULL or old == "":
        own = kind
    match own:
        case Kind.OBJECT | Kind.LIST:
            return entry_of(own).read(cell.text)
        case Kind.NUMBER:
            return _number(cell, old)
        case Kind.FLAG:
            return _flag(cell)
        case Kind.TIME if kind in (Kind.TIME, Kind.NULL):
            return _time(cell, old)
        case Kind.REFERENCE | Kind.ID if isinstance(old, Number):
            return _number(cell, old)
        case Kind.NULL:
            return _unknown(cell)
        case Kind.TEXT | Kind.CHOICE | Kind.TIME | Kind.REFERENCE | Kind.ID:
            text = unescape_text(cell.text)
            # The export made pictures of control characters.
            return (
                without_control_pictures(text) if isinstance(old, str) and with_control_pictures(old) != old else text
            )


def read_with_each_mark(cell: Cell, kind: Kind, old: Json | Absent) -> dict[DecimalMark, Number]:
    """Return the number of a cell by decimal mark, that of its table first; empty for a cell that is no number."""
    numbers: dict[DecimalMark, Number] = {}
    for decimal_comma in (cell.decimal_comma, not cell.decimal_comma):
        try:
            value = read_cell(replace(cell, decimal_comma=decimal_comma), kind, old)
        except ValueProblem:
            continue
        if isinstance(value, Number):
            numbers[DecimalMark.COMMA if decimal_comma else DecimalMark.POINT] = value
    return numbers


def _number(cell: Cell, old: Json | Absent) -> Json:
    typed = unescape_text(cell.text).strip()
    number = to_json_number(typed, decimal_comma=cell.decimal_comma)
    if number is not None:
        whole = isinstance(old, Number) and old.text.lstrip("-").isdigit()
        return Number(_FRACTION_OF_NOTHING.sub("", number) if whole else number)
    if (with_point := to_json_number(typed, decimal_comma=True)) is not None:
        raise ValueProblem(f"“{typed}” is not a number. Write it with a decimal point: {with_point}.")
    return entry_of(Kind.NUMBER).read(typed)


def _flag(cell: Cell) -> Json:
    form = to_plain_form(cell.text, decimal_comma=cell.decimal_comma)
    match form:
        case "flag True" | "number 1e0":
            return True
        case "flag False" | "number 0":
            return False
    return entry_of(Kind.FLAG).read(unescape_text(cell.text))


def _time(cell: Cell, old: Json | Absent) -> Json:
    typed = unescape_text(cell.text).strip()
    moment = parse_moment(typed)
    if moment is None:
        return entry_of(Kind.TIME).read(typed)
    old_time = old if isinstance(old, str) else ""
    date_only = len(old_time) == _DATE_LENGTH
    if (date_only and moment.time() == time()) or (":" not in typed and (date_only or not old_time)):
        return moment.date().isoformat()
    if parse_time(typed) is not None and typed[10:11] in ("T", "t"):
        return typed
    return moment.replace(tzinfo=None).isoformat("T", "auto" if "." in typed else "seconds") + "Z"


def _unknown(cell: Cell) -> Json:
    """Read a cell of a field of unknown kind: JSON, a number or TRUE as such, any other as text.

    A number with leading zeros is a text: a name, or a code.
    """
    typed = unescape_text(cell.text).strip()
    if (value := parse_structure(cell.text)) is not None:
        return value
    number = to_json_number(typed, decimal_comma=cell.decimal_comma)
    if number is not None and number == with_decimal_point(typed, decimal_comma=cell.decimal_comma):
        return Number(number)
    return {"true": True, "false": False}.get(typed.lower(), unescape_text(cell.text))


# How the numbers of a table are written: with a decimal point or a decimal comma, as far as its cells show.
#
# `1.234` is one and a bit, or, if the point separates thousands, one thousand two hundred and thirty-four. That is
# decided once for all cells of a table.

_POINTS, _COMMAS = (rf"[+-]?[1-9][0-9]{{0,2}}(?:{mark}[0-9]{{3}})+" for mark in (r"\.", ","))
"""Numbers in groups of three digits."""
_POINT_GROUPS, _COMMA_GROUPS = re.compile(_POINTS), re.compile(_COMMAS)
_POINT_NUMBER = re.compile(rf"(?:[+-]?[0-9]*|{_COMMAS})\.[0-9]+(?:[eE][+-]?[0-9]+)?")
_COMMA_NUMBER = re.compile(rf"(?:[+-]?[0-9]+|{_POINTS}),[0-9]+(?:[eE][+-]?[0-9]+)?")


class NumberFormat(Struct, frozen=True):
    """The format of the numbers of a table.

    `comma_shown`: a cell shows a decimal comma; `point_columns`: those in which a cell shows a decimal point.
    `grouped_columns`: those in which a cell has several points or several commas, which separate thousands there.
    `separator_of_commas`: the cells are separated as in countries with a decimal comma, by semicolons or tabs.
    `chosen` is the user's decision.
    """

    comma_shown: bool = False
    point_columns: frozenset[int] = frozenset()
    grouped_columns: frozenset[int] = frozenset()
    separator_of_commas: bool = False
    chosen: DecimalMark | None = None

    @property
    def decimal_comma(self) -> bool:
        """True if numbers are read with a decimal comma."""
        if self.chosen is not None:
            return self.chosen is DecimalMark.COMMA
        return self.separator_of_commas and self.comma_shown and not self.point_columns

    def cell(self, column: int, text: str, meaning: Json | Absent) -> Cell:
        """Return the cell in that column that holds `text`."""
        if isinstance(text, TypedNumber):
            return Cell(str(text), meaning=meaning)
        return Cell(text, self.decimal_comma, meaning, self._certainty(column, text.strip()))

    def _certainty(self, column: int, text: str) -> NumberCertainty:
        if self.chosen is not None:
            return NumberCertainty.CHOSEN
        if _POINT_GROUPS.fullmatch(text):
            pointless = self.separator_of_commas and column not in self.point_columns
            doubted = self.comma_shown or pointless or column in self.grouped_columns
            return NumberCertainty.AMBIGUOUS if doubted else NumberCertainty.ASSUMED
        if _COMMA_GROUPS.fullmatch(text) and (not self.decimal_comma or column in self.grouped_columns):
            return NumberCertainty.AMBIGUOUS
        return NumberCertainty.ASSUMED


def detect_number_format(
    cells: Iterable[tuple[int, str]], *, separator_of_commas: bool, chosen: DecimalMark | None
) -> NumberFormat:
    """Detect the format of the numbers of a table; `cells` are those of its fields, each with its column."""
    comma_shown, point_columns, grouped_columns = False, set[int](), set[int]()
    for column, cell in cells:
        if isinstance(cell, TypedNumber) or not ("," in cell or "." in cell):
            continue
        text = cell.strip()
        if _POINT_NUMBER.fullmatch(text) and not _POINT_GROUPS.fullmatch(text):
            point_columns.add(column)
        elif _COMMA_NUMBER.fullmatch(text) and not _COMMA_GROUPS.fullmatch(text):
            comma_shown = True
        elif (_POINT_GROUPS.fullmatch(text) and text.count(".") > 1) or (
            _COMMA_GROUPS.fullmatch(text) and text.count(",") > 1
        ):
            grouped_columns.add(column)
    return NumberFormat(comma_shown, frozenset(point_columns), frozenset(grouped_columns), separator_of_commas, chosen)


def may_be_misread(cell: Cell, new: Json, old: Json | Absent) -> bool:
    """Return True if `new` may be `old` with point and comma confused: the same digits, 1,000 times as much.

    That needs groups of three digits behind a point or comma in one of the two.
    """
    if not (isinstance(new, Number) and isinstance(old, Number)) or cell.certainty is NumberCertainty.CHOSEN:
        return False
    text = cell.text.strip()
    if not (_POINT_GROUPS.fullmatch(text) or _COMMA_GROUPS.fullmatch(text) or _POINT_GROUPS.fullmatch(old.text)):
        return False
    if not new.decimal or not old.decimal or new.decimal.is_signed() != old.decimal.is_signed():
        return False
    (digits, power), (old_digits, old_power) = split_digits(new.decimal), split_digits(old.decimal)
    return digits == old_digits and power != old_power and (power - old_power) % 3 == 0


# Values that a spreadsheet may have shortened: a time without its clock or seconds, a rounded number


def describe_loss(cell: Cell, old: Json | Absent, new: Json) -> str:
    """Describe what the new value lost if a spreadsheet shortened the old one, in a sentence; "" for nothing."""
    if isinstance(new, str) and isinstance(old, str):
        return _time_loss(cell, old, new)
    if isinstance(new, Number) and isinstance(old, Number) and _is_rounded(old, new):
        return f"{new} is {old} with fewer digits. A spreadsheet may have rounded it."
    return ""


def _time_loss(cell: Cell, old: str, new: str) -> str:
    was, now = parse_time(old), parse_time(new)
    if was is None or now is None or was == now:
        return ""
    if ":" in old and ":" not in cell.text:
        return f"{cell.text} has no time of day and would become {new}."
    if now == _to_the_minute(was):
        return f"{new} is {old} without the seconds. A spreadsheet may have removed them."
    return ""


def _to_the_minute(moment: datetime) -> datetime:
    return moment.replace(second=0, microsecond=0)


def _is_rounded(old: Number, new: Number) -> bool:
    """Return True if the new number is the old one, rounded to fewer digits after the point."""
    was, now = old.decimal, new.decimal
    if was is None or now is None or was == now:
        return False
    lost, kept = _digits_after_point(was), _digits_after_point(now)
    return kept < lost and abs(was - now) * 2 <= Decimal(1).scaleb(-kept)


def _digits_after_point(value: Decimal) -> int:
    exponent = value.as_tuple().exponent
    return max(0, -exponent) if isinstance(exponent, int) else 0
