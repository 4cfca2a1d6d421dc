"""The progress of an export on one line of any width."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from svc_tui.records.progress import Progress, progress_line


@pytest.mark.parametrize(
    ("progress", "line"),
    [
        (Progress(0, None, 0.1), "0 records"),
        (Progress(1200, None, 4.0), "1,200 records  300/s"),
        (Progress(500, 1000, 0.5), "[###############---------------]  500 of 1,000 records"),
        (Progress(1000, 1000, 2.0), "[##############################]  1,000 of 1,000 records  500/s"),
        (Progress(30, 20, 0.1), "[##############################]  30 of 30 records"),
        (Progress(0, 0, 0.0), "0 of 0 records"),
        (Progress(50, None, 0.1, held=12), "50 records  429, retry in 12 s"),
    ],
)
def test_the_line_says_how_far_how_fast_and_what_is_waited_for(progress: Progress, line: str) -> None:
    assert progress_line(progress, 100) == line


def test_the_bar_gives_way_to_the_words() -> None:
    progress = Progress(500, 1000, 2.0)
    assert progress_line(progress, 50) == "[#########----------]  500 of 1,000 records  250/s"
    assert progress_line(progress, 35) == "500 of 1,000 records  250/s"


@given(
    st.builds(
        Progress,
        st.integers(0, 10**9),
        st.none() | st.integers(0, 10**9),
        st.floats(0, 10**6),
        st.none() | st.integers(0, 999),
    ),
    st.integers(1, 200),
)
def test_the_line_never_wraps(progress: Progress, width: int) -> None:
    assert len(progress_line(progress, width)) <= width
