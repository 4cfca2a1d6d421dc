"""Making a plan from a list of corrections: each record is read once, then all rows are compared with the records.

An old plan is compared with the records again before its first write.
"""

import asyncio
import re
from collections import defaultdict
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta

from msgspec import Struct

from svc_tui.core.catalog import Collection
from svc_tui.core.credentials import PREFIXES
from svc_tui.core.draft import Draft, freshen
from svc_tui.core.field_path import path_steps
from svc_tui.core.jsontext import Json, dumps
from svc_tui.core.records import Place, Record, id_field
from svc_tui.core.references import ReferenceResolver
from svc_tui.core.values import replace
from svc_tui.plans.cell_text import to_plain_form
from svc_tui.plans.cells import Cell, DecimalMark, NumberCertainty
from svc_tui.plans.comparing import SeenValues, compare_row, edit_row
from svc_tui.plans.correction_file import Corrections
from svc_tui.service.errors import NotFound, RequestRefused, ServiceError
from svc_tui.service.gateway import Gateway
from svc_tui.service.records_by_id import read_by_id
from svc_tui.service.redact import holds_secret_text
from svc_tui.storage.journal_entries import JournalEntry, entry_result
from svc_tui.storage.plan import MAX_ROWS, Plan, PlanRow, ProblemKind, RowAction, RowProblem, SourceFile
from svc_tui.writes.record_lookup import ListEnds, read_list_ends
from svc_tui.writes.write_requests import build_create_request, hash_body

_SAMPLE_RECORDS = 50
"""Records of the collection that are read to learn kinds and choices, besides those in the plan."""

_ROWS_AT_ONCE = 100
"""Rows that are compared before the event loop runs other tasks."""

FindCreations = Callable[[str, frozenset[str]], Awaitable[Sequence[JournalEntry]]]
"""Finds the creations at the place of a collection, done or of unknown outcome, whose bodies have one of the digests.

The newest comes first.
"""

ReadListener = Callable[[int, int], None]
"""Gets the number of records read so far, and of all to read."""

_KEY = re.compile(rf"(?:{'|'.join(PREFIXES)})[0-9A-Za-z]")
"""The start of an API key: its prefix and one more character."""

SECRET_IN_VALUE = "the value contains an API key or signing secret"  # noqa: S105  a message


class PlanError(Exception):
    """A plan that can't be made; the message is a sentence that says why and what to do."""


