"""The profile and the credentials that the environment variables `SVC_*` describe."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from svc_tui.config.errors import ConfigError
from svc_tui.config.profiles.connection import Connection
from svc_tui.core.credentials import CredentialError, Environment, KeyPair
from svc_tui.core.settings import Profile
from svc_tui.service.base_url import BaseUrlError, base_url_of

API_KEY = "SVC_API_KEY"
SIGNING_SECRET = "SVC_SIGNING_SECRET"  # noqa: S105  the variable's name
BASE_URL = "SVC_BASE_URL"
SANDBOX_BASE_URL = "SVC_SANDBOX_BASE_URL"
ENVIRONMENT_PROFILE = "env"
"""What the profile made of environment variables is called."""


@dataclass(frozen=True, slots=True)
class EnvironmentCredentials:
    """The key pair of a mapping of variables, read anew each time; see `service.gateway.Credentials`."""

    variables: Mapping[str, str] = field(repr=False)

    def read(self) -> KeyPair:
        """The pair as it stands now; raises CredentialError that names the variable."""
        try:
            return KeyPair(
                self.variables.get(API_KEY, "").strip(), self.variables.get(SIGNING_SECRET, "").strip() or None
            )
        except CredentialError as error:
            raise CredentialError(f"{_variable_at_fault(error)}: {error}") from None


def has_key(variables: Mapping[str, str]) -> bool:
    """Whether the environment names a key at all."""
    return bool(variables.get(API_KEY, "").strip())


def environment_connection(variables: Mapping[str, str], *, read_only: bool = False) -> Connection:
    """The service as the variables describe it; raises ConfigError for a mistake, or where no key is set."""
    if not has_key(variables):
        raise ConfigError(
            f"no key is set; set {API_KEY}, create a profile with svc-tui profiles add NAME, or try svc-tui demo"
        )
    credentials = EnvironmentCredentials(variables)
    profile = Profile(
        ENVIRONMENT_PROFILE,
        base_url=variables.get(BASE_URL, ""),
        sandbox_base_url=variables.get(SANDBOX_BASE_URL, ""),
        read_only=read_only,
        key_from=API_KEY,
    )
    try:
        keys = credentials.read()
        base_url_of(profile, keys.environment)
    except (CredentialError, BaseUrlError) as error:
        raise ConfigError(str(error)) from None
    address = BASE_URL if keys.environment is Environment.LIVE else SANDBOX_BASE_URL
    settings = tuple(name for name in (API_KEY, SIGNING_SECRET, address) if variables.get(name, "").strip())
    return Connection(profile, keys, credentials, API_KEY, settings)


def _variable_at_fault(error: CredentialError) -> str:
    return SIGNING_SECRET if "signing secret" in str(error) else API_KEY
