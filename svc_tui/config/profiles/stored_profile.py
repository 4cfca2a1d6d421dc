"""A profile with what its file alone tells: where its key and secrets are kept."""

from msgspec import Struct

from svc_tui.config.files import TrustedFile
from svc_tui.config.profiles.secrets import SecretSource
from svc_tui.core.settings import Profile


class StoredProfile(Struct, frozen=True):
    """A profile as its file has it.

    `signing_secret` None: requests go unsigned; `team_password` None: the team server asks for none.
    """

    profile: Profile
    api_key: SecretSource
    signing_secret: SecretSource | None
    team_password: SecretSource | None
    file: TrustedFile
    set_names: frozenset[str]
    """The settings that the file writes."""
