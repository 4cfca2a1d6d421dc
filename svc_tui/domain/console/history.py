"""The history of requests: what is kept of one that the console sends, what never is, and how it is sent again."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import Enum
from urllib.parse import urlsplit

from svc_tui.domain.data.bodies import size
from svc_tui.domain.http.errors import GivenUp, SentState, ServiceError
from svc_tui.domain.http.headers import carries_identity
from svc_tui.domain.http.redact import masked, masked_bytes, masked_keys
from svc_tui.domain.model.requests import Exchange, RequestSpec

LARGEST_BODY = 256_000
"""Bytes of a request's body that are kept; a larger one is left out."""

LARGEST_ANSWER = 64_000
"""Bytes of an answer's body that are kept where answers are."""


class Fate(Enum):
    """How a request ended; the value is the word for it."""

    ANSWERED = "answered"
    NOT_SENT = "not sent"
    UNKNOWN = "unknown"
    CANCELLED = "cancelled"
    """A read that somebody gave up."""


@dataclass(frozen=True, slots=True)
class Sending:
    """A request about to leave, fit to be kept; `missing` says in words what of it is not in `spec`."""

    at: datetime
    spec: RequestSpec
    missing: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Ending:
    """How a request ended: `status` None where no answer came, `seconds` for the whole of it, `received` in bytes.

    `body` is None where the answer's is not kept; it is the beginning where `received` is more.
    """

    fate: Fate
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
    sending: Sending
    ending: Ending | None = None

    @property
    def fate(self) -> Fate:
        """How it ended, as far as is known."""
        return Fate.UNKNOWN if self.ending is None else self.ending.fate


def sending(spec: RequestSpec, at: datetime, secrets: Sequence[str]) -> Sending:
    """What is kept of a request: no header that carries identity, no key, none of `secrets`, no huge body."""
    missing: list[str] = []

    def clean(text: str, where: str) -> str:
        cleaned = masked(masked_keys(text), secrets)
        if cleaned != text:
            missing.append(f"a secret in {where}")
        return cleaned

    headers = []
    for name, value in spec.headers:
        if carries_identity(name):
            missing.append(f"the header {clean(name, 'the name of a header')}")
        else:
            headers.append((clean(name, "the name of a header"), clean(value, f"the header {name}")))
    body = masked_bytes(spec.body, secrets)
    if body != spec.body:
        missing.append("a secret in the body")
    if len(body) > LARGEST_BODY:
        missing.append(f"the body ({size(len(body))})")
        body = b""
    kept = RequestSpec(
        clean(spec.method, "the method"),
        clean(spec.path, "the path"),
        tuple((clean(name, "the query"), clean(value, "the query")) for name, value in spec.query),
        tuple(headers),
        body,
        clean(spec.idempotency_key, "the idempotency key"),
    )
    return Sending(at, kept, tuple(dict.fromkeys(missing)))


def ending(exchange: Exchange | None, failure: ServiceError | None, secrets: Sequence[str], *, bodies: bool) -> Ending:
    """How a request ended; the answer's body is kept where `bodies` are, as far as there is room, without `secrets`."""
    fate = Fate.ANSWERED
    if isinstance(failure, GivenUp):
        fate = Fate.CANCELLED
    elif failure is not None and failure.sent is SentState.NO:
        fate = Fate.NOT_SENT
    elif exchange is None or (failure is not None and failure.sent is SentState.UNKNOWN):
        fate = Fate.UNKNOWN
    message = masked(masked_keys(str(failure)), secrets) if failure is not None else ""
    if exchange is None:
        return Ending(fate, message=message)
    answer = exchange.answer
    return Ending(
        fate,
        answer.status,
        exchange.seconds + exchange.waited,
        len(answer.body),
        masked(masked_keys(answer.request_id or ""), secrets),
        message,
        masked_bytes(answer.body, secrets)[:LARGEST_ANSWER] if bodies else None,
    )


def again(entry: HistoryEntry, idempotency_header: str) -> RequestSpec:
    """The request of an entry to be sent again; the same key goes with it while nobody knows whether it was done."""
    spec = replace(entry.sending.spec, idempotency_key="")
    key = entry.sending.spec.idempotency_key
    named = any(name.lower() == idempotency_header.lower() for name, _ in spec.headers)
    if not (spec.writes and key and idempotency_header and entry.fate is Fate.UNKNOWN) or named:
        return spec
    return replace(spec, headers=(*spec.headers, (idempotency_header, key)))


def target(spec: RequestSpec) -> str:
    """Path and query of a kept request, for people."""
    query = "&".join(f"{name}={value}" for name, value in spec.query)
    if not query:
        return spec.path
    return f"{spec.path}{'&' if urlsplit(spec.path).query else '?'}{query}"


def words(text: str) -> tuple[str, ...]:
    """What is looked for, word by word, whatever the case."""
    return tuple(text.casefold().split())


def fits(entry: HistoryEntry, wanted: Sequence[str]) -> bool:
    """Whether each of the words is somewhere in the entry: method, target, headers, body, day, fate, answer."""
    told = "\n".join(_told(entry)).casefold()
    return all(word in told for word in wanted)


def _told(entry: HistoryEntry) -> Iterator[str]:
    spec, ending = entry.sending.spec, entry.ending
    yield f"{spec.method} {target(spec)}"
    yield from (f"{name}: {value}" for name, value in spec.headers)
    yield spec.body.decode(errors="replace")
    yield spec.idempotency_key
    yield entry.sending.at.date().isoformat()
    yield entry.fate.value
    if ending is not None:
        yield "" if ending.status is None else f"{ending.status}"
        yield ending.message
        yield ending.request_id
        yield (ending.body or b"").decode(errors="replace")
