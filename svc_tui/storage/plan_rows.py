"""Plans as JSON; interrupted batches of version 0.1 are read as plans."""

from collections.abc import Mapping
from datetime import datetime

from msgspec import Struct

from svc_tui.core.catalog import Collection
from svc_tui.core.jsontext import Absent, Json
from svc_tui.storage.dataclass_codec import DataclassCodec, enum_by_name, sequence_of
from svc_tui.storage.errors import StoreError
from svc_tui.storage.plan import Plan, PlanRow, ProblemKind, RowProblem, SourceFile
from svc_tui.storage.row_values import describe_unreadable, read_object

_UNREADABLE = describe_unreadable("a plan")

_PROBLEM = DataclassCodec(
    RowProblem, _UNREADABLE, conversions={"kind": enum_by_name(ProblemKind)}, sparse=("field", "cell")
)
_ROW = DataclassCodec(
    PlanRow,
    _UNREADABLE,
    names={"record_id": "id"},
    conversions={"problems": sequence_of(_PROBLEM.as_conversion)},
    sparse=("record_id", "label", "problems", "skipped", "id_name"),
)
_SOURCE = DataclassCodec(SourceFile, _UNREADABLE, sparse=("path",))
PLAN = DataclassCodec(
    Plan,
    _UNREADABLE,
    names={"collection": "place"},
    conversions={"rows": sequence_of(_ROW.as_conversion), "source": _SOURCE.as_optional},
    sparse=("source", "ticket", "undoes", "notices", "run_title", "warnings"),
)
"""Writes and reads whole plans."""


class _BatchChange(Struct, frozen=True):
    """The change of one record of a batch, as version 0.1 stored it."""

    id: str
    old: Json | Absent
    new: Json
    name: str


class _Batch(Struct, frozen=True):
    """A batch as version 0.1 stored it: one field of many records."""

    place: Collection
    field: str
    changes: tuple[_BatchChange, ...]
    ticket: str
    undoes: str
    skipped: tuple[str, ...]

    def plan(self, batch: str, made: datetime) -> Plan:
        """Return the batch as a plan."""
        rows = tuple(self._row(number, change) for number, change in enumerate(self.changes, 1))
        return Plan(batch, self.place, rows, made, ticket=self.ticket, undoes=self.undoes)

    def _row(self, number: int, change: _BatchChange) -> PlanRow:
        base: Mapping[str, Json] = {} if isinstance(change.old, Absent) else {self.field: change.old}
        skipped = True if change.id in self.skipped else None
        edits, fields = {self.field: change.new}, (self.field,)
        return PlanRow(
            number, record_id=change.id, base=base, edits=edits, fields=fields, skipped=skipped, id_name=change.name
        )


_BATCH = DataclassCodec(
    _Batch,
    _UNREADABLE,
    conversions={"changes": sequence_of(DataclassCodec(_BatchChange, _UNREADABLE).as_conversion)},
)


def read_plan(text: str, batch: str, made: datetime) -> Plan:
    """Return the plan in a row of the store; raises StoreError."""
    stored = read_object(text)
    if "rows" in stored:
        return PLAN.read(stored)
    if "changes" in stored:
        return _BATCH.read(stored).plan(batch, made)
    raise StoreError(_UNREADABLE)
