"""What the terminal shows, and what has to be written to have it show something else."""

import re
from collections.abc import Iterable
from functools import lru_cache
from itertools import repeat
from typing import TypeAlias

from rich.cells import split_graphemes
from rich.console import Console
from rich.segment import Segment
from rich.style import Style
from textual.geometry import Size
from textual.strip import Strip

_NARROW_CHARACTERS = (
    r"\x20-\x7e\xa1-\xac\xae-\u02ff\u0370-\u0482\u048a-\u052f"  # Latin, Greek and Cyrillic, without combining marks
    r"\u2010-\u2027\u2030-\u205e\u2190-\u22ff\u23ce"  # dashes, quotes, arrows, signs of mathematics, the return key
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

_NO_STYLE = Style.null()

CellRun: TypeAlias = tuple[int, int, Strip]
"""Cells to be shown: the row, the column that they begin in, and what is in them."""

_Look: TypeAlias = tuple[Style, str | None]
"""The style of a character, and the address of its hyperlink; None without one."""

_Cell: TypeAlias = tuple[str, _Look] | None
"""What a cell shows, "" where that is the right half of the cell before it; None: not known."""


class ScreenBuffer:
    """What each cell of the terminal shows."""

    def __init__(self) -> None:
        self._size = Size()
        self._rows: list[list[_Cell]] = []

    def forget(self) -> None:
        """Take nothing for shown any more: the terminal was cleared, lent to another program, or missed something."""
        self._rows = [[None] * self._size.width for _ in range(self._size.height)]

    def update(self, size: Size, runs: Iterable[CellRun], console: Console) -> str:
        """What is to be written to a terminal of that size to have it show the runs; "" where it does already."""
        if size != self._size:
            self._size = size
            self.forget()
        written: list[str] = []
        row, column = -1, -1
        for y, x, strip in runs:
            shown, cells = self._rows[y], _cells(strip)
            end = x + len(cells)
            if shown[x:end] == cells:
                continue
            # Half of a wide character is not itself any more.
            for edge in (x, end):
                if 0 < edge < len(shown) and _is_right_half(shown[edge]):
                    shown[edge - 1] = shown[edge] = None
            shown[x:end] = cells
            if (y, x) != (row, column):
                written.append(_at(y, x))
            written.append(_placed(strip, y, x, console))
            row, column = y, end
        return "".join(written)


def _cells(strip: Strip) -> list[_Cell]:
    """Return what each cell of a strip shows."""
    cells: list[_Cell] = []
    for text, style, _ in strip:
        look = _look(style or _NO_STYLE)
        if _NARROW.fullmatch(text):
            cells.extend(zip(text, repeat(look)))
            continue
        for start, end, width in split_graphemes(text)[0]:
            cells.extend([(text[start:end], look), *[("", look)] * (width - 1)][:width])
    return cells


def _is_right_half(cell: _Cell) -> bool:
    return cell is not None and not cell[0]


@lru_cache(2048)
def _look(style: Style) -> _Look:
    """Return what of a style reaches the terminal: no click actions of the program."""
    return style.clear_meta_and_links(), style.link


def _placed(strip: Strip, y: int, x: int, console: Console) -> str:
    """Return what writes a strip, the cursor set anew around each character whose width a terminal may not know."""
    if all(_CERTAIN.fullmatch(segment.text) for segment in strip):
        return strip.render(console)
    written: list[str] = []
    for segment in strip:
        text, style, _ = segment
        if _CERTAIN.fullmatch(text):
            written.append(Strip([segment]).render(console))
            x += segment.cell_length
            continue
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
