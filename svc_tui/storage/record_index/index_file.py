"""The file of an index: opened for the user alone, created again where it is damaged, foreign or out of date."""

import json
import os
import sqlite3
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from msgspec import Struct

from svc_tui.core.phrases import counted
from svc_tui.platform.files import open_file
from svc_tui.platform.locks import try_lock
from svc_tui.storage.database import (
    BUSY_SECONDS,
    OpenedDatabase,
    check_directory,
    create_private,
    enable_wal,
    is_damage,
    set_aside,
    store_error,
    transaction,
)
from svc_tui.storage.errors import StoreError
from svc_tui.storage.record_index.index_schema import APPLICATION_ID, TABLES, VERSION
from svc_tui.storage.record_index.index_values import IndexProblem, IndexRules, NoIndex
from svc_tui.storage.scope import StorageScope

_CACHE_KIB = 1_024
"""What SQLite holds of the file in memory for each connection: with more, neither searching nor building is faster."""

_DAY_SECONDS = 86_400.0

BUILD_IT = "create it with svc-tui index update, or set index = true in the profile"
"""What to do where there is none."""

BUILD_ANEW = "create it again with svc-tui index update"
"""What to do where it can't be used as it is."""

_OTHER_KEY = "the index on this computer was created with another key of this profile"
_NO_KEY = "the index was created by svc-tui 1.0.0, which did not save the key"


