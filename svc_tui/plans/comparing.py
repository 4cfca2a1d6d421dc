"""Rows of a plan from corrections: each compared with its record as it is now and with the values of other records.

First the values seen in other records, then a row of a file against its record, then one value for many marked records.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from difflib import get_close_matches

from svc_tui.core.field_entry import ValueProblem
from svc_tui.core.field_path import path_steps, value_at
from svc_tui.core.jsontext import ABSENT, Absent, Json, Number, dumps, same_json
from svc_tui.core.kinds import FieldGroup, Kind, choices_seen, json_type, kind_of, kind_of_value, typical_value
from svc_tui.core.nested_value import path_exists
from svc_tui.core.outline import group_of
from svc_tui.core.records import Record, id_field
from svc_tui.core.spelling import nearest_name
from svc_tui.core.values import replace
from svc_tui.plans.cells import (
    Cell,
    DecimalMark,
    NumberCertainty,
    describe_loss,
    is_same_value,
    may_be_misread,
    read_cell,
    read_with_each_mark,
)
from svc_tui.plans.correction_file import Correction, find_id_column
from svc_tui.plans.for_edit import ExportedVersion, format_version, without_special_fields
from svc_tui.storage.plan import PlanRow, ProblemKind, RowAction, RowProblem, changed_paths, with_edit, without_edit


class SeenValues:
    """The values at some `paths` in the records that were read: their kinds, and the choices."""

    def __init__(self, paths: Iterable[str]) -> None:
        self._values: defaultdict[str, list[Json]] = defaultdict(list)
        self._steps: dict[str, tuple[str, ...]] = {}
        self._paths = tuple(paths)
        self._kinds: dict[str, Kind] = {}
        self._choices: dict[str, frozenset[str]] = {}
        self._typical: dict[str, Json | Absent] = {}
        self._names: dict[str, None] = {}
        self._none_seen = True

    def add(self, fields: Mapping[str, Json]) -> None:
        """Add the values of one record."""
        self._none_seen = False
        self._names.update(dict.fromkeys(fields))
        self._kinds.clear()
        self._choices.clear()
        self._typical.clear()
        for path in self._paths:
            value = value_at(fields, path)
            if isinstance(value, Absent):
                continue
            self._values[path].append(value)
            self._steps.setdefault(path, path_steps(fields, path))

    def has_field(self, path: str) -> bool:
        """Return True if a record has a value at `path`, or no record was seen at all."""
        return path in self._steps or self._none_seen

    def nearest_field(self, name: str) -> str | None:
        """Return the field whose name is most like one that no record has; None if none is much like it."""
        if "." in name:
            return None
        return nearest_name(name, (known for known in self._names if known not in self._paths))

    def steps(self, path: str) -> tuple[str, ...]:
        """Return the names along a path, as in the records that have it; else the path as one name."""
        return self._steps.get(path, (path,))

    def kind(self, path: str) -> Kind:
        """Return the kind of the values at `path`; NULL if no record has any."""
        if path not in self._kinds:
            self._kinds[path] = kind_of(self.steps(path)[-1], self._values[path]) if path in self._steps else Kind.NULL
        return self._kinds[path]

    def values(self, path: str) -> Sequence[Json]:
        """Return the values at `path`."""
        return self._values.get(path, ())

    def typical(self, path: str) -> Json | Absent:
        """Return a value with the JSON type of all values at `path`; ABSENT if types differ, or without values."""
        if path not in self._typical:
            self._typical[path] = typical_value(self.values(path))
        return self._typical[path]

    def is_new_choice(self, path: str, value: Json) -> bool:
        """Return True for a text that no record has in a field that holds the same few words again and again."""
        return isinstance(value, str) and self.kind(path) is Kind.CHOICE and value not in self._seen_choices(path)

    def nearest_choice(self, path: str, value: str) -> str:
        """Return the choice that is most like `value`, "" if none is."""
        return next(iter(get_close_matches(value, sorted(self._seen_choices(path)), 1)), "")

    def _seen_choices(self, path: str) -> frozenset[str]:
        if path not in self._choices:
            self._choices[path] = frozenset(text for text, _ in choices_seen(self._values[path]))
        return self._choices[path]


_SHOWN_CHARACTERS = 40
"""Characters of a value in a sentence about it."""


def compare_row(correction: Correction, now: Record | RowProblem | None, seen: SeenValues) -> PlanRow:
    """Return the row of a correction, compared with its record as it is `now`; None for a new record.

    A RowProblem in place of the record says why it could not be read.
    """
    if isinstance(now, RowProblem):
        return PlanRow(correction.number, correction.action, correction.record_id, problems=(now,))
    if now is None:
        return _compare_new(correction, seen)
    id_name, label = id_field(now.fields) or "id", now.label
    if correction.action is RowAction.DELETE:
        return PlanRow(
            correction.number,
            RowAction.DELETE,
            correction.record_id,
            label,
            now.fields,
            problems=_moved_since_export(correction, now),
            id_name=id_name,
        )
    version, problems = _exported_version(correction, now)
    comparison = _RowEdits(seen, now.fields, version, problems=problems)
    for path, value in correction.values.items():
        comparison.compare(path, value)
    edits, base = comparison.edits, now.fields
    return PlanRow(
        correction.number,
        RowAction.UPDATE,
        correction.record_id,
        label,
        {name: base[name] for name in edits if name in base},
        edits,
        changed_paths(base, edits, correction.values),
        tuple(comparison.problems),
        id_name=id_name,
    )


def _compare_new(correction: Correction, seen: SeenValues) -> PlanRow:
    comparison = _RowEdits(seen, {}, problems=_exported_without_id(correction))
    for path, value in correction.values.items():
        comparison.compare(path, value)
    edits = comparison.edits
    if not edits and not comparison.problems:
        words = "No column of this row matches a known field, so the new record would be empty."
        comparison.problems.append(RowProblem(ProblemKind.NO_ROOM, words))
    label = Record(edits).label
    fields = changed_paths({}, edits, correction.values)
    return PlanRow(
        correction.number,
        RowAction.CREATE,
        label=label,
        edits=edits,
        fields=fields,
        problems=tuple(comparison.problems),
    )


def edit_row(row: PlanRow, path: str, value: Json | Cell, seen: SeenValues) -> PlanRow:
    """Return the row with another new value at `path`, compared like those of a file; the old one is no change.

    A row that the user included stays so only if no problem is new. If the record has no place for a value at `path`,
    none is set, since the row does not have the value that is in its way.
    """
    if any(problem.field == path and problem.kind is ProblemKind.NO_ROOM for problem in row.problems):
        return replace(row, problems=tuple(p for p in row.problems if p.field != path or not p.cell))
    old = value_at(row.base, path)
    steps = path_steps({**row.base, **row.edits}, path)
    comparison = _RowEdits(seen, row.base, edits=without_edit(row.base, row.edits, steps, old))
    comparison.set_value(path, value, steps)
    fields = changed_paths(row.base, comparison.edits, (*row.fields, path))
    # Others changed the field, whatever its new value is.
    kept = [p for p in row.problems if p.field != path or (p.kind is ProblemKind.MOVED and path in fields)]
    label = Record(comparison.edits).label if row.action is RowAction.CREATE else row.label
    problems = (*kept, *comparison.problems)
    edited = replace(row, label=label, edits=comparison.edits, fields=fields, problems=problems)
    return edited.with_decision_of(row)


def _exported_without_id(correction: Correction) -> list[RowProblem]:
    """Return the problem of a new record whose row was exported: its id was probably lost."""
    if not correction.version or find_id_column(correction.values) is not None:
        return []
    words = "The row was exported, but its id is missing. Sending it creates a new record."
    return [RowProblem(ProblemKind.VERSION, words)]


def _exported_version(correction: Correction, now: Record) -> tuple[ExportedVersion | None, list[RowProblem]]:
    """Return the version in the row of a correction, None if it can't be used, and the problems of it."""
    if not correction.version:
        return None, []
    try:
        version = ExportedVersion.parse(correction.version)
    except ValueError as error:
        return None, [RowProblem(ProblemKind.VERSION, str(error))]
    id_name = id_field(now.fields)
    if id_name is not None and not version.holds(id_name, now.fields[id_name]):
        return None, [
            RowProblem(
                ProblemKind.VERSION, "_version belongs to another record. A column may have been sorted separately."
            )
        ]
    return version, []


