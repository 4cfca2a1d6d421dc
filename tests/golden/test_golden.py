"""The program does what the recorded traces say: see `python -m tests.golden`."""

import pytest

from tests.golden.__main__ import describe_difference, make_trace, read_trace
from tests.golden.uses import USES

pytestmark = pytest.mark.terminal


@pytest.mark.parametrize("name", USES)
def test_the_trace_is_as_recorded(name: str) -> None:
    recorded = read_trace(name)
    difference = describe_difference(name, recorded, make_trace(name, expected=recorded))
    assert not difference, difference
