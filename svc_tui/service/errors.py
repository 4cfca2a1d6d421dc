"""Everything that can go wrong with a request, as one tree.

    ServiceError
    ├── RequestRefused            refused here, before anything was sent
    ├── Unreachable               no connection: nothing was sent
    │   ├── CertificateRefused    the other side is not who it says
    │   ├── ProxyUnreachable      no connection to the proxy on the way
    │   └── ProxyRefused          the proxy on the way does not lead there
    ├── ConnectionBroken          sent, and no whole answer: the outcome of a write is unknown
    │   └── DeadlineExceeded      no whole answer in the time allowed
    ├── BadAnswer                 a 2xx that makes no sense: the outcome of a write is unknown
    ├── RequestCancelled                   a read that the user cancelled
    └── StatusError               the service answered with an error
        ├── KeyRefused
        │   ├── ApiKeyMissing
        │   ├── ApiKeyInvalid
        │   ├── ApiKeyRevoked
        │   └── ApiKeyExpired
        ├── SignatureRefused
        │   ├── SignatureMissing
        │   └── SignatureMismatch
        ├── TimestampStale        the clock, not the secret
        ├── InsufficientScope
        ├── IpNotAllowed
        ├── RateLimitExceeded
        ├── NotFound
        ├── Conflict
        │   └── RecordChanged     the record is not as it was read: the write was held back
        ├── Redirected
        └── ServerFault           the outcome of a write is unknown

Source: service-interface, "Errors". Messages are for people; none holds a key, a secret or a signature.
"""

import re
from collections.abc import Sequence
from enum import Enum

from svc_tui.core.durations import span_words
from svc_tui.core.requests import READS, Exchange
from svc_tui.service.answers import clip_text, explain_body, foreign_body
from svc_tui.service.clock import WINDOW, apart_words, http_date
from svc_tui.service.redact import mask_exchange, mask_text, secrets_in
from svc_tui.service.retry import retry_after


class SendResult(Enum):
    """How a request ended, as far as that is known; the value is the journal's word."""

    NOT_SENT = "not sent"
    """Nothing left this machine."""
    REFUSED = "refused"
    """The service said no; nothing was changed."""
    UNKNOWN = "unknown"
    """It may have been carried out."""
    DONE = "done"
    """It was carried out, even if the answer can't be used."""


class ServiceError(Exception):
    """A request that did not succeed.

    `code` is the service's own word ("" where there is none), `exchange` the last answer where there was one.
    `idempotency_key` identifies a write of unknown outcome when it is sent again; "" where none was sent.
    """

    sent = SendResult.UNKNOWN

    def __init__(
        self,
        message: str,
        *,
        sent: SendResult | None = None,
        code: str = "",
        exchange: Exchange | None = None,
        attempts: int = 0,
        idempotency_key: str = "",
    ) -> None:
        self.message = message if message.strip() else type(self).__name__
        super().__init__(self.message)
        self.code = code
        self.exchange = exchange
        self.attempts = attempts
        self.idempotency_key = idempotency_key
        if sent is not None:
            self.sent = sent

    def __str__(self) -> str:
        return self.message

    def __reduce__(self) -> tuple[object, ...]:
        return _rebuild_error, (type(self), self.message, dict(self.__dict__))

    @property
    def status(self) -> int | None:
        """The answer's status, where there was an answer."""
        return self.exchange.answer.status if self.exchange else None

    @property
    def request_id(self) -> str | None:
        """The service's name for the request, where the answer carries one."""
        return self.exchange.answer.request_id if self.exchange else None


def _rebuild_error(kind: type[ServiceError], message: str, state: dict[str, object]) -> ServiceError:
    error = kind(message)
    error.__dict__.update(state)
    return error


class RequestRefused(ServiceError):
    """Refused here, before anything was sent: a reserved route, a path that escapes, a header that carries identity."""

    sent = SendResult.NOT_SENT


class Unreachable(ServiceError):
    """No connection to the service could be made; nothing was sent."""

    sent = SendResult.NOT_SENT


class CertificateRefused(Unreachable):
    """The other side could not prove that it is the service; nothing was sent."""


class ProxyUnreachable(Unreachable):
    """No connection through the proxy on the way; nothing was sent."""


class ProxyRefused(Unreachable):
    """The proxy on the way will not lead to the service, however often it is asked; nothing was sent."""


class ConnectionBroken(ServiceError):
    """The request left and no whole answer came."""


