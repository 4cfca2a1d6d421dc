"""The journal of writes: one line before a request leaves, one after, each sealed with the hash of the one before."""

import hashlib
import re
import sqlite3
from collections.abc import Mapping

from svc_tui.domain.gateway import Intent, JournalEntry, Outcome, Shelf, StoreError
from svc_tui.domain.jsontext import Json, Number, dumps, number
from svc_tui.store.database import transaction
from svc_tui.store.schema import PLACE
from svc_tui.store.shelves import read_moment, read_object, shelf_key
from svc_tui.store.worker import Worker

FIRST = "0" * 64
"""What stands for the hash of the line before the first."""

VERIFIED = 1_000
"""How many of the newest lines are checked when the store is opened."""


_STATUS = re.compile(r"[0-9]{3}")
_COUNT = re.compile(r"[0-9]{1,15}")


class SqliteJournal:
    """The journal of one shelf; see `domain.gateway.Journal`. Every call raises StoreError."""

    def __init__(self, worker: Worker, shelf: Shelf) -> None:
        self._worker = worker
        self._shelf = shelf_key(shelf)

    async def intend(self, intent: Intent) -> int:
        """Append the intent; when this returns, the line is on the disk. Gives the entry's number."""
        said: dict[str, Json] = {
            "at": intent.at.isoformat(),
            "method": intent.method,
            "target": intent.target,
            "place": intent.place,
            "idempotency_key": intent.idempotency_key,
            "ticket": intent.ticket,
        }
        if intent.body_bytes is not None:
            said["body_bytes"] = number(intent.body_bytes)
        text, before, after = dumps(said, ascii_only=True), _optional(intent.before), _optional(intent.after)
        return await self._worker.run(lambda connection: self._append_intent(connection, text, before, after))

    async def conclude(self, number: int, outcome: Outcome) -> None:
        """Append the outcome of entry `number`; of several, the last one counts."""
        text = dumps(_outcome_said(outcome), ascii_only=True)
        await self._worker.run(lambda connection: self._append_outcome(connection, number, text))

    async def entries(self, limit: int = 200, *, place: str = "") -> list[JournalEntry]:
        """The newest entries first; with `place` (an intent's) those of that one alone."""
        return await self._worker.run(lambda connection: self._read(connection, limit, place))

    def _append_intent(self, connection: sqlite3.Connection, said: str, before: str | None, after: str | None) -> int:
        with transaction(connection):
            return _append(connection, self._shelf, "intent", None, said, before, after)

    def _append_outcome(self, connection: sqlite3.Connection, entry: int, said: str) -> None:
        with transaction(connection):
            found = connection.execute(
                "SELECT 1 FROM journal WHERE number = ? AND shelf = ? AND kind = 'intent'", (entry, self._shelf)
            ).fetchone()
            if found is None:
                raise StoreError(f"the journal has no write number {entry} here; its outcome can't be added")
            _append(connection, self._shelf, "outcome", entry, said, None, None)

    def _read(self, connection: sqlite3.Connection, limit: int, place: str) -> list[JournalEntry]:
        # Half a character (a lone surrogate) can't be bound, and nothing is written where one stands in the place.
        sought = (place.encode("utf-8", "replace").decode(),) if place else ()
        there = f"AND {PLACE} = ?" if place else ""
        rows = connection.execute(
            f"""
            SELECT number, said, before, after,
                   (SELECT said FROM journal AS later
                    WHERE later.entry = journal.number AND later.kind = 'outcome' ORDER BY number DESC LIMIT 1)
            FROM journal WHERE shelf = ? AND kind = 'intent' {there} ORDER BY number DESC LIMIT ?
            """,  # noqa: S608 - put together from constants
            (self._shelf, *sought, limit),
        )
        return [
            JournalEntry(entry, _intent(said, before, after), None if outcome is None else _outcome(outcome))
            for entry, said, before, after, outcome in rows
        ]


def broken_line(connection: sqlite3.Connection) -> int | None:
    """The number of the first of the newest lines that is not as it was written, or does not follow the one before."""
    rows = connection.execute(
        """
        SELECT number, shelf, kind, entry, said, before, after, previous, hash
        FROM journal ORDER BY number DESC LIMIT ?
        """,
        (VERIFIED + 1,),
    ).fetchall()
    rows.reverse()
    expected = (0, FIRST)
    if len(rows) > VERIFIED:
        expected = (rows[0][0], rows[0][-1])
        del rows[0]
    for *line, seal in rows:
        line_number, previous = line[0], line[-1]
        if (line_number - 1, previous) != expected or _hash(line) != seal:
            return int(line_number)
        expected = (line_number, seal)
    return None


def _append(
    connection: sqlite3.Connection,
    shelf: str,
    kind: str,
    entry: int | None,
    said: str,
    before: str | None,
    after: str | None,
) -> int:
    last = connection.execute("SELECT number, hash FROM journal ORDER BY number DESC LIMIT 1").fetchone()
    last_number, previous = last or (0, FIRST)
    line_number: int = last_number + 1
    line = [line_number, shelf, kind, line_number if entry is None else entry, said, before, after, previous]
    connection.execute(
        """
        INSERT INTO journal (number, shelf, kind, entry, said, before, after, previous, hash)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
        """,
        (*line, _hash(line)),
    )
    return line_number


def _hash(line: list[str | int | None]) -> str:
    whole = dumps([number(part) if isinstance(part, int) else part for part in line], ascii_only=True)
    return hashlib.sha256(whole.encode("ascii")).hexdigest()


def _optional(fields: Mapping[str, Json] | None) -> str | None:
    return None if fields is None else dumps(fields, ascii_only=True)


def _outcome_said(outcome: Outcome) -> dict[str, Json]:
    said: dict[str, Json] = {
        "at": outcome.at.isoformat(),
        "result": outcome.result,
        "status": None if outcome.status is None else number(outcome.status),
        "message": outcome.message,
        "request_id": outcome.request_id,
    }
    return {**said, "made": outcome.made} if outcome.made else said


def _intent(said: str, before: str | None, after: str | None) -> Intent:
    match read_object(said):
        case {
            "at": str(at),
            "method": str(method),
            "target": str(target),
            "place": str(place),
            "idempotency_key": str(key),
            "ticket": str(ticket),
            **more,
        }:
            old = None if before is None else read_object(before)
            new = None if after is None else read_object(after)
            return Intent(read_moment(at), method, target, place, key, old, new, ticket, _count(more.get("body_bytes")))
    raise StoreError("the journal holds an intent that can't be read; move its database away")


def _count(value: Json) -> int | None:
    return int(value.text) if isinstance(value, Number) and _COUNT.fullmatch(value.text) else None


def _outcome(said: str) -> Outcome:
    match read_object(said):
        case {
            "at": str(at),
            "result": str(result),
            "status": Number() | None as status,
            "message": str(message),
            "request_id": str() | None as request_id,
            **more,
        }:
            made = more.get("made", "")
            if (status is None or _STATUS.fullmatch(status.text)) and isinstance(made, str):
                number_of = int(status.text) if status else None
                return Outcome(read_moment(at), result, number_of, message, request_id, made)
    raise StoreError("the journal holds an outcome that can't be read; move its database away")
