"""Where the journal ends, kept a second time beside its database: a hash chain alone can't tell that its end is gone.

The end that is kept is a line that must be there. It may be behind the journal by a line (a kill between the two),
never ahead of it. Where the journal does not hold it any more, it stays as it is until the user accepts the journal.
"""

import logging
import os
import sqlite3
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path

from svc_tui.core.jsontext import Number, dumps, loads, number
from svc_tui.storage.database import BUSY_SECONDS, check_directory, open_database, store_error, transaction
from svc_tui.storage.errors import StoreError
from svc_tui.storage.journal_entries import EndDifference, EndProblem, JournalEnd
from svc_tui.storage.schema import FIRST_PRUNING_VERSION

GENESIS_HASH = "0" * 64
"""What stands for the hash of the line before the first."""

_ANCHORED = 0x53564A45
"""The database's `application_id` from the first end that was kept on: a file that is gone is then missed."""

_log = logging.getLogger("svc_tui.store")


class JournalEndFile:
    """The file that holds the end of the journal in the database at `database`; used on the database's thread."""

    def __init__(self, database: Path) -> None:
        self.path = database.with_name(f"{database.name}.end")

    def read(self) -> JournalEnd | None:
        """The end that is kept, None where there is no file; raises StoreError."""
        try:
            return read_end(self.path.read_text("ascii"))
        except FileNotFoundError:
            return None
        except (OSError, ValueError):
            raise StoreError(
                f"{self.path} (the number and hash of the last entry of the journal) can't be read"
            ) from None

    def advance(self, connection: sqlite3.Connection) -> None:
        """Keep the last line of the journal as its end, unless the end that is kept is not in the journal."""
        try:
            with transaction(connection):
                kept = self.read()
                if _problem(connection, kept) is None:
                    self._keep(connection, last_pruned(connection)[0])
        except (StoreError, OSError, sqlite3.Error) as error:
            # The write itself is journalled; an end that is not kept on is an older one, which is still true.
            _log.warning("the last entry of the journal (number and hash) can't be saved: %s", error)

    def prune(self, connection: sqlite3.Connection, line: int) -> None:
        """Note that the lines up to `line` are about to be pruned; raises StoreError."""
        kept = self.read()
        if _problem(connection, kept) is None:
            try:
                self._keep(connection, line)
            except OSError as error:
                raise StoreError(f"{self.path} can't be written: {error.strerror}") from None

    def accept(self, connection: sqlite3.Connection) -> JournalEnd:
        """Keep the journal's end as it is now, whatever was kept before; raises OSError."""
        with transaction(connection):
            return self._keep(connection, last_pruned(connection)[0])

    def _keep(self, connection: sqlite3.Connection, pruned: int) -> JournalEnd:
        line, seal = last_line(connection)
        end = JournalEnd(line, seal, pruned)
        # What is behind a link is replaced: the link stays one.
        goal = Path(os.path.realpath(self.path))
        descriptor, temporary = tempfile.mkstemp(prefix=f".{goal.name}.", dir=goal.parent)
        try:
            with os.fdopen(descriptor, "w", encoding="ascii") as file:
                file.write(end_text(end))
            Path(temporary).replace(goal)
        except BaseException:
            Path(temporary).unlink(missing_ok=True)
            raise
        if not _is_anchored(connection):
            connection.execute(f"PRAGMA application_id = {_ANCHORED}")
        return end


def end_text(end: JournalEnd) -> str:
    """The end as one line of text."""
    return dumps({"number": number(end.number), "hash": end.hash, "pruned": number(end.pruned)}, ascii_only=True)


def read_end(text: str) -> JournalEnd:
    """The end that `end_text` wrote; raises ValueError."""
    value = loads(text)
    if not isinstance(value, Mapping):
        raise ValueError("not an object")
    line, seal, pruned = (value.get(name) for name in ("number", "hash", "pruned"))
    if not (isinstance(line, Number) and isinstance(seal, str) and isinstance(pruned, Number)):
        raise ValueError("not valid")
    return JournalEnd(int(str(line)), seal, int(str(pruned)))


