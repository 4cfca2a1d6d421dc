"""How the user likes the program: `config.toml`, and what was last chosen, `state.toml`."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any

from msgspec import Struct, field

from svc_tui.config.errors import ConfigError, did_you_mean, joined_words
from svc_tui.config.files import parse_toml, read_toml, read_trusted, set_aside, write_toml
from svc_tui.config.paths import Locations
from svc_tui.config.preferences.palettes import read_palettes, read_user_palettes
from svc_tui.config.preferences.state_file import (
    habit_table,
    last_position_table,
    panes_table,
    read_memory,
    unusable_sizes,
)
from svc_tui.core.settings import Palette, Preferences
from svc_tui.core.values import replace
from svc_tui.session.memory import LastPosition
from svc_tui.session.pane_layout import PaneSizes

if TYPE_CHECKING:
    from svc_tui.core.views import RememberedView


class FilePreferences:
    """Preferences from the user's files, read once; see `session.ports.PreferenceStore`."""

    def __init__(self, locations: Locations, *, theme: str | None = None) -> None:
        """Read the files; `theme` (an option) beats what was last chosen, which beats `config.toml`.

        Raises ConfigError for a mistake in `config.toml` or an unknown `theme`.
        """
        self._locations = locations
        self._writing = Lock()
        shipped = read_palettes()
        own, mistakes = read_user_palettes(locations.themes_directory, [palette.name for palette in shipped])
        self._palettes = (*shipped, *own)
        names = [palette.name for palette in self._palettes]
        self.notices: tuple[str, ...] = ()
        """What the user should know of how the files were found, one line each."""
        self.config = read_config(locations)
        """What the user wrote."""
        preferences = _preferences(self.config, names)
        self.notices = mistakes
        state = self._state()
        chosen = _chosen_settings(state, names)
        preferences = replace(preferences, **chosen)
        self.chosen_origins = dict.fromkeys(chosen, f"{locations.state_file}: last chosen")
        """Where settings were last chosen in the program, by their names."""
        if theme is not None:
            _check_theme("--theme", theme, names)
            preferences = replace(preferences, theme=theme)
        if wrong := unusable_sizes(state):
            self.notices += (f"{locations.state_file}: {', '.join(wrong)}: not valid, so it is ignored",)
        self.memory = read_memory(state)
        """What was last chosen in the program."""
        self.preferences = preferences
        """The preferences that hold for this run."""

    def remember_theme(self, name: str) -> None:
        """Keep the theme for the next start, and whatever else the file holds.

        Raises OSError, also where the file could not be read: what it holds is not written over.
        """
        self._remember({"theme": name})

    def remember_profile(self, name: str | None) -> None:
        """Keep the profile in use for the next start; None: none. Raises OSError as `remember_theme` does."""
        self._remember({"profile": name})

    def remember_place(self, name: str, position: LastPosition) -> None:
        """Keep a last position under its name; raises OSError as `remember_theme` does."""
        self.memory = replace(self.memory, places={**self.memory.places, name: position})
        self._remember({}, places={name: last_position_table(position)})

    def remember_habit(self, key: str, habit: "RememberedView") -> None:
        """Keep how a collection is looked at; raises OSError as `remember_theme` does."""
        self.memory = replace(self.memory, habits={**self.memory.habits, key: habit})
        self._remember({}, collections={key: habit_table(habit)})

    def remember_panes(self, sizes: PaneSizes) -> None:
        """Keep how large the panes are; raises OSError as `remember_theme` does."""
        self.memory = replace(self.memory, panes=sizes)
        self._remember({"panes": panes_table(sizes) or None})

    def remember_index(self, profile: str, *, kept: bool) -> None:
        """Keep whether an index of a profile is kept; raises OSError as `remember_theme` does."""
        others = self.memory.indexed - {profile}
        self.memory = replace(self.memory, indexed=others | {profile} if kept else others)
        self._remember({}, indexed={profile: kept})

    def remember_search_loading(self, profile: str, *, on: bool) -> None:
        """Keep whether a search loads all collections of a profile; raises OSError as `remember_theme` does."""
        self.memory = replace(self.memory, searched={**self.memory.searched, profile: on})
        self._remember({}, searched={profile: on})

    def _remember(self, values: Mapping[str, Any], **tables: Mapping[str, Any]) -> None:
        """Write values, and lines of tables, into the file; the rest of it stays, another program's part too."""
        with self._writing:
            state = self._read_state()
            for name, lines in tables.items():
                before = state.get(name)
                state[name] = {**(before if isinstance(before, dict) else {}), **lines}
            state = {name: value for name, value in {**state, **values}.items() if value is not None}
            write_toml(self._locations.state_file, state)

    def palettes(self) -> Sequence[Palette]:
        """Every palette that can be chosen."""
        return self._palettes

    def _state(self) -> dict[str, Any]:
        try:
            return self._read_state()
        except OSError as error:
            self.notices += (f"{error.strerror}; the saved settings are ignored",)
            return {}

    def _read_state(self) -> dict[str, Any]:
        """What the file holds, nothing where there is none; one that is no TOML is set aside. Raises OSError."""
        path = self._locations.state_file
        try:
            return read_toml(path)
        except FileNotFoundError:
            return {}
        except OSError as error:
            raise OSError(error.errno, f"{path} can't be read ({error.strerror})") from None
        except ConfigError as error:
            why = str(error)
        try:
            moved_to = set_aside(path)
        except OSError as error:
            raise OSError(error.errno, f"{why}, and it can't be renamed ({error.strerror})") from None
        self.notices += (
            f"{why}; it was renamed to {moved_to if path.is_symlink() else moved_to.name}, and a new file was created",
        )
        return {}


