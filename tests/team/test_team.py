"""A team that is made of nothing until something of it is needed."""

import asyncio
from types import SimpleNamespace
from typing import cast

import pytest

from svc_tui.team.sync import TeamState
from svc_tui.team.team import Team, TeamParts
from svc_tui.writes.approval_guard import Permit, ProposedChange

CHANGE = cast(ProposedChange, SimpleNamespace(kinds=("delete",)))


class Parts:
    """Stands in for what a team is made of, and counts how often it was made."""

    def __init__(self) -> None:
        self.made: list[str] = []
        self.calls: list[str] = []
        self.state = TeamState()
        self.running = asyncio.Event()

    def load(self) -> None:
        self.made.append("loaded")

    def make(self) -> TeamParts:
        self.made.append("made")
        return cast(TeamParts, SimpleNamespace(sync=self, mirror=self, approvals=self))

    async def run(self) -> None:
        self.running.set()
        await asyncio.Event().wait()

    async def aclose(self) -> None:
        self.calls.append("closed")

    def rule(self, change: ProposedChange) -> str:
        return change.kinds[0]

    async def permit(self, change: ProposedChange) -> Permit:
        return Permit(f"{change.kinds[0]} waits")

    async def recheck(self, permit: Permit, fields: object) -> str:
        return f"{permit.refusal}: {fields}"

    async def settle(self, permit: Permit, result: str) -> None:
        self.calls.append(f"{permit.refusal} {result}")


async def test_nothing_is_made_until_it_is_needed_and_the_guard_knows_its_rules_from_the_first_key_on() -> None:
    parts = Parts()
    team = Team(parts.make, parts.load)
    guard = team.guard
    unknown = team.connected
    assert unknown is None
    assert not parts.made
    assert guard.rule(CHANGE) == "delete"
    assert parts.made == ["made"]
    permit = await guard.permit(CHANGE)
    assert permit == Permit("delete waits")
    assert await guard.recheck(permit, None) == "delete waits: None"
    await guard.settle(permit, "done")
    parts.state = TeamState(connected=True)
    assert team.connected is True
    assert parts.made == ["made"], "made once"
    await team.aclose()
    assert parts.calls == ["delete waits done", "closed", "closed"]


async def test_its_work_begins_behind_the_first_records_and_whoever_tells_of_it_waits_for_that(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    parts = Parts()
    team = Team(parts.make, parts.load)
    monkeypatch.setattr("svc_tui.team.team.START_SECONDS", 3_600.0)
    team.begin()
    waiting = asyncio.ensure_future(team.wait_until_open())
    await asyncio.sleep(0)
    assert not parts.made
    await team.aclose()
    assert not parts.made, "one that nobody needed has nothing to close"
    monkeypatch.setattr("svc_tui.team.team.START_SECONDS", 0.0)
    team.begin()
    await waiting
    await parts.running.wait()
    assert parts.made == ["loaded", "made"]
    await team.aclose()
    assert parts.calls == ["closed", "closed"]
