"""How many colours a terminal shows, and what becomes of a theme's colours where it shows few or none."""

from collections.abc import Mapping, Sequence
from colorsys import rgb_to_hsv
from dataclasses import replace
from enum import Enum
from functools import cache

from svc_tui.domain.app.contrast import contrast
from svc_tui.domain.model.settings import Palette


class Depth(Enum):
    """How many colours a terminal shows."""

    NONE = "no colours"
    FEW = "16 colours"
    MANY = "256 colours"
    FULL = "every colour"


def depth_of(variables: Mapping[str, str], known: int | None) -> Depth:
    """The depth of the terminal that the environment describes.

    `known` is the number of colours that terminfo has for `TERM`, negative for none, None where it knows nothing of it.
    `NO_COLOR` beats everything (no-color.org: whatever it holds, unless it is empty).
    """
    if variables.get("NO_COLOR"):
        return Depth.NONE
    term = variables.get("TERM", "")
    # GNU screen hands COLORTERM on from the terminal around it, and takes 24-bit colours for blinking and the like.
    if not variables.get("STY") and variables.get("COLORTERM", "").lower() in ("truecolor", "24bit"):
        return Depth.FULL
    if known is None:
        known = 256 if "256" in term else 1 << 24 if term.endswith("-direct") else -1 if term == "dumb" else 16
    if known < 8:
        return Depth.NONE
    return Depth.FEW if known < 256 else Depth.MANY if known < 1 << 24 else Depth.FULL


# The colours of a PC's text screen: terminals show them a little differently, but in this order of brightness.
_SIXTEEN = (
    *("#000000", "#aa0000", "#00aa00", "#aa5500", "#0000aa", "#aa00aa", "#00aaaa", "#aaaaaa"),
    *("#555555", "#ff5555", "#55ff55", "#ffff55", "#5555ff", "#ff55ff", "#55ffff", "#ffffff"),
)
_BLACK, _WHITE = 0, 15
_BLUE, _GREY, _DARK_GREY = 4, 7, 8

_STEPS = (0, 95, 135, 175, 215, 255)
_CUBE = tuple(f"#{red:02x}{green:02x}{blue:02x}" for red in _STEPS for green in _STEPS for blue in _STEPS)
_GREYS = tuple(f"#{grey:02x}{grey:02x}{grey:02x}" for grey in range(8, 248, 10))

TABLE: Sequence[str] = (*_SIXTEEN, *_CUBE, *_GREYS)
"""The colours of xterm by number: 16 that users choose, and 240 that look the same everywhere."""

_LEGIBLE, _LEGIBLE_ON_COLOUR = 2.65, 3.0
"""The least contrast of a character that was to be read with a grey ground, and with one of another colour."""
_KEPT = 0.7
"""The share of a contrast that is enough at 256 colours, where what is dim can stay dim."""
_TO_BE_READ = 1.65
"""The least contrast of what is to be read; below it are rules, the edges of scroll bars, and what is hidden."""
_BARS = ((_BLUE, _BLACK), (_GREY, _WHITE))
"""Rules and scroll bars at 16 colours, which have contrasts of their own."""
_TINTED = 32
"""By how much the channels of a colour differ at least where it is not to become a grey."""
_SHARE = {Depth.FEW: 0.3, Depth.MANY: 0.5}
"""By which share of the strongest channel, besides: of 256 colours there is a grey near to a faint colour."""
_HUES = {Depth.FEW: 60, Depth.MANY: 30}
"""How far the hue of such a colour may be turned, in degrees."""

_FEW_DARK = {
    "background": 0,
    "surface": 0,
    "panel": _BLUE,
    "foreground": _WHITE,
    "muted": _GREY,
    "accent": 14,
    "ok": 10,
    "warning": 11,
    "danger": 9,
    "live": 9,
    "sandbox": 10,
    "changed": 11,
    "marked": 13,
    "reference": 14,
    "number": _WHITE,
    "text": _WHITE,
    "time": _WHITE,
}
_FEW_LIGHT = {
    "background": _WHITE,
    "surface": _WHITE,
    "panel": _GREY,
    "foreground": 0,
    "muted": _DARK_GREY,
    "accent": _BLUE,
    # Green, yellow and cyan can't be read on white.
    "ok": _BLUE,
    "warning": 5,
    "danger": 1,
    "live": 1,
    "sandbox": _BLUE,
    "changed": 5,
    "marked": 5,
    "reference": _BLUE,
    "number": 0,
    "text": 0,
    "time": 0,
}

