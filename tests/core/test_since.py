"""The moments that people write: so long ago, a date, a time."""

from datetime import UTC, datetime, timedelta, timezone

import pytest

from svc_tui.core.times import parse_since

NOW = datetime(2026, 11, 24, 12, tzinfo=UTC)
ZONE = timezone(timedelta(hours=2))


@pytest.mark.parametrize(
    ("text", "ago"),
    [
        ("90s", timedelta(seconds=90)),
        ("30m", timedelta(minutes=30)),
        ("30 min", timedelta(minutes=30)),
        (" 12H ", timedelta(hours=12)),
        ("1d", timedelta(days=1)),
        ("2w", timedelta(weeks=2)),
    ],
)
def test_so_long_ago(text: str, ago: timedelta) -> None:
    assert parse_since(text, NOW, ZONE) == NOW - ago


@pytest.mark.parametrize(
    ("text", "at"),
    [
        ("2026-11-20", datetime(2026, 11, 20, tzinfo=ZONE)),
        ("2026-11-20 06:30", datetime(2026, 11, 20, 6, 30, tzinfo=ZONE)),
        ("2026-11-20T06:30:05", datetime(2026, 11, 20, 6, 30, 5, tzinfo=ZONE)),
        ("2026-11-20T06:30:05Z", datetime(2026, 11, 20, 6, 30, 5, tzinfo=UTC)),
        ("2026-11-20T06:30:05.5+05:30", datetime(2026, 11, 20, 1, 0, 5, 500_000, tzinfo=UTC)),
    ],
)
def test_a_date_or_a_time(text: str, at: datetime) -> None:
    assert parse_since(text, NOW, ZONE) == at


@pytest.mark.parametrize(
    ("text", "at"),
    [
        ("today", datetime(2026, 11, 25, tzinfo=ZONE)),
        (" Yesterday ", datetime(2026, 11, 24, tzinfo=ZONE)),
    ],
)
def test_a_day_begins_where_the_user_is(text: str, at: datetime) -> None:
    assert parse_since(text, datetime(2026, 11, 24, 23, tzinfo=UTC), ZONE) == at


@pytest.mark.parametrize("text", ["", "soon", "1y", "-1d", "٣d", "1_0d", "999999w", "2026-13-01", "2026-11-20T25:00"])
def test_anything_else_is_none(text: str) -> None:
    assert parse_since(text, NOW, ZONE) is None