class DeadlineExceeded(ConnectionBroken):
    """No whole answer came in the time allowed."""


class BadAnswer(ServiceError):
    """An answer that says all is well, in a body that can't be understood: it may not be the service's."""


class RequestCancelled(ServiceError):
    """A read that the user cancelled: it ended there, and has changed nothing."""


class StatusError(ServiceError):
    """The service answered with a status that is not 2xx."""

    sent = SendResult.REFUSED


class KeyRefused(StatusError):
    """The key was not accepted."""


class ApiKeyMissing(KeyRefused):
    """401 api_key_missing: no `Authorization` header arrived."""


class ApiKeyInvalid(KeyRefused):
    """401 api_key_invalid: the key is not recognised, for example truncated."""


class ApiKeyRevoked(KeyRefused):
    """401 api_key_revoked."""


class ApiKeyExpired(KeyRefused):
    """401 api_key_expired."""


class SignatureRefused(StatusError):
    """The signature was not accepted."""


class SignatureMissing(SignatureRefused):
    """401 signature_missing: the key requires signing and no signature arrived."""


class SignatureMismatch(SignatureRefused):
    """401 signature_mismatch: the service computes another digest."""


class TimestampStale(StatusError):
    """401 timestamp_stale: the clocks are more than 300 seconds apart. Not the secret."""


class InsufficientScope(StatusError):
    """403 insufficient_scope: the key lacks the scope that the route needs."""


class IpNotAllowed(StatusError):
    """403 ip_not_allowed: this address is not on the key's allowlist."""


class RateLimitExceeded(StatusError):
    """429: `retry_after` is the wait in seconds that the service asks for, None where it names none."""

    retry_after: float | None = None


class NotFound(StatusError):
    """404 or 410."""


class Conflict(StatusError):
    """409 or 412: the record is not as the request supposed."""


class RecordChanged(Conflict):
    """The record was read again right before the write left, and is not as it was read before; the write did not leave.

    `ends` is the deadline of the call on the client's clock, `tries` how many of its attempts failed: a write that
    starts over keeps to both.
    """

    sent = SendResult.NOT_SENT
    ends: float = 0.0
    tries: int = 0


class Redirected(StatusError):
    """3xx: never followed, since the signature covers one path on one host; the message names the target.

    The outcome of a write is unknown: some services carry it out and then point to what came of it.
    """


class ServerFault(StatusError):
    """5xx or 408: the outcome of a write is unknown."""

    sent = SendResult.UNKNOWN


def is_about_one_record(error: ServiceError) -> bool:
    """Whether an error tells of what was asked for alone: of others the service may think otherwise.

    What is about the key pair, the clock, the pace or the service itself holds for all.
    """
    about_all = (KeyRefused, SignatureRefused, TimestampStale, RateLimitExceeded, IpNotAllowed, ServerFault)
    return isinstance(error, StatusError | RequestRefused) and not isinstance(error, about_all)


def may_be_about_limit(error: ServiceError) -> bool:
    """Return whether a refused list may be there with fewer records a page: a 4xx that nothing else explains."""
    return type(error) is StatusError and error.status is not None and 400 <= error.status < 500


ERRORS_BY_CODE: dict[str, type[StatusError]] = {
    "api_key_missing": ApiKeyMissing,
    "api_key_invalid": ApiKeyInvalid,
    "api_key_revoked": ApiKeyRevoked,
    "api_key_expired": ApiKeyExpired,
    "signature_missing": SignatureMissing,
    "timestamp_stale": TimestampStale,
    "signature_mismatch": SignatureMismatch,
    "insufficient_scope": InsufficientScope,
    "ip_not_allowed": IpNotAllowed,
    "rate_limit_exceeded": RateLimitExceeded,
}
"""The service's codes; source: service-interface, "Errors"."""


def error_class(status: int, code: str) -> type[StatusError]:
    """The class for an error answer: by the service's code where it is one of the document's, else by status."""
    if status == 429:
        # Whatever its body says, it is to be waited for.
        return RateLimitExceeded
    if code in ERRORS_BY_CODE:
        return ERRORS_BY_CODE[code]
    if status in (404, 410):
        return NotFound
    if status in (409, 412):
        return Conflict
    if 300 <= status < 400:
        return Redirected
    if status >= 500 or status == 408:
        return ServerFault
    return StatusError


