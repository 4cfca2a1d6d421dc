"""What is in force, setting by setting, and where each value came from."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields

from svc_tui.config.paths import Locations
from svc_tui.config.preferences.preferences import FilePreferences
from svc_tui.config.profiles.connecting import Selection
from svc_tui.config.profiles.environment import API_KEY, BASE_URL, SANDBOX_BASE_URL, SIGNING_SECRET
from svc_tui.config.profiles.profile_file import StoredProfile
from svc_tui.config.toml_positions import line_of, spots
from svc_tui.config.toml_text import key_text, value_text
from svc_tui.domain.model.settings import Preferences, Profile

USUAL = "built in"
_PLAIN = ("base_url", "sandbox_base_url", "page_size", "idempotency_header", "idempotency", "read_only")


@dataclass(frozen=True, slots=True)
class InForce:
    """One setting: its value as a file would write it, and where it came from; never a key or a secret."""

    name: str
    value: str
    origin: str


def of_profile(stored: StoredProfile) -> Iterator[InForce]:
    """Every setting of a profile."""
    profile, found = stored.profile, spots(stored.file.text)

    def origin(*way: str | int) -> str:
        return f"{stored.file.path}:{line_of(found, way)}" if way[0] in stored.given else USUAL

    yield InForce("api_key", str(stored.api_key), origin("api_key"))
    secret = stored.signing_secret
    yield InForce("signing_secret", "none: unsigned" if secret is None else str(secret), origin("signing_secret"))
    for name in _PLAIN:
        yield InForce(name, value_text(getattr(profile, name)), origin(name))
    for key, settings in profile.collections.items():
        for field in fields(settings):
            if value := getattr(settings, field.name):
                name = f"collections.{key_text(key)}.{field.name}"
                yield InForce(name, value_text(value), origin("collections", key, field.name))
    for number, route in enumerate(profile.routes):
        yield InForce("routes", f"{route.method} {route.path} ({route.name})", origin("routes", number))


def of_environment(variables: Mapping[str, str]) -> Iterator[InForce]:
    """What the `SVC_*` variables say; key and secret are told by whether they are there."""
    for name, variable in (("api_key", API_KEY), ("signing_secret", SIGNING_SECRET)):
        there = bool(variables.get(variable, "").strip())
        yield InForce(name, f"variable {variable}" if there else "none", variable if there else USUAL)
    for name, variable in (("base_url", BASE_URL), ("sandbox_base_url", SANDBOX_BASE_URL)):
        text = variables.get(variable, "")
        # A password could stand in it.
        yield InForce(name, value_text("…" if "@" in text else text), variable if text else USUAL)
    usual = Profile("")
    for name in _PLAIN[2:]:
        yield InForce(name, value_text(getattr(usual, name)), USUAL)


def of_preferences(found: FilePreferences, theme: str | None) -> Iterator[InForce]:
    """How the user likes the program; `theme` is the option."""
    config = found.config
    for field in fields(Preferences):
        value = getattr(found.preferences, field.name)
        written = config.place(field.name) if field.name in config.values else USUAL
        origin = found.chosen_in.get(field.name, written)
        if field.name == "theme" and theme is not None:
            origin = "--theme"
        if field.name == "keys":
            for binding, keys in value.items():
                yield InForce(f"keys.{key_text(binding)}", value_text(keys), config.place("keys", binding))
            continue
        yield InForce(field.name, value_text(value), origin)


def of_files(where: Locations, selection: Selection) -> Sequence[InForce]:
    """The profile in use, and where the program's files are."""
    name = selection.name or ("env" if selection.by else "")
    return (
        InForce("profile", value_text(name), selection.by or "nothing names one"),
        InForce("config.toml", str(where.config_file), "there" if where.config_file.exists() else "not there"),
        InForce(
            "profiles", str(where.profiles_directory), "there" if where.profiles_directory.exists() else "not there"
        ),
        InForce("state", str(where.state_directory), "there" if where.state_directory.exists() else "not there"),
    )
