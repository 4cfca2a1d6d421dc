"""Times keep their form, whatever moment is put into them."""

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from svc_tui.core.times import TimePart, now_like, parse_time, part_at, shift_time

NOW = datetime(2026, 11, 20, 5, 12, 33, 123456, UTC)
offsets = st.sampled_from(["Z", "z", "+02:00", "-05:45", "+14:00"])
fractions = st.sampled_from(["", ".5", ".123", ".123456789"])
texts = st.builds(
    lambda at, fraction, zone: at.isoformat("T", "seconds") + fraction + zone,
    st.datetimes(min_value=datetime(1900, 1, 1), max_value=datetime(2200, 1, 1)).map(
        lambda at: at.replace(microsecond=0)
    ),
    fractions,
    offsets,
)
spans = {"day": 86_400, "hour": 3_600, "minute": 60, "second": 1}


@given(texts, st.sampled_from([TimePart.DAY, TimePart.HOUR, TimePart.MINUTE, TimePart.SECOND]), st.integers(-500, 500))
def test_a_step_moves_the_moment_by_so_much_and_keeps_the_form(text: str, part: TimePart, steps: int) -> None:
    later = shift_time(text, part, steps)
    before, after = parse_time(text), parse_time(later or "")
    assert before is not None
    assert after is not None
    assert later is not None
    assert after - before == timedelta(seconds=steps * spans[part.value])
    assert later[19:] == text[19:]
    assert shift_time(later, part, -steps) == text


@pytest.mark.parametrize(
    ("text", "part", "steps", "later"),
    [
        ("2026-01-31", TimePart.MONTH, 1, "2026-02-28"),
        ("2026-12-31", TimePart.DAY, 1, "2027-01-01"),
        ("2024-02-29T10:00:00Z", TimePart.YEAR, 1, "2025-02-28T10:00:00Z"),
        ("2026-11-20t05:12:00.250-03:00", TimePart.HOUR, -6, "2026-11-19t23:12:00.250-03:00"),
        ("2026-11-20", TimePart.HOUR, 25, "2026-11-21"),
        ("9999-12-31T23:59:59Z", TimePart.SECOND, 1, None),
        ("0001-01-01", TimePart.MONTH, -1, None),
        ("2026-11-20 05:12", TimePart.DAY, 1, None),
    ],
)
def test_steps_over_the_ends_of_months_and_years(text: str, part: TimePart, steps: int, later: str | None) -> None:
    assert shift_time(text, part, steps) == later


@pytest.mark.parametrize(
    ("cursor", "part"),
    [(0, TimePart.YEAR), (4, TimePart.YEAR), (5, TimePart.MONTH), (9, TimePart.DAY), (11, TimePart.HOUR),
     (15, TimePart.MINUTE), (18, TimePart.SECOND), (20, TimePart.MINUTE)],
)  # fmt: skip
def test_the_cursor_tells_the_part(cursor: int, part: TimePart) -> None:
    assert part_at("2026-11-20T05:12:00Z", cursor) is part


def test_behind_a_date_stands_its_day() -> None:
    assert part_at("2026-11-20", 10) is TimePart.DAY
    assert part_at("2026-11-20", 99) is TimePart.DAY


@pytest.mark.parametrize(
    ("text", "now"),
    [
        ("2020-01-01T00:00:00Z", "2026-11-20T05:12:33Z"),
        ("2020-01-01t00:00:00.000z", "2026-11-20t05:12:33.123z"),
        ("2020-01-01T00:00:00.000000000+02:00", "2026-11-20T07:12:33.123456000+02:00"),
        ("2020-01-01", "2026-11-19"),
        ("", "2026-11-20T05:12:33Z"),
        ("soon", "2026-11-20T05:12:33Z"),
    ],
)
def test_now_takes_the_form_of_what_was_there(text: str, now: str) -> None:
    assert now_like(text, NOW.astimezone(timezone(timedelta(hours=-8)))) == now


@given(texts)
def test_now_is_now_in_every_form(text: str) -> None:
    made = parse_time(now_like(text, NOW))
    assert made is not None
    assert abs(made - NOW) < timedelta(seconds=1)
    assert len(now_like(text, NOW)) == len(text)
