"""The wire as it stands, folded from traffic events: what flies, what is held back, how far the clocks are apart."""

import math
from collections.abc import Mapping
from enum import Enum

from msgspec import Struct, field

from svc_tui.core.values import replace
from svc_tui.service.clock import WARN_AFTER, WINDOW
from svc_tui.service.traffic import (
    Answered,
    ClockCorrected,
    Failed,
    Paced,
    Retrying,
    Sent,
    Throttled,
    TrafficEvent,
)

CLOCK_WARNING = WARN_AFTER
"""Seconds between the clocks from which people are warned."""

CLOCK_ERROR = WINDOW
"""Seconds between the clocks from which the service refuses."""


class KeyRefusal(Enum):
    """What the service last refused of the credentials; the value is the word people see."""

    SIGNATURE = "signature refused"
    KEY = "key refused"


_REFUSALS = {
    "signature_missing": KeyRefusal.SIGNATURE,
    "signature_mismatch": KeyRefusal.SIGNATURE,
    "api_key_missing": KeyRefusal.KEY,
    "api_key_invalid": KeyRefusal.KEY,
    "api_key_revoked": KeyRefusal.KEY,
    "api_key_expired": KeyRefusal.KEY,
}


class LastAnswer(Struct, frozen=True):
    """How the latest attempt ended: `status` None where no answer came."""

    status: int | None
    seconds: float = 0.0


class TrafficState(Struct, frozen=True):
    """The wire as the events so far tell it; times are on the monotonic clock that `apply_event` is given.

    `flying` holds when each call under way was last sent. `held_until` and `held_for` (seconds, when it was
    announced) are None and 0 while nothing is held back; `held_status` is that of the answer that asked for it.
    `paced` is how many background requests may leave a second, None where they leave as they come. `offset` is the
    service's clock minus ours, in seconds.
    """

    flying: Mapping[int, float] = field(default_factory=dict)
    held_until: float | None = None
    held_for: float = 0.0
    held_status: int = 429
    waiting: int = 0
    paced: float | None = None
    offset: float | None = None
    refusal: KeyRefusal | None = None
    last: LastAnswer | None = None

    def in_flight(self, now: float, older_than: float = 0.0) -> int:
        """How many calls have been under way for at least `older_than` seconds."""
        return sum(now - sent >= older_than for sent in self.flying.values())

    def held_seconds(self, now: float) -> int | None:
        """Whole seconds until requests go out again, at least 0; None while nothing is held back."""
        return None if self.held_until is None else max(0, math.ceil(self.held_until - now))


def apply_event(state: TrafficState, event: TrafficEvent, now: float) -> TrafficState:
    """The state after `event`."""
    match event:
        case Sent(call=call):
            return replace(state, flying={**state.flying, call: now})
        case Answered(call=call, status=status, seconds=seconds, code=code):
            return replace(
                state,
                flying=_without(state.flying, call),
                refusal=_refusal(state.refusal, status, code),
                last=LastAnswer(status, seconds),
            )
        case Failed(call=call):
            return replace(state, flying=_without(state.flying, call), last=LastAnswer(None))
        case Retrying(call=call):
            return replace(state, flying=_without(state.flying, call))
        case Throttled(until=until, waiting=waiting, status=status):
            held_for = 0.0 if until is None else max(0.0, until - now)
            if until is not None and until == state.held_until:
                held_for = state.held_for
            return replace(state, held_until=until, held_for=held_for, held_status=status, waiting=waiting)
        case Paced(per_second=per_second):
            return replace(state, paced=per_second)
        case ClockCorrected(offset=offset):
            return replace(state, offset=offset)


def _without(flying: Mapping[int, float], call: int) -> Mapping[int, float]:
    return {other: sent for other, sent in flying.items() if other != call}


def _refusal(before: KeyRefusal | None, status: int, code: str) -> KeyRefusal | None:
    """A refusal stands until the service lets a request through; a stale timestamp is the clock's matter."""
    if code in _REFUSALS:
        return _REFUSALS[code]
    return None if 200 <= status < 300 else before
