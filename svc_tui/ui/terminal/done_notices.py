"""Whether the terminal tells a user who looks elsewhere that long work has ended, and in which words of its own."""

from collections.abc import Mapping
from enum import Enum

from svc_tui.core.settings import DoneNotice

LONG_SECONDS = 10.0
"""Work that took less has the user waiting for it."""


BELL = "\a"


class DesktopNotice(Enum):
    """How a terminal is asked for a notice on the desktop, and with what."""

    NONE = BELL
    """It is not to be had; the bell is."""
    ITERM = "\x1b]9;{text}\x1b\\"
    """OSC 9, as iTerm2, kitty, WezTerm, Ghostty and foot know it."""
    URXVT = "\x1b]777;notify;svc-tui;{text}\x1b\\"
    """OSC 777, as urxvt and the terminals of VTE know it."""


class LongWork(Enum):
    """Long work, and what is said as it ends: words of the program's own, nothing from outside."""

    EXPORT = "Export finished"
    RUN = "Run finished or needs your input"
    LOADING = "All records are loaded"
    REQUEST = "Response received"


def detect_desktop_notice(variables: Mapping[str, str]) -> DesktopNotice:
    """How the terminal that the environment describes is asked; tmux and screen keep such requests to themselves."""
    if variables.get("TMUX") or variables.get("STY"):
        return DesktopNotice.NONE
    if variables.get("VTE_VERSION") or variables.get("TERM", "").startswith("rxvt"):
        return DesktopNotice.URXVT
    return DesktopNotice.ITERM


def done_notice(
    work: LongWork, seconds: float, wanted: DoneNotice, desktop: DesktopNotice, *, focused: bool | None
) -> str:
    """What to write to the terminal now that `work` has ended after so many seconds; "" for nothing.

    `focused` says whether the terminal has the focus, None where it does not tell.
    """
    if wanted == "off" or focused or seconds < LONG_SECONDS:
        return ""
    return BELL if wanted == "bell" else desktop.value.format(text=work.value)
