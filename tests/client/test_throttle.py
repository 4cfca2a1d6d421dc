"""The gate: turns, holds, the pace, deadlines, cancels, closing."""

import asyncio
from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest

from svc_tui.client.throttle import HeldTooLong, RequestTurn, Throttle, ThrottleClosed
from svc_tui.service import pacing
from svc_tui.service.traffic import Paced, Throttled

PLACES = 8


class ManualThrottle:
    """A throttle whose clock stands still until a test moves it."""

    def __init__(self) -> None:
        self.now = 100.0
        self.events: list[Throttled | Paced] = []
        self.throttle = Throttle(lambda: self.now, self.events.append)
        self.entering: list[asyncio.Task[RequestTurn]] = []

    @property
    def told(self) -> list[Throttled]:
        """What was told of holds."""
        return [event for event in self.events if isinstance(event, Throttled)]

    @property
    def paces(self) -> list[float | None]:
        """What was told of the pace."""
        return [event.per_second for event in self.events if isinstance(event, Paced)]

    def enter(self, *, background: bool = False, within: float = 60.0) -> asyncio.Task[RequestTurn]:
        call = len(self.entering) + 1
        entering = self.throttle.enter(call, background=background, deadline=self.now + within)
        self.entering.append(asyncio.create_task(entering))
        return self.entering[-1]

    async def full(self) -> list[RequestTurn]:
        """As many turns as there are."""
        return await asyncio.gather(*(self.enter() for _ in range(PLACES)))

    def answer(self, turn: RequestTurn) -> None:
        """The service takes the request of this turn."""
        self.throttle.took(turn)
        self.throttle.leave(turn)

    def refuse(self, turn: RequestTurn, wait: float) -> None:
        """The service answers the request of this turn with a 429."""
        self.throttle.hold(wait, turn)
        self.throttle.leave(turn)

    async def learn(self) -> float:
        """Meet two 429s, 0.02 s apart, with one request taken between them; the interval that this teaches."""
        self.refuse(await self.enter(), 0.01)
        self.now += 0.02
        self.answer(await self.enter())
        self.refuse(await self.enter(), 0.01)
        return 0.022


@pytest.fixture
async def gate() -> AsyncIterator[ManualThrottle]:
    gate = ManualThrottle()
    yield gate
    gate.throttle.close()
    await asyncio.gather(*gate.entering, return_exceptions=True)


async def settle() -> None:
    for _ in range(5):
        await asyncio.sleep(0)


async def until(holds: Callable[[], bool]) -> None:
    """Wait for what only a timer can bring."""
    async with asyncio.timeout(5):
        while not holds():  # noqa: ASYNC110 - no event tells of it
            await asyncio.sleep(0.001)


async def test_eight_go_and_the_ninth_waits_for_a_place(gate: ManualThrottle) -> None:
    turns = await gate.full()
    ninth = gate.enter()
    await settle()
    assert not ninth.done()
    gate.answer(turns[0])
    await ninth
    assert gate.events == []


async def test_nobody_goes_while_held_then_one_by_one(gate: ManualThrottle) -> None:
    gate.refuse(await gate.enter(), 0.02)
    waiting = [gate.enter() for _ in range(3)]
    await settle()
    assert not any(task.done() for task in waiting)
    assert gate.told[-1] == Throttled(100.02, 3)
    gate.now += 1
    first = await waiting[0]
    await settle()
    assert [task.done() for task in waiting] == [True, False, False]
    assert gate.told[-1].waiting == 2
    gate.answer(first)
    gate.answer(await waiting[1])
    assert gate.told[-1].until is not None
    gate.answer(await waiting[2])
    assert gate.told[-1] == Throttled(None, 0)
    assert [event for event in gate.told if event.until is None] == [Throttled(None, 0)]


async def test_a_second_429_holds_everybody_longer_never_shorter_and_nothing_is_told_twice(
    gate: ManualThrottle,
) -> None:
    first, second, third = await asyncio.gather(gate.enter(), gate.enter(), gate.enter())
    gate.refuse(first, 5)
    gate.refuse(second, 2)
    gate.refuse(third, 9)
    assert gate.told == [Throttled(105.0, 0), Throttled(109.0, 0)]


