"""Records ready to be searched: what they are compared by, field for field."""

import pytest

from svc_tui.domain.collections.filters import SearchableRecord, parse_filter
from svc_tui.domain.data.ordering import sort_key
from svc_tui.domain.data.times import parse_time
from svc_tui.domain.model.jsontext import Json, number
from svc_tui.domain.model.records import Record


def entry(**fields: Json) -> SearchableRecord:
    """The first record of a collection."""
    return SearchableRecord.of(0, Record(fields))


def test_each_field_has_its_own_key_in_whatever_turn_they_are_asked_for() -> None:
    ready = entry(massKg=number("12.50"), grade="B", assay={"goldPpm": number("1.5")})
    asked: list[tuple[str, Json]] = [("massKg", number("12.5")), ("grade", "b"), ("assay.goldPpm", number("1.50"))]
    for path, value in asked * 2:
        assert ready.key(path) == sort_key(value)
    assert ready.key("note") is None


@pytest.mark.parametrize(
    ("text", "held"), [("massKg>10 grade>a", 2), ("massKg>10 grade>b", 1), ("massKg=3 grade=A", 1), ("massKg!=3", 2)]
)
def test_conditions_on_several_fields_must_all_hold(text: str, held: int) -> None:
    masses, grades = ("12.5", "3.0", "99"), ("B", "A", "C")
    entries = [entry(massKg=number(mass), grade=grade) for mass, grade in zip(masses, grades, strict=True)]
    wanted = parse_filter(text, {"masskg": "massKg", "grade": "grade"})
    assert len(wanted.chosen(entries)) == held


@pytest.mark.parametrize("text", ["2026-11-20T05:12:00Z", "0001-01-01T00:00:00Z", "9999-12-31T23:59:59Z"])
def test_a_time_to_the_second_is_the_same_moment_however_its_zone_is_written(text: str) -> None:
    assert parse_time(text) is not None
    assert parse_time(text) == parse_time(text[:-1] + "+00:00") == parse_time(text.lower())


@pytest.mark.parametrize(
    "text",
    [
        "2026-13-20T05:12:00Z",
        "2026-02-30T05:12:00Z",
        "2026-11-20T05:60:00Z",
        "2026-1x-20T05:12:00Z",
        "２０２６-11-20T05:12:00Z",
        "+026-11-20T05:12:00Z",
        "2026-11-2 T05:12:00Z",
        "\ud8002026-11-0T05:12:0Z",
        "202\ud800-11-20T05:12:00Z",
    ],
)
def test_what_only_looks_like_a_time_is_none(text: str) -> None:
    assert parse_time(text) is None
