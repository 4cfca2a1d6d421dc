"""The gate: turns, holds, deadlines, cancels, closing."""

import asyncio

import pytest

from svc_tui.client.throttle import CONNECTIONS, Closed, HeldTooLong, Throttle
from svc_tui.domain.traffic import Throttled


class Gate:
    """A throttle whose clock stands still until a test moves it."""

    def __init__(self) -> None:
        self.now = 100.0
        self.told: list[Throttled] = []
        self.throttle = Throttle(lambda: self.now, self.told.append)
        self.calls = 0

    def enter(self, *, background: bool = False, within: float = 60.0) -> asyncio.Task[None]:
        self.calls += 1
        entering = self.throttle.enter(self.calls, background=background, deadline=self.now + within)
        return asyncio.create_task(entering)


@pytest.fixture
def gate() -> Gate:
    return Gate()


async def settle() -> None:
    for _ in range(5):
        await asyncio.sleep(0)


async def test_eight_go_and_the_ninth_waits_for_a_place(gate: Gate) -> None:
    entered = [gate.enter() for _ in range(CONNECTIONS + 1)]
    await settle()
    assert [task.done() for task in entered] == [True] * CONNECTIONS + [False]
    gate.throttle.leave(answered=True)
    await entered[-1]
    assert gate.told == []


async def test_nobody_goes_while_held_then_one_by_one(gate: Gate) -> None:
    await gate.enter()
    gate.throttle.hold(0.02)
    gate.throttle.leave()
    waiting = [gate.enter() for _ in range(3)]
    await settle()
    assert not any(task.done() for task in waiting)
    assert gate.told[-1] == Throttled(100.02, 3)
    gate.now += 1
    await waiting[0]
    await settle()
    assert [task.done() for task in waiting] == [True, False, False]
    assert gate.told[-1].waiting == 2
    gate.throttle.leave(answered=True)
    await waiting[1]
    gate.throttle.leave(answered=True)
    await waiting[2]
    gate.throttle.leave(answered=True)
    assert gate.told[-1] == Throttled(None, 0)
    assert [event for event in gate.told if event.until is None] == [Throttled(None, 0)]


async def test_a_second_429_holds_everybody_again(gate: Gate) -> None:
    await gate.enter()
    gate.throttle.hold(5)
    gate.throttle.hold(2)
    assert gate.told[-1] == Throttled(105.0, 0)
    gate.throttle.hold(9)
    assert gate.told[-1] == Throttled(109.0, 0)
    gate.throttle.close()


async def test_a_hold_past_the_deadline_sends_away_at_once(gate: Gate) -> None:
    full = [gate.enter() for _ in range(CONNECTIONS)]
    await asyncio.gather(*full)
    impatient, patient = gate.enter(within=10), gate.enter(within=100)
    await settle()
    gate.throttle.hold(30)
    with pytest.raises(HeldTooLong) as held:
        await impatient
    assert held.value.wait == 30
    with pytest.raises(HeldTooLong):
        await gate.enter(within=29)
    assert not patient.done()
    gate.throttle.close()
    with pytest.raises(Closed):
        await patient


async def test_a_deadline_passes_in_the_queue(gate: Gate) -> None:
    await asyncio.gather(*(gate.enter() for _ in range(CONNECTIONS)))
    with pytest.raises(TimeoutError):
        await gate.enter(within=0.01)
    gate.throttle.leave(answered=True)
    await gate.enter()


async def test_a_cancel_gives_the_place_back_whenever_it_comes(gate: Gate) -> None:
    await asyncio.gather(*(gate.enter() for _ in range(CONNECTIONS)))
    queued, given = gate.enter(), gate.enter()
    await settle()
    queued.cancel()
    await settle()
    gate.throttle.leave(answered=True)
    given.cancel()
    with pytest.raises(asyncio.CancelledError):
        await given
    await gate.enter()
    assert queued.cancelled()


async def test_by_hand_goes_before_background(gate: Gate) -> None:
    await asyncio.gather(*(gate.enter() for _ in range(CONNECTIONS)))
    background, by_hand = gate.enter(background=True), gate.enter()
    await settle()
    gate.throttle.leave(answered=True)
    await by_hand
    assert not background.done()
    gate.throttle.leave(answered=True)
    await background
