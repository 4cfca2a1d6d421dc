"""Times: what reads as one, and what only looks like one."""

import pytest

from svc_tui.core.times import parse_time


@pytest.mark.parametrize("text", ["2026-11-20T05:12:00Z", "0001-01-01T00:00:00Z", "9999-12-31T23:59:59Z"])
def test_a_time_to_the_second_is_the_same_moment_however_its_zone_is_written(text: str) -> None:
    assert parse_time(text) is not None
    assert parse_time(text) == parse_time(text[:-1] + "+00:00") == parse_time(text.lower())


@pytest.mark.parametrize(
    "text",
    [
        "2026-13-20T05:12:00Z",
        "2026-02-30T05:12:00Z",
        "2026-11-20T05:60:00Z",
        "2026-1x-20T05:12:00Z",
        "２０２６-11-20T05:12:00Z",
        "+026-11-20T05:12:00Z",
        "2026-11-2 T05:12:00Z",
        "\ud8002026-11-0T05:12:0Z",
        "202\ud800-11-20T05:12:00Z",
    ],
)
def test_what_only_looks_like_a_time_is_none(text: str) -> None:
    assert parse_time(text) is None
