"""How well one colour can be read on another, by the contrast ratio of WCAG 2.2, and colours mixed so that it stays."""

from collections.abc import Collection
from functools import lru_cache

from svc_tui.core.settings import Palette

TEXT_CONTRAST = 4.5
"""The least contrast of words with what is behind them (AA)."""
HIGH_CONTRAST = 7.0
"""The same in a theme of high contrast (AAA)."""
_GROUNDS = ("background", "surface", "panel")
_STEPS = 24
"""In how many steps a colour is mixed less and less into another until words can be read."""


def contrast_ratio(one: str, other: str) -> float:
    """The contrast ratio of two colours written `#rrggbb`, from 1 (the same) to 21 (black on white)."""
    lighter, darker = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def blend_colors(color: str, over: str, share: float) -> str:
    """The first colour with a share, from 0 to 1, of the other one laid over it."""
    return "#" + "".join(
        f"{round(below + (above - below) * share):02x}" for below, above in zip(_rgb(color), _rgb(over), strict=True)
    )


def inks_of(palette: Palette) -> tuple[str, ...]:
    """The colours that a theme writes with."""
    return tuple(color for role, color in palette.roles().items() if role not in _GROUNDS)


def least_contrast(palette: Palette) -> float:
    """What every word of a theme keeps: the high contrast, where all its colours have that on all its grounds."""
    grounds = [palette.roles()[role] for role in _GROUNDS]
    least = min(contrast_ratio(ink, ground) for ink in inks_of(palette) for ground in grounds)
    return HIGH_CONTRAST if least >= HIGH_CONTRAST else TEXT_CONTRAST


def tinted_ground(ground: str, tint: str, share: float, inks: Collection[str], least: float) -> str:
    """The ground with as much of the tint as leaves all inks readable, at most `share`."""
    for step in range(_STEPS):
        tinted = blend_colors(ground, tint, share * (1 - step / _STEPS))
        if all(contrast_ratio(ink, tinted) >= least for ink in inks):
            return tinted
    return ground


@lru_cache(maxsize=4096)
def veil_colors(ink: str, ground: str, veil: str, share: float, least: float) -> tuple[str, str]:
    """The colours of a word and of what is behind it under a veil, which lets both through as far as `share` says.

    Where the word would have less than the least contrast, or than it had, the veil is thinner: first over the word,
    then over both.
    """
    least = min(least, contrast_ratio(ink, ground))
    shares = [share * (1 - step / _STEPS) for step in range(_STEPS)]
    for over_ink, over_ground in [*((thin, share) for thin in shares), *((thin, thin) for thin in shares)]:
        veiled = blend_colors(ink, veil, over_ink), blend_colors(ground, veil, over_ground)
        if contrast_ratio(*veiled) >= least:
            return veiled
    return ink, ground


def _luminance(color: str) -> float:
    """The relative luminance, from 0 to 1."""
    channels = [channel / 255 for channel in _rgb(color)]
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _rgb(color: str) -> tuple[int, int, int]:
    return int(color[1:3], 16), int(color[3:5], 16), int(color[5:7], 16)
