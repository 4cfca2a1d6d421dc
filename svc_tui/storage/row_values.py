"""Places and times as texts in rows; a damaged text raises StoreError."""

from datetime import datetime

from svc_tui.core.catalog import Collection
from svc_tui.core.jsontext import Json, JsonError, dumps, loads
from svc_tui.storage.errors import StoreError


def describe_unreadable(what: str, reason: str = "") -> str:
    """Return the error for a part of the database that can't be read, with what to do."""
    why = f" ({reason})" if reason else ""
    return f"svc-tui.db has {what} that can't be read{why}; rename this file in the state directory and restart svc-tui"


def bindable(text: str) -> str:
    """Return a text that SQLite can bind, with "?" in place of half a character (a lone surrogate)."""
    return text.encode("utf-8", "replace").decode()


def place_key(collection: Collection, record_id: str) -> str:
    """Return the place of a record as text."""
    place = [collection.domain, collection.name, collection.segment, collection.under, record_id]
    return dumps(place, ascii_only=True)


def place_of(key: str | bytes) -> tuple[Collection, str]:
    """Return the collection and the record's id that `place_key` wrote; raises StoreError."""
    place = read_json(key)
    match place:
        case [str(domain), str(name), str(segment), str(under), str(record_id)]:
            return Collection(domain, name, segment, under), record_id
    raise StoreError(describe_unreadable("a record name"))


def read_json(text: str | bytes) -> Json:
    """Return a value that the store wrote; raises StoreError if it is not as the store wrote it."""
    try:
        return loads(text)
    except JsonError as error:
        raise StoreError(describe_unreadable("a row", str(error))) from None


def read_object(text: str | bytes) -> dict[str, Json]:
    """Return an object that the store wrote; raises StoreError."""
    value = read_json(text)
    if not isinstance(value, dict):
        raise StoreError(describe_unreadable("a row", "not an object"))
    return value


def read_time(text: str) -> datetime:
    """Return a time that the store wrote, with its offset from UTC; raises StoreError."""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        moment = None
    if moment is None or moment.tzinfo is None:
        raise StoreError(describe_unreadable("a time"))
    return moment
