"""How storage scopes, places and times are written in rows, and read back; what was damaged raises StoreError."""

from datetime import datetime

from svc_tui.domain.editing.ports import StorageScope, StoreError
from svc_tui.domain.model.catalog import Collection
from svc_tui.domain.model.jsontext import Json, JsonError, dumps, loads


def scope_key(scope: StorageScope) -> str:
    """The storage scope as the text that rows are filed under."""
    return dumps([scope.profile, scope.environment.value, scope.base_url], ascii_only=True)


def unfinished_scope_key(scope: StorageScope) -> str:
    """The key that texts typed under a storage scope and not yet applied are filed under, apart from its drafts."""
    return dumps([scope.profile, scope.environment.value, scope.base_url, "unfinished"], ascii_only=True)


def describe_unreadable(what: str, reason: str = "") -> str:
    """Return the error for a part of the database that can't be read, with what to do."""
    why = f" ({reason})" if reason else ""
    return f"svc-tui.db has {what} that can't be read{why}; rename this file in the state directory and restart svc-tui"


def place_key(collection: Collection, record_id: str) -> str:
    """A record's place as text."""
    place = [collection.domain, collection.name, collection.segment, collection.under, record_id]
    return dumps(place, ascii_only=True)


def place_of(key: str | bytes) -> tuple[Collection, str]:
    """The collection and the record's id that `place_key` wrote; raises StoreError."""
    place = read_json(key)
    match place:
        case [str(domain), str(name), str(segment), str(under), str(record_id)]:
            return Collection(domain, name, segment, under), record_id
    raise StoreError(describe_unreadable("a record name"))


def read_json(text: str | bytes) -> Json:
    """A value that the store wrote; raises StoreError where it is not as the store wrote it."""
    try:
        return loads(text)
    except JsonError as error:
        raise StoreError(describe_unreadable("a row", str(error))) from None


def read_object(text: str | bytes) -> dict[str, Json]:
    """An object that the store wrote; raises StoreError."""
    value = read_json(text)
    if not isinstance(value, dict):
        raise StoreError(describe_unreadable("a row", "not an object"))
    return value


def read_time(text: str) -> datetime:
    """A moment that the store wrote, with its offset from UTC; raises StoreError."""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        moment = None
    if moment is None or moment.tzinfo is None:
        raise StoreError(describe_unreadable("a time"))
    return moment
