"""This machine's copy of all chains of a team, read only, for commands that may block."""

import sqlite3
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

from svc_tui.storage.database import check_version
from svc_tui.storage.journal_end import reading
from svc_tui.storage.journal_entries import JournalEntry, JournalSelection
from svc_tui.storage.row_values import bindable
from svc_tui.storage.team.lines import KnownChain, LineKind, ServiceScope, TeamLine
from svc_tui.storage.team.mirror import (
    LINE_COLUMNS,
    MIRROR,
    SELECT_WRITES,
    WRITES_TO_PLACE,
    WriteRow,
    known_chains,
    read_line_row,
    read_write_row,
    service_key,
)

PAGE = 500
"""Writes of one machine that are read at once."""


class MirrorReader:
    """Reads the copy on the caller's thread; a missing one counts as empty. Every call raises StoreError."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self.unreadable = 0
        """Number of writes that were left out because they could not be read."""

    def chains(self) -> Sequence[KnownChain]:
        """Return every chain, as far as it is known."""
        with self._reading() as connection:
            return [] if connection is None else known_chains(connection)

    def newest(self) -> datetime | None:
        """Return when the server received the newest line that is known here, by its clock."""
        with self._reading() as connection:
            row = None if connection is None else connection.execute("SELECT max(received) FROM lines").fetchone()
        return None if row is None or row[0] is None else datetime.fromisoformat(row[0])

    def digests(self, chain: str, after: int, last: int) -> Mapping[int, str]:
        """Return the digests of a chain's lines after sequence `after` up to `last`, by sequence."""
        with self._reading() as connection:
            if connection is None:
                return {}
            return dict(
                connection.execute(
                    "SELECT sequence, digest FROM lines WHERE chain = ? AND sequence > ? AND sequence <= ?",
                    (chain, after, last),
                )
            )

    def received(self, chain: str, entries: Sequence[int]) -> Mapping[int, datetime]:
        """Return when the server received the intents of these writes of a chain, by the number of the write."""
        marks = ", ".join("?" * len(entries))
        with self._reading() as connection:
            if connection is None:
                return {}
            rows = connection.execute(
                f"""
                SELECT entry, received FROM lines
                WHERE chain = ? AND kind = 'intent' AND received IS NOT NULL AND entry IN ({marks})
                UNION ALL
                SELECT entry, received FROM lines
                WHERE service = '' AND kind = 'intent' AND received IS NOT NULL AND entry IN ({marks})
                """,  # noqa: S608  marks alone
                # Those about no service are in a former chain of this machine.
                (chain, *entries, *entries),
            )
            return {entry: datetime.fromisoformat(at) for entry, at in rows}

    def lines(self, scope: ServiceScope, kind: LineKind) -> Sequence[TeamLine]:
        """Return the lines of a kind about a service, own ones too, the oldest first."""
        with self._reading() as connection:
            if connection is None:
                return []
            rows = connection.execute(
                f"SELECT {LINE_COLUMNS} FROM lines WHERE service = ? AND kind = ? ORDER BY at, id",  # noqa: S608
                (service_key(scope), kind.value),
            )
            return [line for row in rows if (line := read_line_row(*row)) is not None]

    def pages(
        self, chain: str, scope: ServiceScope, wanted: JournalSelection
    ) -> Generator[list[JournalEntry], None, None]:
        """Yield the selected writes of a chain to a service, the newest first, in pages."""
        before = None
        while rows := self._rows(chain, scope, wanted, before):
            before = rows[-1][2]
            entries = [entry for row in rows if (entry := read_write_row(row)) is not None]
            self.unreadable += len(rows) - len(entries)
            yield entries

    def _rows(self, chain: str, scope: ServiceScope, wanted: JournalSelection, before: int | None) -> list[WriteRow]:
        conditions, values = _conditions(scope, wanted)
        if before is not None:
            conditions += " AND intent.sequence < ?"
        later = () if before is None else (before,)
        statement = f"{SELECT_WRITES} AND intent.chain = ? {conditions} ORDER BY intent.sequence DESC LIMIT {PAGE}"
        # Not kept open between two pages: of a large team there are many at once.
        with self._reading() as connection:
            if connection is None:
                return []
            return connection.execute(statement, (service_key(scope), "", chain, *values, *later)).fetchall()

    @contextmanager
    def _reading(self) -> Iterator[sqlite3.Connection | None]:
        """Open a read-only connection; None if there is nothing to read."""
        if not self._path.exists():
            yield None
            return
        with reading(self._path) as connection:
            yield connection if check_version(connection, self._path, MIRROR) == MIRROR.version else None


def _conditions(scope: ServiceScope, wanted: JournalSelection) -> tuple[str, list[str]]:
    """Return the conditions that select the writes, and their values."""
    conditions, values = list[str](), list[str]()
    if wanted.ticket:
        conditions.append(f"AND {_TICKET} = ?")
        values.append(bindable(wanted.ticket))
    if wanted.place:
        service, place = service_key(scope), bindable(wanted.place)
        conditions.append(f"AND intent.id IN ({WRITES_TO_PLACE})")
        values += [service, place, service, place]
    if wanted.since is not None:
        conditions.append("AND intent.at >= ?")
        values.append(wanted.since.astimezone(UTC).isoformat())
    return " ".join(conditions), values


_TICKET = "CASE WHEN json_valid(intent.text) THEN json_extract(intent.text, '$.content.ticket') END"
