"""The names that words of a command line can be: collections, faults, variants, profiles, saved requests, themes."""

from collections.abc import Mapping

from svc_tui.bootstrap.start import Options, translate_errors


def collection_names() -> tuple[str, ...]:
    """Every collection by its key (`operations/lots`), and by its name alone."""
    from svc_tui.core.catalog import COLLECTIONS

    return (*(collection.name for collection in COLLECTIONS), *(collection.key for collection in COLLECTIONS))


def fault_names() -> tuple[str, ...]:
    """Every trouble that the embedded service can make."""
    from svc_tui.sandbox.faults import FAULTS

    return tuple(FAULTS)


def variant_names() -> tuple[str, ...]:
    """Every switch of the embedded service with every value, as `NAME=VALUE`."""
    from svc_tui.sandbox.variants import OPEN_POINTS

    return tuple(f"{point.name}={way}" for point in OPEN_POINTS.values() for way in point.ways)


def profile_names(options: Options, variables: Mapping[str, str]) -> tuple[str, ...]:
    """The user's profiles; raises CommandFailure."""
    from svc_tui.config.paths import find_locations
    from svc_tui.config.profiles.profiles import Profiles

    with translate_errors():
        return Profiles(find_locations(variables, options.config)).names()


def saved_request_names(options: Options, variables: Mapping[str, str]) -> tuple[str, ...]:
    """The user's saved requests; raises CommandFailure.

    One with a mistake is among them: the command tells it, and a shell need not wait for what finds it to load.
    """
    from svc_tui.config.paths import find_locations
    from svc_tui.config.requests.saved_requests import FileSavedRequests

    with translate_errors():
        return FileSavedRequests(find_locations(variables, options.config).requests_directory).names()


def theme_names(options: Options, variables: Mapping[str, str]) -> tuple[str, ...]:
    """The themes, the user's own among them; raises CommandFailure."""
    from svc_tui.config.paths import find_locations
    from svc_tui.config.preferences.palettes import read_palettes, read_user_palettes

    with translate_errors():
        shipped = [palette.name for palette in read_palettes()]
        own, _ = read_user_palettes(find_locations(variables, options.config).themes_directory, shipped)
        return (*shipped, *(palette.name for palette in own))
