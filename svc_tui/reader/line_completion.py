"""What can stand at the end of a line: commands, collections, fields, saved requests."""

from collections.abc import Collection, Sequence

from svc_tui.reader.talk import Position
from svc_tui.session.session import Session

_ON_FIELDS = ("field", "edit", "drop", "copy")
_ON_SAVED_REQUESTS = ("request", "requests")


def completions(line: str, word: str, commands: Collection[str], session: Session, at: Position) -> Sequence[str]:
    """The words that can end `line`, of which `word` is typed; those of commands and fields end with a blank."""
    if line.startswith(":"):
        keys = [collection.key for collection in session.collections]
        names = [collection.name for collection in session.collections]
        return [f":{name}" for name in (*names, *keys) if f":{name}".startswith(word)]
    if line.startswith("/") and at.listing is not None:
        return [f"/{name}:" for name in at.listing.field_names if f"/{name}".startswith(word)]
    first, blank, _ = line.partition(" ")
    if not blank or first == "help":
        return [f"{name} " for name in commands if name.startswith(word) and name not in (":", "/")]
    if first in _ON_FIELDS and at.record is not None:
        return [name for name in at.record.fields if name.startswith(word)]
    if first in _ON_SAVED_REQUESTS:
        return [file for file in at.saved_requests if file.startswith(word)]
    return ()
