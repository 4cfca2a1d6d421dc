"""The state of a service's data under a name, to come back to: records as changed, and stored answers."""

from collections.abc import Iterator
from contextlib import contextmanager
from sqlite3 import Connection

from svc_tui.sandbox.data.store import SandboxStore

_KEPT = {"changes": "kept_changes", "answers": "kept_answers"}
"""The tables that make up the data, and those that hold them as they were."""


def take_snapshot(store: SandboxStore, name: str) -> None:
    """Keeps the data as it is now, in place of what was kept under this name; it lasts as long as the data does."""
    with store.database.transaction() as connection:
        _forget(connection, name)
        connection.execute("INSERT INTO snapshots (name) VALUES (?)", (name,))
        for table, kept in _KEPT.items():
            connection.execute(f"INSERT INTO {kept} SELECT ?, * FROM {table}", (name,))  # noqa: S608


def restore_snapshot(store: SandboxStore, name: str) -> None:
    """Makes the data what it was under this name, which must be one of `snapshot_names`."""
    with _emptied(store) as connection:
        for table, kept in _KEPT.items():
            columns = ", ".join(row[1] for row in connection.execute(f"PRAGMA table_info({table})"))
            connection.execute(f"INSERT INTO {table} SELECT {columns} FROM {kept} WHERE snapshot = ?", (name,))  # noqa: S608


def snapshot_names(store: SandboxStore) -> list[str]:
    """The names under which data is kept, in their order."""
    with store.database.reading() as connection:
        return [name for (name,) in connection.execute("SELECT name FROM snapshots ORDER BY name")]


def reset_data(store: SandboxStore) -> None:
    """Makes the data what it was when it was new; snapshots stay."""
    with _emptied(store):
        pass


@contextmanager
def _emptied(store: SandboxStore) -> Iterator[Connection]:
    """A transaction that begins with the data gone."""
    with store.database.transaction() as connection:
        for table in _KEPT:
            connection.execute(f"DELETE FROM {table}")  # noqa: S608
        yield connection
        # Before anyone else may look: what was counted in memory is of the data as it was.
        store.records.reset_counts()


def _forget(connection: Connection, name: str) -> None:
    connection.execute("DELETE FROM snapshots WHERE name = ?", (name,))
    for kept in _KEPT.values():
        connection.execute(f"DELETE FROM {kept} WHERE snapshot = ?", (name,))  # noqa: S608
