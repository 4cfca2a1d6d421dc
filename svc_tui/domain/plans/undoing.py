"""Taking a run back as one: a plan that gives every record what it had, made from the journal and fresh readings."""

from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import replace
from datetime import datetime

from svc_tui.domain.corrections.correction import RowAction
from svc_tui.domain.data.counted import counted
from svc_tui.domain.editing.journal import entry_result
from svc_tui.domain.editing.ports import JournalEntry, WrittenRecord
from svc_tui.domain.editing.undo import (
    Inverse,
    LaterChanges,
    NotUndoable,
    RecreateRecord,
    RemoveRecord,
    RestoreValues,
    inverse_of,
    later_changes,
)
from svc_tui.domain.http.gateway import Gateway
from svc_tui.domain.model.catalog import COLLECTIONS, Collection
from svc_tui.domain.model.jsontext import Json, dumps
from svc_tui.domain.model.records import Record, id_field
from svc_tui.domain.plans.journal_groups import title_of_entries
from svc_tui.domain.plans.plan import Plan, PlanRow, ProblemKind, RowProblem
from svc_tui.domain.plans.planning import PackedRecords, PlanError, ReadListener, read_each


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
    """The plan that takes back what a run did, the last write first; `entries` are the run's, the first one first.

    Each record is read and compared with what the write of that number left of it, which `record_after` tells: what
    changed since stands against its row. `title` is what the run is called, "" where
    nobody knows: then its writes tell. `begun_before`: an undo of it was begun, and
    may have made deleted records again, which is told of their rows. Raises ServiceError, and PlanError where there is
    nothing to take back.
    """
    inverses = [(entry, inverse_of(entry, collections)) for entry in _last_of_each(entries)]
    collection = _collection(inverse for _, inverse in inverses)
    if collection is None:
        raise PlanError("the run changed nothing that can be undone")
    ids = [record_id for _, inverse in inverses if (record_id := _read_id(inverse))]
    read = PackedRecords()

    def take(record_id: str, found: Record | RowProblem) -> None:
        read[record_id] = found
        on_read(len(read), len(ids))

    await read_each(gateway, collection, dict.fromkeys(ids), take)
    rows, sent_only = list[PlanRow](), 0
    for number, (entry, inverse) in enumerate(reversed(inverses), 1):
        record = read.get(_read_id(inverse))
        if isinstance(record, Record) and isinstance(inverse, RemoveRecord | RestoreValues):
            # One by one: whole records of thousands of rows would not be small.
            written = await record_after(entry.number)
            changes = later_changes(entry, written, record, gateway.secrets)
            sent_only += written is None
            if isinstance(inverse, RemoveRecord):
                rows.append(_removing(number, inverse, record, changes))
            else:
                rows.append(_restoring(number, inverse, record, written, changes))
        else:
            rows.append(_row(number, entry, inverse, record))
    if begun_before:
        rows = [_told_of_undo_before(row) for row in rows]
    undoes = entries[0].intent.batch
    ticket = entries[0].intent.ticket
    return Plan(
        plan_id,
        collection,
        tuple(rows),
        now,
        ticket=ticket,
        undoes=undoes,
        notices=(_sent_only_words(sent_only),) if sent_only else (),
        run_title=title or title_of_entries(entries),
    )


def _sent_only_words(count: int) -> str:
    return (
        f"{counted(count, 'record')}: only the sent fields are compared, because the journal does not have the "
        "complete record"
    )


_SENT = ("done", "unknown")
"""Results of writes that may have changed something."""


def _last_of_each(entries: Sequence[JournalEntry]) -> list[JournalEntry]:
    """The write that counts of each row: of one that was sent again, the last that may have changed something."""
    last = {entry.intent.row or entry.intent.place: entry for entry in entries if entry_result(entry) in _SENT}
    return list(last.values())


def _collection(inverses: Iterable[Inverse]) -> Collection | None:
    """The collection that the writes of a run are in."""
    for inverse in inverses:
        match inverse:
            case RestoreValues(place) | RemoveRecord(place):
                return place.collection
            case RecreateRecord(collection):
                return collection
            case NotUndoable():
                pass
    return None


