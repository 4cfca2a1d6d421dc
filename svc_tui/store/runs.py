"""The plans that are or were carried out, each kept as it was agreed to until it is at its end."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from svc_tui.domain.editing.ports import StorageScope, StoreError
from svc_tui.domain.plans.ports import Run, RunCounts
from svc_tui.store.database import transaction
from svc_tui.store.database_thread import DatabaseThread
from svc_tui.store.dataclass_codec import DataclassCodec
from svc_tui.store.key_fingerprints import KeyInUse, fingerprint_of, is_other_key
from svc_tui.store.process_lock import ProcessLock
from svc_tui.store.row_values import describe_unreadable, read_time, scope_key

if TYPE_CHECKING:
    from svc_tui.domain.plans.plan import Plan


_COUNTS = DataclassCodec(
    RunCounts,
    describe_unreadable("run totals"),
    sparse=("done", "failed", "skipped", "unknown", "left"),
)


class SqliteRuns:
    """The runs of one scope; see `domain.plans.ports.RunStore`. Every call raises StoreError."""

    def __init__(
        self, worker: DatabaseThread, scope: StorageScope, presence: ProcessLock, key: KeyInUse | None = None
    ) -> None:
        self._database, self._key = worker, key
        self._process_lock = presence
        self._scope = scope_key(scope)

    async def keep(self, plan: Plan) -> None:
        """Keep a new plan, or one of this program's in place of it; when this returns, it is on the disk."""
        from svc_tui.store.plan_rows import PLAN

        text = PLAN.text(plan)
        await self._database.run(lambda connection: self._keep(connection, plan, text))

    async def take(self, run: str) -> Plan | None:
        """Make a run this program's own; None where another one is at it, or it is at its end."""
        return await self._database.run(lambda connection: self._take(connection, run))

    async def plan_of(self, run: str) -> Plan | None:
        """The plan of a run as it stands, whoever is at it; None where it is at its end."""
        return await self._database.run(lambda connection: self._plan_of(connection, run))

    async def let_go(self, run: str) -> None:
        """Leave a run to whichever program takes it."""
        await self._database.run(lambda connection: self._let_go(connection, run))

    async def end(self, run: str, counts: RunCounts | None = None, *, given_up: bool = False) -> None:
        """Mark a run of this program's as at its end, or `given_up`; of its plan only the `counts` are kept."""
        text = "" if counts is None else _COUNTS.text(counts)
        await self._database.run(lambda connection: self._end(connection, run, text, given_up=given_up))

    async def find(self, run: str) -> Run | None:
        """One run by its id; None where none of this scope has it."""
        found = await self._database.run(lambda connection: self._read(connection, "AND id = ?", (run,)))
        return found[0] if found else None

    async def unfinished(self) -> list[Run]:
        """Every run that is under way or was cut short, the newest first."""
        return await self._database.run(
            lambda connection: self._read(connection, "AND ended = '' ORDER BY made DESC", ())
        )

    async def runs(self, limit: int = 200) -> list[Run]:
        """Every run, the newest first."""
        return await self._database.run(
            lambda connection: self._read(connection, "ORDER BY made DESC LIMIT ?", (limit,))
        )

    def _keep(self, connection: sqlite3.Connection, plan: Plan, text: str) -> None:
        with transaction(connection):
            written = connection.execute(
                """
                INSERT INTO batches (id, shelf, made, plan, owner, title, undoes, key_fingerprint)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?)
                ON CONFLICT (id) DO UPDATE SET plan = excluded.plan, title = excluded.title
                WHERE owner = excluded.owner AND ended = ''
                """,
                (
                    plan.id,
                    self._scope,
                    datetime.now(UTC).isoformat(),
                    text,
                    self._process_lock.name,
                    plan.title,
                    plan.undoes,
                    fingerprint_of(self._key),
                ),
            )
            if not written.rowcount:
                raise StoreError(
                    "another svc-tui process continued the run; to continue it here, open Runs in Commands (ctrl+p)"
                )

    def _take(self, connection: sqlite3.Connection, run: str) -> Plan | None:
        with transaction(connection):
            row = connection.execute(
                "SELECT plan, made, owner FROM batches WHERE id = ? AND shelf = ? AND ended = ''", (run, self._scope)
            ).fetchone()
            if row is None or self._elsewhere(row[2]):
                return None
            connection.execute("UPDATE batches SET owner = ? WHERE id = ?", (self._process_lock.name, run))
        return _read_plan(row[0], run, row[1])

    def _plan_of(self, connection: sqlite3.Connection, run: str) -> Plan | None:
        row = connection.execute(
            "SELECT plan, made FROM batches WHERE id = ? AND shelf = ? AND ended = ''", (run, self._scope)
        ).fetchone()
        return None if row is None else _read_plan(row[0], run, row[1])

    def _let_go(self, connection: sqlite3.Connection, run: str) -> None:
        with transaction(connection):
            connection.execute(
                "UPDATE batches SET owner = '' WHERE id = ? AND owner = ?", (run, self._process_lock.name)
            )

    def _end(self, connection: sqlite3.Connection, run: str, counts: str, *, given_up: bool) -> None:
        with transaction(connection):
            connection.execute(
                "UPDATE batches SET ended = ?, given_up = ?, plan = ? WHERE id = ? AND owner = ? AND ended = ''",
                (datetime.now(UTC).isoformat(), int(given_up), counts, run, self._process_lock.name),
            )

    def _read(self, connection: sqlite3.Connection, which: str, values: tuple[object, ...]) -> list[Run]:
        runs = select_runs(connection, self._scope, self._elsewhere, which, values)
        statement = f"SELECT id, key_fingerprint FROM batches WHERE shelf = ? {which}"  # noqa: S608  of this module's words
        fingerprints = dict(connection.execute(statement, (self._scope, *values)).fetchall())
        return [replace(run, other_key=is_other_key(self._key, fingerprints[run.id])) for run in runs]

    def _elsewhere(self, owner: str) -> bool:
        return owner != self._process_lock.name and self._process_lock.is_alive(owner)


def select_runs(
    connection: sqlite3.Connection,
    scope: str,
    is_elsewhere: Callable[[str], bool],
    which: str,
    values: tuple[object, ...],
) -> list[Run]:
    """The runs of a scope, `which` of them as SQL says; `is_elsewhere` tells whether another program owns one."""
    rows = connection.execute(
        f"SELECT id, made, title, undoes, ended, given_up, owner, plan FROM batches WHERE shelf = ? {which}",  # noqa: S608  of this package's own words
        (scope, *values),
    )
    return [_run(is_elsewhere, *row) for row in rows]


def _run(
    is_elsewhere: Callable[[str], bool],
    run: str,
    made: str,
    title: str,
    undoes: str,
    ended: str,
    given_up: int,
    owner: str,
    plan: str,
) -> Run:
    begun = read_time(made)
    if not title:
        # Kept by a version that named none.
        old = _read_plan(plan, run, made)
        title, undoes = old.title, old.undoes
    return Run(
        run,
        title,
        begun,
        undoes,
        read_time(ended) if ended else None,
        given_up=bool(given_up),
        elsewhere=not ended and is_elsewhere(owner),
        # 1.0.0 kept nothing of a plan that ended.
        counts=_COUNTS.read_text(plan) if ended and plan else None,
    )


def _read_plan(text: str, run: str, made: str) -> Plan:
    # What plans are made of is loaded with the first one: at the start there mostly is none.
    from svc_tui.store.plan_rows import read_plan

    return read_plan(text, run, read_time(made))
