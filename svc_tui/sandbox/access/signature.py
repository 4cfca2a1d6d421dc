"""Checks request signatures from the document's words alone (service-interface, "Request signing")."""

import hashlib
import hmac
import re

from svc_tui.sandbox.errors import ApiError

WINDOW_SECONDS = 300

# A decimal string as one writes a number: with a leading zero it is another text for the same time.
_TIMESTAMP = re.compile(r"0|[1-9][0-9]{0,14}")
# Lower case alone, like the body's digest: a service that compares texts refuses any other.
_SIGNATURE = re.compile(r"t=([0-9]{1,15}),v1=([0-9a-f]{64})")


def expected_signature(secret: str, timestamp: str, method: str, target: bytes, body: bytes) -> str:
    """Hex HMAC-SHA256 of `{timestamp}.{METHOD}.{path-with-query}.{sha256hex(body)}`; `target` as received."""
    message = signed_string(timestamp, method, target, hashlib.sha256(body).hexdigest())
    return hmac.new(secret.encode("utf-8"), message, hashlib.sha256).hexdigest()


def signed_string(timestamp: str, method: str, target: bytes, body_digest: str) -> bytes:
    """What is signed; `body_digest` is SHA-256 in hex."""
    return f"{timestamp}.{method.upper()}.".encode("latin-1") + target + f".{body_digest}".encode("ascii")


def check_signature(
    secret: str, timestamp: str, signature: str, method: str, target: bytes, body: bytes, now: float
) -> None:
    """Raises ApiError with `timestamp_stale` or `signature_mismatch`; `now` is the service's Unix time."""
    if not _TIMESTAMP.fullmatch(timestamp):
        raise _mismatch_error("x-svc-timestamp must be Unix time in whole seconds, as a decimal number")
    if abs(int(now) - int(timestamp)) > WINDOW_SECONDS:
        raise ApiError(
            "timestamp_stale", f"the timestamp is more than {WINDOW_SECONDS} seconds from the service's clock"
        )
    parts = _SIGNATURE.fullmatch(signature)
    if parts is None:
        raise _mismatch_error("x-svc-signature must have the form t=<timestamp>,v1=<lowercase hex HMAC-SHA256>")
    if parts[1] != timestamp:
        raise _mismatch_error("t in x-svc-signature differs from x-svc-timestamp")
    wanted = expected_signature(secret, timestamp, method, target, body)
    if not hmac.compare_digest(parts[2], wanted):
        raise _mismatch_error("the digest is different from the one that the service computed")


def signature_missing_error() -> ApiError:
    """The refusal of an unsigned request whose key must sign."""
    return ApiError(
        "signature_missing", "requests with this key must be signed; send x-svc-timestamp and x-svc-signature"
    )


def half_signature_error(header: str) -> ApiError:
    """The refusal of a request that has one of the two headers; `header` is the one that is missing."""
    return _mismatch_error(f"{header} is missing; send both x-svc-timestamp and x-svc-signature")


def _mismatch_error(message: str) -> ApiError:
    return ApiError("signature_mismatch", message)
