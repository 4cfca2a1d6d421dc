"""The services that one run of the browser is connected to, one after the other, each with its client and stores."""

import asyncio
from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial
from types import TracebackType
from typing import TYPE_CHECKING, Self

from svc_tui.bootstrap.environment import SystemTimeZone
from svc_tui.bootstrap.index.open_index import session_index
from svc_tui.bootstrap.key_in_use import use_key
from svc_tui.bootstrap.log_file import log_traffic
from svc_tui.bootstrap.start import CommandFailure, Options, translate_errors_to
from svc_tui.bootstrap.startup import OtherProfiles, RunStorage
from svc_tui.bootstrap.system_editor import SystemEditor
from svc_tui.bootstrap.user_files import UserFiles, read_body
from svc_tui.core.credentials import Environment
from svc_tui.core.settings import Profile
from svc_tui.core.values import replace
from svc_tui.platform.clocks import seconds_since_boot
from svc_tui.search.indexed_gateway import IndexedGateway
from svc_tui.service.base_url import BaseUrlError, base_url_of
from svc_tui.service.gateway import Gateway
from svc_tui.session.session import Session, SessionRefused
from svc_tui.storage.scope import StorageScope

if TYPE_CHECKING:
    from svc_tui.bootstrap.new_profile import ProfileConnector
    from svc_tui.bootstrap.profiles import ProfileKeyRotation
    from svc_tui.client.client import SignedClient
    from svc_tui.config.profiles.connection import Connection
    from svc_tui.config.profiles.profiles import Profiles
    from svc_tui.plans.correction_file import Corrections
    from svc_tui.search.session_index import SessionIndex
    from svc_tui.storage.key_fingerprints import KeyInUse
    from svc_tui.storage.store import Store
    from svc_tui.team.team import Team, TeamParts

_KEY_FROM_VARIABLES = (
    "key and secret from SVC_API_KEY and SVC_SIGNING_SECRET can't be replaced here; change both variables and restart "
    "svc-tui, or save the new key in a profile with: svc-tui profiles add NAME"
)


