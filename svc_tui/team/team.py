"""The team of one session: what is shared with colleagues, and its synchronization in the background."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from functools import cached_property
from typing import TYPE_CHECKING

from msgspec import Struct

from svc_tui.core.jsontext import Json
from svc_tui.storage.journal import Journal
from svc_tui.storage.journal_entries import JournalEntry, RunWrites, WriteLog, WrittenRecord
from svc_tui.storage.team.colleague_writes import newest_first
from svc_tui.storage.team.lines import ServiceScope
from svc_tui.team.notes import Notes
from svc_tui.team.sync import RecordPresence, TeamState, TeamSync
from svc_tui.writes.approval_guard import ApprovalGuard, Permit, ProposedChange

if TYPE_CHECKING:
    # Loaded in the background, by the `load` of a Team (100 ms), or when first used.
    from svc_tui.storage.team.mirror import TeamMirror
    from svc_tui.storage.team.own_chain import OwnChain
    from svc_tui.team.approvals import Approvals
    from svc_tui.team.shares import Shares

START_SECONDS = 1.0
"""Delay of the first synchronization, so that it does not slow down the first records."""


class TeamParts(Struct, frozen=True):
    """The parts of a team: `scope` is the service of the session, `writes` are own writes and those of colleagues."""

    scope: ServiceScope
    own: OwnChain
    mirror: TeamMirror
    sync: TeamSync
    writes: WriteLog
    approvals: Approvals


class Team:
    """The team of one session; nothing here waits for the server."""

    def __init__(self, make: Callable[[], TeamParts], load: Callable[[], None] = lambda: None) -> None:
        """`make` creates the parts when they are first needed; `load` imports their modules, on any thread."""
        self._make, self._load = make, load
        self._opened = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    async def wait_until_open(self) -> None:
        """Wait until the work in the background has begun: before, there is nothing to report."""
        await self._opened.wait()

    @cached_property
    def _parts(self) -> TeamParts:
        return self._make()

    @property
    def _is_made(self) -> bool:
        return "_parts" in vars(self)

    @property
    def scope(self) -> ServiceScope:
        """The service of the session."""
        return self._parts.scope

    @property
    def own(self) -> OwnChain:
        """The chain of this computer."""
        return self._parts.own

    @property
    def mirror(self) -> TeamMirror:
        """The copy of all chains on this computer."""
        return self._parts.mirror

    @property
    def sync(self) -> TeamSync:
        """The synchronization with the server."""
        return self._parts.sync

    @property
    def writes(self) -> WriteLog:
        """Own writes and those of colleagues."""
        return self._parts.writes

    @property
    def approvals(self) -> Approvals:
        """Approvals of changes."""
        return self._parts.approvals

    @property
    def guard(self) -> ApprovalGuard:
        """The approvals as an `ApprovalGuard` that creates the parts with the first change that is shown or sent."""
        return _LazyGuard(self)

    @property
    def state(self) -> TeamState:
        """The state of the synchronization."""
        return self.sync.state

    @property
    def connected(self) -> bool | None:
        """True if the server answers; None if that is unknown yet."""
        return self.sync.state.connected if self._is_made else None

    @cached_property
    def presence(self) -> RecordPresence:
        """The records that are open for editing."""
        return RecordPresence(self.sync, self.scope)

    @cached_property
    def notes(self) -> Notes:
        """Notes on records."""
        return Notes(self.own, self.mirror, self.sync, self.scope, _now)

    @cached_property
    def shares(self) -> Shares:
        """Shared requests, views and drafts."""
        from svc_tui.team.shares import Shares

        return Shares(self.own, self.mirror, self.sync, self.scope, _now)

    def begin(self) -> None:
        """Begin the work in the background."""
        self._task = asyncio.get_running_loop().create_task(self._run())

    async def aclose(self) -> None:
        """End that work; lines that the server does not get in time are sent at the next start."""
        task, self._task = self._task, None
        if task is not None:
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task
        if self._is_made:
            await self.sync.aclose()
            await self.mirror.aclose()

    async def _run(self) -> None:
        await asyncio.sleep(START_SECONDS)
        # On a thread, so that keys are handled meanwhile.
        await asyncio.to_thread(self._load)
        sync = self.sync
        self._opened.set()
        await sync.run()


class _LazyGuard:
    """The `ApprovalGuard` of a session with a team: `Team.approvals`, created when it is first asked for a rule."""

    def __init__(self, team: Team) -> None:
        self._team = team

    def rule(self, change: ProposedChange) -> str:
        return self._team.approvals.rule(change)

    async def permit(self, change: ProposedChange) -> Permit:
        return await self._team.approvals.permit(change)

    async def recheck(self, permit: Permit, fields: Mapping[str, Json] | None) -> str:
        return await self._team.approvals.recheck(permit, fields)

    async def settle(self, permit: Permit, result: str) -> None:
        await self._team.approvals.settle(permit, result)


def _now() -> datetime:
    return datetime.now(UTC)


class TeamWriteLog:
    """The `WriteLog` of a session with a team: the journal of this computer and the writes of colleagues as one list.

    Numbers of colleagues' writes are negative.
    """

    def __init__(self, journal: Journal, mirror: TeamMirror, scope: ServiceScope) -> None:
        self._journal, self._mirror, self._scope = journal, mirror, scope

    async def entries(self, limit: int = 200, *, place: str = "") -> list[JournalEntry]:
        """Return the newest entries first; with `place` only those of that place."""
        own = await self._journal.entries(limit, place=place)
        return newest_first([*own, *await self._mirror.entries(self._scope, place, limit)])[:limit]

    async def listed(self, limit: int = 200) -> list[JournalEntry | RunWrites]:
        """Return the newest writes first, the writes of a run as one item."""
        own = await self._journal.listed(limit)
        return newest_first([*own, *await self._mirror.run_entries(self._scope, limit)])[:limit]

    async def find(self, number: int) -> JournalEntry | None:
        """Return the write of this number; None if there is none."""
        return await (self._mirror.entry(self._scope, number) if number < 0 else self._journal.find(number))

    async def record_after(self, number: int) -> WrittenRecord | None:
        """Return the record as the write of this number left it; None if that is unknown."""
        return await (
            self._mirror.record_after(self._scope, number) if number < 0 else self._journal.record_after(number)
        )

    async def search(self, text: str, limit: int = 200, *, per_run: int = 0) -> list[JournalEntry]:
        """Return the newest entries that contain `text`; at most the newest `per_run` of each run, 0 for all."""
        own = await self._journal.search(text, limit, per_run=per_run)
        matches_of_run: Counter[str] = Counter()
        colleagues = []
        for entry in await self._mirror.search(self._scope, text, limit):
            matches_of_run[entry.intent.batch] += 1
            if not (entry.intent.batch and per_run) or matches_of_run[entry.intent.batch] <= per_run:
                colleagues.append(entry)
        return newest_first([*own, *colleagues])[:limit]

    async def runs_of(self, runs: Iterable[str]) -> list[RunWrites]:
        """Return summaries of the runs that have writes here, the one with the newest write first."""
        ids = tuple(runs)
        return newest_first([*await self._journal.runs_of(ids), *await self._mirror.runs_of(self._scope, ids)])

    async def newest_of_run(self, run: str, limit: int, *, before: int = 0) -> list[JournalEntry]:
        """Return the newest writes of a run first, those before the write of number `before`, 0 for all."""
        own = await self._journal.newest_of_run(run, limit, before=before) if before >= 0 else []
        return own or list(await self._mirror.run(self._scope, run, limit, before))
