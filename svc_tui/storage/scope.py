"""Under what drafts, journal and history are filed."""

from msgspec import Struct

from svc_tui.core.credentials import Environment
from svc_tui.core.jsontext import dumps


class StorageScope(Struct, frozen=True):
    """Under what drafts and journal lines are filed; never under the key, which rotates."""

    profile: str
    environment: Environment
    base_url: str


def scope_key(scope: StorageScope) -> str:
    """Return the storage scope as the text that is the key of its rows."""
    return dumps([scope.profile, scope.environment.value, scope.base_url], ascii_only=True)


def unfinished_scope_key(scope: StorageScope) -> str:
    """Return the key of the rows with texts typed in a storage scope and not yet applied, apart from its drafts."""
    return dumps([scope.profile, scope.environment.value, scope.base_url, "unfinished"], ascii_only=True)
