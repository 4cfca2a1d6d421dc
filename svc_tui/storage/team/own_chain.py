"""This machine's chain of a team: lines of the journal in order, sealed, and stored until the server has them."""

import hashlib
import hmac
import secrets
import sqlite3
from collections.abc import Container, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from uuid import uuid4

from msgspec import Struct

from svc_tui.core.jsontext import Json, dumps
from svc_tui.core.masked_values import split_masked
from svc_tui.storage.database import check_version, transaction
from svc_tui.storage.database_thread import DatabaseThread, on_thread
from svc_tui.storage.errors import StoreError
from svc_tui.storage.journal_end import reading
from svc_tui.storage.journal_entries import Author
from svc_tui.storage.row_values import read_object, read_time
from svc_tui.storage.scope import StorageScope, scope_key
from svc_tui.storage.team.lines import (
    GENESIS_DIGEST,
    ChainHead,
    LineKind,
    SealedLine,
    ServiceScope,
    TeamLine,
    line_text,
    read_line,
    seal,
    text_without_author,
)

_KEPT_BACK = ("program", "key", "place", "at")
"""Fields of a journal line that a team's line leaves out, or has in its own way."""

_KEY_BYTES = 32


class ChainRules(Struct, frozen=True):
    """Settings of the chain: the team's database, the names of author and machine.

    The values of `masked` fields, given by name or path, stay on this machine.
    """

    team: str
    name: str
    machine: str
    masked: tuple[str, ...] = ()


class _Chain(Struct, frozen=True):
    """A chain as its row has it."""

    id: str
    key: bytes
    head: ChainHead


class OwnChain:
    """Chain of this computer: the journal of one scope and the team's own lines, until the server has them.

    Every call raises StoreError.
    """

    def __init__(self, worker: DatabaseThread, scope: StorageScope, rules: ChainRules) -> None:
        self._database, self._scope, self._rules = worker, scope, rules
        self._masked = frozenset(name.casefold() for name in rules.masked)

    @on_thread
    def author(self, connection: sqlite3.Connection) -> Author:
        """Return the author of the chain, which is begun if there is none."""
        with transaction(connection):
            return self._named(self._chain(connection))

    @on_thread
    def collect(self, connection: sqlite3.Connection, limit: int = 500) -> int:
        """Add lines of the journal that are not in the chain yet; return how many."""
        with transaction(connection):
            shelf, after = scope_key(self._scope), self._collected(connection)
            rows = connection.execute(f"{_SELECT_NEW} ORDER BY number LIMIT ?", (shelf, after, limit)).fetchall()
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

    @on_thread
    def add(
        self, connection: sqlite3.Connection, kind: LineKind, place: str, content: Mapping[str, Json], at: datetime
    ) -> TeamLine:
        """Add a line of the team's own; when this returns, it is on the disk."""
        with transaction(connection):
            chain = self._chain(connection)
            line = TeamLine(kind, self._named(chain), ServiceScope.of(self._scope), place, at, content)
            (sealed,) = self._append(connection, chain, [line])
        return read_line(sealed)

    @on_thread
    def waiting(self, connection: sqlite3.Connection, after: int = 0, limit: int = 200) -> Sequence[SealedLine]:
        """Return the lines after that sequence that the server is not known to have, the first one first."""
        rows = connection.execute(
            """
            SELECT chain, team_outbox.sequence, previous, text, team_outbox.digest
            FROM team_outbox JOIN team_chains USING (team)
            WHERE team = ? AND team_outbox.sequence > ? ORDER BY team_outbox.sequence LIMIT ?
            """,
            (self._rules.team, after, limit),
        )
        return [SealedLine(*row) for row in rows]

    @on_thread
    def count_waiting(self, connection: sqlite3.Connection) -> int:
        """Return how many lines wait, with those of the journal that are not in the chain yet."""
        (kept,) = connection.execute("SELECT count(*) FROM team_outbox WHERE team = ?", (self._rules.team,)).fetchone()
        return int(kept) + _count_new(connection, self._scope, self._collected(connection))

    @on_thread
    def acknowledge(self, connection: sqlite3.Connection, line: SealedLine) -> None:
        """Delete the lines up to this one from the outbox: the server has them."""
        # Another program here may have begun another chain meanwhile.
        connection.execute(
            """
            DELETE FROM team_outbox WHERE team = ? AND sequence <= ?
            AND EXISTS (SELECT 1 FROM team_chains WHERE team_chains.team = team_outbox.team AND chain = ?)
            """,
            (self._rules.team, line.sequence, line.chain),
        )

    @on_thread
    def begin_other_chain(self, connection: sqlite3.Connection, chain: str, sent: Container[str]) -> bool:
        """Begin another chain in place of that one, with what waits and is not in `sent`; False: done before."""
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
            # The text of waiting lines stays, with new sequence numbers and hashes.
            self._seal(
                connection, self._begin(connection), [text for _, text in rows if text_without_author(text) not in sent]
            )
        return True

    @on_thread
    def former(self, connection: sqlite3.Connection) -> Mapping[str, int]:
        """Return the former chains of this machine, with the last line from here of each."""
        rows = connection.execute("SELECT chain, sequence FROM team_former_chains WHERE team = ?", (self._rules.team,))
        return dict(rows)

    def _chain(self, connection: sqlite3.Connection) -> _Chain:
        """Return the chain, which is begun if there is none."""
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

    def _collected(self, connection: sqlite3.Connection) -> int:
        row = connection.execute(
            "SELECT number FROM team_collected WHERE team = ? AND shelf = ?", (self._rules.team, scope_key(self._scope))
        ).fetchone()
        return row[0] if row else 0

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

    def _named(self, chain: _Chain) -> Author:
        return Author(self._rules.name, self._rules.machine, chain.id)

    def _journal_line(self, chain: _Chain, row: tuple[int, str, int, str, str | None, str | None, str]) -> TeamLine:
        number, kind, entry, text, before, after, intent = row
        content, about, masked = read_object(text), read_object(intent), dict[str, Json]()
        at, place = content.get("at"), about.get("place")
        if not (isinstance(at, str) and isinstance(place, str)):
            raise StoreError(f"entry {number} of the journal can't be read, so it can't be sent to the team")
        # The place of an outcome is that of the created record; the team line has the place of its intent.
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