def end_difference(
    connection: sqlite3.Connection, file: JournalEndFile, elsewhere: Mapping[str, JournalEnd]
) -> EndDifference | None:
    """How the journal differs from its end in the file, and in the other places, which are named; raises StoreError."""
    kept = file.read()
    for place, end in ((str(file.path), kept), *elsewhere.items()):
        if (problem := _problem(connection, end)) is not None:
            return EndDifference(problem, place, end.number if end else 0)
    return None


def check_end(database: Path, elsewhere: Mapping[str, JournalEnd]) -> EndDifference | None:
    """The same of the database at a path, without changing anything there; raises StoreError."""
    file = JournalEndFile(database)
    if not database.exists():
        for place, end in ((str(file.path), file.read()), *elsewhere.items()):
            if end is not None and end.number:
                return EndDifference(EndProblem.LOST, place, end.number)
        return None
    with reading(database) as connection:
        return end_difference(connection, file, elsewhere)


@contextmanager
def reading(database: Path) -> Iterator[sqlite3.Connection]:
    """A connection that can only read; raises StoreError."""
    try:
        check_directory(database)
        uri = f"{database.absolute().as_uri()}?mode=ro"
        with closing(sqlite3.connect(uri, uri=True, timeout=BUSY_SECONDS)) as connection:
            yield connection
    except sqlite3.Error as error:
        raise store_error(error, database) from None
    except OSError as error:
        raise StoreError(f"{database.parent} can't be read: {error.strerror}") from None


def accept_journal(database: Path) -> JournalEnd | None:
    """Take the journal as it is from now on; None where there is no database. Raises StoreError."""
    file = JournalEndFile(database)
    if not database.exists():
        file.path.unlink(missing_ok=True)
        return None
    with closing(open_database(database).connection) as connection:
        try:
            return file.accept(connection)
        except OSError as error:
            raise StoreError(f"{file.path} can't be written: {error.strerror}") from None
        except sqlite3.Error as error:
            raise store_error(error, database) from None


def current_end(database: Path) -> JournalEnd | None:
    """The journal's last line; None where there is no database. Raises StoreError."""
    if not database.exists():
        return None
    with reading(database) as connection:
        return JournalEnd(*last_line(connection), last_pruned(connection)[0])


def last_line(connection: sqlite3.Connection) -> tuple[int, str]:
    """Number and hash of the line that the next one follows."""
    row: tuple[int, str] | None = connection.execute(
        "SELECT number, hash FROM journal ORDER BY number DESC LIMIT 1"
    ).fetchone()
    return row or last_pruned(connection)


def last_pruned(connection: sqlite3.Connection) -> tuple[int, str]:
    """Number and hash of the last line that was pruned; those of the line before the first where none was."""
    if connection.execute("PRAGMA user_version").fetchone()[0] < FIRST_PRUNING_VERSION:
        return 0, GENESIS_HASH
    row: tuple[int, str] | None = connection.execute(
        "SELECT number, hash FROM pruned ORDER BY number DESC LIMIT 1"
    ).fetchone()
    return row or (0, GENESIS_HASH)


def _problem(connection: sqlite3.Connection, end: JournalEnd | None) -> EndProblem | None:
    """What the journal does not hold of an end that was kept; None end: the file's, which is not there."""
    if end is None:
        return EndProblem.FORGOTTEN if _is_anchored(connection) else None
    pruned, _ = last_pruned(connection)
    if pruned > end.pruned:
        return EndProblem.PRUNED
    if end.number <= pruned:
        return None
    row = connection.execute("SELECT hash FROM journal WHERE number = ?", (end.number,)).fetchone()
    if row is None:
        return EndProblem.LOST
    return None if row[0] == end.hash else EndProblem.CHANGED


def _is_anchored(connection: sqlite3.Connection) -> bool:
    return bool(connection.execute("PRAGMA application_id").fetchone()[0] == _ANCHORED)
