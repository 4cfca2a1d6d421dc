"""What the terminal that the program runs on can show."""

from dataclasses import dataclass

from svc_tui.domain.app.done_notices import DesktopNotice
from svc_tui.domain.app.terminal_colors import ColorDepth


@dataclass(frozen=True, slots=True)
class TerminalAbilities:
    """What a terminal can show."""

    ascii_only: bool = False
    """It does not speak UTF-8."""
    depth: ColorDepth = ColorDepth.FULL
    """How many colours it has."""
    desktop: DesktopNotice = DesktopNotice.NONE
    """How it is asked for a notice on the desktop."""


ALL_ABILITIES = TerminalAbilities()
"""A terminal that can show all there is."""
