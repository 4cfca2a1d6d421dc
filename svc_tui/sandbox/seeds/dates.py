"""Times in the seeded data: fixed days, never today's."""

from datetime import date
from functools import lru_cache

DAYS = 700

_FIRST_DAY = date(2024, 1, 1).toordinal()


def timestamp(minutes: int) -> str:
    """RFC 3339 in UTC, `minutes` after the first day began."""
    days, minute = divmod(minutes, 1440)
    return f"{iso_date(days)}T{minute // 60:02d}:{minute % 60:02d}:00Z"


# The records of a page lie on a few days, and each names several times.
@lru_cache(maxsize=64)
def iso_date(days: int) -> str:
    """An ISO date, `days` after the first."""
    return date.fromordinal(_FIRST_DAY + days).isoformat()


def spread_minutes(index: int, size: int) -> int:
    """Minutes after the first day for record `index` of `size`: the days are shared out evenly."""
    return index * DAYS * 1440 // max(1, size)
