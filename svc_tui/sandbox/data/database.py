"""The SQLite file under the service: changes to the seeded records, and stored answers.

Without a file of the user's it is one that has no name, is deleted by SQLite, and is written to when memory is short of
what changed: the answers of a day would else be held in memory.
"""

import contextlib
import sqlite3
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from svc_tui.sandbox.errors import SandboxError
from svc_tui.sandbox.seeds.ids import USUAL_IDS
from svc_tui.sandbox.seeds.seeded_random import SEED
from svc_tui.sandbox.seeds.settings import SeedSettings

APPLICATION_ID = 0x5356_4354
_BUSY_MS = 1_000

_SCHEMA = """
CREATE TABLE IF NOT EXISTS made (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS changes (
    collection TEXT NOT NULL, position INTEGER NOT NULL, body TEXT,
    PRIMARY KEY (collection, position)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS answers (
    api_key TEXT NOT NULL, name TEXT NOT NULL, request TEXT NOT NULL, at REAL NOT NULL,
    status INTEGER NOT NULL, body TEXT, headers TEXT NOT NULL,
    PRIMARY KEY (api_key, name)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS answers_by_age ON answers (at);
CREATE TABLE IF NOT EXISTS snapshots (name TEXT PRIMARY KEY) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS kept_changes (
    snapshot TEXT NOT NULL, collection TEXT NOT NULL, position INTEGER NOT NULL, body TEXT,
    PRIMARY KEY (snapshot, collection, position)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS kept_answers (
    snapshot TEXT NOT NULL, api_key TEXT NOT NULL, name TEXT NOT NULL, request TEXT NOT NULL, at REAL NOT NULL,
    status INTEGER NOT NULL, body TEXT, headers TEXT NOT NULL,
    PRIMARY KEY (snapshot, api_key, name)
) WITHOUT ROWID;
"""
# In `changes` a row stands for a record that is not as it was made: a body, or none where it was deleted.

_OPTIONS = {"records": "--records ", "seed_number": "--seed ", "ids": "--variant ids="}
"""What the file remembers of how it was made, and the option that says it."""

_USUAL = {"seed_number": "0", "ids": USUAL_IDS}
"""What saying nothing means, where it can be said in so many words."""


@dataclass(frozen=True, slots=True)
class SeedChoice:
    """What the data is to be made from, as far as it was said; see `seeds.settings.SeedSettings`."""

    records: int | None = None
    seed: int | None = None
    ids: str | None = None

    def as_texts(self) -> dict[str, str]:
        """Each as the file remembers it, "" where nothing was said."""
        said = zip(_OPTIONS, (self.records, self.seed, self.ids), strict=True)
        return {name: "" if value is None else str(value) for name, value in said}


class Database:
    """One connection behind one lock, so that any thread may use it and a write sees nothing between."""

    def __init__(self, path: Path | None, wanted: SeedChoice) -> None:
        """Opens or makes the file (None: one for as long as this lasts). Raises SandboxError in one line."""
        self._lock = threading.RLock()
        self._path = path
        if path is not None and not path.parent.is_dir():
            raise SandboxError(f"the directory of {path} does not exist; create it, or choose another file")
        try:
            # Python's own transactions are off: BEGIN IMMEDIATE and COMMIT stand where they are meant.
            self._connection = sqlite3.connect(path or "", check_same_thread=False, isolation_level=None)
        except sqlite3.Error as error:
            raise SandboxError(self._explain(error)) from None
        try:
            self.settings = self._prepare(wanted)
        except sqlite3.Error as error:
            self.close()
            raise SandboxError(self._explain(error)) from None
        except SandboxError:
            self.close()
            raise

    @contextlib.contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """A transaction; no one else reads or writes meanwhile."""
        with self._lock:
            if self._connection.in_transaction:
                yield self._connection
                return
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield self._connection
            except BaseException:
                self._connection.execute("ROLLBACK")
                raise
            self._connection.execute("COMMIT")

    @contextlib.contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """The connection, with no write going on."""
        with self._lock:
            yield self._connection

    def close(self) -> None:
        """Gives the file back; the database cannot be used after."""
        with self._lock:
            self._connection.close()

    def _prepare(self, wanted: SeedChoice) -> SeedSettings:
        run = self._connection.execute
        if self._path is not None:
            run(f"PRAGMA busy_timeout = {_BUSY_MS}")
            # Positions are counted in memory, so a second service on the same file would count wrong.
            run("PRAGMA locking_mode = EXCLUSIVE")
            tables = run("SELECT count(*) FROM sqlite_master").fetchone()[0]
            if tables and run("PRAGMA application_id").fetchone()[0] != APPLICATION_ID:
                raise SandboxError(f"{self._path} belongs to another program; choose another file")
            run("PRAGMA journal_mode = WAL")
            run("PRAGMA synchronous = NORMAL")
        else:
            # There is no crash to come back from: what a transaction may have to undo need not be on disk.
            run("PRAGMA journal_mode = MEMORY")
        with self.transaction():
            run(f"PRAGMA application_id = {APPLICATION_ID}")
            for statement in _SCHEMA.split(";"):
                run(statement)
            made = dict(run("SELECT name, value FROM made").fetchall())
            if made and made["seed"] != SEED:
                raise SandboxError(f"{self._path} was created by another version; choose another file")
            settings = {"seed": SEED}
            for name, value in wanted.as_texts().items():
                # What a file does not remember, it was made before there was a choice.
                held = settings[name] = made.get(name, "") if made else value
                if value not in ("", held or _USUAL.get(name)):
                    option = f"{_OPTIONS[name]}{held}" if held else f"no {_OPTIONS[name].rstrip(' =')}"
                    raise SandboxError(
                        f"{self._path} was created with {option}; use the same options, or choose another file"
                    )
            run("DELETE FROM made")
            self._connection.executemany("INSERT INTO made VALUES (?, ?)", settings.items())
        records, seed, ids = (settings[name] for name in _OPTIONS)
        return SeedSettings.sized(int(records) if records else None, int(seed or 0), ids or USUAL_IDS)

    def _explain(self, error: sqlite3.Error) -> str:
        name = getattr(error, "sqlite_errorname", "")
        if name.startswith(("SQLITE_BUSY", "SQLITE_LOCKED")):
            return f"{self._path} is in use by another sandbox; stop it, or choose another file"
        if name == "SQLITE_NOTADB":
            return f"{self._path} is not a database; choose another file"
        return f"{self._path} can't be used as a database: {error}"
