"""How the numbers of a table are written: with a decimal point or a decimal comma, as far as its cells tell.

`1.234` is one and a bit, or, where the point separates thousands, one thousand two hundred and thirty-four. It is
decided here, once for the whole table, which of its cells are such numbers.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from svc_tui.domain.corrections.cell_text import digits_and_power_of
from svc_tui.domain.corrections.correction import Cell, DecimalMark, NumberCertainty, TypedNumber
from svc_tui.domain.model.absent import Absent
from svc_tui.domain.model.jsontext import Json, Number

_POINTS, _COMMAS = (rf"[+-]?[1-9][0-9]{{0,2}}(?:{mark}[0-9]{{3}})+" for mark in (r"\.", ","))
"""Numbers in groups of three digits."""
_POINT_GROUPS, _COMMA_GROUPS = re.compile(_POINTS), re.compile(_COMMAS)
_POINT_NUMBER = re.compile(rf"(?:[+-]?[0-9]*|{_COMMAS})\.[0-9]+(?:[eE][+-]?[0-9]+)?")
_COMMA_NUMBER = re.compile(rf"(?:[+-]?[0-9]+|{_POINTS}),[0-9]+(?:[eE][+-]?[0-9]+)?")


@dataclass(frozen=True, slots=True)
class NumberFormat:
    """How the numbers of a table are written.

    `comma_shown`: a cell shows a decimal comma; `point_columns`: those in which a cell shows a decimal point.
    `grouped_columns`: those in which a cell holds several points or several commas, which separate thousands there.
    `separator_of_commas`: the cells are separated as in countries with a decimal comma, by semicolons or tabs.
    `chosen` is what a person said.
    """

    comma_shown: bool = False
    point_columns: frozenset[int] = frozenset()
    grouped_columns: frozenset[int] = frozenset()
    separator_of_commas: bool = False
    chosen: DecimalMark | None = None

    @property
    def decimal_comma(self) -> bool:
        """Whether numbers are read with a decimal comma."""
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


def number_format(
    cells: Iterable[tuple[int, str]], *, separator_of_commas: bool, chosen: DecimalMark | None
) -> NumberFormat:
    """Return how the numbers of a table are written; `cells` are those of its fields, each with its column."""
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
    """Return whether `new` is `old` with a point or comma taken for the other: the same digits, 1,000 times as much.

    It can be so only where one of the two is written with groups of three digits behind a point or comma.
    """
    if not (isinstance(new, Number) and isinstance(old, Number)) or cell.certainty is NumberCertainty.CHOSEN:
        return False
    text = cell.text.strip()
    if not (_POINT_GROUPS.fullmatch(text) or _COMMA_GROUPS.fullmatch(text) or _POINT_GROUPS.fullmatch(old.text)):
        return False
    if not new.decimal or not old.decimal or new.decimal.is_signed() != old.decimal.is_signed():
        return False
    (digits, power), (old_digits, old_power) = digits_and_power_of(new.decimal), digits_and_power_of(old.decimal)
    return digits == old_digits and power != old_power and (power - old_power) % 3 == 0
