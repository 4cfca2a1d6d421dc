"""This machine's chain of a team: taken from the journal in its order, sealed, and kept until the server has it."""

import hashlib
import hmac
import secrets
import sqlite3
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import uuid4

from svc_tui.domain.data.masked_values import split_masked
from svc_tui.domain.editing.ports import Author, StorageScope, StoreError
from svc_tui.domain.model.jsontext import Json, dumps
from svc_tui.domain.team.lines import (
    ChainHead,
    LineKind,
    SealedLine,
    ServiceScope,
    TeamLine,
    line_matter,
    line_text,
    read_line,
    seal,
)
from svc_tui.store.database import transaction
from svc_tui.store.database_thread import DatabaseThread
from svc_tui.store.row_values import read_object, read_time, scope_key

_KEPT_BACK = ("program", "key", "place", "at")
"""What a journal line says that a team's line leaves out, or says itself."""

_KEY_BYTES = 32


@dataclass(frozen=True, slots=True)
class ChainRules:
    """How the chain is written: `team` names the team's database, `name` and `machine` who writes.

    `masked` are the fields whose values stay here, by name or path.
    """

    team: str
    name: str
    machine: str
    masked: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Chain:
    """A chain as its row says."""

    id: str
    key: bytes
    head: ChainHead


class SqliteOwnChain:
    """See `domain.team.ports.OwnChain`; the journal lines are those of one scope."""

    def __init__(self, worker: DatabaseThread, scope: StorageScope, rules: ChainRules) -> None:
        self._database, self._scope, self._rules = worker, scope, rules
        self._masked = frozenset(name.casefold() for name in rules.masked)

    async def author(self) -> Author:
        """Who writes it."""
        return await self._database.run(self._author)

    async def collect(self, limit: int = 500) -> int:
        """Take up lines of the journal that are not in it yet; gives how many."""
        return await self._database.run(lambda connection: self._collect(connection, limit))

    async def add(self, kind: LineKind, place: str, content: Mapping[str, Json], at: datetime) -> TeamLine:
        """Add a line of the team's own; when this returns, it is on the disk."""
        return await self._database.run(lambda connection: self._add(connection, kind, place, content, at))

    async def waiting(self, after: int = 0, limit: int = 200) -> Sequence[SealedLine]:
        """The lines behind one of that sequence that the server is not known to have, the first one first."""
        return await self._database.run(lambda connection: self._waiting(connection, after, limit))

    async def count_waiting(self) -> int:
        """How many there are, with those of the journal that are not taken up yet."""
        return await self._database.run(self._count_waiting)

    async def acknowledge(self, line: SealedLine) -> None:
        """The server has the lines up to this one."""

        def forget(connection: sqlite3.Connection) -> None:
            # Another program here may have begun another chain meanwhile.
            connection.execute(
                """
                DELETE FROM team_outbox WHERE team = ? AND sequence <= ?
                AND EXISTS (SELECT 1 FROM team_chains WHERE team_chains.team = team_outbox.team AND chain = ?)
                """,
                (self._rules.team, line.sequence, line.chain),
            )

        await self._database.run(forget)

    async def begin_anew(self, chain: str, told: Container[str]) -> bool:
        """Begin another chain in the place of that one, with what waits and is not `told`; False: done before."""
        return await self._database.run(lambda connection: self._begin_anew(connection, chain, told))

    async def former(self) -> Mapping[str, int]:
        """The chains that were this machine's, and the last line from here of each."""

        def read(connection: sqlite3.Connection) -> dict[str, int]:
            rows = connection.execute(
                "SELECT chain, sequence FROM team_former_chains WHERE team = ?", (self._rules.team,)
            )
            return dict(rows)

        return await self._database.run(read)

    # On the database's thread

    def _author(self, connection: sqlite3.Connection) -> Author:
        with transaction(connection):
            return Author(self._rules.name, self._rules.machine, self._chain(connection).id)

    def _chain(self, connection: sqlite3.Connection) -> _Chain:
        """The chain, begun where there is none."""
        row = connection.execute(
            "SELECT chain, key, sequence, digest FROM team_chains WHERE team = ?", (self._rules.team,)
        ).fetchone()
        if row is not None:
            chain, key, sequence, digest = row
            return _Chain(chain, key, ChainHead(sequence, digest))
        return self._begin(connection)

    def _begin(self, connection: sqlite3.Connection) -> _Chain:
        begun = _Chain(str(uuid4()), secrets.token_bytes(_KEY_BYTES), ChainHead())
        connection.execute(
            "INSERT INTO team_chains (team, chain, key, sequence, digest) VALUES (?, ?, ?, ?, ?)",
            (self._rules.team, begun.id, begun.key, begun.head.sequence, begun.head.digest),
        )
        return begun

    def _collect(self, connection: sqlite3.Connection, limit: int) -> int:
        with transaction(connection):
            shelf, after = scope_key(self._scope), self._collected(connection)
            rows = connection.execute(f"{SELECT_NEW} ORDER BY number LIMIT ?", (shelf, after, limit)).fetchall()
            if rows:
                chain = self._chain(connection)
                self._append(connection, chain, [self._journal_line(chain, row) for row in rows])
                connection.execute(
                    """
                    INSERT INTO team_collected (team, shelf, number) VALUES (?, ?, ?)
                    ON CONFLICT (team, shelf) DO UPDATE SET number = excluded.number
                    """,
                    (self._rules.team, shelf, rows[-1][0]),
                )
        return len(rows)

    def _collected(self, connection: sqlite3.Connection) -> int:
        row = connection.execute(
            "SELECT number FROM team_collected WHERE team = ? AND shelf = ?", (self._rules.team, scope_key(self._scope))
        ).fetchone()
        return row[0] if row else 0

    def _add(
        self, connection: sqlite3.Connection, kind: LineKind, place: str, content: Mapping[str, Json], at: datetime
    ) -> TeamLine:
        with transaction(connection):
            chain = self._chain(connection)
            line = TeamLine(kind, self._named(chain), ServiceScope.of(self._scope), place, at, content)
            (sealed,) = self._append(connection, chain, [line])
        return read_line(sealed)

    def _append(self, connection: sqlite3.Connection, chain: _Chain, lines: Sequence[TeamLine]) -> list[SealedLine]:
        return self._seal(connection, chain, [line_text(line) for line in lines])

    def _seal(self, connection: sqlite3.Connection, chain: _Chain, texts: Sequence[str]) -> list[SealedLine]:
        head, sealed = chain.head, list[SealedLine]()
        for text in texts:
            sealed.append(seal(chain.id, head, text))
            head = ChainHead(sealed[-1].sequence, sealed[-1].digest)
        connection.executemany(
            "INSERT INTO team_outbox (team, sequence, previous, text, digest) VALUES (?, ?, ?, ?, ?)",
            [(self._rules.team, line.sequence, line.previous, line.text, line.digest) for line in sealed],
        )
        connection.execute(
            "UPDATE team_chains SET sequence = ?, digest = ? WHERE team = ?",
            (head.sequence, head.digest, self._rules.team),
        )
        return sealed

    def _begin_anew(self, connection: sqlite3.Connection, chain: str, told: Container[str]) -> bool:
        team = self._rules.team
        with transaction(connection):
            before = self._chain(connection)
            if before.id != chain:
                return False
            rows = connection.execute(
                "SELECT sequence, text FROM team_outbox WHERE team = ? ORDER BY sequence", (team,)
            ).fetchall()
            last = rows[0][0] - 1 if rows else before.head.sequence
            connection.execute(
                "INSERT INTO team_former_chains (team, chain, sequence) VALUES (?, ?, ?)", (team, chain, last)
            )
            connection.execute("DELETE FROM team_outbox WHERE team = ?", (team,))
            connection.execute("DELETE FROM team_chains WHERE team = ?", (team,))
            # What waits is sealed anew as it was written.
            self._seal(connection, self._begin(connection), [text for _, text in rows if line_matter(text) not in told])
        return True

    def _waiting(self, connection: sqlite3.Connection, after: int, limit: int) -> list[SealedLine]:
        rows = connection.execute(
            """
            SELECT chain, team_outbox.sequence, previous, text, team_outbox.digest
            FROM team_outbox JOIN team_chains USING (team)
            WHERE team = ? AND team_outbox.sequence > ? ORDER BY team_outbox.sequence LIMIT ?
            """,
            (self._rules.team, after, limit),
        )
        return [SealedLine(*row) for row in rows]

    def _count_waiting(self, connection: sqlite3.Connection) -> int:
        (kept,) = connection.execute("SELECT count(*) FROM team_outbox WHERE team = ?", (self._rules.team,)).fetchone()
        (new,) = connection.execute(
            f"SELECT count(*) FROM ({SELECT_NEW})",  # noqa: S608  of this module's own words
            (scope_key(self._scope), self._collected(connection)),
        ).fetchone()
        return int(kept + new)

    def _named(self, chain: _Chain) -> Author:
        return Author(self._rules.name, self._rules.machine, chain.id)

    def _journal_line(self, chain: _Chain, row: tuple[int, str, int, str, str | None, str | None, str]) -> TeamLine:
        number, kind, entry, text, before, after, intent = row
        content, about, masked = read_object(text), read_object(intent), dict[str, Json]()
        at, place = content.get("at"), about.get("place")
        if not (isinstance(at, str) and isinstance(place, str)):
            raise StoreError(f"entry {number} of the journal can't be read, so it can't be sent to the team")
        # An outcome's place is that of the record that was made, which the line's own does not tell.
        shared: dict[str, Json] = {
            name: value
            for name, value in content.items()
            if name not in _KEPT_BACK or (name == "place" and kind == LineKind.OUTCOME)
        }
        for name, fields in (("before", before), ("after", after)):
            if fields is not None:
                split = split_masked(read_object(fields), self._masked, lambda value: _digest(chain.key, value))
                shared[name] = split.kept
                if split.digests:
                    masked[name] = dict(split.digests)
        if masked:
            shared["masked"] = masked
        scope = ServiceScope.of(self._scope)
        return TeamLine(LineKind(kind), self._named(chain), scope, place, read_time(at), shared, entry)


SELECT_NEW = """
    SELECT number, kind, entry, said, before, after,
           (SELECT said FROM journal AS intent WHERE intent.number = journal.entry)
    FROM journal WHERE shelf = ? AND number > ?
"""


def _digest(key: bytes, value: Json) -> str:
    """What stands for a value: it can't be found out by trying, and is told apart on this machine alone."""
    return hmac.new(key, dumps(value, ascii_only=True).encode(), hashlib.sha256).hexdigest()
