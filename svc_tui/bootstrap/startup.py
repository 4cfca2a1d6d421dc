"""What one run of the browser begins with: where things are kept, which service is opened, and what is known of it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from svc_tui.bootstrap.start import LogLevel
from svc_tui.domain.http.base_url import base_url_of
from svc_tui.domain.model.credentials import Environment
from svc_tui.domain.model.settings import Profile

if TYPE_CHECKING:
    from svc_tui.config.paths import Locations
    from svc_tui.config.preferences.preferences import FilePreferences
    from svc_tui.config.profiles.connection import Connection
    from svc_tui.config.profiles.profiles import Profiles
    from svc_tui.domain.editing.ports import StorageScope


@dataclass(frozen=True, slots=True)
class RunStorage:
    """Where sessions keep what outlives them, and what the user prefers.

    `lasting` says whether it outlives the program too.
    """

    locations: "Locations"
    preferences: "FilePreferences"
    lasting: bool = True

    @property
    def directory(self) -> Path:
        """The directory of the database and of the log."""
        return self.locations.database.parent

    def instead(self, directory: Path) -> "RunStorage":
        """The same, except that all that is kept goes into a directory that goes with the run."""
        return replace(self, locations=replace(self.locations, state_directory=directory), lasting=False)


@dataclass(frozen=True, slots=True)
class OtherProfiles:
    """Where the profiles are that can be gone to, and what their secrets are read from."""

    profiles: "Profiles"
    variables: Mapping[str, str] = field(repr=False)
    read_only: bool = False


@dataclass(frozen=True, slots=True)
class ScopedConnection:
    """The service that a session is with, and under what its drafts and journal lines are filed."""

    connection: "Connection"
    scope: "StorageScope"

    @classmethod
    def to(cls, connection: "Connection") -> "ScopedConnection":
        """A service that is filed under its own base URL."""
        from svc_tui.domain.editing.ports import StorageScope

        environment = connection.keys.environment
        base_url = base_url_of(connection.profile, environment)
        return cls(connection, StorageScope(connection.profile.name, environment, str(base_url)))

    def read_only(self) -> "ScopedConnection":
        """The same, with writes refused."""
        profile = replace(self.connection.profile, read_only=True)
        return replace(self, connection=replace(self.connection, profile=profile))


@dataclass(frozen=True, slots=True)
class FirstService:
    """The first service of a run: what is known before anything is connected, and how to `connect`, which may block.

    `host` is "" where it is not known yet. `connect` raises where no connection can be made.
    """

    profile: Profile
    environment: Environment
    signs: bool
    host: str
    connect: Callable[[], ScopedConnection]

    @classmethod
    def at(cls, connection: "Connection") -> "FirstService":
        """A service that everything is known of; raises BaseUrlError."""
        profile, keys = connection.profile, connection.keys
        host = base_url_of(profile, keys.environment).authority
        return cls(profile, keys.environment, keys.signs, host, lambda: ScopedConnection.to(connection))


@dataclass(frozen=True, slots=True)
class BrowserStart:
    """One run of the browser; `others` None: no other profile is to be met."""

    kept: RunStorage
    first: FirstService
    others: OtherProfiles | None
    place: str | None
    log_level: LogLevel
    demo: bool = False
    tour: bool = False
