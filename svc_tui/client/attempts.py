"""Attempts on the wire, each in a task of its own that a caller's cancel does not reach by itself.

A write that has left can't be called back, and a connection whose request is cut short is lost for the next one. So a
cancelled caller goes its way, and its attempt comes to its own end, unless it is a read that was made to stop then.
"""

import asyncio
import random
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from importlib import import_module
from typing import TYPE_CHECKING

from msgspec import Struct

from svc_tui.client.body_handling import BodyHandling
from svc_tui.client.signed_request import PreparedRequest, masked_request, sign_request
from svc_tui.client.throttle import RequestTurn, Throttle
from svc_tui.core.credentials import KeyPair
from svc_tui.core.requests import Answer, Exchange
from svc_tui.service.answers import explain_body
from svc_tui.service.base_url import BaseUrl
from svc_tui.service.clock import Clock, DateReading, http_date
from svc_tui.service.errors import ConnectionBroken, DeadlineExceeded, SendResult, ServiceError
from svc_tui.service.retry import RetryRules, retry_after, throttle_delay
from svc_tui.service.traffic import Answered, Failed, Reached, Sent, Stage, TrafficEvent

if TYPE_CHECKING:
    from svc_tui.client.sender import Sender

_GRACE_WHEN_LATE = 0.25
"""Seconds past its deadline in which an attempt may end by itself: what came of it is known better then."""

_GRACE_WHEN_CLOSING = 2.0
"""Seconds after closing in which a write may end by itself."""


class RuntimeEnvironment(Struct, frozen=True):
    """What the client takes from the world; times in seconds."""

    now: Callable[[], float] = time.time
    monotonic: Callable[[], float] = time.monotonic
    jitter: Callable[[], float] = random.random


@dataclass(frozen=True, slots=True)
class Attempt:
    """One attempt of a call, in its turn: `number` counts from 1, `throttled` the 429s before it, `ends` is monotonic.

    `secrets` are all that must not be shown, those of earlier keys too. `reached` is called for each stage. An attempt
    that `stops` ends on the wire when its caller is cancelled; a write never does.
    """

    turn: RequestTurn
    call: int
    number: int
    prepared: PreparedRequest
    keys: KeyPair
    secrets: tuple[str, ...] = field(repr=False)
    clock: Clock
    ends: float
    body: BodyHandling
    throttled: int
    waited: float
    doubt: bool
    reached: Reached
    stops: bool


class AttemptResult(Struct, frozen=True):
    """An answered attempt, with what it was signed with and what its `Date` tells.

    `code` is the service's error code; `hold` the seconds that a 429 holds every request back, else None.
    """

    attempt: Attempt
    exchange: Exchange
    code: str
    reading: DateReading | None
    hold: float | None