async def test_a_hold_that_nobody_waits_for_ends_by_itself(gate: ManualThrottle) -> None:
    gate.refuse(await gate.enter(), 0.01)
    gate.now += 0.01
    await until(lambda: gate.told[-1] == Throttled(None, 0))


async def test_a_hold_of_no_time_lets_requests_go_one_by_one(gate: ManualThrottle) -> None:
    turns = await gate.full()
    waiting = [gate.enter() for _ in range(3)]
    await settle()
    gate.refuse(turns[0], 0)
    gate.answer(turns[1])
    first = await waiting[0]
    assert [task.done() for task in waiting] == [True, False, False]
    gate.answer(first)
    gate.answer(await waiting[1])
    gate.answer(await waiting[2])
    assert gate.told[-1] == Throttled(None, 0)


async def test_a_429_takes_back_a_turn_that_was_just_given(gate: ManualThrottle) -> None:
    turns = await gate.full()
    patient, impatient = gate.enter(), gate.enter(within=10)
    await settle()
    gate.answer(turns[0])
    gate.answer(turns[1])
    gate.refuse(turns[2], 20)
    await settle()
    assert not patient.done()
    with pytest.raises(HeldTooLong):
        await impatient
    assert gate.told[-1] == Throttled(120.0, 1)
    gate.now += 20
    gate.answer(turns[3])
    await patient


async def test_a_503_holds_back_like_a_429_and_teaches_no_pace(gate: ManualThrottle) -> None:
    for _ in range(3):
        turn = await gate.enter()
        gate.throttle.hold(0.01, turn, 503)
        gate.throttle.leave(turn)
        held = gate.enter()
        await settle()
        assert not held.done()
        assert gate.told[-1].status == 503
        with pytest.raises(HeldTooLong) as raised:
            await gate.enter(within=0.001)
        assert raised.value.status == 503
        gate.now += 0.01
        gate.answer(await held)
    assert gate.paces == []


async def test_a_slow_request_from_before_the_429_stops_nobody_after_it(gate: ManualThrottle) -> None:
    slow, late, refused = await asyncio.gather(gate.enter(), gate.enter(), gate.enter())
    gate.refuse(refused, 0.01)
    waiting = [gate.enter() for _ in range(3)]
    await settle()
    gate.now += 0.01
    await waiting[0]
    gate.answer(slow)
    await settle()
    assert not waiting[1].done()
    gate.refuse(late, 0.01)
    gate.now += 0.01
    await waiting[1]
    await settle()
    assert not waiting[2].done()


async def test_a_hold_past_the_deadline_sends_away_at_once(gate: ManualThrottle) -> None:
    turns = await gate.full()
    impatient, patient = gate.enter(within=10), gate.enter(within=100_000)
    await settle()
    gate.refuse(turns[0], 86_400)
    with pytest.raises(HeldTooLong) as held:
        await impatient
    assert held.value.wait == 86_400
    gate.now += 1
    with pytest.raises(HeldTooLong) as held:
        await gate.enter(within=29)
    assert held.value.wait == 86_399
    assert not patient.done()
    gate.throttle.close()
    with pytest.raises(ThrottleClosed):
        await patient


async def test_a_hold_that_is_over_is_not_to_blame_for_a_deadline(gate: ManualThrottle) -> None:
    gate.throttle.hold(5, await gate.enter())
    gate.now += 20
    await gate.enter()
    with pytest.raises(TimeoutError):
        await gate.enter(within=-18)


async def test_who_goes_away_is_not_counted_any_more(gate: ManualThrottle) -> None:
    gate.refuse(await gate.enter(), 30)
    first, second = gate.enter(), gate.enter(background=True)
    await settle()
    assert gate.told[-1].waiting == 2
    first.cancel()
    await settle()
    assert gate.told[-1].waiting == 1
    second.cancel()
    await settle()
    assert gate.told[-1] == Throttled(130.0, 0)


