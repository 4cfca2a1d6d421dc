"""A connection to an index and the thread that uses it, so that the event loop never waits for a disk."""

import asyncio
import sqlite3
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from threading import Event
from typing import TypeVar

from svc_tui.storage.record_index.index_file import IndexFile
from svc_tui.storage.record_index.index_values import IndexProblem

T = TypeVar("T")

_STEPS = 100_000
"""Steps of SQLite's virtual machine, a few milliseconds, between checks for a cancelled caller."""


class IndexConnection:
    """A connection to the index and the thread that uses it."""

    def __init__(self, connection: sqlite3.Connection, name: str, file: IndexFile) -> None:
        self._connection, self._file = connection, file
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix=name)
        self._closed = False

    async def run(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """Run `work` on the thread, to its end even if the caller is cancelled."""
        future = self._submit(partial(self._do, work))
        return await asyncio.shield(asyncio.wrap_future(future))

    async def look(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """Run `work`, which only reads, on the thread; it is interrupted if the caller is cancelled."""
        given_up = Event()
        future = self._submit(partial(self._look, work, given_up))
        try:
            return await asyncio.wrap_future(future)
        except asyncio.CancelledError:
            # The next call must not wait for this one.
            given_up.set()
            self.interrupt()
            raise

    def interrupt(self) -> None:
        """Interrupt the running statement."""
        if not self._closed:
            self._connection.interrupt()

    async def aclose(self) -> None:
        """Close the connection after all submitted work."""
        if self._closed:
            return
        self._closed = True
        closing = self._thread.submit(self._connection.close)
        self._thread.shutdown(wait=False)
        await asyncio.shield(asyncio.wrap_future(closing))

    def _submit(self, work: Callable[[], T]) -> Future[T]:
        if self._closed:
            raise IndexProblem("the index is closed")
        return self._thread.submit(work)

    def _look(self, work: Callable[[sqlite3.Connection], T], given_up: Event) -> T:
        # An interrupt between two statements would hit neither of them.
        self._connection.set_progress_handler(lambda: given_up.is_set() or self._closed, _STEPS)
        while True:
            try:
                return work(self._connection)
            except sqlite3.OperationalError as error:
                # The interrupted work may have ended just before: then the interrupt hits the next.
                if error.sqlite_errorcode != sqlite3.SQLITE_INTERRUPT or given_up.is_set() or self._closed:
                    raise self._file.problem(error) from None
            except sqlite3.Error as error:
                raise self._file.problem(error) from None

    def _do(self, work: Callable[[sqlite3.Connection], T]) -> T:
        try:
            return work(self._connection)
        except sqlite3.Error as error:
            raise self._file.problem(error) from None
