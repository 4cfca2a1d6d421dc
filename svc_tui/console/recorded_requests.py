"""Requests of the console as the history records them, without credentials, and sent again from there."""

from collections.abc import Sequence
from datetime import datetime

from svc_tui.core.bodies import size_text
from svc_tui.core.requests import Exchange, RequestSpec
from svc_tui.core.values import replace
from svc_tui.service.errors import RequestCancelled, SendResult, ServiceError
from svc_tui.service.headers import carries_identity
from svc_tui.service.redact import mask_bytes, mask_keys, mask_text
from svc_tui.storage.history import HistoryEntry, RecordedRequest, RecordedResult, RequestOutcome

MAX_REQUEST_BODY_BYTES = 256_000
"""Limit of a request's body in bytes; a larger one is left out."""

MAX_ANSWER_BODY_BYTES = 64_000
"""Limit of a response's body in bytes; a larger one is cut off."""


def recorded_request(spec: RequestSpec, at: datetime, secrets: Sequence[str]) -> RecordedRequest:
    """Return the request without headers with credentials, keys, `secrets` and large bodies."""
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
    recorded = RequestSpec(
        clean(spec.method, "the method"),
        clean(spec.path, "the path"),
        tuple((clean(name, "the query"), clean(value, "the query")) for name, value in spec.query),
        tuple(headers),
        body,
        clean(spec.idempotency_key, "the idempotency key"),
    )
    return RecordedRequest(at, recorded, tuple(dict.fromkeys(missing)))


def recorded_result(
    exchange: Exchange | None, failure: ServiceError | None, secrets: Sequence[str], *, bodies: bool
) -> RecordedResult:
    """Return how a request ended, without `secrets`; `bodies` says whether to record the response's body."""
    outcome = RequestOutcome.ANSWERED
    if isinstance(failure, RequestCancelled):
        outcome = RequestOutcome.CANCELLED
    elif failure is not None and failure.sent is SendResult.NOT_SENT:
        outcome = RequestOutcome.NOT_SENT
    elif (failure is None and exchange is None) or (failure is not None and failure.sent is SendResult.UNKNOWN):
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
    """Return the request of an entry to send it again, with the same idempotency key if its outcome is unknown."""
    spec = replace(entry.recorded_request.spec, idempotency_key="")
    key = entry.recorded_request.spec.idempotency_key
    named = any(name.lower() == idempotency_header.lower() for name, _ in spec.headers)
    if not (spec.writes and key and idempotency_header and entry.outcome is RequestOutcome.UNKNOWN) or named:
        return spec
    return replace(spec, headers=(*spec.headers, (idempotency_header, key)))
