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
    "api_key_invalid": ErrorCode(401, "unknown key, for example incomplete", documented=True),
    "api_key_revoked": ErrorCode(401, "the key was revoked or rotated", documented=True),
    "api_key_expired": ErrorCode(401, "the key has expired", documented=True),
    "signature_missing": ErrorCode(
        401, "requests with this key must be signed, but the signing headers are missing", documented=True
    ),
    "timestamp_stale": ErrorCode(
        401, "the timestamp differs from the service's clock by more than 300 seconds", documented=True
    ),
    "signature_mismatch": ErrorCode(
        401, "the digest is different, or the signature has another form than documented", documented=True
    ),
    "insufficient_scope": ErrorCode(
        403, "the key lacks the scope; no key has the scope for `/v1/auth`", documented=True
    ),
    "ip_not_allowed": ErrorCode(403, "the IP address is not on the key's allowlist", documented=True),
    "rate_limit_exceeded": ErrorCode(
        429, "too many requests with the key; wait for the time in `Retry-After`", documented=True
    ),
    "invalid_parameter": ErrorCode(400, "a query parameter or `Idempotency-Key` is not valid"),
    "invalid_json": ErrorCode(400, "the body is not a JSON object"),
    "not_found": ErrorCode(404, "no such record, or no such route"),
    "method_not_allowed": ErrorCode(405, "the route does not support the method; `Allow` lists the methods"),
    "conflict": ErrorCode(409, "the state of the record does not allow the request"),
    "idempotency_conflict": ErrorCode(409, "the `Idempotency-Key` was used for another request"),
    "precondition_failed": ErrorCode(412, "`If-Match` does not match the version of the record"),
    "payload_too_large": ErrorCode(413, "the body is larger than 1 MiB"),
    "unsupported_media_type": ErrorCode(415, "the body's `Content-Type` is not JSON"),
    "validation_failed": ErrorCode(422, "a field has an invalid value; the message names the field"),
    "internal_error": ErrorCode(500, "the service failed, or the fault `500` is active"),
    "service_unavailable": ErrorCode(503, "the fault `503` is active"),
}
"""Every code that a refusal can have."""


class ApiError(Exception):
    """An answer other than success: one of `ERROR_CODES`, a line for people, headers."""

    def __init__(self, code: str, message: str, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(code, message)
        self.status = ERROR_CODES[code].status
        self.code, self.message = code, message
        self.headers = dict(headers or {})
