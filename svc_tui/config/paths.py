"""Where files are, on this system and for this user."""

from collections.abc import Mapping
from pathlib import Path

from msgspec import Struct

APP_NAME = "svc-tui"


class Locations(Struct, frozen=True):
    """The user's files; none of them need exist."""

    config_file: Path
    """`config.toml`, written by the user alone."""
    state_directory: Path
    """Written by the program alone."""
    config_named: bool = False
    """Whether the user named the configuration file, so that it must exist."""

    @property
    def themes_directory(self) -> Path:
        """The user's own themes, beside the configuration file."""
        return self.config_file.parent / "themes"

    @property
    def profiles_directory(self) -> Path:
        """The user's profiles, beside the configuration file."""
        return self.config_file.parent / "profiles"

    @property
    def requests_directory(self) -> Path:
        """The user's saved requests, beside the configuration file."""
        return self.config_file.parent / "requests"

    @property
    def state_file(self) -> Path:
        """What was last chosen in the program."""
        return self.state_directory / "state.toml"

    @property
    def database(self) -> Path:
        """The journal of writes, and drafts."""
        return self.state_directory / f"{APP_NAME}.db"

    @property
    def machine_file(self) -> Path:
        """The random id of this machine, by which plan files tell where they were made."""
        return self.state_directory / "machine-id"

    @property
    def key_fingerprints(self) -> Path:
        """What tells the keys used on this machine apart; no key is in it."""
        return self.state_directory / "key-fingerprints.db"

    @property
    def indexes_directory(self) -> Path:
        """The indexes of records, a file for each service: all of it can be thrown away."""
        return self.state_directory / "indexes"

    @property
    def teams_directory(self) -> Path:
        """The copies of what teams share, a file for each server: all of it can be thrown away."""
        return self.state_directory / "teams"


def find_locations(variables: Mapping[str, str], config: Path | None = None) -> Locations:
    """The user's files by the XDG variables, else where this system keeps such things.

    `config` (an option) beats `SVC_TUI_CONFIG`, which beats `config.toml` in the user's config directory.
    """
    named = config or (Path(variables["SVC_TUI_CONFIG"]) if variables.get("SVC_TUI_CONFIG") else None)
    return Locations(
        named.expanduser() if named else _base(variables, "XDG_CONFIG_HOME") / "config.toml",
        _base(variables, "XDG_STATE_HOME"),
        config_named=named is not None,
    )


def _base(variables: Mapping[str, str], variable: str) -> Path:
    # The XDG specification has relative paths ignored.
    if (directory := variables.get(variable, "")) and Path(directory).is_absolute():
        return Path(directory) / APP_NAME
    import platformdirs

    if variable == "XDG_CONFIG_HOME":
        return platformdirs.user_config_path(APP_NAME, appauthor=False)
    return platformdirs.user_state_path(APP_NAME, appauthor=False)
