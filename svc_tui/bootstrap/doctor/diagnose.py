"""Examines the connection that the user's settings describe, and the journal here, one check after another."""

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from svc_tui.bootstrap.index.index_status import index_of
from svc_tui.bootstrap.start import CommandFailure, ExitStatus, Options, translate_errors
from svc_tui.connect.checks import CheckResult, check_index, check_journal
from svc_tui.connect.diagnosis import (
    EffectiveSetup,
    check_configuration,
    check_key_form,
    diagnose_service,
    misconfigured_checks,
)
from svc_tui.connect.key_rotation import blocking_checks
from svc_tui.core.credentials import KeyPair
from svc_tui.core.settings import Profile
from svc_tui.platform.event_loops import run_on_loop
from svc_tui.service.base_url import base_url_of
from svc_tui.service.retry import RetryRules
from svc_tui.storage.errors import StoreError
from svc_tui.storage.journal_entries import ChainCheck

if TYPE_CHECKING:
    from svc_tui.config.paths import Locations
    from svc_tui.config.profiles.connection import Connection
    from svc_tui.core.settings import Preferences

CheckListener = Callable[[CheckResult], None]
"""Takes each check as soon as it is known."""

SINGLE_ATTEMPT = RetryRules(attempts=1, deadline=10.0)
"""The user waits for the verdict, and trouble that passes is worth telling too."""

_CA_VARIABLES = ("SSL_CERT_FILE", "SSL_CERT_DIR")


def diagnose(options: Options, variables: Mapping[str, str], on_check_result: CheckListener) -> None:
    """Make every check there is; a mistake in the settings is a failed check."""
    from svc_tui.config.errors import ConfigError
    from svc_tui.config.paths import find_locations
    from svc_tui.config.preferences.preferences import FilePreferences
    from svc_tui.config.profiles.active_profile import resolve_connection

    try:
        locations = find_locations(variables, options.config)
        store = FilePreferences(locations)
        notices = (*store.notices, *_key_mistakes(store.preferences))
        connection = resolve_connection(locations, variables, options.profile, read_only=options.read_only)
    except ConfigError as error:
        for check in misconfigured_checks(str(error)):
            on_check_result(check)
        return
    base_url = str(base_url_of(connection.profile, connection.keys.environment))
    file = str(locations.config_file) if locations.config_file.exists() else ""
    profile = connection.profile.name if connection.file is not None else ""
    on_check_result(check_configuration(EffectiveSetup(base_url, connection.settings, file, notices, profile)))
    on_check_result(check_key_form(connection.keys))
    run_on_loop(_report_checks(connection, ca_variables(variables), on_check_result))
    on_check_result(check_journal(_check_chain(connection, locations.database), str(locations.database)))
    index = index_of(connection, locations, store.preferences)
    wanted = connection.profile.index or connection.profile.name in store.memory.indexed
    on_check_result(
        check_index(index, [one.key for one in connection.profile.catalog], datetime.now(UTC), wanted=wanted)
    )
    if connection.profile.team:
        on_check_result(_check_team(connection, locations))


def accept_journal_end(options: Options, variables: Mapping[str, str]) -> None:
    """Take the journal as it is from now on; raises CommandFailure."""
    from svc_tui.bootstrap.journal.end_in_keyring import accept_end
    from svc_tui.config.paths import find_locations
    from svc_tui.config.profiles.active_profile import resolve_connection

    with translate_errors():
        locations = find_locations(variables, options.config)
        accept_end(resolve_connection(locations, variables, options.profile), locations.database)


def _key_mistakes(preferences: "Preferences") -> tuple[str, ...]:
    """What is wrong with the user's keys; only where there are some is the interface loaded, which knows them all."""
    if not preferences.keys:
        return ()
    from svc_tui.ui.keys.keymap import check_keymap

    return check_keymap(preferences.keys).mistakes


def ca_variables(variables: Mapping[str, str]) -> tuple[str, ...]:
    """The variables that name more authorities than this system's own."""
    return tuple(name for name in _CA_VARIABLES if variables.get(name))


async def run_checks(profile: Profile, keys: KeyPair, authorities: Sequence[str] = ()) -> AsyncIterator[CheckResult]:
    """The checks of this pair at the profile's service, each as soon as it is known."""
    from svc_tui.client.client import SignedClient

    async with SignedClient(profile, keys, rules=SINGLE_ATTEMPT) as client:
        async for check in diagnose_service(client, profile, authorities=authorities):
            yield check


async def failed_checks(profile: Profile, keys: KeyPair) -> tuple[CheckResult, ...]:
    """The checks that this pair fails at the profile's service; what it may read there is not one of them."""
    return blocking_checks([check async for check in run_checks(profile, keys)])


def _check_chain(connection: "Connection", database: Path) -> ChainCheck | StoreError:
    from svc_tui.bootstrap.journal.end_in_keyring import PLACE, end_in_keyring
    from svc_tui.storage.journal import check_chain

    kept = end_in_keyring(connection, database)
    try:
        return check_chain(database, {PLACE: kept} if kept else {})
    except StoreError as error:
        return error


def _check_team(connection: "Connection", locations: "Locations") -> CheckResult:
    from svc_tui.bootstrap.team.located_team import team_of
    from svc_tui.bootstrap.team.team_status import status_of
    from svc_tui.connect.checks import TeamFindings, check_team, no_team

    try:
        with translate_errors():
            found = run_on_loop(status_of(team_of(connection, locations)))
    except CommandFailure as failure:
        return no_team(str(failure))
    server, rights = found.server, found.server.rights
    return check_team(
        TeamFindings(
            server.problem,
            server.status == ExitStatus.UNKNOWN,
            server.schema or 0,
            rights.role if rights is not None else "",
            (rights.everything or ", ".join(rights.excessive)) if rights is not None and server.schema else "",
            found.waiting,
            found.broken,
        ),
        required=connection.profile.team_required,
    )


async def _report_checks(connection: "Connection", authorities: Sequence[str], on_check_result: CheckListener) -> None:
    async for check in run_checks(connection.profile, connection.keys, authorities):
        on_check_result(check)
