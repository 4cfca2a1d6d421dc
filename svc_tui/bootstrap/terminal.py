"""Finds out what the terminal at hand can show."""

import sys
from collections.abc import Mapping

from svc_tui.domain.app.done_notices import desktop_of
from svc_tui.domain.app.terminal_abilities import Abilities
from svc_tui.domain.app.terminal_colors import depth_of


def detect_abilities(variables: Mapping[str, str]) -> Abilities:
    """What the terminal that the environment describes can show."""
    from svc_tui.ui.terminal.ascii_fallback import wants_ascii

    depth = depth_of(variables, _color_count(variables.get("TERM", "")))
    return Abilities(wants_ascii(variables), depth, desktop_of(variables))


def _color_count(term: str) -> int | None:
    """How many colours terminfo has for a kind of terminal; None where it does not know it, or there is none here."""
    if sys.platform == "win32" or not term:
        return None
    import curses

    try:
        curses.setupterm(term)
    except curses.error:
        return None
    return curses.tigetnum("colors")
