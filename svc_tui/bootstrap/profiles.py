"""What is done with profiles: listed, shown, made, edited, chosen, rotated, removed, and given routes."""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from svc_tui.bootstrap.doctor.diagnose import ca_variables, failed_checks, run_checks
from svc_tui.bootstrap.start import CommandFailure, ExitStatus, Options, translate_errors, translate_errors_to
from svc_tui.bootstrap.system_editor import SystemEditor
from svc_tui.connect.checks import CheckResult
from svc_tui.connect.diagnosis import check_key_form
from svc_tui.connect.key_rotation import RotationRefused
from svc_tui.core.catalog import Route
from svc_tui.core.credentials import KeyPair
from svc_tui.core.settings import Profile
from svc_tui.core.values import replace
from svc_tui.platform.event_loops import run_on_loop
from svc_tui.service.base_url import base_url_of
from svc_tui.session.ports import TextEditorError

if TYPE_CHECKING:
    from svc_tui.client.client import SignedClient
    from svc_tui.config.effective_settings import EffectiveSetting
    from svc_tui.config.paths import Locations
    from svc_tui.config.profiles.active_profile import ProfileSelection
    from svc_tui.config.profiles.profile_secrets import PairStorage
    from svc_tui.config.profiles.profiles import Profiles
    from svc_tui.config.profiles.stored_profile import StoredProfile
    from svc_tui.console.imported_routes import ImportResult
    from svc_tui.storage.key_fingerprints import KeyFingerprints


@dataclass(frozen=True, slots=True)
class ProfileSummary:
    """A profile in a list; `mistake` says why it can't be used, "" where it can."""

    name: str
    in_use: bool
    base_url: str = ""
    sandbox_base_url: str = ""
    read_only: bool = False
    mistake: str = ""


@dataclass(frozen=True, slots=True)
class CreatedProfile:
    """A profile that was written; `in_use`: it is the one that is used when none is named."""

    file: Path
    in_use: bool