def _moved_since_export(correction: Correction, now: Record) -> tuple[RowProblem, ...]:
    """Return the problems of a deletion: the record must be the same as in the export."""
    version, problems = _exported_version(correction, now)
    if version is not None and format_version(without_special_fields(now.fields)) != correction.version.strip():
        problems.append(RowProblem(ProblemKind.MOVED, "The record was changed after the export."))
    return tuple(problems)


class _RowEdits:
    """The edits of one record, value by value; `version` is that of its export, None for a row without one."""

    def __init__(
        self,
        seen: SeenValues,
        fields: Mapping[str, Json],
        version: ExportedVersion | None = None,
        edits: Mapping[str, Json] = {},
        problems: Iterable[RowProblem] = (),
    ) -> None:
        self._seen, self._fields, self._version = seen, fields, version
        self.edits = dict(edits)
        self.problems = list(problems)

    def compare(self, path: str, new: Json | Cell) -> None:
        """Compare the value of a row with the one at `path`, and set it if the user changed it."""
        if not self._seen.has_field(path):
            # No record has such a field: the plan has a warning for the whole file.
            return
        if not self._is_untouched(path, new):
            self.set_value(path, new)

    def set_value(self, path: str, new: Json | Cell, steps: tuple[str, ...] = ()) -> None:
        """Set the value at `path` and add its problems; the old value is no change.

        `steps` are the names along the path, empty to take them from the records.
        """
        old = value_at(self._fields, path)
        if isinstance(new, Cell) and is_same_value(new, old):
            return
        value = self._read(path, new, old) if isinstance(new, Cell) else new
        if not isinstance(old, Absent) and same_json(old, value):
            return
        if not isinstance(new, Cell):
            self._check_kind(path, value)
        has_type_problem = any(
            problem.field == path and problem.kind is ProblemKind.OTHER_KIND for problem in self.problems
        )
        if not has_type_problem and (problem := check_type(self._seen, path, value, old)) is not None:
            self.problems.append(problem)
        if self._version is not None and not self._version.holds(path, old):
            self._doubt(ProblemKind.MOVED, path, f"{path}: is now {_format(old)} (changed after the export).")
        if self._seen.is_new_choice(path, value):
            self._doubt(ProblemKind.NEW_CHOICE, path, self._describe_choice(path, str(value)))
        # A path can be a field in one record, and lead into a field in the next.
        steps = steps or (self._seen.steps(path) if isinstance(old, Absent) else path_steps(self._fields, path))
        if path_exists({**self._fields, **self.edits}, steps):
            self.edits = with_edit(self._fields, self.edits, steps, value)
        else:
            self._doubt(ProblemKind.NO_ROOM, path, f"{path}: {steps[0]} has no {'.'.join(steps[1:])} in this record.")

    def _is_untouched(self, path: str, new: Json | Cell) -> bool:
        """Return True if the file has the exported value, which others may have changed since."""
        version, old = self._version, value_at(self._fields, path)
        # A version has only 15 digits of a number: `set_value` compares with a value that did not change.
        if version is None or _is_blank(new) or version.holds(path, old):
            return False
        if isinstance(old, str) and isinstance(new, Cell):
            return version.holds(path, new) or version.holds(path, replace(new, decimal_comma=False))
        return version.holds(path, new)

    def _read(self, path: str, cell: Cell, old: Json | Absent) -> Json:
        kind = self._seen.kind(path)
        like = old
        if kind in (Kind.REFERENCE, Kind.ID) and (old is None or isinstance(old, Absent)):
            # The other records tell if ids are numbers.
            like = self._seen.typical(path)
        if cell.certainty is NumberCertainty.AMBIGUOUS and (numbers := read_with_each_mark(cell, kind, like)):
            others = [number for number in numbers.values() if isinstance(old, Absent) or not same_json(number, old)]
            if others:
                self._doubt_decimal(path, cell, _describe_readings(numbers))
            return others[0] if others else next(iter(numbers.values()))
        try:
            value = read_cell(cell, kind, like)
        except ValueProblem as problem:
            self.problems.append(
                RowProblem(
                    ProblemKind.OTHER_KIND,
                    f"{path}: {problem}",
                    path,
                    cell.text if read_with_each_mark(cell, kind, like) else "",
                )
            )
            return cell.text
        if may_be_misread(cell, value, old):
            words = f"has the same digits as {_format(old)}; the decimal separator may be wrong"
            self._doubt_decimal(path, cell, words)
        elif lost := describe_loss(cell, old, value):
            self._doubt(ProblemKind.CUT, path, f"{path}: {lost}")
        return value

    def _doubt_decimal(self, path: str, cell: Cell, words: str) -> None:
        text = f"{path}: “{_shorten(cell.text.strip())}” {words}."
        self.problems.append(RowProblem(ProblemKind.DECIMAL, text, path, cell.text))

    def _check_kind(self, path: str, value: Json) -> None:
        value_kind, kind = kind_of_value(value), self._seen.kind(path)
        plain = Kind.TEXT if kind.facts.takes_any_text else kind
        if value_kind in (Kind.NULL, plain) or kind is Kind.NULL or self._is_mixed(plain, value_kind):
            return
        self._doubt(
            ProblemKind.OTHER_KIND,
            path,
            f"{path}: expected {kind.facts.noun} as in other records, "
            f"found {value_kind.facts.noun} ({_format(value)}).",
        )

    def _is_mixed(self, plain: Kind, value_kind: Kind) -> bool:
        """Return True for a time or a number in a field of texts."""
        return plain is Kind.TEXT and value_kind in (Kind.TIME, Kind.NUMBER)

    def _describe_choice(self, path: str, value: str) -> str:
        like = self._seen.nearest_choice(path, value)
        return f'{path}: unknown value "{_shorten(value)}".' + (f' Did you mean "{_shorten(like)}"?' if like else "")

    def _doubt(self, kind: ProblemKind, path: str, text: str) -> None:
        self.problems.append(RowProblem(kind, text, path))


