"""The history of console requests: one row each, added before the request is sent and completed when it ends."""

import sqlite3
from collections.abc import Iterator, Sequence
from datetime import datetime
from enum import Enum
from itertools import islice
from urllib.parse import urlsplit

from msgspec import Struct

from svc_tui.core.folded_text import fold, search_words
from svc_tui.core.jsontext import Json, Number, number
from svc_tui.core.requests import RequestSpec
from svc_tui.core.values import HidesFields
from svc_tui.storage.database import transaction
from svc_tui.storage.database_thread import DatabaseThread, on_thread
from svc_tui.storage.dataclass_codec import Conversion, DataclassCodec
from svc_tui.storage.errors import StoreError
from svc_tui.storage.key_fingerprints import KeyInUse, fingerprint_of
from svc_tui.storage.row_values import read_object
from svc_tui.storage.scope import StorageScope, scope_key


class RequestOutcome(Enum):
    """How a request ended; the value is the word for it."""

    ANSWERED = "answered"
    NOT_SENT = "not sent"
    UNKNOWN = "unknown"
    CANCELLED = "cancelled"
    """A read that the user gave up."""


class RecordedRequest(Struct, frozen=True):
    """A request about to leave, fit to be kept; `missing` says in words what of it is not in `spec`."""

    at: datetime
    spec: RequestSpec
    missing: tuple[str, ...] = ()


class RecordedResult(HidesFields, frozen=True):
    """How a request ended: `status` None where no answer came, `seconds` for the whole of it, `received` in bytes.

    `body` is None where the answer's is not kept; it is the beginning where `received` is more.
    """

    outcome: RequestOutcome
    status: int | None = None
    seconds: float = 0.0
    received: int = 0
    request_id: str = ""
    message: str = ""
    body: bytes | None = None

    hidden_fields = frozenset({"body"})


class HistoryEntry(Struct, frozen=True):
    """A request of the history; without an ending nobody knows its fate: it is on its way, or the program ended."""

    number: int
    recorded_request: RecordedRequest
    recorded_result: RecordedResult | None = None

    @property
    def outcome(self) -> RequestOutcome:
        """How it ended, as far as is known."""
        return RequestOutcome.UNKNOWN if self.recorded_result is None else self.recorded_result.outcome


class HistoryStore:
    """Requests tried out in one scope; each is stored before it is sent. Every call raises StoreError."""

    def __init__(self, worker: DatabaseThread, scope: StorageScope, limit: int, key: KeyInUse | None = None) -> None:
        """Create the history; beyond `limit` the oldest entries are deleted, and with 0 none is stored."""
        self._database, self._key = worker, key
        self._scope = scope_key(scope)
        self._limit = limit

    async def begin(self, recorded_request: RecordedRequest) -> int:
        """Store a request; when this returns, it is on the disk. Return its number."""
        # The fingerprint of the key in use at the moment of the call.
        return await self._insert(recorded_request, fingerprint_of(self._key))

    @on_thread
    def _insert(self, connection: sqlite3.Connection, recorded_request: RecordedRequest, fingerprint: str) -> int:
        if not self._limit:
            return 0
        with transaction(connection):
            number = connection.execute(
                "INSERT INTO history (shelf, said, body) VALUES (?, ?, ?)",
                (self._scope, _request_text(recorded_request, fingerprint), recorded_request.spec.body),
            ).lastrowid
            connection.execute(
                """
                DELETE FROM history WHERE shelf = ? AND number <=
                    (SELECT number FROM history WHERE shelf = ? ORDER BY number DESC LIMIT 1 OFFSET ?)
                """,
                (self._scope, self._scope, self._limit),
            )
        assert number is not None
        return number

    @on_thread
    def end(self, connection: sqlite3.Connection, entry: int, recorded_result: RecordedResult) -> None:
        """Store how request number `entry` ended; do nothing if it was removed."""
        text = _result_text(recorded_result)
        with transaction(connection):
            connection.execute(
                "UPDATE history SET ended = ?, answer = ? WHERE number = ? AND shelf = ?",
                (text, recorded_result.body, entry, self._scope),
            )

    async def entries(self, limit: int = 200) -> list[HistoryEntry]:
        """Return the newest entries first."""
        return await self.search("", limit)

    @on_thread
    def search(self, connection: sqlite3.Connection, text: str, limit: int = 200) -> list[HistoryEntry]:
        """Return the newest entries that contain each word of `text`."""
        words = search_words(text)
        rows = connection.execute(
            "SELECT number, said, body, ended, answer FROM history WHERE shelf = ? ORDER BY number DESC",
            (self._scope,),
        )
        entries = (_entry_of(*row) for row in rows)
        return list(islice((entry for entry in entries if matches(entry, words)), limit))

    @on_thread
    def remove(self, connection: sqlite3.Connection, entry: int) -> None:
        """Delete one request."""
        self._remove(connection, "number = ? AND shelf = ?", entry)

    @on_thread
    def clear(self, connection: sqlite3.Connection) -> None:
        """Delete every request of this scope."""
        self._remove(connection, "shelf = ?")

    def _remove(self, connection: sqlite3.Connection, which: str, *values: int) -> None:
        # Deleted requests must be gone from the file, not only from the table.
        connection.execute("PRAGMA secure_delete = ON")
        with transaction(connection):
            connection.execute(f"DELETE FROM history WHERE {which}", (*values, self._scope))  # noqa: S608  no text of users
        connection.execute("PRAGMA secure_delete = OFF")
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def display_target(spec: RequestSpec) -> str:
    """Path and query of a kept request, for people."""
    query = "&".join(f"{name}={value}" for name, value in spec.query)
    if not query:
        return spec.path
    return f"{spec.path}{'&' if urlsplit(spec.path).query else '?'}{query}"


