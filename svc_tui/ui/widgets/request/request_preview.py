"""A request as it would leave, for the user to read before it does: line, body, headers, secrets masked."""

from urllib.parse import urlsplit

from textual.content import Content

from svc_tui.domain.model.requests import SignedRequest
from svc_tui.ui.text import styled

MAX_BODY_BYTES = 20_000
"""Bytes of a body that are shown: some four hundred lines, and at once."""


def request_content(request: SignedRequest) -> Content:
    """The request: what it does first, then the headers, the idempotency key among them.

    A body too long to be read is cut, with a line that says so.
    """
    lines = [Content.assemble(styled(request.method, "bold"), " ", styled(request.target, "$role-reference"))]
    if request.body:
        lines.append(styled(request.body[:MAX_BODY_BYTES].decode(errors="replace"), "$role-text", lines=True))
        if len(request.body) > MAX_BODY_BYTES:
            rest = f"… and {len(request.body) - MAX_BODY_BYTES:,} bytes more, {len(request.body):,} in all"
            lines.append(styled(rest, "bold $role-warning"))
    lines += [styled(f"{name}: {value}", "$role-muted") for name, value in request.headers]
    return Content("\n").join(lines)


def destination(request: SignedRequest, profile: str) -> Content:
    """Whose service it is: the profile, and host and port."""
    return styled(f"profile {profile} · {urlsplit(request.url).netloc}", "$role-muted")
