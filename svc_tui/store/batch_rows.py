"""How the plans of batches are written in rows, and read back."""

from svc_tui.domain.editing.batch import BatchChange, BatchPlan
from svc_tui.domain.editing.ports import StoreError
from svc_tui.domain.model.absent import ABSENT, Absent
from svc_tui.domain.model.jsontext import Json, dumps
from svc_tui.store.row_values import place_key, place_of, read_object


def plan_text(plan: BatchPlan) -> str:
    """A plan as text."""
    fields: dict[str, Json] = {
        "place": place_key(plan.collection, ""),
        "field": plan.field,
        "ticket": plan.ticket,
        "undoes": plan.undoes,
        "skipped": list(plan.skipped),
        "changes": [_change_fields(change) for change in plan.changes],
    }
    return dumps(fields, ascii_only=True)


def _change_fields(change: BatchChange) -> dict[str, Json]:
    fields: dict[str, Json] = {"id": change.record_id, "name": change.name, "new": change.new}
    return fields if isinstance(change.old, Absent) else {**fields, "old": change.old}


def plan_of(batch: str, text: str) -> BatchPlan:
    """The plan of one row; raises StoreError."""
    match read_object(text):
        case {
            "place": str(place),
            "field": str(field),
            "ticket": str(ticket),
            "undoes": str(undoes),
            "skipped": list(skipped),
            "changes": list(changes),
        }:
            collection, _ = place_of(place)
            ids = tuple(record_id for record_id in skipped if isinstance(record_id, str))
            return BatchPlan(batch, collection, field, tuple(map(_read_change, changes)), ticket, undoes, ids)
    raise _unreadable()


def _read_change(fields: Json) -> BatchChange:
    if isinstance(fields, dict):
        record_id, name = fields.get("id"), fields.get("name")
        if isinstance(record_id, str) and isinstance(name, str) and "new" in fields:
            return BatchChange(record_id, fields.get("old", ABSENT), fields["new"], name)
    raise _unreadable()


def _unreadable() -> StoreError:
    return StoreError("the store holds a batch that can't be read; move its database away")
