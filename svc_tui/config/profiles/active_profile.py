"""Which profile is in use, and what connects to its service: key, secret and base URLs from one place, whole."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from msgspec import Struct

from svc_tui.config.errors import ConfigError
from svc_tui.config.paths import Locations
from svc_tui.config.profiles.connection import Connection
from svc_tui.config.profiles.environment import environment_connection, has_key
from svc_tui.core.credentials import CredentialError, Environment, KeyPair
from svc_tui.core.values import replace
from svc_tui.service.base_url import BaseUrlError, base_url_of

if TYPE_CHECKING:
    from svc_tui.config.profiles.profiles import Profiles
    from svc_tui.config.profiles.secrets import SecretSource
    from svc_tui.config.profiles.stored_profile import StoredProfile
    from svc_tui.core.settings import Profile
    from svc_tui.storage.scope import StorageScope

PROFILE_VARIABLE = "SVC_TUI_PROFILE"
"""The variable that names a profile."""


class ProfileSelection(Struct, frozen=True):
    """The profile to use: `name` None is the environment; `by` is what named it, "" where nothing did."""

    name: str | None
    by: str


def select_profile(locations: Locations, variables: Mapping[str, str], named: str | None = None) -> ProfileSelection:
    """The profile that an option (`named`), the environment, the last choice or `config.toml` names, in that order.

    Raises ConfigError where one of them can't be read.
    """
    if named is not None:
        return ProfileSelection(named, "--profile")
    if variables.get(PROFILE_VARIABLE):
        return ProfileSelection(variables[PROFILE_VARIABLE], PROFILE_VARIABLE)
    if has_key(variables):
        return ProfileSelection(None, "SVC_API_KEY")
    from svc_tui.config.preferences.preferences import last_profile, read_config

    if (last := last_profile(locations)) is not None:
        return ProfileSelection(last, f"{locations.state_file}: last chosen")
    config = read_config(locations)
    if (usual := config.values.get("default_profile")) is not None:
        return ProfileSelection(usual, f"{config.place('default_profile')}: default_profile")
    return ProfileSelection(None, "")


def resolve_connection(
    locations: Locations, variables: Mapping[str, str], named: str | None = None, *, read_only: bool = False
) -> Connection:
    """The service of the profile in use, see `select`; may block. Raises ConfigError for any mistake on the way."""
    selection = select_profile(locations, variables, named)
    if selection.name is None:
        return environment_connection(variables, read_only=read_only)
    return profile_connection(_known_profiles(locations, selection), selection.name, variables, read_only=read_only)


@dataclass(frozen=True, slots=True)
class ScopedProfile:
    """A profile, and what is filed under it on this machine.

    `key_origin` says where its key comes from. `read_key` gives the key where that asks nobody and starts nothing, else
    None; it raises CredentialError. `read_team_password` gives its team's password, "" where none is set; it may block,
    and raises CredentialError.
    `from_environment`: the SVC_* variables describe it, so that there is no file to edit.
    """

    profile: "Profile"
    scope: "StorageScope"
    key_origin: str
    read_key: Callable[[], str] | None = field(repr=False)
    read_team_password: Callable[[], str] = field(default=str, repr=False)
    from_environment: bool = False


def resolve_scope(locations: Locations, variables: Mapping[str, str], named: str | None = None) -> ScopedProfile:
    """What the service of the profile in use is filed under, where nothing is to be sent to it.

    The signing secret is not read, and the key only where the profile has a base URL for either environment. May block
    then. Raises ConfigError for any mistake on the way.
    """
    selection = select_profile(locations, variables, named)
    if selection.name is None:
        connection = environment_connection(variables)
        return ScopedProfile(
            connection.profile,
            connection.scope,
            connection.key_origin,
            lambda: connection.keys.api_key,
            from_environment=True,
        )
    from svc_tui.storage.scope import StorageScope

    profiles = _known_profiles(locations, selection)
    stored = profiles.read(selection.name)
    credentials = ProfileCredentials(profiles, selection.name, variables)
    try:
        environment = credentials.environment(stored)
        check_base_url(stored, environment)
        base_url = str(base_url_of(stored.profile, environment))
    except (CredentialError, BaseUrlError) as error:
        raise ConfigError(str(error)) from None
    scope = StorageScope(stored.profile.name, environment, base_url)
    from svc_tui.config.profiles.secrets import CommandSource, KeyringSource

    asks = isinstance(stored.api_key, KeyringSource | CommandSource)
    read_key = None if asks else lambda: credentials.api_key(stored)
    return ScopedProfile(stored.profile, scope, str(stored.api_key), read_key, credentials.team_password)


def _known_profiles(locations: Locations, selection: ProfileSelection) -> "Profiles":
    """The user's profiles; raises ConfigError where the one that is selected is none of them."""
    from svc_tui.config.profiles.profiles import Profiles

    profiles = Profiles(locations)
    if selection.name is not None and selection.name not in profiles.names():
        profiles.path(selection.name)
        raise ConfigError(
            f"there is no profile {selection.name} ({selection.by}); {profiles.known(selection.name)}"
            + (
                ""
                if selection.by in ("--profile", PROFILE_VARIABLE)
                else "; choose one with: svc-tui profiles use NAME"
            )
        )
    return profiles


