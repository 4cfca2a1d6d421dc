"""The batches that are under way or were cut short, each kept as it was planned until it is at its end."""

from __future__ import annotations

import sqlite3
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from svc_tui.domain.editing.ports import StorageScope, StoreError, UnfinishedBatch
from svc_tui.store.database import transaction
from svc_tui.store.database_thread import DatabaseThread
from svc_tui.store.process_lock import ProcessLock
from svc_tui.store.row_values import scope_key

if TYPE_CHECKING:
    from svc_tui.domain.editing.batch import BatchPlan


class SqliteBatches:
    """The batches of one scope; see `domain.editing.ports.BatchStore`. Every call raises StoreError."""

    def __init__(self, worker: DatabaseThread, scope: StorageScope, presence: ProcessLock) -> None:
        self._database = worker
        self._process_lock = presence
        self._scope = scope_key(scope)

    async def keep(self, plan: BatchPlan) -> None:
        """Keep a new plan, or one of this program's in place of it; when this returns, it is on the disk."""
        from svc_tui.store.batch_rows import BATCH_PLAN

        text = BATCH_PLAN.text(plan)
        await self._database.run(lambda connection: self._keep(connection, plan.id, text))

    async def take(self, batch: str) -> BatchPlan | None:
        """Make a batch this program's own; None where another one is at it, or it is at its end."""
        return await self._database.run(lambda connection: self._take(connection, batch))

    async def let_go(self, batch: str) -> None:
        """Leave a batch to whichever program takes it."""
        await self._database.run(lambda connection: self._let_go(connection, batch))

    async def end(self, batch: str) -> None:
        """Forget a batch of this program's that is at its end, or given up."""
        await self._database.run(lambda connection: self._end(connection, batch))

    async def unfinished(self) -> list[UnfinishedBatch]:
        """Every batch that is under way or was cut short, the newest first."""
        return await self._database.run(self._read)

    def _keep(self, connection: sqlite3.Connection, batch: str, text: str) -> None:
        with transaction(connection):
            written = connection.execute(
                """
                INSERT INTO batches (id, shelf, made, plan, owner) VALUES (?, ?, ?, ?, ?)
                ON CONFLICT (id) DO UPDATE SET plan = excluded.plan WHERE owner = excluded.owner
                """,
                (batch, self._scope, datetime.now(UTC).isoformat(), text, self._process_lock.name),
            )
            if not written.rowcount:
                raise StoreError("the batch is no longer this program's; Resume batch in the palette takes it up")

    def _take(self, connection: sqlite3.Connection, batch: str) -> BatchPlan | None:
        with transaction(connection):
            row = connection.execute(
                "SELECT plan, owner FROM batches WHERE id = ? AND shelf = ?", (batch, self._scope)
            ).fetchone()
            if row is None or self._elsewhere(row[1]):
                return None
            connection.execute("UPDATE batches SET owner = ? WHERE id = ?", (self._process_lock.name, batch))
        return _read_plan(batch, row[0])

    def _let_go(self, connection: sqlite3.Connection, batch: str) -> None:
        with transaction(connection):
            connection.execute(
                "UPDATE batches SET owner = '' WHERE id = ? AND owner = ?", (batch, self._process_lock.name)
            )

    def _end(self, connection: sqlite3.Connection, batch: str) -> None:
        with transaction(connection):
            connection.execute("DELETE FROM batches WHERE id = ? AND owner = ?", (batch, self._process_lock.name))

    def _read(self, connection: sqlite3.Connection) -> list[UnfinishedBatch]:
        rows = connection.execute(
            "SELECT id, plan, owner FROM batches WHERE shelf = ? ORDER BY made DESC", (self._scope,)
        )
        return [UnfinishedBatch(_read_plan(batch, text), self._elsewhere(owner)) for batch, text, owner in rows]

    def _elsewhere(self, owner: str) -> bool:
        return owner != self._process_lock.name and self._process_lock.is_alive(owner)


def _read_plan(batch: str, text: str) -> BatchPlan:
    # What plans are made of is loaded with the first one: at the start there mostly is none.
    from svc_tui.store.batch_rows import BATCH_PLAN

    return BATCH_PLAN.read_text(text, id=batch)