class IndexFile(Struct, frozen=True):
    """Where an index lies, whose records it holds, and how long they are good.

    `key` is the fingerprint of the key that it is filled with; the name of the file ends with it.
    """

    path: Path
    scope: StorageScope
    rules: IndexRules
    key: str = ""

    def of_all_keys(self, ending: str = "") -> Sequence[Path]:
        """The files of the indexes of all keys of this scope, in order, whose names have this ending."""
        return sorted(self.path.parent.glob(f"{self._name}*{ending}"))

    @property
    def _name(self) -> str:
        return self.path.stem.removesuffix(f"-{self.key}")

    @property
    def _without_key(self) -> Path:
        """The index of version 1.0.0, which knew of no keys."""
        return self.path.with_name(f"{self._name}{self.path.suffix}")

    @property
    def lock_path(self) -> Path:
        """The file whose lock tells which program sweeps."""
        return self.path.with_name(f"{self.path.name}.lock")

    @property
    def damage_path(self) -> Path:
        """The file that is there where the index was found to be damaged as it was used."""
        return self.path.with_name(f"{self.path.name}.broken")

    def mark_damaged(self) -> None:
        """Have it set aside at the next start."""
        # Where nothing can be written, whoever uses it is told of the damage all the same.
        with suppress(OSError):
            self.damage_path.touch(mode=0o600)

    def problem(self, error: sqlite3.Error) -> IndexProblem:
        """What an error means for the user; where it says that the file is damaged, that is marked."""
        if is_damage(error):
            self.mark_damaged()
        return index_problem(store_error(error, self.path), self.path)

    @property
    def about(self) -> Mapping[str, str]:
        """What the index says of itself: whose it is, and which fields are left out."""
        scope = self.scope
        return {
            "scope": json.dumps([scope.profile, scope.environment.value, scope.base_url, *filter(None, [self.key])]),
            "masked": json.dumps(sorted(name.casefold() for name in self.rules.masked)),
        }

    def open(self) -> OpenedDatabase:
        """Open it for writing, made where there is none; raises StoreError."""
        path = self.path
        try:
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            check_directory(path)
            found = self._others_notice()
            inode = create_private(path)
            try:
                if self.damage_path.exists():
                    self.damage_path.unlink()
                    raise _Damaged
                connection, notice = self._opened()
                return OpenedDatabase(connection, notice or found)
            except (sqlite3.DatabaseError, _Damaged, _Foreign) as error:
                if isinstance(error, sqlite3.DatabaseError) and not is_damage(error):
                    raise
                what = "not an index of this profile" if isinstance(error, _Foreign) else "damaged"
            moved_to = set_aside(path, inode)
            notice = (
                f"{path} was {what}. It was renamed to {moved_to.name}, and a new index is created" if moved_to else ""
            )
            return OpenedDatabase(self._opened()[0], notice)
        except sqlite3.Error as error:
            raise store_error(error, path) from None
        except OSError as error:
            raise StoreError(f"{path} can't be opened: {error.strerror or error}") from None

    def _others_notice(self) -> str:
        """The notice about the indexes of other keys where there is none of this one; removes that of 1.0.0."""
        if not self.key or self.path.exists():
            return ""
        unkeyed = self._without_key
        if unkeyed.exists() and not _is_locked(unkeyed.with_name(f"{unkeyed.name}.lock")):
            for path in self.path.parent.glob(f"{unkeyed.name}*"):
                path.unlink(missing_ok=True)
            return f"{_NO_KEY}. It is deleted and created again"
        return f"{_OTHER_KEY}. A second index is created for the current key" if self.of_all_keys(".db") else ""

    def open_to_read(self) -> sqlite3.Connection:
        """One more connection, which writes nothing; raises sqlite3.Error."""
        connection = _connect(self.path)
        connection.execute("PRAGMA query_only = ON")
        return connection

    def open_to_search(self) -> sqlite3.Connection:
        """One more connection, which writes temporary tables alone; raises sqlite3.Error, also where there is none."""
        return _connect(f"{self.path.absolute().as_uri()}?mode=rw", uri=True)

    def open_existing(self) -> sqlite3.Connection:
        """Open it to look into it alone: nothing is made where there is none, and nothing in it is changed.

        Raises IndexProblem where it must not be used as it is, NoIndex where there is none.
        """
        path = self.path
        if not path.exists():
            if self.key and self._without_key.exists():
                raise IndexProblem(f"{_NO_KEY}; {BUILD_ANEW}")
            if self.of_all_keys(".db"):
                raise IndexProblem(f"{_OTHER_KEY}; create one for the current key with svc-tui index update")
            raise NoIndex(f"there is no index; {BUILD_IT}")
        try:
            check_directory(path)
            connection = _connect(f"{path.absolute().as_uri()}?mode=rw", uri=True)
            try:
                self._check_usable(connection)
                connection.execute("PRAGMA query_only = ON")
                return connection
            except BaseException:
                connection.close()
                raise
        except _Foreign:
            raise IndexProblem(f"the file is not an index of this profile; {BUILD_ANEW}") from None
        except sqlite3.Error as error:
            if is_damage(error):
                raise IndexProblem(f"the index is damaged; {BUILD_ANEW}") from None
            raise index_problem(store_error(error, path), path) from None
        except OSError as error:
            raise IndexProblem(f"{path} can't be opened: {error.strerror or 'unknown reason'}") from None
        except StoreError as error:
            raise IndexProblem(str(error)) from None

    def _check_usable(self, connection: sqlite3.Connection) -> None:
        """That what is in it may be shown: it is this profile's, and holds nothing that is to be left out by now."""
        self._refuse_foreign(connection)
        tables = _tables(connection)
        version = connection.execute("PRAGMA user_version").fetchone()[0]
        if tables and version != VERSION:
            raise IndexProblem(f"the index was created by another version of svc-tui; {BUILD_ANEW}")
        about = dict(connection.execute("SELECT name, value FROM about")) if tables else {}
        if not about:
            raise NoIndex(f"the index is empty; {BUILD_IT}")
        if about.get("masked") != self.about["masked"]:
            raise IndexProblem(f"the masked fields have changed since the index was created; {BUILD_ANEW}")
        if self._is_too_old(connection, float(about["began_at"])):
            raise IndexProblem(
                f"the index is older than {counted(self.rules.days, 'day')} and is no longer used; {BUILD_ANEW}"
            )

    def is_claimed(self) -> bool:
        """Whether a program keeps it up to date at the moment."""
        return _is_locked(self.lock_path)

    def is_any_claimed(self) -> bool:
        """Whether a program keeps it, or that of another key, up to date at the moment."""
        return any(map(_is_locked, self.of_all_keys(".lock")))

    def files(self) -> Sequence[Path]:
        """The files of the indexes of all keys: the index, what lies beside it, and those that were set aside."""
        return [path for path in self.of_all_keys() if path.suffix != ".lock"]

    def remove(self) -> bool:
        """Remove the indexes of all keys, and those that were set aside; gives whether there was any.

        Raises StoreError.
        """
        files = self.files()
        try:
            for path in self.of_all_keys():
                path.unlink(missing_ok=True)
        except OSError as error:
            raise StoreError(f"{self.path} can't be deleted: {error.strerror or error}") from None
        return bool(files)

    def remove_others(self) -> None:
        """Remove the indexes of other keys, but one that a program keeps up to date; raises IndexProblem."""
        for index in self.of_all_keys(".db"):
            if index != self.path and not _is_locked(index.with_name(f"{index.name}.lock")):
                try:
                    for path in index.parent.glob(f"{index.name}*"):
                        path.unlink(missing_ok=True)
                except OSError as error:
                    raise IndexProblem(f"{index} can't be deleted: {error.strerror or error}") from None

    def begin_anew(self, connection: sqlite3.Connection) -> None:
        """Forget all that is in it, and give the room back; raises sqlite3.Error."""
        with transaction(connection):
            self._begin_again(connection)
        _give_back(connection)

    def _opened(self) -> tuple[sqlite3.Connection, str]:
        connection = _connect(self.path)
        try:
            self._refuse_foreign(connection)
            enable_wal(connection)
            # A cache may lose its last lines with the power; it is never broken by that.
            connection.execute("PRAGMA synchronous = NORMAL")
            return connection, self._made_ready(connection)
        except BaseException:
            connection.close()
            raise

    def _refuse_foreign(self, connection: sqlite3.Connection) -> None:
        """Before anything is written: that it is an index, and this service's."""
        if not _tables(connection):
            return
        if connection.execute("PRAGMA application_id").fetchone()[0] != APPLICATION_ID:
            raise _Foreign
        if connection.execute("PRAGMA user_version").fetchone()[0] == VERSION:
            (scope,) = connection.execute("SELECT value FROM about WHERE name = 'scope'").fetchone()
            if scope != self.about["scope"]:
                raise _Foreign

    def _made_ready(self, connection: sqlite3.Connection) -> str:
        """Bring the index to what this program understands; returns the notice about that."""
        with transaction(connection):
            version = connection.execute("PRAGMA user_version").fetchone()[0]
            if not _tables(connection):
                self._begin(connection)
                return ""
            about = dict(connection.execute("SELECT name, value FROM about")) if version == VERSION else {}
            if about and about.get("masked") == self.about["masked"]:
                return self._forget_when_old(connection, float(about["began_at"]))
            self._begin_again(connection)
        # What is to be left out by now stays in no free page.
        _give_back(connection)
        if version != VERSION:
            return "the index was created by another version of svc-tui and is created again"
        return "the masked fields have changed; the index is created again"

    def _forget_when_old(self, connection: sqlite3.Connection, began_at: float) -> str:
        if not self._is_too_old(connection, began_at):
            return ""
        self._begin_again(connection)
        return f"the index was older than {counted(self.rules.days, 'day')} and is created again"

    def _is_too_old(self, connection: sqlite3.Connection, began_at: float) -> bool:
        days = self.rules.days
        latest = connection.execute("SELECT max(completed_at) FROM collections").fetchone()[0] or began_at
        return bool(days) and time.time() - latest > days * _DAY_SECONDS

    def _begin_again(self, connection: sqlite3.Connection) -> None:
        """Drop everything, and create the tables again; numbers of records continue, see `index_schema.TABLES`."""
        numbers = connection.execute("SELECT 1 FROM sqlite_schema WHERE name = 'sqlite_sequence'").fetchone()
        last = connection.execute("SELECT ifnull(max(seq), 0) FROM sqlite_sequence").fetchone()[0] if numbers else 0
        _drop(connection)
        self._begin(connection)
        connection.execute("INSERT INTO sqlite_sequence VALUES ('readings', ?)", (last,))

    def _begin(self, connection: sqlite3.Connection) -> None:
        for statement in TABLES:
            connection.execute(statement)
        about = {**self.about, "began_at": str(time.time())}
        connection.executemany("INSERT INTO about VALUES (?, ?)", about.items())
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        connection.execute(f"PRAGMA user_version = {VERSION}")


