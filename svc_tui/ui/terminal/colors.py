"""Colors on terminals that show 256, 16 or none: a theme's roles, and a filter for all that is drawn."""

from collections.abc import Mapping, Sequence
from colorsys import rgb_to_hsv
from enum import Enum
from functools import cache, lru_cache

from rich.color import Color as RichColor
from rich.color import ColorType
from rich.color_triplet import ColorTriplet
from rich.segment import Segment
from rich.style import Style
from textual.color import Color
from textual.filter import LineFilter

from svc_tui.core.contrast import contrast_ratio, inks_of, least_contrast, tinted_ground
from svc_tui.core.settings import Palette
from svc_tui.core.values import replace
from svc_tui.ui.terminal.abilities import ColorDepth

# The colors of a PC's text screen: terminals show them a little differently, but in this order of brightness.
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
"""The colors of xterm by number: 16 that users choose, and 240 that look the same everywhere."""

_MIN_CONTRAST_ON_GRAY, _MIN_CONTRAST_ON_COLOR = 2.65, 3.0
"""The least contrast of readable text on a gray background, and on one of another color."""
_KEPT_CONTRAST_SHARE = 0.7
"""The share of a contrast that is enough at 256 colors, where dim text can stay dim."""
_TEXT_CONTRAST = 1.65
"""The least contrast of readable text; rules, edges of scroll bars and hidden text have less."""
_RULE_COLORS = ((_BLUE, _BLACK), (_GRAY, _WHITE))
"""Rules and scroll bars at 16 colors, which have other contrasts."""
_MIN_CHROMA = 32
"""The least difference between the channels of a color that must not become a gray."""
_MIN_CHROMA_SHARE = {ColorDepth.FEW: 0.3, ColorDepth.MANY: 0.5}
"""The same as a share of the strongest channel: 256 colors include a gray near to each faint color."""
_MAX_HUE_SHIFT = {ColorDepth.FEW: 60, ColorDepth.MANY: 30}
"""The largest change of the hue of such a color, in degrees."""

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
"""The share of accent in the background of the cursor's line, if the text stays readable."""

_SOFT_SHADE, _STRONG_SHADE = "#404040", "#ffffff"
_SHADE_ROLES = {
    **dict.fromkeys(_DARK_ROLES, _STRONG_SHADE),
    "background": "#000000",
    "surface": "#000000",
    "panel": _SOFT_SHADE,
    "muted": "#808080",
}
_SOFT_CONTRAST, _STRONG_CONTRAST = 1.3, 3.0
"""Contrasts with black: of the softest visible background, and of the softest that is shown inverse."""
_DIM_CONTRAST = 6.0
"""The contrast with its background below which a character is dim."""


def adapt_palette(palette: Palette, depth: ColorDepth) -> Palette:
    """Return the theme as a terminal of this depth can show it; the name stays.

    At 16 colors all dark themes are the same, and all light ones. Without colors, roles are shades, which
    `choose_emphasis` turns into attributes.
    """
    if depth is ColorDepth.FEW:
        chosen = _DARK_ROLES if palette.dark else _LIGHT_ROLES
        return _with_roles(palette, {role: _ANSI_COLORS[number] for role, number in chosen.items()})
    if depth is ColorDepth.NONE:
        return _with_roles(replace(palette, dark=True), _SHADE_ROLES)
    return palette


def cursor_line_ground(palette: Palette, depth: ColorDepth = ColorDepth.FULL) -> str:
    """Return the background of the cursor's line: a quarter of accent, or as much as leaves all text readable."""
    # With few colors it only has to differ from others: `nearest_colors` chooses the color, and keeps text readable.
    mixed = depth in (ColorDepth.FEW, ColorDepth.NONE)
    palette = adapt_palette(palette, depth)
    inks = () if mixed else inks_of(palette)
    return tinted_ground(palette.background, palette.accent, _CURSOR_TINT, inks, least_contrast(palette))


def _with_roles(palette: Palette, roles: Mapping[str, str]) -> Palette:
    return Palette(palette.name, palette.title, palette.dark, **roles)


# The filter


class Emphasis(Enum):
    """The style in place of a background where there are no colors."""

    NONE = "none"
    UNDERLINED = "underlined"
    INVERSE = "inverse"


_EMPHASIS_STYLES = {
    Emphasis.NONE: Style(),
    Emphasis.UNDERLINED: Style(underline=True),
    Emphasis.INVERSE: Style(reverse=True),
}
_DIM = Style(dim=True)


