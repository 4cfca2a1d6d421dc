"""Which cells are nothing but a value as a spreadsheet writes it, and which value a cell means."""

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from svc_tui.core.field_entry import ValueProblem
from svc_tui.core.jsontext import ABSENT, Absent, Json, Number
from svc_tui.core.kinds import Kind
from svc_tui.plans.cell_text import format_cell, to_plain_form, unescape_text, with_control_pictures
from svc_tui.plans.cells import Cell, is_same_value, read_cell

N = Number
LONG = "12345678901234567890"


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("", None),
        ("", ""),
        ("", ABSENT),
        (" ", "  "),
        ("12", N("12")),
        ("12.0", N("12")),
        ("1.2E+01", N("12")),
        ("0.1", N("0.10")),
        (".5", N("0.5")),
        ("1,234.50", N("1234.5")),
        ("1.23456789012346E+19", N(LONG)),
        ("1.2345678901234567e+19", N(LONG)),
        ("1.23457E+11", N("123456789012")),
        ("1,23457E+11", "123456789012"),
        ("5.01E-08", N("5.00942262496687e-08")),
        ("8549.63892925871", N("8549.638929258705")),
        ("6.56281433702558E+24", N("6562814337025574767197956")),
        ("8.99174267083785E+16", N("89917426708378551")),
        ("12345678901234567168", N(LONG)),
        ("12345678901234569216", N(LONG)),
        ("1.23456789012346E+15", N("1234567890123456")),
        ("1234567890123460", N("1234567890123456")),
        ("0.30000000000000004", N("0.3")),
        ("inf", N("1e400")),
        ("1e400", N("1e400")),
        ("0.0", N("1e-400")),
        ("-0.0", N("0")),
        ("7", "007"),
        ("100000.0", "1e5"),
        ("'007", "'007"),
        ("TRUE", True),
        ("True", True),
        ("FALSCH", False),
        ("TRUE", "true"),
        ("2026-11-20 05:12:00", "2026-11-20T05:12:00Z"),
        ("2026-11-20 05:12:00+00:00", "2026-11-20T05:12:00Z"),
        ("2026-11-20T06:12:00+01:00", "2026-11-20T05:12:00.000Z"),
        ("2026-11-20 05:12", "2026-11-20T05:12:00Z"),
        ("20.11.2026 05:12", "2026-11-20T05:12:00Z"),
        ("2026-11-20 00:00:00", "2026-11-20"),
        ("20.11.2026", "2026-11-20"),
        ('{"b": 2, "a": 1.5}', {"a": N("1.50"), "b": N("2")}),
        ("[1, 2]", [N("1"), N("2.0")]),
        ("a\nb", "a\r\nb"),
        ("'=1+1", "=1+1"),
        ("=1+1", "=1+1"),
        ("''=1+1", "'=1+1"),
        ("'=1+1", "'=1+1"),
        ("x;'=1", "x;=1"),
        ("'-5", "-5"),
        ("-5", "-5"),
        ("NA", "NA"),
        ("\\ud83d!", "\ud83d!"),
        ("␛[1m␀", "\x1b[1m\0"),
    ],
)
def test_what_a_spreadsheet_writes_back_is_no_change(text: str, value: Json | Absent) -> None:
    assert is_same_value(Cell(text), value)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("x", None),
        ("x", "X"),
        ("abc ", "abc"),
        ("13", N("12")),
        ("-12", N("12")),
        ("1.23458E+19", N(LONG)),
        ("1.23457e+19", N(LONG)),
        (LONG[:-1] + "1", N(LONG)),
        (LONG[:-1] + "1", LONG),
        ("1e401", N("1e400")),
        ("1234567890123457", N("1234567890123456")),
        ("1234567890123457", "1234567890123456"),
        ("false", True),
        ("2026-11-20T05:12:01Z", "2026-11-20T05:12:00Z"),
        ("2026-11-20 05:12:00+01:00", "2026-11-20T05:12:00Z"),
        ('{"a": 1}', {"a": N("1"), "b": None}),
        ("[2, 1]", [N("1"), N("2")]),
        ("[12345678901234567891]", [N(LONG)]),
        ("=1+2", "=1+1"),
        ("'=1+1", "''=1+1"),
        ("NA", None),
    ],
)
def test_what_somebody_changed_is_a_change(text: str, value: Json | Absent) -> None:
    assert not is_same_value(Cell(text), value)


