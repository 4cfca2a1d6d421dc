"""A request as it would leave, for the user to read before it does: line, whose service, body, headers."""

from urllib.parse import urlsplit

from textual.content import Content

from svc_tui.core.requests import SignedRequest
from svc_tui.ui.text import styled

MAX_BODY_BYTES = 20_000
"""Bytes of a body that are shown: some four hundred lines, and at once."""


_TELLING_HEADERS = ("if-match", "idempotency-key")
"""Headers, in lower case, that say how a write is kept from doing harm."""


def request_content(request: SignedRequest, profile: str, *, headers_shown: bool) -> Content:
    """The request: what it does and whose service it goes to, its body, its headers or one line for them.

    A body too long to be read is cut, with a line that says so.
    """
    lines = [
        Content.assemble(styled(request.method, "bold"), " ", styled(request.target, "$role-reference")),
        styled(f"profile {profile} · {urlsplit(request.url).netloc}", "$role-muted"),
    ]
    if request.body:
        lines.append(styled(request.body[:MAX_BODY_BYTES].decode(errors="replace"), "$role-text", lines=True))
        if len(request.body) > MAX_BODY_BYTES:
            rest = f"… and {len(request.body) - MAX_BODY_BYTES:,} more bytes, {len(request.body):,} in total"
            lines.append(styled(rest, "bold $role-warning"))
    if headers_shown:
        lines += [styled(f"{name}: {value}", "$role-muted") for name, value in request.headers]
    else:
        lines.append(styled(_headers_line(request), "$role-muted"))
    return Content("\n").join(lines)


def _headers_line(request: SignedRequest) -> str:
    """How many headers there are, and which of those that guard a write are among them."""
    guards = [name for name, _ in request.headers if name.lower() in _TELLING_HEADERS]
    return " · ".join((f"{len(request.headers)} headers", *guards, "h Show"))
