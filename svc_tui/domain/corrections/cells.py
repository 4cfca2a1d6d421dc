"""What a cell of a table means for a field: nothing new, or which value."""

import re
from dataclasses import replace
from datetime import time

from svc_tui.domain.corrections.cell_text import (
    cell_text,
    counts_to_the_digit,
    fused_again,
    json_number,
    plain_form,
    read_moment,
    shortened_for_show,
    structure,
    with_decimal_point,
    with_pictures,
    without_pictures,
    written_by_program,
)
from svc_tui.domain.corrections.correction import Cell, DecimalMark, NumberCertainty
from svc_tui.domain.data.kinds import Kind, kind_of_value
from svc_tui.domain.data.times import parse_time
from svc_tui.domain.editing.field_entry import ValueProblem, entry_of
from svc_tui.domain.model.absent import ABSENT, Absent
from svc_tui.domain.model.jsontext import Json, Number

_DATE_LENGTH = len("2026-11-20")
_FRACTION_OF_NOTHING = re.compile(r"\.0+\Z")


def spelled_alike(cell: Cell, value: Json | Absent) -> bool:
    """Whether the cell is nothing but the value as a spreadsheet or pandas would write it back, by `plain_form`.

    null, "" and absent match an empty cell. A number with more digits than a spreadsheet keeps is compared with those
    that programs of 64 bits make of the value: any other was typed by somebody. One in the few digits that a
    spreadsheet shows of the value is the value.
    """
    if isinstance(value, str) and cell.text == value:
        return True
    exported = cell_text(value)
    if cell.certainty is NumberCertainty.AMBIGUOUS and not cell.decimal_comma and cell.text.strip() != exported:
        return False
    held = json_number(fused_again(exported).strip())
    if held is not None and shortened_for_show(cell.text.strip(), held):
        return True
    if plain_form(cell.text, decimal_comma=cell.decimal_comma) != plain_form(exported):
        return False
    number = json_number(fused_again(cell.text).strip(), decimal_comma=cell.decimal_comma)
    return number is None or not counts_to_the_digit(number) or written_by_program(number, held or "0")


def read_cell(cell: Cell, kind: Kind, old: Json | Absent = ABSENT) -> Json:
    """The value that the cell means for a field of that kind, where `old` is the value it has; raises ValueProblem.

    The kind of the old value counts first: a field that holds a text gets a text, `007` too. For a new record, a value
    that the field has in another one does in its place. Numbers keep every digit that was typed; `13.0` where a whole
    number stood is 13, since programs write so. A time is written as the service writes times, in UTC where the cell
    tells no zone. An empty cell, which leaves a field alone, is read as "".
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
    text = fused_again(cell.text)
    # Pictures stand for control characters where the export has made them of some.
    return without_pictures(text) if isinstance(old, str) and with_pictures(old) != old else text


def number_readings(cell: Cell, kind: Kind, old: Json | Absent) -> dict[DecimalMark, Number]:
    """Return the number that a cell is with each decimal mark, that of its table first; none where it is no number."""
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
    typed = fused_again(cell.text).strip()
    number = json_number(typed, decimal_comma=cell.decimal_comma)
    if number is not None:
        whole = isinstance(old, Number) and old.text.lstrip("-").isdigit()
        return Number(_FRACTION_OF_NOTHING.sub("", number) if whole else number)
    if (with_point := json_number(typed, decimal_comma=True)) is not None:
        raise ValueProblem(f"“{typed}” is not a number. Write it with a decimal point: {with_point}.")
    return entry_of(Kind.NUMBER).read(typed)


def _flag(cell: Cell) -> Json:
    form = plain_form(cell.text, decimal_comma=cell.decimal_comma)
    match form:
        case "flag True" | "number 1e0":
            return True
        case "flag False" | "number 0":
            return False
    return entry_of(Kind.FLAG).read(fused_again(cell.text))


def _time(cell: Cell, old: Json | Absent) -> Json:
    typed = fused_again(cell.text).strip()
    moment = read_moment(typed)
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
    """Where nothing but null was seen: what looks like JSON is that, also a number or TRUE; others are texts.

    A number with zeros in front is a text: it is a name, or a code.
    """
    typed = fused_again(cell.text).strip()
    if (value := structure(cell.text)) is not None:
        return value
    number = json_number(typed, decimal_comma=cell.decimal_comma)
    if number is not None and number == with_decimal_point(typed, decimal_comma=cell.decimal_comma):
        return Number(number)
    return {"true": True, "false": False}.get(typed.lower(), fused_again(cell.text))
