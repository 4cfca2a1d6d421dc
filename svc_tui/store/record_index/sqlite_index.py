"""The index of one service in SQLite: one thread writes it, another looks into it, nobody else waits for either."""

import asyncio
import os
import sqlite3
from collections.abc import AsyncGenerator, Sequence
from datetime import datetime
from functools import partial

from svc_tui.domain.editing.ports import StoreError
from svc_tui.domain.search.record_index import (
    Candidates,
    Conditions,
    IndexedRecord,
    IndexProblem,
    IndexStatus,
    PageReading,
    SingleReading,
    Sweep,
)
from svc_tui.domain.search.seen_changes import SeenChange
from svc_tui.platform.files import open_file
from svc_tui.platform.locks import try_lock
from svc_tui.store.database import store_error
from svc_tui.store.record_index import searching, writing
from svc_tui.store.record_index.connection import IndexConnection
from svc_tui.store.record_index.index_file import IndexFile, index_problem
from svc_tui.store.record_index.views import Answer, answer_query
from svc_tui.store.record_index.writing import IndexWriter

_DAY_SECONDS = 86_400.0


class SqliteRecordIndex:
    """See `domain.search.record_index.RecordIndex`. Opening it blocks, and raises IndexProblem."""

    def __init__(self, file: IndexFile) -> None:
        self._file = file
        self._lock = -1
        try:
            opened = file.open()
        except StoreError as error:
            raise index_problem(error, file.path) from None
        self.notice = opened.notice
        try:
            self._reads = IndexConnection(file.open_to_read(), "svc-tui-index-reads", file)
        except sqlite3.Error as error:
            opened.connection.close()
            raise index_problem(store_error(error, file.path), file.path) from None
        self._writes = IndexConnection(opened.connection, "svc-tui-index-writes", file)
        self._writer = IndexWriter(frozenset(name.casefold() for name in file.rules.masked))

    # What it is asked

    async def status(self) -> IndexStatus:
        """What it holds."""
        return await self._reads.look(searching.read_status)

    async def find(self, conditions: Conditions, before: int | None = None, most: int = 200) -> Candidates:
        """Records that fit the conditions, or nearly; `before` is the `rest` of those given before."""
        return await self._reads.look(lambda db: searching.find(db, conditions, before, most))

    async def listed(self, key: str, most: int, size: int) -> AsyncGenerator[Sequence[IndexedRecord], None]:
        """The records of a collection in the order of its list, at most so many, in parts of `size`."""
        numbers = await self._reads.look(lambda db: searching.listed_numbers(db, key, most))
        for start in range(0, len(numbers), size):
            part = numbers[start : start + size]
            yield await self._reads.look(partial(searching.read_numbers, numbers=part))

    async def changes(
        self, since: datetime, key: str = "", record_id: str = "", most: int = 10_000
    ) -> Sequence[SeenChange]:
        """What others changed, of all records or one, found since then, the newest first, at most so many."""
        return await self._reads.look(lambda db: searching.read_changes(db, since.timestamp(), key, record_id, most))

    async def query(self, statement: str) -> Answer:
        """What a SELECT over the views of the collections gives; raises IndexProblem for anything else."""
        return await self._reads.look(lambda db: answer_query(db, statement))

    # What it is told

    async def add_page(self, reading: PageReading, sweep: Sweep | None = None) -> None:
        """Take in a page that was read, in a sweep or besides."""
        await self._writes.run(lambda db: self._writer.add_page(db, reading, sweep))

    async def add_record(self, reading: SingleReading) -> None:
        """Take in a record that was read by itself."""
        await self._writes.run(lambda db: self._writer.add_record(db, reading))

    async def expect_own(self, key: str, record_id: str, at: datetime) -> None:
        """The user has written to a record: what the next reading of it shows is no change of somebody else."""
        await self._writes.run(lambda _: self._writer.own.update({(key, record_id): at.timestamp()}))

    async def begin_sweep(self, key: str, page_size: int) -> Sweep:
        """Begin to read a collection to its end, or go on where that was left with pages of `page_size` or fewer."""
        return await self._writes.run(lambda db: writing.begin_sweep(db, key, page_size))

    async def unseen(self, sweep: Sweep) -> Sequence[str]:
        """The ids of the records that a sweep has not met, and an earlier one had."""
        return await self._writes.run(lambda db: writing.unseen(db, sweep))

    async def end_sweep(self, sweep: Sweep, ended_at: datetime, total: int | None) -> None:
        """The collection was read to its end."""
        days = self._file.rules.days
        oldest = ended_at.timestamp() - days * _DAY_SECONDS if days else 0.0
        await self._writes.run(lambda db: writing.end_sweep(db, sweep, ended_at, total, oldest))

    async def fail_sweep(self, key: str, problem: str) -> None:
        """The collection can't be read to its end; the sweep goes on another time."""
        await self._writes.run(lambda db: writing.fail_sweep(db, key, problem))

    async def clear(self) -> None:
        """Forget all records and changes, the indexes of other keys too."""
        await self._writes.run(self._file.begin_anew)
        await asyncio.to_thread(self._file.remove_others)

    def claim(self) -> bool:
        """Be the one program that sweeps; gives whether no other is. The system lets go of it with the program."""
        if self._lock >= 0:
            return True
        try:
            descriptor = open_file(self._file.lock_path, os.O_RDWR | os.O_CREAT)
        except OSError as error:
            raise IndexProblem(f"{self._file.lock_path} can't be opened: {error.strerror or error}") from None
        try:
            claimed = try_lock(descriptor)
        except OSError:
            claimed = False
        if claimed:
            self._lock = descriptor
        else:
            os.close(descriptor)
        return claimed

    async def aclose(self) -> None:
        """Close it once what was handed over is done; may be called again."""
        if self._lock >= 0:
            os.close(self._lock)
            self._lock = -1
        self._reads.interrupt()
        await self._reads.aclose()
        await self._writes.aclose()
