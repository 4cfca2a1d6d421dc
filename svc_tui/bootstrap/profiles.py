"""Profiles for the command line: listed, shown, made, edited, chosen, rotated, removed, and given routes."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from svc_tui.bootstrap.doctor import found_wrong
from svc_tui.bootstrap.external_editor import OwnEditor
from svc_tui.bootstrap.start import Options, Stopped, explained
from svc_tui.domain.app.ports import TextEditorError
from svc_tui.domain.doctor.diagnosis import Check
from svc_tui.domain.model.catalog import Route
from svc_tui.domain.model.credentials import KeyPair

if TYPE_CHECKING:
    from svc_tui.config.effective_settings import InForce
    from svc_tui.config.profiles.connecting import Selection
    from svc_tui.config.profiles.profile_secrets import Keep
    from svc_tui.config.profiles.profiles import Profiles
    from svc_tui.domain.route_import.imported_routes import Imported


@dataclass(frozen=True, slots=True)
class Listed:
    """A profile in a list; `mistake` says why it can't be used, "" where it can."""

    name: str
    in_use: bool
    base_url: str = ""
    sandbox_base_url: str = ""
    read_only: bool = False
    mistake: str = ""


@dataclass(frozen=True, slots=True)
class Made:
    """A profile that was written; `in_use`: it is the one that is used when none is named."""

    file: Path
    in_use: bool


def listed(options: Options, variables: Mapping[str, str]) -> tuple[Listed, ...]:
    """Every profile there is. Raises Stopped."""
    from svc_tui.config.errors import ConfigError

    with explained():
        profiles, selected = _profiles(options, variables), _selection(options, variables).name
        found = []
        for name in profiles.names():
            try:
                profile = profiles.read(name).profile
            except ConfigError as error:
                found.append(Listed(name, name == selected, mistake=str(error)))
            else:
                urls = profile.base_url, profile.sandbox_base_url
                found.append(Listed(name, name == selected, *urls, profile.read_only))
        return tuple(found)


def shown(name: str | None, options: Options, variables: Mapping[str, str]) -> "tuple[InForce, ...]":
    """The settings of a profile; None: of the one in use. Raises Stopped."""
    from svc_tui.config import effective_settings

    with explained():
        name = name or _selection(options, variables).name
        if name is None:
            return tuple(effective_settings.of_environment(variables))
        return tuple(effective_settings.of_profile(_profiles(options, variables).read(name)))


def in_force(options: Options, variables: Mapping[str, str]) -> "tuple[InForce, ...]":
    """Everything that is in force, and where each value came from; no secret is read. Raises Stopped."""
    from svc_tui.config import effective_settings
    from svc_tui.config.paths import locations
    from svc_tui.config.preferences.preferences import FilePreferences
    from svc_tui.config.profiles.connecting import select

    with explained():
        where = locations(variables, options.config)
        preferences = FilePreferences(where, theme=options.theme)
        selection = select(where, variables, options.profile)
        of_service = shown(selection.name, options, variables) if selection.by else ()
        if options.read_only:
            of_service = tuple(
                replace(one, value="true", origin="--read-only") if one.name == "read_only" else one
                for one in of_service
            )
        files, likes = (
            effective_settings.of_files(where, selection),
            effective_settings.of_preferences(preferences, options.theme),
        )
        return (*files, *of_service, *likes)


def schema(name: str) -> str:
    """The JSON schema of `profile` or `config` files, for editors."""
    from svc_tui.config.json_schemas import schema_text

    return schema_text(name)


def check_new_name(name: str, options: Options, variables: Mapping[str, str]) -> None:
    """Raises Stopped where there is a profile of that name, or can be none."""
    from svc_tui.config.profiles.profile_secrets import check_free

    with explained():
        check_free(_profiles(options, variables), name)


def why_no_keyring() -> str:
    """Why the system's keyring can't be used, with what to do; "" where it can."""
    from svc_tui.config.profiles.secrets import why_no_keyring

    return why_no_keyring()


def secret_at(place: str, options: Options, variables: Mapping[str, str]) -> str:
    """What `env:…` or `command:…` gives now, read as a profile would read it. Raises Stopped."""
    from svc_tui.config.profiles.profile_secrets import secret_at

    with explained():
        return secret_at(_profiles(options, variables), place, variables)


def add_profile(
    name: str,
    options: Options,
    variables: Mapping[str, str],
    *,
    pair: KeyPair | None = None,
    keep: "Keep" = "keyring",
    key_from: str = "",
    secret_from: str = "",
    base_url: str | None = None,
    sandbox_base_url: str | None = None,
) -> Made:
    """Write a profile; the pair, where there is one, goes where `keep` says. Raises Stopped, and nothing is left."""
    from svc_tui.config.profiles.profile_secrets import NewProfile, make

    settings = {
        "base_url": base_url,
        "sandbox_base_url": sandbox_base_url,
        "read_only": True if options.read_only else None,
    }
    new = NewProfile(name, pair, keep, key_from, secret_from, settings)
    with explained():
        profiles = _profiles(options, variables)
        stored = make(profiles, new, variables)
        if not _selection(options, variables).by:
            use_profile(name, options, variables)
        return Made(stored.file.path, _selection(options, variables).name == name)


