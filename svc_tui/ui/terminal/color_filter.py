"""A filter that draws with the colors of the terminal: 256, 16, or attributes in place of colors."""

from functools import lru_cache

from rich.color import Color as RichColor
from rich.color import ColorType
from rich.color_triplet import ColorTriplet
from rich.segment import Segment
from rich.style import Style
from textual.color import Color
from textual.filter import LineFilter

from svc_tui.ui.terminal.abilities import ColorDepth
from svc_tui.ui.terminal.colors import (
    XTERM_COLORS,
    Emphasis,
    choose_emphasis,
    nearest_colors,
    unreadable_in_bold,
)

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
