"""Long work tells that it has ended where nobody is looking and somebody wants to hear of it."""

from itertools import product

import pytest

from svc_tui.domain.app.done_notices import BELL, LONG_SECONDS, Desktop, Work, desktop_of, notice


@pytest.mark.parametrize("focused", [None, False])
def test_long_work_rings_where_nobody_is_known_to_look(focused: bool | None) -> None:
    assert notice(Work.EXPORT, LONG_SECONDS, "bell", Desktop.ITERM, focused=focused) == BELL


@pytest.mark.parametrize("desktop", list(Desktop))
def test_nothing_is_told_to_somebody_who_looks_who_waits_or_who_does_not_want_it(desktop: Desktop) -> None:
    assert notice(Work.EXPORT, LONG_SECONDS, "bell", desktop, focused=True) == ""
    assert notice(Work.EXPORT, LONG_SECONDS - 0.1, "desktop", desktop, focused=False) == ""
    assert notice(Work.EXPORT, 10 * LONG_SECONDS, "off", desktop, focused=False) == ""


def test_a_desktop_is_told_in_the_way_its_terminal_knows() -> None:
    said = {desktop: notice(Work.BATCH, 11, "desktop", desktop, focused=None) for desktop in Desktop}
    assert said == {
        Desktop.NONE: "\a",
        Desktop.ITERM: "\x1b]9;The batch is done, or needs you\x1b\\",
        Desktop.URXVT: "\x1b]777;notify;svc-tui;The batch is done, or needs you\x1b\\",
    }


def test_what_is_said_can_be_nothing_but_words() -> None:
    for work, desktop in product(Work, (Desktop.ITERM, Desktop.URXVT)):
        said = notice(work, 11, "desktop", desktop, focused=None)
        assert said.startswith("\x1b]")
        assert said[2:-2].isprintable()
        assert ";" not in work.value
        # A number there would be another order to the terminal: ConEmu's progress.
        assert work.value[0].isalpha()


@pytest.mark.parametrize(
    ("variables", "desktop"),
    [
        ({"TERM": "xterm-kitty"}, Desktop.ITERM),
        ({"TERM": "rxvt-unicode-256color"}, Desktop.URXVT),
        ({"TERM": "xterm-256color", "VTE_VERSION": "7600"}, Desktop.URXVT),
        ({"TERM": "tmux-256color", "TMUX": "/tmp/tmux-0/default,1,0"}, Desktop.NONE),
        ({"TERM": "screen", "STY": "1.tty", "VTE_VERSION": "7600"}, Desktop.NONE),
    ],
)
def test_how_a_terminal_is_asked_is_told_by_the_environment(variables: dict[str, str], desktop: Desktop) -> None:
    assert desktop_of(variables) is desktop
