"""One session's team: what is shared with colleagues, and the background work that keeps it so.

All that it is made of is loaded when it is first needed, at the latest a moment after the first records.
"""

import asyncio
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from svc_tui.domain.editing.ports import ApprovalGuard, Permit, ProposedChange, WriteLog
    from svc_tui.domain.model.jsontext import Json
    from svc_tui.domain.team.approvals import Approvals
    from svc_tui.domain.team.lines import ServiceScope
    from svc_tui.domain.team.notes import Notes
    from svc_tui.domain.team.ports import OwnChain, TeamMirror
    from svc_tui.domain.team.presence import OpenRecords
    from svc_tui.domain.team.shares import Shares
    from svc_tui.domain.team.sync import TeamState, TeamSync

START_SECONDS = 1.0
"""How long the team, and its server, are left alone at the start, which is the first records'."""


@dataclass(frozen=True, slots=True)
class TeamParts:
    """What a team is made of: `scope` is the service that the session is about, `writes` one's own and colleagues'."""

    scope: "ServiceScope"
    own: "OwnChain"
    mirror: "TeamMirror"
    sync: "TeamSync"
    writes: "WriteLog"
    approvals: "Approvals"


class Team:
    """What the screens work with; nothing of it waits for the server."""

    def __init__(self, make: Callable[[], TeamParts], load: Callable[[], None] = lambda: None) -> None:
        """Make it; `make` gives its parts when they are first needed, `load` loads what that takes, on any thread."""
        self._make, self._load = make, load
        self._opened = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    async def wait_until_open(self) -> None:
        """Give back once the work in the background has begun: until then there is nothing to tell of."""
        await self._opened.wait()

    @cached_property
    def _parts(self) -> TeamParts:
        return self._make()

    @property
    def _is_made(self) -> bool:
        return "_parts" in vars(self)

    @property
    def scope(self) -> "ServiceScope":
        """The service that the session is about."""
        return self._parts.scope

    @property
    def own(self) -> "OwnChain":
        """This machine's chain."""
        return self._parts.own

    @property
    def mirror(self) -> "TeamMirror":
        """This machine's copy of everybody's."""
        return self._parts.mirror

    @property
    def sync(self) -> "TeamSync":
        """What keeps them together."""
        return self._parts.sync

    @property
    def writes(self) -> "WriteLog":
        """One's own writes and colleagues'."""
        return self._parts.writes

    @property
    def approvals(self) -> "Approvals":
        """What wants a second person, and what that person said."""
        return self._parts.approvals

    @property
    def guard(self) -> "ApprovalGuard":
        """The same as `approvals` to whoever sends, loaded with the first change that is shown or sent."""
        return _Guard(self)

    @property
    def state(self) -> "TeamState":
        """How things stand with the server."""
        return self.sync.state

    @property
    def connected(self) -> bool | None:
        """Whether the server answers; None: nobody knows yet."""
        return self.sync.state.connected if self._is_made else None

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
        if self._is_made:
            await self.sync.aclose()
            await self.mirror.aclose()

    async def _run(self) -> None:
        await asyncio.sleep(START_SECONDS)
        # On a thread of its own: keys are heard meanwhile.
        await asyncio.to_thread(self._load)
        sync = self.sync
        self._opened.set()
        await sync.run()


class _Guard:
    """See `domain.editing.ports.ApprovalGuard`: the team's approvals, loaded when they are first asked."""

    def __init__(self, team: Team) -> None:
        self._team = team

    def rule(self, change: "ProposedChange") -> str:
        """The rule that wants a second person for the change, "" for none."""
        return self._team.approvals.rule(change)

    async def permit(self, change: "ProposedChange") -> "Permit":
        """Whether the change may be sent."""
        return await self._team.approvals.permit(change)

    async def recheck(self, permit: "Permit", fields: "Mapping[str, Json] | None") -> str:
        """Why a permit does not hold for the record as it is now."""
        return await self._team.approvals.recheck(permit, fields)

    async def settle(self, permit: "Permit", result: str) -> None:
        """The change of a permit was sent."""
        await self._team.approvals.settle(permit, result)


def _now() -> datetime:
    return datetime.now(UTC)
