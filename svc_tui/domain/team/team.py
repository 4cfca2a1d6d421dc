"""One session's team: what is shared with colleagues, and the background work that keeps it so."""

import asyncio
from contextlib import suppress
from datetime import UTC, datetime
from functools import cached_property
from typing import TYPE_CHECKING

from svc_tui.domain.editing.ports import WriteLog
from svc_tui.domain.team.approvals import Approvals
from svc_tui.domain.team.lines import ServiceScope
from svc_tui.domain.team.ports import OwnChain, TeamMirror
from svc_tui.domain.team.sync import TeamState, TeamSync

if TYPE_CHECKING:
    from svc_tui.domain.team.notes import Notes
    from svc_tui.domain.team.presence import OpenRecords
    from svc_tui.domain.team.shares import Shares

START_SECONDS = 1.0
"""How long the server is left alone at the start, which is the first records'."""


class Team:
    """What the screens work with; nothing of it waits for the server."""

    def __init__(
        self,
        scope: ServiceScope,
        own: OwnChain,
        mirror: TeamMirror,
        sync: TeamSync,
        writes: WriteLog,
        approvals: Approvals,
    ) -> None:
        """Make it; `scope` is the service that the session is about, `writes` one's own and colleagues'."""
        self.scope, self.own, self.mirror, self.sync, self.writes = scope, own, mirror, sync, writes
        self.approvals = approvals
        self._task: asyncio.Task[None] | None = None

    @property
    def state(self) -> TeamState:
        """How things stand with the server."""
        return self.sync.state

    @cached_property
    def open_records(self) -> "OpenRecords":
        """Who has which record open for editing."""
        from svc_tui.domain.team.presence import OpenRecords

        return OpenRecords(self.sync, self.scope)

    @cached_property
    def notes(self) -> "Notes":
        """What is said of records."""
        from svc_tui.domain.team.notes import Notes

        return Notes(self.own, self.mirror, self.sync, self.scope, _now)

    @cached_property
    def shares(self) -> "Shares":
        """What is handed to one another."""
        from svc_tui.domain.team.shares import Shares

        return Shares(self.own, self.mirror, self.sync, self.scope, _now)

    def begin(self) -> None:
        """Begin the work in the background."""
        self._task = asyncio.get_running_loop().create_task(self._run())

    async def aclose(self) -> None:
        """End that work; what the server does not have yet is sent at the next start."""
        task, self._task = self._task, None
        if task is not None:
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task
        await self.sync.aclose()
        await self.mirror.aclose()

    async def _run(self) -> None:
        await asyncio.sleep(START_SECONDS)
        await self.sync.run()


def _now() -> datetime:
    return datetime.now(UTC)
