"""Examines the connection that the user's settings describe, and the journal here, one check after another."""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from svc_tui.bootstrap.start import Options
from svc_tui.domain.doctor.diagnosis import Check, Setup, configuration, examine, journal, key_form, misconfigured
from svc_tui.domain.doctor.key_rotation import against
from svc_tui.domain.editing.journal import Chain
from svc_tui.domain.editing.ports import StoreError
from svc_tui.domain.http.base_url import base_url_of
from svc_tui.domain.http.retry import RetryRules
from svc_tui.domain.model.credentials import KeyPair
from svc_tui.domain.model.settings import Profile

if TYPE_CHECKING:
    from svc_tui.config.profiles.connection import Connection

Hear = Callable[[Check], None]
"""Takes each check as soon as it is known."""

IMPATIENT = RetryRules(attempts=1, deadline=10.0)
"""Somebody waits for the verdict, and trouble that passes is worth telling too."""

_AUTHORITIES = ("SSL_CERT_FILE", "SSL_CERT_DIR")


def diagnose(options: Options, variables: Mapping[str, str], hear: Hear) -> None:
    """Make every check there is; a mistake in the settings is a failed check."""
    from svc_tui.config.errors import ConfigError
    from svc_tui.config.paths import locations
    from svc_tui.config.preferences.preferences import FilePreferences
    from svc_tui.config.profiles.connecting import connect

    try:
        where = locations(variables, options.config)
        notices = FilePreferences(where).notices
        found = connect(where, variables, options.profile, read_only=options.read_only)
    except ConfigError as error:
        for check in misconfigured(str(error)):
            hear(check)
        return
    base_url = str(base_url_of(found.profile, found.keys.environment))
    file = str(where.config_file) if where.config_file.exists() else ""
    profile = found.profile.name if found.file is not None else ""
    hear(configuration(Setup(base_url, found.settings, file, notices, profile)))
    hear(key_form(found.keys))
    asyncio.run(_examine(found, authorities(variables), hear))
    hear(journal(_chain(where.database), str(where.database)))


def authorities(variables: Mapping[str, str]) -> tuple[str, ...]:
    """The variables that name more authorities than this system's own."""
    return tuple(name for name in _AUTHORITIES if variables.get(name))


async def examined(profile: Profile, keys: KeyPair, authorities: Sequence[str] = ()) -> AsyncIterator[Check]:
    """The checks of this pair at the profile's service, each as soon as it is known."""
    from svc_tui.client.client import SignedClient

    async with SignedClient(profile, keys, rules=IMPATIENT) as client:
        async for check in examine(client, profile, authorities=authorities):
            yield check


async def found_wrong(profile: Profile, keys: KeyPair) -> tuple[Check, ...]:
    """The checks that this pair fails at the profile's service; what it may read there is not one of them."""
    return against([check async for check in examined(profile, keys)])


def _chain(database: Path) -> Chain | StoreError:
    from svc_tui.store.journal import checked_chain

    try:
        return checked_chain(database)
    except StoreError as error:
        return error


async def _examine(found: "Connection", authorities: Sequence[str], hear: Hear) -> None:
    async for check in examined(found.profile, found.keys, authorities):
        hear(check)
