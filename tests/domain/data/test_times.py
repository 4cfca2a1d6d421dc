"""Times keep their form, whatever moment is put into them."""

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from svc_tui.domain.data.times import Part, moment, now_like, part_at, shifted

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


@given(texts, st.sampled_from([Part.DAY, Part.HOUR, Part.MINUTE, Part.SECOND]), st.integers(-500, 500))
def test_a_step_moves_the_moment_by_so_much_and_keeps_the_form(text: str, part: Part, steps: int) -> None:
    later = shifted(text, part, steps)
    before, after = moment(text), moment(later or "")
    assert before is not None
    assert after is not None
    assert later is not None
    assert after - before == timedelta(seconds=steps * spans[part.value])
    assert later[19:] == text[19:]
    assert shifted(later, part, -steps) == text


@pytest.mark.parametrize(
    ("text", "part", "steps", "later"),
    [
        ("2026-01-31", Part.MONTH, 1, "2026-02-28"),
        ("2026-12-31", Part.DAY, 1, "2027-01-01"),
        ("2024-02-29T10:00:00Z", Part.YEAR, 1, "2025-02-28T10:00:00Z"),
        ("2026-11-20t05:12:00.250-03:00", Part.HOUR, -6, "2026-11-19t23:12:00.250-03:00"),
        ("2026-11-20", Part.HOUR, 25, "2026-11-21"),
        ("9999-12-31T23:59:59Z", Part.SECOND, 1, None),
        ("0001-01-01", Part.MONTH, -1, None),
        ("2026-11-20 05:12", Part.DAY, 1, None),
    ],
)
def test_steps_over_the_ends_of_months_and_years(text: str, part: Part, steps: int, later: str | None) -> None:
    assert shifted(text, part, steps) == later


@pytest.mark.parametrize(
    ("cursor", "part"),
    [(0, Part.YEAR), (4, Part.YEAR), (5, Part.MONTH), (9, Part.DAY), (11, Part.HOUR), (15, Part.MINUTE),
     (18, Part.SECOND),
     (20, Part.MINUTE)],
)  # fmt: skip
def test_the_cursor_tells_the_part(cursor: int, part: Part) -> None:
    assert part_at("2026-11-20T05:12:00Z", cursor) is part


def test_behind_a_date_stands_its_day() -> None:
    assert part_at("2026-11-20", 10) is Part.DAY
    assert part_at("2026-11-20", 99) is Part.DAY


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
    made = moment(now_like(text, NOW))
    assert made is not None
    assert abs(made - NOW) < timedelta(seconds=1)
    assert len(now_like(text, NOW)) == len(text)