_SOFT, _STRONG = "#404040", "#ffffff"
_NONE = {
    **dict.fromkeys(_FEW_DARK, _STRONG),
    "background": "#000000",
    "surface": "#000000",
    "panel": _SOFT,
    "muted": "#808080",
}
_SOFT_FROM, _STRONG_FROM = 1.3, 3.0
"""Contrasts with black: of the softest ground that is to be seen, and of the softest that is inverse."""
_DIM_BELOW = 6.0
"""A character of less contrast with its ground is dim."""


def palette_for(palette: Palette, depth: Depth) -> Palette:
    """The theme as a terminal of this depth can show it; the name stays.

    At 16 colours every dark theme is the same, and every light one; without colours roles are shades, which `stressed`
    turns into attributes.
    """
    if depth is Depth.FEW:
        chosen = _FEW_DARK if palette.dark else _FEW_LIGHT
        return _painted(palette, {role: _SIXTEEN[number] for role, number in chosen.items()})
    if depth is Depth.NONE:
        return _painted(replace(palette, dark=True), _NONE)
    return palette


def _painted(palette: Palette, roles: Mapping[str, str]) -> Palette:
    return Palette(palette.name, palette.title, palette.dark, **roles)


def numbered(ink: str, ground: str, depth: Depth) -> tuple[int, int]:
    """The numbers of the colours nearest to a character's and its ground's, both `#rrggbb`; for FEW and MANY.

    A character that can be told from its ground can be told from it afterwards. At 16 colours a ground is none of the
    bright ones but white: not every such terminal has them.
    """
    before, behind = _nearest(ink, depth), _nearest(ground, depth)
    if depth is Depth.FEW and _DARK_GREY <= behind < _WHITE:
        behind = behind - 8 or _BLUE
    was = contrast(ink, ground)
    least = _LEGIBLE_ON_COLOUR if _tint(TABLE[behind]) else _LEGIBLE
    if depth is Depth.MANY:
        least = min(least, _KEPT * was)
    read = was > _TO_BE_READ and (before, behind) not in _BARS
    if read and contrast(TABLE[before], TABLE[behind]) < least:
        before = _plain_on(behind, depth)
    return before, behind


def too_bold(before: int, behind: int) -> bool:
    """Whether bold would take a character from its ground: many terminals of 16 colours brighten what is bold."""
    return before == _BLACK and behind not in (_GREY, _WHITE)


def _plain_on(behind: int, depth: Depth) -> int:
    """Black or white, whichever is read better."""
    black, white = (_BLACK, _WHITE) if depth is Depth.FEW else (16, 231)
    ground = TABLE[behind]
    return black if contrast(TABLE[black], ground) > contrast(TABLE[white], ground) else white


class Stress(Enum):
    """What stands in for a ground where there are no colours."""

    NONE = "none"
    UNDERLINED = "underlined"
    INVERSE = "inverse"


def stressed(ink: str, ground: str) -> tuple[Stress, bool]:
    """What stands in for the ground, and whether the character is dim; in the shades of `palette_for` without colours.

    A soft ground (the cursor's row, a line to type in) is underlined, a strong one (the cursor, LIVE) inverse.
    """
    strength = contrast(ground, "#000000")
    stress = (
        Stress.INVERSE if strength >= _STRONG_FROM else Stress.UNDERLINED if strength >= _SOFT_FROM else Stress.NONE
    )
    return stress, contrast(ink, ground) < _DIM_BELOW


@cache
def _nearest(colour: str, depth: Depth) -> int:
    """The number of the nearest colour, of about the same hue; at 256 colours none of those that users choose."""
    numbers: Sequence[int] = range(16) if depth is Depth.FEW else range(16, 256)
    if _tint(colour) > max(_TINTED, _SHARE[depth] * max(_rgb(colour))):
        numbers = [n for n in numbers if _tint(TABLE[n]) and _turn(colour, TABLE[n]) <= _HUES[depth]]
    return min(numbers, key=lambda number: _distance(colour, TABLE[number]))


def _tint(colour: str) -> int:
    channels = _rgb(colour)
    return max(channels) - min(channels)


def _turn(one: str, other: str) -> float:
    """The degrees between the hues of two colours."""
    turn = 360 * abs(rgb_to_hsv(*_rgb(one))[0] - rgb_to_hsv(*_rgb(other))[0])
    return min(turn, 360 - turn)


def _distance(one: str, other: str) -> float:
    """How far two colours are apart to the eye, nearly ("redmean")."""
    (red, green, blue), (red2, green2, blue2) = _rgb(one), _rgb(other)
    mean = (red + red2) / 2
    return (
        (2 + mean / 256) * (red - red2) ** 2
        + 4 * (green - green2) ** 2
        + (2 + (255 - mean) / 256) * (blue - blue2) ** 2
    )


def _rgb(colour: str) -> tuple[int, int, int]:
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)
