"""What the user set up: profiles, secrets, preferences, and palettes, read and checked at the door."""

from svc_tui.config.connecting import Selection, connect, connection_of, select
from svc_tui.config.connection import Connection
from svc_tui.config.environment import EnvironmentCredentials, from_environment
from svc_tui.config.mistakes import ConfigError
from svc_tui.config.palettes import read_palettes
from svc_tui.config.paths import Locations, locations
from svc_tui.config.preferences import FilePreferences
from svc_tui.config.profiles import Profiles

__all__ = [
    "ConfigError",
    "Connection",
    "EnvironmentCredentials",
    "FilePreferences",
    "Locations",
    "Profiles",
    "Selection",
    "connect",
    "connection_of",
    "from_environment",
    "locations",
    "read_palettes",
    "select",
]
