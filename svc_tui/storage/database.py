"""The database file: opened for the user alone, brought to the schema, set aside when it is damaged."""

import logging
import os
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from pathlib import Path

from msgspec import Struct

from svc_tui.platform.files import MAKE_WRITABLE, make_private, open_file, write_problem
from svc_tui.storage.errors import StoreError, StoreUnavailable
from svc_tui.storage.schema import LATE_COLUMNS, SCHEMA

BUSY_SECONDS = 5.0
"""How long a program waits for another that is writing to the same database."""

_MAPPED_BYTES = 2**30
"""How much of a copy is read as memory of the system's, which takes it back when it is short of it."""

_log = logging.getLogger("svc_tui.store")

_DAMAGED = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB})
_UNAVAILABLE = frozenset(
    {
        sqlite3.SQLITE_FULL,
        sqlite3.SQLITE_IOERR,
        sqlite3.SQLITE_READONLY,
        sqlite3.SQLITE_CANTOPEN,
        sqlite3.SQLITE_PERM,
    }
)
_REASONS = {
    sqlite3.SQLITE_BUSY: "is in use by another program; close that program, or try again later",
    sqlite3.SQLITE_LOCKED: "is in use by another program; close that program, or try again later",
    sqlite3.SQLITE_IOERR: "can't be read or written; free disk space or check the disk",
    sqlite3.SQLITE_FULL: "can't grow because the disk is full; free space and try again",
    sqlite3.SQLITE_READONLY: f"is read-only; make it writable with: {MAKE_WRITABLE}",
    sqlite3.SQLITE_CANTOPEN: "can't be opened; check who owns it and its directory",
    sqlite3.SQLITE_PERM: "can't be opened; check who owns it and its directory",
    sqlite3.SQLITE_CORRUPT: "is damaged; restart svc-tui to rename it and create a new one",
    sqlite3.SQLITE_NOTADB: "is damaged; restart svc-tui to rename it and create a new one",
}


class DatabaseLayout(Struct, frozen=True):
    """What a database file holds: `steps` lead from one version of its tables to the next.

    One that is no `copy` of what stands elsewhere too is checked when it is opened, and outlives a power cut.
    `late_columns` (table, column, statement) were added to the newest step after stores had been made with it.
    """

    steps: tuple[tuple[str, ...], ...]
    copy: bool = False
    late_columns: tuple[tuple[str, str, str], ...] = ()

    @property
    def version(self) -> int:
        """What `PRAGMA user_version` says of a file that this program understands."""
        return len(self.steps)


MAIN = DatabaseLayout(SCHEMA, late_columns=LATE_COLUMNS)
"""The journal, drafts, forms and requests."""


class OpenedDatabase(Struct, frozen=True):
    """A connection that is ready for use, and a word for the user about how it came to be ("": nothing to say)."""

    connection: sqlite3.Connection
    notice: str = ""


def open_database(path: Path, layout: DatabaseLayout = MAIN) -> OpenedDatabase:
    """Open the database at `path`, made where there is none; raises StoreError.

    A file that is no sound database is renamed, never deleted, and a new one begun. The connection may be used
    by one thread at a time, in transactions that the caller begins and ends.
    """
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        check_directory(path)
        before = create_private(path)
        try:
            return OpenedDatabase(_connect(path, layout))
        except sqlite3.DatabaseError as error:
            if not is_damage(error):
                raise
        moved_to = set_aside(path, before)
        notice = f"{path} was damaged: it was renamed to {moved_to.name}, and a new one was created" if moved_to else ""
        return OpenedDatabase(_connect(path, layout), notice)
    except sqlite3.Error as error:
        raise store_error(error, path) from None
    except OSError as error:
        reason = error.strerror or error
        raise StoreUnavailable(f"{path} can't be opened: {reason}; check who owns its directory") from None


def check_directory(path: Path) -> None:
    """Refuse a database in a directory that others can write in: they could put another in its place.

    Raises StoreError, or OSError.
    """
    if problem := write_problem(path.parent, path.parent.stat().st_mode):
        raise StoreError(f"{path.parent} {problem}")


def is_damage(error: sqlite3.Error) -> bool:
    """Whether the error says that the file itself is broken, rather than busy, full or out of reach."""
    return _primary_code(error) in _DAMAGED


def store_error(error: sqlite3.Error, path: Path) -> StoreError:
    """The error as one line that says what to do."""
    code = _primary_code(error)
    kind, reason = StoreUnavailable if code in _UNAVAILABLE else StoreError, _REASONS.get(code)
    if reason is None:
        name = getattr(error, "sqlite_errorname", "") or "unknown error"
        return kind(
            f"{path} can't be used ({name}); restart svc-tui; if it happens again, run svc-tui doctor --bundle FILE"
        )
    return kind(f"{path} {reason} {path}" if reason.endswith(MAKE_WRITABLE) else f"{path} {reason}")


@contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[None]:
    """Write alone: others wait from the first statement on, and see all of it or nothing."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
    except BaseException:
        # Some errors (a full disk) end the transaction by themselves.
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")


def _primary_code(error: sqlite3.Error) -> int:
    code: int = getattr(error, "sqlite_errorcode", 0)
    return code & 0xFF


def create_private(path: Path) -> int:
    """Make the file where it is missing, for the user alone; SQLite gives its side files the same mode."""
    descriptor = open_file(path, os.O_RDWR | os.O_CREAT)
    try:
        status = os.fstat(descriptor)
        make_private(path, status)
        return status.st_ino
    finally:
        os.close(descriptor)


def _connect(path: Path, layout: DatabaseLayout) -> sqlite3.Connection:
    connection = sqlite3.connect(path, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False)
    try:
        enable_wal(connection)
        # A journal line must outlive a power cut before its request leaves.
        connection.execute(f"PRAGMA synchronous = {'NORMAL' if layout.copy else 'FULL'}")
        if layout.copy:
            connection.execute(f"PRAGMA mmap_size = {_MAPPED_BYTES}")
        else:
            _check_integrity(connection)
        _upgrade(connection, path, layout)
    except BaseException:
        connection.close()
        raise
    return connection


def enable_wal(connection: sqlite3.Connection) -> None:
    """Switch to a write-ahead log; SQLite does not wait by itself for another program that is just doing the same."""
    patience = time.monotonic() + BUSY_SECONDS
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError as error:
            if _primary_code(error) != sqlite3.SQLITE_BUSY or time.monotonic() > patience:
                raise
            time.sleep(0.01)
        else:
            return


def _check_integrity(connection: sqlite3.Connection) -> None:
    (verdict,) = connection.execute("PRAGMA quick_check(1)").fetchone()
    if verdict != "ok":
        error = sqlite3.DatabaseError(verdict)
        error.sqlite_errorcode = sqlite3.SQLITE_CORRUPT
        raise error


def _upgrade(connection: sqlite3.Connection, path: Path, layout: DatabaseLayout) -> None:
    if _version(connection) == layout.version and not _missing_columns(connection, layout):
        return
    with transaction(connection):
        version = check_version(connection, path, layout)  # again: another program may have been first
        if version == 0 and connection.execute("SELECT 1 FROM sqlite_schema WHERE type = 'table'").fetchone():
            raise StoreError(
                f"{path} has tables but no schema version; restore it from a "
                "backup, or rename the file and restart svc-tui"
            )
        if version and not layout.copy:
            _back_up(path, version)
        for step in layout.steps[version:]:
            for statement in step:
                connection.execute(statement)
        for statement in _missing_columns(connection, layout):
            connection.execute(statement)
        connection.execute(f"PRAGMA user_version = {layout.version}")


def _missing_columns(connection: sqlite3.Connection, layout: DatabaseLayout) -> list[str]:
    """Return the statements that add the late columns which the tables lack."""
    has_column = "SELECT 1 FROM pragma_table_info(?) WHERE name = ?"
    return [
        statement
        for table, column, statement in layout.late_columns
        if connection.execute(has_column, (table, column)).fetchone() is None
    ]


def _back_up(path: Path, version: int) -> None:
    """Copy the database and the end of its journal beside it, before it is upgraded from schema `version`.

    The caller holds the lock for writing, so that nothing changes meanwhile. A copy gets its name once it is complete
    and on the disk, and never the name of an earlier one. Raises OSError, or an error of SQLite's.
    """
    backup = path.with_name(f"{path.name}.schema-{version}")
    number = 1
    while backup.exists():
        number += 1
        backup = path.with_name(f"{path.name}.schema-{version}-{number}")
    partial = path.with_name(f"{path.name}.partial")
    for left in (partial, partial.with_name(f"{partial.name}-journal")):
        left.unlink(missing_ok=True)
    create_private(partial)
    with closing(sqlite3.connect(path)) as source, closing(sqlite3.connect(partial)) as target:
        source.backup(target)
    descriptor = open_file(partial, os.O_RDWR)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
    end = path.with_name(f"{path.name}.end")
    if end.exists():
        end_copy = backup.with_name(f"{backup.name}.end")
        create_private(end_copy)
        end_copy.write_bytes(end.read_bytes())
    partial.rename(backup)
    _log.info("database schema %d was copied to %s before the upgrade", version, backup)


def check_version(connection: sqlite3.Connection, path: Path, layout: DatabaseLayout = MAIN) -> int:
    """The version of the schema, 0 where there are no tables yet; raises StoreError for one that is not known here."""
    version = _version(connection)
    if version > layout.version:
        raise StoreError(
            f"{path} was written by a newer svc-tui (schema {version}, this one supports {layout.version}); "
            "update svc-tui, or rename the file"
        )
    return version


def _version(connection: sqlite3.Connection) -> int:
    version: int = connection.execute("PRAGMA user_version").fetchone()[0]
    return version


def set_aside(path: Path, inode: int) -> Path | None:
    """Rename the database and its side files; None: another program already has."""
    if path.stat().st_ino != inode:
        return None
    stamp = datetime.now(UTC).strftime("%Y%m%dT%H%M%SZ")
    moved_to = path.with_name(f"{path.name}.damaged-{stamp}")
    number = 1
    while moved_to.exists():
        number += 1
        moved_to = path.with_name(f"{path.name}.damaged-{stamp}-{number}")
    for suffix in ("-wal", "-shm", ".end"):
        side = path.with_name(path.name + suffix)
        if side.exists():
            side.rename(moved_to.with_name(moved_to.name + suffix))
    path.rename(moved_to)
    create_private(path)
    return moved_to
