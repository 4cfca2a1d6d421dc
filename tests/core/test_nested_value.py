"""A change deep inside a record changes nothing around it."""

from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from svc_tui.core.field_path import path_steps
from svc_tui.core.jsontext import ABSENT, Json, number
from svc_tui.core.nested_value import path_exists, with_value_at
from svc_tui.core.outline import Path, at_path

ASSAY: dict[str, Json] = {
    "assay": {"goldPpm": number("1.50"), "lab": {"id": "lab-1"}},
    "parts": [{"kg": number(1)}, "x"],
}

nested: st.SearchStrategy[Json] = st.recursive(
    st.text(max_size=2) | st.none() | st.integers(0, 9).map(number),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text("ab", min_size=1, max_size=2), inner, max_size=3)
    ),
    max_leaves=10,
)
records = st.dictionaries(st.text("ab", min_size=1, max_size=2), nested, min_size=1, max_size=3)


def _paths(value: Json, above: Path = ()) -> list[Path]:
    items: list[tuple[str | int, Json]] = []
    if isinstance(value, Mapping):
        items = list(value.items())
    elif isinstance(value, list):
        items = list(enumerate(value))
    found = [above] if above else []
    for step, item in items:
        found += _paths(item, (*above, step))
    return found


@given(records, nested, st.data())
def test_only_the_value_at_the_path_is_another(record: dict[str, Json], new: Json, data: st.DataObject) -> None:
    path = data.draw(st.sampled_from(_paths(record)))
    assert path_exists(record, path)
    changed = with_value_at(record, path, new)
    assert isinstance(changed, Mapping)
    assert at_path(changed, path) == new
    for other in _paths(record):
        if other[: len(path)] != path and path[: len(other)] != other:
            assert at_path(changed, other) == at_path(record, other)
    assert [*changed] == [*record]
    assert with_value_at(changed, path, at_path(record, path)) == record


@given(records, st.data())
def test_a_name_that_is_unset_is_the_only_one_gone(record: dict[str, Json], data: st.DataObject) -> None:
    path = data.draw(st.sampled_from([path for path in _paths(record) if isinstance(path[-1], str)]))
    changed = with_value_at(record, path, ABSENT)
    assert isinstance(changed, Mapping)
    assert at_path(changed, path) == ABSENT
    kept = [other for other in _paths(record) if other[: len(path)] != path]
    assert _paths(changed) == kept


def test_objects_that_are_not_there_are_made() -> None:
    assert with_value_at({"assay": None}, ("assay", "goldPpm"), number(1)) == {"assay": {"goldPpm": number(1)}}
    assert with_value_at({}, ("assay", "lab", "id"), "lab-2") == {"assay": {"lab": {"id": "lab-2"}}}


@pytest.mark.parametrize(
    ("path", "there"),
    [
        (("assay", "goldPpm"), True),
        (("assay", "new"), True),
        (("assay", "new", "newer"), True),
        (("assay", "goldPpm", "x"), False),
        (("parts", 0, "kg"), True),
        (("parts", 2), False),
        (("parts", "kg"), False),
        (("nothing", 0), False),
    ],
)
def test_a_way_leads_through_objects_and_the_items_there_are(path: Path, there: bool) -> None:
    assert path_exists(ASSAY, path) is there


def test_a_written_path_is_taken_apart_where_objects_are() -> None:
    fields: dict[str, Json] = {**ASSAY, "a.b": "own name"}
    assert path_steps(fields, "assay.lab.id") == ("assay", "lab", "id")
    assert path_steps(fields, "a.b") == ("a.b",)
    assert path_steps(fields, "grade") == ("grade",)
    assert path_steps(fields, "assay.new.deep") == ("assay", "new.deep")
