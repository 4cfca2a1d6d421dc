"""An exchange in words: its status line, its times, its headers, and the request as it left."""

import re
from collections.abc import Sequence
from urllib.parse import unquote

from textual.content import Content

from svc_tui.core.bodies import file_ending, size_text
from svc_tui.core.durations import duration_text
from svc_tui.core.requests import Exchange, SignedRequest
from svc_tui.ui.text import visible


def status_line(exchange: Exchange, before: Sequence[str]) -> Content:
    """`200 OK · 38 ms · 1.2 kB · 2 attempts`, or what happened `before` the last attempt where that is known."""
    answer = exchange.answer
    role = "$role-ok" if answer.ok else "$role-warning" if answer.status < 400 else "$role-danger"
    mark = "✓" if answer.ok else "✕"
    facts = [duration_text(exchange.seconds), size_text(len(answer.body)) + ("+" if answer.capped else "")]
    if before:
        facts.append(f"after {' · '.join(before)}")
    elif exchange.attempts > 1:
        waited = f", waited {exchange.waited:.1f} s" if exchange.waited >= 0.05 else ""
        facts.append(f"{exchange.attempts} attempts{waited}")
    return Content.assemble(
        " ",
        (visible(f"{mark} {answer.status} {answer.reason}".rstrip()), f"bold {role}"),
        (f" · {visible(' · '.join(facts))} ", "$role-muted"),
    )


def timing_text(exchange: Exchange) -> str:
    """How long which part took, all but the waiting in the last attempt, counted from when that left.

    `waited 2.0 s · connecting 3 ms · first byte 31 ms · whole 38 ms`; over a connection that was open: `reused`.
    """
    parts = [f"waited {exchange.waited:.1f} s"] if exchange.waited >= 0.05 else []
    if exchange.connecting is not None:
        parts.append(f"connecting {duration_text(exchange.connecting)}" if exchange.connecting else "connection reused")
    if exchange.first_byte:
        parts.append(f"first byte {duration_text(exchange.first_byte)}")
    return " · ".join((*parts, f"total {duration_text(exchange.seconds)}"))


def request_text(
    request: SignedRequest, *, idempotency_key: str = "", attempt_texts: Sequence[str] = (), timing: str = ""
) -> str:
    """The request as it left, secrets masked, with the string that was signed."""
    lines = [f"{request.method} {request.url}", *(f"{name}: {value}" for name, value in request.headers)]
    if request.body:
        lines += ["", request.body.decode("utf-8", "replace")]
    signed = ["string to sign:", request.string_to_sign] if request.string_to_sign else ["not signed"]
    lines += ["", *signed]
    if idempotency_key:
        lines.append(f"idempotency key: {idempotency_key}")
    if attempt_texts:
        lines.append(f"attempts: {' · '.join(attempt_texts)}")
    if timing:
        lines.append(f"times: {timing}")
    return "\n".join(lines)


def headers_text(exchange: Exchange) -> str:
    """The headers of the answer, one a line."""
    return "\n".join(f"{name}: {value}" for name, value in exchange.answer.headers)


def file_name(exchange: Exchange, *, narrowed: bool) -> str:
    """A name for the file of the answer's body, or of what a path found in it."""
    last = exchange.request.target.partition("?")[0].rstrip("/").rpartition("/")[2]
    stem = re.sub(r"[^\w.-]", "-", unquote(last)) or "answer"
    return f"{stem}-found.json" if narrowed else f"{stem}.{file_ending(exchange.answer)}"
