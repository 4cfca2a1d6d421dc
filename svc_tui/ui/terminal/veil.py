"""What shows through the background of a dialog: dimmer, and readable all the same."""

import re

from rich.color import Color as RichColor
from rich.style import Style
from textual.color import Color

from svc_tui.core.contrast import veil_colors

_RULES = re.compile(r"[\s\u2500-\u259f]*")
"""Blanks, and what is drawn of lines and blocks: frames, rules, scroll bars."""


def has_words(text: str) -> bool:
    """Whether there is anything to be read in it."""
    return _RULES.fullmatch(text) is None


def veil_style(style: Style, veil: Color, least: float) -> Style:
    """The style under a veil of some opacity; a thinner one, where less than the least contrast would be left."""
    if style.color is None or style.bgcolor is None:
        return style + Style.from_color(_veiled(style.color, veil), _veiled(style.bgcolor, veil))
    ink, ground = _hex(style.color), _hex(style.bgcolor)
    if style.reverse:
        ink, ground = ground, ink
    ink, ground = veil_colors(ink, ground, veil.hex6, veil.a, least)
    if style.reverse:
        ink, ground = ground, ink
    return style + Style.from_color(RichColor.parse(ink), RichColor.parse(ground))


def _veiled(color: RichColor | None, veil: Color) -> RichColor | None:
    return None if color is None else (Color.from_rich_color(color) + veil).rich_color


def _hex(color: RichColor) -> str:
    return color.get_truecolor().hex
