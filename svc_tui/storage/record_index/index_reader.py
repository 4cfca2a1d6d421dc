"""An index that is only read: none is created, and the program that updates it is not disturbed."""

import sqlite3
from collections.abc import AsyncIterator, Sequence
from datetime import datetime
from sqlite3 import Cursor

from msgspec import Struct

from svc_tui.storage.record_index import contents
from svc_tui.storage.record_index.index_connection import IndexConnection
from svc_tui.storage.record_index.index_file import IndexFile
from svc_tui.storage.record_index.index_values import IndexStatus
from svc_tui.storage.record_index.indexed_records import IndexedRecords
from svc_tui.storage.record_index.seen_changes import SeenChange
from svc_tui.storage.record_index.sql_views import begin_query, column_names, fetch_rows

_ROWS_AT_ONCE = 200
"""Rows of a result that are in memory at a time."""


class QueryAnswer(Struct, frozen=True):
    """The result of a SELECT: the names of its columns, and some rows at a time."""

    columns: Sequence[str]
    connection: IndexConnection
    cursor: Cursor

    async def batches(self) -> AsyncIterator[Sequence[Sequence[object]]]:
        """Yield the rows, some at a time; raises IndexProblem."""
        while rows := await self.connection.look(lambda _: fetch_rows(self.cursor, _ROWS_AT_ONCE)):
            yield rows


class IndexReader:
    """The index in a file. Opening it blocks; it and every call may raise IndexProblem, NoIndex where there is none."""

    def __init__(self, file: IndexFile) -> None:
        existing = file.open_existing()
        try:
            self.records = IndexedRecords(file, file.open_to_search())
        except sqlite3.Error as error:
            existing.close()
            raise file.problem(error) from None
        self._reads = IndexConnection(existing, "svc-tui-index-reads", file)

    async def status(self) -> IndexStatus:
        """Return the status of the index: its collections, size and age."""
        return await self._reads.look(contents.read_status)

    async def changes(self, since: datetime) -> Sequence[SeenChange]:
        """Return changes by others found since then, the newest first."""
        return await self._reads.look(lambda db: contents.read_changes(db, since.timestamp(), "", ""))

    async def query(self, statement: str) -> QueryAnswer:
        """Return the result of a SELECT over the views of the collections; raises IndexProblem for anything else."""
        cursor = await self._reads.look(lambda db: begin_query(db, statement))
        return QueryAnswer(column_names(cursor), self._reads, cursor)

    async def aclose(self) -> None:
        """Close the index."""
        self.records.close()
        self._reads.interrupt()
        await self._reads.aclose()
