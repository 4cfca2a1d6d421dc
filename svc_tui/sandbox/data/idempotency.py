"""Answers kept by `Idempotency-Key`, so that a write sent twice is done once."""

import hashlib
import sqlite3
from dataclasses import dataclass, field

from svc_tui.core import jsontext
from svc_tui.sandbox.errors import ApiError

KEPT_SECONDS = 24 * 3600
REPLAYED = "idempotency-replayed"
MAX_KEY_LENGTH = 255


@dataclass(frozen=True, slots=True)
class JsonAnswer:
    """A successful answer: status, JSON text (None: no body), headers."""

    status: int
    body: str | None = None
    headers: dict[str, str] = field(default_factory=dict)


def request_digest(method: str, target: bytes, body: bytes) -> str:
    """What makes two requests the same: method, target and body, byte for byte."""
    return hashlib.sha256(b"%b %b\n%b" % (method.encode("ascii"), target, body)).hexdigest()


def earlier_answer(
    connection: sqlite3.Connection, api_key: str, name: str, request: str, now: float
) -> JsonAnswer | None:
    """The answer given to this request within a day of the service's clock; None: it is new.

    `api_key` is the key's hash. Raises ApiError where the same `name` came with another request (409) or is
    unusable (400).
    """
    if not 1 <= len(name) <= MAX_KEY_LENGTH:
        raise ApiError("invalid_parameter", f"Idempotency-Key must have 1 to {MAX_KEY_LENGTH} characters")
    row = connection.execute(
        "SELECT request, status, body, headers FROM answers WHERE api_key = ? AND name = ? AND at >= ?",
        (api_key, name, now - KEPT_SECONDS),
    ).fetchone()
    if row is None:
        return None
    if row[0] != request:
        raise ApiError("idempotency_conflict", "this Idempotency-Key was used for another request")
    stored = jsontext.loads(row[3])
    assert isinstance(stored, dict)
    return JsonAnswer(row[1], row[2], {name: str(value) for name, value in stored.items()} | {REPLAYED: "true"})


def keep_answer(
    connection: sqlite3.Connection, api_key: str, name: str, request: str, answer: JsonAnswer, now: float
) -> None:
    """Keeps an answer, and those of the day before alone; belongs in the transaction of the write itself."""
    connection.execute("DELETE FROM answers WHERE at < ?", (now - KEPT_SECONDS,))
    connection.execute(
        "INSERT INTO answers (api_key, name, request, at, status, body, headers) VALUES (?, ?, ?, ?, ?, ?, ?)",
        (api_key, name, request, now, answer.status, answer.body, jsontext.dumps(answer.headers)),
    )
