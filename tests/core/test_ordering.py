"""The order of values: one place for each, whatever they are, and no value that breaks it."""

from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from svc_tui.core.jsontext import ABSENT, Json, number
from svc_tui.core.ordering import FLAG, NESTED, NUMBER, TEXT, TIME, sort_key

NUMBERS = st.from_regex(r"-?(0|[1-9][0-9]{0,30})(\.[0-9]{1,20})?([eE][+-]?[0-9]{1,25})?", fullmatch=True)
MOMENTS = st.from_regex(
    r"[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])(T([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9])?(Z|[+-]1[0-4]:00)?)?",
    fullmatch=True,
)
VALUES: st.SearchStrategy[Any] = st.one_of(
    st.none(),
    st.booleans(),
    NUMBERS.map(number),
    MOMENTS,
    st.text(),
    st.sampled_from(["²", "٣", "2026-02-30", "0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-14:00"]),
    st.lists(st.text(max_size=3), max_size=3),
    st.dictionaries(st.text(max_size=3), st.booleans(), max_size=3),
)


def before(lower: Json, higher: Json) -> bool:
    left, right = sort_key(lower), sort_key(higher)
    assert left is not None
    assert right is not None
    return left < right


@pytest.mark.parametrize(
    ("lower", "higher"),
    [
        (number("2"), number("10")),
        (number("-1"), number("0.5")),
        (number("9007199254740992"), number("9007199254740993")),
        (number("1e2"), number("100.0000000000000000000000001")),
        ("apple", "Banana"),
        ("ärger", "Öl"),
        ("2026-01-02", "2026-01-10"),
        ("2026-01-01T12:00:00+02:00", "2026-01-01T11:00:00Z"),
        ("2026-01-01", "2026-01-01T00:00:01Z"),
        (False, True),
    ],
)
def test_values_of_a_kind_stand_in_the_order_that_people_expect(lower: Json, higher: Json) -> None:
    assert before(lower, higher)
    assert not before(higher, lower)


def test_unlike_things_stand_by_kind() -> None:
    kinds: list[Json] = [number("7"), "2026-01-01", "text", True, [number("1")]]
    assert [found[0] for found in map(sort_key, kinds) if found] == [NUMBER, TIME, TEXT, FLAG, NESTED]


@pytest.mark.parametrize("value", [None, "", ABSENT])
def test_what_is_empty_has_no_place(value: Any) -> None:
    assert sort_key(value) is None


def test_a_number_is_what_it_is_worth_however_it_is_written() -> None:
    assert sort_key(number("1.50")) == sort_key(number("15e-1"))


@given(st.lists(VALUES, max_size=12))
def test_any_values_can_be_sorted(values: list[Json]) -> None:
    found = sorted(key for key in map(sort_key, values) if key is not None)
    assert all(left <= right for left, right in pairwise(found))


@given(NUMBERS)
def test_every_number_is_equal_to_itself(text: str) -> None:
    assert sort_key(number(text)) == sort_key(number(text))