class OwnChainState(Struct, frozen=True):
    """The state of a chain: its id, "" if there is none, and the last line that the server is known to have.

    `waiting` lines are to be sent, with those of the journal that are not in the chain yet.
    """

    chain: str
    published: ChainHead
    waiting: int


NO_CHAIN = OwnChainState("", ChainHead(), 0)


def read_own_chain(database: Path, team: str, scope: StorageScope) -> OwnChainState:
    """Return the state of the team's chain, with the journal's lines of one scope; raises StoreError.

    It only reads the database.
    """
    if not database.exists():
        return NO_CHAIN
    with reading(database) as connection:
        check_version(connection, database)
        tables = {name for (name,) in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")}
        if "team_collected" not in tables:
            # From before there were teams.
            return OwnChainState("", ChainHead(), _count_new(connection, scope, 0) if "journal" in tables else 0)
        row = connection.execute("SELECT chain, sequence, digest FROM team_chains WHERE team = ?", (team,)).fetchone()
        collected = connection.execute(
            "SELECT number FROM team_collected WHERE team = ? AND shelf = ?", (team, scope_key(scope))
        ).fetchone()
        new = _count_new(connection, scope, collected[0] if collected else 0) if "journal" in tables else 0
        if row is None:
            return OwnChainState("", ChainHead(), new)
        chain, sequence, digest = row
        kept, first, previous = connection.execute(
            "SELECT count(*), min(sequence), previous FROM team_outbox WHERE team = ?", (team,)
        ).fetchone()
        published = ChainHead(first - 1, previous) if kept else ChainHead(sequence, digest)
        return OwnChainState(chain, published if published.sequence else ChainHead(0, GENESIS_DIGEST), kept + new)


def _count_new(connection: sqlite3.Connection, scope: StorageScope, after: int) -> int:
    """Return how many lines of the journal come after number `after`."""
    (count,) = connection.execute(
        f"SELECT count(*) FROM ({_SELECT_NEW})",  # noqa: S608  of this module's own words
        (scope_key(scope), after),
    ).fetchone()
    return int(count)


_SELECT_NEW = """
    SELECT number, kind, entry, said, before, after,
           (SELECT said FROM journal AS intent WHERE intent.number = journal.entry)
    FROM journal WHERE shelf = ? AND number > ?
"""


def _digest(key: bytes, value: Json) -> str:
    """Return the digest of a masked value: only this machine, which has the key, can test a guess."""
    return hmac.new(key, dumps(value, ascii_only=True).encode(), hashlib.sha256).hexdigest()
