"""What would take a journalled write back: the old values, the record created again, or the created one deleted."""

from collections.abc import Mapping, Sequence
from typing import TypeAlias

from msgspec import Struct, field

from svc_tui.core.catalog import COLLECTIONS, Collection
from svc_tui.core.draft import Draft, freshen
from svc_tui.core.jsontext import Json, same_json
from svc_tui.core.masked_values import split_masked
from svc_tui.core.records import Place, Record
from svc_tui.service.redact import mask_fields
from svc_tui.service.routes import PlaceError, parse_place
from svc_tui.storage.journal_entries import Author, JournalEntry, WrittenRecord, entry_result


class RestoreValues(Struct, frozen=True):
    """The fields of a record as they were `before`, in place of what the write put there (`after`).

    `stay` are fields that the record did not have: no PATCH takes a field away, so they stay as they are. `left_out`
    are fields that a PUT did not name: it may have taken them away.
    """

    place: Place
    before: Mapping[str, Json]
    after: Mapping[str, Json]
    stay: tuple[str, ...] = ()
    left_out: Mapping[str, Json] = field(default_factory=dict)

    def draft(self, fresh: Record, written: WrittenRecord | None = None) -> Draft:
        """The old values as edits, made on the record as the write left it: what moved since shows as a conflict.

        A service may have made another value of the one that was sent: `written` tells that. Without edits where the
        record has its old values already.
        """
        taken_away = {name: value for name, value in self.left_out.items() if name not in fresh.fields}
        answered = {} if written is None else written.record.fields
        after = {name: answered.get(name, value) for name, value in self.after.items()}
        left_by_write = Draft(Record({**fresh.fields, **after}, fresh.etag), {**self.before, **taken_away})
        return left_by_write if freshen(left_by_write, fresh).draft.edits else Draft(fresh)


class RecreateRecord(Struct, frozen=True):
    """A deleted record, to be created again with the fields that it had; the service may give it another id.

    Not `certain`: whether it was deleted is not known, and it may still be there.
    """

    collection: Collection
    record: Record
    certain: bool = True


class RemoveRecord(Struct, frozen=True):
    """A record that was made, to be deleted."""

    place: Place


class NotUndoable(Struct, frozen=True):
    """Nothing that can be done from here; `why` is a sentence."""

    why: str


Inverse: TypeAlias = RestoreValues | RecreateRecord | RemoveRecord | NotUndoable


def inverse_of(entry: JournalEntry, collections: Sequence[Collection] = COLLECTIONS) -> Inverse:
    """What would take the write back, if it was carried out: of one whose outcome is not known nobody can say."""
    intent, outcome = entry.intent, entry.outcome
    result = entry_result(entry)
    if entry.under_way is not None:
        return NotUndoable(f"This change is {entry.under_way.value}.")
    if result not in {"done", "unknown"}:
        return NotUndoable("Nothing was changed.")
    if entry.author is not None and (why := _why_not_from_here(entry, entry.author)):
        return NotUndoable(why)
    try:
        place = parse_place(intent.target.partition("?")[0], collections)
    except PlaceError:
        return NotUndoable("No record was changed.")
    match intent.method:
        case "PATCH" if intent.before is not None and intent.after is not None and place.record_id is not None:
            return _restore_edit(place, intent.before, intent.after)
        case "PUT" if intent.before is not None and intent.after is not None and place.record_id is not None:
            return _restore_whole(place, intent.before, intent.after)
        case "DELETE" if intent.before and place.record_id is not None:
            return RecreateRecord(place.collection, Record(intent.before), certain=result == "done")
        case "POST" if outcome is not None and outcome.made:
            return RemoveRecord(Place(place.collection, outcome.made))
        case "POST" if intent.before is None:
            return NotUndoable("This action has no undo.")
        case "POST":
            return NotUndoable("The id of the new record is not known. Delete the record in its table.")
        case "DELETE":
            return NotUndoable("The deleted values are not known. Press a to add the record again.")
        case _:
            return NotUndoable("The old values are not known. Press e in the record to edit it.")


def is_undoable(entry: JournalEntry, collections: Sequence[Collection] = COLLECTIONS) -> bool:
    """Return True if the write was carried out and can be undone from here."""
    return entry_result(entry) == "done" and not isinstance(inverse_of(entry, collections), NotUndoable)


