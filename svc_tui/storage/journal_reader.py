"""The journal of one scope, read only: nothing is created or changed, and programs that write do not wait."""

import sqlite3
from collections.abc import Generator, Iterator
from datetime import UTC
from pathlib import Path

from svc_tui.storage.database import check_version
from svc_tui.storage.errors import StoreError
from svc_tui.storage.journal import MAY_BE_DONE, SELECT_ENTRIES, WRITES_TO_PLACE, EntryRow, read_entry, select_creations
from svc_tui.storage.journal_end import reading
from svc_tui.storage.journal_entries import JournalEntry, JournalSelection, WriteInProgress, entry_result
from svc_tui.storage.process_lock import is_alive
from svc_tui.storage.row_values import bindable
from svc_tui.storage.runs import Run, select_runs
from svc_tui.storage.schema import BATCH_EXPRESSION, FIRST_RUNS_VERSION
from svc_tui.storage.scope import StorageScope, scope_key

PAGE = 500
"""Writes that are read at once; between two pages other programs may write, and prune."""


class JournalReader:
    """Reads the journal on the caller's thread, for commands that may block. Every call raises StoreError."""

    def __init__(self, database: Path, scope: StorageScope) -> None:
        """Create a reader of the database at a path, which need not exist."""
        self._database, self._programs = database, database.with_name("running")
        self._scope = scope_key(scope)
        self.unreadable: list[int] = []
        """Numbers of the writes that were left out because they are not as the journal wrote them."""

    def pages(self, wanted: JournalSelection) -> Generator[list[JournalEntry], None, None]:
        """Yield the selected writes that exist at the start, the newest first, in pages."""
        if not self._database.exists():
            return
        with reading(self._database) as connection:
            if not check_version(connection, self._database):
                return
            before = 0
            while rows := self._rows(connection, wanted, before):
                before = rows[-1][0]
                yield list(self._entries(rows))

    def runs(self) -> list[Run]:
        """Return every run, the newest first."""
        if not self._database.exists():
            return []
        with reading(self._database) as connection:
            if check_version(connection, self._database) < FIRST_RUNS_VERSION:
                return []
            return select_runs(connection, self._scope, self._is_alive, "ORDER BY made DESC", ())

    def first_of_run(self, run: str) -> JournalEntry | None:
        """Return the first write of a run; None if there is none."""
        with reading(self._database) as connection:
            rows = connection.execute(
                f"{SELECT_ENTRIES} AND {BATCH_EXPRESSION} = ? ORDER BY number LIMIT 1", (self._scope, run)
            )
            return next(self._entries(rows.fetchall()), None)

    def creations(self, place: str, digests: frozenset[str]) -> list[JournalEntry]:
        """Return the creations at a collection, done or of unknown outcome, with such bodies; the newest first."""
        if not self._database.exists():
            return []
        with reading(self._database) as connection:
            if not check_version(connection, self._database):
                return []
            rows = list(select_creations(connection, self._scope, place, digests))
            return [entry for entry in self._entries(rows) if entry_result(entry) in MAY_BE_DONE]

    def _rows(self, connection: sqlite3.Connection, wanted: JournalSelection, before: int) -> list[EntryRow]:
        conditions: list[str] = [SELECT_ENTRIES]
        values: list[str | int] = [self._scope]
        if before:
            conditions.append("number < ?")
            values.append(before)
        if wanted.ticket:
            conditions.append(f"{_TICKET} = ?")
            values.append(bindable(wanted.ticket))
        if wanted.place:
            place = bindable(wanted.place)
            conditions.append(f"number IN ({WRITES_TO_PLACE})")
            values += [self._scope, place, self._scope, place]
        if wanted.since is not None:
            conditions.append(_SINCE)
            values.append(wanted.since.astimezone(UTC).isoformat())
        statement = f"{' AND '.join(conditions)} ORDER BY number DESC LIMIT {PAGE}"
        return connection.execute(statement, values).fetchall()

    def _entries(self, rows: list[EntryRow]) -> Iterator[JournalEntry]:
        for row in rows:
            try:
                yield read_entry(row, self._under_way)
            except StoreError:
                self.unreadable.append(row[0])

    def _under_way(self, number: int, program: str) -> WriteInProgress | None:
        return WriteInProgress.ELSEWHERE if self._is_alive(program) else None

    def _is_alive(self, program: str) -> bool:
        try:
            return is_alive(self._programs, program)
        except OSError:
            # A program whose lock can't be checked counts as ended.
            return False


_TICKET = "CASE WHEN json_valid(said) THEN json_extract(said, '$.ticket') END"
_SINCE = "coalesce(julianday(CASE WHEN json_valid(said) THEN json_extract(said, '$.at') END) >= julianday(?), 1)"
"""To the millisecond; a line whose time can't be read is included, so that it is reported as unreadable."""
