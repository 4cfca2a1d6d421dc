"""How things stand with a team, for people and scripts: its server, its tables, the role, what waits here."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from svc_tui.bootstrap.start import Options, translate_errors
from svc_tui.bootstrap.team.located_team import LocatedTeam, failure_of, locate_team
from svc_tui.core.values import replace
from svc_tui.platform.event_loops import run_on_loop
from svc_tui.storage.errors import TeamServerError
from svc_tui.storage.team.lines import BrokenChain

if TYPE_CHECKING:
    from svc_tui.storage.team.server_schema import RoleRights


@dataclass(frozen=True, slots=True)
class ServerStatus:
    """What the server says; None is what could not be asked. `problem` is why no lines can be put there, "" where they
    can, `status` the exit status that this comes to. `schema` is 0 where there are no tables.
    """

    problem: str = ""
    status: int = 0
    schema: int | None = None
    rights: "RoleRights | None" = None
    machines: int | None = None
    lines: int | None = None


@dataclass(frozen=True, slots=True)
class TeamStatus:
    """A team as a profile names it: `address` holds nothing secret, `name` and `machine` are this desk's.

    `chain` is this desk's, "" where none is begun, `waiting` the lines that the server is not known to have. `broken`
    are the chains that are not as they were written, as this machine's copy knows them, `copy` is the file that it is.
    """

    address: str
    known_schema: int
    name: str
    machine: str
    chain: str
    waiting: int
    copy: str
    broken: Sequence[BrokenChain]
    server: ServerStatus


def team_status(options: Options, variables: Mapping[str, str]) -> TeamStatus:
    """How things stand with the team of the profile in use; raises CommandFailure."""
    with translate_errors():
        return run_on_loop(status_of(locate_team(options, variables)))


async def status_of(team: LocatedTeam) -> TeamStatus:
    """How things stand with a team; raises CommandFailure, StoreError, CredentialError."""
    async with team.server() as server:
        from svc_tui.storage.team.server_schema import VERSION

        found = ServerStatus()
        try:
            rights = await server.rights()
            found = replace(found, rights=rights)
            found = replace(found, schema=await server.version())
            await server.check_ready()
            counts = await server.counts()
            found = replace(found, machines=counts["machines"], lines=counts["lines"])
        except TeamServerError as error:
            found = replace(found, problem=str(error), status=failure_of(error).status)
    own, rules = team.own_chain(), team.rules
    broken = [chain.broken for chain in team.mirror_reader().chains() if chain.broken is not None]
    return TeamStatus(
        team.url.shown, VERSION, rules.name, rules.machine, own.chain, own.waiting, str(team.mirror), broken, found
    )
