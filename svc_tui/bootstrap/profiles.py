"""Profiles for the command line: listed, shown, made, edited, chosen, rotated, removed, and given routes."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from svc_tui.bootstrap.doctor import failed_checks
from svc_tui.bootstrap.external_editor import SystemEditor
from svc_tui.bootstrap.start import CommandFailure, Options, translate_errors
from svc_tui.domain.app.ports import TextEditorError
from svc_tui.domain.doctor.check_result import CheckResult
from svc_tui.domain.model.catalog import Route
from svc_tui.domain.model.credentials import KeyPair

if TYPE_CHECKING:
    from svc_tui.config.effective_settings import EffectiveSetting
    from svc_tui.config.profiles.active_profile import ProfileSelection
    from svc_tui.config.profiles.profile_secrets import PairStorage
    from svc_tui.config.profiles.profiles import Profiles
    from svc_tui.domain.route_import.imported_routes import ImportResult


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


def profile_summaries(options: Options, variables: Mapping[str, str]) -> tuple[ProfileSummary, ...]:
    """Every profile there is. Raises Stopped."""
    from svc_tui.config.errors import ConfigError

    with translate_errors():
        profiles, selected = _profiles(options, variables), _selection(options, variables).name
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


def profile_settings(
    name: str | None, options: Options, variables: Mapping[str, str]
) -> "tuple[EffectiveSetting, ...]":
    """The settings of a profile; None: of the one in use. Raises Stopped."""
    from svc_tui.config import effective_settings

    with translate_errors():
        name = name or _selection(options, variables).name
        if name is None:
            return tuple(effective_settings.of_environment(variables))
        return tuple(effective_settings.of_profile(_profiles(options, variables).read(name)))


def all_settings(options: Options, variables: Mapping[str, str]) -> "tuple[EffectiveSetting, ...]":
    """Everything that is in force, and where each value came from; no secret is read. Raises Stopped."""
    from svc_tui.config import effective_settings
    from svc_tui.config.paths import find_locations
    from svc_tui.config.preferences.preferences import FilePreferences
    from svc_tui.config.profiles.active_profile import select_profile

    with translate_errors():
        locations = find_locations(variables, options.config)
        preferences = FilePreferences(locations, theme=options.theme)
        selection = select_profile(locations, variables, options.profile)
        of_service = profile_settings(selection.name, options, variables) if selection.by else ()
        if options.read_only:
            of_service = tuple(
                replace(one, value="true", origin="--read-only") if one.name == "read_only" else one
                for one in of_service
            )
        files, likes = (
            effective_settings.of_files(locations, selection),
            effective_settings.of_preferences(preferences, options.theme),
        )
        return (*files, *of_service, *likes)


def schema(name: str) -> str:
    """The JSON schema of `profile` or `config` files, for editors."""
    from svc_tui.config.json_schemas import schema_text

    return schema_text(name)


def check_new_name(name: str, options: Options, variables: Mapping[str, str]) -> None:
    """Raises Stopped where there is a profile of that name, or can be none."""
    from svc_tui.config.profiles.profile_secrets import check_name_free

    with translate_errors():
        check_name_free(_profiles(options, variables), name)


def keyring_problem() -> str:
    """Why the system's keyring can't be used, with what to do; "" where it can."""
    from svc_tui.config.profiles.secrets import keyring_problem

    return keyring_problem()


def read_secret(place: str, options: Options, variables: Mapping[str, str]) -> str:
    """What `env:…` or `command:…` gives now, read as a profile would read it. Raises Stopped."""
    from svc_tui.config.profiles.profile_secrets import read_secret

    with translate_errors():
        return read_secret(_profiles(options, variables), place, variables)


def add_profile(
    name: str,
    options: Options,
    variables: Mapping[str, str],
    *,
    pair: KeyPair | None = None,
    keep: "PairStorage" = "keyring",
    key_from: str = "",
    secret_from: str = "",
    base_url: str | None = None,
    sandbox_base_url: str | None = None,
) -> CreatedProfile:
    """Write a profile; the pair, where there is one, goes where `keep` says. Raises Stopped, and nothing is left."""
    from svc_tui.config.profiles.profile_secrets import NewProfile, create_profile

    settings = {
        "base_url": base_url,
        "sandbox_base_url": sandbox_base_url,
        "read_only": True if options.read_only else None,
    }
    new = NewProfile(name, pair, keep, key_from, secret_from, settings)
    with translate_errors():
        profiles = _profiles(options, variables)
        stored = create_profile(profiles, new, variables)
        if not _selection(options, variables).by:
            use_profile(name, options, variables)
        return CreatedProfile(stored.file.path, _selection(options, variables).name == name)


def use_profile(name: str, options: Options, variables: Mapping[str, str]) -> str:
    """Have the profile used when none is named; gives what is used in its place all the same, "" for nothing.

    Raises Stopped.
    """
    from svc_tui.config.paths import find_locations
    from svc_tui.config.preferences.preferences import FilePreferences
    from svc_tui.config.profiles.active_profile import select_profile

    with translate_errors():
        locations = find_locations(variables, options.config)
        _profiles(options, variables).read(name)
        try:
            FilePreferences(locations).remember_profile(name)
        except OSError as error:
            raise CommandFailure(f"the choice can't be kept: {error.strerror}") from None
        selection = select_profile(locations, variables)
        return "" if selection.name == name else selection.by


def edit_profile(name: str, options: Options, variables: Mapping[str, str], again: Callable[[str], bool]) -> bool:
    """Have the profile's text edited; gives whether it was changed.

    `again` is told of a mistake in the new text, and says whether it is to be edited further. The file changes in one
    step, and only to a text that can be used. Raises Stopped.
    """
    from svc_tui.config.errors import ConfigError

    with translate_errors():
        profiles = _profiles(options, variables)
        before = text = profiles.file(name).text
        while True:
            text = _edit_text(text, variables)
            if text == before:
                return False
            try:
                profiles.write(name, text)
            except ConfigError as error:
                if not again(str(error)):
                    raise CommandFailure(f"{error}; the profile is as it was") from None
            else:
                return True


def managed_secrets(name: str, options: Options, variables: Mapping[str, str]) -> tuple[str, ...]:
    """What would go with the profile: the places that the program made for its pair. Raises Stopped."""
    from svc_tui.config.profiles import profile_secrets

    with translate_errors():
        profiles = _profiles(options, variables)
        profiles.file(name)
        return tuple(map(str, profile_secrets.managed_secrets(profiles, name)))


def remove_profile(name: str, options: Options, variables: Mapping[str, str]) -> None:
    """Remove the profile and what it alone keeps in places that the program made. Raises Stopped."""
    from svc_tui.config.paths import find_locations
    from svc_tui.config.preferences.preferences import FilePreferences, last_profile
    from svc_tui.config.profiles import profile_secrets

    with translate_errors():
        locations = find_locations(variables, options.config)
        profile_secrets.remove_profile(_profiles(options, variables), name, variables)
        preferences = FilePreferences(locations)
        if last_profile(locations) == name:
            try:
                preferences.remember_profile(None)
            except OSError as error:
                raise CommandFailure(f"{name} is removed, but still chosen: {error.strerror}") from None


def has_signing_secret(name: str, options: Options, variables: Mapping[str, str]) -> bool:
    """Whether the profile has a signing secret beside its key; raises Stopped where neither can be replaced here."""
    from svc_tui.config.profiles.profile_secrets import check_replaceable

    with translate_errors():
        stored = _profiles(options, variables).read(name)
        check_replaceable(stored)
        return stored.signing_secret is not None


def rotate_profile(name: str, pair: KeyPair, options: Options, variables: Mapping[str, str]) -> tuple[CheckResult, ...]:
    """Try the new pair, and put it in the old one's place if the service takes it.

    Gives the checks that failed: with one of them, nothing was changed. Raises Stopped.
    """
    from svc_tui.config.profiles.profile_secrets import check_pair, replace_pair

    with translate_errors():
        profiles = _profiles(options, variables)
        stored = profiles.read(name)
        check_pair(profiles, stored, pair, variables)
        wrong = asyncio.run(failed_checks(stored.profile, pair))
        if not wrong:
            replace_pair(profiles, stored, pair, variables)
        return wrong


def import_routes(name: str, file: Path, options: Options, variables: Mapping[str, str]) -> "ImportResult":
    """Add the routes of a document to the profile; what it has already is told among what was left out.

    Raises Stopped.
    """
    from svc_tui.config.profiles.profiles import with_routes
    from svc_tui.domain.route_import.imported_routes import ImportRefused
    from svc_tui.domain.route_import.read_routes import MAX_DOCUMENT_BYTES, read_routes

    with translate_errors():
        profiles = _profiles(options, variables)
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


def _without_known_routes(imported: "ImportResult", known: Sequence[Route]) -> "ImportResult":
    """What was imported, without the routes that the profile has."""
    from svc_tui.domain.route_import.imported_routes import Omission

    there = {(route.method, route.path, route.query, route.body) for route in known}
    new, omissions = [], list(imported.omissions)
    for route in imported.routes:
        if (route.method, route.path, route.query, route.body) in there:
            omissions.append(Omission(f"{route.method} {route.path}", "the profile has it already"))
        else:
            new.append(route)
    return replace(imported, routes=tuple(new), omissions=tuple(omissions))


def _edit_text(text: str, variables: Mapping[str, str]) -> str:
    try:
        edited = asyncio.run(SystemEditor(variables).edit(text, "toml"))
    except TextEditorError as error:
        raise CommandFailure(str(error)) from None
    if not edited.wanted:
        raise CommandFailure("the editor did not end well; the profile is as it was", 1)
    return edited.text


def _profiles(options: Options, variables: Mapping[str, str]) -> "Profiles":

    from svc_tui.config.paths import find_locations
    from svc_tui.config.profiles.profiles import Profiles

    return Profiles(find_locations(variables, options.config))


def _selection(options: Options, variables: Mapping[str, str]) -> "ProfileSelection":
    from svc_tui.config.paths import find_locations
    from svc_tui.config.profiles.active_profile import select_profile

    return select_profile(find_locations(variables, options.config), variables, options.profile)
