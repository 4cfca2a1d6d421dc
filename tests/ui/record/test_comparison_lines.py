"""A compared field on one line: its mark, and what differs between its two values in view."""

import pytest
from textual.content import Content

from svc_tui.core.jsontext import Json, to_plain
from svc_tui.core.kinds import MASKED, Kind, kind_of
from svc_tui.core.record_comparison import compare_records
from svc_tui.ui.record.comparison import ComparisonColumns, comparison_line
from svc_tui.ui.terminal.ascii_fallback import to_ascii
from svc_tui.ui.widgets.record.field_lines import ValueFormat


def lines(left: object, right: object, cells: int = 60, unknown: tuple[str, ...] = ()) -> list[Content]:
    """The lines of two records' fields."""
    one, other = to_plain(left), to_plain(right)
    assert isinstance(one, dict)
    assert isinstance(other, dict)
    comparison = compare_records(one, other, unknown)
    seen: dict[str, Json] = {**other, **one}

    def kind(name: str) -> Kind:
        return kind_of(name, [seen[name]])

    columns = ComparisonColumns.of(comparison, cells)
    return [comparison_line(field, one, other, ValueFormat(kind), columns) for field in comparison.fields]


def words(left: object, right: object, cells: int = 60) -> list[list[str]]:
    return [line.plain.split() for line in lines(left, right, cells)]


def test_each_kind_of_difference_has_a_mark_that_ascii_has_too() -> None:
    assert words({"a": 1, "b": 2, "c": "x"}, {"a": 1, "b": 3, "d": True}) == [
        ["a", "1", "1"],
        ["≠", "b", "2", "3"],
        ["-", "c", "x", "not", "set"],
        ["+", "d", "not", "set", "✓", "yes"],
    ]
    assert to_ascii("≠") == "!"


@pytest.mark.parametrize("cells", [20, 40, 74, 114])
def test_every_line_has_exactly_the_cells_there_are(cells: int) -> None:
    long = "very long words " * 20
    told = lines({"a" * 90: long, "b": "矿石" * 40, "c": [1, 2]}, {"a" * 90: long + "x", "b": "矿", "c": [1]}, cells)
    assert {line.cell_length for line in told} == {cells}


def test_what_is_shown_alike_and_differs_is_shown_as_it_came() -> None:
    (line,) = lines({"at": "2026-11-20T05:12:01Z"}, {"at": "2026-11-20T05:12:59Z"}, 80)
    assert "05:12:01Z" in line.plain
    assert "05:12:59Z" in line.plain
    assert words({"a": "1"}, {"a": 1}) == [["≠", "a", '"1"', "1"]]


def test_what_is_hidden_stays_hidden_though_it_differs() -> None:
    comparison = compare_records({"email": "a@x.org"}, {"email": "b@x.org"})
    columns = ComparisonColumns.of(comparison, 60)
    hidden: dict[str, Json] = {"email": MASKED}
    line = comparison_line(comparison.fields[0], hidden, hidden, ValueFormat(lambda _: Kind.TEXT), columns)
    assert line.plain.split() == ["≠", "email", MASKED, MASKED]


def test_a_difference_beyond_the_cell_is_brought_into_view() -> None:
    same = "the same words " * 10
    (line,) = lines({"note": f"{same}left end"}, {"note": f"{same}right end"})
    assert "left end" in line.plain
    assert "right end" in line.plain
    assert line.plain.count("…") == 2
    emphasised = [line.plain[span.start : span.end] for span in line.spans if "underline" in str(span.style)]
    assert emphasised == ["lef", "righ"]


def test_a_field_that_nobody_knows_of_is_no_difference() -> None:
    (line,) = lines({"a": 1}, {"a": 1}, unknown=("a",))
    assert line.plain.split() == ["?", "a", "not", "recorded", "1"]


def test_text_from_outside_is_harmless() -> None:
    (line,) = lines({"a[/x]\x1b": "\x1b[31m[/x]"}, {"a[/x]\x1b": "\x07"}, 80)
    assert "\x1b" not in line.plain
    assert "\x07" not in line.plain
    assert "␛[31m[/x]" in line.plain
