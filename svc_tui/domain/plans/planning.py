"""Making a plan from a list of corrections: each record is read once, then all rows are compared with what was read."""

import asyncio
import re
from collections import defaultdict
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime

from svc_tui.domain.corrections.cell_text import plain_form
from svc_tui.domain.corrections.correction import Cell, Corrections, DecimalMark, NumberCertainty, RowAction
from svc_tui.domain.data.field_path import path_steps
from svc_tui.domain.data.references import ReferenceResolver
from svc_tui.domain.editing.journal import entry_result
from svc_tui.domain.editing.ports import JournalEntry
from svc_tui.domain.editing.record_lookup import ListEnds, read_list_ends
from svc_tui.domain.editing.write_requests import body_digest, create_request
from svc_tui.domain.http.errors import NotFound, RequestRefused, ServiceError
from svc_tui.domain.http.gateway import Gateway
from svc_tui.domain.http.record_reading import read_by_id
from svc_tui.domain.http.redact import holds_secret_text
from svc_tui.domain.model.catalog import Collection
from svc_tui.domain.model.credentials import PREFIXES
from svc_tui.domain.model.jsontext import Json, dumps, loads
from svc_tui.domain.model.records import Place, Record, id_field
from svc_tui.domain.plans.comparing import RowComparison
from svc_tui.domain.plans.plan import MAX_ROWS, Plan, PlanRow, ProblemKind, RowProblem, SourceFile
from svc_tui.domain.plans.seen_values import SeenValues

_SAMPLE_RECORDS = 50
"""Records of the collection's list that tell kinds and choices besides those that the plan names."""

_ROWS_AT_ONCE = 100
"""Rows that are compared before others have a turn."""

FindCreations = Callable[[str, frozenset[str]], Awaitable[Sequence[JournalEntry]]]
"""Finds the creations at the place of a collection, done or of unknown outcome, whose bodies have one of the digests.

The newest comes first.
"""

ReadListener = Callable[[int, int], None]
"""Takes how many records were read, of how many."""


_KEY = re.compile(rf"(?:{'|'.join(PREFIXES)})[0-9A-Za-z]")
"""An API key; its prefix alone is none."""

SECRET_IN_VALUE = "the value contains an API key or signing secret"  # noqa: S105  it is none


class PlanError(Exception):
    """No plan can be made of what was asked for; the message is a sentence that says why and what to do."""