class Planner:
    """Makes plans for one collection, and edits them; `references` finds the records that values refer to.

    Edits are compared with the values `seen`, until `plan` reads others. `find_creations` searches the journal for new
    records that were sent before.
    """

    def __init__(
        self,
        gateway: Gateway,
        references: ReferenceResolver,
        now: Callable[[], datetime],
        seen: SeenValues | None = None,
        *,
        find_creations: FindCreations | None = None,
    ) -> None:
        self._gateway, self._references, self._now = gateway, references, now
        self.seen = SeenValues(()) if seen is None else seen
        self._find_creations = find_creations or _find_nothing

    async def plan(
        self, collection: Collection, corrections: Corrections, plan_id: str, on_read: ReadListener = lambda *_: None
    ) -> Plan:
        """Compare corrections with the records and make a plan; raises ServiceError and PlanError."""
        rows = corrections.rows
        _refuse_secrets(corrections, self._gateway.secrets)
        if len(rows) > MAX_ROWS:
            raise PlanError(
                f"the file has {len(rows):,} rows, but the limit is {MAX_ROWS:,}; split it into several files"
            )
        paths = tuple(dict.fromkeys((*corrections.fields, *(path for row in rows for path in row.values))))
        self.seen = seen = SeenValues(paths)
        sample = await self._gateway.page(collection, 1, _SAMPLE_RECORDS, background=True)
        for record in sample.records:
            seen.add(record.fields)
        deleted = {row.record_id for row in rows if row.action is RowAction.DELETE}
        ids = tuple(dict.fromkeys(row.record_id for row in rows if row.record_id))
        read: dict[str, Record | RowProblem] = {}

        def take(record_id: str, answer: Record | RowProblem) -> None:
            if isinstance(answer, Record):
                seen.add(answer.fields)
                if record_id not in deleted:
                    # Of ten thousand records, only the fields that are compared stay in memory.
                    answer = _without_other_fields(answer, paths)
            read[record_id] = answer
            on_read(len(read), len(ids))

        await read_each_record(self._gateway, collection, ids, take)
        planned: list[PlanRow] = []
        for at, row in enumerate(rows):
            planned.append(compare_row(row, read[row.record_id] if row.record_id else None, seen))
            if at % _ROWS_AT_ONCE == 0:
                await asyncio.sleep(0)
        planned = mark_duplicates(planned)
        planned = await self._with_missing_targets(planned)
        planned = await self._with_earlier_creations(collection, planned)
        return Plan(
            plan_id,
            collection,
            tuple(planned),
            self._now(),
            SourceFile(corrections.name, corrections.digest, corrections.path),
            notices=tuple(corrections.notices),
            warnings=tuple(_unknown_fields(corrections, seen)),
        )

    async def edit(self, plan: Plan, edits: Mapping[int, Json | Cell], path: str) -> Plan:
        """Return the plan with new values at `path`, by the number of their row, compared like those of a file.

        Raises PlanError for a value that holds a key or a secret.
        """
        for value in edits.values():
            if value_holds_secret(value, self._gateway.secrets):
                raise PlanError(SECRET_IN_VALUE)
        before = [row for row in plan.rows if row.number in edits]
        rows = [edit_row(row, path, edits[row.number], self.seen) for row in before]
        try:
            rows = await self._with_missing_targets(rows, path)
            # Assigned only after the search: if that fails, the earlier problems stay.
            unmarked = [row.without_problems(ProblemKind.MAY_EXIST) for row in rows]
            rows = await self._with_earlier_creations(plan.collection, unmarked)
        except ServiceError as error:
            unread = RowProblem(ProblemKind.NO_TARGET, f"{path}: could not check the reference: {error}", path)
            rows = [row.with_problems([unread]) for row in rows]
        rows = [row.with_decision_of(old) for row, old in zip(rows, before, strict=True)]
        return _with_duplicates_marked(plan.with_rows(rows), before + rows)

    async def with_decimal_mark(self, plan: Plan, path: str, mark: DecimalMark) -> Plan:
        """Return the plan with the unclear numbers at `path` read with that decimal mark."""
        cells = {
            row.number: Cell(problem.cell, mark is DecimalMark.COMMA, certainty=NumberCertainty.CHOSEN)
            for row in plan.rows
            for problem in row.problems
            if problem.field == path and problem.cell
        }
        return await self.edit(plan, cells, path)

    async def _with_missing_targets(self, rows: Sequence[PlanRow], only: str | None = None) -> list[PlanRow]:
        """Return the rows with a problem at each new value that refers to a missing record; `only` checks one path."""
        targets = [[(path, place) for path, place in self._targets(row) if only in (None, path)] for row in rows]
        places = dict.fromkeys(place for of_row in targets for _, place in of_row)
        missing: set[Place] = set()
        for collection in dict.fromkeys(place.collection for place in places):
            ids = [place.id for place in places if place.collection == collection]
            missing.update(Place(collection, record_id) for record_id in await self._find_missing(collection, ids))
        return [
            row.with_problems(
                RowProblem(ProblemKind.NO_TARGET, f"{path}: no record {place.key}.", path)
                for path, place in of_row
                if place in missing
            )
            for row, of_row in zip(rows, targets, strict=True)
        ]

    async def _with_earlier_creations(self, collection: Collection, rows: Sequence[PlanRow]) -> list[PlanRow]:
        """Return the rows with a problem at each new record that an earlier write created, or may have created."""
        digests = {
            row.number: hash_body(build_create_request(collection, row.edits).body)
            for row in rows
            if row.action is RowAction.CREATE
        }
        earlier = await self._find_creations(Place(collection).key, frozenset(digests.values())) if digests else ()
        if not earlier:
            return list(rows)
        deleted = await self._find_missing(collection, dict.fromkeys(filter(None, map(_created_id, earlier))))
        by_digest: dict[str, JournalEntry] = {}
        for entry in earlier:
            # A record that was deleted since can't be created twice.
            if _created_id(entry) not in deleted:
                by_digest.setdefault(entry.intent.body_digest, entry)
        ends = None
        if any(entry_result(entry) != "done" for entry in by_digest.values()):
            # Others may have been created behind the record that is searched for.
            ends = await read_list_ends(self._gateway, collection, len(digests) + _SAMPLE_RECORDS)
        matches = {number: by_digest[digest] for number, digest in digests.items() if digest in by_digest}
        return [
            row.with_problems([_creation_problem(matches[row.number], ends, row)]) if row.number in matches else row
            for row in rows
        ]

    async def _find_missing(self, collection: Collection, ids: Iterable[str]) -> set[str]:
        """Return the ids that the service does not know."""
        missing: set[str] = set()

        def take(record_id: str, answer: Record | RowProblem) -> None:
            if isinstance(answer, RowProblem) and answer.kind is ProblemKind.UNKNOWN_RECORD:
                missing.add(record_id)

        await read_each_record(self._gateway, collection, ids, take)
        return missing

    def _targets(self, row: PlanRow) -> Iterator[tuple[str, Place]]:
        """Yield the records that the new values of a row refer to, each with its path."""
        after = {**row.base, **row.edits}
        for change in row.changes:
            for place in self._references.references(path_steps(after, change.name), change.new):
                yield change.name, place


