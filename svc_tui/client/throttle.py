"""The gate that every request of a client passes: eight at a time, held back together after a 429 or a 503.

After a 429, or a 503 with `Retry-After`, nobody goes before the service's time is over; then requests go one by one
until nobody waits any more.
What people asked for by hand goes before what runs in the background, which also keeps the pace that 429s have taught.
"""

import asyncio
import heapq
from collections.abc import Callable
from dataclasses import dataclass, field

from msgspec import Struct

from svc_tui.service.pacing import Pace
from svc_tui.service.traffic import Paced, Throttled

MAX_CONNECTIONS = 8
"""Requests at a time, each over a connection of its own; eight keep a browser busy."""


class HeldTooLong(Exception):
    """The gate opens only after the caller's deadline: `wait` seconds from now, after an answer with this `status`."""

    def __init__(self, wait: float, status: int) -> None:
        self.wait = wait
        self.status = status


class ThrottleClosed(Exception):
    """Nobody gets a turn any more."""


class RequestTurn(Struct, frozen=True, eq=False):
    """Leave to send one request, given at `since`."""

    since: float


@dataclass(order=True, slots=True)
class _Waiter:
    background: bool
    call: int
    turn: asyncio.Future[RequestTurn] = field(compare=False)
    deadline: float = field(compare=False)

    @property
    def unused(self) -> RequestTurn | None:
        """The turn that was given; None where there is none to give back."""
        granted = self.turn.done() and not self.turn.cancelled() and self.turn.exception() is None
        return self.turn.result() if granted else None

    def send_away(self, why: Exception) -> None:
        """Raise `why` where the waiter waits; one that was cancelled has gone already."""
        if not self.turn.done():
            self.turn.set_exception(why)


class Throttle:
    """Who may send now. `emit` hears of every change of a hold and of the pace; times are `monotonic`'s."""

    def __init__(self, monotonic: Callable[[], float], emit: Callable[[Throttled | Paced], None]) -> None:
        self._monotonic = monotonic
        self._emit = emit
        self._waiters: list[_Waiter] = []
        self._turns: set[RequestTurn] = set()
        self._probes: set[RequestTurn] = set()
        """The turn given since the last hold; what left before it may be slow, and stops nobody."""
        self._until: float | None = None
        self._status = 429
        """The status of the answer that brought the hold."""
        self._pace = Pace()
        self._timer: asyncio.TimerHandle | None = None
        self._closed = False
        self._last_hold = Throttled(None, 0)
        self._last_pace = Paced(None)

    async def enter(self, call: int, *, background: bool, deadline: float) -> RequestTurn:
        """Wait for a turn, which must be given back to `leave`.

        Raises HeldTooLong at once where the service's wait is longer than the deadline, TimeoutError when the
        deadline passes in the queue, ThrottleClosed when the client is closed.
        """
        loop = asyncio.get_running_loop()
        waiter = _Waiter(background, call, loop.create_future(), deadline)
        try:
            async with asyncio.timeout(deadline - self._monotonic()):
                self._queue(waiter)
                turn = await waiter.turn
                while self._closed or self._held_for(self._monotonic()):
                    # That happened after the turn was given and before it was taken.
                    self._drop(turn)
                    waiter.turn = loop.create_future()
                    self._queue(waiter)
                    turn = await waiter.turn
                return turn
        except BaseException:
            if unused := waiter.unused:
                self.leave(unused)
            elif waiter in self._waiters:
                self._waiters.remove(waiter)
                heapq.heapify(self._waiters)
                self._pump()
            raise

    def took(self, turn: RequestTurn) -> None:
        """The service took the request of this turn: it answered, and not with a 429."""
        self._pace = self._pace.answered(turn.since, self._monotonic())

    def leave(self, turn: RequestTurn) -> None:
        """Give the turn back."""
        self._drop(turn)
        self._pump()

    def hold(self, wait: float, turn: RequestTurn, status: int = 429) -> None:
        """Hold all requests back for `wait` seconds, and until an earlier hold is over.

        The request of this turn was answered with `status`, 429 or 503; only a 429 teaches the pace. A waiter whose
        deadline is earlier gets HeldTooLong at once.
        """
        now = self._monotonic()
        until = now + wait
        if status == 429:
            self._pace = self._pace.refused(turn.since, now, wait)
        if self._until is None or until > self._until:
            self._until, self._status = until, status
            self._probes.clear()
            late = [waiter for waiter in self._waiters if waiter.deadline < until]
            self._waiters = [waiter for waiter in self._waiters if waiter.deadline >= until]
            heapq.heapify(self._waiters)
            for waiter in late:
                waiter.send_away(HeldTooLong(wait, status))
        self._pump()

    def close(self) -> None:
        """Send everybody away who waits."""
        self._closed = True
        self._wake_in(None)
        waiters, self._waiters = self._waiters, []
        for waiter in waiters:
            waiter.send_away(ThrottleClosed())

    def _queue(self, waiter: _Waiter) -> None:
        if self._closed:
            raise ThrottleClosed
        if self._until is not None and self._until > waiter.deadline and (wait := self._held_for(self._monotonic())):
            raise HeldTooLong(wait, self._status)
        heapq.heappush(self._waiters, waiter)
        self._pump()

    def _held_for(self, now: float) -> float:
        """Seconds until the hold is over; 0 where there is none, or it is."""
        return 0.0 if self._until is None else max(0.0, self._until - now)

    def _drop(self, turn: RequestTurn) -> None:
        self._turns.discard(turn)
        self._probes.discard(turn)

    def _kept(self) -> bool:
        """Whether anybody still waits because of the hold; the background waits for its pace, where there is one."""
        return any(
            not waiter.turn.done() and not (waiter.background and self._pace.interval) for waiter in self._waiters
        )

    def _pump(self) -> None:
        """Give the turns that are free, tell what has changed, and come again when time changes something."""
        if self._closed:
            return
        now = self._monotonic()
        self._pace = self._pace.rested(now)
        wait = self._held_for(now) or self._give_turns(now)
        if self._until is not None and self._until <= now and not self._probes and not self._kept():
            self._until = None
        if self._pace.interval:
            rest = self._pace.forgotten_at - now
            wait = min(wait, rest) if wait else rest
        self._wake_in(wait or None)
        self._report()

    def _give_turns(self, now: float) -> float:
        """Give turns to those who may go; gives the seconds until the next one may, 0 where time decides nothing."""
        while self._waiters and len(self._turns) < MAX_CONNECTIONS and not self._probes:
            first = self._waiters[0]
            if not first.turn.done():
                if first.background and self._pace.free_at > now:
                    return self._pace.free_at - now
                turn = RequestTurn(now)
                first.turn.set_result(turn)
                self._turns.add(turn)
                if self._until is not None:
                    self._probes.add(turn)
                self._pace = self._pace.sent(now)
            heapq.heappop(self._waiters)
        return 0.0

    def _wake_in(self, wait: float | None) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer = None if wait is None else asyncio.get_running_loop().call_later(wait, self._pump)

    def _report(self) -> None:
        hold = Throttled(None, 0)
        if self._until is not None:
            hold = Throttled(self._until, sum(not waiter.turn.done() for waiter in self._waiters), self._status)
        pace = Paced(self._pace.per_second)
        if hold != self._last_hold:
            self._last_hold = hold
            self._emit(hold)
        if pace != self._last_pace:
            self._last_pace = pace
            self._emit(pace)