def failure_of(exchange: Exchange, secrets: Sequence[str] = (), *, json: bool = False) -> ServiceError | None:
    """The error that an answer is, whatever the shape of its body; None for a success.

    A success that a web page tells of is none where the request was a write; with `json`, where records come as JSON,
    neither is one in a body that is not JSON. Then the outcome is unknown.

    Any of `secrets` that the service repeats is masked, and so is the signature: in the message and in the
    exchange that the error carries.

    A 404 to a DELETE that was sent again is a success: the first one may have done it. Any other refusal of a
    write that was sent again leaves its outcome unknown.
    """
    answer, method = exchange.answer, exchange.request.method
    if answer.ok or (exchange.doubt and method == "DELETE" and answer.status in (404, 410)):
        problem = foreign_body(exchange, json=json)
        return bad_answer(exchange, problem, secrets) if problem else None
    hidden = secrets_in(exchange, secrets)
    code, words = explain_body(answer, hidden)
    kind = error_class(answer.status, code)
    exchange = mask_exchange(exchange, hidden)
    sentence = _sentence(kind, exchange)
    repeats = kind in _SENTENCES or words.casefold() in ("", code.casefold(), sentence.casefold())
    explanation = "" if repeats else f": {words}"
    failure = kind(
        f"{sentence}{explanation}{f' ({code})' if code else ''}",
        code=code,
        exchange=exchange,
        attempts=exchange.attempts,
        idempotency_key=exchange.idempotency_key,
        sent=SendResult.UNKNOWN if exchange.doubt or (kind is Redirected and method not in READS) else None,
    )
    if isinstance(failure, RateLimitExceeded):
        failure.retry_after = retry_after(answer, exchange.received.timestamp())
    return failure


def bad_answer(exchange: Exchange, problem: str, secrets: Sequence[str]) -> BadAnswer:
    """The error that a 2xx is whose body is not the service's; any of `secrets` is masked in it."""
    hidden = secrets_in(exchange, secrets)
    return BadAnswer(
        mask_text(problem, hidden),
        exchange=mask_exchange(exchange, hidden),
        attempts=exchange.attempts,
        idempotency_key=exchange.idempotency_key,
    )


_SENTENCES: dict[type[StatusError], str] = {
    ApiKeyMissing: "the service received no API key",
    ApiKeyInvalid: "the service does not know this API key",
    ApiKeyRevoked: "this API key was revoked",
    ApiKeyExpired: "this API key has expired",
    SignatureMissing: "this key must sign its requests, but no signature arrived",
    SignatureMismatch: "the service computed a different signature",
    IpNotAllowed: "this address is not on the key's allowlist",
}
"""For these the document says all there is: the service's own words would only repeat it."""


_LOGIN = re.compile(r"(?P<scheme>basic|digest|negotiate|ntlm)\b(?:.*?realm=\"(?P<realm>[^\"]*)\")?", re.IGNORECASE)
"""A challenge that is not the service's: its keys are bearer tokens."""


def _sentence(kind: type[StatusError], exchange: Exchange) -> str:
    answer = exchange.answer
    if kind in _SENTENCES:
        return _SENTENCES[kind]
    if kind is InsufficientScope:
        return f"the key does not have the scope for {exchange.request.method}"
    if kind is TimestampStale:
        return f"this is a clock problem, not a wrong secret: {_clock_words(exchange)}"
    if kind is RateLimitExceeded:
        asked = retry_after(answer, exchange.received.timestamp())
        return "too many requests with this key" + ("" if asked is None else f": try again in {span_words(asked)}")
    if (
        kind is StatusError
        and answer.status == 401
        and (login := _LOGIN.match(answer.header("www-authenticate") or ""))
    ):
        realm = clip_text(login["realm"] or "")
        asked_by = f"{login['scheme'].capitalize()}, “{realm}”" if realm else login["scheme"].capitalize()
        return f"a gateway between this computer and the service requires a login ({asked_by})"
    location = answer.header("location")
    if kind is Redirected and location:
        where = clip_text(re.sub(r"//[^/@]*@", "//…@", location))
        return f"the service returned {answer.status}, a redirect to {where}; redirects are not followed"
    return f"the service returned {answer.status} {clip_text(answer.reason)}".rstrip()


def _clock_words(exchange: Exchange) -> str:
    date = http_date(exchange.answer.header("date") or "")
    if date is None:
        return f"the two clocks are more than {WINDOW} s apart"
    ahead = round(exchange.received.timestamp() - date)
    if abs(ahead) <= 1:
        return "this computer's clock matches the service's Date header, but the service refused the timestamp"
    return apart_words(-ahead)
