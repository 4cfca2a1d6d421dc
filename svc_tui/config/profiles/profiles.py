"""The user's profiles, `profiles/NAME.toml` beside `config.toml`: listed, read, and written whole and atomically."""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from svc_tui.config.errors import ConfigError, did_you_mean
from svc_tui.config.files import TrustedFile, check_owner, parse_toml, read_trusted, write_text
from svc_tui.config.paths import Locations

if TYPE_CHECKING:
    from svc_tui.config.profiles.stored_profile import StoredProfile
    from svc_tui.core.catalog import Route

RESERVED_NAMES = ("demo", "env")
"""Names under which the program files what belongs to no file."""

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_ENDING = ".toml"


class Profiles:
    """The profiles of one user."""

    def __init__(self, locations: Locations) -> None:
        self.directory = locations.profiles_directory

    def names(self) -> tuple[str, ...]:
        """Every profile there is, by name; raises ConfigError where the directory can't be read."""
        try:
            files = [file.name.removesuffix(_ENDING) for file in self.directory.iterdir() if file.suffix == _ENDING]
        except FileNotFoundError:
            return ()
        except OSError as error:
            raise ConfigError(f"{self.directory} can't be read: {error.strerror}") from None
        return tuple(sorted(name for name in files if is_profile_name(name)))

    def path(self, name: str) -> Path:
        """Where the profile of that name is, or would be; raises ConfigError for what can't be one."""
        check_profile_name(name)
        return self.directory / f"{name}{_ENDING}"

    def read(self, name: str) -> "StoredProfile":
        """The profile, checked; raises ConfigError for one that is not there or can't be used."""
        from svc_tui.config.profiles.profile_file import read_profile

        return read_profile(name, self.file(name))

    def file(self, name: str) -> TrustedFile:
        """The profile's file as it is written; raises ConfigError."""
        path = self.path(name)
        try:
            # Who can write in it can put another file in the profile's place.
            check_owner(self.directory)
            return read_trusted(path)
        except FileNotFoundError:
            raise ConfigError(f"there is no profile {name}; {self.known(name)}") from None
        except OSError as error:
            raise ConfigError(f"{path} can't be read: {error.strerror}") from None

    def known(self, name: str = "") -> str:
        """Which profiles there are, and which of them `name` may have meant."""
        names = self.names()
        if not names:
            return f"create it with: svc-tui profiles add {name or 'NAME'}"
        return f"available: {', '.join(names)}{did_you_mean(name, names)}"

    def write(self, name: str, text: str) -> "StoredProfile":
        """Put the text in place of the profile's file once it is found good; gives it as it is read back.

        Raises ConfigError for a mistake in the text, or where it can't be written; then the file is as it was.
        """
        from svc_tui.config.profiles.profile_file import read_profile

        path = self.path(name)
        checked = read_profile(name, TrustedFile(path, text, 0o600))
        try:
            write_text(path, text)
        except OSError as error:
            raise ConfigError(f"{path} can't be written: {error.strerror}") from None
        return checked

    def remove(self, name: str) -> None:
        """Remove the profile's file; raises ConfigError."""
        path = self.path(name)
        try:
            path.unlink()
        except OSError as error:
            raise ConfigError(f"{path} can't be removed: {error.strerror}") from None


def is_profile_name(text: str) -> bool:
    """Whether a profile can be called so."""
    return _NAME.fullmatch(text) is not None and text not in RESERVED_NAMES


def check_profile_name(name: str) -> None:
    """Raises ConfigError for what no profile can be called."""
    if name in RESERVED_NAMES:
        raise ConfigError(f"{name} is reserved by svc-tui; choose another name for the profile")
    if not is_profile_name(name):
        raise ConfigError(
            f'"{name}" is not a valid profile name; use up to 64 letters, digits, dots, hyphens and underscores, '
            "beginning with a letter or digit"
        )


def profile_text(settings: Mapping[str, Any]) -> str:
    """The text of a new profile's file: `settings` are its keys, those that are None left out."""
    from svc_tui.config.toml_text import value_text

    return "".join(f"{key} = {value_text(value)}\n" for key, value in settings.items() if value is not None)


def with_value(file: TrustedFile, key: str, value: str) -> TrustedFile:
    """The file with another text at one of its keys, and not a character else changed."""
    from svc_tui.config.toml_positions import find_positions
    from svc_tui.config.toml_text import value_text

    spot = find_positions(file.text)[(key,)]
    text = f"{file.text[: spot.start]}{value_text(value)}{file.text[spot.end :]}"
    return TrustedFile(file.path, text, file.mode)


def with_routes(file: TrustedFile, routes: "Sequence[Route]") -> str:
    """The file's text with the routes behind what it holds, comments and all; raises ConfigError where that can't be.

    A list of routes written as `routes = […]` is not one that lines can be added to.
    """
    before = parse_toml(file.path, file.text)
    added = "".join(f"\n[[routes]]\n{_route_text(route)}" for route in routes)
    text = f"{file.text.rstrip()}\n{added}"
    try:
        after: dict[str, Any] = parse_toml(file.path, text)
    except ConfigError:
        after = {}
    if len(after.get("routes", ())) != len(before.get("routes", ())) + len(routes):
        raise ConfigError(f"{file.path}: routes is a list in brackets; change each route to a [[routes]] table")
    return text


def _route_text(route: "Route") -> str:
    table: dict[str, Any] = {"name": route.name, "method": route.method, "path": route.path}
    if route.query:
        table["query"] = dict(route.query)
    if route.body:
        table["body"] = route.body
    return profile_text(table)
