"""Undo of a run: a plan that restores every record, made from the journal and a new reading of the records."""

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from datetime import datetime

from svc_tui.core.catalog import COLLECTIONS, Collection
from svc_tui.core.field_forms import is_set_by_service
from svc_tui.core.jsontext import Json, dumps, loads
from svc_tui.core.phrases import counted
from svc_tui.core.records import Record, id_field
from svc_tui.core.values import replace
from svc_tui.plans.journal_runs import title_of_entries
from svc_tui.plans.planning import PlanError, ReadListener, read_each_record
from svc_tui.service.gateway import Gateway
from svc_tui.storage.journal_entries import JournalEntry, WrittenRecord, entry_result
from svc_tui.storage.plan import Plan, PlanRow, ProblemKind, RowAction, RowProblem
from svc_tui.writes.undo import (
    Inverse,
    LaterChanges,
    NotUndoable,
    RecreateRecord,
    RemoveRecord,
    RestoreValues,
    inverse_of,
    later_changes,
)


async def plan_undo(
    gateway: Gateway,
    entries: Sequence[JournalEntry],
    record_after: Callable[[int], Awaitable[WrittenRecord | None]],
    plan_id: str,
    now: datetime,
    *,
    collections: Sequence[Collection] = COLLECTIONS,
    title: str = "",
    begun_before: bool = False,
    on_read: ReadListener = lambda *_: None,
) -> Plan:
    """Make the plan that undoes a run, the last write first; `entries` are the run's, the first one first.

    Each record is read and compared with the one that the write of that number left, which `record_after` returns;
    fields that changed since are problems of the row. `title` is the run's, "" to take it from the writes.
    `begun_before`: an earlier undo may have created deleted records again. Raises ServiceError, and PlanError if there
    is nothing to undo.
    """
    inverses = [(entry, inverse_of(entry, collections)) for entry in _last_writes(entries)]
    collection = _find_collection(inverse for _, inverse in inverses)
    if collection is None:
        raise PlanError("the run changed nothing that can be undone")
    ids = [record_id for _, inverse in inverses if (record_id := _id_to_read(inverse))]
    read = PackedRecords()

    def take(record_id: str, answer: Record | RowProblem) -> None:
        read[record_id] = answer
        on_read(len(read), len(ids))

    await read_each_record(gateway, collection, dict.fromkeys(ids), take)
    rows, incomplete = list[PlanRow](), 0
    for number, (entry, inverse) in enumerate(reversed(inverses), 1):
        record = read.get(_id_to_read(inverse))
        match inverse:
            case NotUndoable(why):
                name = entry.intent.place.rpartition("/")[2]
                problem = RowProblem(ProblemKind.NOT_UNDOABLE, why)
                rows.append(PlanRow(number, record_id=name, problems=(problem,)))
            case RecreateRecord():
                rows.append(_recreate(number, inverse, record, begun_before=begun_before))
            case RemoveRecord() | RestoreValues() if isinstance(record, Record):
                # Loaded one by one: thousands of whole records take too much memory.
                written = await record_after(entry.number)
                changes = later_changes(entry, written, record, gateway.secrets)
                incomplete += written is None
                if isinstance(inverse, RemoveRecord):
                    rows.append(_remove(number, inverse, record, changes))
                else:
                    rows.append(_restore(number, inverse, record, written, changes))
            case RemoveRecord() | RestoreValues():
                assert isinstance(record, RowProblem)
                action = RowAction.DELETE if isinstance(inverse, RemoveRecord) else RowAction.UPDATE
                rows.append(PlanRow(number, action, inverse.place.id, problems=(record,)))
    return Plan(
        plan_id,
        collection,
        tuple(rows),
        now,
        ticket=entries[0].intent.ticket,
        undoes=entries[0].intent.batch,
        notices=(_notice_of_incomplete(incomplete),) if incomplete else (),
        run_title=title or title_of_entries(entries),
    )


def _notice_of_incomplete(count: int) -> str:
    return (
        f"{counted(count, 'record')}: only the sent fields are compared, because the journal does not have the "
        "complete record"
    )


_SENT = ("done", "unknown")
"""Results of writes that may have changed something."""


def _last_writes(entries: Sequence[JournalEntry]) -> list[JournalEntry]:
    """Return the last write of each row that may have changed something; a row can be sent more than once."""
    last = {entry.intent.row or entry.intent.place: entry for entry in entries if entry_result(entry) in _SENT}
    return list(last.values())


