"""The same change for many records that are at hand: the fields that they share, and the plan of one value for all."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from svc_tui.domain.model.absent import ABSENT, Absent
from svc_tui.domain.model.jsontext import Json, same_json
from svc_tui.domain.model.records import Record, id_field
from svc_tui.domain.plans.comparing import type_problem
from svc_tui.domain.plans.plan import PlanRow, changed_paths, with_edit
from svc_tui.domain.plans.seen_values import SeenValues


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


def rows_of_marked(records: Iterable[Record], values: Mapping[str, Json], seen: SeenValues) -> tuple[PlanRow, ...]:
    """What it means for the records to get these values, by the name of the field; those without an id are left out.

    `seen` are the values of the fields in the records seen.
    """
    named = (record for record in records if record.id is not None)
    return tuple(
        row_with_values(PlanRow(number, record_id=record.id or "", label=record.label), record, values, seen)
        for number, record in enumerate(named, 1)
    )


def row_with_values(row: PlanRow, record: Record, values: Mapping[str, Json], seen: SeenValues) -> PlanRow:
    """The row of a record with these values besides those that it gives already; one of another type is a problem."""
    edits = row.edits
    problems = [problem for problem in row.problems if problem.field not in values]
    for name, value in values.items():
        edits = with_edit(record.fields, edits, (name,), value)
        if (problem := type_problem(seen, name, value, record.fields.get(name, ABSENT))) is not None:
            problems.append(problem)
    changed = replace(
        row,
        base={name: record.fields[name] for name in edits if name in record.fields},
        edits=edits,
        fields=changed_paths(record.fields, edits, (*row.fields, *values)),
        problems=tuple(problems),
        id_name=id_field(record.fields) or "id",
    )
    return changed.with_decision_of(row)