def test_a_decimal_comma_counts_where_the_table_has_one() -> None:
    assert is_same_value(Cell("23,9", decimal_comma=True), N("23.90"))
    assert not is_same_value(Cell("23,9"), N("23.9"))
    assert is_same_value(Cell("23,9"), "23,9")
    assert is_same_value(Cell("23,9", decimal_comma=True), "23,9")


TEXTS = st.text(st.sampled_from("=+-@'\";\t\r\n ＝\u200bab1"), max_size=10) | st.text(max_size=6)
VALUES: st.SearchStrategy[Json] = st.recursive(
    st.none()
    | st.booleans()
    | TEXTS
    | st.integers().map(lambda n: N(str(n)))
    | st.from_regex(r"-?(0|[1-9][0-9]{0,20})(\.[0-9]{1,20})?([eE][+-]?[0-9]{1,4})?", fullmatch=True).map(
        lambda text: N(text.replace("\n", ""))
    ),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=5,
)


@given(VALUES)
def test_what_the_export_writes_is_alike_and_alone_in_its_form(value: Json) -> None:
    text = format_cell(value)
    assert is_same_value(Cell(text), value)
    assert to_plain_form(text) == to_plain_form(text.replace("\r\n", "\n"))


@given(TEXTS)
def test_an_apostrophe_in_front_of_a_formula_is_taken_away_again(text: str) -> None:
    cell = format_cell(text)
    assert unescape_text(cell) == with_control_pictures(text)
    if text.strip(" \"'").startswith(("=", "+", "-", "@")):
        assert cell.startswith("'")
    assert not cell.lstrip().startswith(("=", "+", "-", "@"))


@pytest.mark.parametrize(
    "text",
    ["3/4", "1-2", "2026-11", "20.11.26", "05:12", "11pm", "MAR1", "mar/0", "2 Nov", "5%", "$5", "1,5", "12-", "#N/A"],
)
def test_a_text_that_a_spreadsheet_would_retype_gets_an_apostrophe_too(text: str) -> None:
    for value in (text, f"'{text}"):
        assert format_cell(value) == f"'{value}"
        assert unescape_text(f"'{value}") == value


@pytest.mark.parametrize(
    "text", ["lot-0001", "A-1", "007", "1e5", "2026-11-20", "2026-11-20T05:12:00Z", "yes", "march on"]
)
def test_other_texts_stand_as_they_are(text: str) -> None:
    assert format_cell(text) == text


# What a cell means


