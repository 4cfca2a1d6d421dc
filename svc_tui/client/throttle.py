"""The gate that every request of a client passes: eight at a time, held back together after a 429.

After a 429 nobody goes before the service's time is over; then requests go one by one until nobody waits.
What people asked for by hand goes before paging in the background.
"""

import asyncio
import heapq
from collections.abc import Callable
from dataclasses import dataclass, field

from svc_tui.domain.traffic import Throttled

CONNECTIONS = 8
"""httpx's cost per request grows with its pool; eight keep a browser busy."""


class HeldTooLong(Exception):
    """The gate opens only after the caller's deadline: `wait` seconds from now."""

    def __init__(self, wait: float) -> None:
        super().__init__(wait)
        self.wait = wait


class Closed(Exception):
    """Nobody gets a turn any more."""


@dataclass(order=True, slots=True)
class _Waiter:
    background: bool
    call: int
    turn: asyncio.Future[None] = field(compare=False)
    deadline: float = field(compare=False)


class Throttle:
    """Who may send now. `tell` hears of every change while requests are held back; times are `monotonic`'s."""

    def __init__(self, monotonic: Callable[[], float], tell: Callable[[Throttled], None]) -> None:
        self._monotonic = monotonic
        self._tell = tell
        self._waiters: list[_Waiter] = []
        self._active = 0
        self._until: float | None = None
        self._timer: asyncio.TimerHandle | None = None

    async def enter(self, call: int, *, background: bool, deadline: float) -> None:
        """Wait for a turn; every return must be matched by one `leave`.

        Raises HeldTooLong at once where the service's wait is longer than the deadline, TimeoutError when the
        deadline passes in the queue, Closed when the client is closed.
        """
        loop = asyncio.get_running_loop()
        if self._until is not None and self._until > deadline:
            raise HeldTooLong(self._until - self._monotonic())
        waiter = _Waiter(background, call, loop.create_future(), deadline)
        heapq.heappush(self._waiters, waiter)
        self._pump()
        self._tell_if_held()
        try:
            async with asyncio.timeout(max(0.0, deadline - self._monotonic())):
                await waiter.turn
        except BaseException:
            if waiter.turn.done() and not waiter.turn.cancelled() and waiter.turn.exception() is None:
                self.leave()
            elif waiter in self._waiters:
                self._waiters.remove(waiter)
                heapq.heapify(self._waiters)
                self._tell_if_held()
            raise

    def leave(self, *, answered: bool = False) -> None:
        """Give the turn back; `answered` means the service took the request, not a 429."""
        self._active -= 1
        if answered and self._until is not None and self._until <= self._monotonic() and not self._waiters:
            self._open()
        self._pump()

    def hold(self, wait: float) -> None:
        """Nobody goes for `wait` seconds from now, nor before an earlier hold is over."""
        until = self._monotonic() + wait
        if self._until is None or until > self._until:
            self._until = until
            for waiter in [waiter for waiter in self._waiters if waiter.deadline < until]:
                self._waiters.remove(waiter)
                if not waiter.turn.done():
                    waiter.turn.set_exception(HeldTooLong(wait))
            heapq.heapify(self._waiters)
        self._tell_if_held()
        self._pump()

    def close(self) -> None:
        """Send everybody away who waits."""
        self._stop_timer()
        waiters, self._waiters = self._waiters, []
        for waiter in waiters:
            if not waiter.turn.done():
                waiter.turn.set_exception(Closed())

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _pump(self) -> None:
        if self._until is not None and (wait := self._until - self._monotonic()) > 0:
            self._wake_in(wait)
            return
        room = 1 if self._until is not None else CONNECTIONS
        released = False
        while self._waiters and self._active < room:
            waiter = heapq.heappop(self._waiters)
            if waiter.turn.done():
                continue
            waiter.turn.set_result(None)
            self._active += 1
            released = True
        if released:
            self._tell_if_held()
        elif self._until is not None and not self._waiters and not self._active:
            self._open()

    def _wake_in(self, wait: float) -> None:
        self._stop_timer()
        self._timer = asyncio.get_running_loop().call_later(wait, self._woken)

    def _woken(self) -> None:
        self._timer = None
        self._pump()

    def _open(self) -> None:
        self._until = None
        self._tell(Throttled(None, 0))
        self._pump()

    def _tell_if_held(self) -> None:
        if self._until is not None:
            self._tell(Throttled(self._until, len(self._waiters)))
