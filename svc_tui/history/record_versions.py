"""What a record was, right before and right after each of the writes to it that the journal knows."""

from collections.abc import Iterable, Mapping, Sequence
from enum import Enum, auto
from typing import TypeAlias

from msgspec import Struct

from svc_tui.core.catalog import COLLECTIONS, Collection
from svc_tui.core.jsontext import ABSENT, Absent, Json
from svc_tui.core.records import Place, Record, id_field
from svc_tui.service.routes import PlaceError, parse_place
from svc_tui.storage.journal_entries import JournalEntry, entry_result


class WriteSide(Enum):
    """Before or after a write; the value is the word for it."""

    BEFORE = "before"
    AFTER = "after"


class RecordVersion(Struct, frozen=True):
    """A record as it was on one `side` of a write; of `fields` the journal tells, ABSENT where it had none of it.

    The journal holds what was written from here, not all of the record: of the other fields it tells nothing.
    """

    entry: JournalEntry
    side: WriteSide
    fields: Mapping[str, Json | Absent]

    def record(self, now: Record) -> Record:
        """The record as it was; what the journal does not tell of stands in it as it is `now`."""
        fields: dict[str, Json] = {}
        for name in dict.fromkeys((*now.fields, *self.fields)):
            value = self.fields[name] if name in self.fields else now.fields[name]
            if not isinstance(value, Absent):
                fields[name] = value
        return Record(fields)

    def unknown(self, now: Record) -> frozenset[str]:
        """The fields that the record has `now`, and of which the journal does not tell what they were."""
        # It is found by its id, so that it had the same one.
        return frozenset(now.fields) - self.fields.keys() - {id_field(now.fields) or ""}


class _NotTold(Enum):
    """What a write tells of a field, where it tells no value."""

    SILENT = auto()
    """It left the field alone, as far as it can tell."""
    LOST = auto()
    """It may have made anything of it."""


_Told: TypeAlias = Json | Absent | _NotTold


def record_versions(
    place: Place, entries: Iterable[JournalEntry], collections: Sequence[Collection] = COLLECTIONS
) -> tuple[RecordVersion, ...]:
    """The versions of the record at `place` that can be told from the writes to it; writes and versions newest first.

    Of a write that was not carried out there is none, and of one whose outcome is not known only what was before.
    """
    writes = [_Write(entry, place, collections) for entry in entries if entry_result(entry) in ("done", "unknown")]
    writes.reverse()
    names = dict.fromkeys(name for write in writes for name in write.names)
    versions: list[RecordVersion] = []
    for at, write in enumerate(writes):
        if write.tells_before:
            versions.append(
                RecordVersion(write.entry, WriteSide.BEFORE, _fields_at(writes, at, WriteSide.BEFORE, names))
            )
        if write.tells_after:
            versions.append(RecordVersion(write.entry, WriteSide.AFTER, _fields_at(writes, at, WriteSide.AFTER, names)))
    return tuple(reversed(versions))


class _Write:
    """What one write tells of the record's fields."""

    def __init__(self, entry: JournalEntry, place: Place, collections: Sequence[Collection]) -> None:
        self.entry = entry
        intent, outcome = entry.intent, entry.outcome
        self._done = entry_result(entry) == "done"
        self._method = intent.method
        about = _place_of(entry, collections)
        own = about is not None and about.key == place.key
        changes = own and self._method in ("PATCH", "PUT", "DELETE")
        in_collection = about is not None and about.key == place.collection.key
        made = in_collection and self._method == "POST" and outcome is not None and outcome.made == place.record_id
        # Anything else is an action: its body does not say what it makes of the record.
        self._opaque = not changes and not made
        self._whole = self._method in ("PUT", "DELETE")
        self._kept_back = entry.masked
        self._before = intent.before if changes else None
        self._after = None if self._opaque or self._method == "DELETE" else intent.after
        self.tells_before = self._before is not None
        self.tells_after = self._done and self._after is not None
        self.names = () if self._opaque else (*(self._before or ()), *(self._after or ()))

    def found(self, name: str) -> _Told:
        """What the field was when the record was read for this write."""
        if self._before is None or self._keeps_back(name):
            return _NotTold.SILENT
        if name in self._before:
            return self._before[name]
        return ABSENT if self._whole or name in (self._after or ()) else _NotTold.SILENT

    def left(self, name: str) -> _Told:
        """What the write made of the field."""
        if self._opaque or self._keeps_back(name) or (self._whole and name not in (self._after or ())):
            return _NotTold.LOST
        if self._after is None or name not in self._after:
            return _NotTold.SILENT
        return self._after[name] if self._done else _NotTold.LOST

    def _keeps_back(self, name: str) -> bool:
        """Whether a colleague's program keeps the field's value to itself, or a part of it."""
        return any(path == name or path.startswith(f"{name}.") for path in self._kept_back)


def _place_of(entry: JournalEntry, collections: Sequence[Collection]) -> Place | None:
    try:
        return parse_place(entry.intent.target.partition("?")[0], collections)
    except PlaceError:
        return None


def _fields_at(writes: Sequence[_Write], at: int, side: WriteSide, names: Iterable[str]) -> Mapping[str, Json | Absent]:
    """What is known of the fields on one side of the write number `at`, the first write first."""
    until = at if side is WriteSide.BEFORE else at + 1
    earlier, later = writes[:until][::-1], writes[until:]
    fields: dict[str, Json | Absent] = {}
    for name in names:
        # What this very write was preceded by was read then; else what was known before counts more than what was
        # seen later, when others may have changed it.
        tellings = [writes[at].found(name)] if side is WriteSide.BEFORE else []
        tellings += [_told_before(earlier, name), _told_later(later, name)]
        for told in tellings:
            if not isinstance(told, _NotTold):
                fields[name] = told
                break
    return fields


def _told_before(writes: Iterable[_Write], name: str) -> _Told:
    """What the last of these writes, newest first, that tells of a field left it as."""
    for write in writes:
        if (left := write.left(name)) is not _NotTold.SILENT:
            return left
        if (found := write.found(name)) is not _NotTold.SILENT:
            return found
    return _NotTold.SILENT


def _told_later(writes: Iterable[_Write], name: str) -> _Told:
    """What the first of these writes that tells of a field found it as, unless it may have been changed before."""
    for write in writes:
        if (found := write.found(name)) is not _NotTold.SILENT:
            return found
        if write.left(name) is not _NotTold.SILENT:
            return _NotTold.LOST
    return _NotTold.SILENT
