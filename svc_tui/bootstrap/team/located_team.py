"""The team of the profile in use, for commands that ask its server, or look into what is known of it here."""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from svc_tui.bootstrap.start import CommandFailure, ExitStatus, Options
from svc_tui.bootstrap.team.team_parts import chain_rules, make_server, mirror_file, team_parts
from svc_tui.core.settings import Profile
from svc_tui.storage.errors import TeamServerError
from svc_tui.storage.scope import StorageScope
from svc_tui.storage.team.team_url import TeamUrl
from svc_tui.team.team import Team

if TYPE_CHECKING:
    from svc_tui.config.paths import Locations
    from svc_tui.config.profiles.connection import Connection
    from svc_tui.storage.store import Store
    from svc_tui.storage.team.mirror_reader import MirrorReader
    from svc_tui.storage.team.own_chain import ChainRules, OwnChainState
    from svc_tui.storage.team.server import TeamServer


@dataclass(frozen=True, slots=True)
class LocatedTeam:
    """A team, and what is kept of it on this machine; `masked` are the fields whose values stay here."""

    profile: Profile
    scope: StorageScope
    locations: "Locations"
    masked: tuple[str, ...]
    password: Callable[[], str] = field(repr=False)

    @property
    def url(self) -> TeamUrl:
        """Where its server is."""
        return TeamUrl.parse(self.profile.team)

    @property
    def rules(self) -> "ChainRules":
        """How this machine's chain is written."""
        return chain_rules(self.profile, self.url, self.masked)

    @property
    def mirror(self) -> Path:
        """This machine's copy of what it shares."""
        return mirror_file(self.locations.teams_directory, self.url)

    def mirror_reader(self) -> "MirrorReader":
        """The same, to be looked into."""
        from svc_tui.storage.team.mirror_reader import MirrorReader

        return MirrorReader(self.mirror)

    def own_chain(self) -> "OwnChainState":
        """How far this machine's chain has come; raises StoreError."""
        from svc_tui.storage.team.own_chain import read_own_chain

        return read_own_chain(self.locations.database, self.rules.team, self.scope)

    @asynccontextmanager
    async def server(self) -> AsyncIterator["TeamServer"]:
        """Its server, until the block ends; raises CommandFailure, and CredentialError for its password."""
        try:
            # What is wrong with the setting is told as every mistake of a profile is.
            password = await asyncio.to_thread(self.password)
            server = make_server(self.url, lambda: password)
        except TeamServerError as error:
            raise CommandFailure(str(error)) from None
        try:
            yield server
        finally:
            await server.aclose()

    def team_on(self, store: "Store") -> Team:
        """All of it, its chain and its copy to be written; nothing is connected or opened yet."""
        journal, directory = store.journal(self.scope), self.locations.teams_directory
        return Team(lambda: team_parts(self.profile, self.scope, store, journal, directory, self.masked, self.password))

    @asynccontextmanager
    async def opened(self) -> AsyncIterator[Team]:
        """The same, on the store of this machine; raises StoreError."""
        from svc_tui.storage.store import Store

        async with Store.open(self.locations.database) as store:
            team = self.team_on(store)
            try:
                yield team
            finally:
                await team.aclose()


def locate_team(options: Options, variables: Mapping[str, str]) -> LocatedTeam:
    """The team of the profile in use; raises CommandFailure where it has none, ConfigError and its like."""
    from svc_tui.config.paths import find_locations
    from svc_tui.config.preferences.preferences import FilePreferences
    from svc_tui.config.profiles.active_profile import resolve_scope

    locations = find_locations(variables, options.config)
    scoped = resolve_scope(locations, variables, options.profile)
    if scoped.from_environment:
        raise CommandFailure(
            "the key comes from SVC_API_KEY, but only a profile can have a team; choose a profile with --profile NAME, "
            "or create one with: svc-tui profiles add NAME"
        )
    if not scoped.profile.team:
        raise CommandFailure(
            f'the profile {scoped.profile.name} has no team; add team = "postgresql://USER@HOST/DATABASE" '
            f"with: svc-tui profiles edit {scoped.profile.name}"
        )
    masked = FilePreferences(locations).preferences.mask_fields
    return LocatedTeam(scoped.profile, scoped.scope, locations, tuple(masked), scoped.read_team_password)


def team_of(connection: "Connection", locations: "Locations") -> LocatedTeam:
    """The team of a connection whose profile names one; raises ConfigError."""
    from svc_tui.config.preferences.preferences import FilePreferences

    masked = FilePreferences(locations).preferences.mask_fields
    return LocatedTeam(connection.profile, connection.scope, locations, tuple(masked), connection.read_team_password)


def failure_of(error: TeamServerError) -> CommandFailure:
    """The error as the line and the status that the program ends with."""
    return CommandFailure(str(error), ExitStatus.FAILED if error.lasting else ExitStatus.UNKNOWN)
