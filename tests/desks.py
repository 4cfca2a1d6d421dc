"""Desks of a team without a screen: each with a store, a chain and a copy of its own."""

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from svc_tui.storage.journal import Journal
from svc_tui.storage.scope import StorageScope
from svc_tui.storage.store import Store
from svc_tui.storage.team.kept_asks import AskStore
from svc_tui.storage.team.lines import GENESIS_DIGEST, ChainNews, ServiceScope
from svc_tui.storage.team.mirror import TeamMirror
from svc_tui.storage.team.own_chain import ChainRules, OwnChain
from svc_tui.team.approval_rules import ApprovalRules
from svc_tui.team.approvals import Approvals, TeamChannel
from svc_tui.team.asks import Ask


def utc_now() -> datetime:
    """The time of day."""
    return datetime.now(UTC)


def nothing() -> None:
    """Nobody is in a hurry."""


@dataclass(frozen=True, slots=True)
class Desk:
    """Somebody's program, as far as a team is concerned."""

    store: Store
    journal: Journal
    own: OwnChain
    mirror: TeamMirror
    asks: AskStore
    approvals: Approvals

    async def the_ask(self) -> Ask:
        """The only ask there is, whoever's."""
        overview = await self.approvals.overview()
        (ask,) = (*overview.others, *overview.mine)
        return ask


@asynccontextmanager
async def a_desk(
    directory: Path,
    scope: StorageScope,
    name: str,
    machine: str = "desk",
    *,
    rules: Sequence[str] = (),
    masked: Sequence[str] = (),
    now: Callable[[], datetime] = utc_now,
    nudge: Callable[[], None] = nothing,
) -> AsyncIterator[Desk]:
    """A desk of the service that `scope` names."""
    async with Store.open(directory / "svc-tui.db") as store:
        own = store.own_chain(scope, ChainRules("team", name, machine, tuple(masked)))
        mirror = TeamMirror(directory / "team.db", own.author)
        channel = TeamChannel(ServiceScope.of(scope), own, mirror, nudge)
        journal, asks, fields = store.journal(scope), store.asks(scope), frozenset(masked)
        approvals = Approvals(ApprovalRules.parse(rules), channel, asks, journal, fields, now)
        try:
            yield Desk(store, journal, own, mirror, asks, approvals)
        finally:
            await mirror.aclose()


async def meet(*desks: Desk) -> None:
    """Bring what each says to all, without a server."""
    for desk in desks:
        author, lines = await desk.own.author(), await desk.own.waiting()
        await desk.mirror.take_own(author, lines)
        for other in desks:
            if other is not desk:
                known = {chain.author.chain: chain.head for chain in await other.mirror.chains()}
                head = known.get(author.chain)
                new = [line for line in lines if head is None or line.sequence > head.sequence]
                digest = GENESIS_DIGEST if head is None else head.digest
                await other.mirror.take(ChainNews(author, digest, new))
