"""The index of one service in SQLite: one thread writes it, another reads it, and the event loop waits for neither."""

import asyncio
import os
import sqlite3
from collections.abc import AsyncGenerator, Sequence
from datetime import datetime
from functools import partial

from svc_tui.platform.files import open_file
from svc_tui.platform.locks import try_lock
from svc_tui.storage.database import transaction
from svc_tui.storage.database_thread import on_thread
from svc_tui.storage.errors import StoreError
from svc_tui.storage.record_index import contents
from svc_tui.storage.record_index.index_connection import IndexConnection
from svc_tui.storage.record_index.index_file import IndexFile, index_problem
from svc_tui.storage.record_index.index_values import (
    IndexedRecord,
    IndexProblem,
    IndexStatus,
    PageReading,
    SingleReading,
    Sweep,
)
from svc_tui.storage.record_index.indexed_records import IndexedRecords
from svc_tui.storage.record_index.seen_changes import SeenChange
from svc_tui.storage.record_index.sql_views import SqlResult, answer_query
from svc_tui.storage.record_index.writing import IndexWriter, StoredCollection

_DAY_SECONDS = 86_400.0


class RecordIndex:
    """Index of one profile, environment and base URL. Every call may raise IndexProblem; opening it blocks."""

    def __init__(self, file: IndexFile) -> None:
        self._file = file
        self._lock = -1
        try:
            opened = file.open()
        except StoreError as error:
            raise index_problem(error, file.path) from None
        self.notice = opened.notice
        connections = [opened.connection]
        try:
            connections += [file.open_to_read()]
            connections += [file.open_to_search()]
        except sqlite3.Error as error:
            for connection in connections:
                connection.close()
            raise file.problem(error) from None
        writes, reads, searches = connections
        self._reads = IndexConnection(reads, "svc-tui-index-reads", file)
        self.records = IndexedRecords(file, searches)
        self._database = IndexConnection(writes, "svc-tui-index-writes", file)
        self._writer = IndexWriter(frozenset(name.casefold() for name in file.rules.masked))

    # Reading

    async def status(self) -> IndexStatus:
        """Return the status of the index: its collections, size and age."""
        return await self._reads.look(contents.read_status)

    async def listed(self, key: str, most: int, size: int) -> AsyncGenerator[Sequence[IndexedRecord], None]:
        """Yield the records of a collection in the order of its list, at most `most`, in parts of `size`."""
        numbers = await self._reads.look(lambda db: contents.listed_numbers(db, key, most))
        for start in range(0, len(numbers), size):
            part = numbers[start : start + size]
            yield await self._reads.look(partial(contents.read_numbers, numbers=part))

    async def changes(
        self, since: datetime, key: str = "", record_id: str = "", most: int = 10_000
    ) -> Sequence[SeenChange]:
        """Return changes by others found since then, of all records or one, the newest first, at most `most`."""
        return await self._reads.look(lambda db: contents.read_changes(db, since.timestamp(), key, record_id, most))

    async def query(self, statement: str) -> SqlResult:
        """Return the result of a SELECT over the views of the collections; raises IndexProblem for anything else."""
        return await self._reads.look(lambda db: answer_query(db, statement))

    # Writing

    @on_thread
    def add_page(self, connection: sqlite3.Connection, reading: PageReading, sweep: Sweep | None = None) -> None:
        """Add the records of a page that was read, in a sweep or not."""
        self._writer.add_page(connection, reading, sweep)

    @on_thread
    def add_record(self, connection: sqlite3.Connection, reading: SingleReading) -> None:
        """Add a record that was read by itself."""
        self._writer.add_record(connection, reading)

    @on_thread
    def expect_own(self, _connection: sqlite3.Connection, key: str, record_id: str, at: datetime) -> None:
        """Note that the user has written to a record: what its next reading shows is no change by others."""
        self._writer.own[key, record_id] = at.timestamp()

    @on_thread
    def begin_sweep(self, connection: sqlite3.Connection, key: str, page_size: int) -> Sweep:
        """Begin to read a collection to its end, or go on where that was left with pages of `page_size` or fewer."""
        with transaction(connection):
            collection = StoredCollection.of(connection, key)
            if collection.next_page is not None and 0 < collection.page_size <= page_size:
                return Sweep(key, collection.sweep, collection.next_page, collection.page_size)
            connection.execute(
                "UPDATE collections SET sweep = sweep + 1, next_page = 1, page_size = 0, without_id = 0, "
                "repeated_ids = 0, problem = '' WHERE number = ?",
                (collection.number,),
            )
            return Sweep(key, collection.sweep + 1)

    @on_thread
    def unseen(self, connection: sqlite3.Connection, sweep: Sweep) -> Sequence[str]:
        """Return the ids of the records that a sweep has not met, and an earlier one had."""
        rows = connection.execute(
            "SELECT identity FROM records JOIN readings USING (number) JOIN collections ON "
            "collections.number = records.collection WHERE collections.key = ? AND readings.sweep < ? "
            # Those first that were not asked for since.
            "ORDER BY readings.read_at",
            (sweep.key, sweep.number),
        )
        return [record_id for (record_id,) in rows]

    @on_thread
    def end_sweep(self, connection: sqlite3.Connection, sweep: Sweep, ended_at: datetime, total: int | None) -> None:
        """Note that the collection was read to its end, and delete changes that are too old."""
        days = self._file.rules.days
        oldest_change = ended_at.timestamp() - days * _DAY_SECONDS if days else 0.0
        with transaction(connection):
            connection.execute(
                "UPDATE collections SET completed_at = ?, next_page = NULL, total = coalesce(?, total), problem = '' "
                "WHERE key = ? AND sweep = ?",
                (ended_at.timestamp(), total, sweep.key, sweep.number),
            )
            connection.execute("DELETE FROM changes WHERE read_after < ?", (oldest_change,))

    @on_thread
    def fail_sweep(self, connection: sqlite3.Connection, key: str, problem: str) -> None:
        """Note that the collection can't be read to its end for now; the sweep goes on another time."""
        with transaction(connection):
            collection = StoredCollection.of(connection, key)
            connection.execute("UPDATE collections SET problem = ? WHERE number = ?", (problem, collection.number))

    async def clear(self) -> None:
        """Delete all records and changes, and the indexes of other keys."""
        await self._database.run(self._file.begin_anew)
        await asyncio.to_thread(self._file.remove_others)

    def claim(self) -> bool:
        """Become the one program that sweeps; return False if another is. The lock ends with the process."""
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
        """Close the index after all submitted work is done; may be called again."""
        if self._lock >= 0:
            os.close(self._lock)
            self._lock = -1
        self.records.close()
        self._reads.interrupt()
        await self._reads.aclose()
        await self._database.aclose()