def profile_connection(
    profiles: "Profiles", name: str, variables: Mapping[str, str], *, read_only: bool = False
) -> Connection:
    """The service of one profile, whatever else is set; may block. Raises ConfigError."""
    from svc_tui.config.profiles.secrets import CommandSource, KeyringSource, VariableSource

    stored = profiles.read(name)
    credentials = ProfileCredentials(profiles, name, variables)
    # What a variable or a command gives can't be replaced here.
    key_from = str(stored.api_key) if isinstance(stored.api_key, VariableSource | CommandSource) else ""
    read_only = stored.profile.read_only or read_only
    profile = replace(stored.profile, read_only=read_only, key_from=key_from.removeprefix("variable "))
    try:
        keys = credentials.pair(stored)
        check_base_url(stored, keys.environment)
    except (CredentialError, BaseUrlError) as error:
        raise ConfigError(str(error)) from None
    address = "base_url" if keys.environment is Environment.LIVE else "sandbox_base_url"
    secret = stored.signing_secret
    settings = (f"api_key ({stored.api_key})", *([f"signing_secret ({secret})"] if secret else []), address)

    in_keyring = isinstance(stored.api_key, KeyringSource)
    origin = str(stored.api_key)
    return Connection(
        profile,
        keys,
        credentials,
        origin,
        settings,
        stored.file.path,
        uses_keyring=in_keyring,
        key_is_asked_for=isinstance(stored.api_key, KeyringSource | CommandSource),
        read_team_password=credentials.team_password,
    )


@dataclass(frozen=True, slots=True)
class ProfileCredentials:
    """The key pair of a profile, and its team's password, read anew each time, the profile's file too.

    See `service.gateway.Credentials`.
    """

    profiles: "Profiles"
    name: str
    variables: Mapping[str, str] = field(repr=False)

    def read(self) -> KeyPair:
        """The pair as it stands now; may block; raises CredentialError that names file, line and source."""
        try:
            return self.pair(self.profiles.read(self.name))
        except ConfigError as error:
            raise CredentialError(str(error)) from None

    def team_password(self) -> str:
        """The team's password now, "" where none is set; may block; raises CredentialError, see `read`."""
        try:
            stored = self.profiles.read(self.name)
        except ConfigError as error:
            raise CredentialError(str(error)) from None
        place = stored.team_password
        return "" if place is None else self._value(stored, "team_password", place)

    def pair(self, stored: "StoredProfile") -> KeyPair:
        """The pair of the profile as it was read; may block; raises CredentialError."""
        key = self._value(stored, "api_key", stored.api_key)
        place = stored.signing_secret
        secret = None if place is None else self._value(stored, "signing_secret", place)
        try:
            pair = KeyPair(key, secret)
        except CredentialError as error:
            setting = "signing_secret" if "signing secret" in str(error) else "api_key"
            raise CredentialError(f"{_setting_location(stored, setting)}: {error}") from None
        from svc_tui.config.profiles.secrets import InlineSource

        if pair.environment is Environment.LIVE and isinstance(stored.signing_secret, InlineSource):
            raise CredentialError(
                f"{_setting_location(stored, 'signing_secret')} is in plain text, which is only allowed for test keys; "
                "store it in a keyring, file, variable (env) or command"
            )
        return pair

    def api_key(self, stored: "StoredProfile") -> str:
        """The key of the profile alone; may block; raises CredentialError."""
        return self._value(stored, "api_key", stored.api_key)

    def environment(self, stored: "StoredProfile") -> Environment:
        """The environment of the profile's key, which is not read where only one comes into question.

        May block; raises CredentialError.
        """
        names = stored.set_names & {"base_url", "sandbox_base_url"}
        if len(names) == 1:
            return Environment.LIVE if "base_url" in names else Environment.SANDBOX
        key = self._value(stored, "api_key", stored.api_key)
        try:
            return KeyPair(key).environment
        except CredentialError as error:
            raise CredentialError(f"{_setting_location(stored, 'api_key')}: {error}") from None

    def _value(self, stored: "StoredProfile", setting: str, source: "SecretSource") -> str:
        from svc_tui.config.profiles.secrets import SecretStore

        try:
            return SecretStore(self.variables, stored.file.path.parent).read(source)
        except CredentialError as error:
            raise CredentialError(f"{_setting_location(stored, setting)}: {error}") from None


def _setting_location(stored: "StoredProfile", setting: str) -> str:
    from svc_tui.config.toml_positions import find_positions, line_of

    return f"{stored.file.path}:{line_of(find_positions(stored.file.text), (setting,))}: {setting}"


def check_base_url(stored: "StoredProfile", environment: Environment) -> None:
    """Raises BaseUrlError where the profile has no base URL for keys of the environment, or one that can't be used."""
    live = environment is Environment.LIVE
    profile, setting = stored.profile, "base_url" if live else "sandbox_base_url"
    if setting not in stored.set_names:
        raise BaseUrlError(
            f"{stored.file.path}: {setting} is missing, but the key is a {'svc_live_' if live else 'svc_test_'} key; "
            f"add it with: svc-tui profiles edit {profile.name}"
        )
    base_url_of(profile, environment)