async def read_each_record(
    gateway: Gateway,
    collection: Collection,
    ids: Iterable[str],
    take: Callable[[str, Record | RowProblem], None],
) -> None:
    """Read records in the background, a few at a time; `take` gets each, or the problem that it can't be read.

    Raises ServiceError for a failure that affects every record.
    """

    def take_answer(record_id: str, answer: Record | ServiceError) -> None:
        match answer:
            case Record():
                take(record_id, answer)
            case NotFound():
                words = f"No record {record_id} in {collection.key}."
                take(record_id, RowProblem(ProblemKind.UNKNOWN_RECORD, words))
            case RequestRefused():
                take(record_id, RowProblem(ProblemKind.UNKNOWN_RECORD, "This is not a valid id."))
            case _:
                take(record_id, RowProblem(ProblemKind.UNREADABLE, str(answer)))

    await read_by_id(gateway, collection, ids, take_answer)


def _created_id(entry: JournalEntry) -> str:
    return "" if entry.outcome is None else entry.outcome.made


def _creation_problem(entry: JournalEntry, ends: ListEnds | None, row: PlanRow) -> RowProblem:
    sent = f"{entry.intent.at.astimezone(UTC):%Y-%m-%d %H:%M} UTC (journal entry {entry.number:,})"
    if entry.outcome is not None and entry.outcome.result == "done":
        record_id = f" as {entry.outcome.made}" if entry.outcome.made else ""
        return RowProblem(ProblemKind.MAY_EXIST, f"The same new record was already created{record_id} at {sent}.")
    looked = "" if ends is None else f" {ends.words(row.edits)}"
    words = f"The same new record was already sent at {sent}. It is not known whether it was created.{looked}"
    return RowProblem(ProblemKind.MAY_EXIST, words)


async def _find_nothing(place: str, digests: frozenset[str]) -> Sequence[JournalEntry]:
    return ()


def _without_other_fields(record: Record, paths: Sequence[str]) -> Record:
    """Return the record with the fields that the paths lead into, its id and its label."""
    fields = record.fields
    # Also fields in which a path does not go on: they are compared, too.
    names = {
        name for name in fields if any(path == name or path.startswith((f"{name}.", f"{name}[")) for path in paths)
    }
    if (id_name := id_field(fields)) is not None:
        names.add(id_name)
    kept: dict[str, Json] = {name: value for name, value in fields.items() if name in names}
    label = record.label
    if label and not Record(kept).label:
        kept.update({name: value for name, value in fields.items() if value == label})
    return replace(record, fields=kept)


def mark_duplicates(rows: Sequence[PlanRow]) -> list[PlanRow]:
    """Return the rows with the problem TWICE at each record, existing or new, of several rows that are not skipped.

    Of two equal new records, nobody can tell which one was created if an answer is lost.
    """
    numbers: defaultdict[str, list[int]] = defaultdict(list)
    keys = [_record_key(row) for row in rows]
    for key, row in zip(keys, rows, strict=True):
        if not row.skipped:
            numbers[key].append(row.number)
    return [_mark_duplicate(row, numbers[key]) for key, row in zip(keys, rows, strict=True)]


def with_row_decided(plan: Plan, row: PlanRow, skipped: bool) -> Plan:
    """Return the plan with a row skipped or included, and with the duplicates among the others marked again."""
    if skipped and not any(problem.kind is ProblemKind.TWICE for problem in row.problems):
        # No other row of this record is sent.
        return plan.with_rows([replace(row, skipped=True)])
    return _with_duplicates_marked(plan.with_rows([replace(row, skipped=skipped)]), [row])


def _with_duplicates_marked(plan: Plan, changed: Sequence[PlanRow]) -> Plan:
    """Mark the duplicates of the rows that changed again; only a plan of a file has duplicates."""
    if plan.source is None:
        return plan
    keys, fields = set(map(_record_key, changed)), {frozenset(row.edits) for row in changed}
    alike = [row for row in plan.rows if (row.record_id or frozenset(row.edits) in fields) and _record_key(row) in keys]
    return plan.with_rows(mark_duplicates(alike))


def _record_key(row: PlanRow) -> str:
    """Return a key that rows of the same record, existing or new, share."""
    return row.record_id or to_plain_form(dumps(row.edits))


def _mark_duplicate(row: PlanRow, numbers: Sequence[int]) -> PlanRow:
    row = row.without_problems(ProblemKind.TWICE)
    others = len(numbers) - 1
    if row.skipped or others < 1:
        return row
    first = numbers[1] if numbers[0] == row.number else numbers[0]
    where = f"row {first}" if others == 1 else f"{others} other rows, first in row {first}"
    words = f"{row.record_id or 'The same new record'} is also in {where}. Delete one of them."
    return row.with_problems([RowProblem(ProblemKind.TWICE, words)])


