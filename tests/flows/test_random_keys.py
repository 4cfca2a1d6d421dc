"""Random keys, one at a time and in bursts: none waits while the program has nothing to do."""

import random
from collections import Counter
from pathlib import Path

import pytest
from textual import events
from textual.keys import _character_to_key

from svc_tui.sandbox.server.inprocess import RunningService
from svc_tui.ui.app.browser_app import SvcTui
from svc_tui.ui.terminal.key_queue import InputEvent
from tests.browser import User, browser
from tests.idle_clock import IdleClock

MAX_IDLE_SECONDS = 0.1
"""Idle time of the event loop for which a key may wait."""

KEYS = (
    *("up", "down", "left", "right", "pageup", "pagedown", "home", "end", "enter", "escape", "escape", "escape", "tab"),
    *("space", "backspace", "delete", "f1", "f2", "f8", "ctrl+e", "ctrl+f", "ctrl+l", "ctrl+o", "ctrl+p", "ctrl+s"),
    *("ctrl+t", "ctrl+y", *"gGv1234:?/oispzbyn{}[]R<>exw@aumcfh"),
)
"""What is pressed; nothing in it leaves the program."""


class WaitingTimes:
    """The idle time for which each key of an app waited for its turn."""

    def __init__(self, app: SvcTui, clock: IdleClock) -> None:
        self.longest = 0.0
        self.dispatched = 0
        self.screens: Counter[str] = Counter()
        """The keys that each screen got."""
        arrivals: dict[int, float] = {}
        queue = app._key_queue
        put, dispatch = queue.put, queue._dispatch

        async def timed_put(typed: InputEvent) -> None:
            arrivals[id(typed)] = clock.idle
            await put(typed)

        async def timed_dispatch(typed: InputEvent) -> None:
            waited = clock.idle - arrivals.pop(id(typed))
            self.longest = max(self.longest, waited)
            self.dispatched += 1
            self.screens[type(app.screen).__name__] += 1
            await dispatch(typed)

        queue.put, queue._dispatch = timed_put, timed_dispatch  # type: ignore[method-assign]


async def press_random_keys(user: User, seed: int, count: int, burst: int) -> WaitingTimes:
    """Press `count` random keys, `burst` at once."""
    chosen, clock = random.Random(seed), IdleClock()
    waits = WaitingTimes(user.app, clock)
    with clock.running():
        for sent in range(burst, count + 1, burst):
            for _ in range(burst):
                key = chosen.choice(KEYS)
                letter = key if len(key) == 1 else None
                user.app.post_message(events.Key(_character_to_key(key) if letter else key, letter))
            await user.until(lambda sent=sent: waits.dispatched == sent, "a key is never dispatched")  # type: ignore[misc]
    return waits


@pytest.mark.parametrize(("seed", "burst"), [(301, 1), (302, 8)])
async def test_no_key_waits_while_the_program_is_idle(
    service: RunningService, tmp_path: Path, seed: int, burst: int
) -> None:
    async with browser(service, tmp_path) as user:
        await user.sees(r"lot-000001 ")
        waits = await press_random_keys(user, seed, 400, burst)
    assert len(waits.screens) > 5
    assert waits.longest <= MAX_IDLE_SECONDS
