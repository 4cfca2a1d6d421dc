"""How the service is reached: what a profile or the environment comes to."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from svc_tui.core.credentials import KeyPair
from svc_tui.core.settings import Profile
from svc_tui.core.values import replace
from svc_tui.service.base_url import base_url_of

if TYPE_CHECKING:
    from svc_tui.service.gateway import Credentials
    from svc_tui.storage.scope import StorageScope


def _no_password() -> str:
    return ""


@dataclass(frozen=True, slots=True)
class Connection:
    """The profile, the key pair now, and where to read it again."""

    profile: Profile
    keys: KeyPair
    credentials: "Credentials" = field(repr=False)
    key_origin: str
    """Where the key comes from, in the journal's words; never the key."""
    settings: tuple[str, ...] = ()
    """What key, secret and base URL come from, as far as they are set."""
    file: Path | None = None
    """The profile's file; None for the environment."""
    uses_keyring: bool = False
    """Whether the key comes from the system's keyring."""
    key_is_asked_for: bool = False
    """Whether reading the key asks the system's keyring, or starts a command."""
    filed_under: str = ""
    """What drafts and journal are filed under; "" for the base URL."""
    read_team_password: Callable[[], str] = field(default=_no_password, repr=False)
    """Gives the team's password as it stands now, "" where none is set.

    May block; raises CredentialError that names file, line and source.
    """

    @property
    def scope(self) -> "StorageScope":
        """What drafts, journal and history of this service are filed under; raises BaseUrlError."""
        from svc_tui.storage.scope import StorageScope

        environment = self.keys.environment
        return StorageScope(
            self.profile.name, environment, self.filed_under or str(base_url_of(self.profile, environment))
        )

    def as_read_only(self) -> "Connection":
        """The same, with writes refused."""
        return replace(self, profile=replace(self.profile, read_only=True))
