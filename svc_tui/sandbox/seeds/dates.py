"""Times in the seeded data: fixed days, never today's."""

from datetime import UTC, datetime, timedelta

from svc_tui.sandbox.seeds.seeded_random import SeededRandom

FIRST_DAY = datetime(2024, 1, 1, tzinfo=UTC)
DAYS = 700


def timestamp(minutes: int) -> str:
    """RFC 3339 in UTC, `minutes` after the first day began."""
    return (FIRST_DAY + timedelta(minutes=minutes)).strftime("%Y-%m-%dT%H:%M:%SZ")


def iso_date(days: int) -> str:
    """An ISO date, `days` after the first."""
    return (FIRST_DAY + timedelta(days=days)).strftime("%Y-%m-%d")


def spread_minutes(draws: SeededRandom, index: int, size: int) -> int:
    """Minutes after the first day for record `index` of `size`: later records are later, give or take hours."""
    return index * DAYS * 1440 // max(1, size) + draws.below(600)
