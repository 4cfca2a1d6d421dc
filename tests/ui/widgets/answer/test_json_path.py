"""Paths into JSON: what they find, how many, by which digits, and what is said of one that can't be understood."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from svc_tui.core.indented_json import path_on, value_on
from svc_tui.core.jsontext import MAX_DEPTH, Json, dumps, loads, to_plain
from svc_tui.ui.widgets.answer.json_path import PathError, PathMatches, apply_path

LOTS = loads(
    """{"items": [
        {"id": "lot-1", "grade": "A", "massKg": 1.50, "assay": {"au": 12345678901234567.10}, "tags": ["x", "[]"]},
        {"id": "lot-2", "grade": "B", "massKg": 90071992547409931, "open": false},
        {"id": "lot-3", "grade": null, "massKg": 1e400, "note": "it's"}
    ], "meta": {"total": 3, "two words": "yes"}}"""
)


@pytest.mark.parametrize(
    ("path", "text", "count"),
    [
        ("$", dumps(LOTS), 1),
        ("$.items[0].massKg", "1.50", 1),
        ("$.items[-1].id", '"lot-3"', 1),
        ("items[0].id", '"lot-1"', 1),
        (".items[].id", '["lot-1","lot-2","lot-3"]', 3),
        ("$.items[*].massKg", "[1.50,90071992547409931,1e400]", 3),
        ("$..au", "[12345678901234567.10]", 1),
        ("$.items[?@.grade=='B'].id", '["lot-2"]', 1),
        ("$.items[?@.open==false].id", '["lot-2"]', 1),
        ("$.items[?@.grade==null].id", '["lot-3"]', 1),
        ("$.items[?@.note].id", '["lot-3"]', 1),
        ("$.items[?@.tags[1]=='[]'].id", '["lot-1"]', 1),
        ("$.items[?search(@.id, '[23]$')].id", '["lot-2","lot-3"]', 2),
        ("$.items[?length(@.tags)==2].id", '["lot-1"]', 1),
        ("$.meta['two words']", '"yes"', 1),
        ("$.meta.nothing", "[]", 0),
        ("$.items[?@.grade=='Z']", "[]", 0),
    ],
)
def test_a_path_finds_values_with_their_digits(path: str, text: str, count: int) -> None:
    found = apply_path(LOTS, path)
    assert (dumps(found.value), found.count) == (text, count)


@pytest.mark.parametrize(
    ("wanted", "ids"),
    [
        ("@.massKg == 1.5", ["lot-1"]),
        ("@.massKg == 90071992547409931", ["lot-2"]),
        # Rounded to a binary fraction, both would be the same number.
        ("@.massKg == 90071992547409930", []),
        ("@.massKg > 90071992547409930", ["lot-2", "lot-3"]),
        ("@.massKg >= 1.500 && @.massKg < 2", ["lot-1"]),
        ("@.assay.au == 12345678901234567.1", ["lot-1"]),
        ("@.massKg in [1.5, 7]", ["lot-1"]),
        ("@.assay == $.items[0].assay", ["lot-1"]),
        ("@.massKg == '1.50'", []),
        ("@.open == 0", []),
    ],
)
def test_numbers_are_compared_by_every_digit(wanted: str, ids: list[str]) -> None:
    assert apply_path(LOTS, f"$.items[?{wanted}].id").value == ids


@pytest.mark.parametrize(
    ("path", "column", "words"),
    [
        ("$.", 3, "expected a name"),
        ("$.items[0", 10, "unexpected end"),
        ("$.items[?@.a=", 13, "unexpected token '='"),
        ("$.items[?foo(@.a)]", 10, "function 'foo' is not defined"),
        ("$.items[?match(@.a)]", 10, "match() requires 2 arguments"),
        ("$.items[1:2:3:4]", 14, "expected comma, found colon"),
        (".items[].tags[].a b", 19, "unexpected token 'b'"),
        ("$.items[?@.a =~ /(/]", 21, "invalid regular expression"),
        ("$.items[99999999999999999999]", 9, "index out of range"),
        ("$[?@..a == 1]", 0, "a path that is compared must lead to one value"),
        ("$.items[?'a']", 0, "a filter must compare the value with something"),
        ("$.items[?match(@, @.*)]", 0, "match() argument 1 has the wrong type"),
        ("$[?" * 900, 1, ""),
        ("§§[", 4, ""),
    ],
)
def test_a_mistake_is_told_with_its_column(path: str, column: int, words: str) -> None:
    with pytest.raises(PathError) as raised:
        apply_path(LOTS, path)
    assert words in raised.value.reason
    assert "TOKEN" not in str(raised.value)
    if words and column:
        assert raised.value.column == column
        assert str(raised.value).startswith(f"column {column}: ")


@pytest.mark.parametrize("text", ['"[1]"', "7", "null"])
def test_in_a_plain_value_there_is_nothing_to_find(text: str) -> None:
    with pytest.raises(PathError, match="a single value"):
        apply_path(loads(text), "$[0]")


def test_the_deepest_json_is_searched_to_its_end() -> None:
    deepest = loads("[" * MAX_DEPTH + "7" + "]" * MAX_DEPTH)
    assert apply_path(deepest, "$..[?@ == 7]") == PathMatches([loads("7")], 1)


NESTED = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=10,
)


@given(st.lists(NESTED, min_size=1, max_size=4) | st.dictionaries(st.text(max_size=4), NESTED, min_size=1, max_size=4))
def test_the_path_of_a_line_finds_the_value_of_that_line(made: object) -> None:
    value: Json = to_plain(made)
    text = dumps(value, indent=2)
    at = 0
    for row in text.split("\n"):
        assert apply_path(value, path_on(text, at)) == PathMatches(value_on(text, at), 1)
        at += len(row) + 1
