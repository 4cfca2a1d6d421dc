"""Spans of time are told in units that a reader has a feeling for."""

import pytest

from svc_tui.core.durations import age_words, offset_words, span_words


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (0.4, "0 s"),
        (599, "599 s"),
        (600, "10 min"),
        (1_201, "20 min 1 s"),
        (3_600, "1 h"),
        (3_725, "1 h 2 min"),
        (3_605, "1 h"),
        (86_400, "24 h"),
        (86_400 * 3 + 7_200, "3 d 2 h"),
        (-700, "11 min 40 s"),
    ],
)
def test_a_span_is_told_in_its_two_largest_units(seconds: float, words: str) -> None:
    assert span_words(seconds) == words


@pytest.mark.parametrize(("seconds", "words"), [(142, "+142 s"), (-86_400, "-24 h")])
def test_an_offset_has_its_sign(seconds: float, words: str) -> None:
    assert offset_words(seconds) == words


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(0, ""), (59.9, ""), (60, "1 min"), (3_599, "59 min"), (3_600, "1 h"), (86_399, "23 h"), (86_400 * 12.9, "12 d")],
)
def test_an_age_is_told_in_its_largest_unit(seconds: float, words: str) -> None:
    assert age_words(seconds) == words