class ColorDepthFilter(LineFilter):
    """A filter that replaces every color with one that the terminal has; the last filter of an app."""

    def __init__(self, depth: ColorDepth) -> None:
        super().__init__()
        self._depth = depth

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        """Return the segments in fewer colors; each has a color and a background."""
        behind = background.rich_color
        return [
            segment
            if segment.style is None
            else Segment(segment.text, _reduce_style(segment.style, behind, self._depth))
            for segment in segments
        ]


@lru_cache(maxsize=16384)
def _reduce_style(style: Style, behind: RichColor, depth: ColorDepth) -> Style:
    ink, ground = _true_color(style.color or behind), _true_color(style.bgcolor or behind)
    if style.reverse:
        # The background has to be known here, and inverse is used on terminals without colors only.
        ink, ground = ground, ink
    plain = style.without_color + Style(reverse=False)
    if style.meta:
        plain += Style.from_meta(style.meta)
    if depth is ColorDepth.NONE:
        emphasis, dim = choose_emphasis(ink.hex, ground.hex)
        if emphasis is Emphasis.INVERSE:
            ink, ground = ground, ink
        return (
            plain
            + _EMPHASIS_STYLES[emphasis]
            + (_DIM if dim else Style())
            + Style(color=_terminal_color(ink, ColorType.DEFAULT), bgcolor=_terminal_color(ground, ColorType.DEFAULT))
        )
    before, at = nearest_colors(ink.hex, ground.hex, depth)
    ink = ColorTriplet(*bytes.fromhex(XTERM_COLORS[before][1:]))
    kind = ColorType.EIGHT_BIT
    if depth is ColorDepth.FEW:
        kind = ColorType.STANDARD
        plain += Style(bold=False) if unreadable_in_bold(before, at) else Style()
    return plain + Style(color=_terminal_color(ink, kind, before), bgcolor=_terminal_color(ground, kind, at))


def _terminal_color(color: ColorTriplet, kind: ColorType, number: int | None = None) -> RichColor:
    """Return a color of the terminal that keeps its RGB value: a screen under a dialog is drawn again, dimmer."""
    return RichColor(color.hex, kind, number, color)


def _true_color(color: RichColor) -> ColorTriplet:
    return color.triplet or color.get_truecolor()


def nearest_colors(ink: str, ground: str, depth: ColorDepth) -> tuple[int, int]:
    """Return the numbers of the colors nearest to a character's and its background's, both `#rrggbb`; for FEW and MANY.

    A readable character stays readable. At 16 colors, white is the only bright background: not every such terminal has
    the others.
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
    """Return True if bold would make the character unreadable: many terminals of 16 colors brighten bold text."""
    return before == _BLACK and behind not in (_GRAY, _WHITE)


def _black_or_white_on(behind: int, depth: ColorDepth) -> int:
    """Return black or white, whichever has more contrast."""
    black, white = (_BLACK, _WHITE) if depth is ColorDepth.FEW else (16, 231)
    ground = XTERM_COLORS[behind]
    return black if contrast_ratio(XTERM_COLORS[black], ground) > contrast_ratio(XTERM_COLORS[white], ground) else white


def choose_emphasis(ink: str, ground: str) -> tuple[Emphasis, bool]:
    """Return the style in place of the background, and True if the character is dim; for terminals without colors.

    A soft background (the cursor's row, an input) is underlined, a strong one (the cursor, LIVE) inverse.
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
    """Return the number of the nearest color of about the same hue; at 256 colors none of those that users choose."""
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
    """Return the degrees between the hues of two colors."""
    turn = 360 * abs(rgb_to_hsv(*_rgb(one))[0] - rgb_to_hsv(*_rgb(other))[0])
    return min(turn, 360 - turn)


def _color_distance(one: str, other: str) -> float:
    """Return about how different two colors look ("redmean")."""
    (red, green, blue), (red2, green2, blue2) = _rgb(one), _rgb(other)
    mean = (red + red2) / 2
    return (
        (2 + mean / 256) * (red - red2) ** 2
        + 4 * (green - green2) ** 2
        + (2 + (255 - mean) / 256) * (blue - blue2) ** 2
    )


def _rgb(color: str) -> tuple[int, int, int]:
    return int(color[1:3], 16), int(color[3:5], 16), int(color[5:7], 16)
