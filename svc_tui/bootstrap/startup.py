"""What one run of the browser begins with: where things are kept, which service is opened, and what is known of it."""

from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from svc_tui.bootstrap.start import Options
from svc_tui.core.credentials import Environment
from svc_tui.core.settings import Profile
from svc_tui.core.values import replace
from svc_tui.service.base_url import base_url_of
from svc_tui.session.hand_over import HandOver

if TYPE_CHECKING:
    from tempfile import TemporaryDirectory

    from svc_tui.config.paths import Locations
    from svc_tui.config.preferences.preferences import FilePreferences
    from svc_tui.config.profiles.connection import Connection
    from svc_tui.config.profiles.profiles import Profiles


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

    def connection(self, name: str) -> "Connection":
        """The service of one of them; may block. Raises ConfigError."""
        from svc_tui.config.profiles.active_profile import profile_connection

        return profile_connection(self.profiles, name, self.variables, read_only=self.read_only)


@dataclass(frozen=True, slots=True)
class BrowserStart:
    """One run of the browser: its options, and what is known of its first service before that is connected.

    `connect` makes the connection; it may block, and raises where none can be made. `host` is "" where it is not known
    before. `other_profiles` None: no other profile is to be met, as in the demo. `corrections` is a file of corrections
    to begin with, "" for none. `carried` is what goes along from the reader to the screens, or back. What is entered
    into `kept` outlives both, and ends with the run.
    """

    storage: RunStorage
    options: Options
    other_profiles: OtherProfiles | None
    profile: Profile
    environment: Environment
    signs: bool
    host: str
    connect: Callable[[], "Connection"]
    place: str | None = None
    tour: bool = False
    corrections: str = ""
    carried: HandOver | None = None
    kept: ExitStack = field(default_factory=ExitStack, repr=False)

    @classmethod
    def at(
        cls,
        connection: "Connection",
        storage: RunStorage,
        options: Options,
        other_profiles: OtherProfiles | None,
        place: str | None = None,
    ) -> "BrowserStart":
        """A run that begins with a service that everything is known of; raises BaseUrlError."""
        profile, keys = connection.profile, connection.keys
        host = base_url_of(profile, keys.environment).authority
        return cls(
            storage, options, other_profiles, profile, keys.environment, keys.signs, host, lambda: connection, place
        )


@dataclass(frozen=True, slots=True)
class InterfaceEnd:
    """How screens or reader ended: with an exit status, or, `following`, to go on in the other."""

    status: int = 0
    following: BrowserStart | None = None


def temporary_directory() -> "TemporaryDirectory[str]":
    """A directory that is gone with the run."""
    import tempfile

    return tempfile.TemporaryDirectory(prefix="svc-tui-")
