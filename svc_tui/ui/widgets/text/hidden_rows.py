"""Which rows of a long text are folded away, and what then stands on which line."""

from bisect import bisect_right
from collections.abc import Iterable
from itertools import accumulate


class HiddenRows:
    """Ranges of hidden rows: `ranges` hold first row and the one after the last; those inside others count once."""

    def __init__(self, ranges: Iterable[tuple[int, int]] = ()) -> None:
        apart: list[tuple[int, int]] = []
        for first, until in sorted(ranges):
            if not apart or first >= apart[-1][1]:
                apart.append((first, until))
        self._firsts = [first for first, _ in apart]
        self._untils = [until for _, until in apart]
        self._before = [0, *accumulate(until - first for first, until in apart)]
        # The line that the first row after a range would have.
        self._lines = [first - before for first, before in zip(self._firsts, self._before, strict=False)]

    @property
    def count(self) -> int:
        """How many rows are hidden."""
        return self._before[-1]

    def row_on(self, line: int) -> int:
        """The row that stands on a line."""
        return line + self._before[bisect_right(self._lines, line)]

    def line_of(self, row: int) -> int:
        """The line of a row; of a hidden one, that of the row above what hides it."""
        index = bisect_right(self._firsts, row)
        if index and row < self._untils[index - 1]:
            return self._firsts[index - 1] - 1 - self._before[index - 1]
        return row - self._before[index]
