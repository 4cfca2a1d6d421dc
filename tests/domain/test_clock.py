"""The service's clock: HTTP dates, what a reading is worth, when to sign by it and when to let go."""

from calendar import timegm
from email.utils import formatdate
from time import asctime, gmtime, strftime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from svc_tui.domain.clock import Clock, DateReading, http_date

THEN = 784111777.0


@pytest.mark.parametrize(
    "text",
    [
        "Sun, 06 Nov 1994 08:49:37 GMT",
        "Sunday, 06-Nov-94 08:49:37 GMT",
        "Sun Nov  6 08:49:37 1994",
        " sun, 06 nov 1994 08:49:37 GMT ",
    ],
)
def test_the_three_forms_of_a_date(text: str) -> None:
    assert http_date(text) == THEN


@pytest.mark.parametrize(
    "text",
    [
        "",
        "0",
        "784111777",
        "Sun, 06 Nov 1994 08:49:37 +0100",
        "Sun, 06 Nov 1994 08:49 GMT",
        "Sun, 06 Xyz 1994 08:49:37 GMT",
        "Sun, 32 Nov 1994 08:49:37 GMT",
        "Sun, 06 Nov 1994 24:49:37 GMT",
        "Sun, ٠٦ Nov 1994 08:49:37 GMT",
        "Sun",
    ],
)
def test_anything_else_is_no_date(text: str) -> None:
    assert http_date(text) is None


TWO_DIGITS_END = timegm((2070, 1, 1, 0, 0, 0))
"""From here on, a year of two digits is one of the century before."""


@given(st.integers(0, TWO_DIGITS_END - 1) | st.integers(0, 2**33))
def test_every_second_is_read_back(at: int) -> None:
    assert http_date(formatdate(at, usegmt=True)) == at
    assert http_date(asctime(gmtime(at))) == at
    if at < TWO_DIGITS_END:
        assert http_date(strftime("%A, %d-%b-%y %H:%M:%S GMT", gmtime(at))) == at


@given(st.text(max_size=40))
def test_no_text_breaks_the_reading(text: str) -> None:
    http_date(text)


def reading(offset: float, *, elapsed: float = 0.2, cached: bool = False, drift: float = 0.0) -> DateReading:
    left = 1_700_000_000.0
    came = left + elapsed + drift
    return DateReading((left + came) / 2 + offset - 0.5, left, came, elapsed, cached)


def test_a_clock_that_agrees_is_left_alone() -> None:
    clock = Clock().learned(reading(59))
    assert clock == Clock()
    assert clock.timestamp(1000.9) == 1000


def test_a_drift_is_measured_and_not_signed_by() -> None:
    clock = Clock().learned(reading(90))
    assert clock.measured == pytest.approx(90)
    assert clock.timestamp(1000.0) == 1000
    assert clock.tells(Clock())
    assert not Clock().learned(reading(91)).tells(clock)
    assert Clock().learned(reading(97)).tells(clock)


def test_a_refused_timestamp_is_signed_by_and_let_go_when_mended() -> None:
    clock = Clock().refused(reading(-400), 0.0)
    assert clock is not None
    assert clock.timestamp(1000.0) == 600
    assert clock.learned(reading(-390)).timestamp(1000.0) == 610
    mended = clock.learned(reading(1))
    assert mended == Clock()
    assert mended.tells(clock)


def test_a_date_that_does_not_explain_the_refusal_is_no_reason_to_try_again() -> None:
    assert Clock().refused(None, 0.0) is None
    assert Clock().refused(reading(0.5), 0.0) is None
    assert Clock().refused(reading(400), 400.2) is None
    assert Clock().refused(reading(400, cached=True), 0.0) is None
    assert Clock().refused(reading(400, elapsed=90), 0.0) is None
    assert Clock().refused(reading(400, elapsed=30), 0.0) is not None


@pytest.mark.parametrize(
    "worthless", [reading(400, cached=True), reading(400, elapsed=11), reading(400, drift=5), reading(400, drift=-5)]
)
def test_a_worthless_reading_changes_nothing(worthless: DateReading) -> None:
    known = Clock(90.0, 90.0)
    assert Clock().learned(worthless) == Clock()
    assert known.learned(worthless) == known
