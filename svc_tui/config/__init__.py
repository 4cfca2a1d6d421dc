"""What the user set up: profiles, secrets, preferences, and palettes, read and checked at the door."""

from svc_tui.config.environment import Connection, EnvironmentCredentials, connection, has_key
from svc_tui.config.mistakes import ConfigError
from svc_tui.config.palettes import read_palettes
from svc_tui.config.paths import Locations, locations
from svc_tui.config.preferences import FilePreferences

__all__ = [
    "ConfigError",
    "Connection",
    "EnvironmentCredentials",
    "FilePreferences",
    "Locations",
    "connection",
    "has_key",
    "locations",
    "read_palettes",
]
