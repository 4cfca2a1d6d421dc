"""Makes a team's tables for the command line, or brings them up to date."""

from collections.abc import Mapping
from dataclasses import dataclass

from svc_tui.bootstrap.start import CommandFailure, Options, translate_errors
from svc_tui.bootstrap.team.located_team import LocatedTeam, failure_of, locate_team
from svc_tui.platform.event_loops import run_on_loop
from svc_tui.storage.errors import TeamServerError

MAX_ROLE_BYTES = 63
"""PostgreSQL cuts a longer name, which would be another role's."""


@dataclass(frozen=True, slots=True)
class SchemaResult:
    """The version of the tables before, 0 for none, and after; `known` is the one that this program understands.

    `grants` are the statements for a role, as SQL.
    """

    before: int
    after: int
    known: int
    grants: str


def init_team(role: str, options: Options, variables: Mapping[str, str]) -> SchemaResult:
    """Make the tables of the profile's team, or bring them up to date; raises CommandFailure."""
    if not role or "\0" in role or len(role.encode("utf-8", "surrogatepass")) > MAX_ROLE_BYTES:
        raise CommandFailure(f"--role is not a valid role name; use 1 to {MAX_ROLE_BYTES} bytes")
    with translate_errors():
        return run_on_loop(_init(role, locate_team(options, variables)))


async def _init(role: str, team: LocatedTeam) -> SchemaResult:
    async with team.server() as server:
        from svc_tui.storage.team.server_schema import VERSION, grants, quoted

        try:
            before, after = await server.init()
        except TeamServerError as error:
            raise failure_of(error) from None
    return SchemaResult(before, after, VERSION, grants(quoted(role)))