def _read_id(inverse: Inverse) -> str:
    """The id of the record that has to be read for it, "" where none has."""
    match inverse:
        case RestoreValues(place) | RemoveRecord(place):
            return place.id
        case RecreateRecord(_, record, certain=False):
            return record.id or ""
        case _:
            return ""


def _told_of_undo_before(row: PlanRow) -> PlanRow:
    if row.action is not RowAction.CREATE:
        return row
    words = "An undo of this run was started before. The record may already exist again with a new id."
    return replace(row, problems=(*row.problems, RowProblem(ProblemKind.MOVED, words)))


def _row(number: int, entry: JournalEntry, inverse: Inverse, now: Record | RowProblem | None) -> PlanRow:
    record_id = _read_id(inverse)
    match inverse:
        case NotUndoable(why):
            name = entry.intent.place.rpartition("/")[2]
            return PlanRow(number, record_id=name, problems=(RowProblem(ProblemKind.NOT_UNDOABLE, why),))
        case RecreateRecord(_, record):
            if isinstance(now, Record):
                # It was not deleted, so there is nothing to make again.
                return PlanRow(number, RowAction.UPDATE, record_id, now.label)
            problems = () if now is None or now.kind is ProblemKind.UNKNOWN_RECORD else (now,)
            # Here: forms are loaded where a record is to be made again.
            from svc_tui.domain.editing.forms import is_set_by_service

            own = id_field(record.fields)
            fields = {
                name: value for name, value in record.fields.items() if name != own and not is_set_by_service(name)
            }
            return PlanRow(number, RowAction.CREATE, "", record.label, {}, fields, tuple(fields), problems)
        case _:
            assert isinstance(now, RowProblem)
            action = RowAction.DELETE if isinstance(inverse, RemoveRecord) else RowAction.UPDATE
            return PlanRow(number, action, record_id, problems=(now,))


def _removing(number: int, inverse: RemoveRecord, now: Record, changes: LaterChanges) -> PlanRow:
    """The row that deletes a record that was made."""
    return PlanRow(
        number,
        RowAction.DELETE,
        inverse.place.id,
        now.label,
        now.fields,
        problems=tuple(_problem_of(name, now, changes) for name in changes.names),
        id_name=id_field(now.fields) or "id",
    )


def _problem_of(name: str, now: Record, changes: LaterChanges) -> RowProblem:
    """The problem that a field changed since the write, or may have."""
    if name in changes.removed:
        words = f"{name}: was removed after this run."
    elif name in changes.unknown:
        words = f"{name}: may have changed since. The value is only on a colleague's computer."
    elif name not in changes.draft.base.fields:
        words = f"{name}: is now {dumps(now.fields.get(name))}, added after this run."
    else:
        words = f"{name}: is now {dumps(now.fields.get(name))}, changed later."
    return RowProblem(ProblemKind.MOVED, words, name)


def _restoring(
    number: int, inverse: RestoreValues, now: Record, written: WrittenRecord | None, changes: LaterChanges
) -> PlanRow:
    """The row that gives a record the values that it had; a field that it did not have becomes null."""
    stay = [name for name in inverse.stay if name in now.fields]
    wanted: dict[str, Json] = {**inverse.draft(now, written).edits, **dict.fromkeys(stay)}
    edits = {name: value for name, value in wanted.items() if name not in now.fields or now.fields[name] != value}
    # A field that has its old value again is as the undo would leave it.
    restored = [name for name in (*inverse.before, *stay) if name not in edits]
    problems = tuple(_problem_of(name, now, changes) for name in changes.names if name not in restored)
    return PlanRow(
        number,
        RowAction.UPDATE,
        inverse.place.id,
        now.label,
        {name: now.fields[name] for name in edits if name in now.fields},
        edits,
        tuple(edits),
        problems,
        id_name=id_field(now.fields) or "id",
    )
