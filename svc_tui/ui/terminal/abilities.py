"""The abilities of the terminal that the program runs on, as the environment describes them."""

from collections.abc import Mapping
from enum import Enum

from msgspec import Struct

from svc_tui.platform.terminal import color_count


class ColorDepth(Enum):
    """The number of colors that a terminal shows."""

    NONE = "no colors"
    FEW = "16 colors"
    MANY = "256 colors"
    FULL = "24-bit color"


BELL = "\a"


class DesktopNotice(Enum):
    """The sequence by which a terminal is asked to show a notice on the desktop."""

    NONE = BELL
    """Not supported: the bell instead."""
    ITERM = "\x1b]9;{text}\x1b\\"
    """OSC 9, as in iTerm2, kitty, WezTerm, Ghostty and foot."""
    URXVT = "\x1b]777;notify;svc-tui;{text}\x1b\\"
    """OSC 777, as in urxvt and the terminals of VTE."""


class TerminalAbilities(Struct, frozen=True):
    """The abilities of a terminal; by default, all there are."""

    ascii_only: bool = False
    """True if it does not support UTF-8."""
    depth: ColorDepth = ColorDepth.FULL
    desktop: DesktopNotice = DesktopNotice.NONE


ALL_ABILITIES = TerminalAbilities()


def detect_abilities(variables: Mapping[str, str]) -> TerminalAbilities:
    """Return the abilities of the terminal that the environment describes."""
    depth = detect_color_depth(variables, color_count(variables.get("TERM", "")))
    return TerminalAbilities(needs_ascii(variables), depth, detect_desktop_notice(variables))


def detect_color_depth(variables: Mapping[str, str], known: int | None) -> ColorDepth:
    """Return the depth of the terminal that the environment describes.

    `known` is the number of colors that terminfo has for `TERM`, negative for none, None if it does not know the
    terminal. `NO_COLOR` overrides everything unless it is empty (no-color.org).
    """
    if variables.get("NO_COLOR"):
        return ColorDepth.NONE
    term = variables.get("TERM", "")
    # GNU screen passes on COLORTERM from the terminal around it, but takes 24-bit colors for blinking and the like.
    if not variables.get("STY") and variables.get("COLORTERM", "").lower() in ("truecolor", "24bit"):
        return ColorDepth.FULL
    if known is None:
        known = 256 if "256" in term else 1 << 24 if term.endswith("-direct") else -1 if term == "dumb" else 16
    if known < 8:
        return ColorDepth.NONE
    return ColorDepth.FEW if known < 256 else ColorDepth.MANY if known < 1 << 24 else ColorDepth.FULL


def needs_ascii(variables: Mapping[str, str]) -> bool:
    """Return True if the locale names a character set other than UTF-8; without one, UTF-8 is assumed.

    `LC_ALL` overrides `LC_CTYPE`, which overrides `LANG`; an empty one counts as unset (POSIX, 8.2).
    """
    locale = next((variables[name] for name in ("LC_ALL", "LC_CTYPE", "LANG") if variables.get(name)), "")
    if locale in ("C", "POSIX"):
        return True
    charset = locale.partition(".")[2].partition("@")[0]
    return bool(charset) and charset.lower().replace("-", "") != "utf8"


def detect_desktop_notice(variables: Mapping[str, str]) -> DesktopNotice:
    """Return the terminal's sequence for notices on the desktop; tmux and screen do not pass on such sequences."""
    if variables.get("TMUX") or variables.get("STY"):
        return DesktopNotice.NONE
    if variables.get("VTE_VERSION") or variables.get("TERM", "").startswith("rxvt"):
        return DesktopNotice.URXVT
    return DesktopNotice.ITERM
