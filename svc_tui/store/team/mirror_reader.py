"""This machine's copy of what a team shares, only looked at, by programs that nobody waits in."""

import sqlite3
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

from svc_tui.domain.editing.journal import JournalSelection
from svc_tui.domain.editing.ports import JournalEntry
from svc_tui.domain.team.lines import LineKind, ServiceScope, TeamLine
from svc_tui.domain.team.ports import KnownChain
from svc_tui.store.database import check_version
from svc_tui.store.journal_end import reading
from svc_tui.store.team.mirror import (
    LINE_COLUMNS,
    SELECT_WRITES,
    WRITES_TO_PLACE,
    WriteRow,
    known_chains,
    read_line_row,
    read_write_row,
    service_key,
)
from svc_tui.store.team.mirror_schema import MIRROR

PAGE = 500
"""Writes of one machine that are read at once."""


class MirrorReader:
    """Reads on the thread that asks; a copy that is not there holds nothing. Every call raises StoreError."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self.unreadable = 0
        """How many writes were left out since they are not as one is written."""

    def chains(self) -> Sequence[KnownChain]:
        """Every chain, as far as it is known."""
        with self._reading() as connection:
            return [] if connection is None else known_chains(connection)

    def newest(self) -> datetime | None:
        """When the server got the newest line that is known here, by its clock."""
        with self._reading() as connection:
            row = None if connection is None else connection.execute("SELECT max(received) FROM lines").fetchone()
        return None if row is None or row[0] is None else datetime.fromisoformat(row[0])

    def digests(self, chain: str, after: int, last: int) -> Mapping[int, str]:
        """The digests of a chain's lines behind one of that sequence, up to another, by their sequence."""
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
        """When the server got the intents of these writes of a chain, by the number of the write, as far as it did."""
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
                # Those about no service stand in a chain that was this machine's before.
                (chain, *entries, *entries),
            )
            return {entry: datetime.fromisoformat(at) for entry, at in rows}

    def lines(self, scope: ServiceScope, kind: LineKind) -> Sequence[TeamLine]:
        """The lines of a kind about a service, own ones too, the oldest first."""
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
        """The writes of a chain to a service that are asked for, the newest first."""
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
        """A connection that can only read; None where there is nothing to read."""
        if not self._path.exists():
            yield None
            return
        with reading(self._path) as connection:
            yield connection if check_version(connection, self._path, MIRROR) == MIRROR.version else None


def _conditions(scope: ServiceScope, wanted: JournalSelection) -> tuple[str, list[str]]:
    """What narrows the writes down, and the values for its marks."""
    conditions, values = list[str](), list[str]()
    if wanted.ticket:
        conditions.append(f"AND {_TICKET} = ?")
        values.append(_bindable(wanted.ticket))
    if wanted.place:
        service, place = service_key(scope), _bindable(wanted.place)
        conditions.append(f"AND intent.id IN ({WRITES_TO_PLACE})")
        values += [service, place, service, place]
    if wanted.since is not None:
        conditions.append("AND intent.at >= ?")
        values.append(wanted.since.astimezone(UTC).isoformat())
    return " ".join(conditions), values


_TICKET = "CASE WHEN json_valid(intent.text) THEN json_extract(intent.text, '$.content.ticket') END"


def _bindable(text: str) -> str:
    """Half a character (a lone surrogate) can't be bound, and is written as a sign that stands for it."""
    return text.encode("utf-8", "replace").decode()
