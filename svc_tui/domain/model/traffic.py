"""What happened on the wire, as facts that anybody may listen to.

`call` numbers a logical request (all its attempts share it). Times called `until` are on the monotonic clock.
"""

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class Sent:
    """An attempt left: `attempt` counts from 1."""

    call: int
    attempt: int
    method: str
    target: str


@dataclass(frozen=True, slots=True)
class Answered:
    """An attempt was answered; `code` is the service's error code, "" where there is none."""

    call: int
    status: int
    seconds: float
    code: str = ""


@dataclass(frozen=True, slots=True)
class Failed:
    """An attempt ended without an answer."""

    call: int
    reason: str


@dataclass(frozen=True, slots=True)
class Retrying:
    """The same call will be sent again after `wait` seconds."""

    call: int
    attempt: int
    wait: float
    reason: str


@dataclass(frozen=True, slots=True)
class Throttled:
    """Requests are held back until `until`, `waiting` of them so far; `until` None: no longer.

    `status` is that of the answer that asked for it: 429 or 503.
    """

    until: float | None
    waiting: int
    status: int = 429


@dataclass(frozen=True, slots=True)
class Paced:
    """Background requests leave so many `per_second` at most, as 429s have taught; None: as they come."""

    per_second: float | None


@dataclass(frozen=True, slots=True)
class ClockCorrected:
    """The service's clock minus ours, in seconds; None: believed equal again."""

    offset: float | None


TrafficEvent: TypeAlias = Sent | Answered | Failed | Retrying | Throttled | Paced | ClockCorrected
Listener: TypeAlias = Callable[[TrafficEvent], None]


class Stage(Enum):
    """How far a request has come on its way; the value is what people read."""

    WAITING = "queued"
    CONNECTING = "connecting"
    ASKED = "waiting for the response"
    ANSWERING = "reading the response"


Reached: TypeAlias = Callable[[Stage], None]
"""Is told of each stage when it begins; a request that is sent again goes through them again."""
