"""What the service refuses, a start or a request, and the codes by which it says why."""

from collections.abc import Mapping
from dataclasses import dataclass


class SandboxError(Exception):
    """The service cannot start as asked; the text is one line that says what to change."""


@dataclass(frozen=True, slots=True)
class ErrorCode:
    """A code of a refusal: its HTTP status, when it comes, and whether the service's document names it."""

    status: int
    condition: str
    documented: bool = False


ERROR_CODES: Mapping[str, ErrorCode] = {
    # Source: service-interface, "Errors".
    "api_key_missing": ErrorCode(401, "no `Authorization` header", documented=True),
    "api_key_invalid": ErrorCode(401, "the key is not recognised (cut short, say)", documented=True),
    "api_key_revoked": ErrorCode(401, "the key was revoked, or rotated", documented=True),
    "api_key_expired": ErrorCode(401, "the key is past its expiry", documented=True),
    "signature_missing": ErrorCode(401, "the key must sign, and a signing header is absent", documented=True),
    "timestamp_stale": ErrorCode(401, "the timestamp is outside the 300-second window", documented=True),
    "signature_mismatch": ErrorCode(
        401, "the digest differs, or the signature is not written as the document says", documented=True
    ),
    "insufficient_scope": ErrorCode(
        403, "the key lacks the scope; `/v1/auth` needs one that no key has", documented=True
    ),
    "ip_not_allowed": ErrorCode(403, "the address is not on the key's allowlist", documented=True),
    "rate_limit_exceeded": ErrorCode(429, "the key's limit is exceeded; wait as `Retry-After` says", documented=True),
    "invalid_parameter": ErrorCode(400, "a query parameter or `Idempotency-Key` is not as it should be"),
    "invalid_json": ErrorCode(400, "the body is not a JSON object"),
    "not_found": ErrorCode(404, "no such record, or no such route"),
    "method_not_allowed": ErrorCode(405, "the route has no such method; `Allow` lists those it has"),
    "conflict": ErrorCode(409, "the record is in a state that does not allow it"),
    "idempotency_conflict": ErrorCode(409, "the `Idempotency-Key` was used for another request"),
    "precondition_failed": ErrorCode(412, "`If-Match` names another version of the record"),
    "payload_too_large": ErrorCode(413, "the body has more than 1 MiB"),
    "unsupported_media_type": ErrorCode(415, "the body's `Content-Type` is not JSON"),
    "validation_failed": ErrorCode(422, "a field may not be set so; the message names it"),
    "internal_error": ErrorCode(500, "the service failed, or the fault `500` was asked for"),
    "service_unavailable": ErrorCode(503, "the fault `503` was asked for"),
}
"""Every code that a refusal can have."""


class ApiError(Exception):
    """An answer other than success: one of `ERROR_CODES`, a line for people, headers."""

    def __init__(self, code: str, message: str, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(code, message)
        self.status = ERROR_CODES[code].status
        self.code, self.message = code, message
        self.headers = dict(headers or {})
