"""A plan: the change of each record of a list, with the values as they are now and the problems of each row."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from enum import Enum, StrEnum
from functools import cached_property

from msgspec import Struct

from svc_tui.core.catalog import Collection
from svc_tui.core.draft import Draft, FieldChange
from svc_tui.core.field_path import value_at
from svc_tui.core.jsontext import ABSENT, Absent, Json, same_json
from svc_tui.core.nested_value import with_value_at
from svc_tui.core.records import Place, Record
from svc_tui.core.references import singular
from svc_tui.core.values import replace

MAX_ROWS = 10_000
"""The most rows of one plan."""


class RowAction(StrEnum):
    """The change of a record as a whole; the values are those of a column `_action`."""

    UPDATE = "update"
    CREATE = "create"
    DELETE = "delete"


class ProblemKind(Enum):
    """A problem of a row; the value is its display text."""

    UNKNOWN_RECORD = "no such record"
    UNREADABLE = "could not be loaded"
    TWICE = "more than once in the file"
    NO_ROOM = "unknown field"
    NOT_UNDOABLE = "can't be undone"
    VERSION = "_version does not match"
    MOVED = "record has changed"
    OTHER_KIND = "wrong type"
    DECIMAL = "unclear decimal separator"
    CUT = "value is less precise"
    NEW_CHOICE = "unknown value"
    NO_TARGET = "reference not found"
    MAY_EXIST = "may already exist"

    @property
    def blocks(self) -> bool:
        """True if the row can't be sent at all; the others are doubts, which the user may set aside."""
        return self in _BLOCKING

    @property
    def is_likely_wrong(self) -> bool:
        """True for a doubt that can't be set aside for many rows at once."""
        return self in (ProblemKind.OTHER_KIND, ProblemKind.DECIMAL)


_BLOCKING = frozenset(
    {
        ProblemKind.UNKNOWN_RECORD,
        ProblemKind.UNREADABLE,
        ProblemKind.TWICE,
        ProblemKind.NO_ROOM,
        ProblemKind.NOT_UNDOABLE,
    }
)


class RowProblem(Struct, frozen=True):
    """A problem of a row, in a sentence; `field` is the path that it is about, "" for the record.

    `cell` is the text of a number that would be another number with another decimal mark, "" for other problems.
    """

    kind: ProblemKind
    text: str
    field: str = ""
    cell: str = ""


class RowState(Enum):
    """The state of a row; the value is its display text."""

    READY = "to send"
    ALREADY = "unchanged"
    SKIPPED = "skipped"
    DOUBTED = "to check"
    BLOCKED = "can't be sent"


