"""Numbers as bars of block characters."""

from collections.abc import Sequence

_LOWER_BLOCKS = " ▁▂▃▄▅▆▇█"
_LEFT_BLOCKS = " ▏▎▍▌▋▊▉█"


def vertical_bars(counts: Sequence[int], each: int, rows: int) -> list[str]:
    """Bars beside each other, `each` cells wide and at most `rows` lines high; what is not nothing can be seen."""
    most = max(counts, default=0)
    heights = [0 if not count else max(1, round(8 * rows * count / most)) for count in counts]
    return [
        "".join(_LOWER_BLOCKS[max(0, min(8, height - 8 * row))] * each for height in heights)
        for row in reversed(range(rows))
    ]


def horizontal_bar(count: int, most: int, cells: int) -> str:
    """A bar from the left, `cells` wide where `count` is `most`; what is not nothing can be seen."""
    eighths = 0 if not count else max(1, round(8 * cells * count / most))
    full, rest = divmod(eighths, 8)
    return ("█" * full + (_LEFT_BLOCKS[rest] if rest else "")).ljust(cells)