class BrowserSessions:
    """See `session.session.Sessions`; leaving the block ends whatever is still open."""

    def __init__(self, storage: RunStorage, store: "Store", editor: SystemEditor, others: OtherProfiles | None) -> None:
        """`others` is where other profiles are found; None: they are not to be met."""
        self._storage, self._store, self._editor, self._others = storage, store, editor, others
        self._clients: dict[SignedClient, Connection] = {}
        self._indexes: list[SessionIndex] = []
        self._teams: list[Team] = []
        self._rotations: list[ProfileKeyRotation] = []
        self._connector: ProfileConnector | None = None
        """What adds profiles; made with the first one that is added."""

    @property
    def secrets(self) -> tuple[str, ...]:
        """The keys and secrets of every session so far, and those only tried, for whatever must not let one out."""
        used = (secret for client in self._clients for secret in client.secrets)
        tried = [*self._rotations, *((self._connector,) if self._connector else ())]
        return (*used, *(secret for one in tried for secret in one.secrets))

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for team in self._teams:
            await team.aclose()
        for index in self._indexes:
            await index.aclose()
        for client in self._clients:
            await client.aclose()
        from svc_tui.bootstrap.journal.end_in_keyring import keep_end_in_keyring

        keep_end_in_keyring(self._clients.values(), self._storage.locations.database)

    def names(self) -> tuple[str, ...]:
        """The names of the profiles there are; raises SessionRefused."""
        with translate_errors_to(SessionRefused):
            return self._other_profiles().profiles.names()

    async def at(self, environment: Environment, host: str) -> tuple[str, ...]:
        """The names of the profiles with a base URL at `host` for keys of the environment; raises SessionRefused."""
        return await asyncio.to_thread(self._names_at, environment, host)

    def _names_at(self, environment: Environment, host: str) -> tuple[str, ...]:
        with translate_errors_to(SessionRefused):
            profiles = self._other_profiles().profiles
            return tuple(name for name in profiles.names() if _host(profiles, name, environment) == host.casefold())

    async def open(self, name: str) -> Session:
        """Connect to the service of a profile; raises SessionRefused."""
        return self.begin(await asyncio.to_thread(self._connect, name))

    def _connect(self, name: str) -> "Connection":
        with translate_errors_to(SessionRefused):
            return self._other_profiles().connection(name)

    def connection(self, name: str) -> "Connection":
        """How the profile is reached, as it was last opened here."""
        return next(c for c in reversed(self._clients.values()) if c.profile.name == name)

    def _other_profiles(self) -> OtherProfiles:
        if self._others is None:
            raise CommandFailure("the demo can't use real keys; quit it and start svc-tui --profile NAME")
        if self._connector is not None:
            return replace(self._others, variables=self._connector.variables)
        return self._others

    def connection_setup(self) -> "ProfileConnector":
        """What tries the key of a new profile, and keeps that; raises SessionRefused where none can be opened."""
        from svc_tui.bootstrap.new_profile import ProfileConnector

        with translate_errors_to(SessionRefused):
            others = self._other_profiles()
        if self._connector is None:
            self._connector = ProfileConnector(Options(), others.variables, self._storage.locations)
        return self._connector

    def begin(self, connection: "Connection", client: "SignedClient | None" = None) -> Session:
        """A session with a service, by the client that is connected to it or a new one. Raises SessionRefused."""
        with translate_errors_to(SessionRefused):
            scope = connection.scope
            client = client or make_client(connection)
            self._clients[client] = connection
            key = use_key(connection, self._store.fingerprints, client)
        session = self.around(client, connection.profile, scope, connection.key_origin, key)
        return self.in_team(session, connection.read_team_password) if connection.profile.team else session

    def in_team(self, session: Session, password: Callable[[], str]) -> Session:
        """The session, its writes shared with the profile's team from now on; `password` reads the server's."""
        from svc_tui.team.team import Team

        masked, directory = session.preferences.mask_fields, self._storage.locations.teams_directory

        def make() -> "TeamParts":
            from svc_tui.bootstrap.team.team_parts import team_parts

            profile, scope, journal = session.profile, session.scope, session.journal
            return team_parts(profile, scope, self._store, journal, directory, masked, password)

        team = Team(make, _load_team)
        team.begin()
        self._teams.append(team)
        return replace(session, team=team, open_asked_plans=partial(self._store.asks, session.scope))

    def around(
        self, gateway: Gateway, profile: Profile, scope: StorageScope, key_origin: str, key: "KeyInUse"
    ) -> Session:
        """What a session over `gateway` works with; `key_origin` says where its key comes from, for the journal."""
        from svc_tui.config.requests.saved_requests import FileSavedRequests

        storage, store = self._storage, self._store
        preferences = storage.preferences.preferences
        index = session_index(
            gateway,
            storage.locations.indexes_directory,
            profile,
            scope,
            preferences.mask_fields,
            lambda: key.fingerprint,
            wanted=profile.index or profile.name in storage.preferences.memory.indexed,
        )
        self._indexes.append(index)
        return Session(
            gateway=IndexedGateway(gateway, index, utc_now),
            index=index,
            profile=profile,
            preferences=preferences,
            preference_store=storage.preferences,
            journal=store.journal(scope, key_origin, key),
            run_store=store.runs(scope, key),
            draft_store=store.drafts(scope, key),
            unfinished_store=store.unfinished(scope, key),
            form_store=store.forms(scope, key),
            history_store=store.history(scope, preferences.history_limit, key),
            saved_requests=FileSavedRequests(storage.locations.requests_directory),
            files=UserFiles(storage.directory),
            editor=self._editor,
            monotonic=seconds_since_boot,
            now=utc_now,
            tz=SystemTimeZone(),
            lasting=storage.lasting,
            sessions=self,
            child_environment=self._editor.environment,
            read_corrections=partial(_read_corrections, profile),
            read_body=read_body,
        )

    def rotation(self, session: Session) -> "ProfileKeyRotation":
        """What puts a new pair in the place of a session's own; raises SessionRefused where no profile keeps that."""

        with translate_errors_to(SessionRefused):
            others = self._other_profiles()
            from svc_tui.bootstrap.profiles import ProfileKeyRotation

            for client, connection in self._clients.items():
                if client is session.index.gateway and connection.file is not None:
                    rotation = ProfileKeyRotation(
                        others.profiles, connection.profile.name, others.variables, client, self._store.fingerprints
                    )
                    self._rotations.append(rotation)
                    return rotation
            raise CommandFailure(_KEY_FROM_VARIABLES)

    async def leave(self, session: Session) -> None:
        """End a session and its connections."""
        if session.team is not None:
            await session.team.aclose()
        await session.index.aclose()
        for client in self._clients:
            if client is session.index.gateway:
                await client.aclose()


def _load_team() -> None:
    # Loaded behind the first records.
    from svc_tui.bootstrap.team.team_parts import load_parts

    load_parts()


def _read_corrections(profile: Profile, name: str) -> "Corrections":
    # Loaded with the first file of corrections that is read.
    from svc_tui.bootstrap.plans.read_file import read_correction_file
    from svc_tui.plans.correction_file import ValueWords

    return read_correction_file(name, ValueWords(profile.null_word, profile.empty_word))


def utc_now() -> datetime:
    """The time of day, in UTC."""
    return datetime.now(UTC)


def make_client(connection: "Connection") -> "SignedClient":
    """A client of the service, whose traffic is logged; nothing is sent yet. Raises BaseUrlError."""
    from svc_tui.client.attempts import RuntimeEnvironment
    from svc_tui.client.client import SignedClient

    client = SignedClient(
        connection.profile,
        connection.keys,
        credentials=connection.credentials,
        runtime=RuntimeEnvironment(monotonic=seconds_since_boot),
    )
    client.listen(log_traffic)
    return client


def _host(profiles: "Profiles", name: str, environment: Environment) -> str:
    """Host and port of the profile's base URL for keys of the environment; "" where it has none that can be used."""
    from svc_tui.config.errors import ConfigError

    try:
        return base_url_of(profiles.read(name).profile, environment).authority.casefold()
    except (ConfigError, BaseUrlError):
        return ""
