"""The history of requests: one row each, made before the request leaves and completed once it has ended."""

from __future__ import annotations

import sqlite3
from itertools import islice
from typing import TYPE_CHECKING

from svc_tui.domain.editing.ports import StorageScope
from svc_tui.store.database import transaction
from svc_tui.store.database_thread import DatabaseThread
from svc_tui.store.key_fingerprints import KeyInUse, fingerprint_of
from svc_tui.store.row_values import scope_key

if TYPE_CHECKING:
    from svc_tui.domain.console.history import HistoryEntry, RecordedRequest, RecordedResult


class SqliteHistory:
    """The history of one scope; see `domain.console.ports.HistoryStore`. Every call raises StoreError."""

    def __init__(self, worker: DatabaseThread, scope: StorageScope, limit: int, key: KeyInUse | None = None) -> None:
        """Make it; beyond `limit` the oldest go, and with 0 nothing is kept."""
        self._database, self._key = worker, key
        self._scope = scope_key(scope)
        self._limit = limit

    async def begin(self, recorded_request: RecordedRequest) -> int:
        """Keep a request; when this returns, it is on the disk. Gives its number."""
        from svc_tui.store.history_rows import request_text

        text, body = request_text(recorded_request, fingerprint_of(self._key)), recorded_request.spec.body
        return await self._database.run(lambda connection: self._begin(connection, text, body))

    async def end(self, entry: int, recorded_result: RecordedResult) -> None:
        """Keep how request number `entry` ended; nothing happens where it is no longer there."""
        from svc_tui.store.history_rows import result_text

        text = result_text(recorded_result)
        await self._database.run(lambda connection: self._end(connection, entry, text, recorded_result.body))

    async def entries(self, limit: int = 200) -> list[HistoryEntry]:
        """The newest entries first."""
        return await self.search("", limit)

    async def search(self, text: str, limit: int = 200) -> list[HistoryEntry]:
        """The newest entries that `text` is found in, as `domain.history.fits` tells."""
        return await self._database.run(lambda connection: self._search(connection, text, limit))

    async def remove(self, entry: int) -> None:
        """Forget one request."""
        await self._database.run(lambda connection: self._remove(connection, "number = ? AND shelf = ?", entry))

    async def clear(self) -> None:
        """Forget every request of this scope."""
        await self._database.run(lambda connection: self._remove(connection, "shelf = ?"))

    def _begin(self, connection: sqlite3.Connection, text: str, body: bytes) -> int:
        if not self._limit:
            return 0
        with transaction(connection):
            number = connection.execute(
                "INSERT INTO history (shelf, said, body) VALUES (?, ?, ?)", (self._scope, text, body)
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

    def _end(self, connection: sqlite3.Connection, entry: int, text: str, answer: bytes | None) -> None:
        with transaction(connection):
            connection.execute(
                "UPDATE history SET ended = ?, answer = ? WHERE number = ? AND shelf = ?",
                (text, answer, entry, self._scope),
            )

    def _search(self, connection: sqlite3.Connection, text: str, limit: int) -> list[HistoryEntry]:
        from svc_tui.domain.console.history import matches, search_words
        from svc_tui.store.history_rows import entry_of

        wanted = search_words(text)
        rows = connection.execute(
            "SELECT number, said, body, ended, answer FROM history WHERE shelf = ? ORDER BY number DESC",
            (self._scope,),
        )
        entries = (entry_of(*row) for row in rows)
        return list(islice((entry for entry in entries if matches(entry, wanted)), limit))

    def _remove(self, connection: sqlite3.Connection, which: str, *values: int) -> None:
        # What the user forgets on purpose is to be gone from the file, not only from the table.
        connection.execute("PRAGMA secure_delete = ON")
        with transaction(connection):
            connection.execute(f"DELETE FROM history WHERE {which}", (*values, self._scope))  # noqa: S608  no text of users
        connection.execute("PRAGMA secure_delete = OFF")
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