class LaterChanges(Struct, frozen=True):
    """What became of a record since a write: `draft` is the record as the write left it, with later values as edits.

    `removed` are fields that it had then, `unknown` those that may have changed: their values stayed with a colleague.
    """

    draft: Draft
    removed: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """The fields that changed, or may have."""
        return (*self.draft.edits, *self.removed, *self.unknown)


def later_changes(
    entry: JournalEntry, written: WrittenRecord | None, now: Record, secrets: Sequence[str] = ()
) -> LaterChanges:
    """Compare the record with what the write left of it; the same ETag says that nothing changed.

    Where the journal does not have that (`written` None), the fields that were sent are compared, as far as the record
    has them. Fields that a service sets at every write count only as a sign that hidden ones may have changed.
    """
    if written is not None and written.record.etag and written.record.etag == now.etag:
        # The answer that was kept may not have had every field.
        return LaterChanges(Draft(written.record))
    masked = entry.masked if written is None else written.masked
    before = Record(entry.intent.after or {}) if written is None else written.record
    kept = split_masked(now.fields, frozenset(path.casefold() for path in masked), lambda _: "").kept
    after = mask_fields(kept, secrets)
    changed = {
        name: value
        for name, value in after.items()
        if (name in before.fields or written is not None)
        and not (name in before.fields and same_json(before.fields[name], value))
    }
    # A field that was only sent may never have been taken.
    expected = before.fields if written is not None else entry.intent.before or {}
    removed = tuple(name for name in before.fields if name in expected and name not in after)
    return LaterChanges(
        Draft(before, {name: value for name, value in changed.items() if not is_stamp(name)}),
        tuple(name for name in removed if not is_stamp(name)),
        () if written is not None and _is_same_version(before, now) else masked,
    )


SENT_ONLY = "Only the sent fields could be compared: the journal does not have the complete record after this write."
"""What a user should know of the undo of a write of 1.0.0, or of one whose answer was lost."""

_VERSION_NAMES = frozenset({"updatedat", "updated", "modifiedat", "modified", "lastmodified", "version", "revision"})
"""Names, without case and marks between words, of fields that a service sets at every write."""
_STAMP_NAMES = _VERSION_NAMES | {"createdat", "created", "updatedby", "modifiedby", "etag"}
"""Those, and others that are a service's own: a time may be answered more exactly than it is stored."""


def is_stamp(name: str) -> bool:
    """Return True for a field that services set at every write."""
    return _plain_name(name) in _STAMP_NAMES


def _plain_name(name: str) -> str:
    return name.replace("_", "").replace("-", "").casefold()


def _is_same_version(before: Record, now: Record) -> bool:
    """Whether the fields that every write changes say that nobody wrote in between."""
    versions = [name for name in before.fields if _plain_name(name) in _VERSION_NAMES]
    return bool(versions) and all(
        name in now.fields and same_json(before.fields[name], now.fields[name]) for name in versions
    )


def _why_not_from_here(entry: JournalEntry, author: Author) -> str:
    """Why a colleague's write can't be taken back here; "" where it can."""
    if entry.outcome is None:
        # It may be under way; only that program knows.
        return f"The outcome is unknown: {author} has not sent it to the team server yet."
    if entry.masked and entry.intent.method in _KEPT_BACK_IN:
        named = ", ".join(entry.masked[:_MAX_NAMED]) + (" and more" if len(entry.masked) > _MAX_NAMED else "")
        return f"The values of {named} are masked. They are only on {author}'s computer."
    return ""


_KEPT_BACK_IN = ("PATCH", "PUT", "DELETE")
"""The methods whose writes are taken back with the values of before."""
_MAX_NAMED = 3


def _restore_edit(place: Place, before: Mapping[str, Json], after: Mapping[str, Json]) -> RestoreValues | NotUndoable:
    stay = tuple(name for name in after if name not in before)
    if not before:
        return NotUndoable("The record did not have these fields, and a change can't remove a field.")
    return RestoreValues(place, before, {name: after[name] for name in before if name in after}, stay)


def _restore_whole(place: Place, before: Mapping[str, Json], after: Mapping[str, Json]) -> RestoreValues:
    """The inverse of a PUT: the fields that it set to another value, and those that it did not name."""
    changed = {name: value for name, value in before.items() if name in after and not same_json(value, after[name])}
    return RestoreValues(
        place,
        changed,
        {name: after[name] for name in changed},
        tuple(name for name in after if name not in before),
        {name: value for name, value in before.items() if name not in after},
    )
