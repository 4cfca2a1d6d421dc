"""Makes calls: when to send again, by which clock and with which keys, and what every caller of one client shares."""

import asyncio
import itertools
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass

from svc_tui.client.attempts import Attempt, AttemptResult, InFlight, RuntimeEnvironment
from svc_tui.client.body_handling import BodyHandling
from svc_tui.client.decode import decode_record
from svc_tui.client.keys import Keys
from svc_tui.client.signed_request import PreparedRequest
from svc_tui.client.throttle import HeldTooLong, RequestTurn, Throttle, ThrottleClosed
from svc_tui.core.credentials import KeyPair
from svc_tui.core.durations import span_words
from svc_tui.core.jsontext import same_json
from svc_tui.core.records import Record
from svc_tui.core.requests import Answer, Exchange
from svc_tui.core.values import replace
from svc_tui.service.base_url import BaseUrl
from svc_tui.service.clock import Clock
from svc_tui.service.errors import (
    BadAnswer,
    CertificateRefused,
    DeadlineExceeded,
    NotFound,
    ProxyRefused,
    RateLimitExceeded,
    RecordChanged,
    RequestRefused,
    SendResult,
    ServerFault,
    ServiceError,
    failure_of,
)
from svc_tui.service.retry import AttemptOutcome, RetryBudget, RetryRules, next_delay, retry_after
from svc_tui.service.traffic import ClockCorrected, Reached, Retrying, Stage, TrafficEvent

_STALE_KEYS = frozenset({"api_key_revoked", "api_key_expired", "api_key_invalid", "signature_mismatch"})

_FINAL = (RequestRefused, CertificateRefused, ProxyRefused, BadAnswer)
"""What another attempt would end in again."""

_MAX_READING_AGE = 1.0
"""Seconds after its reading in which a record is taken to be unchanged."""


@dataclass(slots=True)
class UnchangedCheck:
    """The record that a write is about, as it was read at `read_at`: a write leaves only while it is still so.

    `prepared` is the GET that reads it again, `body` how its answer is kept, `call` that reading while it is under way.
    """

    prepared: PreparedRequest
    body: BodyHandling
    record: Record
    read_at: float
    call: "_Call | None" = None

    def is_met(self, record: Record) -> bool:
        """Return whether the record, as it was read again, is the same in its ETag and in every field."""
        return record.etag == self.record.etag and same_json(record.fields, self.record.fields)


@dataclass(slots=True)
class _Call:
    """One logical request under way.

    `readings` counts those of the keys' source when the last attempt left; `last` is the answer to the last attempt,
    None where that one had none.
    """

    number: int
    prepared: PreparedRequest
    background: bool
    body: BodyHandling
    ends: float
    reached: Reached
    stops: bool
    attempts: int = 0
    tries: int = 0
    throttled: int = 0
    waited: float = 0.0
    doubt: bool = False
    clock_tried: bool = False
    keys_tried: bool = False
    readings: int = 0
    last: Exchange | None = None
    handed_on: bool = False

    def hand_on(self, head: Answer, piece: bytes) -> None:
        """Hand a piece of the answer's body on: from the first one on there is no other attempt."""
        self.handed_on = True
        if self.body.hand_on is not None:
            self.body.hand_on(head, piece)


