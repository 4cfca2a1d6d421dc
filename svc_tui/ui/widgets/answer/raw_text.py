"""What the service answered, as it came: status line, headers, and the bytes of the body as text."""

from datetime import tzinfo

from svc_tui.core.bodies import HEX_BYTES, decode_text, hex_dump, size_text
from svc_tui.core.durations import duration_text
from svc_tui.core.phrases import counted
from svc_tui.core.requests import Exchange

_MINUTE = 60.0
_HOUR = 3600.0


def exchange_text(exchange: Exchange, tz: tzinfo) -> str:
    """The answer, the request it came to, and how it came, in lines; its body last and whole."""
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
    """The body as it came, as text; one that is no text by its bytes."""
    text = decode_text(exchange.answer)
    return hex_dump(exchange.answer.body[:HEX_BYTES]) if text is None else text


def age_text(seconds: float) -> str:
    """How long ago something was read: `just now`, `12 s ago`, `4 min ago`, `3 h ago`."""
    if seconds < 10:
        return "just now"
    if seconds < _MINUTE:
        return f"{seconds:.0f} s ago"
    return f"{seconds / _MINUTE:.0f} min ago" if seconds < _HOUR else f"{seconds / _HOUR:.0f} h ago"
