"""The service's clock: HTTP dates, what a reading is worth, when to sign by it and when to let go."""

from calendar import timegm
from email.utils import formatdate
from time import asctime, gmtime, strftime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from svc_tui.service.clock import WINDOW, Clock, DateReading, http_date

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
        "Wed, 31 Feb 1994 08:49:37 GMT",
        "Sat, 01 Jan 100000 00:00:00 GMT",
        "Sat, 01 Jan 0000 00:00:00 GMT",
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


def reading(offset: float, *, elapsed: float = 0.2, cached: bool = False, stepped: float = 0.0) -> DateReading:
    """A reading that shows the offset; our own clock was set forward by `stepped` while it was under way."""
    left = 1_700_000_000.0
    came = left + elapsed + stepped
    return DateReading(came - elapsed / 2 + offset - 0.5, left, came, elapsed, cached)


def test_a_clock_that_agrees_is_left_alone() -> None:
    for accepted in (None, 0.0):
        clock = Clock().learned(reading(59), accepted)
        assert clock == Clock()
        assert clock.timestamp(1000.9) == 1000


@pytest.mark.parametrize("accepted", [None, 0.0])
def test_a_drift_is_measured_and_not_signed_by(accepted: float | None) -> None:
    clock = Clock().learned(reading(90), accepted)
    assert clock.measured == pytest.approx(90)
    assert clock.timestamp(1000.0) == 1000
    assert clock.tells(Clock())
    assert not Clock().learned(reading(91), accepted).tells(clock)
    assert Clock().learned(reading(97), accepted).tells(clock)


def corrected_by(offset: float) -> Clock:
    """A clock after a timestamp was refused with this offset."""
    clock = Clock().refused(reading(offset), 0.0)
    assert clock is not None
    return clock


def test_a_refused_timestamp_is_signed_by_the_services_clock_and_followed() -> None:
    clock = corrected_by(-400)
    assert clock.timestamp(1000.0) == 600
    assert clock.measured == pytest.approx(-400)
    assert clock.learned(reading(-390), -400).timestamp(1000.0) == 610


def test_a_clock_that_is_mended_little_by_little_is_let_go_of() -> None:
    clock = corrected_by(-310)
    clock = clock.learned(reading(-200), clock.correction)
    assert clock.timestamp(1000.0) == 800
    mended = clock.learned(reading(-40), clock.correction)
    assert mended == Clock()
    assert mended.tells(clock)


def test_a_clock_that_is_mended_at_once_is_let_go_of_when_its_correction_is_refused() -> None:
    clock = corrected_by(-4000)
    mended = clock.refused(reading(1), clock.correction)
    assert mended is not None
    assert mended.measured is None
    assert mended.timestamp(1000.0) in (1000, 1001)
    assert mended.learned(reading(1), mended.correction) == Clock()


@pytest.mark.parametrize("date", [-1e9, -301, 301, 5000, 1e10])
@pytest.mark.parametrize("correction", [0.0, -400.0])
def test_a_date_that_contradicts_an_accepted_timestamp_is_ignored(date: float, correction: float) -> None:
    clock = Clock(correction or None, correction)
    assert clock.learned(reading(correction + date), correction) == clock


@given(st.floats(-1e9, 1e9), st.floats(-1e5, 1e5))
def test_what_is_accepted_never_moves_a_signature_out_of_the_window(offset: float, correction: float) -> None:
    clock = Clock(correction or None, correction).learned(reading(offset), correction)
    assert abs(clock.correction - correction) <= WINDOW + 1


def test_without_proof_an_absurd_date_is_ignored_and_a_correction_stays() -> None:
    assert Clock().learned(reading(1e9), None) == Clock()
    known = corrected_by(4000)
    for offset in (0, 90, 4000, 5000, -1e9):
        assert known.learned(reading(offset), None) == known


def test_a_date_that_does_not_explain_the_refusal_is_no_reason_to_try_again() -> None:
    assert Clock().refused(None, 0.0) is None
    assert Clock().refused(reading(0.5), 0.0) is None
    assert Clock().refused(reading(400, cached=True), 0.0) is None
    assert Clock().refused(reading(400, elapsed=90), 0.0) is None
    assert Clock().refused(reading(400, elapsed=30), 0.0) is not None


def test_a_correction_that_came_meanwhile_explains_the_refusal() -> None:
    known = corrected_by(4000)
    assert known.refused(None, 0.0) == known
    assert known.refused(reading(4000, cached=True), 0.0) == known


def test_a_correction_that_is_refused_without_a_better_one_is_dropped() -> None:
    known = corrected_by(4000)
    for told in (None, reading(4000), reading(4000, cached=True)):
        assert known.refused(told, known.correction) == Clock(known.measured, 0.0)


@pytest.mark.parametrize("stepped", [3 * 3600.0, -3 * 3600.0, 5.0])
def test_a_clock_that_was_set_under_way_explains_the_refusal(stepped: float) -> None:
    # Signed while our clock was off; it agrees with the service's by the time the refusal is here.
    mended = Clock().refused(reading(0.0, stepped=stepped), 0.0)
    assert mended is not None
    assert mended.timestamp(1000.5) in (1000, 1001)
    # Signed while it agreed: that it is off by now is no reason for the refusal.
    assert Clock().refused(reading(-stepped, stepped=stepped), 0.0) is None


@pytest.mark.parametrize("accepted", [None, 90.0])
@pytest.mark.parametrize(
    "worthless",
    [
        reading(100, cached=True),
        reading(100, elapsed=11),
        reading(100, stepped=5),
        reading(100, stepped=-5),
        reading(100, stepped=7200),
    ],
)
def test_a_worthless_reading_changes_nothing(worthless: DateReading, accepted: float | None) -> None:
    known = Clock(90.0, 90.0)
    assert Clock().learned(worthless, accepted) == Clock()
    assert known.learned(worthless, accepted) == known
