"""An index that is only looked into: nothing is made where there is none, and whoever keeps it is not disturbed."""

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from sqlite3 import Cursor

from svc_tui.domain.search.record_index import Candidates, Conditions, IndexStatus
from svc_tui.domain.search.seen_changes import SeenChange
from svc_tui.store.record_index import searching
from svc_tui.store.record_index.connection import IndexConnection
from svc_tui.store.record_index.index_file import IndexFile
from svc_tui.store.record_index.views import begin_query, column_names, fetch_rows

_ROWS_AT_ONCE = 200
"""Rows of an answer that are held at a time."""


@dataclass(frozen=True, slots=True)
class QueryAnswer:
    """What a SELECT gives: the names of its columns, and some rows at a time."""

    columns: Sequence[str]
    connection: IndexConnection
    cursor: Cursor

    async def batches(self) -> AsyncIterator[Sequence[Sequence[object]]]:
        """The rows, some at a time; raises IndexProblem."""
        while rows := await self.connection.look(lambda _: fetch_rows(self.cursor, _ROWS_AT_ONCE)):
            yield rows


class IndexReader:
    """The index in a file. Opening it blocks; it and every call may raise IndexProblem, NoIndex where there is none."""

    def __init__(self, file: IndexFile) -> None:
        self._reads = IndexConnection(file.open_existing(), "svc-tui-index-reads", file)

    async def status(self) -> IndexStatus:
        """What it holds."""
        return await self._reads.look(searching.read_status)

    async def find(self, conditions: Conditions, before: int | None = None, most: int = 200) -> Candidates:
        """Records that fit the conditions, or nearly; `before` is the `rest` of those given before."""
        return await self._reads.look(lambda db: searching.find(db, conditions, before, most))

    async def changes(self, since: datetime) -> Sequence[SeenChange]:
        """What others changed, found since then, the newest first."""
        return await self._reads.look(lambda db: searching.read_changes(db, since.timestamp(), "", ""))

    async def query(self, statement: str) -> QueryAnswer:
        """What a SELECT over the views of the collections gives; raises IndexProblem for anything else."""

        cursor = await self._reads.look(lambda db: begin_query(db, statement))
        return QueryAnswer(column_names(cursor), self._reads, cursor)

    async def aclose(self) -> None:
        """Close it."""
        self._reads.interrupt()
        await self._reads.aclose()
