"""Opens the browser, or the reader, on the service that the environment or a profile names, until the user leaves."""

from collections.abc import Mapping
from contextlib import ExitStack

from svc_tui.bootstrap.environment import screen_problem
from svc_tui.bootstrap.screens import CrashRecovery, run_screens
from svc_tui.bootstrap.start import CommandFailure, Options, translate_errors
from svc_tui.bootstrap.startup import BrowserStart, InterfaceEnd, OtherProfiles, RunStorage
from svc_tui.core.gc_control import gc_paused
from svc_tui.core.settings import Preferences, Profile
from svc_tui.core.values import replace


def is_set_up(options: Options, variables: Mapping[str, str]) -> bool:
    """Whether anything names a service to open: a profile, or a key in the environment. Raises CommandFailure."""
    from svc_tui.config.paths import find_locations
    from svc_tui.config.profiles.active_profile import select_profile

    with translate_errors():
        return bool(select_profile(find_locations(variables, options.config), variables, options.profile).by)


@gc_paused()
def browse(place: str | None, options: Options, variables: Mapping[str, str], *, corrections: str = "") -> int:
    """Open the browser on the service that the environment describes; gives the exit status. Raises CommandFailure.

    `corrections` is a file of corrections of the collection at `place` to begin with, "" for none.
    """
    from svc_tui.config.paths import find_locations
    from svc_tui.config.preferences.preferences import FilePreferences
    from svc_tui.config.profiles.active_profile import resolve_connection
    from svc_tui.config.profiles.profiles import Profiles

    with translate_errors():
        locations = find_locations(variables, options.config)
        storage = RunStorage(locations, FilePreferences(locations, theme=options.theme))
        connection = resolve_connection(locations, variables, options.profile, read_only=options.read_only)
        check_place(place, connection.profile)
        others = OtherProfiles(Profiles(locations), variables, options.read_only)
        start = replace(BrowserStart.at(connection, storage, options, others, place), corrections=corrections)
        return run(start, CrashRecovery(options, variables, storage.preferences))


def run(start: BrowserStart, faults: CrashRecovery) -> int:
    """Run the screens or the reader, and the other where the user goes on in it, until they leave; the exit status.

    Raises CommandFailure where the service can't be opened, or nothing can be drawn.
    """
    lines = wants_reader(start.options, start.storage.preferences.preferences)
    if not lines:
        check_terminal()
    elif start.tour or start.corrections:
        raise CommandFailure("--reader can't be used with --tour or --corrections")
    with ExitStack() as kept:
        following: BrowserStart | None = replace(start, kept=kept)
        while following is not None:
            end = _converse(following) if lines else run_screens(following, faults)
            following, lines = end.following, not lines
        return end.status


def _converse(start: BrowserStart) -> InterfaceEnd:
    # Loaded where it is wanted, not with the screens.
    from svc_tui.bootstrap.reader import converse

    return converse(start)


def asks_for_reader(options: Options, variables: Mapping[str, str]) -> bool:
    """Whether the user wants lines in place of a screen, before anything else is known. Raises CommandFailure."""
    from svc_tui.config.paths import find_locations
    from svc_tui.config.preferences.preferences import FilePreferences

    with translate_errors():
        return wants_reader(options, FilePreferences(find_locations(variables, options.config)).preferences)


def wants_reader(options: Options, preferences: Preferences) -> bool:
    """Whether the user wants lines in place of a screen: an option or a variable beats `config.toml`."""
    return preferences.reader if options.reader is None else options.reader


def check_place(place: str | None, profile: Profile) -> None:
    """Refuse a word that names nothing; paths and links are the browser's to judge."""
    if place is None or place.startswith(("/", "svctui://")):
        return
    from svc_tui.service.routes import parse_place

    parse_place(place, profile.catalog)


def check_terminal() -> None:
    """Refuse to draw where nobody looks."""
    if problem := screen_problem():
        raise CommandFailure(problem)
