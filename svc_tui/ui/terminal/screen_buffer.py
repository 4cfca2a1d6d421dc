"""What the terminal shows, and what has to be written to have it show something else."""

import re
from collections.abc import Iterable
from typing import TypeAlias

from rich.cells import split_graphemes
from rich.console import Console
from rich.segment import Segment
from textual.geometry import Size
from textual.strip import Strip

_NARROW_CHARACTERS = (
    r"\x20-\x7e\xa1-\xac\xae-\u02ff\u0370-\u0482\u048a-\u052f"  # Latin, Greek and Cyrillic, without combining marks
    r"\u2010-\u2027\u2030-\u205e\u2190-\u22ff"  # dashes, quotes, arrows, signs of mathematics
    r"\u2500-\u25fc\u2713-\u2717"  # lines, blocks and shapes, ticks and crosses
)
_WIDE_CHARACTERS = (
    r"\u1100-\u115f\u2e80-\u3029\u3030-\u303e\u3041-\u3096\u309b-\u3247\u3250-\ua4c6"  # Chinese, Japanese, Korean
    r"\uac00-\ud7a3\uf900-\ufaff\uff01-\uff60\uffe0-\uffe6"
)
_NARROW = re.compile(f"[{_NARROW_CHARACTERS}]*")
"""Texts of which every terminal shows each character in one cell."""
_CERTAIN = re.compile(f"[{_NARROW_CHARACTERS}{_WIDE_CHARACTERS}]*")
"""Texts whose cells every terminal counts alike: the narrow ones, and the wide ones of Chinese, Japanese and Korean.

Of emoji, an older terminal may take one for narrow that a newer version of Unicode made wide (UAX 11).
"""

CellRun: TypeAlias = tuple[int, int, Strip]
"""Cells to be shown: the row, the column that they begin in, and what is in them."""


class ScreenBuffer:
    """The runs that each row of the terminal shows, by the column that they begin in."""

    def __init__(self) -> None:
        self._size = Size()
        self._rows: list[dict[int, Strip]] = []

    def forget(self) -> None:
        """Take nothing for shown any more: the terminal was cleared, lent to another program, or missed something."""
        self._rows = [{} for _ in range(self._size.height)]

    def update(self, size: Size, runs: Iterable[CellRun], console: Console) -> str:
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
            if before is not None and before.render(console) == strip.render(console):
                # They differ in what the terminal is not told, such as where a click on them leads.
                continue
            if (y, x) != (row, column):
                written.append(_at(y, x))
            written.append(_placed(strip, y, x, console))
            row, column = y, x + strip.cell_length
        return "".join(written)


def _placed(strip: Strip, y: int, x: int, console: Console) -> str:
    """Return what writes a strip, the cursor set anew around each character whose width a terminal may not know."""
    if all(_CERTAIN.fullmatch(segment.text) for segment in strip):
        return strip.render(console)
    written: list[str] = []
    for text, style, _ in strip:
        for start, end, cells in split_graphemes(text)[0]:
            character = Strip([Segment(text[start:end], style)]).render(console)
            if not _CERTAIN.fullmatch(text, start, end):
                blank = Strip([Segment(" " * cells, style)]).render(console)
                character = f"{blank}{_at(y, x)}{character}{_at(y, x + cells)}"
            written.append(character)
            x += cells
    return "".join(written)


def _at(y: int, x: int) -> str:
    return f"\x1b[{y + 1};{x + 1}H"


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