class ProfileCommands:
    """What is done with profiles, for one command: its options, and the environment that it was given.

    Every method raises CommandFailure where the command can't go on.
    """

    def __init__(self, options: Options, variables: Mapping[str, str], locations: "Locations | None" = None) -> None:
        """Make them; the files are at `locations`, None: where options and variables say."""
        self._options, self._variables = options, variables
        if locations is not None:
            self._locations = locations

    def summaries(self) -> tuple[ProfileSummary, ...]:
        """Every profile there is."""
        from svc_tui.config.errors import ConfigError

        with translate_errors():
            profiles, selected = self._profiles, self._selection().name
            summaries = []
            for name in profiles.names():
                try:
                    profile = profiles.read(name).profile
                except ConfigError as error:
                    summaries.append(ProfileSummary(name, name == selected, mistake=str(error)))
                else:
                    urls = profile.base_url, profile.sandbox_base_url
                    summaries.append(ProfileSummary(name, name == selected, *urls, profile.read_only))
            return tuple(summaries)

    def settings(self, name: str | None) -> "tuple[EffectiveSetting, ...]":
        """The settings of a profile; None: of the one in use."""
        from svc_tui.config import effective_settings

        with translate_errors():
            name = name or self._selection().name
            if name is None:
                return tuple(effective_settings.of_environment(self._variables))
            return tuple(effective_settings.of_profile(self._profiles.read(name)))

    def all_settings(self) -> "tuple[EffectiveSetting, ...]":
        """Everything that is in force, and where each value came from; no secret is read."""
        from svc_tui.config import effective_settings
        from svc_tui.config.preferences.preferences import FilePreferences

        with translate_errors():
            locations, selection = self._locations, self._selection()
            preferences = FilePreferences(locations, theme=self._options.theme)
            of_service = self.settings(selection.name) if selection.by else ()
            if self._options.read_only:
                of_service = tuple(
                    replace(one, value="true", origin="--read-only") if one.name == "read_only" else one
                    for one in of_service
                )
            files, likes = (
                effective_settings.of_files(locations, selection),
                effective_settings.of_preferences(preferences, self._options.theme, self._options.reader),
            )
            return (*files, *of_service, *likes)

    def check_new_name(self, name: str) -> None:
        """Refuse a name that a profile has, or that none can have."""
        from svc_tui.config.profiles.profile_secrets import check_name_free

        with translate_errors():
            check_name_free(self._profiles, name)

    def read_secret(self, place: str) -> str:
        """What `env:…` or `command:…` gives now, read as a profile would read it."""
        from svc_tui.config.profiles.profile_secrets import read_secret

        with translate_errors():
            return read_secret(self._profiles, place, self._variables)

    def add(
        self,
        name: str,
        *,
        pair: KeyPair | None = None,
        keep: "PairStorage" = "keyring",
        key_from: str = "",
        secret_from: str = "",
        base_url: str | None = None,
        sandbox_base_url: str | None = None,
    ) -> CreatedProfile:
        """Write a profile; the pair, where there is one, goes where `keep` says. Where it fails, nothing is left."""
        from svc_tui.config.profiles.profile_secrets import NewProfile, create_profile

        settings = {
            "base_url": base_url,
            "sandbox_base_url": sandbox_base_url,
            "read_only": True if self._options.read_only else None,
        }
        new = NewProfile(name, pair, keep, key_from, secret_from, settings)
        with translate_errors():
            profiles = self._profiles
            stored = create_profile(profiles, new, self._variables)
            if not self._selection().by:
                self.use(name)
            return CreatedProfile(stored.file.path, self._selection().name == name)

    def use(self, name: str) -> str:
        """Have the profile used when none is named; gives what is used in its place all the same, "" for nothing."""
        from svc_tui.config.preferences.preferences import FilePreferences
        from svc_tui.config.profiles.active_profile import select_profile

        with translate_errors():
            self._profiles.read(name)
            try:
                FilePreferences(self._locations).remember_profile(name)
            except OSError as error:
                raise CommandFailure(f"the current profile can't be saved: {error.strerror}") from None
            selection = select_profile(self._locations, self._variables)
            return "" if selection.name == name else selection.by

    def edit(self, name: str, again: Callable[[str], bool]) -> bool:
        """Have the profile's text edited; gives whether it was changed.

        `again` is told of a mistake in the new text, and says whether it is to be edited further. The file changes in
        one step, and only to a text that can be used.
        """
        from svc_tui.config.errors import ConfigError

        with translate_errors():
            profiles = self._profiles
            before = text = profiles.file(name).text
            from svc_tui.config.child_environment import child_environment

            while True:
                text = _edit_text(text, child_environment(self._variables, profiles.directory))
                if text == before:
                    return False
                try:
                    profiles.write(name, text)
                except ConfigError as error:
                    if not again(str(error)):
                        raise CommandFailure(f"{error}; the profile was not changed") from None
                else:
                    return True

    def managed_secrets(self, name: str) -> tuple[str, ...]:
        """What would go with the profile: the places that the program made for its pair."""
        from svc_tui.config.profiles import profile_secrets

        with translate_errors():
            profiles = self._profiles
            profiles.file(name)
            return tuple(map(str, profile_secrets.managed_secrets(profiles, name)))

    def remove(self, name: str) -> None:
        """Remove the profile and what it alone keeps in places that the program made."""
        from svc_tui.config.preferences.preferences import FilePreferences, last_profile
        from svc_tui.config.profiles import profile_secrets

        with translate_errors():
            profile_secrets.remove_profile(self._profiles, name, self._variables)
            preferences = FilePreferences(self._locations)
            if last_profile(self._locations) == name:
                try:
                    preferences.remember_profile(None)
                except OSError as error:
                    raise CommandFailure(
                        f"removed {name}, but it is still set as the default profile: {error.strerror}"
                    ) from None

    def has_signing_secret(self, name: str) -> bool:
        """Whether the profile has a signing secret beside its key; refuses one whose pair can't be replaced here."""
        from svc_tui.config.profiles.profile_secrets import check_replaceable

        with translate_errors():
            stored = self._profiles.read(name)
            check_replaceable(stored)
            return stored.signing_secret is not None

    def rotate(self, name: str, pair: KeyPair) -> tuple[CheckResult, ...]:
        """Try the new pair, and put it in the old one's place if the service takes it.

        Gives the checks that failed: with one of them, nothing was changed.
        """
        from svc_tui.config.profiles.profile_secrets import check_pair, replace_pair

        with translate_errors():
            profiles = self._profiles
            stored = profiles.read(name)
            old = check_pair(profiles, stored, pair, self._variables)
            wrong = run_on_loop(failed_checks(stored.profile, pair))
            if not wrong:
                self._note_rotation(stored, old, pair)
                replace_pair(profiles, stored, pair, self._variables)
            return wrong

    def _note_rotation(self, stored: "StoredProfile", old: KeyPair | None, new: KeyPair) -> None:
        """Have what is kept on this machine of the old key be the new one's; before another program can meet that.

        Where the old key can't be read, it is the one that the profile last connected with.
        """
        from svc_tui.storage.key_fingerprints import KeyFingerprints
        from svc_tui.storage.scope import StorageScope

        fingerprints = KeyFingerprints.existing(self._locations.key_fingerprints)
        if fingerprints is None:
            return
        profile, environment = stored.profile, new.environment
        scope = StorageScope(profile.name, environment, str(base_url_of(profile, environment)))
        origin = str(stored.api_key)
        fingerprint = fingerprints.last_used(scope, origin) if old is None else fingerprints.of(old.api_key)
        if fingerprint:
            fingerprints.add_rotation(fingerprint, new.api_key)

    def import_routes(self, name: str, file: Path) -> "ImportResult":
        """Add the routes of a document to the profile; what it has already is told among what was left out."""
        from svc_tui.config.profiles.profiles import with_routes
        from svc_tui.console.imported_routes import ImportRefused
        from svc_tui.console.read_routes import MAX_DOCUMENT_BYTES, read_routes

        with translate_errors():
            profiles = self._profiles
            stored = profiles.read(name)
            profile = stored.profile
            try:
                with file.open("rb") as opened:
                    data = opened.read(MAX_DOCUMENT_BYTES + 1)
                imported = read_routes(data, (profile.base_url, profile.sandbox_base_url), profile.catalog)
            except OSError as error:
                raise CommandFailure(f"{file} can't be read: {error.strerror}") from None
            except ImportRefused as error:
                raise CommandFailure(f"{file}: {error}") from None
            imported = _without_known_routes(imported, profile.routes)
            if imported.routes:
                profiles.write(name, with_routes(stored.file, imported.routes))
            return imported

    @cached_property
    def _locations(self) -> "Locations":
        from svc_tui.config.paths import find_locations

        return find_locations(self._variables, self._options.config)

    @cached_property
    def _profiles(self) -> "Profiles":
        from svc_tui.config.profiles.profiles import Profiles

        return Profiles(self._locations)

    def _selection(self) -> "ProfileSelection":
        from svc_tui.config.profiles.active_profile import select_profile

        return select_profile(self._locations, self._variables, self._options.profile)