def check_type(seen: SeenValues, path: str, value: Json, old: Json | Absent) -> RowProblem | None:
    """Return the problem of a value that has another JSON type than the `old` one; null may replace any.

    If the old value is null or absent, the values of the other records count.
    """
    blank = old is None or isinstance(old, Absent)
    like = seen.typical(path) if blank else old
    if value is None or isinstance(like, Absent) or json_type(value) is json_type(like):
        return None
    holder = "other records" if blank else "this record"
    wanted, given = json_type(like).facts.noun, json_type(value).facts.noun
    words = f"expected {wanted} as in {holder}, found {given} ({_format(value)})"
    return RowProblem(ProblemKind.OTHER_KIND, f"{path}: {words}.", path)


def _describe_readings(numbers: Mapping[DecimalMark, Number]) -> str:
    words = (f"{numbers.get(mark, 'not a number')} with a decimal {mark.value}" for mark in DecimalMark)
    return f"is {' and '.join(words)}"


def _is_blank(new: Json | Cell) -> bool:
    """Return True if the new value is null or "", between which a version does not distinguish."""
    return (new.meaning if isinstance(new, Cell) else new) in (None, "")


def _format(value: Json | Absent) -> str:
    return "unset" if isinstance(value, Absent) else _shorten(dumps(value))


