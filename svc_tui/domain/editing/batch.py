"""One change for many records: who gets what, what is left of it after a stop, and how it is taken back."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from svc_tui.domain.editing.draft import Draft
from svc_tui.domain.model.absent import ABSENT, Absent
from svc_tui.domain.model.catalog import Collection
from svc_tui.domain.model.jsontext import Json, same_json
from svc_tui.domain.model.records import Place, Record, id_field

MAX_CHANGES = 200
"""Records that one batch changes at most."""


@dataclass(frozen=True, slots=True)
class BatchChange:
    """What one record of a batch gets: `new` in place of `old`; `name` is the field that its id is in."""

    record_id: str
    old: Json | Absent
    new: Json
    name: str = "id"

    def draft(self, field: str) -> Draft:
        """The change as an edit of what was seen of the record; anything else in it may move."""
        record_fields: dict[str, Json] = {self.name: self.record_id}
        if not isinstance(self.old, Absent):
            record_fields[field] = self.old
        return Draft(Record(record_fields), {field: self.new})


@dataclass(frozen=True, slots=True)
class BatchPlan:
    """A batch: one field of many records of a collection, changed one after the other.

    `id` stands in the journal with each write; `undoes` is the id of the batch that this one takes back; `skipped`
    are the ids of records that the user went on without.
    """

    id: str
    collection: Collection
    field: str
    changes: tuple[BatchChange, ...]
    ticket: str = ""
    undoes: str = ""
    skipped: tuple[str, ...] = ()

    def place(self, change: BatchChange) -> Place:
        """Where the record of one change is."""
        return Place(self.collection, change.record_id)

    def skipping(self, record_id: str) -> "BatchPlan":
        """The plan without one record."""
        return replace(self, skipped=(*self.skipped, record_id))


@dataclass(frozen=True, slots=True)
class BatchOffer:
    """What a change would do to records: `already` have the value, `unnamed` have no id and can't be changed."""

    changes: tuple[BatchChange, ...]
    already: int = 0
    unnamed: int = 0


def common_field_names(records: Iterable[Record]) -> tuple[str, ...]:
    """The fields that can be changed for all of the records: any that one of them has, but the ids."""
    names: dict[str, None] = {}
    ids: set[str | None] = set()
    for record in records:
        names.update(dict.fromkeys(record.fields))
        ids.add(id_field(record.fields))
    return tuple(name for name in names if name not in ids)


def common_value(records: Sequence[Record], field: str) -> Json | Absent:
    """The value that all the records have in a field; ABSENT where they differ, or have none."""
    values = [record.fields.get(field, ABSENT) for record in records]
    first = values[0] if values else ABSENT
    if isinstance(first, Absent):
        return ABSENT
    alike = all(not isinstance(value, Absent) and same_json(value, first) for value in values)
    return first if alike else ABSENT


def plan_changes(records: Iterable[Record], field: str, value: Json) -> BatchOffer:
    """What it means for the records to get `value` in `field`."""
    changes: list[BatchChange] = []
    already = unnamed = 0
    for record in records:
        old = record.fields.get(field, ABSENT)
        if record.id is None:
            unnamed += 1
        elif not isinstance(old, Absent) and old == value:
            already += 1
        else:
            changes.append(BatchChange(record.id, old, value, id_field(record.fields) or "id"))
    return BatchOffer(tuple(changes), already, unnamed)


def remaining_changes(plan: BatchPlan, results: Mapping[str, str]) -> tuple[BatchChange, ...]:
    """The changes still to be made; `results` is what the journal says of those sent, place by place.

    One whose fate is unknown is among them: the record is read again before anything is sent.
    """
    return tuple(
        change
        for change in plan.changes
        if change.record_id not in plan.skipped and results.get(plan.place(change).key) != "done"
    )


def inverse_plan(plan: BatchPlan, results: Mapping[str, str], new_id: str) -> BatchPlan:
    """The plan that takes back what the batch did, the last record first.

    A field that a record did not have becomes null: no PATCH is known that takes a field away.
    """
    # Where the fate is unknown the record is read before anything is sent, and tells.
    done = [change for change in plan.changes if results.get(plan.place(change).key) in ("done", "unknown")]
    changes = tuple(
        replace(change, old=change.new, new=None if isinstance(change.old, Absent) else change.old)
        for change in reversed(done)
    )
    return replace(plan, id=new_id, changes=changes, undoes=plan.id, skipped=())
