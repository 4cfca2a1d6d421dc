"""The names that words of a command line can be: collections, faults, profiles, saved requests, themes."""

from collections.abc import Mapping

from svc_tui.bootstrap.start import Options, translate_errors


def collection_names() -> tuple[str, ...]:
    """Every collection by its key (`operations/lots`), and by its name alone."""
    from svc_tui.domain.model.catalog import COLLECTIONS

    return (*(collection.name for collection in COLLECTIONS), *(collection.key for collection in COLLECTIONS))


def fault_names() -> tuple[str, ...]:
    """Every trouble that the embedded service can make."""
    from svc_tui.sandbox.faults import FAULTS

    return tuple(FAULTS)


def profile_names(options: Options, variables: Mapping[str, str]) -> tuple[str, ...]:
    """The user's profiles; raises CommandFailure."""
    from svc_tui.config.paths import find_locations
    from svc_tui.config.profiles.profiles import Profiles

    with translate_errors():
        return Profiles(find_locations(variables, options.config)).names()


def saved_request_names(options: Options, variables: Mapping[str, str]) -> tuple[str, ...]:
    """The user's saved requests; raises CommandFailure."""
    from svc_tui.config.paths import find_locations
    from svc_tui.config.requests.saved_requests import FileSavedRequests
    from svc_tui.domain.console.saved_requests import SavedRequest

    with translate_errors():
        kept = FileSavedRequests(find_locations(variables, options.config).requests_directory).read()
    return tuple(one.name for one in kept if isinstance(one, SavedRequest))


def theme_names(options: Options, variables: Mapping[str, str]) -> tuple[str, ...]:
    """The themes, the user's own among them; raises CommandFailure."""
    from svc_tui.config.paths import find_locations
    from svc_tui.config.preferences.preferences import FilePreferences

    with translate_errors():
        preferences = FilePreferences(find_locations(variables, options.config))
    return tuple(palette.name for palette in preferences.palettes())
