"""The journal of one scope, only looked into: nothing is made or changed, and nobody who writes has to wait."""

import sqlite3
from collections.abc import Generator, Iterator
from datetime import UTC
from pathlib import Path

from svc_tui.domain.editing.journal import JournalSelection, entry_result
from svc_tui.domain.editing.ports import JournalEntry, StorageScope, StoreError, WriteInProgress
from svc_tui.domain.plans.ports import Run
from svc_tui.store.database import check_version
from svc_tui.store.journal import MAY_BE_DONE, SELECT_ENTRIES, WRITES_TO_PLACE, EntryRow, read_entry, select_creations
from svc_tui.store.journal_end import reading
from svc_tui.store.process_lock import is_alive
from svc_tui.store.row_values import scope_key
from svc_tui.store.runs import select_runs
from svc_tui.store.schema import BATCH_EXPRESSION, FIRST_RUNS_VERSION

PAGE = 500
"""Writes that are read at once; between two pages others may write, and prune."""


class JournalReader:
    """Reads on the thread that asks; for programs that nobody waits in. Every call raises StoreError."""

    def __init__(self, database: Path, scope: StorageScope) -> None:
        """Look into the database at a path, which need not be there."""
        self._database, self._programs = database, database.with_name("running")
        self._scope = scope_key(scope)
        self.unreadable: list[int] = []
        """The numbers of the writes that were left out since they are not as the journal wrote them."""

    def pages(self, wanted: JournalSelection) -> Generator[list[JournalEntry], None, None]:
        """The writes that are asked for, the newest first, as many as are there when it begins."""
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
        """Every run, the newest first."""
        if not self._database.exists():
            return []
        with reading(self._database) as connection:
            if check_version(connection, self._database) < FIRST_RUNS_VERSION:
                return []
            return select_runs(connection, self._scope, self._is_alive, "ORDER BY made DESC", ())

    def first_of_run(self, run: str) -> JournalEntry | None:
        """The first write of a run; None where there is none."""
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
            values.append(_bindable(wanted.ticket))
        if wanted.place:
            place = _bindable(wanted.place)
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
            # What can't be told is not known to run.
            return False


_TICKET = "CASE WHEN json_valid(said) THEN json_extract(said, '$.ticket') END"
_SINCE = "coalesce(julianday(CASE WHEN json_valid(said) THEN json_extract(said, '$.at') END) >= julianday(?), 1)"
"""To the millisecond; a line whose time can't be read is let through, so that it is missed."""


def _bindable(text: str) -> str:
    """Half a character (a lone surrogate) can't be bound, and nothing is written where one stands."""
    return text.encode("utf-8", "replace").decode()
