"""Keys take their turn, on a machine of any speed."""

import asyncio
import time

import pytest
from textual import events

from svc_tui.ui.terminal.key_queue import InputEvent, KeyQueue
from tests.ui.stage import Stage, until


async def test_a_key_that_is_never_dealt_with_holds_the_next_one_back_only_for_a_while(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    handed: list[str] = []

    async def dispatch(typed: InputEvent) -> None:
        assert isinstance(typed, events.Key)
        handed.append(typed.key)

    # Nothing tells this keyboard when a lap has ended.
    app = Stage()
    async with app.run_test() as pilot:
        keyboard = KeyQueue(app, dispatch, lambda: False)
        await keyboard.put(events.Key("left", None))
        await keyboard.put(events.Key("9", "9"))
        # The processor was with others: a minute went by, and nobody here had the time to deal with anything.
        monkeypatch.setattr(asyncio.get_running_loop(), "time", lambda: time.monotonic() + 60)
        await pilot.pause()
        assert handed == ["left"]
        await until(pilot, lambda: handed == ["left", "9"])
