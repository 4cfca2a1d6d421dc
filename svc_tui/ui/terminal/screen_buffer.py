"""What the terminal shows, and what has to be written to have it show something else."""

import re
from collections.abc import Iterable
from typing import TypeAlias

from rich.console import Console
from textual.geometry import Size
from textual.strip import Strip

_NARROW = re.compile(
    "["
    r"\x20-\x7e\xa1-\xac\xae-\u02ff\u0370-\u0482\u048a-\u052f"  # Latin, Greek and Cyrillic, without combining marks
    r"\u2010-\u2027\u2030-\u205e\u2190-\u22ff"  # dashes, quotes, arrows, signs of mathematics
    r"\u2500-\u25fc\u2713-\u2717"  # lines, blocks and shapes, ticks and crosses
    "]*"
)
"""Texts of which every terminal shows each character in one cell."""

Run: TypeAlias = tuple[int, int, Strip]
"""Cells to be shown: the row, the column that they begin in, and what is in them."""


class ScreenBuffer:
    """The runs that each row of the terminal shows, by the column that they begin in."""

    def __init__(self) -> None:
        self._size = Size()
        self._rows: list[dict[int, Strip]] = []

    def forget(self) -> None:
        """Take nothing for shown any more: the terminal was cleared, lent to another program, or missed something."""
        self._rows = [{} for _ in range(self._size.height)]

    def update(self, size: Size, runs: Iterable[Run], console: Console) -> str:
        """What is to be written to a terminal of that size to have it show the runs; "" where it does already."""
        if size != self._size:
            self._size = size
            self.forget()
        written: list[str] = []
        row, column = -1, -1
        for y, x, strip in runs:
            shown = self._rows[y]
            before = shown.get(x)
            if before is None or before.cell_length != strip.cell_length:
                before = _cut_out(shown, x, strip.cell_length)
            shown[x] = strip
            if before is strip or before == strip:
                continue
            sequence = strip.render(console)
            if before is not None and before.render(console) == sequence:
                # They differ in what the terminal is not told, such as where a click on them leads.
                continue
            if (y, x) != (row, column):
                written.append(f"\x1b[{y + 1};{x + 1}H")
            written.append(sequence)
            row, column = y, x + strip.cell_length
        return "".join(written)


def _cut_out(shown: dict[int, Strip], start: int, length: int) -> Strip | None:
    """Take the cells from `start` on out of the runs of a row; what they show, None where that is not known."""
    end = start + length
    inside: list[Strip] = []
    known = start
    for x in sorted(shown):
        strip = shown[x]
        until = x + strip.cell_length
        if until <= start or x >= end:
            continue
        del shown[x]
        if not all(_NARROW.fullmatch(segment.text) for segment in strip):
            # A wide character that the edge goes through is shown whole, and cut in two it is not itself any more: the
            # whole run is to be written again.
            known = -1
            continue
        if x < start:
            shown[x] = strip.crop(0, start - x)
        if until > end:
            shown[end] = strip.crop(end - x)
        if known == max(x, start):
            inside.append(strip.crop(max(0, start - x), min(until, end) - x))
            known = min(until, end)
    return Strip.join(inside) if known == end else None
