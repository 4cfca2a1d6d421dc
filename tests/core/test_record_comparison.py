"""Two records field by field: which fields there are, what became of each, and where each stands on both sides."""

from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from svc_tui.core.differences import DifferenceKind
from svc_tui.core.jsontext import Json, loads, to_plain
from svc_tui.core.outline import at_path
from svc_tui.core.record_comparison import RecordComparison, compare_records

SIGNS = {
    DifferenceKind.SAME: "=",
    DifferenceKind.CHANGED: "~",
    DifferenceKind.ADDED: "+",
    DifferenceKind.GONE: "-",
}


def record(text: str) -> Mapping[str, Json]:
    fields = loads(text)
    assert isinstance(fields, dict)
    return fields


def lines(comparison: RecordComparison) -> list[str]:
    return [f"{SIGNS[field.kind]} {field.name}" for field in comparison.fields]


@pytest.mark.parametrize(
    ("left", "right", "told"),
    [
        ("{}", "{}", []),
        ('{"a": 1, "b": 2}', '{"b": 2, "a": 1}', ["= a", "= b"]),
        ('{"a": 1.5}', '{"a": 1.50}', ["~ a"]),
        ('{"a": null, "b": ""}', '{"b": null}', ["- a", "~ b"]),
        (
            '{"assay": {"goldPpm": 1, "lab": {"name": "x"}}}',
            '{"assay": {"goldPpm": 2, "lab": {"name": "x"}, "by": "y"}}',
            ["~ assay.goldPpm", "= assay.lab.name", "+ assay.by"],
        ),
        ('{"a b": {"c.d": 1}}', '{"a b": {"c.d": 2}}', ['~ ["a b"]["c.d"]']),
        ('{"assay": {"x": 1, "y": 2}}', "{}", ["- assay.x", "- assay.y"]),
        ('{"assay": {}}', '{"assay": {"x": 1}}', ["+ assay.x"]),
        ('{"a": {}, "b": []}', '{"a": {}, "b": []}', ["= a", "= b"]),
        ('{"tags": [1, 2, 3]}', '{"tags": [1, 3]}', ["~ tags"]),
        ('{"tags": [1, 2]}', '{"tags": [1, 2]}', ["= tags"]),
        ('{"parts": [{"n": 1}, {"n": 2}]}', '{"parts": [{"n": 1}, {"n": 3}]}', ["= parts[0].n", "~ parts[1].n"]),
        (
            '{"parts": [{"id": "a", "n": 1}, {"id": "b", "n": 2}]}',
            '{"parts": [{"id": "b", "n": 3}, {"id": "c", "n": 4}]}',
            [
                "- parts[id=a].id",
                "- parts[id=a].n",
                "= parts[id=b].id",
                "~ parts[id=b].n",
                "+ parts[id=c].id",
                "+ parts[id=c].n",
            ],
        ),
        ('{"a": {"b": 1}}', '{"a": [1]}', ["~ a"]),
    ],
)
def test_every_value_has_a_line_of_its_own(left: str, right: str, told: list[str]) -> None:
    assert lines(compare_records(record(left), record(right))) == told


def test_an_item_is_found_where_it_stands_on_each_side() -> None:
    left = record('{"parts": [{"id": "a"}, {"id": "b", "n": 2}]}')
    right = record('{"parts": [{"id": "b", "n": 3}]}')
    (field,) = [field for field in compare_records(left, right).differing if field.name == "parts[id=b].n"]
    assert (field.left, field.right) == (("parts", 1, "n"), ("parts", 0, "n"))


def test_how_many_differ_is_told_in_words() -> None:
    left, right = record('{"a": 1, "b": 2, "c": 3}'), record('{"a": 1, "b": 3, "c": 4}')
    assert compare_records(left, right).summary == "2 of 3 fields differ"
    assert compare_records(left, {**left, "a": None}).summary == "1 of 3 fields differs"
    assert compare_records(left, left).summary == "no differences in 3 fields"


def test_what_is_not_known_counts_for_nothing() -> None:
    left, right = record('{"a": 1, "b": {"x": 2, "y": 3}}'), record('{"a": 2, "b": {"x": 2, "y": 3}}')
    comparison = compare_records(left, right, {"b"})
    assert [field.name for field in comparison.fields if not field.known] == ["b.x", "b.y"]
    assert comparison.summary == "1 of 1 fields differs · 2 not recorded"


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-2, 2) | st.sampled_from(["", "a"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["id", "a", "b"]), inner, max_size=3),
    max_leaves=10,
)
RECORDS = st.dictionaries(st.sampled_from(["id", "a", "b", "c"]), VALUES, max_size=4)


@given(RECORDS, RECORDS)
def test_what_is_told_is_what_stands_there(one: dict[str, object], other: dict[str, object]) -> None:
    left, right = to_plain(one), to_plain(other)
    assert isinstance(left, dict)
    assert isinstance(right, dict)
    comparison = compare_records(left, right)
    assert bool(comparison.differing) == (left != right) or {} in (left, right) or not comparison.fields
    for field in comparison.fields:
        if field.kind is DifferenceKind.SAME:
            assert field.left is not None
            assert field.right is not None
            assert at_path(left, field.left) == at_path(right, field.right)
        elif field.kind is DifferenceKind.CHANGED:
            assert field.left is not None
            assert field.right is not None
            assert at_path(left, field.left) != at_path(right, field.right)
        else:
            assert (field.left is None) == (field.kind is DifferenceKind.ADDED)
            assert (field.right is None) == (field.kind is DifferenceKind.GONE)
