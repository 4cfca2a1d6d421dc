"""Opens what a session shares with a team: its chain, its copy of the others', and the way to the server."""

from __future__ import annotations

import asyncio
import getpass
import hashlib
import platform
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from svc_tui.core.credentials import Environment
from svc_tui.core.settings import Profile
from svc_tui.storage.errors import TeamServerError
from svc_tui.storage.scope import StorageScope
from svc_tui.storage.team.lines import MAX_NAME_CHARACTERS, ServiceScope
from svc_tui.storage.team.team_url import TeamUrl
from svc_tui.team.approval_rules import ApprovalRules
from svc_tui.team.approvals import Approvals, TeamChannel
from svc_tui.team.sync import TeamSync
from svc_tui.team.team import TeamParts, TeamWriteLog

if TYPE_CHECKING:
    from svc_tui.storage.journal import Journal
    from svc_tui.storage.store import Store
    from svc_tui.storage.team.own_chain import ChainRules
    from svc_tui.storage.team.server import TeamServer

_DIGEST_DIGITS = 10

INSTALL_IT = "the team journal needs an additional package: pip install 'svc-tui[team]'"


def load_parts() -> None:
    """Load what a team is made of, on any thread."""
    import svc_tui.storage.team.kept_asks
    import svc_tui.storage.team.mirror
    import svc_tui.storage.team.own_chain  # noqa: F401  loading is the point


def team_parts(
    profile: Profile,
    scope: StorageScope,
    store: Store,
    journal: Journal,
    directory: Path,
    masked: Sequence[str],
    password: Callable[[], str],
) -> TeamParts:
    """What the team of a profile is made of; nothing is connected or opened yet.

    `directory` is where copies of what teams share lie, `masked` are the fields whose values stay on this machine.
    `password` reads the server's; it may block, and raises CredentialError.
    """
    from svc_tui.storage.team.mirror import TeamMirror

    url, service = TeamUrl.parse(profile.team), ServiceScope.of(scope)
    own = store.own_chain(scope, chain_rules(profile, url, masked))
    mirror = TeamMirror(mirror_file(directory, url), own.author, own.former)

    async def connect() -> TeamServer:
        return await asyncio.to_thread(make_server, url, password)

    sync = TeamSync(own, mirror, connect)
    # On the sandbox nobody has to wait for anybody.
    rules = ApprovalRules.parse(profile.approve if scope.environment is Environment.LIVE else ())
    channel = TeamChannel(service, own, mirror, sync.nudge)
    fields = frozenset(name.casefold() for name in masked)
    approvals = Approvals(rules, channel, store.asks(scope), journal, fields, lambda: datetime.now(UTC))
    return TeamParts(service, own, mirror, sync, TeamWriteLog(journal, mirror, service), approvals)


def chain_rules(profile: Profile, url: TeamUrl, masked: Sequence[str]) -> ChainRules:
    """How this machine's chain is written."""
    from svc_tui.storage.team.own_chain import ChainRules

    name = (profile.team_name or _system_user())[:MAX_NAME_CHARACTERS]
    return ChainRules(team_digest(url), name, platform.node()[:MAX_NAME_CHARACTERS] or "unnamed", tuple(masked))


def make_server(url: TeamUrl, password: Callable[[], str]) -> TeamServer:
    """The server, not connected yet; loads the library for it. Raises TeamServerError."""
    try:
        from svc_tui.storage.team.server import TeamServer
    except ImportError:
        raise TeamServerError(INSTALL_IT, lasting=True) from None
    return TeamServer(url, password)


def mirror_file(directory: Path, url: TeamUrl) -> Path:
    """Where this machine's copy of what the team shares lies."""
    return directory / f"{team_digest(url)[:_DIGEST_DIGITS]}.db"


def team_digest(url: TeamUrl) -> str:
    """What a team's database is filed under: where it is, whoever's role one uses."""
    where = "\n".join((url.host, str(url.port or ""), url.parameters.get("host", ""), url.database))
    return hashlib.sha256(where.encode()).hexdigest()


def _system_user() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError, ImportError):
        # No entry of this user in the system's list, as in some containers; or a Windows that says no name.
        return "unnamed"
