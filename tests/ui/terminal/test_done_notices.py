"""Long work tells that it has ended where nobody is looking and somebody wants to hear of it."""

from itertools import product

import pytest

from svc_tui.ui.terminal.abilities import BELL, DesktopNotice, detect_desktop_notice
from svc_tui.ui.terminal.done_notifier import LONG_SECONDS, LongWork, done_notice


@pytest.mark.parametrize("focused", [None, False])
def test_long_work_rings_where_nobody_is_known_to_look(focused: bool | None) -> None:
    assert done_notice(LongWork.EXPORT, LONG_SECONDS, "bell", DesktopNotice.ITERM, focused=focused) == BELL


@pytest.mark.parametrize("desktop", list(DesktopNotice))
def test_nothing_is_told_to_somebody_who_looks_who_waits_or_who_does_not_want_it(desktop: DesktopNotice) -> None:
    assert done_notice(LongWork.EXPORT, LONG_SECONDS, "bell", desktop, focused=True) == ""
    assert done_notice(LongWork.EXPORT, LONG_SECONDS - 0.1, "desktop", desktop, focused=False) == ""
    assert done_notice(LongWork.EXPORT, 10 * LONG_SECONDS, "off", desktop, focused=False) == ""


def test_a_desktop_is_told_in_the_way_its_terminal_knows() -> None:
    said = {desktop: done_notice(LongWork.RUN, 11, "desktop", desktop, focused=None) for desktop in DesktopNotice}
    assert said == {
        DesktopNotice.NONE: "\a",
        DesktopNotice.ITERM: "\x1b]9;Run finished or needs your input\x1b\\",
        DesktopNotice.URXVT: "\x1b]777;notify;svc-tui;Run finished or needs your input\x1b\\",
    }


def test_what_is_said_can_be_nothing_but_words() -> None:
    for work, desktop in product(LongWork, (DesktopNotice.ITERM, DesktopNotice.URXVT)):
        said = done_notice(work, 11, "desktop", desktop, focused=None)
        assert said.startswith("\x1b]")
        assert said[2:-2].isprintable()
        assert ";" not in work.value
        # A number there would be another order to the terminal: ConEmu's progress.
        assert work.value[0].isalpha()


@pytest.mark.parametrize(
    ("variables", "desktop"),
    [
        ({"TERM": "xterm-kitty"}, DesktopNotice.ITERM),
        ({"TERM": "rxvt-unicode-256color"}, DesktopNotice.URXVT),
        ({"TERM": "xterm-256color", "VTE_VERSION": "7600"}, DesktopNotice.URXVT),
        ({"TERM": "tmux-256color", "TMUX": "/tmp/tmux-0/default,1,0"}, DesktopNotice.NONE),
        ({"TERM": "screen", "STY": "1.tty", "VTE_VERSION": "7600"}, DesktopNotice.NONE),
    ],
)
def test_how_a_terminal_is_asked_is_told_by_the_environment(variables: dict[str, str], desktop: DesktopNotice) -> None:
    assert detect_desktop_notice(variables) is desktop
