"""The known name that is nearest to a misspelled one, or none."""

import pytest

from svc_tui.core.spelling import nearest_name

SETTINGS = [
    "theme", "keys", "Default", "live_unlock_minutes", "history_limit", "history_bodies", "hints", "reader", "massKg",
    "api_key", "signing_secret", "base_url", "sandbox_base_url", "segment", "routes", "columns", "priority",
]  # fmt: skip


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("thme", "theme"),
        ("THEME", "theme"),
        ("default", "Default"),
        ("teh", None),
        ("themse", "theme"),
        ("htnis", None),
        ("hitns", "hints"),
        ("proirity", "priority"),
        ("unlock_minutes", "live_unlock_minutes"),
        ("live_unlock_time", None),
        ("sandbox_url", "sandbox_base_url"),
        ("url", "base_url"),
        ("secret", "signing_secret"),
        ("mass", "massKg"),
        ("kg_mass", "massKg"),
        ("theme_name", "theme"),
        # Equally near to two, or near to none.
        ("history", None),
        *[(other, None) for other in ("teams", "retries", "colour", "zzz", "", "x", "live_url", "_")],
    ],
)
def test_the_nearest_name_is_offered_as_it_is_spelled_or_none(typed: str, meant: str | None) -> None:
    assert nearest_name(typed, SETTINGS) == meant


def test_nothing_is_near_where_nothing_is_known() -> None:
    assert nearest_name("theme", []) is None
