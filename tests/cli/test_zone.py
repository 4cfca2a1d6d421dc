"""The system's time zone: right at each moment of the year, and never a crash."""

import time
from collections.abc import Iterator
from datetime import UTC, datetime

import pytest

from svc_tui.bootstrap.environment import SystemTimeZone
from svc_tui.core.kinds import Kind, display_text

pytestmark = pytest.mark.skipif(not hasattr(time, "tzset"), reason="the zone of this system can't be set for a test")


@pytest.fixture
def berlin(monkeypatch: pytest.MonkeyPatch) -> Iterator[SystemTimeZone]:
    # Written out, since not every machine has the database of zones.
    monkeypatch.setenv("TZ", "CET-1CEST,M3.5.0,M10.5.0/3")
    time.tzset()
    yield SystemTimeZone()
    monkeypatch.undo()
    time.tzset()


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("2026-01-20T12:00:00Z", "2026-01-20 13:00 CET"),
        ("2026-07-20T12:00:00Z", "2026-07-20 14:00 CEST"),
        ("2026-10-25T00:30:00Z", "2026-10-25 02:30 CEST"),
        ("2026-10-25T01:30:00Z", "2026-10-25 02:30 CET"),
        ("2026-03-29T00:59:59Z", "2026-03-29 01:59 CET"),
        ("2026-03-29T01:00:00Z", "2026-03-29 03:00 CEST"),
        ("2026-07-20T12:00:00+05:45", "2026-07-20 08:15 CEST"),
    ],
)
def test_each_moment_has_its_own_daylight_saving(berlin: SystemTimeZone, text: str, shown: str) -> None:
    assert display_text(text, Kind.TIME, tz=berlin, zone=True).text == shown


@pytest.mark.parametrize("text", ["0001-01-01T00:00:00Z", "9999-12-31T23:59:59Z", "0001-01-01T00:00:00+14:00"])
def test_the_ends_of_the_calendar_are_shown_somehow(berlin: SystemTimeZone, text: str) -> None:
    assert text[:4] in display_text(text, Kind.TIME, tz=berlin, zone=True).text


def test_without_a_moment_it_has_the_names_of_the_whole_year(berlin: SystemTimeZone) -> None:
    assert berlin.tzname(None) == "CET/CEST"


def test_a_time_of_its_own_is_told_back(berlin: SystemTimeZone) -> None:
    noon = datetime(2026, 7, 20, 12, tzinfo=berlin)
    assert (noon.tzname(), noon.astimezone(UTC).hour) == ("CEST", 10)


def test_a_zone_without_daylight_saving_has_one_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", "AWST-8")
    time.tzset()
    try:
        assert SystemTimeZone().tzname(None) == "AWST"
        assert (
            display_text("2026-01-20T12:00:00Z", Kind.TIME, tz=SystemTimeZone(), zone=True).text
            == "2026-01-20 20:00 AWST"
        )
    finally:
        monkeypatch.undo()
        time.tzset()
