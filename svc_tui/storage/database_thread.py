"""The one thread that uses the database, so that the event loop never waits for a disk."""

import asyncio
import sqlite3
from collections.abc import Callable, Coroutine
from concurrent.futures import Future, ThreadPoolExecutor
from functools import wraps
from pathlib import Path
from typing import Any, Concatenate, ParamSpec, Protocol, TypeVar

from svc_tui.storage.database import MAIN, DatabaseLayout, OpenedDatabase, open_database, store_error
from svc_tui.storage.errors import StoreError

T = TypeVar("T")
P = ParamSpec("P")


class WorkRunner(Protocol):
    """Runs work on a connection in a thread of its own."""

    async def run(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """Run `work` on the thread, to its end even if the caller is cancelled."""


class HasDatabase(Protocol):
    """An object whose methods run on the thread of its database; see `on_thread`."""

    @property
    def _database(self) -> WorkRunner: ...


S = TypeVar("S", bound=HasDatabase)


def on_thread(
    method: Callable[Concatenate[S, sqlite3.Connection, P], T],
) -> Callable[Concatenate[S, P], Coroutine[Any, Any, T]]:
    """Make a coroutine method of one that takes a connection: it runs on the thread of the object's database."""

    @wraps(method)
    async def run(self: S, /, *args: P.args, **kwargs: P.kwargs) -> T:
        return await self._database.run(lambda connection: method(self, connection, *args, **kwargs))

    return run


class DatabaseThread:
    """Runs work on the connection, in the order in which it was submitted."""

    def __init__(self, path: Path, layout: DatabaseLayout = MAIN) -> None:
        """Open the database at `path` and wait until it is open; raises StoreError."""
        self.path = path
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="svc-tui-store")
        try:
            opened: OpenedDatabase = self._thread.submit(open_database, path, layout).result()
        except BaseException:
            self._thread.shutdown()
            raise
        self._connection = opened.connection
        self.notice = opened.notice

    def now(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """Run `work` and block until it is done, before the event loop runs; raises StoreError."""
        return self._submit(work).result()

    async def run(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """Run `work` on the thread; raises StoreError. Submitted work is done even if the caller is cancelled."""
        return await asyncio.shield(asyncio.wrap_future(self._submit(work)))

    def close(self) -> None:
        """Close the database and block until it is closed, before the event loop runs."""
        self.now(sqlite3.Connection.close)
        self._thread.shutdown()

    async def aclose(self) -> None:
        """Close the database after all submitted work is done."""
        try:
            await self.run(sqlite3.Connection.close)
        finally:
            self._thread.shutdown(wait=False)

    def _submit(self, work: Callable[[sqlite3.Connection], T]) -> Future[T]:
        try:
            return self._thread.submit(self._do, work)
        except RuntimeError:
            raise StoreError(f"{self.path} was closed; restart svc-tui") from None

    def _do(self, work: Callable[[sqlite3.Connection], T]) -> T:
        try:
            return work(self._connection)
        except sqlite3.Error as error:
            raise store_error(error, self.path) from None