def _find_collection(inverses: Iterable[Inverse]) -> Collection | None:
    """Return the collection of the writes; None if none can be undone."""
    for inverse in inverses:
        match inverse:
            case RestoreValues(place) | RemoveRecord(place):
                return place.collection
            case RecreateRecord(collection):
                return collection
            case NotUndoable():
                pass
    return None


def _id_to_read(inverse: Inverse) -> str:
    """Return the id of the record that has to be read to undo a write, "" for none."""
    match inverse:
        case RestoreValues(place) | RemoveRecord(place):
            return place.id
        case RecreateRecord(_, record, certain=False):
            return record.id or ""
        case _:
            return ""


def _recreate(number: int, inverse: RecreateRecord, now: Record | RowProblem | None, *, begun_before: bool) -> PlanRow:
    """Return the row that creates a deleted record again."""
    if isinstance(now, Record):
        # It was not deleted, so there is nothing to create.
        return PlanRow(number, RowAction.UPDATE, _id_to_read(inverse), now.label)
    problems = [] if now is None or now.kind is ProblemKind.UNKNOWN_RECORD else [now]
    if begun_before:
        words = "An undo of this run was started before. The record may already exist again with a new id."
        problems.append(RowProblem(ProblemKind.MOVED, words))
    id_name = id_field(inverse.record.fields)
    fields = {
        name: value for name, value in inverse.record.fields.items() if name != id_name and not is_set_by_service(name)
    }
    return PlanRow(
        number,
        RowAction.CREATE,
        label=inverse.record.label,
        edits=fields,
        fields=tuple(fields),
        problems=tuple(problems),
    )


def _remove(number: int, inverse: RemoveRecord, now: Record, changes: LaterChanges) -> PlanRow:
    """Return the row that deletes a created record."""
    return PlanRow(
        number,
        RowAction.DELETE,
        inverse.place.id,
        now.label,
        now.fields,
        problems=tuple(_change_problem(name, now, changes) for name in changes.names),
        id_name=id_field(now.fields) or "id",
    )


def _restore(
    number: int, inverse: RestoreValues, now: Record, written: WrittenRecord | None, changes: LaterChanges
) -> PlanRow:
    """Return the row that restores the old values of a record; a field that it did not have becomes null."""
    added = [name for name in inverse.stay if name in now.fields]
    values: dict[str, Json] = {**inverse.draft(now, written).edits, **dict.fromkeys(added)}
    edits = {name: value for name, value in values.items() if name not in now.fields or now.fields[name] != value}
    # A field that already has its old value needs no undo.
    restored = [name for name in (*inverse.before, *added) if name not in edits]
    return PlanRow(
        number,
        RowAction.UPDATE,
        inverse.place.id,
        now.label,
        base={name: now.fields[name] for name in edits if name in now.fields},
        edits=edits,
        fields=tuple(edits),
        problems=tuple(_change_problem(name, now, changes) for name in changes.names if name not in restored),
        id_name=id_field(now.fields) or "id",
    )


def _change_problem(name: str, now: Record, changes: LaterChanges) -> RowProblem:
    """Return the problem of a field that changed after the write, or may have."""
    if name in changes.removed:
        words = f"{name}: was removed after this run."
    elif name in changes.unknown:
        words = f"{name}: may have changed since. The value is only on a colleague's computer."
    elif name not in changes.draft.base.fields:
        words = f"{name}: is now {dumps(now.fields.get(name))}, added after this run."
    else:
        words = f"{name}: is now {dumps(now.fields.get(name))}, changed later."
    return RowProblem(ProblemKind.MOVED, words, name)


class PackedRecords:
    """Records that were read, or why they can't be read, by id; as JSON text, which takes a fifth of the memory."""

    def __init__(self) -> None:
        self._packed: dict[str, tuple[Record, str] | RowProblem] = {}

    def __setitem__(self, record_id: str, answer: Record | RowProblem) -> None:
        if isinstance(answer, Record):
            self._packed[record_id] = (replace(answer, fields={}), dumps(answer.fields))
        else:
            self._packed[record_id] = answer

    def __len__(self) -> int:
        return len(self._packed)

    def get(self, record_id: str) -> Record | RowProblem | None:
        """Return the record or problem of an id; None if it was not read."""
        packed = self._packed.get(record_id)
        if not isinstance(packed, tuple):
            return packed
        record, text = packed
        fields = loads(text)
        assert isinstance(fields, Mapping)
        return replace(record, fields=fields)
