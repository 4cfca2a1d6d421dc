"""What a filter line lets through."""

from collections.abc import Mapping
from datetime import datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from svc_tui.core.filters import (
    Filter,
    comparison_problem,
    field_begun,
    kinds_in,
    parse_filter,
    split_terms,
)
from svc_tui.core.jsontext import Json, number
from svc_tui.core.records import Record

LOTS: list[dict[str, Json]] = [
    {"id": "lot-1", "grade": "A", "massKg": number("9.5"), "note": "damp, north face", "sealed": True},
    {"id": "lot-2", "grade": "B", "massKg": number("10"), "note": None, "sealed": False},
    {"id": "lot-3", "grade": "premium", "massKg": number("1E2"), "note": "", "createdAt": "2026-03-01T05:12:00Z"},
    {"id": "lot-4", "massKg": "unknown", "note": "A 12:30 shift: https://wiki", "createdAt": "2026-03-02T05:12:00Z"},
    {"id": "lot-5", "grade": "Straße", "assay": {"goldPpm": number("1.5")}, "parts": ["x", "y"]},
]
FIELDS = {
    path.casefold(): path
    for path in ("id", "grade", "massKg", "note", "sealed", "createdAt", "assay", "assay.goldPpm", "parts")
}


def chosen(wanted: Filter, records: list[dict[str, Json]]) -> list[int]:
    """The numbers, from 1, of the records that match."""
    matches = wanted.matcher()
    return [number for number, fields in enumerate(records, 1) if matches(Record(fields))]


def let_through(text: str, fields: Mapping[str, str] = FIELDS) -> list[int]:
    """The numbers of the lots that the line lets through."""
    return chosen(parse_filter(text, fields), LOTS)


ALL = [1, 2, 3, 4, 5]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("", ALL),
        ("   ", ALL),
        ("damp", [1]),
        ("DAMP", [1]),
        ('"north face"', [1]),
        ('"north fa', [1]),
        ("north face", [1]),
        ("face north", [1]),
        ("lot- damp", [1]),
        ("strasse", [5]),
        ("12:30", [4]),
        ("https://wiki", [4]),
        ("nothing:here", []),
        ("goldPpm", [5]),
        ('"x"', [5]),
        ("!damp", [2, 3, 4, 5]),
        ("!damp !https", [2, 3, 5]),
    ],
)
def test_words_are_looked_for_in_every_value(text: str, found: list[int]) -> None:
    assert let_through(text) == found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("grade:a", [1, 5]),
        ("GRADE:A", [1, 5]),
        ("grade=a", [1]),
        ("grade!=a", [2, 3, 4, 5]),
        ("!grade=a", [2, 3, 4, 5]),
        ("!grade:a", [2, 3, 4]),
        ('note:"north face"', [1]),
        ("note:", [2, 3, 5]),
        ("note=", [2, 3, 5]),
        ("note!=", [1, 4]),
        ("!note:", [1, 4]),
        ("sealed:true", [1]),
        ("sealed=false", [2]),
        ("massKg=10.0", [2]),
        ("massKg=100", [3]),
        ("massKg:1e2", [3]),
        ("massKg:1E2", [3]),
        ("1E2", [3]),
        ("assay.goldPpm=1.50", [5]),
        ("assay:gold", [5]),
        ("grade:a massKg<9.6", [1]),
    ],
)
def test_a_field_is_asked_for_by_its_name(text: str, found: list[int]) -> None:
    assert let_through(text) == found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("massKg>9.5", [2, 3]),
        ("massKg>=9.5", [1, 2, 3]),
        ("massKg<10", [1]),
        ("massKg<=10", [1, 2]),
        ("massKg<=1e1", [1, 2]),
        ("massKg>a", [4]),
        ("createdAt>2026-03-01T12:00", [4]),
        ("createdAt>2026-03-01t05:12:00z", [4]),
        ("createdAt>=2026-03-01t07:12:00+02:00", [3, 4]),
        ("createdAt<2026-03-02", [3]),
        ("createdAt>=2026-03", [3, 4]),
        ("createdAt>2026-03-01t05", [3, 4]),
        ('createdAt>"2026-03-01 05:12:00"', [4]),
        ("createdAt>2026-13", []),
        ("grade<b", [1]),
        ("!massKg>9.5", [1, 4, 5]),
    ],
)
def test_numbers_times_and_texts_are_compared_with_their_like(text: str, found: list[int]) -> None:
    assert let_through(text) == found