class InFlight:
    """Everything under way to one base URL. The turn that each attempt has is given back here."""

    def __init__(
        self,
        base: BaseUrl,
        rules: RetryRules,
        outside: RuntimeEnvironment,
        throttle: Throttle,
        emit: Callable[[TrafficEvent], None],
    ) -> None:
        self._base = base
        self._rules = rules
        self._outside = outside
        self._throttle = throttle
        self._emit = emit
        self._reads: dict[asyncio.Task[AttemptResult | ServiceError], bool] = {}
        self._sender: Sender | None = None
        self._opening = asyncio.Lock()

    async def fly(self, attempt: Attempt, *, keep_turn: bool) -> AttemptResult | ServiceError:
        """Send the attempt and wait for its end; the error is returned, not raised, where there is no answer.

        With `keep_turn` the turn stays with the caller; one that is cancelled gives it back when the attempt ends.
        """
        flight = asyncio.create_task(self._exchange(attempt) if keep_turn else self._fly(attempt))
        self._reads[flight] = attempt.prepared.reads
        flight.add_done_callback(self._reads.pop)
        try:
            await asyncio.wait({flight})
        except asyncio.CancelledError:
            if keep_turn:
                flight.add_done_callback(lambda _: self._throttle.leave(attempt.turn))
            if attempt.stops and attempt.prepared.reads:
                flight.cancel()
            raise
        if flight.cancelled():
            return ConnectionBroken("svc-tui was closed before a response arrived")
        if keep_turn and flight.exception() is not None:
            self._throttle.leave(attempt.turn)
        return flight.result()

    async def aclose(self) -> None:
        """End reads at once, let writes end by themselves for a moment, then close every connection."""
        for flight in [flight for flight, reads in self._reads.items() if reads]:
            flight.cancel()
        try:
            if self._reads:
                await asyncio.wait(self._reads, timeout=_GRACE_WHEN_CLOSING)
        finally:
            for flight in self._reads:
                flight.cancel()
            if self._reads:
                await asyncio.wait(self._reads)
            if self._sender is not None:
                await self._sender.aclose()

    async def _fly(self, attempt: Attempt) -> AttemptResult | ServiceError:
        try:
            return await self._exchange(attempt)
        finally:
            self._throttle.leave(attempt.turn)

    async def _exchange(self, attempt: Attempt) -> AttemptResult | ServiceError:
        """Make the attempt within its time, also when its caller has given up."""
        sender: Sender | None = None
        left = attempt.ends - self._outside.monotonic()
        try:
            async with asyncio.timeout(left + _GRACE_WHEN_LATE) as limit:
                sender = await self._opened()
                return await self._send(sender, attempt, limit)
        except ServiceError as error:
            return error
        except TimeoutError:
            if sender is None:
                return DeadlineExceeded(f"connecting to {self._base.authority} timed out", sent=SendResult.NOT_SENT)
            # Its answer drips, so slowly that no silence is long enough to end it.
            return DeadlineExceeded(f"{self._base.authority} did not respond in time")

    async def _send(self, sender: "Sender", attempt: Attempt, limit: asyncio.Timeout) -> AttemptResult | ServiceError:
        outside, prepared = self._outside, attempt.prepared
        timestamp = attempt.clock.timestamp(outside.now())
        headers = sign_request(prepared, attempt.keys, timestamp)
        self._emit(Sent(attempt.call, attempt.number, prepared.method, prepared.target))
        left, started = outside.now(), outside.monotonic()
        marks: dict[Stage, float] = {}

        def reached(stage: Stage) -> None:
            marks[stage] = outside.monotonic()
            attempt.reached(stage)
            if stage is Stage.ANSWERING and attempt.body.hand_on is not None:
                # What is handed on as it comes may take any time; the sender ends it where nothing comes any more.
                limit.reschedule(None)

        try:
            answer = await sender.send(
                prepared,
                headers,
                seconds=max(0.1, attempt.ends - started),
                body=attempt.body,
                reached=reached,
            )
        except ServiceError as error:
            self._emit(Failed(attempt.call, error.message))
            return error
        except asyncio.CancelledError:
            self._emit(Failed(attempt.call, "cancelled"))
            raise
        received_at, seconds = outside.now(), outside.monotonic() - started
        exchange = Exchange(
            masked_request(prepared, self._base, headers, timestamp if attempt.keys.signs else None),
            answer,
            attempt.number,
            seconds,
            datetime.fromtimestamp(received_at, UTC),
            prepared.key,
            attempt.waited,
            attempt.doubt and not prepared.reads,
            first_byte=marks[Stage.ANSWERING] - started,
            connecting=marks[Stage.ASKED] - marks[Stage.CONNECTING] if Stage.CONNECTING in marks else 0.0,
        )
        hold = self._hold_after(attempt, answer, received_at)
        code = "" if answer.ok else explain_body(answer, attempt.secrets)[0]
        self._emit(Answered(attempt.call, answer.status, seconds, code))
        return AttemptResult(attempt, exchange, code, _reading(answer, left, received_at, seconds), hold)

    def _hold_after(self, attempt: Attempt, answer: Answer, received_at: float) -> float | None:
        """Tell the throttle of the answer before the turn is given to the next request.

        Return the seconds that a 429 holds every request back, else None: a 503 counts as one of the call's attempts,
        but its `Retry-After` holds every request back too (RFC 9110, section 15.6.4).
        """
        requested_delay = retry_after(answer, received_at)
        if answer.status != 429:
            self._throttle.took(attempt.turn)
            if answer.status == 503 and requested_delay:
                self._throttle.hold(requested_delay, attempt.turn, answer.status)
            return None
        hold = throttle_delay(attempt.throttled + 1, requested_delay, self._rules, self._outside.jitter())
        self._throttle.hold(hold, attempt.turn)
        return hold

    async def _opened(self) -> "Sender":
        async with self._opening:
            if self._sender is None:
                self._sender = await asyncio.to_thread(_is_open, self._base)
            return self._sender


def _is_open(base: BaseUrl) -> "Sender":
    """Load httpx and the certificates: a tenth of a second, spent in a thread at the first request."""
    # httpx loads a command line of its own wherever what that is made of is installed: a third of its time. A module
    # that is None can't be imported, as if it were not installed.
    sys.modules.setdefault("httpx._main", None)  # type: ignore[arg-type]
    created_sender: Sender = import_module("svc_tui.client.sender").Sender(base)
    return created_sender


def _reading(answer: Answer, left: float, received_at: float, elapsed: float) -> DateReading | None:
    date = http_date(answer.header("date") or "")
    if date is None:
        return None
    return DateReading(date, left, received_at, elapsed, cached=answer.header("age") is not None)
