"""The benchmarks measure what they say, on small sizes; nothing is asserted of how long it takes."""

import pytest

from tests.benchmarks.answers import measure_answer
from tests.benchmarks.filtering import TYPED, measure_filter
from tests.benchmarks.paints import painter, text


def test_every_key_of_every_filter_is_measured() -> None:
    figures = measure_filter(100)
    assert len(figures.keys) == sum(map(len, TYPED))
    assert figures.worst >= figures.median > 0


def test_keys_are_measured_while_an_answer_is_read() -> None:
    figures = measure_answer(20_000)
    assert figures.keys
    assert figures.whole >= figures.worst >= figures.median > 0


@pytest.mark.terminal
def test_a_key_is_timed_until_what_it_is_for_is_painted() -> None:
    with painter("pane", 1000) as table:
        table.begins(text("000002"))
        shown = b""

        def shows_the_last(painted: bytes) -> bool:
            nonlocal shown
            shown = painted
            return text("lot-001000")(painted)

        assert table.paints(b"G", shows_the_last) > 0
        assert b"lot-001000" in shown
