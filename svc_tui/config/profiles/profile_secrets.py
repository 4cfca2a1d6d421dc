"""Makes, rotates and removes profiles together with the key and the secret that they keep."""

from collections.abc import Mapping
from contextlib import suppress
from typing import Any, Literal

from msgspec import Struct, field

from svc_tui.config.errors import ConfigError
from svc_tui.config.profiles.active_profile import ProfileCredentials, check_base_url
from svc_tui.config.profiles.profiles import Profiles, profile_text, with_value
from svc_tui.config.profiles.secrets import (
    CommandSource,
    FileSource,
    InlineSource,
    KeyringSource,
    SecretSource,
    SecretStore,
    VariableSource,
)
from svc_tui.config.profiles.stored_profile import StoredProfile
from svc_tui.core.credentials import PREFIXES, CredentialError, KeyPair
from svc_tui.platform.processes import split_command
from svc_tui.service.base_url import BaseUrlError

PairStorage = Literal["keyring", "file"]
"""Where a pair that was typed is kept."""

_KEYRING_SERVICE = "svc-tui"
_SOURCE_FORMS = "keyring:SERVICE/NAME, env:NAME, file:PATH or command:COMMAND"


class NewProfile(Struct, frozen=True):
    """A profile to be made: either `pair` is to be kept in `keep`, or `api_key` and `signing_secret` say where it is.

    `settings` are the other keys of its file.
    """

    name: str
    pair: KeyPair | None = None
    keep: PairStorage = "keyring"
    api_key: str = ""
    signing_secret: str = ""
    settings: Mapping[str, Any] = field(default_factory=dict)


def source_table(text: str) -> dict[str, Any]:
    """What a profile's file says for `keyring:…`, `env:…`, `file:…` or `command:…`; raises ConfigError."""
    kind, colon, rest = text.partition(":")
    if any(prefix in text for prefix in PREFIXES) or not colon or not rest.strip():
        # The text is not repeated: the user may have put a secret there.
        raise ConfigError(f"don't write a key or secret on the command line; write where it is stored: {_SOURCE_FORMS}")
    if kind not in ("keyring", "env", "file", "command"):
        raise ConfigError(f"the location of a key or secret must be {_SOURCE_FORMS}")
    if kind != "command":
        return {kind: rest}
    try:
        return {kind: split_command(rest)}
    except ValueError:
        raise ConfigError("the command after command: has an open quote; close it") from None


def read_secret(profiles: Profiles, place: str, variables: Mapping[str, str]) -> str:
    """The secret that `env:…` or `command:…` gives now; raises ConfigError or CredentialError."""
    table = source_table(place)
    source = VariableSource(table["env"]) if "env" in table else CommandSource(tuple(table["command"]))
    return SecretStore(variables, profiles.directory).read(source)


def create_profile(profiles: Profiles, new: NewProfile, variables: Mapping[str, str]) -> StoredProfile:
    """Write the profile, and keep its pair where it has one; nothing is left of what fails. Raises ConfigError."""
    check_name_free(profiles, new.name)
    if new.pair is None:
        key = source_table(new.api_key)
        secret = source_table(new.signing_secret) if new.signing_secret else None
        return profiles.write(new.name, profile_text({"api_key": key, "signing_secret": secret, **new.settings}))
    values = dict(zip(_managed_places(new.name, new.keep), new.pair.secrets, strict=False))
    secrets = SecretStore(variables, profiles.directory)
    _check_unused(profiles, secrets, tuple(values))
    written = [_place_table(place) for place in values]
    text = profile_text(dict(zip(("api_key", "signing_secret"), written, strict=False)) | dict(new.settings))
    try:
        for place, value in values.items():
            secrets.keep(place, value)
            if secrets.read(place) != value:
                raise ConfigError(f"the {place} returned a different value than the saved one")
        return profiles.write(new.name, text)
    except (CredentialError, ConfigError) as error:
        for place in values:
            with suppress(CredentialError):
                secrets.forget(place)
        raise ConfigError(str(error)) from None


def check_name_free(profiles: Profiles, name: str) -> None:
    """Raises ConfigError where there is a profile of that name, or can be none."""
    if profiles.path(name).exists():
        raise ConfigError(
            f"the profile {name} already exists; change it with: svc-tui profiles edit {name}, or its key with: "
            f"svc-tui profiles rotate {name}"
        )


def _check_unused(profiles: Profiles, secrets: SecretStore, places: tuple[KeyringSource | FileSource, ...]) -> None:
    """Raises ConfigError where a key would be written over that nobody could bring back."""
    for place in places:
        users = [other for other in profiles.names() if place in _sources_in_use(profiles, other)]
        if users:
            raise ConfigError(
                f"the profile {users[0]} already has its key in the {place}; choose another name for the new profile"
            )
        if isinstance(place, FileSource) and secrets.file(place.name).exists():
            raise ConfigError(
                f"{secrets.file(place.name)} exists; move it to another directory, or use it with "
                f"--key-from file:{place.name}"
            )