class Planner:
    """Makes plans for one collection, and edits them; `references` tells where the values of its records point.

    `seen` are the values by which edits are compared, until `plan` reads others. `find_creations` looks into the
    journal for new records that were sent before.
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
        """Compare corrections with the service; nothing is written. Raises ServiceError and PlanError."""
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
            seen.take(record.fields)
        deleted = {row.record_id for row in rows if row.action is RowAction.DELETE}
        ids = tuple(dict.fromkeys(row.record_id for row in rows if row.record_id))
        read: dict[str, Record | RowProblem] = {}

        def take(record_id: str, found: Record | RowProblem) -> None:
            if isinstance(found, Record):
                seen.take(found.fields)
                if record_id not in deleted:
                    # Of ten thousand records, only what they are compared by is held.
                    found = _concerned(found, paths)
            read[record_id] = found
            on_read(len(read), len(ids))

        await read_each(self._gateway, collection, ids, take)
        comparison, planned = RowComparison(seen), []
        for at, row in enumerate(rows):
            planned.append(comparison.row(row, read[row.record_id] if row.record_id else None))
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

    async def edited(self, plan: Plan, edits: Mapping[int, Json | Cell], path: str) -> Plan:
        """Return the plan with new values at `path`, by the number of their row, compared as those of a file.

        Raises PlanError for a value that holds a key or a secret.
        """
        for value in edits.values():
            if value_holds_secret(value, self._gateway.secrets):
                raise PlanError(SECRET_IN_VALUE)
        comparison, before = RowComparison(self.seen), [row for row in plan.rows if row.number in edits]
        rows = [comparison.edited(row, path, edits[row.number]) for row in before]
        try:
            rows = await self._with_missing_targets(rows, path)
            rows = await self._with_earlier_creations(plan.collection, list(map(_without_creation_problem, rows)))
        except ServiceError as error:
            unread = RowProblem(ProblemKind.NO_TARGET, f"{path}: could not check the reference: {error}", path)
            rows = [replace(row, problems=(*row.problems, unread)) for row in rows]
        rows = [row.with_decision_of(old) for row, old in zip(rows, before, strict=True)]
        return _with_duplicates_marked(plan.replacing(rows), before + rows)

    async def with_decimal_mark(self, plan: Plan, path: str, mark: DecimalMark) -> Plan:
        """Return the plan with the numbers at `path` read with that decimal mark where it was not clear."""
        cells = {
            row.number: Cell(problem.cell, mark is DecimalMark.COMMA, certainty=NumberCertainty.CHOSEN)
            for row in plan.rows
            for problem in row.problems
            if problem.field == path and problem.cell
        }
        return await self.edited(plan, cells, path)

    async def _with_missing_targets(self, rows: Sequence[PlanRow], only: str | None = None) -> list[PlanRow]:
        """The rows, those told of whose new values point at records that are not there; those at `only` that path."""
        wanted: dict[Place, None] = {}
        for row in rows:
            wanted.update(dict.fromkeys(place for path, place in self._targets(row) if only in (None, path)))
        missing: set[Place] = set()
        for collection in dict.fromkeys(place.collection for place in wanted):
            ids = [place.id for place in wanted if place.collection == collection]

            def take(record_id: str, found: Record | RowProblem, collection: Collection = collection) -> None:
                if isinstance(found, RowProblem) and found.kind is ProblemKind.UNKNOWN_RECORD:
                    missing.add(Place(collection, record_id))

            await read_each(self._gateway, collection, ids, take)
        return [self._told_of_targets(row, missing, only) if missing else row for row in rows]

    async def _with_earlier_creations(self, collection: Collection, rows: Sequence[PlanRow]) -> list[PlanRow]:
        """Return the rows with a problem at each new record that an earlier write made, or may have made."""
        digests = {
            row.number: body_digest(create_request(collection, row.edits).body)
            for row in rows
            if row.action is RowAction.CREATE
        }
        earlier = await self._find_creations(Place(collection).key, frozenset(digests.values())) if digests else ()
        if not earlier:
            return list(rows)
        deleted: set[str] = set()

        def take(record_id: str, found: Record | RowProblem) -> None:
            if isinstance(found, RowProblem) and found.kind is ProblemKind.UNKNOWN_RECORD:
                deleted.add(record_id)

        ids = (entry.outcome.made for entry in earlier if entry.outcome is not None and entry.outcome.made)
        await read_each(self._gateway, collection, dict.fromkeys(ids), take)
        by_digest: dict[str, JournalEntry] = {}
        for entry in earlier:
            made = "" if entry.outcome is None else entry.outcome.made
            # Of one that was deleted since, nothing is left that could be doubled.
            if made not in deleted:
                by_digest.setdefault(entry.intent.body_digest, entry)
        ends = None
        if any(entry_result(entry) != "done" for entry in by_digest.values()):
            # Others may have been created behind the one that is looked for.
            ends = await read_list_ends(self._gateway, collection, len(digests) + _SAMPLE_RECORDS)
        found = {number: by_digest[digest] for number, digest in digests.items() if digest in by_digest}
        return [
            replace(row, problems=(*row.problems, _creation_problem(found[row.number], ends, row)))
            if row.number in found
            else row
            for row in rows
        ]

    def _told_of_targets(self, row: PlanRow, missing: set[Place], only: str | None) -> PlanRow:
        problems = tuple(
            RowProblem(ProblemKind.NO_TARGET, f"{path}: no record {place.key}.", path)
            for path, place in self._targets(row)
            if place in missing and only in (None, path)
        )
        return replace(row, problems=(*row.problems, *problems)) if problems else row

    def _targets(self, row: PlanRow) -> Iterator[tuple[str, Place]]:
        """The records that the new values of a row point at, each with the path that it stands at."""
        after = {**row.base, **row.edits}
        for change in row.changes:
            for place in self._references.references(path_steps(after, change.name), change.new):
                yield change.name, place


async def read_each(
    gateway: Gateway,
    collection: Collection,
    ids: Iterable[str],
    take: Callable[[str, Record | RowProblem], None],
) -> None:
    """Read records in the background, a few at a time, and hand on each, or why it can't be read.

    Raises the ServiceError of a request that failed for a reason that holds for all.
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


def _creation_problem(entry: JournalEntry, ends: ListEnds | None, row: PlanRow) -> RowProblem:
    sent = f"{entry.intent.at.astimezone(UTC):%Y-%m-%d %H:%M} UTC (journal entry {entry.number:,})"
    if entry.outcome is not None and entry.outcome.result == "done":
        made = f" as {entry.outcome.made}" if entry.outcome.made else ""
        return RowProblem(ProblemKind.MAY_EXIST, f"The same new record was already created{made} at {sent}.")
    looked = "" if ends is None else f" {ends.words(row.edits)}"
    words = f"The same new record was already sent at {sent}. It is not known whether it was created.{looked}"
    return RowProblem(ProblemKind.MAY_EXIST, words)


