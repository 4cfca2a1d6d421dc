"""How many colours a terminal shows, and what becomes of a theme's colours where it shows few or none."""

from collections.abc import Mapping, Sequence
from colorsys import rgb_to_hsv
from enum import Enum
from functools import cache

from svc_tui.core.contrast import contrast_ratio, inks_of, least_contrast, tinted_ground
from svc_tui.core.settings import Palette
from svc_tui.core.values import replace


class ColorDepth(Enum):
    """How many colours a terminal shows."""

    NONE = "no colors"
    FEW = "16 colors"
    MANY = "256 colors"
    FULL = "24-bit color"


def detect_color_depth(variables: Mapping[str, str], known: int | None) -> ColorDepth:
    """The depth of the terminal that the environment describes.

    `known` is the number of colours that terminfo has for `TERM`, negative for none, None where it knows nothing of it.
    `NO_COLOR` beats everything (no-color.org: whatever it holds, unless it is empty).
    """
    if variables.get("NO_COLOR"):
        return ColorDepth.NONE
    term = variables.get("TERM", "")
    # GNU screen hands COLORTERM on from the terminal around it, and takes 24-bit colours for blinking and the like.
    if not variables.get("STY") and variables.get("COLORTERM", "").lower() in ("truecolor", "24bit"):
        return ColorDepth.FULL
    if known is None:
        known = 256 if "256" in term else 1 << 24 if term.endswith("-direct") else -1 if term == "dumb" else 16
    if known < 8:
        return ColorDepth.NONE
    return ColorDepth.FEW if known < 256 else ColorDepth.MANY if known < 1 << 24 else ColorDepth.FULL


# The colours of a PC's text screen: terminals show them a little differently, but in this order of brightness.
_ANSI_COLORS = (
    *("#000000", "#aa0000", "#00aa00", "#aa5500", "#0000aa", "#aa00aa", "#00aaaa", "#aaaaaa"),
    *("#555555", "#ff5555", "#55ff55", "#ffff55", "#5555ff", "#ff55ff", "#55ffff", "#ffffff"),
)
_BLACK, _WHITE = 0, 15
_BLUE, _GRAY, _DARK_GRAY = 4, 7, 8

_CUBE_LEVELS = (0, 95, 135, 175, 215, 255)
_CUBE = tuple(
    f"#{red:02x}{green:02x}{blue:02x}" for red in _CUBE_LEVELS for green in _CUBE_LEVELS for blue in _CUBE_LEVELS
)
_GRAYS = tuple(f"#{grey:02x}{grey:02x}{grey:02x}" for grey in range(8, 248, 10))

XTERM_COLORS: Sequence[str] = (*_ANSI_COLORS, *_CUBE, *_GRAYS)
"""The colours of xterm by number: 16 that users choose, and 240 that look the same everywhere."""

_MIN_CONTRAST_ON_GRAY, _MIN_CONTRAST_ON_COLOR = 2.65, 3.0
"""The least contrast of a character that was to be read with a grey ground, and with one of another colour."""
_KEPT_CONTRAST_SHARE = 0.7
"""The share of a contrast that is enough at 256 colours, where what is dim can stay dim."""
_TEXT_CONTRAST = 1.65
"""The least contrast of what is to be read; below it are rules, the edges of scroll bars, and what is hidden."""
_RULE_COLORS = ((_BLUE, _BLACK), (_GRAY, _WHITE))
"""Rules and scroll bars at 16 colours, which have contrasts of their own."""
_MIN_CHROMA = 32
"""By how much the channels of a colour differ at least where it is not to become a grey."""
_MIN_CHROMA_SHARE = {ColorDepth.FEW: 0.3, ColorDepth.MANY: 0.5}
"""By which share of the strongest channel, besides: of 256 colours there is a grey near to a faint colour."""
_MAX_HUE_SHIFT = {ColorDepth.FEW: 60, ColorDepth.MANY: 30}
"""How far the hue of such a colour may be turned, in degrees."""

