"""The history of requests: one row each, made before the request leaves and completed once it has ended."""

import sqlite3
from itertools import islice

from svc_tui.domain.gateway import Shelf, StoreError
from svc_tui.domain.history import Ending, Fate, HistoryEntry, Sending, fits, words
from svc_tui.domain.jsontext import Json, Number, dumps, number
from svc_tui.domain.requests import RequestSpec
from svc_tui.store.database import transaction
from svc_tui.store.shelves import read_moment, read_object, shelf_key
from svc_tui.store.worker import Worker


class SqliteHistory:
    """The history of one shelf; see `domain.gateway.History`. Every call raises StoreError."""

    def __init__(self, worker: Worker, shelf: Shelf, limit: int) -> None:
        """Make it; beyond `limit` the oldest go, and with 0 nothing is kept."""
        self._worker = worker
        self._shelf = shelf_key(shelf)
        self._limit = limit

    async def begin(self, sending: Sending) -> int:
        """Keep a request; when this returns, it is on the disk. Gives its number."""
        said, body = dumps(_sending_said(sending), ascii_only=True), sending.spec.body
        return await self._worker.run(lambda connection: self._begin(connection, said, body))

    async def end(self, entry: int, ending: Ending) -> None:
        """Keep how request number `entry` ended; nothing happens where it is no longer there."""
        said = dumps(_ending_said(ending), ascii_only=True)
        await self._worker.run(lambda connection: self._end(connection, entry, said, ending.body))

    async def entries(self, limit: int = 200) -> list[HistoryEntry]:
        """The newest entries first."""
        return await self.search("", limit)

    async def search(self, text: str, limit: int = 200) -> list[HistoryEntry]:
        """The newest entries that `text` is found in, as `domain.history.fits` tells."""
        return await self._worker.run(lambda connection: self._search(connection, text, limit))

    async def remove(self, entry: int) -> None:
        """Forget one request."""
        await self._worker.run(lambda connection: self._remove(connection, "number = ? AND shelf = ?", entry))

    async def clear(self) -> None:
        """Forget every request of this shelf."""
        await self._worker.run(lambda connection: self._remove(connection, "shelf = ?"))

    def _begin(self, connection: sqlite3.Connection, said: str, body: bytes) -> int:
        if not self._limit:
            return 0
        with transaction(connection):
            made = connection.execute(
                "INSERT INTO history (shelf, said, body) VALUES (?, ?, ?)", (self._shelf, said, body)
            ).lastrowid
            connection.execute(
                """
                DELETE FROM history WHERE shelf = ?1 AND number <=
                    (SELECT number FROM history WHERE shelf = ?1 ORDER BY number DESC LIMIT 1 OFFSET ?2)
                """,
                (self._shelf, self._limit),
            )
        assert made is not None
        return made

    def _end(self, connection: sqlite3.Connection, entry: int, said: str, answer: bytes | None) -> None:
        with transaction(connection):
            connection.execute(
                "UPDATE history SET ended = ?, answer = ? WHERE number = ? AND shelf = ?",
                (said, answer, entry, self._shelf),
            )

    def _search(self, connection: sqlite3.Connection, text: str, limit: int) -> list[HistoryEntry]:
        wanted = words(text)
        rows = connection.execute(
            "SELECT number, said, body, ended, answer FROM history WHERE shelf = ? ORDER BY number DESC",
            (self._shelf,),
        )
        found = (_entry(*row) for row in rows)
        return list(islice((entry for entry in found if fits(entry, wanted)), limit))

    def _remove(self, connection: sqlite3.Connection, which: str, *values: int) -> None:
        # What somebody forgets on purpose is to be gone from the file, not only from the table.
        connection.execute("PRAGMA secure_delete = ON")
        with transaction(connection):
            connection.execute(f"DELETE FROM history WHERE {which}", (*values, self._shelf))  # noqa: S608  no text of users
        connection.execute("PRAGMA secure_delete = OFF")
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def _sending_said(sending: Sending) -> dict[str, Json]:
    spec = sending.spec
    return {
        "at": sending.at.isoformat(),
        "method": spec.method,
        "path": spec.path,
        "query": _pairs_said(spec.query),
        "headers": _pairs_said(spec.headers),
        "idempotency_key": spec.idempotency_key,
        "missing": list(sending.missing),
    }


def _ending_said(ending: Ending) -> dict[str, Json]:
    return {
        "fate": ending.fate.value,
        "status": None if ending.status is None else number(ending.status),
        "milliseconds": number(round(ending.seconds * 1000)),
        "received": number(ending.received),
        "request_id": ending.request_id,
        "message": ending.message,
    }


def _entry(entry: int, said: str, body: bytes, ended: str | None, answer: bytes | None) -> HistoryEntry:
    return HistoryEntry(entry, _sending(said, body), None if ended is None else _ending(ended, answer))


def _sending(said: str, body: bytes) -> Sending:
    match read_object(said):
        case {
            "at": str(at),
            "method": str(method),
            "path": str(path),
            "query": list(query),
            "headers": list(headers),
            "idempotency_key": str(key),
            "missing": list(missing),
        }:
            spec = RequestSpec(method, path, _pairs(query), _pairs(headers), body, key)
            return Sending(read_moment(at), spec, tuple(word for word in missing if isinstance(word, str)))
    raise _unreadable()


def _ending(said: str, answer: bytes | None) -> Ending:
    match read_object(said):
        case {
            "fate": str(fate),
            "status": Number() | None as status,
            "milliseconds": Number(text=milliseconds),
            "received": Number(text=received),
            "request_id": str(request_id),
            "message": str(message),
        }:
            try:
                return Ending(
                    Fate(fate),
                    None if status is None else int(status.text),
                    int(milliseconds) / 1000,
                    int(received),
                    request_id,
                    message,
                    answer,
                )
            except ValueError:
                pass
    raise _unreadable()


def _pairs_said(pairs: tuple[tuple[str, str], ...]) -> list[Json]:
    return [[name, value] for name, value in pairs]


def _pairs(said: list[Json]) -> tuple[tuple[str, str], ...]:
    pairs = []
    for pair in said:
        match pair:
            case [str(name), str(value)]:
                pairs.append((name, value))
            case _:
                raise _unreadable()
    return tuple(pairs)


def _unreadable() -> StoreError:
    return StoreError("the history holds a request that can't be read; clear it, or move its database away")