def matches(entry: HistoryEntry, wanted: Sequence[str]) -> bool:
    """Whether each of the words is somewhere in the entry: method, target, headers, body, day, fate, answer."""
    haystack = fold("\n".join(_searchable_texts(entry)))
    return all(word in haystack for word in wanted)


def _searchable_texts(entry: HistoryEntry) -> Iterator[str]:
    spec, recorded_result = entry.recorded_request.spec, entry.recorded_result
    yield f"{spec.method} {display_target(spec)}"
    yield from (f"{name}: {value}" for name, value in spec.headers)
    yield spec.body.decode(errors="replace")
    yield spec.idempotency_key
    yield entry.recorded_request.at.date().isoformat()
    yield entry.outcome.value
    if recorded_result is not None:
        yield "" if recorded_result.status is None else f"{recorded_result.status}"
        yield recorded_result.message
        yield recorded_result.request_id
        yield (recorded_result.body or b"").decode(errors="replace")


_UNREADABLE = "the request history has a request that can't be read; clear the history"


def _read_seconds(stored: Json) -> float:
    if isinstance(stored, Number):
        return int(stored.text) / 1000
    raise ValueError(stored)


_MILLISECONDS = Conversion(lambda seconds: number(round(seconds * 1000)), _read_seconds)
_REQUEST = DataclassCodec(RecordedRequest, _UNREADABLE, beside=("spec",))
_SPEC = DataclassCodec(RequestSpec, _UNREADABLE, beside=("body",))
_RESULT = DataclassCodec(
    RecordedResult,
    _UNREADABLE,
    names={"outcome": "fate", "seconds": "milliseconds"},
    conversions={"seconds": _MILLISECONDS},
    beside=("body",),
)


def _request_text(recorded_request: RecordedRequest, key_fingerprint: str = "") -> str:
    """Return a request as text; `key_fingerprint` is that of the key that it was sent with, "" if it is unknown."""
    key = {"key_fingerprint": key_fingerprint} if key_fingerprint else {}
    return _REQUEST.text(recorded_request, **_SPEC.write(recorded_request.spec), **key)


def _result_text(recorded_result: RecordedResult) -> str:
    """Return the result of a request as text."""
    return _RESULT.text(recorded_result)


def _entry_of(entry: int, text: str, body: bytes, ended: str | None, answer: bytes | None) -> HistoryEntry:
    """Return the entry of one row; raises StoreError."""
    try:
        request = read_object(text)
    except StoreError:
        raise StoreError(_UNREADABLE) from None
    sent = _REQUEST.read(request, spec=_SPEC.read(request, body=body))
    return HistoryEntry(entry, sent, None if ended is None else _RESULT.read_text(ended, body=answer))