def check_replaceable(stored: StoredProfile) -> None:
    """Raises ConfigError where key or secret are kept where the program can't put another."""
    for setting, source in _sources(stored).items():
        if isinstance(source, VariableSource | CommandSource):
            # What a command gives is asked for again; variables are those that a program was started with.
            started = isinstance(source, VariableSource)
            running = "restart svc-tui" if started else "press F5 in svc-tui"
            raise ConfigError(
                f"{setting} of {stored.profile.name} comes from the {source}; svc-tui can't change it. Change it "
                f"there, then {running}"
            )


def check_pair(
    profiles: Profiles, stored: StoredProfile, pair: KeyPair, variables: Mapping[str, str]
) -> KeyPair | None:
    """Return the profile's own pair, None where it can't be read: that is one more reason for a new one.

    Raises ConfigError where the pair can't be this profile's: of another environment, or with nowhere to go.
    """
    try:
        old = ProfileCredentials(profiles, stored.profile.name, variables).pair(stored)
    except CredentialError:
        old = None
    if old is not None and old.environment is not pair.environment:
        raise ConfigError(
            f"the new key is a {pair.environment.label} key, but {stored.profile.name} has a "
            f"{old.environment.label} key; create another profile with: svc-tui profiles add NAME"
        )
    try:
        check_base_url(stored, pair.environment)
    except BaseUrlError as error:
        raise ConfigError(str(error)) from None
    return old


def replace_pair(profiles: Profiles, stored: StoredProfile, pair: KeyPair, variables: Mapping[str, str]) -> None:
    """Put the pair in place of the profile's own, both or neither; raises ConfigError, and the old pair is back."""
    check_replaceable(stored)
    secrets = SecretStore(variables, profiles.directory)
    before = _readable_values(secrets, stored)
    sources = _sources(stored)
    values = dict(zip(sources, pair.secrets, strict=False))
    try:
        _write_values(profiles, secrets, stored, values)
        if ProfileCredentials(profiles, stored.profile.name, variables).read() != pair:
            raise ConfigError("the saved key and secret can't be read")
    except (CredentialError, ConfigError) as error:
        with suppress(CredentialError, ConfigError):
            _write_values(profiles, secrets, stored, before)
        raise ConfigError(f"{error}; {stored.profile.name} still has its old key and secret") from None


def remove_profile(profiles: Profiles, name: str, variables: Mapping[str, str]) -> tuple[str, ...]:
    """Remove the profile, and what it alone keeps in places that the program made; gives those. Raises ConfigError."""
    removed_places = managed_secrets(profiles, name)
    profiles.remove(name)
    secrets = SecretStore(variables, profiles.directory)
    try:
        for place in removed_places:
            secrets.forget(place)
    except CredentialError as error:
        raise ConfigError(f"removed the profile {name}, but its key can't be deleted: {error}") from None
    return tuple(map(str, removed_places))


def managed_secrets(profiles: Profiles, name: str) -> tuple[KeyringSource | FileSource, ...]:
    """The places that the program made for this profile's pair, and that no other profile uses."""
    used = _sources_in_use(profiles, name, team=False)
    others = {place for other in profiles.names() if other != name for place in _sources_in_use(profiles, other)}
    managed_places = (*_managed_places(name, "keyring"), *_managed_places(name, "file"))
    return tuple(place for place in managed_places if place in used and place not in others)


def _sources_in_use(profiles: Profiles, name: str, *, team: bool = True) -> set[SecretSource]:
    """Where the profile has key and secret, and the password of its `team`, which the program itself never keeps."""
    try:
        stored = profiles.read(name)
    except ConfigError:
        # One that can't be read keeps nothing that could be found.
        return set()
    own = set(_sources(stored).values())
    return own if stored.team_password is None or not team else {*own, stored.team_password}


def _managed_places(name: str, keep: PairStorage) -> tuple[KeyringSource | FileSource, KeyringSource | FileSource]:
    if keep == "keyring":
        return KeyringSource(_KEYRING_SERVICE, name), KeyringSource(_KEYRING_SERVICE, f"{name}-secret")
    return FileSource(f"{name}.key"), FileSource(f"{name}.secret")


def _place_table(place: KeyringSource | FileSource) -> dict[str, str]:
    match place:
        case KeyringSource(service, user):
            return {"keyring": f"{service}/{user}"}
        case FileSource(name):
            return {"file": name}


def _sources(stored: StoredProfile) -> dict[str, SecretSource]:
    sources = {"api_key": stored.api_key}
    return sources if stored.signing_secret is None else {**sources, "signing_secret": stored.signing_secret}


def _readable_values(secrets: SecretStore, stored: StoredProfile) -> dict[str, str]:
    """What key and secret are now, as far as that can be told."""
    values = {}
    for setting, source in _sources(stored).items():
        with suppress(CredentialError):
            values[setting] = secrets.read(source)
    return values


def _write_values(profiles: Profiles, secrets: SecretStore, stored: StoredProfile, values: Mapping[str, str]) -> None:
    """Put each value where its setting is kept; those that the file itself holds in one step."""
    file = stored.file
    for setting, source in reversed(_sources(stored).items()):
        if setting not in values:
            continue
        if isinstance(source, InlineSource):
            file = with_value(file, setting, values[setting])
        elif isinstance(source, KeyringSource | FileSource):
            secrets.keep(source, values[setting])
    if any(isinstance(source, InlineSource) for source in _sources(stored).values()):
        profiles.write(stored.profile.name, file.text)
