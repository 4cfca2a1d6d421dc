"""Points and commas that may separate decimals or thousands: which cells are unclear, and what settles them."""

import pytest

from svc_tui.core.jsontext import Number
from svc_tui.plans.cells import Cell, DecimalMark, NumberCertainty, TypedNumber, may_be_misread
from svc_tui.plans.correction_file import ValueWords, read_correction_rows, read_corrections

N = Number


def cells(text: str, decimal: DecimalMark | None = None) -> list[Cell]:
    """The cells of the fields of a file."""
    rows = read_corrections("lots.csv", text.encode(), ValueWords(decimal=decimal)).rows
    found = [cell for row in rows for cell in row.values.values()]
    assert all(isinstance(cell, Cell) for cell in found)
    return found  # type: ignore[return-value]


def unclear(text: str) -> list[str]:
    """The texts of the cells that may be either of two numbers."""
    return [cell.text for cell in cells(text) if cell.certainty is NumberCertainty.AMBIGUOUS]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("id;massKg\n1;3.215,57\n2;1.972\n", ["1.972"]),
        ("id;massKg\n1;1.972\n2;12.004.500\n", ["1.972", "12.004.500"]),
        ("id\tmassKg\n1\t1.972\n", ["1.972"]),
        ("id;massKg\n1;2,5\n2;1.234\n", ["1.234"]),
        ("id;massKg;grade\n1;1.234;2,5\n", ["1.234"]),
        ('id,massKg\n1,"2,5"\n2,1.234\n', ["1.234"]),
        ("id,massKg\n1,2.468\n2,1.234\n", []),
        ("id;massKg\n1;1.972\n2;3215.5\n", []),
        ("id;massKg;grade\n1;1.972;2.5\n", ["1.972"]),
        ("id;massKg\n1;1,972\n", ["1,972"]),
        ("id;massKg\n1;1,972\n2;2,5\n", []),
        ('id,massKg\n1,"1,972"\n', ["1,972"]),
        ("id;massKg\n1;0.972\n2;1972\n3;1.9722\n4;-1.972e3\n", []),
        ("id;massKg\n1;0.972\n2;3.215\n3;1.234.567\n", ["3.215", "1.234.567"]),
        ("id,massKg\n1,3.215\n2,1.234.567\n", ["3.215", "1.234.567"]),
        ("id;massKg\n1;2,5\n2;3,215\n3;1,234,567\n", ["3,215", "1,234,567"]),
        ("id;massKg;grade\n1;0.972;1.234.567\n2;3.215;\n", ["1.234.567"]),
        ("id;massKg\n1;-1.972\n2;+1.972\n", ["-1.972", "+1.972"]),
        ("id|massKg\n1|1.972\n", []),
    ],
)
def test_numbers_that_may_be_two_are_told_by_the_whole_file(text: str, expected: list[str]) -> None:
    assert unclear(text) == expected


def test_a_choice_settles_every_number() -> None:
    text = "id;massKg\n1;3.215,57\n2;1.972\n3;1972\n"
    for mark in DecimalMark:
        read = cells(text, mark)
        assert {cell.certainty for cell in read} == {NumberCertainty.CHOSEN}
        assert {cell.decimal_comma for cell in read} == {mark is DecimalMark.COMMA}


def test_a_number_of_a_spreadsheet_has_its_point() -> None:
    rows = [(1, ["id", "a"]), (2, ["1", TypedNumber("1.972")]), (3, ["2", "1.972"]), (4, ["3", "2,5"])]
    read = read_correction_rows("lots.xlsx", "d", rows, ValueWords()).rows
    assert [row.values["a"].certainty.name for row in read] == ["ASSUMED", "AMBIGUOUS", "ASSUMED"]  # type: ignore[union-attr]
    assert type(read[0].values["a"].text) is str  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("text", "new", "old", "expected"),
    [
        ("1.972", "1.972", "1972", True),
        ("1972", "1972", "1.972", True),
        ("-1.500", "-1.500", "-1500", True),
        ("1.500", "1.500", "1500000", True),
        ("1.500", "1.500", "15", False),
        ("1.972", "1.972", "-1972", False),
        ("1.972", "1.972", "1973", False),
        ("5000", "5000", "5", False),
        ("1.972", "1.972", "1.9720", False),
        ("0", "0", "1.972", False),
    ],
)
def test_the_same_digits_a_thousand_times_as_much_may_be_misread(text: str, new: str, old: str, expected: bool) -> None:
    assert may_be_misread(Cell(text), N(new), N(old)) is expected
    assert not may_be_misread(Cell(text, certainty=NumberCertainty.CHOSEN), N(new), N(old))