class PlanRow(Struct, frozen=True):
    """The change of one record.

    `base` are the fields that change as they were read; in a row of a marked record that changes nothing, those that
    have their value already; the whole record if it is deleted. `edits` are their new values, all fields of a new
    record. `fields` are the paths that change, which may be inside of one of those. `id_name` is the field that holds
    the id; `label` is the record's name. `skipped` is the user's decision, None without one.
    """

    number: int
    action: RowAction = RowAction.UPDATE
    record_id: str = ""
    label: str = ""
    base: Mapping[str, Json] = {}
    edits: Mapping[str, Json] = {}
    fields: tuple[str, ...] = ()
    problems: tuple[RowProblem, ...] = ()
    skipped: bool | None = None
    id_name: str = "id"

    @property
    def state(self) -> RowState:
        """The state of the row, from its problems, its edits and the user's decision."""
        if any(problem.kind.blocks for problem in self.problems):
            return RowState.BLOCKED
        if self.action is not RowAction.DELETE and not self.edits:
            return RowState.ALREADY
        if self.skipped:
            return RowState.SKIPPED
        return RowState.DOUBTED if self.problems and self.skipped is None else RowState.READY

    @property
    def can_be_included(self) -> bool:
        """True if the row is in doubt, and the service may accept it all the same."""
        return self.state is RowState.DOUBTED and not any(problem.kind.is_likely_wrong for problem in self.problems)

    def with_problems(self, problems: Iterable[RowProblem]) -> "PlanRow":
        """Return the row with further problems."""
        return replace(self, problems=(*self.problems, *problems))

    def without_problems(self, kind: ProblemKind) -> "PlanRow":
        """Return the row without the problems of that kind."""
        return replace(self, problems=tuple(problem for problem in self.problems if problem.kind is not kind))

    def with_decision_of(self, before: "PlanRow") -> "PlanRow":
        """Return the row, undecided again if `before` was included and there is a new problem since."""
        stays = before.skipped is not False or set(self.problems) <= set(before.problems)
        return self if stays else replace(self, skipped=None)

    @property
    def changes(self) -> tuple[FieldChange, ...]:
        """The old and new value of each path that changes; old is ABSENT if the record has no such field."""
        after = {**self.base, **self.edits}
        values = ((path, value_at(after, path)) for path in self.fields)
        return tuple(
            FieldChange(path, value_at(self.base, path), new) for path, new in values if not isinstance(new, Absent)
        )

    @property
    def unchanged(self) -> tuple[FieldChange, ...]:
        """The fields that have the value already, of a row that changes nothing."""
        if self.state is not RowState.ALREADY:
            return ()
        return tuple(FieldChange(name, value, value) for name, value in self.base.items())

    @property
    def draft(self) -> Draft:
        """The changes as a draft of the fields that were read; other fields of the record may change meanwhile."""
        # Without the id, which here is a text even where the service has a number.
        return Draft(Record(self.base), self.edits)

    @property
    def record(self) -> Record:
        """The fields that are known of the record, or the new record."""
        return Record(self.edits if self.action is RowAction.CREATE else {self.id_name: self.record_id, **self.base})

    @property
    def name(self) -> str:
        """The name of the record for users: its id, or the number of the row."""
        return self.record_id or f"row {self.number}"


class SourceFile(Struct, frozen=True):
    """The file that a plan was made from: its name, the SHA-256 of its bytes in hex, its path ("" for stdin)."""

    name: str
    digest: str
    path: str = ""


class Plan(Struct, frozen=True, dict=True):
    """The changes of records of a collection, sent one after the other in the order of `rows`.

    The journal holds `id` with each write; `undoes` is the id of the run that this one undoes. `notices` say how the
    file was read, `warnings` what may be a mistake, each a sentence without its capital and full stop. `run_title` is
    the title of its run from the first write on, even if rows are skipped later; an undo has the title of the run that
    it undoes. `ready` and `counts` are computed once: they are asked for with each row, of up to 10,000.
    """

    id: str
    collection: Collection
    rows: tuple[PlanRow, ...]
    made: datetime
    source: SourceFile | None = None
    ticket: str = ""
    undoes: str = ""
    notices: tuple[str, ...] = ()
    run_title: str = ""
    warnings: tuple[str, ...] = ()

    def place(self, row: PlanRow) -> Place:
        """Return the place of the record of a row."""
        return Place(self.collection, row.record_id or None)

    @cached_property
    def ready(self) -> tuple[PlanRow, ...]:
        """The rows to send."""
        return tuple(row for row in self.rows if row.state is RowState.READY)

    @property
    def problems(self) -> tuple[PlanRow, ...]:
        """The rows with a problem and without a decision of the user."""
        return tuple(
            row for row in self.rows if row.skipped is None and row.state in (RowState.BLOCKED, RowState.DOUBTED)
        )

    @cached_property
    def counts(self) -> Counter[RowState]:
        """The number of rows in each state."""
        return Counter(row.state for row in self.rows)

    @property
    def fields(self) -> tuple[str, ...]:
        """The paths that rows change, each once, in the order of the rows."""
        return tuple(dict.fromkeys(path for row in self.rows for path in row.fields))

    @property
    def subject(self) -> str:
        """The fields or records that change, in a few words: `grade`, `grade and massKg`."""
        rows = self.ready or self.rows
        actions = {row.action for row in rows}
        names = tuple(dict.fromkeys(path for row in rows for path in row.fields))
        if actions == {RowAction.CREATE}:
            return NEW_RECORDS
        if actions == {RowAction.DELETE}:
            return DELETION
        return CHANGES if actions != {RowAction.UPDATE} or not names else format_fields(names)

    @property
    def title(self) -> str:
        """The title of its run; before the first write, that of the rows to send: `grade of 340 lots`."""
        return self.run_title or self.current_title

    @property
    def current_title(self) -> str:
        """The title of the rows to send now."""
        return format_title(self.subject, len(self.ready), self.collection.name)

    @property
    def is_update_only(self) -> bool:
        """True if no record is created or deleted."""
        return all(row.action is RowAction.UPDATE for row in self.ready)

    def with_run_title(self) -> "Plan":
        """Return the plan of a run that begins now and keeps the title that it has now."""
        return replace(self, run_title=self.title)

    def with_rows(self, rows: Iterable[PlanRow]) -> "Plan":
        """Return the plan with these in place of the rows of the same numbers."""
        by_number = {row.number: row for row in rows}
        return replace(self, rows=tuple(by_number.get(row.number, row) for row in self.rows))

    def with_row_skipped(self, number: int) -> "Plan":
        """Return the plan with one row skipped."""
        return self.with_rows(replace(row, skipped=True) for row in self.rows if row.number == number)

    def with_problems_skipped(self) -> "Plan":
        """Return the plan with every row skipped that has a problem and no decision."""
        return self.with_rows(replace(row, skipped=True) for row in self.problems)

    def with_doubts_included(self) -> "Plan":
        """Return the plan with every row included that is only in doubt."""
        return self.with_rows(replace(row, skipped=False) for row in self.rows if row.can_be_included)


