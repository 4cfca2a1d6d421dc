"""The names that words of a command line can be: collections, profiles, saved requests, themes."""

from collections.abc import Mapping

from svc_tui.bootstrap.start import Options, explained
from svc_tui.domain.model.catalog import COLLECTIONS


def collections() -> tuple[str, ...]:
    """Every collection by its key (`operations/lots`), and by its name alone."""
    return (*(collection.name for collection in COLLECTIONS), *(collection.key for collection in COLLECTIONS))


def profile_names(options: Options, variables: Mapping[str, str]) -> tuple[str, ...]:
    """The user's profiles; raises Stopped."""
    from svc_tui.config.paths import locations
    from svc_tui.config.profiles.profiles import Profiles

    with explained():
        return Profiles(locations(variables, options.config)).names()


def saved_names(options: Options, variables: Mapping[str, str]) -> tuple[str, ...]:
    """The user's saved requests; raises Stopped."""
    from svc_tui.config.paths import locations
    from svc_tui.config.requests.saved_requests import FileSavedRequests
    from svc_tui.domain.console.saved_requests import SavedRequest

    with explained():
        kept = FileSavedRequests(locations(variables, options.config).requests_directory).read()
    return tuple(one.name for one in kept if isinstance(one, SavedRequest))


def theme_names(options: Options, variables: Mapping[str, str]) -> tuple[str, ...]:
    """The themes, the user's own among them; raises Stopped."""
    from svc_tui.config.paths import locations
    from svc_tui.config.preferences.preferences import FilePreferences

    with explained():
        preferences = FilePreferences(locations(variables, options.config))
    return tuple(palette.name for palette in preferences.palettes())
