"""The text of a request before it is sent: its line, body and headers."""

from textual.content import Content

from svc_tui.core.requests import SignedRequest
from svc_tui.ui.text import styled

MAX_BODY_BYTES = 20_000
"""Bytes of a body that are shown, about four hundred lines."""


def request_content(request: SignedRequest, *, headers_shown: bool) -> Content:
    """Return the request: its method and path, its body, its headers or the number of them.

    A body too long to be read is cut, with a line that says so.
    """
    lines = [Content.assemble(styled(request.method, "bold"), " ", styled(request.target, "$role-muted"))]
    if request.body:
        lines.append(styled(request.body[:MAX_BODY_BYTES].decode(errors="replace"), "$role-muted", lines=True))
        if len(request.body) > MAX_BODY_BYTES:
            rest = f"… and {len(request.body) - MAX_BODY_BYTES:,} more bytes, {len(request.body):,} in total"
            lines.append(styled(rest, "bold $role-warning"))
    if headers_shown:
        lines += [styled(f"{name}: {value}", "$role-muted") for name, value in request.headers]
    else:
        lines.append(styled(f"{len(request.headers)} headers · h Show", "$role-muted"))
    return Content("\n").join(lines)
