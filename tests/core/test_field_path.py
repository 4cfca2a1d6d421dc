"""Paths of fields: what they name, and that every one that is offered leads somewhere."""

from hypothesis import given
from hypothesis import strategies as st

from svc_tui.core.field_path import MAX_DEPTH_LISTED, outer_field, path_steps, paths, value_at
from svc_tui.core.jsontext import ABSENT, Json, number

FIELDS: dict[str, Json] = {"a": {"b": {"c": "deep"}, "x.y": "pointed"}, "a.b": "own name", "n": number(1)}

nested: st.SearchStrategy[Json] = st.recursive(
    st.text(max_size=3) | st.none(),
    lambda inner: st.dictionaries(st.text("ab.", max_size=3), inner, max_size=3),
    max_leaves=12,
)


def test_a_path_leads_into_objects() -> None:
    assert value_at(FIELDS, "n") == number(1)
    assert value_at({"a": {"b": {"c": "deep"}}}, "a.b.c") == "deep"
    assert value_at(FIELDS, "a.nothing") == ABSENT
    assert value_at(FIELDS, "n.b") == ABSENT
    assert value_at(FIELDS, "nothing.b") == ABSENT


def test_a_name_with_a_point_in_it_is_found_first_at_any_depth() -> None:
    assert value_at(FIELDS, "a.b") == "own name"
    assert value_at(FIELDS, "a.x.y") == "pointed"


def test_the_field_of_the_record_that_a_path_lies_in() -> None:
    assert outer_field(FIELDS, "a.b.c") == "a"
    assert outer_field(FIELDS, "a.b") == "a.b"
    assert outer_field(FIELDS, "n") == "n"


def test_paths_end_where_a_table_should() -> None:
    deep: dict[str, Json] = {"a": {"b": {"c": {"d": {"e": "f"}}}}}
    assert list(paths(deep)) == ["a", "a.b", "a.b.c", "a.b.c.d"]
    assert len(list(paths(deep))) == MAX_DEPTH_LISTED


@given(st.dictionaries(st.text("ab", min_size=1, max_size=2), nested, max_size=4))
def test_every_path_that_is_offered_leads_somewhere(fields: dict[str, Json]) -> None:
    for path in paths(fields):
        assert value_at(fields, path) != ABSENT


def test_where_a_name_takes_the_path_of_a_nested_field_that_is_written_with_brackets() -> None:
    both: dict[str, Json] = {"geo.lat": "own", "geo": {"lat": "inside", "x": {"y.z": True}}, "": {"": "twice"}}
    assert list(paths(both)) == ["geo.lat", "geo", 'geo["lat"]', "geo.x", "geo.x.y.z", "", "."]
    assert value_at(both, "geo.lat") == "own"
    assert value_at(both, 'geo["lat"]') == "inside"
    assert value_at(both, "geo.x.y.z") is True
    assert value_at(both, "") == {"": "twice"}
    assert value_at(both, ".") == "twice"
    assert outer_field(both, 'geo["lat"]') == "geo"
    assert path_steps(both, 'geo["lat"]') == ("geo", "lat")
    assert value_at(both, 'geo["nothing"]') == ABSENT
    assert value_at(both, 'nothing["lat"]') == ABSENT


def test_a_name_that_looks_like_brackets_is_found_first() -> None:
    assert value_at({'a["b"]': True, "a": {"b": None}}, 'a["b"]') is True


@given(st.dictionaries(st.text('a.["]', max_size=4), nested, max_size=4))
def test_no_two_paths_of_a_record_lead_to_one_place_and_each_leads_where_it_was_found(record: dict[str, Json]) -> None:
    found = list(paths(record))
    steps = [path_steps(record, path) for path in found]
    if not any("[" in name for name in record):
        assert len(set(found)) == len(found)
        assert len(set(steps)) == len(steps)