class ConfigText(Struct, frozen=True):
    """What `config.toml` says, and the text that says it."""

    path: Path
    text: str = ""
    values: Mapping[str, Any] = field(default_factory=dict)
    """The settings that it writes."""

    def place(self, *key_path: str) -> str:
        """Where a setting stands, for people: the file and the line."""
        from svc_tui.config.toml_positions import find_positions, line_of

        line = line_of(find_positions(self.text), key_path)
        return str(self.path) if line is None else f"{self.path}:{line}"


def read_config(locations: Locations) -> ConfigText:
    """`config.toml` as it is written, checked; raises ConfigError."""
    path = locations.config_file
    try:
        if not path.exists():
            if locations.config_named:
                raise ConfigError(f"{path} does not exist; create it, or remove --config and SVC_TUI_CONFIG")
            return ConfigText(path)
        text = read_trusted(path).text
    except OSError as error:
        raise ConfigError(f"{path} can't be read: {error.strerror}") from None
    return ConfigText(path, text, _config_values(path, text, parse_toml(path, text)))


def _config_values(path: Path, text: str, tables: Mapping[str, Any]) -> Mapping[str, Any]:
    # Most people have no such file.
    from svc_tui.config.plain_table import NotPlain
    from svc_tui.config.preferences.plain_config import read_plain_config

    try:
        return read_plain_config(tables)
    except NotPlain:
        from svc_tui.config.preferences.config_file import ConfigFile
        from svc_tui.config.validation import validate

        return validate(ConfigFile, path, text, tables).model_dump(exclude_none=True)


def last_profile(locations: Locations) -> str | None:
    """The profile that was last chosen in the program; raises ConfigError where that can't be told."""
    path = locations.state_file
    try:
        chosen = read_toml(path).get("profile")
    except FileNotFoundError:
        return None
    except OSError as error:
        raise ConfigError(f"{path} can't be read ({error.strerror}); choose a profile with --profile NAME") from None
    except ConfigError as error:
        raise ConfigError(f"{error}; choose a profile with --profile NAME") from None
    return chosen if isinstance(chosen, str) and chosen else None


def _preferences(config: ConfigText, themes: Sequence[str]) -> Preferences:
    values = {name: value for name, value in config.values.items() if name != "default_profile"}
    if "theme" in values:
        _check_theme(f"{config.place('theme')}: theme", values["theme"], themes)
    if "mask_fields" in values:
        values["mask_fields"] = tuple(values["mask_fields"])
    return Preferences(**values)


def _chosen_settings(state: Mapping[str, Any], themes: Sequence[str]) -> dict[str, Any]:
    """The settings that were last chosen in the program."""
    theme, hints = state.get("theme"), state.get("hints")
    return {
        **({"theme": theme} if isinstance(theme, str) and theme in themes else {}),
        **({"hints": hints} if isinstance(hints, bool) else {}),
    }


def _check_theme(source: str, name: str, themes: Sequence[str]) -> None:
    if name not in themes:
        raise ConfigError(f'{source} is "{name}"; allowed: {joined_words(themes)}{did_you_mean(name, themes)}')