def _without_creation_problem(row: PlanRow) -> PlanRow:
    return replace(row, problems=tuple(p for p in row.problems if p.kind is not ProblemKind.MAY_EXIST))


async def _find_nothing(place: str, digests: frozenset[str]) -> Sequence[JournalEntry]:
    return ()


def _concerned(record: Record, paths: Sequence[str]) -> Record:
    """The record without the fields that no path leads into, but what it is known by."""
    fields = record.fields
    # Whether or not the path leads on in there: what stands in its way counts too.
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
    """Return the rows with the problem TWICE where a record, existing or new, stands in several that are not left out.

    Two new records that are alike can't be told apart where an answer is lost.
    """
    numbers: defaultdict[str, list[int]] = defaultdict(list)
    keys = [_record_key(row) for row in rows]
    for key, row in zip(keys, rows, strict=True):
        if not row.skipped:
            numbers[key].append(row.number)
    return [_told_of_twin(row, numbers[key]) for key, row in zip(keys, rows, strict=True)]


def with_row_decided(plan: Plan, row: PlanRow, skipped: bool) -> Plan:
    """Return the plan with a row left out or taken in, and what that means for the others of the same record."""
    if skipped and not any(problem.kind is ProblemKind.TWICE for problem in row.problems):
        # Of its record there is no other row to be sent.
        return plan.replacing([replace(row, skipped=True)])
    return _with_duplicates_marked(plan.replacing([replace(row, skipped=skipped)]), [row])


def _with_duplicates_marked(plan: Plan, changed: Sequence[PlanRow]) -> Plan:
    """Mark the duplicates of the rows that changed anew; where no file was planned, there are none."""
    if plan.source is None:
        return plan
    keys, fields = set(map(_record_key, changed)), {frozenset(row.edits) for row in changed}
    alike = [row for row in plan.rows if (row.record_id or frozenset(row.edits) in fields) and _record_key(row) in keys]
    return plan.replacing(mark_duplicates(alike))


def _record_key(row: PlanRow) -> str:
    """What rows of the same record, existing or new, have in common."""
    return row.record_id or plain_form(dumps(row.edits))


def _told_of_twin(row: PlanRow, numbers: Sequence[int]) -> PlanRow:
    if any(problem.kind is ProblemKind.TWICE for problem in row.problems):
        row = replace(row, problems=tuple(p for p in row.problems if p.kind is not ProblemKind.TWICE))
    others = len(numbers) - 1
    if row.skipped or others < 1:
        return row
    first = numbers[1] if numbers[0] == row.number else numbers[0]
    where = f"row {first}" if others == 1 else f"{others} other rows, first in row {first}"
    problem = RowProblem(
        ProblemKind.TWICE, f"{row.record_id or 'The same new record'} is also in {where}. Delete one of them."
    )
    return replace(row, problems=(*row.problems, problem))


def _refuse_secrets(corrections: Corrections, secrets: Sequence[str]) -> None:
    """Raise PlanError where a row, a column or the name of the file holds a key or a secret."""
    for name in (corrections.name, *corrections.fields):
        if value_holds_secret(name, secrets):
            raise PlanError("the name of the file or of a column contains an API key or signing secret; rename it")
    # All texts at once: of 10,000 rows each alone would take a second.
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
    """Return whether an API key or one of `secrets` is in the value."""
    text = _text(value)
    return _KEY.search(text) is not None or holds_secret_text(text, secrets)


def _text(value: Json | Cell) -> str:
    return value.text if isinstance(value, Cell) else value if isinstance(value, str) else dumps(value)


def _unknown_fields(corrections: Corrections, seen: SeenValues) -> Iterator[str]:
    unknown = [path for path in corrections.fields if not seen.knows(path)]
    if unknown:
        words = (f"{path} (did you mean {near}?)" if (near := seen.nearest(path)) else path for path in unknown)
        yield f"ignored columns, because no loaded record has such a field: {', '.join(words)}"


class PackedRecords:
    """Records that were read, or why they can't be, by their ids; kept as JSON text, a fifth of what objects take."""

    def __init__(self) -> None:
        self._kept: dict[str, tuple[Record, str] | RowProblem] = {}

    def __setitem__(self, record_id: str, found: Record | RowProblem) -> None:
        if isinstance(found, Record):
            self._kept[record_id] = (replace(found, fields={}), dumps(found.fields))
        else:
            self._kept[record_id] = found

    def __len__(self) -> int:
        return len(self._kept)

    def get(self, record_id: str) -> Record | RowProblem | None:
        """Return what was read for an id; None where nothing was."""
        kept = self._kept.get(record_id)
        if not isinstance(kept, tuple):
            return kept
        record, text = kept
        fields = loads(text)
        assert isinstance(fields, Mapping)
        return replace(record, fields=fields)
