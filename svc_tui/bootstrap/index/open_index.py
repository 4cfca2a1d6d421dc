"""Where the index of a service lies, and how it is opened."""

import asyncio
import hashlib
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from svc_tui.core.settings import Profile
from svc_tui.search.session_index import SessionIndex
from svc_tui.service.gateway import Gateway
from svc_tui.storage.record_index.index_values import IndexRules

if TYPE_CHECKING:
    from svc_tui.storage.record_index.index_file import IndexFile
    from svc_tui.storage.record_index.record_index import RecordIndex
    from svc_tui.storage.scope import StorageScope

_UNFIT = re.compile(r"[^A-Za-z0-9_-]+")
"""What does not go into the name of a file."""

_DIGEST_DIGITS = 10


def index_rules(profile: Profile, masked: Sequence[str]) -> IndexRules:
    """How long the index of a profile is good, and what is left out of it."""
    return IndexRules(profile.index_hours, profile.index_days, tuple(masked))


def index_file(directory: Path, scope: "StorageScope", rules: IndexRules, key: str) -> "IndexFile":
    """The index of one profile, environment and base URL; its name tells them to people, and no two share one.

    `key` is the fingerprint of the key that it is filled with.
    """
    from svc_tui.storage.record_index.index_file import IndexFile

    digest = hashlib.sha256("\n".join((scope.profile, scope.environment.value, scope.base_url)).encode()).hexdigest()
    name = "-".join(
        filter(None, (_UNFIT.sub("-", scope.profile), scope.environment.label.lower(), digest[:_DIGEST_DIGITS]))
    )
    return IndexFile(directory / f"{name}-{key}.db", scope, rules, key)


def session_index(
    gateway: Gateway,
    directory: Path,
    profile: Profile,
    scope: "StorageScope",
    masked: Sequence[str],
    key: Callable[[], str],
    *,
    wanted: bool,
) -> SessionIndex:
    """The index of the service behind `gateway`, opened when it is needed; `masked` are the fields to leave out.

    `key` returns the fingerprint of the key in use now.
    """
    rules = index_rules(profile, masked)

    async def open_index(fingerprint: str, create: bool) -> "RecordIndex | None":
        return await asyncio.to_thread(_open, index_file(directory, scope, rules, fingerprint), create)

    return SessionIndex(gateway, profile.catalog, rules, wanted, open_index, key)


def _open(file: "IndexFile", create: bool) -> "RecordIndex | None":
    if not create and not file.path.exists():
        return None
    from svc_tui.storage.record_index.record_index import RecordIndex

    return RecordIndex(file)