def _shorten(text: str) -> str:
    return text if len(text) <= _SHOWN_CHARACTERS else f"{text[: _SHOWN_CHARACTERS - 1]}…"


# The same values for many marked records


def list_common_fields(records: Iterable[Record]) -> tuple[str, ...]:
    """Return the fields that can be changed for all of the records: those of any record, in its order, without ids."""
    values: dict[str, list[Json]] = {}
    ids: set[str | None] = set()
    for record in records:
        ids.add(id_field(record.fields))
        for name, value in record.fields.items():
            values.setdefault(name, []).append(value)
    groups = list(FieldGroup)
    names = sorted(values, key=lambda name: groups.index(group_of(name, kind_of(name, values[name]))))
    return tuple(name for name in names if name not in ids)


def find_common_value(records: Sequence[Record], field: str) -> Json | Absent:
    """Return the value that all the records have in a field; ABSENT if they differ, or have none."""
    values = [record.fields.get(field, ABSENT) for record in records]
    first = values[0] if values else ABSENT
    if isinstance(first, Absent):
        return ABSENT
    alike = all(not isinstance(value, Absent) and same_json(value, first) for value in values)
    return first if alike else ABSENT


def make_marked_rows(records: Iterable[Record], values: Mapping[str, Json], seen: SeenValues) -> tuple[PlanRow, ...]:
    """Return a row for each record, with the new values by field; records without an id are left out."""
    named = (record for record in records if record.id is not None)
    return tuple(
        with_values(PlanRow(number, record_id=record.id or "", label=record.label), record, values, seen)
        for number, record in enumerate(named, 1)
    )


def with_values(row: PlanRow, record: Record, values: Mapping[str, Json], seen: SeenValues) -> PlanRow:
    """Return the row with more new values by field; a value of another type is a problem.

    The base of a row that changes nothing holds the fields that have their value already.
    """
    edits = row.edits
    problems = [problem for problem in row.problems if problem.field not in values]
    for name, value in values.items():
        edits = with_edit(record.fields, edits, (name,), value)
        if (problem := check_type(seen, name, value, record.fields.get(name, ABSENT))) is not None:
            problems.append(problem)
    changed = replace(
        row,
        base={name: record.fields[name] for name in edits or values if name in record.fields},
        edits=edits,
        fields=changed_paths(record.fields, edits, (*row.fields, *values)),
        problems=tuple(problems),
        id_name=id_field(record.fields) or "id",
    )
    return changed.with_decision_of(row)