class Caller:
    """What all requests of one client share; `emit` hears every traffic event.

    It belongs to the event loop of its first call, as connections do.
    """

    def __init__(
        self,
        base: BaseUrl,
        keys: Keys,
        rules: RetryRules,
        outside: RuntimeEnvironment,
        emit: Callable[[TrafficEvent], None],
        *,
        honoured: bool,
    ) -> None:
        self.clock = Clock()
        self._keys = keys
        self._rules = rules
        self._outside = outside
        self._emit = emit
        self._honoured = honoured
        self._throttle = Throttle(outside.monotonic, emit)
        self._budget = RetryBudget()
        self._numbers = itertools.count(1)
        self._flights = InFlight(base, rules, outside, self._throttle, emit)
        self._loop: asyncio.AbstractEventLoop | None = None
        self._closing = asyncio.Event()
        self._ended = False

    @property
    def keys(self) -> KeyPair:
        """The pair in use."""
        return self._keys.pair

    @property
    def secrets(self) -> tuple[str, ...]:
        """The texts of the pair in use and of every one before."""
        return self._keys.secrets

    async def call(
        self,
        prepared: PreparedRequest,
        *,
        background: bool,
        body: BodyHandling,
        reached: Reached = lambda stage: None,
        stops: bool = False,
        check: UnchangedCheck | None = None,
        restart_of: RecordChanged | None = None,
    ) -> Exchange:
        """Send until there is an answer to hand back; raises a ServiceError where there is none.

        `reached` is called for every stage; a read that `stops` ends on the wire when the caller is cancelled.
        `check` and `restart_of`: see `Gateway.send`.
        """
        self._keep_to_one_loop()
        ends = restart_of.ends if restart_of else self._outside.monotonic() + self._rules.deadline
        tries = restart_of.tries if restart_of else 0
        call = _Call(next(self._numbers), prepared, background, body, ends, reached, stops, tries=tries)
        while True:
            turn = await self._turn(call)
            if isinstance(turn, ServiceError):
                if call.last is None:
                    raise _complete_exchange(turn, call)
                return call.last
            if check is not None and self._is_due(check, call) and not await self._is_unchanged(check, call, turn):
                continue
            outcome = await self._attempt(call, turn)
            if await self._wait_for_next(call, outcome):
                continue
            if isinstance(outcome, ServiceError):
                # The frames that it comes from hold the headers as they were sent.
                raise _complete_exchange(outcome, call).with_traceback(None)
            return outcome.exchange

    async def aclose(self) -> None:
        """Let writes under way end, briefly, then close every connection; raises RequestRefused on another loop."""
        if self._ended:
            return
        self._keep_to_one_loop()
        self._closing.set()
        self._throttle.close()
        self._keys.close()
        try:
            await self._flights.aclose()
        finally:
            self._ended = True

    async def reread_keys(self) -> bool:
        """Read the source of the keys again; whether there is now another pair than before."""
        self._keep_to_one_loop()
        return await self._keys.renewed(self.keys, readings=None, seconds=self._rules.deadline)

    def _keep_to_one_loop(self) -> None:
        loop = asyncio.get_running_loop()
        self._loop = self._loop or loop
        if self._loop is not loop:
            raise RequestRefused("internal error: the client belongs to another event loop")

    async def _turn(self, call: _Call) -> RequestTurn | ServiceError:
        """Wait for a turn to send; gives the error when none comes in time."""
        started = self._outside.monotonic()
        if self._closing.is_set():
            raise _complete_exchange(RequestRefused("svc-tui is closing"), call)
        call.reached(Stage.WAITING)
        if started >= call.ends:
            return DeadlineExceeded("timed out before the request could be sent; try again", sent=SendResult.NOT_SENT)
        try:
            turn = await self._throttle.enter(call.number, background=call.background, deadline=call.ends)
        except ThrottleClosed:
            raise _complete_exchange(RequestRefused("svc-tui is closing"), call) from None
        except HeldTooLong as held:
            return _held_back(held)
        except TimeoutError:
            return DeadlineExceeded("timed out while waiting for other requests; try again", sent=SendResult.NOT_SENT)
        call.waited += self._outside.monotonic() - started
        return turn

    def _is_due(self, check: UnchangedCheck, call: _Call) -> bool:
        is_old = self._outside.monotonic() - check.read_at > _MAX_READING_AGE
        if call.doubt and call.prepared.method == "POST":
            # It is sent again because its key is honoured. What changed may be the first attempt's own doing, which
            # the key has answered as it was; a 503 alone says that there was none.
            return is_old and call.last is not None and call.last.answer.status == 503
        return call.doubt or is_old

    async def _is_unchanged(self, check: UnchangedCheck, call: _Call, turn: RequestTurn) -> bool:
        """Read the record again on the write's own turn: in the queue the reading would wait behind the write.

        Return False where the turn was given back and the reading is to be tried again. Raises RecordChanged, or why
        the record can't be read; the write has not left then.
        """
        if check.call is None:
            number = next(self._numbers)
            check.call = _Call(
                number, check.prepared, call.background, check.body, call.ends, lambda stage: None, stops=False
            )
        outcome = await self._attempt(check.call, turn, keep_turn=True)
        record: Record | ServiceError
        if isinstance(outcome, ServiceError):
            record = outcome
        else:
            record = failure_of(outcome.exchange, self.secrets) or decode_record(outcome.exchange, self.secrets)
        if isinstance(record, Record) and check.is_met(record):
            check.read_at, check.call = self._outside.monotonic(), None
            return True
        self._throttle.leave(turn)
        if await self._wait_for_next(check.call, outcome):
            return False
        if isinstance(record, NotFound):
            failure: ServiceError = _changed("no longer exists", call)
        else:
            failure = _changed("changed after it was loaded", call) if isinstance(record, Record) else _unread(record)
        raise _complete_exchange(failure, call).with_traceback(None)

    async def _wait_for_next(self, call: _Call, outcome: AttemptResult | ServiceError) -> bool:
        """Wait until the next attempt may be made; return False where there is none, and the outcome stands."""
        if isinstance(outcome, ServiceError):
            call.last = None
            wait = self._wait_after_failure(call, outcome)
            reason = outcome.message
        else:
            call.last = outcome.exchange
            wait = await self._wait_after_answer(call, outcome)
            reason = f"{outcome.exchange.answer.status} {outcome.code}".rstrip()
        if wait is None:
            return False
        self._emit(Retrying(call.number, call.attempts + 1, wait, reason))
        if isinstance(outcome, ServiceError) or outcome.hold is None:
            await self._pause(call, wait)
        return True

    async def _pause(self, call: _Call, wait: float) -> None:
        """Wait, but not for longer than the client is open."""
        call.reached(Stage.WAITING)
        started = self._outside.monotonic()
        with suppress(TimeoutError):
            async with asyncio.timeout(wait):
                await self._closing.wait()
        call.waited += self._outside.monotonic() - started

    async def _attempt(
        self, call: _Call, turn: RequestTurn, *, keep_turn: bool = False
    ) -> AttemptResult | ServiceError:
        call.attempts += 1
        call.readings = self._keys.readings
        attempt = Attempt(
            turn,
            call.number,
            call.attempts,
            call.prepared,
            self.keys,
            self.secrets,
            self.clock,
            call.ends,
            replace(call.body, hand_on=call.hand_on) if call.body.hand_on is not None else call.body,
            call.throttled,
            call.waited,
            call.doubt,
            call.reached,
            call.stops,
        )
        outcome = await self._flights.fly(attempt, keep_turn=keep_turn)
        if isinstance(outcome, AttemptResult) and outcome.reading is not None and outcome.code != "timestamp_stale":
            taken = outcome.exchange.answer.ok and attempt.keys.signing_secret is not None
            self._believe(self.clock.learned(outcome.reading, attempt.clock.correction if taken else None))
        return outcome

    async def _wait_after_answer(self, call: _Call, landed: AttemptResult) -> float | None:
        """Seconds until the next attempt; None: hand the answer back."""
        answer = landed.exchange.answer
        if answer.ok:
            self._budget = self._budget.earned()
            return None
        if landed.hold is not None:
            call.throttled += 1
            return landed.hold if landed.hold <= call.ends - self._outside.monotonic() else None
        if landed.code == "timestamp_stale":
            return self._wait_after_stale(call, landed)
        if landed.code in _STALE_KEYS:
            return await self._wait_after_old_keys(call, landed)
        if answer.status >= 500 or answer.status == 408:
            call.doubt = True
        requested_delay = retry_after(answer, self._outside.now())
        return self._wait(call, AttemptOutcome(answer.status, requested_delay=requested_delay))

    def _wait_after_stale(self, call: _Call, landed: AttemptResult) -> float | None:
        clock = self.clock.refused(landed.reading, landed.attempt.clock.correction)
        if clock is None:
            return None
        self._believe(clock)
        tried, call.clock_tried = call.clock_tried, True
        return None if tried else 0.0

    async def _wait_after_old_keys(self, call: _Call, landed: AttemptResult) -> float | None:
        if call.keys_tried:
            return None
        call.keys_tried = True
        left = call.ends - self._outside.monotonic()
        renewed = await self._keys.renewed(landed.attempt.keys, readings=call.readings, seconds=left)
        return 0.0 if renewed else None

    def _wait_after_failure(self, call: _Call, error: ServiceError) -> float | None:
        call.doubt = call.doubt or error.sent is SendResult.UNKNOWN
        if call.handed_on or self._closing.is_set() or isinstance(error, _FINAL):
            return None
        done = error.sent is SendResult.DONE
        return self._wait(
            call, AttemptOutcome(200 if done else None, sent=error.sent is not SendResult.NOT_SENT, broken=done)
        )

    def _wait(self, call: _Call, happened: AttemptOutcome) -> float | None:
        call.tries += 1
        left = call.ends - self._outside.monotonic()
        wait = next_delay(
            call.tries,
            call.prepared.method,
            happened,
            self._rules,
            left,
            self._outside.jitter(),
            honoured=self._honoured and bool(call.prepared.key),
        )
        budget = self._budget.spent() if wait is not None else None
        if budget is None:
            return None
        self._budget = budget
        return wait

    def _believe(self, clock: Clock) -> None:
        before, self.clock = self.clock, clock
        if clock.tells(before):
            self._emit(ClockCorrected(clock.measured))


