"""Desks of a team: each a store, a chain and a mirror of its own, around one real server."""

from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from svc_tui.core.credentials import Environment
from svc_tui.core.jsontext import Json
from svc_tui.storage.journal import Journal
from svc_tui.storage.journal_entries import Intent, Outcome
from svc_tui.storage.scope import StorageScope
from svc_tui.storage.store import Store
from svc_tui.storage.team.lines import ServiceScope
from svc_tui.storage.team.mirror import TeamMirror
from svc_tui.storage.team.own_chain import ChainRules, OwnChain
from svc_tui.storage.team.server import TeamServer
from svc_tui.storage.team.team_url import TeamUrl
from svc_tui.team.sync import TeamSync
from svc_tui.team.team import TeamWriteLog

SCOPE = StorageScope("default", Environment.LIVE, "https://api.example.com")
LOT = "operations/lots/lot-1"


def no_password() -> str:
    """The password of a server that asks for none."""
    return ""


def at_server(url: str, password: Callable[[], str] = no_password) -> TeamServer:
    """The server at an address, not connected yet."""
    return TeamServer(TeamUrl.parse(url), password)


async def make_team(url: str) -> None:
    """Make the tables."""
    server = at_server(url)
    await server.init()
    await server.aclose()


@dataclass(frozen=True, slots=True)
class Desk:
    """One machine of a team; `path` is where its journal lies."""

    path: Path
    store: Store
    journal: Journal
    own: OwnChain
    mirror: TeamMirror
    sync: TeamSync
    writes: TeamWriteLog
    server: TeamServer

    async def write(
        self, place: str = LOT, *, before: Mapping[str, Json] | None = None, after: Mapping[str, Json] | None = None,
        ticket: str = "SUP-1", batch: str = "", at: datetime | None = None, result: str = "done",
    ) -> int:  # fmt: skip
        """Journal a PATCH and how it ended ("": not at all); gives its number."""
        fields = after or {"grade": "B"}
        moment = at or datetime.now(UTC)
        intent = Intent(
            moment, "PATCH", f"/v1/{place}", place, "key", before or {"grade": "A"}, fields, ticket, batch=batch
        )
        number = await self.journal.intend(intent)
        if result:
            await self.journal.conclude(number, Outcome(moment, result, 200))
        return number


@asynccontextmanager
async def desk(
    directory: Path,
    url: str,
    name: str,
    *,
    masked: tuple[str, ...] = (),
    machine: str = "",
    scope: StorageScope = SCOPE,
) -> AsyncIterator[Desk]:
    """The desk of a person, whose files lie below the directory; the tables are there."""
    home = directory / (machine or name)
    home.mkdir(mode=0o700, exist_ok=True)
    server = at_server(url)

    async def connect() -> TeamServer:
        return server

    async with Store.open(home / "svc-tui.db") as store:
        journal = store.journal(scope, "keyring svc-tui/live")
        own = OwnChain(store._database, scope, ChainRules("team", name, machine or f"{name}-desk", masked))
        mirror = TeamMirror(home / "team.db", own.author, own.former)
        sync = TeamSync(own, mirror, connect)
        writes = TeamWriteLog(journal, mirror, ServiceScope.of(scope))
        try:
            yield Desk(home / "svc-tui.db", store, journal, own, mirror, sync, writes, server)
        finally:
            await sync.aclose()
            await server.aclose()
            await mirror.aclose()
