"""The history of requests: what is kept of one that the console sends, what never is, and how it is sent again."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import Enum
from urllib.parse import urlsplit

from svc_tui.domain.data.bodies import size_text
from svc_tui.domain.data.folded_text import fold
from svc_tui.domain.http.errors import RequestCancelled, SentState, ServiceError
from svc_tui.domain.http.headers import carries_identity
from svc_tui.domain.http.redact import mask_bytes, mask_keys, mask_text
from svc_tui.domain.model.requests import Exchange, RequestSpec

MAX_REQUEST_BODY_BYTES = 256_000
"""Bytes of a request's body that are kept; a larger one is left out."""

MAX_ANSWER_BODY_BYTES = 64_000
"""Bytes of an answer's body that are kept where answers are."""


class RequestOutcome(Enum):
    """How a request ended; the value is the word for it."""

    ANSWERED = "answered"
    NOT_SENT = "not sent"
    UNKNOWN = "unknown"
    CANCELLED = "cancelled"
    """A read that the user gave up."""


@dataclass(frozen=True, slots=True)
class RecordedRequest:
    """A request about to leave, fit to be kept; `missing` says in words what of it is not in `spec`."""

    at: datetime
    spec: RequestSpec
    missing: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RecordedResult:
    """How a request ended: `status` None where no answer came, `seconds` for the whole of it, `received` in bytes.

    `body` is None where the answer's is not kept; it is the beginning where `received` is more.
    """

    outcome: RequestOutcome
    status: int | None = None
    seconds: float = 0.0
    received: int = 0
    request_id: str = ""
    message: str = ""
    body: bytes | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True)
class HistoryEntry:
    """A request of the history; without an ending nobody knows its fate: it is on its way, or the program ended."""

    number: int
    recorded_request: RecordedRequest
    recorded_result: RecordedResult | None = None

    @property
    def outcome(self) -> RequestOutcome:
        """How it ended, as far as is known."""
        return RequestOutcome.UNKNOWN if self.recorded_result is None else self.recorded_result.outcome


def recorded_request(spec: RequestSpec, at: datetime, secrets: Sequence[str]) -> RecordedRequest:
    """What is kept of a request: no header that carries identity, no key, none of `secrets`, no huge body."""
    missing: list[str] = []

    def clean(text: str, where: str) -> str:
        cleaned = mask_text(mask_keys(text), secrets)
        if cleaned != text:
            missing.append(f"a secret in {where}")
        return cleaned

    headers = []
    for name, value in spec.headers:
        if carries_identity(name):
            missing.append(f"the header {clean(name, 'a header name')}")
        else:
            headers.append((clean(name, "a header name"), clean(value, f"the header {name}")))
    body = mask_bytes(spec.body, secrets)
    if body != spec.body:
        missing.append("a secret in the body")
    if len(body) > MAX_REQUEST_BODY_BYTES:
        missing.append(f"the body ({size_text(len(body))})")
        body = b""
    kept = RequestSpec(
        clean(spec.method, "the method"),
        clean(spec.path, "the path"),
        tuple((clean(name, "the query"), clean(value, "the query")) for name, value in spec.query),
        tuple(headers),
        body,
        clean(spec.idempotency_key, "the idempotency key"),
    )
    return RecordedRequest(at, kept, tuple(dict.fromkeys(missing)))


def recorded_result(
    exchange: Exchange | None, failure: ServiceError | None, secrets: Sequence[str], *, bodies: bool
) -> RecordedResult:
    """How a request ended; the answer's body is kept where `bodies` are, as far as there is room, without `secrets`."""
    outcome = RequestOutcome.ANSWERED
    if isinstance(failure, RequestCancelled):
        outcome = RequestOutcome.CANCELLED
    elif failure is not None and failure.sent is SentState.NO:
        outcome = RequestOutcome.NOT_SENT
    elif (failure is None and exchange is None) or (failure is not None and failure.sent is SentState.UNKNOWN):
        outcome = RequestOutcome.UNKNOWN
    message = mask_text(mask_keys(str(failure)), secrets) if failure is not None else ""
    if exchange is None:
        return RecordedResult(outcome, message=message)
    answer = exchange.answer
    return RecordedResult(
        outcome,
        answer.status,
        exchange.seconds + exchange.waited,
        len(answer.body),
        mask_text(mask_keys(answer.request_id or ""), secrets),
        message,
        mask_bytes(answer.body, secrets)[:MAX_ANSWER_BODY_BYTES] if bodies else None,
    )


def request_to_resend(entry: HistoryEntry, idempotency_header: str) -> RequestSpec:
    """The request of an entry to be sent again; the same key goes with it while nobody knows whether it was done."""
    spec = replace(entry.recorded_request.spec, idempotency_key="")
    key = entry.recorded_request.spec.idempotency_key
    named = any(name.lower() == idempotency_header.lower() for name, _ in spec.headers)
    if not (spec.writes and key and idempotency_header and entry.outcome is RequestOutcome.UNKNOWN) or named:
        return spec
    return replace(spec, headers=(*spec.headers, (idempotency_header, key)))


def display_target(spec: RequestSpec) -> str:
    """Path and query of a kept request, for people."""
    query = "&".join(f"{name}={value}" for name, value in spec.query)
    if not query:
        return spec.path
    return f"{spec.path}{'&' if urlsplit(spec.path).query else '?'}{query}"


def search_words(text: str) -> tuple[str, ...]:
    """What is looked for, word by word, folded."""
    return tuple(fold(text).split())


def matches(entry: HistoryEntry, wanted: Sequence[str]) -> bool:
    """Whether each of the words is somewhere in the entry: method, target, headers, body, day, fate, answer."""
    haystack = fold("\n".join(_searchable_texts(entry)))
    return all(word in haystack for word in wanted)


def _searchable_texts(entry: HistoryEntry) -> Iterator[str]:
    spec, recorded_result = entry.recorded_request.spec, entry.recorded_result
    yield f"{spec.method} {display_target(spec)}"
    yield from (f"{name}: {value}" for name, value in spec.headers)
    yield spec.body.decode(errors="replace")
    yield spec.idempotency_key
    yield entry.recorded_request.at.date().isoformat()
    yield entry.outcome.value
    if recorded_result is not None:
        yield "" if recorded_result.status is None else f"{recorded_result.status}"
        yield recorded_result.message
        yield recorded_result.request_id
        yield (recorded_result.body or b"").decode(errors="replace")