def _held_back(held: HeldTooLong) -> RateLimitExceeded | ServerFault:
    asked = f"the service says to wait {span_words(held.wait)} more"
    if held.status != 429:
        return ServerFault(f"the service is unavailable ({held.status}): {asked}", sent=SendResult.NOT_SENT)
    failure = RateLimitExceeded(
        f"too many requests with this key: {asked} (rate_limit_exceeded)",
        code="rate_limit_exceeded",
        sent=SendResult.NOT_SENT,
    )
    failure.retry_after = held.wait
    return failure


def _changed(how: str, call: _Call) -> RecordChanged:
    if call.doubt:
        failure = RecordChanged(f"the outcome is unknown, and the record {how}, so the change was not sent again")
    else:
        failure = RecordChanged(f"the record {how}, so nothing was sent")
    failure.ends, failure.tries = call.ends, call.tries
    return failure


def _unread(error: ServiceError) -> ServiceError:
    """The error of a reading as that of the write that did not leave for it; the answer is not the write's."""
    error.message = f"the record could not be reloaded before the change: {error.message}"
    error.sent, error.exchange = SendResult.NOT_SENT, None
    return error


def _complete_exchange(error: ServiceError, call: _Call) -> ServiceError:
    """The error with what the call knows: attempts, the idempotency key, and the doubt an earlier attempt left."""
    error.attempts = call.attempts
    error.idempotency_key = call.prepared.key
    if call.doubt and error.sent is SendResult.NOT_SENT:
        error.sent = SendResult.UNKNOWN
    return error
