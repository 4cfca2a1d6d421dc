"""When an app under test has come to rest: known from its event loop, where Textual's pilot guesses from the clock.

A frame without a dialog is drawn where a test waits or looks, and not after each key: nobody sees those between.
`--deep` draws each.
"""

import asyncio
from collections import deque
from collections.abc import Callable
from typing import Any, cast

import pytest
from rich.console import RenderableType
from textual._compositor import Compositor
from textual._context import active_app
from textual.app import App
from textual.screen import Screen

_TURNS = 5000
"""Turns of the event loop that are waited for an app which does not rest, as while it counts a million rows."""


def know_when_at_rest(patch: pytest.MonkeyPatch) -> None:
    """Have Textual's test driver wait until the app has come to rest, after a key, a click or a pause."""
    patch.setattr("textual.app.wait_for_idle", _come_to_rest)
    patch.setattr("textual.pilot.wait_for_idle", _come_to_rest_drawn)


def draw_at_rest(patch: pytest.MonkeyPatch) -> None:
    """Have frames drawn only where a test waits, not after each key; a text or picture of the screen is drawn then."""
    patch.setattr(Compositor, "render_update", _put_off)


async def _come_to_rest(min_sleep: float = 0.0, max_sleep: float = 1.0) -> None:
    """Wait until every message was dealt with and all is laid out, however long the machine takes for it.

    What comes from outside of the loop (a timer, a socket, another thread) is not waited for: a test waits for what
    that does. Stands in for `textual._wait.wait_for_idle`, which takes a process that gets no processor for idle.
    """
    await _wait_while(_caught_up)


async def _come_to_rest_drawn(min_sleep: float = 0.0, max_sleep: float = 1.0) -> None:
    """Wait until it has come to rest and the last frame is drawn."""
    await _wait_while(lambda app: _caught_up(app) or _drew_last_frame(app))


async def _wait_while(works: Callable[[App[object]], bool]) -> None:
    app = active_app.get()
    ready = cast("deque[object]", vars(asyncio.get_running_loop())["_ready"])
    still = 0
    for _ in range(_TURNS):
        await asyncio.sleep(0)
        still = 0 if ready or works(app) else still + 1
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


render_update = Compositor.render_update
"""Draws a frame at once, and each: for a test that counts them."""


def _put_off(
    compositor: Compositor, full: bool = False, screen_stack: list[Screen[Any]] | None = None, simplify: bool = False
) -> RenderableType | None:
    """Stand in for `Compositor.render_update`: what is dirty stays so until the app has come to rest.

    What writes to a terminal is drawn as ever, and so is a dialog: some widgets find their lines as they are drawn, and
    it is laid out by those.
    """
    app = active_app.get()
    if full or not app.is_headless or len(app.screen_stack) > 1:
        return render_update(compositor, full, screen_stack, simplify)
    vars(compositor)["frame_put_off"] = True
    return None


def _drew_last_frame(app: App[object]) -> bool:
    """Draw the frame that was put off; False where there is none."""
    if not app.screen_stack or not vars(app.screen._compositor).pop("frame_put_off", False):
        return False
    update = render_update(app.screen._compositor, screen_stack=app._background_screens)
    app._display(app.screen, cast("RenderableType", update))
    return True