NEW_RECORDS = "new records"
DELETION = "deletion"
CHANGES = "changes"
"""The subject of a plan that does different things to its records."""


def format_fields(names: tuple[str, ...]) -> str:
    """Format fields in a few words: `grade`, `grade and massKg`, `grade and 2 other fields`."""
    if len(names) < 3:
        return " and ".join(names)
    return f"{names[0]} and {len(names) - 1} other fields"


def format_title(subject: str, count: int, collection: str, total: int = 0) -> str:
    """Format a title with the number of records, also of a `total`: `grade of 340 lots`, `1 of 3 new lots`."""
    number, noun = f"{count:,}", singular(collection) if max(count, total) == 1 else collection
    if count < total:
        number = f"{number} of {total:,}"
    if subject == NEW_RECORDS:
        return f"{number} new {noun}"
    return f"{subject} {'in' if subject == CHANGES else 'of'} {number} {noun}"


def with_edit(
    base: Mapping[str, Json], edits: Mapping[str, Json], steps: Sequence[str], value: Json
) -> dict[str, Json]:
    """Return the edits with `value` at the end of `steps`; the old value is no edit.

    Edits hold whole fields: if the steps lead into a field, its other parts stay as they were.
    """
    outer, inner = steps[0], tuple(steps[1:])
    current = edits.get(outer, base.get(outer))
    changed = {**edits, outer: with_value_at(current, inner, value) if inner else value}
    if outer in base and base[outer] == changed[outer]:
        del changed[outer]
    return changed


def without_edit(
    base: Mapping[str, Json], edits: Mapping[str, Json], steps: Sequence[str], old: Json | Absent
) -> dict[str, Json]:
    """Return the edits with the `old` value at the end of `steps` again; ABSENT removes it."""
    if not isinstance(old, Absent):
        return with_edit(base, edits, steps, old)
    outer, inner = steps[0], tuple(steps[1:])
    if inner and isinstance(edits.get(outer), Mapping):
        rest = with_value_at(edits[outer], inner, ABSENT)
        if rest and not same_json(rest, base.get(outer)):
            return {**edits, outer: rest}
    return {name: value for name, value in edits.items() if name != outer}


def changed_paths(base: Mapping[str, Json], edits: Mapping[str, Json], paths: Iterable[str]) -> tuple[str, ...]:
    """Return the paths whose value is another one after the edits, each once."""
    after = {**base, **edits}
    return tuple(path for path in dict.fromkeys(paths) if value_at(after, path) != value_at(base, path))
