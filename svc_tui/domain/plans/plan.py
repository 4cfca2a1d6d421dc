"""A plan: what is to become of each record of a list, beside what it is now and what stands against it."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import Enum
from functools import cached_property

from svc_tui.domain.corrections.correction import RowAction
from svc_tui.domain.data.field_path import value_at
from svc_tui.domain.data.nested_value import with_value_at
from svc_tui.domain.editing.draft import Draft, FieldChange
from svc_tui.domain.model.absent import ABSENT, Absent
from svc_tui.domain.model.catalog import Collection
from svc_tui.domain.model.jsontext import Json, same_json
from svc_tui.domain.model.records import Place, Record
from svc_tui.domain.plans.run_titles import CHANGES, DELETION, NEW_RECORDS, field_words, title_words

MAX_ROWS = 10_000
"""Rows that one plan has at most."""


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
        """Whether the row can't be sent at all; the others are doubts, which a person may set aside."""
        return self in _BLOCKING

    @property
    def unfit(self) -> bool:
        """Whether it is a doubt that can't be set aside for many rows at once: the value is most likely wrong."""
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


@dataclass(frozen=True, slots=True)
class RowProblem:
    """What stands against a row, in a sentence; `field` is the path that it is about, "" for the record.

    `cell` is the text of a number that another decimal mark would make another number, "" for other problems.
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


@dataclass(frozen=True, slots=True)
class PlanRow:
    """What is to become of one record.

    `base` are the fields concerned as they were read, the whole record where it is to be deleted; `edits` those fields
    as they are to be, all fields of a new record. `fields` are the paths that change, which may lie inside of one of
    those. `id_name` is the field that the id is in; `label` is what people call the record. `skipped` is what a
    person decided, None where nobody did.
    """

    number: int
    action: RowAction = RowAction.UPDATE
    record_id: str = ""
    label: str = ""
    base: Mapping[str, Json] = field(default_factory=dict)
    edits: Mapping[str, Json] = field(default_factory=dict)
    fields: tuple[str, ...] = ()
    problems: tuple[RowProblem, ...] = ()
    skipped: bool | None = None
    id_name: str = "id"

    @property
    def state(self) -> RowState:
        """What will become of it."""
        if any(problem.kind.blocks for problem in self.problems):
            return RowState.BLOCKED
        if self.action is not RowAction.DELETE and not self.edits:
            return RowState.ALREADY
        if self.skipped:
            return RowState.SKIPPED
        return RowState.DOUBTED if self.problems and self.skipped is None else RowState.READY

    @property
    def can_be_taken_in(self) -> bool:
        """Whether it is in doubt, and not so that the service will surely refuse it."""
        return self.state is RowState.DOUBTED and not any(problem.kind.unfit for problem in self.problems)

    def with_decision_of(self, before: "PlanRow") -> "PlanRow":
        """Return the row, undecided again if `before` was taken in and a problem is new since."""
        stays = before.skipped is not False or set(self.problems) <= set(before.problems)
        return self if stays else replace(self, skipped=None)

    @property
    def changes(self) -> tuple[FieldChange, ...]:
        """Old and new of each path that changes; old is ABSENT where the record has no such field."""
        after = {**self.base, **self.edits}
        values = ((path, value_at(after, path)) for path in self.fields)
        return tuple(
            FieldChange(path, value_at(self.base, path), new) for path, new in values if not isinstance(new, Absent)
        )

    @property
    def draft(self) -> Draft:
        """The changes as an edit of what was read of the record; anything else in it may move."""
        # Without the id, which here is a text even where the service has a number.
        return Draft(Record(self.base), self.edits)

    @property
    def record(self) -> Record:
        """What is known of the record, or the new one as it is to be."""
        return Record(self.edits if self.action is RowAction.CREATE else {self.id_name: self.record_id, **self.base})

    @property
    def name(self) -> str:
        """What people read for the record."""
        return self.record_id or f"row {self.number}"


@dataclass(frozen=True, slots=True)
class SourceFile:
    """The file that a plan was made from: its name, the SHA-256 of its bytes in hex, where it lies ("" for stdin)."""

    name: str
    digest: str
    path: str = ""


@dataclass(frozen=True)
class Plan:
    """What is to become of records of a collection, one after the other, in the order of `rows`.

    `id` stands in the journal with each write; `undoes` is the id of the run that this one takes back. `notices` say
    what a reader should know besides, `warnings` what may be a mistake, each a sentence without its capital and full
    stop. `run_title` is what its run is called from its beginning on, whatever is left out later; an undo has the title
    of what it takes back.
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
        """Where the record of a row is, or is to be."""
        return Place(self.collection, row.record_id or None)

    @cached_property
    def ready(self) -> tuple[PlanRow, ...]:
        """The rows that are to be sent."""
        return tuple(row for row in self.rows if row.state is RowState.READY)

    @property
    def problems(self) -> tuple[PlanRow, ...]:
        """The rows that something stands against, and that nobody decided about."""
        return tuple(
            row for row in self.rows if row.skipped is None and row.state in (RowState.BLOCKED, RowState.DOUBTED)
        )

    @cached_property
    def counts(self) -> Counter[RowState]:
        """How many rows there are of each state."""
        return Counter(row.state for row in self.rows)

    @property
    def fields(self) -> tuple[str, ...]:
        """The paths that rows change, each once, in order of first sight."""
        return tuple(dict.fromkeys(path for row in self.rows for path in row.fields))

    @property
    def what(self) -> str:
        """What is changed, in a few words: `grade`, `grade and massKg`; whatever the rows have in common."""
        rows = self.ready or self.rows
        actions = {row.action for row in rows}
        names = tuple(dict.fromkeys(path for row in rows for path in row.fields))
        if actions == {RowAction.CREATE}:
            return NEW_RECORDS
        if actions == {RowAction.DELETE}:
            return DELETION
        return CHANGES if actions != {RowAction.UPDATE} or not names else field_words(names)

    @property
    def title(self) -> str:
        """What is changed, of how many records: `grade of 340 lots`; once it is a run, what that is called."""
        return self.run_title or self.title_now

    @property
    def title_now(self) -> str:
        """The same of what is to be sent now, whatever the run was called at its beginning."""
        return title_words(self.what, len(self.ready), self.collection.name)

    @property
    def fields_alone(self) -> bool:
        """Whether fields change, and no record is made or deleted."""
        return all(row.action is RowAction.UPDATE for row in self.ready)

    def begun(self) -> "Plan":
        """The plan of a run that begins now, which is called the same from here on."""
        return replace(self, run_title=self.title)

    def replacing(self, rows: Iterable[PlanRow]) -> "Plan":
        """The plan with these in place of the rows of the same numbers."""
        by_number = {row.number: row for row in rows}
        return replace(self, rows=tuple(by_number.get(row.number, row) for row in self.rows))

    def skipping(self, number: int) -> "Plan":
        """The plan with one row left out."""
        return self.replacing(replace(row, skipped=True) for row in self.rows if row.number == number)

    def without_problems(self) -> "Plan":
        """The plan with every row left out that something stands against, and that nobody decided about."""
        return self.replacing(replace(row, skipped=True) for row in self.problems)

    def with_doubts(self) -> "Plan":
        """The plan with every row taken in that is only in doubt, and can be sent as it is."""
        return self.replacing(replace(row, skipped=False) for row in self.rows if row.can_be_taken_in)


