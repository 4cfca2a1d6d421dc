"""Troubles the service can make on purpose: one registry of names for tests and the command line alike."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace

SLOW_SECONDS = 3.0
CLOCK_SKEW_SECONDS = 20 * 60


@dataclass(frozen=True, slots=True)
class FaultKind:
    """A trouble by name; given at start it meets one request in `every`, or one write where `writes_only`."""

    name: str
    meaning: str
    every: int = 5
    writes_only: bool = False


FAULTS: dict[str, FaultKind] = {
    fault.name: fault
    for fault in (
        FaultKind("429", "rate limit exceeded, with `Retry-After` (1 s)"),
        FaultKind("500", "an internal error; nothing is saved"),
        FaultKind("503", "service unavailable; nothing is saved"),
        FaultKind("html-error", "a gateway's 502 with an HTML body; nothing is saved"),
        FaultKind("login-page", "a gateway's login page with status 200; nothing is saved"),
        FaultKind("slow", f"the response is delayed by {SLOW_SECONDS:.0f} s"),
        FaultKind("hold", "the response waits until `ctl release`", every=1),
        FaultKind("reset-before", "the connection is reset before anything is saved"),
        FaultKind("reset", "the connection is reset after the write is saved", writes_only=True),
        FaultKind("clock-ahead", "the service's clock is 20 minutes ahead", every=1),
        FaultKind("clock-behind", "the service's clock is 20 minutes behind", every=1),
        FaultKind("no-total", "`meta` of a list has neither `total` nor `pages`", every=1),
        FaultKind("lying-total", "`meta` of a list reports about twice the number of records", every=1),
        FaultKind("cap-20", "lists have at most 20 records per page", every=1),
        FaultKind("chain-broken", "verification reports every hash chain as damaged", every=1),
    )
}
"""Every fault, by name."""


def parse_fault(text: str) -> tuple[str, int] | None:
    """Name and rate of `NAME` or `NAME:N` (one request in N); None for anything else."""
    name, colon, rate = text.partition(":")
    if name not in FAULTS:
        return None
    if not colon:
        return name, FAULTS[name].every
    if not (rate.isascii() and rate.isdigit() and 1 <= len(rate) <= 6 and int(rate) > 0):
        return None
    return name, int(rate)


@dataclass(slots=True)
class ArmedFault:
    """An armed fault: it meets `left` more requests (None: no end), one in `every` of those that fit.

    They fit by their `method` (None: any) and by what their `path` begins with. The first `after` of them pass.
    `retry_after` is the header's text, "" for none; `delay` is in seconds. `seen` counts those that fitted, `met` those
    that it hit.
    """

    name: str
    left: int | None
    every: int
    offset: int
    method: str | None
    retry_after: str | None
    delay: float
    after: int = 0
    path: str = ""
    seen: int = 0
    met: int = 0

    def meets(self, method: str, path: str) -> bool:
        """Whether this request is one to hit; counts it."""
        if self.method not in (None, method) or not path.startswith(self.path):
            return False
        if FAULTS[self.name].writes_only and method in ("GET", "HEAD"):
            return False
        seen = self.seen - self.after
        self.seen += 1
        if seen < 0 or (seen + self.offset) % self.every != self.every - 1:
            return False
        if self.left is not None:
            self.left -= 1
        self.met += 1
        return True


class FaultInjector:
    """The faults in force; safe to use from any thread."""

    def __init__(self, at_start: tuple[str, ...] = ()) -> None:
        self._lock = threading.Lock()
        self._armed: list[ArmedFault] = []
        self._releases = 0
        self._held: list[Callable[[], object]] = []
        self._at_start = at_start
        self._arm_those_at_start()

    def reset(self) -> None:
        """Arm what was armed at the start, and nothing else."""
        self.clear()
        self._arm_those_at_start()

    @property
    def armed(self) -> list[ArmedFault]:
        """The faults in force, as they stand now."""
        with self._lock:
            return [replace(fault) for fault in self._armed]

    def next(
        self,
        name: str,
        count: int = 1,
        *,
        method: str | None = None,
        path: str = "",
        after: int = 0,
        retry_after: int | str | None = None,
        delay: float = SLOW_SECONDS,
    ) -> None:
        """Hit the next `count` requests (of `method`, and below `path`, where given), then no more."""
        self._arm(ArmedFault(name, count, 1, 0, method, _header(retry_after), delay, after, path))

    def always(
        self,
        name: str,
        *,
        every: int = 1,
        after: int = 0,
        method: str | None = None,
        path: str = "",
        retry_after: int | str | None = None,
        delay: float = SLOW_SECONDS,
    ) -> None:
        """Hit one request in `every` until cleared, once the first `after` of them have passed."""
        self._arm(ArmedFault(name, None, every, 0, method, _header(retry_after), delay, after, path))

    def clear(self, name: str | None = None) -> None:
        """Disarm `name`, or everything, and let go of every answer on hold."""
        with self._lock:
            self._armed = [] if name is None else [fault for fault in self._armed if fault.name != name]
        self.release()

    def release(self) -> None:
        """Let go of every answer on hold now."""
        with self._lock:
            self._releases += 1
            for wake in self._held:
                wake()

    @property
    def held(self) -> int:
        """How many answers are on hold."""
        with self._lock:
            return len(self._held)

    @property
    def releases(self) -> int:
        """How often answers on hold were let go."""
        with self._lock:
            return self._releases

    @contextmanager
    def held_until_released(self, since: int, wake: Callable[[], object]) -> Iterator[None]:
        """Count an answer as held until the block ends; `wake` is called once there were more `releases` than `since`.

        It is called on the thread that releases.
        """
        with self._lock:
            self._held.append(wake)
            if self._releases != since:
                wake()
        try:
            yield
        finally:
            with self._lock:
                self._held.remove(wake)

    def take(self, *names: str, method: str, path: str) -> ArmedFault | None:
        """The first armed fault among `names` that meets this request; None: no trouble."""
        met: ArmedFault | None = None
        with self._lock:
            for fault in self._armed:
                # A counted fault waits while another meets this request; one without end goes on counting.
                if fault.name in names and (met is None or fault.left is None) and fault.meets(method, path):
                    met = met or fault
            self._armed = [fault for fault in self._armed if fault.left != 0]
        return met

    def _arm_those_at_start(self) -> None:
        for text in self._at_start:
            if (parsed := parse_fault(text)) is not None:
                self.always(parsed[0], every=parsed[1])

    def _arm(self, fault: ArmedFault) -> None:
        if fault.name not in FAULTS:
            raise ValueError(f"unknown fault {fault.name!r}; choose from {', '.join(FAULTS)}")
        if fault.every < 1 or (fault.left is not None and fault.left < 1):
            raise ValueError("a fault must affect at least one request")
        with self._lock:
            # Different offsets keep faults of equal rate from falling on the same request.
            fault.offset = len(self._armed) % fault.every
            self._armed.append(fault)


def _header(retry_after: int | str | None) -> str | None:
    return None if retry_after is None else str(retry_after)
