"""Draws with the colours that a terminal has: 256, 16, or none and attributes in their place."""

from functools import lru_cache

from rich.color import Color as RichColor
from rich.color import ColorType
from rich.color_triplet import ColorTriplet
from rich.segment import Segment
from rich.style import Style
from textual.color import Color
from textual.filter import LineFilter

from svc_tui.domain.app.terminal_colors import TABLE, Depth, Stress, numbered, stressed, too_bold

_STRESSES = {
    Stress.NONE: Style(),
    Stress.UNDERLINED: Style(underline=True),
    Stress.INVERSE: Style(reverse=True),
}
_DIM = Style(dim=True)


class FewerColours(LineFilter):
    """Turns every colour into one that a terminal of some depth has; the last filter of an app."""

    def __init__(self, depth: Depth) -> None:
        super().__init__()
        self._depth = depth

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        """The segments in fewer colours; of each, character and ground have a colour of their own."""
        behind = background.rich_color
        return [
            segment if segment.style is None else Segment(segment.text, _fewer(segment.style, behind, self._depth))
            for segment in segments
        ]


@lru_cache(maxsize=16384)
def _fewer(style: Style, behind: RichColor, depth: Depth) -> Style:
    ink, ground = _seen(style.color or behind), _seen(style.bgcolor or behind)
    if style.reverse:
        # Which is the ground is to be known here, and inverse is kept for terminals without colours.
        ink, ground = ground, ink
    plain = style.without_color + Style(reverse=False)
    if style.meta:
        plain += Style.from_meta(style.meta)
    if depth is Depth.NONE:
        stress, dim = stressed(ink.hex, ground.hex)
        if stress is Stress.INVERSE:
            ink, ground = ground, ink
        return (
            plain
            + _STRESSES[stress]
            + (_DIM if dim else Style())
            + Style(color=_drawn(ink, ColorType.DEFAULT), bgcolor=_drawn(ground, ColorType.DEFAULT))
        )
    before, at = numbered(ink.hex, ground.hex, depth)
    ink = ColorTriplet(*bytes.fromhex(TABLE[before][1:]))
    kind = ColorType.EIGHT_BIT
    if depth is Depth.FEW:
        kind = ColorType.STANDARD
        plain += Style(bold=False) if too_bold(before, at) else Style()
    return plain + Style(color=_drawn(ink, kind, before), bgcolor=_drawn(ground, kind, at))


def _drawn(colour: ColorTriplet, kind: ColorType, number: int | None = None) -> RichColor:
    """A colour of the terminal that still knows what it was: a screen under a dialog is drawn a second time, dimmer."""
    return RichColor(colour.hex, kind, number, colour)


def _seen(colour: RichColor) -> ColorTriplet:
    return colour.triplet or colour.get_truecolor()