def use_profile(name: str, options: Options, variables: Mapping[str, str]) -> str:
    """Have the profile used when none is named; gives what is used in its place all the same, "" for nothing.

    Raises Stopped.
    """
    from svc_tui.config.paths import locations
    from svc_tui.config.preferences.preferences import FilePreferences
    from svc_tui.config.profiles.connecting import select

    with explained():
        where = locations(variables, options.config)
        _profiles(options, variables).read(name)
        try:
            FilePreferences(where).remember_profile(name)
        except OSError as error:
            raise Stopped(f"the choice can't be kept: {error.strerror}") from None
        selection = select(where, variables)
        return "" if selection.name == name else selection.by


def edit_profile(name: str, options: Options, variables: Mapping[str, str], again: Callable[[str], bool]) -> bool:
    """Have the profile's text edited; gives whether it was changed.

    `again` is told of a mistake in the new text, and says whether it is to be edited further. The file changes in one
    step, and only to a text that can be used. Raises Stopped.
    """
    from svc_tui.config.errors import ConfigError

    with explained():
        profiles = _profiles(options, variables)
        before = text = profiles.file(name).text
        while True:
            text = _edited(text, variables)
            if text == before:
                return False
            try:
                profiles.write(name, text)
            except ConfigError as error:
                if not again(str(error)):
                    raise Stopped(f"{error}; the profile is as it was") from None
            else:
                return True


def own_secrets(name: str, options: Options, variables: Mapping[str, str]) -> tuple[str, ...]:
    """What would go with the profile: the places that the program made for its pair. Raises Stopped."""
    from svc_tui.config.profiles import profile_secrets

    with explained():
        profiles = _profiles(options, variables)
        profiles.file(name)
        return tuple(map(str, profile_secrets.own_secrets(profiles, name)))


def remove_profile(name: str, options: Options, variables: Mapping[str, str]) -> None:
    """Remove the profile and what it alone keeps in places that the program made. Raises Stopped."""
    from svc_tui.config.paths import locations
    from svc_tui.config.preferences.preferences import FilePreferences, last_profile
    from svc_tui.config.profiles import profile_secrets

    with explained():
        where = locations(variables, options.config)
        profile_secrets.remove(_profiles(options, variables), name, variables)
        preferences = FilePreferences(where)
        if last_profile(where) == name:
            try:
                preferences.remember_profile(None)
            except OSError as error:
                raise Stopped(f"{name} is removed, but still chosen: {error.strerror}") from None


def takes_secret(name: str, options: Options, variables: Mapping[str, str]) -> bool:
    """Whether the profile has a signing secret beside its key; raises Stopped where neither can be replaced here."""
    from svc_tui.config.profiles.profile_secrets import check_replaceable

    with explained():
        stored = _profiles(options, variables).read(name)
        check_replaceable(stored)
        return stored.signing_secret is not None


def rotate_profile(name: str, pair: KeyPair, options: Options, variables: Mapping[str, str]) -> tuple[Check, ...]:
    """Try the new pair, and put it in the old one's place if the service takes it.

    Gives the checks that failed: with one of them, nothing was changed. Raises Stopped.
    """
    from svc_tui.config.profiles.profile_secrets import check_pair, replace_pair

    with explained():
        profiles = _profiles(options, variables)
        stored = profiles.read(name)
        check_pair(profiles, stored, pair, variables)
        wrong = asyncio.run(found_wrong(stored.profile, pair))
        if not wrong:
            replace_pair(profiles, stored, pair, variables)
        return wrong


def import_routes(name: str, file: Path, options: Options, variables: Mapping[str, str]) -> "Imported":
    """Add the routes of a document to the profile; what it has already is told among what was left out.

    Raises Stopped.
    """
    from svc_tui.config.profiles.profiles import with_routes
    from svc_tui.domain.route_import.imported_routes import ImportRefused
    from svc_tui.domain.route_import.read_routes import MOST_BYTES, read_routes

    with explained():
        profiles = _profiles(options, variables)
        stored = profiles.read(name)
        profile = stored.profile
        try:
            with file.open("rb") as opened:
                data = opened.read(MOST_BYTES + 1)
            imported = read_routes(data, (profile.base_url, profile.sandbox_base_url), profile.catalog)
        except OSError as error:
            raise Stopped(f"{file} can't be read: {error.strerror}") from None
        except ImportRefused as error:
            raise Stopped(f"{file}: {error}") from None
        imported = _without(imported, profile.routes)
        if imported.routes:
            profiles.write(name, with_routes(stored.file, imported.routes))
        return imported


def _without(imported: "Imported", known: Sequence[Route]) -> "Imported":
    """What was imported, without the routes that the profile has."""
    from svc_tui.domain.route_import.imported_routes import LeftOut

    there = {(route.method, route.path, route.query, route.body) for route in known}
    new, left_out = [], list(imported.left_out)
    for route in imported.routes:
        if (route.method, route.path, route.query, route.body) in there:
            left_out.append(LeftOut(f"{route.method} {route.path}", "the profile has it already"))
        else:
            new.append(route)
    return replace(imported, routes=tuple(new), left_out=tuple(left_out))


def _edited(text: str, variables: Mapping[str, str]) -> str:
    try:
        edited = asyncio.run(OwnEditor(variables).edit(text, "toml"))
    except TextEditorError as error:
        raise Stopped(str(error)) from None
    if not edited.wanted:
        raise Stopped("the editor did not end well; the profile is as it was", 1)
    return edited.text


def _profiles(options: Options, variables: Mapping[str, str]) -> "Profiles":

    from svc_tui.config.paths import locations

    return Profiles(locations(variables, options.config))


def _selection(options: Options, variables: Mapping[str, str]) -> "Selection":
    from svc_tui.config.paths import locations
    from svc_tui.config.profiles.connecting import select

    return select(locations(variables, options.config), variables, options.profile)
