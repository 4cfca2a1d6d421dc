"""Texts of an exchange: status, times, headers, the request as sent, and the response as received."""

import re
from collections.abc import Sequence
from datetime import tzinfo
from urllib.parse import unquote

from textual.content import Content

from svc_tui.core.bodies import HEX_BYTES, decode_text, file_ending, hex_dump, size_text
from svc_tui.core.durations import duration_text
from svc_tui.core.phrases import counted
from svc_tui.core.requests import Exchange, SignedRequest
from svc_tui.ui.text import visible

_MINUTE = 60.0
_HOUR = 3600.0


def status_line(exchange: Exchange, before: Sequence[str]) -> Content:
    """Return `200 OK · 38 ms · 1.2 kB · 2 attempts`, with the attempts `before` the last one if they are known."""
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
    """Return the durations of the waiting and of the parts of the last attempt, counted from its start.

    `waited 2.0 s · connecting 3 ms · first byte 31 ms · total 38 ms`, or `connection reused`.
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
    """Return the request as sent, secrets masked, with the string that was signed."""
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
    """Return the headers of the response, one per line."""
    return "\n".join(f"{name}: {value}" for name, value in exchange.answer.headers)


def file_name(exchange: Exchange, *, narrowed: bool) -> str:
    """Return a file name for the response's body, or if `narrowed` for the matches of a path in it."""
    last = exchange.request.target.partition("?")[0].rstrip("/").rpartition("/")[2]
    stem = re.sub(r"[^\w.-]", "-", unquote(last)) or "answer"
    return f"{stem}-found.json" if narrowed else f"{stem}.{file_ending(exchange.answer)}"


def exchange_text(exchange: Exchange, tz: tzinfo) -> str:
    """Return the request, the status, the times, the headers and the whole body of a response, in lines."""
    answer = exchange.answer
    attempts = counted(exchange.attempts, "attempt")
    waited = f", waited {exchange.waited:.1f} s" if exchange.waited >= 0.05 else ""
    received = exchange.received.astimezone(tz)
    lines = [
        f"{exchange.request.method} {exchange.request.target}",
        f"{answer.status} {answer.reason}".rstrip(),
        f"received: {received:%Y-%m-%d %H:%M:%S} {received.tzname()}",
        f"took: {duration_text(exchange.seconds)}, {attempts}{waited}",
        f"size: {size_text(len(answer.body))}",
        "",
        *(f"{name}: {value}" for name, value in answer.headers),
        "",
        body_text(exchange),
    ]
    return "\n".join(lines)


def body_text(exchange: Exchange) -> str:
    """Return the body as text; a body that is not text as a hex dump."""
    text = decode_text(exchange.answer)
    return hex_dump(exchange.answer.body[:HEX_BYTES]) if text is None else text


def age_text(seconds: float) -> str:
    """Return how long ago something was loaded: `just now`, `12 s ago`, `4 min ago`, `3 h ago`."""
    if seconds < 10:
        return "just now"
    if seconds < _MINUTE:
        return f"{seconds:.0f} s ago"
    return f"{seconds / _MINUTE:.0f} min ago" if seconds < _HOUR else f"{seconds / _HOUR:.0f} h ago"