async def test_going_one_by_one_ends_when_the_last_who_waits_goes_away(gate: ManualThrottle) -> None:
    gate.refuse(await gate.enter(), 0.01)
    first, second = gate.enter(), gate.enter()
    await settle()
    gate.now += 0.01
    turn = await first
    second.cancel()
    await settle()
    gate.throttle.leave(turn)
    assert gate.told[-1] == Throttled(None, 0)
    await gate.full()


async def test_a_deadline_passes_in_the_queue(gate: ManualThrottle) -> None:
    turns = await gate.full()
    with pytest.raises(TimeoutError):
        await gate.enter(within=0.01)
    gate.answer(turns[0])
    await gate.enter()


async def test_a_cancel_gives_the_place_back_whenever_it_comes(gate: ManualThrottle) -> None:
    turns = await gate.full()
    queued, given = gate.enter(), gate.enter()
    await settle()
    queued.cancel()
    await settle()
    gate.answer(turns[0])
    given.cancel()
    with pytest.raises(asyncio.CancelledError):
        await given
    await gate.enter()
    assert queued.cancelled()


async def test_who_is_cancelled_just_before_a_turn_is_free_takes_it_from_nobody(gate: ManualThrottle) -> None:
    turns = await gate.full()
    gone, second = gate.enter(), gate.enter()
    await settle()
    gone.cancel()
    gate.answer(turns[0])
    await second


async def test_who_is_cancelled_just_before_a_hold_or_the_close_disturbs_neither(gate: ManualThrottle) -> None:
    turns = await gate.full()
    impatient, waiting = gate.enter(within=10), gate.enter(within=1000)
    await settle()
    impatient.cancel()
    gate.refuse(turns[0], 20)
    assert gate.told[-1] == Throttled(120.0, 1)
    await settle()
    waiting.cancel()
    gate.throttle.close()
    await settle()
    assert impatient.cancelled()
    assert waiting.cancelled()


@pytest.mark.parametrize("leaves", ["cancelled", "held too long"])
async def test_by_hand_goes_before_background_whoever_has_left_the_queue(gate: ManualThrottle, leaves: str) -> None:
    turns = await gate.full()
    first, background, by_hand = gate.enter(within=10), gate.enter(background=True), gate.enter()
    await settle()
    if leaves == "cancelled":
        first.cancel()
        await settle()
        gate.answer(turns[0])
    else:
        gate.refuse(turns[0], 20)
        gate.now += 20
        gate.answer(turns[1])
    await by_hand
    assert not background.done()


async def test_a_turn_that_a_hold_took_back_is_no_turn_less(gate: ManualThrottle) -> None:
    turns = await gate.full()
    waiting = [gate.enter() for _ in range(2)]
    await settle()
    gate.answer(turns[0])
    gate.answer(turns[1])
    gate.refuse(turns[2], 0.01)
    await settle()
    gate.now += 0.01
    for turn in turns[3:]:
        gate.answer(turn)
    for task in waiting:
        gate.answer(await task)
    await gate.full()


