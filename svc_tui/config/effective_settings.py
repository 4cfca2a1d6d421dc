"""What is in force, setting by setting, and where each value came from."""

from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct

from svc_tui.config.paths import Locations
from svc_tui.config.preferences.preferences import FilePreferences
from svc_tui.config.profiles.active_profile import ProfileSelection
from svc_tui.config.profiles.environment import API_KEY, BASE_URL, SANDBOX_BASE_URL, SIGNING_SECRET
from svc_tui.config.profiles.stored_profile import StoredProfile
from svc_tui.config.toml_positions import find_positions, line_of
from svc_tui.config.toml_text import key_text, value_text
from svc_tui.core.settings import Preferences, Profile

BUILT_IN = "default"
_SCALAR_SETTINGS = (
    "base_url",
    "sandbox_base_url",
    "page_size",
    "idempotency_header",
    "idempotency",
    "read_only",
    "index",
    "index_hours",
    "index_days",
    "null_word",
    "empty_word",
    "team",
    "team_name",
    "team_required",
    "approve",
)


class EffectiveSetting(Struct, frozen=True):
    """One setting: its value as a file would write it, and where it came from; never a key or a secret."""

    name: str
    value: str
    origin: str


def of_profile(stored: StoredProfile) -> Iterator[EffectiveSetting]:
    """Every setting of a profile."""
    profile, positions = stored.profile, find_positions(stored.file.text)

    def origin(*key_path: str | int) -> str:
        return f"{stored.file.path}:{line_of(positions, key_path)}" if key_path[0] in stored.set_names else BUILT_IN

    yield EffectiveSetting("api_key", str(stored.api_key), origin("api_key"))
    secret = stored.signing_secret
    yield EffectiveSetting(
        "signing_secret", "none (requests are not signed)" if secret is None else str(secret), origin("signing_secret")
    )
    for name in _SCALAR_SETTINGS:
        yield EffectiveSetting(name, value_text(getattr(profile, name)), origin(name))
    password = stored.team_password
    yield EffectiveSetting("team_password", "none" if password is None else str(password), origin("team_password"))
    for key, settings in profile.collections.items():
        for field in settings.__struct_fields__:
            if value := getattr(settings, field):
                name = f"collections.{key_text(key)}.{field}"
                yield EffectiveSetting(name, value_text(value), origin("collections", key, field))
    for number, route in enumerate(profile.routes):
        yield EffectiveSetting("routes", f"{route.method} {route.path} ({route.name})", origin("routes", number))


def of_environment(variables: Mapping[str, str]) -> Iterator[EffectiveSetting]:
    """What the `SVC_*` variables say; key and secret are told by whether they are there."""
    for name, variable in (("api_key", API_KEY), ("signing_secret", SIGNING_SECRET)):
        there = bool(variables.get(variable, "").strip())
        yield EffectiveSetting(name, f"variable {variable}" if there else "none", variable if there else BUILT_IN)
    for name, variable in (("base_url", BASE_URL), ("sandbox_base_url", SANDBOX_BASE_URL)):
        text = variables.get(variable, "")
        # A password could stand in it.
        yield EffectiveSetting(name, value_text("…" if "@" in text else text), variable if text else BUILT_IN)
    usual = Profile("")
    for name in _SCALAR_SETTINGS[2:]:
        yield EffectiveSetting(name, value_text(getattr(usual, name)), BUILT_IN)


def of_preferences(
    file_preferences: FilePreferences, theme: str | None, reader: bool | None = None
) -> Iterator[EffectiveSetting]:
    """How the user likes the program; `theme` and `reader` are the options, or what a variable says in their place."""
    config = file_preferences.config
    for field in Preferences.__struct_fields__:
        value = getattr(file_preferences.preferences, field)
        written = config.place(field) if field in config.values else BUILT_IN
        origin = file_preferences.chosen_origins.get(field, written)
        if field == "theme" and theme is not None:
            origin = "--theme"
        if field == "reader" and reader is not None:
            value, origin = reader, "--reader or SVC_TUI_READER"
        if field == "keys":
            for binding, keys in value.items():
                yield EffectiveSetting(f"keys.{key_text(binding)}", value_text(keys), config.place("keys", binding))
            continue
        yield EffectiveSetting(field, value_text(value), origin)


def of_files(locations: Locations, selection: ProfileSelection) -> Sequence[EffectiveSetting]:
    """The profile in use, and where the program's files are."""
    name = selection.name or ("env" if selection.by else "")
    return (
        EffectiveSetting("profile", value_text(name), selection.by or "none"),
        EffectiveSetting(
            "config.toml", str(locations.config_file), "exists" if locations.config_file.exists() else "does not exist"
        ),
        EffectiveSetting(
            "profiles",
            str(locations.profiles_directory),
            "exists" if locations.profiles_directory.exists() else "does not exist",
        ),
        EffectiveSetting(
            "state",
            str(locations.state_directory),
            "exists" if locations.state_directory.exists() else "does not exist",
        ),
    )
