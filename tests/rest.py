"""When an app under test has come to rest: known from its event loop, where Textual's pilot guesses from the clock."""

import asyncio
from collections import deque
from typing import cast

from textual._context import active_app
from textual.app import App

_TURNS = 5000
"""Turns of the event loop that are waited for an app which does not rest, as while it counts a million rows."""


async def come_to_rest(min_sleep: float = 0.0, max_sleep: float = 1.0) -> None:
    """Wait until every message was dealt with and all is drawn, however long the machine takes for it.

    What comes from outside of the loop (a timer, a socket, another thread) is not waited for: a test waits for what
    that does. Stands in for `textual._wait.wait_for_idle`, which takes a process that gets no processor for idle.
    """
    app = active_app.get()
    ready = cast("deque[object]", vars(asyncio.get_running_loop())["_ready"])
    still = 0
    for _ in range(_TURNS):
        await asyncio.sleep(0)
        still = 0 if ready or _caught_up(app) else still + 1
        # Between two turns the loop looks at its sockets.
        if still == 2:
            return


def _caught_up(app: App[object]) -> bool:
    """Do now what Textual puts off to its next frame, a sixtieth of a second away; False where there is nothing."""
    if not app.screen_stack or app._batch_count:
        return False
    if app._resize_timer is not None:
        app._check_resize()
        return True
    screen = app.screen
    stale = screen._layout_required or screen._scroll_required or screen._repaint_required or screen._recompose_required
    if stale or screen._dirty_widgets:
        screen._on_timer_update()
        return True
    return False
