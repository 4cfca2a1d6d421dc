"""Moments are told from names and shapes of fields, and nothing is taken for one that is not a time."""

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from svc_tui.core.jsontext import Json, number
from svc_tui.core.moments import change_time_field, main_moment, moment_text, moments_of, start_of

TIME = "2024-01-02T23:08:00Z"
EAST = timezone(timedelta(hours=2))


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("createdAt", "created"),
        ("opened_on", "opened"),
        ("handedOverAt", "handed over"),
        ("dueDate", "due date"),
        ("date", "date"),
        ("closed", "closed"),
        ("LAST_MODIFIED", "last modified"),
        ("validUntil", "valid until"),
        ("timestamp", "timestamp"),
    ],
)
def test_a_name_that_says_a_moment_is_put_into_words(name: str, words: str) -> None:
    (moment,) = moments_of({name: TIME})
    assert (moment.path, moment.text, moment.words) == (name, TIME, words)


@pytest.mark.parametrize(
    "fields",
    [
        {"createdAt": None},
        {"createdAt": "yesterday"},
        {"createdAt": number("1704236880")},
        {"createdAt": ""},
        {"closed": False},
        {"number": TIME},
        {"": TIME},
        {"称重": TIME},
        {"stages": [{"closedAt": TIME}]},
    ],
)
def test_what_holds_no_time_or_does_not_say_so_is_none(fields: dict[str, Json]) -> None:
    assert moments_of(fields) == ()


def test_a_moment_inside_an_object_is_told_with_its_name_and_is_no_stage_of_the_record() -> None:
    fields: dict[str, Json] = {"closedAt": TIME, "assay": {"createdAt": TIME}, "createdAt": TIME}
    assert [moment.words for moment in moments_of(fields)] == ["created", "assay created", "closed"]
    assert [moment.path for moment in moments_of(fields)][1] == "assay.createdAt"


@pytest.mark.parametrize(
    ("names", "main"),
    [
        (("updatedAt", "closedAt", "createdAt"), "created"),
        (("occurredAt", "reportedAt", "closedAt"), "occurred"),
        (("closedAt", "openedAt"), "opened"),
        (("closedAt",), "closed"),
    ],
)
def test_a_record_is_known_by_how_it_began(names: tuple[str, ...], main: str) -> None:
    moment = main_moment(dict.fromkeys(names, TIME))
    assert moment is not None
    assert moment.words == main


@pytest.mark.parametrize(
    ("names", "field"),
    [
        (("createdAt", "closedAt", "updatedAt"), "updatedAt"),
        (("created_at", "LAST_MODIFIED"), "LAST_MODIFIED"),
        (("statusChangedAt", "modified"), "modified"),
        (("createdAt", "statusChangedAt"), "statusChangedAt"),
        (("closedAt", "createdOn"), "createdOn"),
        (("closedAt", "exchangedAt"), None),
        ((), None),
    ],
)
def test_a_time_of_change_counts_before_one_of_creation(names: tuple[str, ...], field: str | None) -> None:
    assert change_time_field(names) == field


def test_a_moment_of_the_record_counts_before_one_inside_an_object() -> None:
    moment = main_moment({"sensor": {"calibratedOn": TIME}, "measuredAt": TIME})
    assert moment is not None
    assert moment.words == "measured"


def test_a_date_is_the_beginning_of_its_day_where_the_reader_is() -> None:
    assert start_of("2024-01-02", EAST) == datetime(2024, 1, 1, 22, tzinfo=UTC)
    assert start_of(TIME, EAST) == datetime(2024, 1, 2, 23, 8, tzinfo=UTC)
    assert moment_text("2024-01-02", EAST) == "2024-01-02"
    assert moment_text(TIME, EAST) == "2024-01-03 01:08"


@given(st.dictionaries(st.text(max_size=8), st.text(max_size=8) | st.just(TIME) | st.none(), max_size=5))
def test_any_names_can_be_read(fields: dict[str, Json]) -> None:
    assert {moment.path for moment in moments_of(fields)} <= set(fields)
