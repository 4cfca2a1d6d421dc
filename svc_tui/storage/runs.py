"""Runs of plans; the plan of each is stored as it was approved until the run ends."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from msgspec import Struct

from svc_tui.core.values import replace
from svc_tui.storage.database import transaction
from svc_tui.storage.database_thread import DatabaseThread, on_thread
from svc_tui.storage.dataclass_codec import DataclassCodec
from svc_tui.storage.errors import StoreError
from svc_tui.storage.key_fingerprints import KeyInUse, fingerprint_of, is_other_key
from svc_tui.storage.process_lock import ProcessLock
from svc_tui.storage.row_values import describe_unreadable, read_time
from svc_tui.storage.scope import StorageScope, scope_key

if TYPE_CHECKING:
    from svc_tui.storage.plan import Plan


class RunCounts(Struct, frozen=True):
    """How many rows of a run ended how.

    `done` rows are as planned, `failed` ones were refused, not sent or answered with other values; nobody knows what
    became of the `unknown` ones. `skipped` rows are not part of the run: left out, or with a problem. `left` rows have
    not been tried yet.
    """

    done: int = 0
    failed: int = 0
    skipped: int = 0
    unknown: int = 0
    left: int = 0

    @property
    def total(self) -> int:
        """The number of rows that are to be sent."""
        return self.done + self.failed + self.unknown + self.left

    @property
    def tried(self) -> int:
        """The number of rows that were tried, however they ended."""
        return self.total - self.left

    def __add__(self, other: RunCounts) -> RunCounts:
        return RunCounts(
            self.done + other.done,
            self.failed + other.failed,
            self.skipped + other.skipped,
            self.unknown + other.unknown,
            self.left + other.left,
        )

    @property
    def exceptions(self) -> str:
        """The rows that are not done, in words: `1 failed, 2 unknown`; "" where all are."""
        counts = ((self.failed, "failed"), (self.unknown, "unknown"), (self.skipped, "skipped"))
        return ", ".join(f"{count:,} {word}" for count, word in counts if count)


_COUNTS = DataclassCodec(
    RunCounts,
    describe_unreadable("run totals"),
    sparse=("done", "failed", "skipped", "unknown", "left"),
)


class Run(Struct, frozen=True):
    """A plan that is or was carried out, in short.

    `title` says what it changes, of how many records; `undoes` is the id of the run that it takes back, "" for none.
    `ended` is when it came to its end, or was `given_up`; None: it is under way or was cut short. `elsewhere`: another
    program is at it now, and lives. `counts` are those at its end; None before it, and for a run that 1.0.0 ended.
    `other_key`: it was begun with another key of the profile.
    """

    id: str
    title: str
    begun: datetime
    undoes: str = ""
    ended: datetime | None = None
    given_up: bool = False
    elsewhere: bool = False
    counts: RunCounts | None = None
    other_key: bool = False

    @property
    def name(self) -> str:
        """What people read for it: its title, and that it takes another one back."""
        return f"undo of {self.title}" if self.undoes else self.title

    @property
    def title_of_undo(self) -> str:
        """The title of a run that takes it back: its own, or that it was an undo itself."""
        return f"the {self.name}" if self.undoes else self.title


RowResults = Mapping[int, str]
"""What the journal says of the rows of a run that were sent: the row's number to done, refused, unknown or running."""


class RunStore:
    """Runs of one scope; each is stored before its first write is sent. Every call raises StoreError.

    A run belongs to the program that keeps or takes it, until that lets go of it or ends it.
    """

    def __init__(
        self, worker: DatabaseThread, scope: StorageScope, presence: ProcessLock, key: KeyInUse | None = None
    ) -> None:
        self._database, self._key = worker, key
        self._process_lock = presence
        self._scope = scope_key(scope)

    @on_thread
    def keep(self, connection: sqlite3.Connection, plan: Plan) -> None:
        """Store a new plan, or one of this program's in place of it; when this returns, it is on the disk."""
        from svc_tui.storage.plan_rows import PLAN

        text = PLAN.text(plan)
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

    @on_thread
    def take(self, connection: sqlite3.Connection, run: str) -> Plan | None:
        """Make a run this program's own; None if another program owns it, or it has ended."""
        with transaction(connection):
            row = connection.execute(
                "SELECT plan, made, owner FROM batches WHERE id = ? AND shelf = ? AND ended = ''", (run, self._scope)
            ).fetchone()
            if row is None or self._elsewhere(row[2]):
                return None
            connection.execute("UPDATE batches SET owner = ? WHERE id = ?", (self._process_lock.name, run))
        return _read_plan(row[0], run, row[1])

    @on_thread
    def plan_of(self, connection: sqlite3.Connection, run: str) -> Plan | None:
        """Return the current plan of a run, whichever program owns it; None if it has ended."""
        row = connection.execute(
            "SELECT plan, made FROM batches WHERE id = ? AND shelf = ? AND ended = ''", (run, self._scope)
        ).fetchone()
        return None if row is None else _read_plan(row[0], run, row[1])

    @on_thread
    def let_go(self, connection: sqlite3.Connection, run: str) -> None:
        """Leave a run to whichever program takes it."""
        with transaction(connection):
            connection.execute(
                "UPDATE batches SET owner = '' WHERE id = ? AND owner = ?", (run, self._process_lock.name)
            )

    @on_thread
    def end(
        self, connection: sqlite3.Connection, run: str, counts: RunCounts | None = None, *, given_up: bool = False
    ) -> None:
        """Mark a run of this program's as ended, or `given_up`; of its plan only the `counts` stay."""
        text = "" if counts is None else _COUNTS.text(counts)
        with transaction(connection):
            connection.execute(
                "UPDATE batches SET ended = ?, given_up = ?, plan = ? WHERE id = ? AND owner = ? AND ended = ''",
                (datetime.now(UTC).isoformat(), int(given_up), text, run, self._process_lock.name),
            )

    @on_thread
    def find(self, connection: sqlite3.Connection, run: str) -> Run | None:
        """Return the run with this id; None if none of this scope has it."""
        runs = self._read(connection, "AND id = ?", (run,))
        return runs[0] if runs else None

    @on_thread
    def unfinished(self, connection: sqlite3.Connection) -> list[Run]:
        """Return every run that is under way or was interrupted, the newest first."""
        return self._read(connection, "AND ended = '' ORDER BY made DESC", ())

    @on_thread
    def runs(self, connection: sqlite3.Connection, limit: int = 200) -> list[Run]:
        """Return every run, the newest first."""
        return self._read(connection, "ORDER BY made DESC LIMIT ?", (limit,))

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
    """Return the runs of a scope that the SQL in `which` selects; `is_elsewhere` says if another program owns one."""
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
        # Stored by a version that gave runs no titles.
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
        # 1.0.0 stored nothing of a plan that ended.
        counts=_COUNTS.read_text(plan) if ended and plan else None,
    )


def _read_plan(text: str, run: str, made: str) -> Plan:
    # Loaded with the first plan: at the start there is usually none.
    from svc_tui.storage.plan_rows import read_plan

    return read_plan(text, run, read_time(made))
