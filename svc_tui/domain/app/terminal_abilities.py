"""What the terminal that the program runs on can show."""

from dataclasses import dataclass

from svc_tui.domain.app.done_notices import Desktop
from svc_tui.domain.app.terminal_colors import Depth


@dataclass(frozen=True, slots=True)
class Abilities:
    """What a terminal can show."""

    ascii_only: bool = False
    """It does not speak UTF-8."""
    depth: Depth = Depth.FULL
    """How many colours it has."""
    desktop: Desktop = Desktop.NONE
    """How it is asked for a notice on the desktop."""


EVERYTHING = Abilities()
"""A terminal that can show all there is."""
