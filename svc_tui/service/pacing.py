"""How fast background requests may go, learned from what a key allows: a walk settles there instead of bumping into it.

Source: service-interface, "Limits": each key has a rate limit, its numbers are not shown, and the only sign of it is a
429 with `Retry-After`. So nothing is assumed of its kind; a bucket that fills by the second and a window that starts
again each minute are both met by the same rules.
"""

import math

from msgspec import Struct

from svc_tui.core.values import replace

MAX_INTERVAL_SECONDS = 30.0
"""Seconds between two background requests at most: half a call's deadline, so that no walk dies of its own pace."""

MIN_INTERVAL_SECONDS = 0.005
"""Seconds between two background requests below which a pace holds nobody back."""

REPEAT_SECONDS = 60.0
"""Seconds after a hold in which another 429 is a sign of too many requests, not of a chance burst."""

FORGET_SECONDS = 600.0
"""Seconds in which nothing tests the pace until it is forgotten, and longer where the service made everybody wait."""

_NEVER = -math.inf
_MARGIN = 1.1
_SLOWDOWN_FACTOR = 1.25
_STRETCH = 10
"""Requests that must pass before the pace tries to be faster."""
_STRETCH_HOLDS = 2
"""The same in holds: where a 429 costs long waits, it is risked more rarely."""
_LONGEST_HOLDS = 3
"""The slowest pace in holds: after one the service lets a request pass, so a much slower pace wins nothing."""
_FIRST_GAIN = 0.10
_NEXT_GAIN = 0.01
_MOST_GAIN = 0.25


class Pace(Struct, frozen=True):
    """The pace and what it was learned from; times are seconds on one monotonic clock.

    `interval` is the time between two background requests, 0 where there is no pace; the next may leave at `free_at`.
    The last 429 that told something new came at `refused_at` and held everybody back for `hold`; `longest` is the
    longest such hold. `taken` counts what the service took of the requests that left since, `stretch_taken` those
    of the stretch that began at `stretch_from`, after which the pace gains `gain` of its speed. A 429 or a busy
    stretch tested the pace at `tested_at`.
    """

    interval: float = 0.0
    free_at: float = _NEVER
    refused_at: float = _NEVER
    hold: float = 0.0
    longest: float = 0.0
    taken: int = 0
    stretch_from: float = _NEVER
    stretch_taken: int = 0
    gain: float = _FIRST_GAIN
    tested_at: float = _NEVER

    @property
    def per_second(self) -> float | None:
        """Background requests a second; None where there is no pace."""
        return 1 / self.interval if self.interval else None

    @property
    def forgotten_at(self) -> float:
        """When the pace ends if nothing tests it before."""
        return self.tested_at + FORGET_SECONDS + _STRETCH_HOLDS * self.hold

    def sent(self, now: float) -> "Pace":
        """The pace after any request left: it may have taken the place of a background one."""
        if not self.interval:
            return self
        return replace(self, free_at=min(max(self.free_at, now) + self.interval, now + MAX_INTERVAL_SECONDS))

    def answered(self, sent: float, now: float) -> "Pace":
        """The pace after the service took the request that left at `sent`: after a quiet stretch, a little faster."""
        if sent < self.refused_at:
            return self
        answered = replace(self, taken=self.taken + 1, stretch_taken=self.stretch_taken + 1)
        lasted = now - self.stretch_from
        if not self.interval or answered.stretch_taken < _STRETCH or lasted < _STRETCH_HOLDS * self.hold:
            return answered
        if answered.stretch_taken * self.interval < lasted / 2:
            # So few were sent that it is no sign of what the key allows.
            return replace(answered, stretch_from=now, stretch_taken=0)
        interval = self.interval / (1 + self.gain)
        if interval < MIN_INTERVAL_SECONDS:
            return Pace()
        # The longer it is quiet the bolder: near the limit in small steps, far from it soon in large ones.
        gain = min(_MOST_GAIN, self.gain + _NEXT_GAIN)
        return replace(answered, interval=interval, gain=gain, stretch_from=now, stretch_taken=0, tested_at=now)

    def refused(self, sent: float, now: float, hold: float) -> "Pace":
        """The pace after a 429 to the request that left at `sent`; nobody may go for `hold` seconds from `now`.

        The first 429 sets no pace, a second soon after it does, each further one makes it slower. One that only
        repeats the last, with nothing taken in between, lengthens its hold.
        """
        longest = max(self.longest, hold)
        known = self.refused_at > _NEVER
        if known and (sent < self.refused_at or not self.taken):
            return replace(self, hold=max(self.hold, now + hold - self.refused_at), longest=longest)
        if self.interval:
            interval, gain = self.interval * _SLOWDOWN_FACTOR, _NEXT_GAIN
        elif now - (self.refused_at + self.hold) <= max(REPEAT_SECONDS, self.hold):
            interval, gain = self._learned(now, hold), _FIRST_GAIN
        else:
            interval, gain, longest = 0.0, _FIRST_GAIN, hold
        interval = min(interval, MAX_INTERVAL_SECONDS, _LONGEST_HOLDS * max(1.0, longest))
        if interval < MIN_INTERVAL_SECONDS:
            interval = 0.0
        until = now + hold
        return Pace(interval, until, now, hold, longest, stretch_from=until, gain=gain, tested_at=until)

    def rested(self, now: float) -> "Pace":
        """The pace as it still holds at `now`: forgotten when nothing has tested it for long."""
        return Pace() if now >= self.forgotten_at else self

    def _learned(self, now: float, hold: float) -> float:
        """Seconds a request, and a margin: as many as were taken between two 429s, in the time of the whole cycle.

        The cycle is the last hold and what followed, or what followed and the new hold, whichever is longer: the
        first is short where a window was found half over, the second where the service does not say how long.
        """
        cycle = max(now - self.refused_at, now - (self.refused_at + self.hold) + hold)
        return _MARGIN * cycle / self.taken
