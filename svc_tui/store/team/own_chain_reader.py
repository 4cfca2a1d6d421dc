"""This machine's chain of a team, only looked at: nothing is made or changed in the database."""

import sqlite3
from dataclasses import dataclass
from pathlib import Path

from svc_tui.domain.editing.ports import StorageScope
from svc_tui.domain.team.lines import GENESIS_DIGEST, ChainHead
from svc_tui.store.database import check_version
from svc_tui.store.journal_end import reading
from svc_tui.store.row_values import scope_key
from svc_tui.store.team.own_chain import SELECT_NEW


@dataclass(frozen=True, slots=True)
class OwnChainState:
    """How far this machine's chain has come: its id, "" where none is begun; what the server is known to have of it.

    `waiting` lines are to be sent, with those of the journal that are not in the chain yet.
    """

    chain: str
    published: ChainHead
    waiting: int


NO_CHAIN = OwnChainState("", ChainHead(), 0)


def read_own_chain(database: Path, team: str, scope: StorageScope) -> OwnChainState:
    """The chain of the team, with the journal's lines of one scope; raises StoreError."""
    if not database.exists():
        return NO_CHAIN
    with reading(database) as connection:
        check_version(connection, database)
        if not connection.execute("SELECT 1 FROM sqlite_schema WHERE name = 'team_collected'").fetchone():
            # From before there were teams.
            return OwnChainState("", ChainHead(), _new_lines(connection, scope, 0))
        row = connection.execute("SELECT chain, sequence, digest FROM team_chains WHERE team = ?", (team,)).fetchone()
        collected = connection.execute(
            "SELECT number FROM team_collected WHERE team = ? AND shelf = ?", (team, scope_key(scope))
        ).fetchone()
        new = _new_lines(connection, scope, collected[0] if collected else 0)
        if row is None:
            return OwnChainState("", ChainHead(), new)
        chain, sequence, digest = row
        kept, first, previous = connection.execute(
            "SELECT count(*), min(sequence), previous FROM team_outbox WHERE team = ?", (team,)
        ).fetchone()
        published = ChainHead(first - 1, previous) if kept else ChainHead(sequence, digest)
        return OwnChainState(chain, published if published.sequence else ChainHead(0, GENESIS_DIGEST), kept + new)


def _new_lines(connection: sqlite3.Connection, scope: StorageScope, after: int) -> int:
    if not connection.execute("SELECT 1 FROM sqlite_schema WHERE name = 'journal'").fetchone():
        return 0
    (count,) = connection.execute(
        f"SELECT count(*) FROM ({SELECT_NEW})",  # noqa: S608  of the module's own words
        (scope_key(scope), after),
    ).fetchone()
    return int(count)
