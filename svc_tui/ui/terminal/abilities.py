"""What the terminal that the program runs on can show."""

from msgspec import Struct

from svc_tui.ui.terminal.colors import ColorDepth
from svc_tui.ui.terminal.done_notices import DesktopNotice


class TerminalAbilities(Struct, frozen=True):
    """What a terminal can show."""

    ascii_only: bool = False
    """It does not speak UTF-8."""
    depth: ColorDepth = ColorDepth.FULL
    """How many colours it has."""
    desktop: DesktopNotice = DesktopNotice.NONE
    """How it is asked for a notice on the desktop."""


ALL_ABILITIES = TerminalAbilities()
"""A terminal that can show all there is."""
