"""Taking a run back as one: a plan that gives every record what it had, made from the journal and fresh readings."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime

from svc_tui.domain.corrections.correction import RowAction
from svc_tui.domain.editing.draft import freshen
from svc_tui.domain.editing.journal import entry_result
from svc_tui.domain.editing.ports import JournalEntry
from svc_tui.domain.editing.undo import Inverse, NotUndoable, RecreateRecord, RemoveRecord, RestoreValues, inverse_of
from svc_tui.domain.http.gateway import Gateway
from svc_tui.domain.model.catalog import COLLECTIONS, Collection
from svc_tui.domain.model.jsontext import Json, dumps, same_json
from svc_tui.domain.model.records import Record, id_field
from svc_tui.domain.plans.journal_groups import title_of_entries
from svc_tui.domain.plans.plan import Plan, PlanRow, ProblemKind, RowProblem
from svc_tui.domain.plans.planning import PackedRecords, PlanError, ReadListener, read_each


async def plan_undo(
    gateway: Gateway,
    entries: Sequence[JournalEntry],
    plan_id: str,
    now: datetime,
    *,
    collections: Sequence[Collection] = COLLECTIONS,
    title: str = "",
    begun_before: bool = False,
    on_read: ReadListener = lambda *_: None,
) -> Plan:
    """The plan that takes back what a run did, the last write first; `entries` are the run's, the first one first.

    Each record is read; what others changed since stands against its row. `title` is what the run is called, "" where
    nobody knows: then its writes tell. `begun_before`: an undo of it was begun, and
    may have made deleted records again, which is told of their rows. Raises ServiceError, and PlanError where there is
    nothing to take back.
    """
    inverses = [
        (entry, inverse_of(entry, collections)) for entry in _last_of_each(entries) if entry_result(entry) in _SENT
    ]
    if not inverses:
        raise PlanError("it changed nothing that could be taken back")
    collection = _collection(inverse for _, inverse in inverses)
    if collection is None:
        raise PlanError("none of its writes can be taken back")
    ids = [record_id for _, inverse in inverses if (record_id := _read_id(inverse))]
    read = PackedRecords()

    def take(record_id: str, found: Record | RowProblem) -> None:
        read[record_id] = found
        on_read(len(read), len(ids))

    await read_each(gateway, collection, dict.fromkeys(ids), take)
    rows = [
        _row(number, entry, inverse, read.get(_read_id(inverse)))
        for number, (entry, inverse) in enumerate(reversed(inverses), 1)
    ]
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
        run_title=title or title_of_entries(entries),
    )


_SENT = ("done", "unknown")
"""Results of writes that may have changed something."""


def _last_of_each(entries: Sequence[JournalEntry]) -> list[JournalEntry]:
    """The write that counts of each row: of one that was sent again, the last that may have changed something."""
    last: dict[object, JournalEntry] = {}
    for entry in entries:
        key = entry.intent.row or entry.intent.place
        if key not in last or entry_result(entry) in _SENT:
            last[key] = entry
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
    words = "An undo of this run was begun before: the record may have been made again, under another id."
    return replace(row, problems=(*row.problems, RowProblem(ProblemKind.MOVED, words)))


def _row(number: int, entry: JournalEntry, inverse: Inverse, now: Record | RowProblem | None) -> PlanRow:
    record_id = _read_id(inverse)
    match inverse:
        case NotUndoable(why):
            name = entry.intent.place.rpartition("/")[2]
            return PlanRow(number, record_id=name, problems=(RowProblem(ProblemKind.NOT_UNDOABLE, why),))
        case RecreateRecord(_, record, certain=certain):
            if isinstance(now, Record):
                # It was not deleted, so there is nothing to make again.
                return PlanRow(number, RowAction.UPDATE, record_id, now.label)
            problems = () if certain or now is None or now.kind is ProblemKind.UNKNOWN_RECORD else (now,)
            # Here: forms are loaded where a record is to be made again.
            from svc_tui.domain.editing.forms import is_set_by_service

            own = id_field(record.fields)
            fields = {
                name: value for name, value in record.fields.items() if name != own and not is_set_by_service(name)
            }
            return PlanRow(number, RowAction.CREATE, "", record.label, {}, fields, tuple(fields), problems)
        case _ if not isinstance(now, Record):
            assert now is not None
            action = RowAction.DELETE if isinstance(inverse, RemoveRecord) else RowAction.UPDATE
            return PlanRow(number, action, record_id, problems=(now,))
        case RemoveRecord():
            return PlanRow(
                number,
                RowAction.DELETE,
                record_id,
                now.label,
                now.fields,
                problems=tuple(_told_of_moved(name, now) for name in _changed_since(entry, now)),
                id_name=id_field(now.fields) or "id",
            )
        case RestoreValues():
            return _restoring(number, entry, inverse, now)


def _changed_since(entry: JournalEntry, now: Record) -> tuple[str, ...]:
    """The fields that have another value now than the write gave them; one that is gone is not among them."""
    sent = entry.intent.after or {}
    return tuple(name for name, value in sent.items() if name in now.fields and not same_json(now.fields[name], value))


def _told_of_moved(name: str, now: Record) -> RowProblem:
    words = f"{name} is {dumps(now.fields.get(name))} now: others changed it since."
    return RowProblem(ProblemKind.MOVED, words, name)


def _restoring(number: int, entry: JournalEntry, inverse: RestoreValues, now: Record) -> PlanRow:
    """The row that gives a record the values that it had; a field that it did not have becomes null."""
    stay = [name for name in inverse.stay if name in now.fields]
    wanted: dict[str, Json] = {**inverse.draft(now).edits, **dict.fromkeys(stay)}
    edits = {name: value for name, value in wanted.items() if name not in now.fields or now.fields[name] != value}
    conflicts = freshen(inverse.draft(now), now).conflicts
    moved = [*conflicts, *(name for name in _changed_since(entry, now) if name in stay)]
    problems = tuple(_told_of_moved(name, now) for name in moved if name in edits)
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
