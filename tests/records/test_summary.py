"""Summaries: every record is counted once, numbers exactly, times by the calendar."""

from datetime import timedelta, timezone
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from svc_tui.core.jsontext import ABSENT, Json, number
from svc_tui.records.summary import BINS, Summary, summarize


def of(*values: Json) -> Summary:
    return summarize([(value, 1) for value in values])


def test_missing_null_and_empty_are_told_apart() -> None:
    summary = summarize([(ABSENT, 4), (None, 3), ("", 2), ("a", 1)])
    assert (summary.count, summary.missing, summary.null, summary.empty, summary.values) == (10, 4, 3, 2, 1)


def test_numbers_are_added_up_exactly() -> None:
    summary = of(*(number("0.1") for _ in range(10)), number("100000000000000000000.1"))
    assert summary.mean == Decimal("9090909090909090909.191")
    assert of(number("0.1"), number("0.2")).mean == Decimal("0.150")


def test_numbers_of_one_value_are_one_whatever_they_are_written_like() -> None:
    summary = of(number("1.50"), number("1.5"), "1.5", True, number(1))
    assert summary.distinct == 4
    assert summary.frequent[0] == (number("1.50"), 2)


def test_case_tells_texts_apart() -> None:
    assert of("A", "a", "A").frequent == (("A", 2), ("a", 1))


def test_least_and_greatest_are_given_as_they_came() -> None:
    summary = of(number("10"), number("9.50"), None, number("1e2"), "text")
    assert (summary.least, summary.greatest) == (number("9.50"), number("1e2"))


def test_numbers_spread_over_equal_parts() -> None:
    spread = of(*(number(n) for n in range(2 * BINS))).spread
    assert spread is not None
    assert spread.counts == (2,) * BINS
    assert of(number(5), number("5.0")).spread is None


@pytest.mark.parametrize(
    ("first", "last", "step", "steps"),
    [
        ("2026-11-20T05:12:00Z", "2026-11-20T05:14:00Z", "minute", 3),
        ("2026-11-20T05:12:00Z", "2026-11-21T05:12:00Z", "hour", 25),
        ("2026-11-20", "2026-12-20", "day", 31),
        ("2026-01-01T00:00:00Z", "2026-12-31T00:00:00Z", "week", 53),
        ("2024-01-01T00:00:00Z", "2026-12-31T00:00:00Z", "month", 36),
        ("2000-01-01T00:00:00Z", "2026-12-31T00:00:00Z", "year", 27),
        ("0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-12:00", "1000 years", 10),
    ],
)
def test_times_spread_over_steps_of_the_calendar(first: str, last: str, step: str, steps: int) -> None:
    summary = of(last, first, first)
    assert (summary.least, summary.greatest) == (first, last)
    assert summary.spread is not None
    assert (summary.spread.step, len(summary.spread.counts)) == (step, steps)
    assert (summary.spread.counts[0], summary.spread.counts[-1]) == (2, 1)


def test_steps_of_time_are_those_of_the_readers_zone() -> None:
    values = [(f"2026-11-{day}T23:30:00Z", 1) for day in ("20", "25", "30")]
    later = summarize(values, timezone(timedelta(hours=1)))
    assert later.spread is not None
    assert later.spread.step == "day"
    assert summarize(values).spread == later.spread


def test_numbers_beyond_all_measure_are_borne() -> None:
    summary = of(*(number(text) for text in ("1e999999", "1", "-1e999999999", "1e99999999999999999999", "1e-99999")))
    assert summary.distinct == 5
    assert summary.least == number("-1e999999999")


json_values = st.recursive(
    st.none() | st.booleans() | st.integers().map(number) | st.text(max_size=4) | st.sampled_from(["2026-11-20", "1"]),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=2), inner, max_size=2),
    max_leaves=4,
)


@given(st.lists(json_values, max_size=40))
def test_every_record_is_counted_once(values: list[Json]) -> None:
    summary = of(*values)
    assert summary.count == len(values)
    assert summary.missing == 0
    assert summary.values == sum(value is not None and value != "" for value in values)
    assert sum(times for _, times in summary.frequent) <= summary.values
    assert len(summary.frequent) == min(8, summary.distinct)
    if summary.spread is not None:
        assert 2 <= sum(summary.spread.counts) <= summary.values or summary.spread.step
