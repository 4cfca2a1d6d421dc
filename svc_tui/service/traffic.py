"""What happened on the wire, as facts that anybody may listen to.

`call` numbers a logical request (all its attempts share it). Times called `until` are on the monotonic clock.
"""

from collections.abc import Callable
from enum import Enum
from typing import TypeAlias

from msgspec import Struct


class Sent(Struct, frozen=True):
    """An attempt left: `attempt` counts from 1."""

    call: int
    attempt: int
    method: str
    target: str


class Answered(Struct, frozen=True):
    """An attempt was answered; `code` is the service's error code, "" where there is none."""

    call: int
    status: int
    seconds: float
    code: str = ""


class Failed(Struct, frozen=True):
    """An attempt ended without an answer."""

    call: int
    reason: str


class Retrying(Struct, frozen=True):
    """The same call will be sent again after `wait` seconds."""

    call: int
    attempt: int
    wait: float
    reason: str


class Throttled(Struct, frozen=True):
    """Requests are held back until `until`, `waiting` of them so far; `until` None: no longer.

    `status` is that of the answer that asked for it: 429 or 503.
    """

    until: float | None
    waiting: int
    status: int = 429


class Paced(Struct, frozen=True):
    """Background requests leave so many `per_second` at most, as 429s have taught; None: as they come."""

    per_second: float | None


class ClockCorrected(Struct, frozen=True):
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
"""Called at the beginning of each stage; a request that is sent again goes through them again."""
