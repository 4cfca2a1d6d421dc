"""The one thread that touches the database, so that nobody on the event loop waits for a disk."""

import asyncio
import sqlite3
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import TypeVar

from svc_tui.domain.editing.ports import StoreError
from svc_tui.store.database import MAIN, DatabaseLayout, OpenedDatabase, open_database, store_error

T = TypeVar("T")


class DatabaseThread:
    """Runs pieces of work on the connection, in the order in which they were given."""

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
        """Run `work` and wait for it here, for the time before the event loop runs; raises StoreError."""
        return self._submit(work).result()

    async def run(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """Run `work` on the thread; raises StoreError. Work that was handed over is done even if the caller is gone."""
        return await asyncio.shield(asyncio.wrap_future(self._submit(work)))

    def close(self) -> None:
        """Close the database at once, for the time before the event loop runs."""
        self.now(sqlite3.Connection.close)
        self._thread.shutdown()

    async def aclose(self) -> None:
        """Close the database after everything that was handed over is done."""
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
