"""The batches that are under way or were cut short, each kept as it was planned until it is at its end."""

import sqlite3
from datetime import UTC, datetime

from svc_tui.domain.batch import Change, Plan
from svc_tui.domain.draft import ABSENT, Absent
from svc_tui.domain.gateway import Shelf, StoreError
from svc_tui.domain.jsontext import Json, dumps
from svc_tui.store.database import transaction
from svc_tui.store.shelves import place_key, place_of, read_object, shelf_key
from svc_tui.store.worker import Worker


class SqliteBatches:
    """The batches of one shelf; see `domain.gateway.Batches`. Every call raises StoreError."""

    def __init__(self, worker: Worker, shelf: Shelf) -> None:
        self._worker = worker
        self._shelf = shelf_key(shelf)

    async def keep(self, plan: Plan) -> None:
        """Keep a plan in place of the one of the same id; when this returns, it is on the disk."""
        text = dumps(_said(plan), ascii_only=True)
        await self._worker.run(lambda connection: self._keep(connection, plan.id, text))

    async def end(self, batch: str) -> None:
        """Forget a batch that is at its end, or given up."""
        await self._worker.run(lambda connection: self._end(connection, batch))

    async def unfinished(self) -> list[Plan]:
        """Every batch that was cut short, the newest first."""
        return await self._worker.run(self._read)

    def _keep(self, connection: sqlite3.Connection, batch: str, text: str) -> None:
        with transaction(connection):
            connection.execute(
                """
                INSERT INTO batches (id, shelf, made, plan) VALUES (?, ?, ?, ?)
                ON CONFLICT (id) DO UPDATE SET plan = excluded.plan
                """,
                (batch, self._shelf, datetime.now(UTC).isoformat(), text),
            )

    def _end(self, connection: sqlite3.Connection, batch: str) -> None:
        with transaction(connection):
            connection.execute("DELETE FROM batches WHERE id = ? AND shelf = ?", (batch, self._shelf))

    def _read(self, connection: sqlite3.Connection) -> list[Plan]:
        rows = connection.execute("SELECT id, plan FROM batches WHERE shelf = ? ORDER BY made DESC", (self._shelf,))
        return [_plan(batch, text) for batch, text in rows]


def _said(plan: Plan) -> dict[str, Json]:
    return {
        "place": place_key(plan.collection, ""),
        "field": plan.field,
        "ticket": plan.ticket,
        "undoes": plan.undoes,
        "skipped": list(plan.skipped),
        "changes": [_change_said(change) for change in plan.changes],
    }


def _change_said(change: Change) -> dict[str, Json]:
    said: dict[str, Json] = {"id": change.record_id, "name": change.name, "new": change.new}
    return said if isinstance(change.old, Absent) else {**said, "old": change.old}


def _plan(batch: str, text: str) -> Plan:
    match read_object(text):
        case {
            "place": str(place),
            "field": str(field),
            "ticket": str(ticket),
            "undoes": str(undoes),
            "skipped": list(skipped),
            "changes": list(changes),
        }:
            collection, _ = place_of(place)
            ids = tuple(record_id for record_id in skipped if isinstance(record_id, str))
            return Plan(batch, collection, field, tuple(map(_change, changes)), ticket, undoes, ids)
    raise _unreadable()


def _change(said: Json) -> Change:
    if isinstance(said, dict):
        record_id, name = said.get("id"), said.get("name")
        if isinstance(record_id, str) and isinstance(name, str) and "new" in said:
            return Change(record_id, said.get("old", ABSENT), said["new"], name)
    raise _unreadable()


def _unreadable() -> StoreError:
    return StoreError("the store holds a batch that can't be read; move its database away")
