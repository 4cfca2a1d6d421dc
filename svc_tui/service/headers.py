"""Which headers a caller may set: none that carries identity, addresses the request or frames it.

Source: service-interface, "Authentication": the key and the signature are the client's alone.
"""

import re
from collections.abc import Iterable

from svc_tui.service.errors import RequestRefused
from svc_tui.service.redact import mask_keys

_RESERVED = frozenset(
    {
        "authorization",
        "proxy-authorization",
        "host",
        "cookie",
        "content-length",
        "transfer-encoding",
        "connection",
        "upgrade",
        "te",
        "trailer",
        "expect",
    }
)
_IDENTITY = re.compile(
    r"auth|token|(?:api|access|private)[-_]?key|secret|passw|credential|cookie|session|csrf|signature", re.IGNORECASE
)
_TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")


def is_token(text: str) -> bool:
    """Whether the text can be a header's name or a method (RFC 9110, 5.6.2)."""
    return _TOKEN.fullmatch(text) is not None


def is_reserved(name: str) -> bool:
    """Whether only the client may set the header; gateways read `_` as `-`, so both spellings count."""
    folded = name.strip().lower().replace("_", "-")
    return folded in _RESERVED or folded.startswith("x-svc-")


def carries_identity(name: str) -> bool:
    """Whether a header of another tool's request says who asks: that is the profile's business alone."""
    return name.strip().lower() != "idempotency-key" and (is_reserved(name) or _IDENTITY.search(name) is not None)


def check_headers(headers: Iterable[tuple[str, str]]) -> None:
    """Raises RequestRefused for a header that can't be given by a caller or can't stand in a request."""
    for name, value in headers:
        if is_reserved(name):
            raise RequestRefused(f"the header {name.strip()} can't be set; the client sets it from the profile")
        if not is_token(name):
            raise RequestRefused(f"{mask_keys(name)[:40]!r} is not a valid header name")
        if not all(character == "\t" or " " <= character <= "~" for character in value):
            raise RequestRefused(f"the value of the header {name} contains a character that is not allowed in a header")
