"""What would take a journalled write back: the old values, the record made again, or the made one deleted."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from svc_tui.domain.editing.draft import Draft, freshen
from svc_tui.domain.editing.journal import result_of
from svc_tui.domain.editing.ports import JournalEntry
from svc_tui.domain.http.routes import PlaceError, parse_place
from svc_tui.domain.model.catalog import COLLECTIONS, Collection
from svc_tui.domain.model.jsontext import Json
from svc_tui.domain.model.records import Place, Record


@dataclass(frozen=True, slots=True)
class Restore:
    """The fields of a record as they were `before`, in place of what the write put there (`after`).

    `stay` are fields that the record did not have: no PATCH takes a field away, so they stay as they are.
    """

    place: Place
    before: Mapping[str, Json]
    after: Mapping[str, Json]
    stay: tuple[str, ...] = ()

    def draft(self, fresh: Record) -> Draft:
        """The old values as edits, made on the record as the write left it: what moved since shows as a conflict.

        Without edits where the record has its old values already.
        """
        left_by_write = Draft(Record({**fresh.fields, **self.after}, fresh.etag), self.before)
        return left_by_write if freshen(left_by_write, fresh).draft.edits else Draft(fresh)


@dataclass(frozen=True, slots=True)
class Remake:
    """A deleted record, to be made again with the fields that it had; the service may give it another id."""

    collection: Collection
    record: Record


@dataclass(frozen=True, slots=True)
class Remove:
    """A record that was made, to be deleted."""

    place: Place


@dataclass(frozen=True, slots=True)
class Impossible:
    """Nothing that can be done from here; `why` is a sentence."""

    why: str


Inverse: TypeAlias = Restore | Remake | Remove | Impossible


def inverse_of(entry: JournalEntry, collections: Sequence[Collection] = COLLECTIONS) -> Inverse:
    """What would take the write back."""
    intent, outcome = entry.intent, entry.outcome
    result = result_of(entry)
    if entry.under_way is not None:
        return Impossible(f"It is {entry.under_way.value}.")
    if result == "unknown":
        return Impossible("Whether it was carried out is not known.")
    if outcome is None or result != "done":
        return Impossible("It changed nothing.")
    try:
        place = parse_place(intent.target.partition("?")[0], collections)
    except PlaceError:
        return Impossible("It was no write of a record.")
    match intent.method:
        case "PATCH" if intent.before is not None and intent.after is not None and place.record_id is not None:
            return _restored(place, intent.before, intent.after)
        case "DELETE" if intent.before and place.record_id is not None:
            return Remake(place.collection, Record(intent.before))
        case "POST" if outcome.made:
            return Remove(Place(place.collection, outcome.made))
        case "POST" if intent.before is None:
            return Impossible("An action has no inverse that is known here.")
        case "POST":
            return Impossible("Which record it made is not known. Delete it in its table.")
        case "DELETE":
            return Impossible("By hand: the record was not read before. a makes a new one.")
        case _:
            return Impossible("By hand: the old values were not read. e in the record sets others.")


def _restored(place: Place, before: Mapping[str, Json], after: Mapping[str, Json]) -> Restore | Impossible:
    stay = tuple(name for name in after if name not in before)
    if not before:
        return Impossible("The record did not have these fields, and a change can't take a field away.")
    return Restore(place, before, {name: after[name] for name in before if name in after}, stay)