@pytest.mark.parametrize(
    ("text", "kind", "old", "value"),
    [
        ("23.90", Kind.NUMBER, N("1"), N("23.90")),
        (LONG, Kind.NUMBER, ABSENT, N(LONG)),
        (" +5 ", Kind.NUMBER, ABSENT, N("5")),
        ("1.2E+01", Kind.NUMBER, N("3"), N("1.2E+01")),
        ("13.0", Kind.NUMBER, N("12"), N("13")),
        ("13.0", Kind.NUMBER, N("12.5"), N("13.0")),
        ("'-5", Kind.NUMBER, N("5"), N("-5")),
        ("7", Kind.TEXT, N("5"), N("7")),
        ("007", Kind.TEXT, "005", "007"),
        ("007", Kind.NUMBER, "x", "007"),
        ("TRUE", Kind.TEXT, "x", "TRUE"),
        ("1.50", Kind.CHOICE, "A", "1.50"),
        ("'=1+1", Kind.TEXT, "x", "=1+1"),
        (" x ", Kind.TEXT, "x", " x "),
        ("", Kind.TEXT, "x", ""),
        ("␛[2m␡", Kind.TEXT, "\x1b[1m", "\x1b[2m\x7f"),
        ("␛", Kind.TEXT, "x", "␛"),
        ("True", Kind.FLAG, False, True),
        ("0", Kind.FLAG, True, False),
        ("1.0", Kind.FLAG, False, True),
        ("yes", Kind.FLAG, False, True),
        ("WAHR", Kind.FLAG, ABSENT, True),
        ("2026-11-20T05:12:00+01:00", Kind.TIME, "2026-01-01T00:00:00Z", "2026-11-20T05:12:00+01:00"),
        ("2026-11-20 05:12", Kind.TIME, "2026-01-01T00:00:00Z", "2026-11-20T05:12:00Z"),
        ("2026-11-20 05:12:00.25", Kind.TIME, None, "2026-11-20T05:12:00.250000Z"),
        ("2026-11-20 06:12:00+01:00", Kind.TIME, None, "2026-11-20T05:12:00Z"),
        ("2026-11-20 00:00:00", Kind.TIME, "2026-01-01", "2026-11-20"),
        ("20.11.2026", Kind.TIME, "2026-01-01", "2026-11-20"),
        ("2026-11-20", Kind.TIME, "2026-01-01T00:00:00Z", "2026-11-20T00:00:00Z"),
        ("2026-11-20", Kind.TIME, ABSENT, "2026-11-20"),
        ("soon", Kind.TIME, "later", "soon"),
        ('{"a": 1.50}', Kind.OBJECT, ABSENT, {"a": N("1.50")}),
        ("[1]", Kind.NULL, [N("2")], [N("1")]),
        ("lot-1", Kind.REFERENCE, "lot-2", "lot-1"),
        ("12", Kind.REFERENCE, N("11"), N("12")),
        ("12", Kind.REFERENCE, "11", "12"),
        ("12", Kind.NULL, None, N("12")),
        ("012", Kind.NULL, None, "012"),
        ("TRUE", Kind.NULL, ABSENT, True),
        ("[1]", Kind.NULL, None, [N("1")]),
        ("'=x", Kind.NULL, None, "=x"),
    ],
)
def test_a_cell_is_read_as_the_kind_that_the_field_holds(
    text: str, kind: Kind, old: Json | Absent, value: Json
) -> None:
    assert read_cell(Cell(text), kind, old) == value


def test_a_decimal_comma_is_read() -> None:
    assert read_cell(Cell("-23,90", decimal_comma=True), Kind.NUMBER) == N("-23.90")
    assert read_cell(Cell("23,9", decimal_comma=True), Kind.TEXT, "x") == "23,9"
    assert read_cell(Cell("23,9", decimal_comma=True), Kind.NULL) == N("23.9")


@pytest.mark.parametrize("kind", Kind)
def test_a_cell_is_read_by_each_kind_or_refused(kind: Kind) -> None:
    with suppress(ValueProblem):
        assert read_cell(Cell("x"), kind) == "x"


@pytest.mark.parametrize("kind", Kind)
def test_a_word_for_null_or_the_empty_text_counts_for_every_kind(kind: Kind) -> None:
    assert read_cell(Cell("(null)", meaning=None), kind, N("1")) is None
    assert read_cell(Cell("(empty)", meaning=""), kind, N("1")) == ""


@pytest.mark.parametrize(
    ("text", "kind", "message"),
    [
        ("abc", Kind.NUMBER, "“abc” is not a number. Examples: -12.50, 1e6."),
        ("23,9", Kind.NUMBER, "“23,9” is not a number. Write it with a decimal point: 23.9."),
        ("3.215,57", Kind.NUMBER, "“3.215,57” is not a number. Write it with a decimal point: 3215.57."),
        ("maybe", Kind.FLAG, "“maybe” is neither true nor false."),
        ("11/20/2026", Kind.TIME, "“11/20/2026” is not a time. Example: 2026-11-20T05:12:00Z."),
        ("{", Kind.OBJECT, "Not valid JSON: "),
        ("[1]", Kind.OBJECT, "Enter a JSON object, in { and }."),
        ("{}", Kind.LIST, "Enter a JSON array, in [ and ]."),
    ],
)
def test_what_is_no_value_of_its_kind_is_told_in_a_sentence(text: str, kind: Kind, message: str) -> None:
    with pytest.raises(ValueProblem) as caught:
        read_cell(Cell(text), kind)
    assert str(caught.value).startswith(message)


@given(VALUES)
def test_a_cell_of_the_export_is_read_as_the_value(value: Json) -> None:
    if value is None or (isinstance(value, str) and value != value.encode("utf-8", "replace").decode()):
        return
    assert read_cell(Cell(format_cell(value)), Kind.TEXT, value) == value or isinstance(value, Number)