class ProfileKeyRotation:
    """See `connect.key_rotation.KeyRotation`; the files of the profile are read anew each time."""

    def __init__(
        self,
        profiles: "Profiles",
        name: str,
        variables: Mapping[str, str],
        client: "SignedClient",
        fingerprints: "KeyFingerprints",
    ) -> None:
        """`client` is that of the session of the profile called `name`."""
        self._profiles, self._name, self._variables, self._client = profiles, name, variables, client
        self._fingerprints = fingerprints
        self.secrets: tuple[str, ...] = ()
        """The texts of every pair that was tried, for whatever must not let one out."""

    async def with_secret(self) -> bool:
        """Whether there is a signing secret beside the key; raises RotationRefused where neither can be replaced."""
        return await asyncio.to_thread(self._with_secret)

    def _with_secret(self) -> bool:
        from svc_tui.config.profiles import profile_secrets

        with translate_errors_to(RotationRefused):
            stored = self._profiles.read(self._name)
            profile_secrets.check_replaceable(stored)
            return stored.signing_secret is not None

    async def check(self, pair: KeyPair) -> AsyncIterator[CheckResult]:
        """What the pair tells by itself, then what the service tells; raises RotationRefused."""
        self.secrets += pair.secrets
        profile = await asyncio.to_thread(self._fitting, pair)
        yield check_key_form(pair)
        async for check in run_checks(profile, pair, ca_variables(self._variables)):
            yield check

    def _fitting(self, pair: KeyPair) -> Profile:
        """The profile, which the pair can be one of."""
        from svc_tui.config.profiles import profile_secrets

        with translate_errors_to(RotationRefused):
            stored = self._profiles.read(self._name)
            profile_secrets.check_pair(self._profiles, stored, pair, self._variables)
            return stored.profile

    async def replace(self, pair: KeyPair) -> None:
        """Put the pair where the old one is kept, and have the session go on with it; raises RotationRefused."""
        await asyncio.to_thread(self._replace, pair)
        if not await self._client.reread_keys():
            # A reading that was under way may have begun before the new pair was in its place.
            await self._client.reread_keys()

    def _replace(self, pair: KeyPair) -> None:
        from svc_tui.config.profiles import profile_secrets

        with translate_errors_to(RotationRefused):
            # Before the new key can be met anywhere: another program may read it as soon as it is in its place.
            self._fingerprints.add_rotation(self._fingerprints.of(self._client.keys.api_key), pair.api_key)
            profile_secrets.replace_pair(self._profiles, self._profiles.read(self._name), pair, self._variables)


def schema_text(name: str) -> str:
    """The JSON schema of `profile` or `config` files, for editors."""
    from svc_tui.config import json_schemas

    return json_schemas.schema_text(name)


def keyring_problem() -> str:
    """Return why the system's keyring can't be used; "" if it can."""
    from svc_tui.config.profiles.secrets import keyring_problem

    # The other sources that it names are written in a profile's file, and nobody edits one here.
    return keyring_problem().partition("; ")[0]


def _without_known_routes(imported: "ImportResult", known: Sequence[Route]) -> "ImportResult":
    """What was imported, without the routes that the profile has."""
    from svc_tui.console.imported_routes import Omission

    there = {(route.method, route.path, route.query, route.body) for route in known}
    new, omissions = [], list(imported.omissions)
    for route in imported.routes:
        if (route.method, route.path, route.query, route.body) in there:
            omissions.append(Omission(f"{route.method} {route.path}", "it is already in the profile"))
        else:
            new.append(route)
    return replace(imported, routes=tuple(new), omissions=tuple(omissions))


def _edit_text(text: str, environment: Mapping[str, str]) -> str:
    try:
        edited = run_on_loop(SystemEditor(lambda: environment).edit(text, "toml"))
    except TextEditorError as error:
        raise CommandFailure(str(error)) from None
    if not edited.wanted:
        raise CommandFailure("the editor failed; the profile was not changed", ExitStatus.FAILED)
    return edited.text