def with_edit(
    base: Mapping[str, Json], edits: Mapping[str, Json], steps: Sequence[str], value: Json
) -> dict[str, Json]:
    """The edits with `value` at the end of `steps`; the old value set back is no edit.

    A field gets a value whole: of one that the steps lead into, the rest stays as it was.
    """
    outer, inner = steps[0], tuple(steps[1:])
    held = edits.get(outer, base.get(outer))
    changed = {**edits, outer: with_value_at(held, inner, value) if inner else value}
    if outer in base and base[outer] == changed[outer]:
        del changed[outer]
    return changed


def without_edit(
    base: Mapping[str, Json], edits: Mapping[str, Json], steps: Sequence[str], old: Json | Absent
) -> dict[str, Json]:
    """Return the edits with the `old` value at the end of `steps` again, absent where that is ABSENT."""
    if not isinstance(old, Absent):
        return with_edit(base, edits, steps, old)
    outer, inner = steps[0], tuple(steps[1:])
    if inner and isinstance(edits.get(outer), Mapping):
        rest = with_value_at(edits[outer], inner, ABSENT)
        if rest and not same_json(rest, base.get(outer)):
            return {**edits, outer: rest}
    return {name: value for name, value in edits.items() if name != outer}


def changed_paths(base: Mapping[str, Json], edits: Mapping[str, Json], paths: Iterable[str]) -> tuple[str, ...]:
    """Those of the paths at which another value stands once the edits are made, each once."""
    after = {**base, **edits}
    return tuple(path for path in dict.fromkeys(paths) if value_at(after, path) != value_at(base, path))
