"""A small app for one widget or dialog: every role has a colour, panes have their frame, nothing else is there."""

import time
from collections.abc import Callable, Iterable
from typing import Any

from textual.app import App, ComposeResult
from textual.pilot import Pilot
from textual.widget import Widget

from svc_tui.core.settings import Palette
from svc_tui.ui.app.theming import theme_of

DUSK = Palette(
    name="dusk",
    title="Dusk",
    dark=True,
    background="#14161b",
    surface="#191c22",
    panel="#252a33",
    foreground="#d5d9e0",
    muted="#7d8694",
    accent="#6cb6ff",
    ok="#7fc98f",
    warning="#e0b05c",
    danger="#ef7a72",
    live="#ff5f56",
    sandbox="#7fc9c0",
    changed="#e0b05c",
    marked="#c9a0f0",
    reference="#9db8f2",
    number="#b8d68a",
    text="#d5d9e0",
    time="#a9b4c4",
)
"""A dark palette."""


class Stage(App[object]):
    """Shows what it is given; `messages` collects the messages of the classes in `listen_for`."""

    ENABLE_COMMAND_PALETTE = False
    CSS = """
    Screen { background: $role-background; color: $role-foreground; }
    .pane { border: round $role-muted; padding: 0 1; }
    .pane:focus { border: round $role-accent; border-title-style: bold; }
    """

    def __init__(self, make: Callable[[], Iterable[Widget]] = lambda: ()) -> None:
        super().__init__()
        self._make = make
        self.register_theme(theme_of(DUSK))
        self.theme = DUSK.name

    def compose(self) -> ComposeResult:
        yield from self._make()

    def get_theme_variable_defaults(self) -> dict[str, str]:
        return dict(theme_of(DUSK).variables)


def picture(app: App[Any]) -> list[str]:
    """The lines of text on the screen, as the terminal would show them."""
    return [strip.text.rstrip() for strip in app.screen._compositor.render_strips()]


PATIENCE = 60.0
"""Seconds to wait for a condition before a test gives up; nothing is asserted about speed."""


async def until(pilot: Pilot[Any], condition: Callable[[], object]) -> None:
    """Wait until the condition holds; fails with the screen's text when it does not in time."""
    deadline = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < deadline, "\n".join(picture(pilot.app))
        await pilot.pause(0.01)