NOW = datetime(2026, 3, 2, 6, tzinfo=timezone(timedelta(hours=1)))


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("createdAt>1h", [4]),
        ("createdAt<1h", [3]),
        ("createdAt>=23h", [4]),
        ("createdAt>2d", [3, 4]),
        ("createdAt>today", [4]),
        ("createdAt>=Yesterday", [3, 4]),
        ("!createdAt>today", [1, 2, 3, 5]),
        ("createdAt>1w createdAt<today", [3]),
        ("createdAt=today", [4]),
        ("createdAt=Yesterday", [3]),
        ("createdAt!=today", [1, 2, 3, 5]),
        ("!createdAt=today", [1, 2, 3, 5]),
        # Other kinds are compared as ever.
        ("note>1h", [1, 4]),
        ("massKg>1h", [4]),
    ],
)
def test_a_moment_is_written_as_it_is_for_since(text: str, found: list[int]) -> None:
    wanted = parse_filter(text, FIELDS, NOW)
    assert chosen(wanted, LOTS) == found


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("sealed>1h", "sealed contains only true and false (example: sealed:true)."),
        ("createdAt>5", "createdAt contains only times (example: createdAt>2026-01-31)."),
        (
            "damp assay.goldPpm>1h",
            "assay.goldPpm contains only numbers (example: assay.goldPpm>10).",
        ),
        ("parts>1h", "parts contains only objects and lists (example: parts:text)."),
        ("missing<3", "missing is empty in all loaded records."),
        ("massKg>1e9", ""),
        ("massKg>1h", ""),
        ("createdAt>1h", ""),
        ("!sealed>1h", ""),
        ("sealed=1h", ""),
        ("1h", ""),
    ],
)
def test_a_comparison_that_can_match_nothing_says_why(text: str, problem: str) -> None:
    wanted = parse_filter(text, {**FIELDS, "missing": "missing"}, NOW)
    assert comparison_problem(wanted, lambda path: kinds_in(map(Record, LOTS), path)) == problem


NAMES: list[dict[str, Json]] = [
    {"id": "wrk-1", "name": "Doré", "tags": ["Łódź"]},
    {"id": "wrk-2", "name": "Dore\u0301"},
    {"id": "wrk-3", "name": "dore"},
    {"id": "wrk-4", "name": "Dorado", "site": {"town": "Łódź"}},
]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        *((typed, [1, 2, 3]) for typed in ("dore", "DORÉ", "dore\u0301", "name:doré", "name:dore", "!dorado")),
        *((typed, [1, 4]) for typed in ("lodz", "łódź")),
        ("!name:dore", [4]),
        ("tags:lodz", [1]),
        ("site.town:lódz", [4]),
        # The whole value, and what comes before another, with its accents, as ever.
        ("name=dore", [3]),
        ("name=DORÉ", [1]),
        ("name!=dore", [1, 2, 4]),
        ("name>dorf", [1]),
        ("name>=doré", [1]),
    ],
)
def test_accents_make_no_difference_where_a_text_is_looked_for(text: str, found: list[int]) -> None:
    fields = {path: path for path in ("id", "name", "tags", "site.town")}
    assert chosen(parse_filter(text, fields), NAMES) == found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("dore", ("name", "Gustave Doré, Łódź, Pola…")),
        ("lodz", ("name", "…stave Doré, Łódź, Poland")),
        ("muller", ("tags", '["a","Müller"]')),
        ("lot", None),
        ("nowhere", None),
    ],
)
def test_a_match_in_no_column_in_view_is_told_as_the_record_has_it(text: str, found: tuple[str, str] | None) -> None:
    record = Record({"id": "lot-1", "name": "Gustave Doré, Łódź, Poland", "tags": ["a", "Müller"]})
    assert parse_filter(text, {}).match_outside(record, ["id"]) == found