def _refuse_secrets(corrections: Corrections, secrets: Sequence[str]) -> None:
    """Raise PlanError if a row, a column or the name of the file holds a key or a secret."""
    for name in (corrections.name, *corrections.fields):
        if value_holds_secret(name, secrets):
            raise PlanError("the name of the file or of a column contains an API key or signing secret; rename it")
    # All texts at once: one by one, those of 10,000 rows would take a second.
    texts = (_text(value) for row in corrections.rows for value in (row.record_id, *row.values.values(), row.version))
    if not value_holds_secret("\n".join(texts), secrets):
        return
    for row in corrections.rows:
        values: Mapping[str, Json | Cell] = {"id": row.record_id, **row.values, "_version": row.version}
        for path, value in values.items():
            if value_holds_secret(value, secrets):
                where = f"row {row.number:,}, column {path}"
                raise PlanError(
                    f"{where}: the value contains an API key or signing secret; remove it and create the plan again"
                )


def value_holds_secret(value: Json | Cell, secrets: Sequence[str]) -> bool:
    """Return True if an API key or one of `secrets` is in the value."""
    text = _text(value)
    return _KEY.search(text) is not None or holds_secret_text(text, secrets)


def _text(value: Json | Cell) -> str:
    return value.text if isinstance(value, Cell) else value if isinstance(value, str) else dumps(value)


def _unknown_fields(corrections: Corrections, seen: SeenValues) -> Iterator[str]:
    unknown = [path for path in corrections.fields if not seen.has_field(path)]
    if unknown:
        words = (f"{path} (did you mean {near}?)" if (near := seen.nearest_field(path)) else path for path in unknown)
        yield f"ignored columns, because no loaded record has such a field: {', '.join(words)}"


# Compare a plan with the records again

MAX_AGE = timedelta(hours=1)
"""The age from which a plan is compared with the records again before its first write."""

_CREATED_SINCE = 50
"""Records that other people may have created since the plan was applied elsewhere."""


class MovedRow(Struct, frozen=True):
    """A row whose record changed after the plan was made; `text` says how, in a sentence."""

    row: PlanRow
    text: str


def is_old(plan: Plan, now: datetime) -> bool:
    """Return True if the plan has to be compared with the records again."""
    return now - plan.made > MAX_AGE


def describe_move(row: PlanRow, now: Record | RowProblem) -> str:
    """Describe how the record of a row changed since the plan was made, "" if the row can be sent as planned.

    It can also be sent if others made the same change meanwhile.
    """
    if isinstance(now, RowProblem):
        is_deleted = row.action is RowAction.DELETE and now.kind is ProblemKind.UNKNOWN_RECORD
        return "" if is_deleted else now.text
    fields = now.fields
    if row.action is RowAction.DELETE:
        names = freshen(Draft(Record(row.base)), now).moved
    else:
        names = freshen(row.draft, now).conflicts
    if not names:
        return ""
    values = " and ".join(f"{name} is now {dumps(fields[name]) if name in fields else 'unset'}" for name in names)
    return f"{row.name}: {values}, changed after the plan was created."


async def find_moved_rows(
    gateway: Gateway, plan: Plan, rows: Sequence[PlanRow], on_read: ReadListener = lambda *_: None
) -> tuple[MovedRow, ...]:
    """Read the records of the rows again and return the rows that changed, in their order; raises ServiceError.

    New records are left out.
    """
    by_id = {row.record_id: row for row in rows if row.action is not RowAction.CREATE}
    moved: dict[int, MovedRow] = {}
    read = 0

    def take(record_id: str, now: Record | RowProblem) -> None:
        nonlocal read
        read += 1
        row = by_id[record_id]
        if words := describe_move(row, now):
            moved[row.number] = MovedRow(row, words)
        on_read(read, len(by_id))

    await read_each_record(gateway, plan.collection, by_id, take)
    return tuple(moved[row.number] for row in rows if row.number in moved)


async def find_existing_rows(gateway: Gateway, plan: Plan, rows: Sequence[PlanRow]) -> tuple[MovedRow, ...]:
    """Return the new records among the rows that the ends of the collection's list already have; raises ServiceError.

    The plan may have been applied on another machine.
    """
    creations = [row for row in rows if row.action is RowAction.CREATE]
    if not creations:
        return ()
    # Behind a record of the plan there may be the others of it, and some of other people.
    ends = await read_list_ends(gateway, plan.collection, len(creations) + _CREATED_SINCE)
    return tuple(MovedRow(row, ends.words(row.edits)) for row in creations if ends.find(row.edits))
