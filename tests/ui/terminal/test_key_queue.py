"""Keys take their turn, on a machine of any speed."""

import asyncio

from textual import events

from svc_tui.ui.terminal.key_queue import InputEvent, KeyQueue, RoundTrip
from tests.idle_clock import IdleClock
from tests.ui.stage import PATIENCE, Stage, until


async def test_a_key_that_is_never_dealt_with_holds_the_next_one_back_only_while_something_runs() -> None:
    handed: list[str] = []

    async def dispatch(typed: InputEvent) -> None:
        assert isinstance(typed, events.Key)
        handed.append(typed.key)

    app = Stage()
    async with app.run_test() as pilot:
        # Nothing tells this queue when a round trip has ended.
        queue = KeyQueue(app, dispatch, lambda: False)
        await queue.put(events.Key("left", None))
        await until(pilot, lambda: handed == ["left"])
        loop, works = asyncio.get_running_loop(), True

        def work() -> None:
            if works:
                loop.call_soon(work)

        work()
        await queue.put(events.Key("9", "9"))
        for _ in range(1_000):
            await asyncio.sleep(0)
        assert handed == ["left"]
        works = False
        await until(pilot, lambda: handed == ["left", "9"])


class AppWithQueue(Stage):
    """An app on which a dialog is always announced, and never comes."""

    def __init__(self) -> None:
        super().__init__()
        self.handed: list[str] = []
        self.queue = KeyQueue(self, self._hand_on, lambda: True)
        self.done = asyncio.Event()

    async def _hand_on(self, typed: InputEvent) -> None:
        assert isinstance(typed, events.Key)
        self.handed.append(typed.key)
        if len(self.handed) == 10:
            self.done.set()

    async def on_round_trip(self, trip: RoundTrip) -> None:
        await self.queue.round_trip_ended(trip)


async def test_a_dialog_that_never_comes_holds_ten_keys_back_as_long_as_one() -> None:
    app, clock = AppWithQueue(), IdleClock()
    keys = [str(number) for number in range(10)]
    async with app.run_test():
        with clock.running():
            for key in keys:
                await app.queue.put(events.Key(key, key))
            await asyncio.wait_for(app.done.wait(), PATIENCE)
    assert app.handed == keys
    assert clock.idle <= 0.1