@pytest.mark.parametrize("text", ["massKg>", "massKg>=", "massKg<", "!", "!massKg<", '"', '!"'])
def test_a_term_that_is_still_being_typed_lets_all_through(text: str) -> None:
    assert let_through(text) == ALL


@pytest.mark.parametrize(
    ("text", "held"), [("massKg>10 grade>a", 2), ("massKg>10 grade>b", 1), ("massKg=3 grade=A", 1), ("massKg!=3", 2)]
)
def test_conditions_on_several_fields_must_all_hold(text: str, held: int) -> None:
    masses, grades = ("12.5", "3.0", "99"), ("B", "A", "C")
    records: list[dict[str, Json]] = [
        {"massKg": number(mass), "grade": grade} for mass, grade in zip(masses, grades, strict=True)
    ]
    wanted = parse_filter(text, {"masskg": "massKg", "grade": "grade"})
    assert len(chosen(wanted, records)) == held


def test_a_word_that_names_no_known_field_is_a_word() -> None:
    assert let_through("grade:A", {}) == []
    assert let_through("12:30", {}) == [4]


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("massKg", "massKg"),
        ("damp MASSKG>", "massKg"),
        ("!grade!=", "grade"),
        ("assay.goldPpm>=", "assay.goldPpm"),
        ("massKg>1", None),
        ("massKg damp", None),
        ("mass", None),
        ("", None),
    ],
)
def test_a_condition_is_foreseen_from_the_name_of_its_field(text: str, path: str | None) -> None:
    assert field_begun(text, FIELDS) == path


def test_what_is_for_the_service_is_parted_from_what_is_for_the_rows() -> None:
    assert split_terms('damp ?status=open massKg>3 "?literal=1" ?x="a b"') == (
        'damp massKg>3 "?literal=1"',
        (("status", "open"), ("x", "a b")),
    )
    assert split_terms("? ?status a") == ("a", ()), "a question that is still being typed asks nothing"


VALUE = st.one_of(
    st.none(),
    st.booleans(),
    st.sampled_from(["A", "damp", "2026-01-01", "10", "x:y", ""]),
    st.text(max_size=4),
    st.sampled_from(["1", "10", "-2.5", "1E3"]).map(number),
)
RECORDS = st.lists(st.fixed_dictionaries({"id": st.text(max_size=3)}, optional={"a": VALUE, "b": VALUE}), max_size=8)
LINES = st.one_of(
    st.text(max_size=12),
    st.text(alphabet='ab1.:=<>!" -T0', max_size=12),
    st.lists(st.sampled_from(["a:", "a:1", "b>1", "!a:d", "a=A", "da", "!x", '"x:', "b<=2026-01-01"]), max_size=3).map(
        " ".join
    ),
)


@given(LINES, RECORDS)
def test_any_line_can_be_asked_of_any_records(line: str, records: list[dict[str, Json]]) -> None:
    wanted = parse_filter(line, {"a": "a", "b": "b"})
    found = chosen(wanted, records)
    assert set(found) == set(range(1, len(records) + 1)).intersection(
        *(chosen(Filter(terms=(term,)), records) for term in wanted.terms)
    )


@given(LINES, st.text(alphabet='ab1:=<>!" d', max_size=3), RECORDS)
def test_what_narrows_needs_only_the_last_choice_looked_through(
    line: str, more: str, records: list[dict[str, Json]]
) -> None:
    fields = {"a": "a", "b": "b"}
    before, after = parse_filter(line, fields), parse_filter(line + more, fields)
    if after.narrows(before):
        assert set(chosen(after, records)) <= set(chosen(before, records))


def test_typing_on_narrows_and_taking_back_does_not() -> None:
    def line(text: str) -> Filter:
        return parse_filter(text, FIELDS)

    assert line("grade:pre").narrows(line("grade:p"))
    assert line("grade:p damp").narrows(line("grade:p"))
    assert not line("grade:p").narrows(line("grade:pre"))
    assert not line("!damp").narrows(line("!dam")), "more is let through by the longer word"
    assert not line("massKg>10").narrows(line("massKg>1"))
    assert not line("grade:p").narrows(line("grade:")), "what is empty is not what has a p in it"
