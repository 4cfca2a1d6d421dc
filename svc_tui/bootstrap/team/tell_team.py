"""What a write from the command line does with a team: ask for it before, and tell it after."""

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from svc_tui.bootstrap.start import CommandFailure
from svc_tui.bootstrap.team.located_team import team_of
from svc_tui.core.credentials import CredentialError, Environment
from svc_tui.storage.errors import StoreError, TeamServerError
from svc_tui.storage.journal_entries import JournalEntry

if TYPE_CHECKING:
    from svc_tui.config.paths import Locations
    from svc_tui.config.profiles.connection import Connection
    from svc_tui.storage.store import Store

ASK_SECONDS = 5.0
"""How long the server is waited for where nothing may be written without it."""

_ALL = 1_000_000

TELL_SECONDS = 3.0
"""How long whoever has written waits for the team to hear of it."""


async def require_team(connection: "Connection", locations: "Locations") -> None:
    """Ask the team server, where LIVE may not be written without it; raises CommandFailure where it can't be used."""
    profile = connection.profile
    if not (profile.team_required and connection.keys.environment is Environment.LIVE):
        return
    try:
        async with asyncio.timeout(ASK_SECONDS), team_of(connection, locations).server() as server:
            await server.check_ready()
    except TimeoutError:
        why = f"the team server did not respond within {ASK_SECONDS:.0f} s"
    except (TeamServerError, CredentialError, CommandFailure) as error:
        why = str(error)
    else:
        return
    raise CommandFailure(
        "nothing was sent: writes on LIVE need the team server (team_required in the profile "
        f"{profile.name}), but {why}"
    )


async def colleagues_of_run(
    connection: "Connection", locations: "Locations", store: "Store", run: str
) -> tuple[Sequence[JournalEntry], str]:
    """Return colleagues' writes of a run, the newest first, and why some may be missing, "" if none. StoreError."""
    team, problem = team_of(connection, locations).team_on(store), ""
    try:
        try:
            async with asyncio.timeout(ASK_SECONDS):
                await team.sync.round()
        except TimeoutError:
            problem = f"the team server did not respond within {ASK_SECONDS:.0f} s"
        except TeamServerError as error:
            problem = str(error)
        return await team.mirror.run(team.scope, run, _ALL), problem
    finally:
        await team.aclose()


async def tell_team(connection: "Connection", locations: "Locations", store: "Store") -> None:
    """Tell the team what was written; what it does not hear now waits for the next program."""
    with suppress(TeamServerError, StoreError, TimeoutError):
        team = team_of(connection, locations).team_on(store)
        try:
            async with asyncio.timeout(TELL_SECONDS):
                await team.sync.publish()
        finally:
            await team.aclose()