async def test_there_is_one_timer_while_time_decides_something_and_none_else(
    gate: ManualThrottle, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A program in which nothing happens uses no processor time."""
    loop = asyncio.get_running_loop()
    timers: list[asyncio.TimerHandle] = []
    call_later = loop.call_later

    def record(*arguments: Any) -> asyncio.TimerHandle:
        timers.append(call_later(*arguments))
        return timers[-1]

    monkeypatch.setattr(loop, "call_later", record)
    for turn in await gate.full():
        gate.answer(turn)
    assert timers == []
    for turn in await gate.full():
        gate.refuse(turn, 30)
    assert [timer for timer in timers if not timer.cancelled()] == timers[-1:]
    gate.throttle.close()
    assert all(timer.cancelled() for timer in timers)


async def test_by_hand_goes_before_background(gate: ManualThrottle) -> None:
    turns = await gate.full()
    background, by_hand = gate.enter(background=True), gate.enter()
    await settle()
    gate.answer(turns[0])
    await by_hand
    assert not background.done()
    gate.answer(turns[1])
    await background


async def test_the_first_429_teaches_no_pace_the_second_does(gate: ManualThrottle) -> None:
    gate.refuse(await gate.enter(), 0.01)
    gate.now += 0.02
    assert gate.paces == []
    gate.answer(await gate.enter())
    gate.refuse(await gate.enter(), 0.01)
    assert gate.paces == [pytest.approx(1 / 0.022)]


async def test_an_answer_or_429_to_what_left_before_the_last_429_teaches_no_pace(gate: ManualThrottle) -> None:
    first, slow, late = await asyncio.gather(gate.enter(), gate.enter(), gate.enter())
    gate.now += 0.01
    gate.refuse(first, 0.01)
    gate.now += 0.02
    gate.answer(slow)
    gate.refuse(await gate.enter(), 0.01)
    gate.now += 0.02
    gate.answer(await gate.enter())
    gate.refuse(late, 0.01)
    assert gate.paces == []


async def test_background_requests_keep_the_pace_and_those_by_hand_do_not_wait_for_it(gate: ManualThrottle) -> None:
    interval = await gate.learn()
    gate.now += 0.01
    walk = [gate.enter(background=True) for _ in range(3)]
    gate.answer(await walk[0])
    await settle()
    assert not walk[1].done()
    by_hand = gate.enter()
    await settle()
    assert by_hand.done()
    gate.now += 1.5 * interval
    gate.answer(by_hand.result())
    await settle()
    assert not walk[1].done()
    gate.now += interval
    await walk[1]
    assert not walk[2].done()
    gate.now += interval
    await walk[2]


async def test_those_who_wait_for_the_pace_are_not_told_as_held_back(gate: ManualThrottle) -> None:
    await gate.learn()
    walk = [gate.enter(background=True) for _ in range(2)]
    by_hand = [gate.enter() for _ in range(2)]
    await settle()
    gate.now += 0.01
    first = await by_hand[0]
    assert gate.told[-1].waiting == 3
    gate.answer(first)
    assert gate.told[-1].until is not None
    gate.answer(await by_hand[1])
    assert gate.told[-1] == Throttled(None, 0)
    assert not any(task.done() for task in walk)


@pytest.mark.parametrize(("paced", "background"), [(True, False), (False, True)])
async def test_after_a_hold_that_ends_while_all_places_are_taken_those_who_wait_go_one_by_one(
    gate: ManualThrottle, paced: bool, background: bool
) -> None:
    if paced:
        await gate.learn()
        gate.now += 0.01
        await until(lambda: gate.told[-1].until is None)
    turns = await gate.full()
    gate.throttle.hold(0.01, turns[0])
    waiting = [gate.enter(background=background) for _ in range(2)]
    other = gate.enter()
    await settle()
    gate.now += 0.01
    other.cancel()
    await settle()
    assert gate.told[-1].waiting == 2
    for turn in turns:
        gate.throttle.leave(turn)
    await settle()
    assert [task.done() for task in waiting] == [True, False]


async def test_a_pace_that_is_forgotten_is_told_though_nobody_comes(
    gate: ManualThrottle, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pacing, "FORGET_SECONDS", 0.05)
    await gate.learn()
    gate.now += 0.01
    await until(lambda: gate.told[-1].until is None)
    assert gate.paces[-1] is not None
    gate.now += 1
    await until(lambda: gate.paces[-1] is None)
    await asyncio.gather(*(gate.enter(background=True) for _ in range(PLACES)))


async def test_a_closed_gate_lets_nobody_in_and_tells_nothing(gate: ManualThrottle) -> None:
    turns = await gate.full()
    called = gate.enter()
    await settle()
    gate.answer(turns[0])
    gate.throttle.close()
    with pytest.raises(ThrottleClosed):
        await called
    with pytest.raises(ThrottleClosed):
        await gate.enter()
    gate.refuse(turns[1], 5)
    assert gate.events == []
