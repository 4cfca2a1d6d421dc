"""May a request be sent again, and when: pure decisions.

Source: service-interface, "Errors" (429 and `Retry-After`) and RFC 9110, sections 9.2.2 (idempotent methods) and
10.2.3 (Retry-After). The document shows no idempotency mechanism, so a POST whose outcome is unknown is not sent
again unless the profile says that the service honours the key.
"""

import re
from collections.abc import Iterator

from msgspec import Struct

from svc_tui.core.requests import Answer
from svc_tui.core.values import replace
from svc_tui.service.clock import http_date

NO_DEADLINE = 1e9
"""Seconds, thirty years: the longest wait that is told apart; longer ones count as this."""

_REPEATABLE = frozenset({"GET", "HEAD", "OPTIONS", "PUT", "DELETE", "PATCH"})
_TRANSIENT_STATUSES = frozenset({408, 500, 502, 503, 504})
_SECONDS = re.compile(r"[0-9]+")
_LONG_YEAR = re.compile(r"\b[0-9]{5,}\b")


class RetryRules(Struct, frozen=True):
    """How patient a call is; times in seconds."""

    attempts: int = 3
    """How often one call is sent when its outcome was bad luck; a 429 does not count."""
    first_wait: float = 0.5
    longest_wait: float = 8.0
    deadline: float = 60.0
    """For the whole call: its attempts and every wait."""


class AttemptOutcome(Struct, frozen=True):
    """How an attempt ended: with `status`, or without an answer (None), `sent` or not.

    `broken` is a 2xx whose body broke off; `requested_delay` the seconds that the service asked to wait, where it did.
    """

    status: int | None = None
    sent: bool = True
    broken: bool = False
    requested_delay: float | None = None


class RetryBudget(Struct, frozen=True):
    """How much a whole client may send again: every retry costs one, every success gives a fifth back."""

    left: float = 10.0
    size: float = 10.0

    def spent(self) -> "RetryBudget | None":
        """The budget after one more retry; None where it is used up."""
        return replace(self, left=self.left - 1) if self.left >= 1 else None

    def earned(self) -> "RetryBudget":
        """The budget after a success."""
        return replace(self, left=min(self.size, self.left + 0.2))


def retry_after(answer: Answer, now: float) -> float | None:
    """Seconds that `Retry-After` asks for: ASCII digits, or an HTTP date measured against the service's `Date`.

    `now` is our own Unix time of the answer's coming, and stands in where `Date` is not usable. Of several values,
    in headers of their own or joined by a proxy, the longest counts. None where nothing understandable is asked.
    """
    date = answer.header("date")
    at = http_date(date) if date is not None else None
    waits = [wait for value in answer.values("retry-after") for wait in _retry_delays(value, now if at is None else at)]
    return max(waits, default=None)


def _retry_delays(value: str, at: float) -> Iterator[float]:
    """The waits in one header, `at` being the time; a date may hold a comma, as what joins two values is."""
    before = ""
    for part in value.split(","):
        for text in (part, f"{before},{part}"):
            if (wait := _parse_retry_after(text.strip(), at)) is not None:
                yield wait
        before = part


def _parse_retry_after(text: str, at: float) -> float | None:
    if _SECONDS.fullmatch(text):
        return min(NO_DEADLINE, float(text))
    until = http_date(_LONG_YEAR.sub("9999", text))
    return None if until is None else min(NO_DEADLINE, max(0.0, until - at))


def may_repeat(method: str, happened: AttemptOutcome, *, honoured: bool) -> bool:
    """Whether sending again is safe and makes sense; `honoured`: the service is known to honour the idempotency key."""
    repeatable = method in _REPEATABLE or (method == "POST" and honoured)
    if happened.status is None:
        return repeatable or not happened.sent
    if happened.broken:
        # It was carried out; only reading it anew is harmless.
        return method in ("GET", "HEAD", "OPTIONS")
    return repeatable and happened.status in _TRANSIENT_STATUSES


def backoff(attempt: int, rules: RetryRules, jitter: float) -> float:
    """Seconds to wait after `attempt` (from 1): full jitter over a span that doubles; `jitter` is in [0, 1)."""
    return jitter * min(rules.longest_wait, rules.first_wait * 2.0 ** min(attempt - 1, 30))


def next_delay(
    attempt: int,
    method: str,
    happened: AttemptOutcome,
    rules: RetryRules,
    left: float,
    jitter: float,
    *,
    honoured: bool,
) -> float | None:
    """Seconds to wait before sending again; None: hand this outcome back.

    `left` is what remains of the deadline. Never sooner than the service asked, never past the deadline.
    """
    if attempt >= rules.attempts or not may_repeat(method, happened, honoured=honoured):
        return None
    wait = max(backoff(attempt, rules, jitter), happened.requested_delay or 0.0)
    return wait if wait < left else None


def throttle_delay(round_: int, requested_delay: float | None, rules: RetryRules, jitter: float) -> float:
    """Seconds to hold requests back after a 429, the `round_`th (from 1) in a row: what was asked, else backoff.

    A service that asks for no wait at all, again and again, is waited for a little longer each time.
    """
    if requested_delay is not None and (requested_delay > 0 or round_ == 1):
        return requested_delay
    return backoff(round_, rules, 0.5 + jitter / 2)


class Backoff(Struct, frozen=True):
    """The delay between tries in seconds: `least` while they succeed, doubled up to `most` while they fail."""

    least: float
    most: float
    doubled: int = 0

    @property
    def seconds(self) -> float:
        """The delay before the next try."""
        return min(self.most, self.least * 2.0**self.doubled)

    def longer(self) -> "Backoff":
        """Return the longer delay after a failed try."""
        return self if self.seconds >= self.most else replace(self, doubled=self.doubled + 1)

    def reset(self) -> "Backoff":
        """Return the least delay, after a successful try."""
        return replace(self, doubled=0)
