"""The names that words of a command line can be: collections, profiles, saved requests, themes."""

from collections.abc import Mapping

from svc_tui.bootstrap.start import Options, explained
from svc_tui.domain.catalog import COLLECTIONS


def collections() -> tuple[str, ...]:
    """Every collection by its key (`operations/lots`), and by its name alone."""
    return (*(collection.name for collection in COLLECTIONS), *(collection.key for collection in COLLECTIONS))


def profile_names(options: Options, variables: Mapping[str, str]) -> tuple[str, ...]:
    """The user's profiles; raises Stopped."""
    from svc_tui import config

    with explained():
        return config.Profiles(config.locations(variables, options.config)).names()


def saved_names(options: Options, variables: Mapping[str, str]) -> tuple[str, ...]:
    """The user's saved requests; raises Stopped."""
    from svc_tui import config
    from svc_tui.config.saved_requests import FileSavedRequests
    from svc_tui.domain.savedrequests import SavedRequest

    with explained():
        kept = FileSavedRequests(config.locations(variables, options.config).requests_directory).read()
    return tuple(one.name for one in kept if isinstance(one, SavedRequest))


def theme_names(options: Options, variables: Mapping[str, str]) -> tuple[str, ...]:
    """The themes, the user's own among them; raises Stopped."""
    from svc_tui import config

    with explained():
        preferences = config.FilePreferences(config.locations(variables, options.config))
    return tuple(palette.name for palette in preferences.palettes())