def _give_back(connection: sqlite3.Connection) -> None:
    """Make the file as small as what is in it, and overwrite the rest."""
    connection.execute("VACUUM")
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def index_problem(error: StoreError, path: Path) -> IndexProblem:
    """The same of an index, whose path is long and says little; `svc-tui index status` gives it."""
    return IndexProblem(str(error).replace(str(path), "the index", 1))


class _Damaged(Exception):
    """It was found to be damaged when it was used last."""


class _Foreign(Exception):
    """The file is a database of something else."""


def _is_locked(path: Path) -> bool:
    """Whether a program holds the lock of a file."""
    try:
        descriptor = open_file(path, os.O_RDONLY)
    except OSError:
        return False
    try:
        # Shared: two that look never take each other for one that sweeps.
        return not try_lock(descriptor, shared=True)
    except OSError:
        return True
    finally:
        os.close(descriptor)


def _connect(path: Path | str, *, uri: bool = False) -> sqlite3.Connection:
    connection = sqlite3.connect(path, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False, uri=uri)
    connection.execute(f"PRAGMA cache_size = -{_CACHE_KIB}")
    return connection


def _tables(connection: sqlite3.Connection) -> list[str]:
    rows = connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
    return [name for (name,) in rows]


def _drop(connection: sqlite3.Connection) -> None:
    """Drop all views and tables; those behind a table of trigrams go with it."""
    rows = connection.execute("SELECT name FROM sqlite_schema WHERE type = 'view'").fetchall()
    for (name,) in rows:
        connection.execute(f'DROP VIEW "{name}"')
    virtual = connection.execute("SELECT name FROM sqlite_schema WHERE sql LIKE 'CREATE VIRTUAL TABLE%'").fetchall()
    for (name,) in virtual:
        connection.execute(f'DROP TABLE "{name}"')
    for name in _tables(connection):
        connection.execute(f'DROP TABLE "{name}"')
