"""Opens what a released version wrote as this version does at its start, or is killed on the way.

`python -m tests.stability.open_release KEPT DIRECTORY` opens copies of KEPT in DIRECTORY. Each opening is killed right
before or right after a commit, each at another one, until one opening has no commit left. A line for each kill names
the copy, the database and the statement. A commit is a COMMIT, a statement that writes outside a transaction, and the
copy of a database.
"""

import asyncio
import os
import shutil
import signal
import sqlite3
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, closing
from dataclasses import dataclass
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any

from svc_tui.bootstrap.index.open_index import index_file
from svc_tui.storage.errors import TeamServerError
from svc_tui.storage.record_index.index_values import IndexRules
from svc_tui.storage.record_index.record_index import RecordIndex
from svc_tui.storage.store import Store
from svc_tui.storage.team.mirror import TeamMirror
from svc_tui.storage.team.own_chain import ChainRules, OwnChain
from svc_tui.storage.team.server import TeamServer
from svc_tui.team.sync import TeamSync
from tests.stability.drive_release import API_KEY, DATABASE, SCOPE, STATEMENTS

_WRITING_WORDS = frozenset({"INSERT", "UPDATE", "DELETE", "REPLACE", "CREATE", "ALTER", "DROP", "VACUUM"})


@dataclass(frozen=True, slots=True)
class OpenedRelease:
    """All that one start opens of a state directory."""

    store: Store
    own: OwnChain
    sync: TeamSync
    index: RecordIndex


def copy_release(kept: Path, home: Path) -> None:
    """Copy a kept state directory, for the user alone."""
    shutil.copytree(kept, home, ignore=shutil.ignore_patterns(STATEMENTS), copy_function=shutil.copyfile)
    for path in (home, *home.rglob("*")):
        path.chmod(0o700 if path.is_dir() else 0o600)


async def _no_server() -> TeamServer:
    raise TeamServerError("there is no server")


@asynccontextmanager
async def open_release(
    home: Path, connect: Callable[[], Awaitable[TeamServer]] = _no_server
) -> AsyncIterator[OpenedRelease]:
    """Open the store, the chain with its mirror, and the index; `connect` gives the team server."""
    (mirror_path,) = (home / "teams").glob("*.db")
    async with Store.open(home / DATABASE) as store:
        own = store.own_chain(SCOPE, ChainRules(_team(home / DATABASE), "ada", "desk"))
        mirror = TeamMirror(mirror_path, own.author, own.former)
        sync = TeamSync(own, mirror, connect)
        await sync.take_up()
        file = index_file(home / "indexes", SCOPE, IndexRules(days=0), store.fingerprints.of(API_KEY))
        index = RecordIndex(file)
        try:
            yield OpenedRelease(store, own, sync, index)
        finally:
            await index.aclose()
            await sync.aclose()
            await mirror.aclose()


def _team(database: Path) -> str:
    with closing(sqlite3.connect(database)) as connection:
        (team,) = connection.execute("SELECT team FROM team_chains WHERE team <> 'team'").fetchone()
    return str(team)


class KilledConnection(sqlite3.Connection):
    """A connection that counts the commits of all connections, and ends the program at one of them."""

    kill_at = ("", 0, "")
    commits = 0

    def __init__(self, database: Any, **options: Any) -> None:
        """Connect to a database."""
        super().__init__(database, **options)
        self._name = Path(str(database)).name

    def execute(self, statement: str, *values: Any) -> sqlite3.Cursor:
        """Execute a statement, and end before or after it if it is the commit."""
        word = statement.split(maxsplit=1)[0].upper()
        if word != "COMMIT" and (word not in _WRITING_WORDS or self.in_transaction):
            return super().execute(statement, *values)
        KilledConnection.commits += 1
        self._end_at("before", word)
        cursor = super().execute(statement, *values)
        self._end_at("after", word)
        return cursor

    def backup(self, target: sqlite3.Connection, **options: Any) -> None:
        """Copy the database, and end before or after that."""
        KilledConnection.commits += 1
        self._end_at("before", "backup")
        super().backup(target, **options)
        self._end_at("after", "backup")

    def _end_at(self, moment: str, word: str) -> None:
        name, number, chosen = self.kill_at
        if (self.commits, moment) == (number, chosen):
            os.write(sys.stdout.fileno(), f"{name} {self._name} {word}\n".encode())
            os.kill(os.getpid(), signal.SIGKILL)


async def _open_and_close(home: Path) -> None:
    async with open_release(home):
        pass


def main(kept: Path, directory: Path) -> int:
    """Have openings killed; gives the exit status of the one that was not."""
    for number in count(1):
        for moment in ("before", "after"):
            home = directory / f"{number}-{moment}"
            copy_release(kept, home)
            child = os.fork()
            if not child:
                KilledConnection.kill_at = (home.name, number, moment)
                sqlite3.connect = partial(sqlite3.connect, factory=KilledConnection)  # type: ignore[assignment]
                asyncio.run(_open_and_close(home))
                return 0
            _, status = os.waitpid(child, 0)
            if not os.WIFSIGNALED(status):
                return os.waitstatus_to_exitcode(status)
    raise AssertionError("count ends")


if __name__ == "__main__":
    sys.exit(main(*map(Path, sys.argv[1:])))
