"""The string that is signed and its signature.

Source: service-interface, "Request signing". Pure: the time is given, the secret is used and not kept.
"""

import hashlib
import hmac

from svc_tui.core.values import HidesFields

TIMESTAMP_HEADER = "x-svc-timestamp"
SIGNATURE_HEADER = "x-svc-signature"


class ForeignSignature(HidesFields, frozen=True):
    """The two headers of a signature that another program made, as they were written; "" where one was not there."""

    timestamp: str = ""
    signature: str = ""

    hidden_fields = frozenset({"signature"})


def string_to_sign(timestamp: int, method: str, target: str, body: bytes) -> str:
    """`{timestamp}.{METHOD}.{path-with-query}.{sha256hex(body)}`; `target` begins at `/v1` and is as sent."""
    return f"{timestamp}.{method.upper()}.{target}.{hashlib.sha256(body).hexdigest()}"


def sign(secret: str, text: str) -> str:
    """The lower-case hexadecimal HMAC-SHA256 of a string to sign; the secret counts as its UTF-8 bytes."""
    return hmac.new(secret.encode(), text.encode(), hashlib.sha256).hexdigest()


def signed_headers(secret: str, timestamp: int, method: str, target: str, body: bytes) -> tuple[tuple[str, str], ...]:
    """The two headers of a signed request; both carry the same timestamp."""
    signature = sign(secret, string_to_sign(timestamp, method, target, body))
    return ((TIMESTAMP_HEADER, str(timestamp)), (SIGNATURE_HEADER, f"t={timestamp},v1={signature}"))