_DARK_ROLES = {
    "background": 0,
    "surface": 0,
    "panel": _BLUE,
    "foreground": _WHITE,
    "muted": _GRAY,
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
_LIGHT_ROLES = {
    "background": _WHITE,
    "surface": _WHITE,
    "panel": _GRAY,
    "foreground": 0,
    "muted": _DARK_GRAY,
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

_CURSOR_TINT = 0.25
"""The share of accent in the ground of the line with the cursor, where words stay readable."""

_SOFT_SHADE, _STRONG_SHADE = "#404040", "#ffffff"
_SHADE_ROLES = {
    **dict.fromkeys(_DARK_ROLES, _STRONG_SHADE),
    "background": "#000000",
    "surface": "#000000",
    "panel": _SOFT_SHADE,
    "muted": "#808080",
}
_SOFT_CONTRAST, _STRONG_CONTRAST = 1.3, 3.0
"""Contrasts with black: of the softest ground that is to be seen, and of the softest that is inverse."""
_DIM_CONTRAST = 6.0
"""A character of less contrast with its ground is dim."""


def adapt_palette(palette: Palette, depth: ColorDepth) -> Palette:
    """The theme as a terminal of this depth can show it; the name stays.

    At 16 colours every dark theme is the same, and every light one; without colours roles are shades, which
    `choose_emphasis`
    turns into attributes.
    """
    if depth is ColorDepth.FEW:
        chosen = _DARK_ROLES if palette.dark else _LIGHT_ROLES
        return _with_roles(palette, {role: _ANSI_COLORS[number] for role, number in chosen.items()})
    if depth is ColorDepth.NONE:
        return _with_roles(replace(palette, dark=True), _SHADE_ROLES)
    return palette


def cursor_line_ground(palette: Palette, depth: ColorDepth = ColorDepth.FULL) -> str:
    """The ground of the line with the cursor: a quarter of accent, or as much as leaves all words readable."""
    # With few colours it is mixed to be told from others: which of them it becomes, and the words, is seen to later.
    mixed = depth in (ColorDepth.FEW, ColorDepth.NONE)
    palette = adapt_palette(palette, depth)
    inks = () if mixed else inks_of(palette)
    return tinted_ground(palette.background, palette.accent, _CURSOR_TINT, inks, least_contrast(palette))


def _with_roles(palette: Palette, roles: Mapping[str, str]) -> Palette:
    return Palette(palette.name, palette.title, palette.dark, **roles)


def nearest_colors(ink: str, ground: str, depth: ColorDepth) -> tuple[int, int]:
    """The numbers of the colours nearest to a character's and its ground's, both `#rrggbb`; for FEW and MANY.

    A character that can be told from its ground can be told from it afterwards. At 16 colours a ground is none of the
    bright ones but white: not every such terminal has them.
    """
    before, behind = _nearest_color(ink, depth), _nearest_color(ground, depth)
    if depth is ColorDepth.FEW and _DARK_GRAY <= behind < _WHITE:
        behind = behind - 8 or _BLUE
    was = contrast_ratio(ink, ground)
    least = _MIN_CONTRAST_ON_COLOR if _chroma(XTERM_COLORS[behind]) else _MIN_CONTRAST_ON_GRAY
    if depth is ColorDepth.MANY:
        least = min(least, _KEPT_CONTRAST_SHARE * was)
    read = was > _TEXT_CONTRAST and (before, behind) not in _RULE_COLORS
    if read and contrast_ratio(XTERM_COLORS[before], XTERM_COLORS[behind]) < least:
        before = _black_or_white_on(behind, depth)
    return before, behind


def unreadable_in_bold(before: int, behind: int) -> bool:
    """Whether bold would take a character from its ground: many terminals of 16 colours brighten what is bold."""
    return before == _BLACK and behind not in (_GRAY, _WHITE)


def _black_or_white_on(behind: int, depth: ColorDepth) -> int:
    """Black or white, whichever is read better."""
    black, white = (_BLACK, _WHITE) if depth is ColorDepth.FEW else (16, 231)
    ground = XTERM_COLORS[behind]
    return black if contrast_ratio(XTERM_COLORS[black], ground) > contrast_ratio(XTERM_COLORS[white], ground) else white


class Emphasis(Enum):
    """The style in place of a background where there are no colours."""

    NONE = "none"
    UNDERLINED = "underlined"
    INVERSE = "inverse"


def choose_emphasis(ink: str, ground: str) -> tuple[Emphasis, bool]:
    """Return the style in place of the background, and whether the character is dim, where there are no colours.

    A soft ground (the cursor's row, a line to type in) is underlined, a strong one (the cursor, LIVE) inverse.
    """
    strength = contrast_ratio(ground, "#000000")
    emphasis = (
        Emphasis.INVERSE
        if strength >= _STRONG_CONTRAST
        else Emphasis.UNDERLINED
        if strength >= _SOFT_CONTRAST
        else Emphasis.NONE
    )
    return emphasis, contrast_ratio(ink, ground) < _DIM_CONTRAST


@cache
def _nearest_color(color: str, depth: ColorDepth) -> int:
    """The number of the nearest colour, of about the same hue; at 256 colours none of those that users choose."""
    numbers: Sequence[int] = range(16) if depth is ColorDepth.FEW else range(16, 256)
    if _chroma(color) > max(_MIN_CHROMA, _MIN_CHROMA_SHARE[depth] * max(_rgb(color))):
        numbers = [
            n
            for n in numbers
            if _chroma(XTERM_COLORS[n]) and _hue_difference(color, XTERM_COLORS[n]) <= _MAX_HUE_SHIFT[depth]
        ]
    return min(numbers, key=lambda number: _color_distance(color, XTERM_COLORS[number]))


def _chroma(color: str) -> int:
    channels = _rgb(color)
    return max(channels) - min(channels)


def _hue_difference(one: str, other: str) -> float:
    """The degrees between the hues of two colours."""
    turn = 360 * abs(rgb_to_hsv(*_rgb(one))[0] - rgb_to_hsv(*_rgb(other))[0])
    return min(turn, 360 - turn)


def _color_distance(one: str, other: str) -> float:
    """How far two colours are apart to the eye, nearly ("redmean")."""
    (red, green, blue), (red2, green2, blue2) = _rgb(one), _rgb(other)
    mean = (red + red2) / 2
    return (
        (2 + mean / 256) * (red - red2) ** 2
        + 4 * (green - green2) ** 2
        + (2 + (255 - mean) / 256) * (blue - blue2) ** 2
    )


def _rgb(color: str) -> tuple[int, int, int]:
    return int(color[1:3], 16), int(color[3:5], 16), int(color[5:7], 16)
