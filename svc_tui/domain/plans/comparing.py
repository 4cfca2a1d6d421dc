"""A row of a file compared with the record as it is now: what would change, and what stands against it."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from svc_tui.domain.corrections.cells import number_readings, read_cell, spelled_alike
from svc_tui.domain.corrections.correction import Cell, Correction, DecimalMark, NumberCertainty, RowAction
from svc_tui.domain.corrections.correction_file import id_column
from svc_tui.domain.corrections.decimal_marks import may_be_misread
from svc_tui.domain.corrections.for_edit import exported_fields
from svc_tui.domain.corrections.record_version import ExportedVersion, version_of
from svc_tui.domain.corrections.spreadsheet_losses import loss_words
from svc_tui.domain.data.field_path import path_steps, value_at
from svc_tui.domain.data.kinds import Kind, json_type, kind_of_value
from svc_tui.domain.data.nested_value import path_exists
from svc_tui.domain.editing.field_entry import ValueProblem
from svc_tui.domain.model.absent import Absent
from svc_tui.domain.model.jsontext import Json, Number, dumps, same_json
from svc_tui.domain.model.records import Record, id_field
from svc_tui.domain.plans.plan import PlanRow, ProblemKind, RowProblem, changed_paths, with_edit, without_edit
from svc_tui.domain.plans.seen_values import SeenValues

_SHOWN_CHARACTERS = 40
"""Characters of a value in a sentence about it."""


@dataclass(slots=True)
class RowComparison:
    """Compares corrections with records; `seen` are the values of the fields that they name."""

    seen: SeenValues

    def row(self, correction: Correction, now: Record | RowProblem | None) -> PlanRow:
        """What a correction means for the record as it is `now`, or why that could not be read; None: a new one."""
        if isinstance(now, RowProblem):
            return PlanRow(correction.number, correction.action, correction.record_id, problems=(now,))
        if now is None:
            return self._new(correction)
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
        comparing = _Edits(self.seen, dict(now.fields), version, problems=problems)
        for path, value in correction.values.items():
            comparing.take(path, value)
        edits, base = comparing.edits, now.fields
        return PlanRow(
            correction.number,
            RowAction.UPDATE,
            correction.record_id,
            label,
            {name: base[name] for name in edits if name in base},
            edits,
            changed_paths(base, edits, correction.values),
            tuple(comparing.problems),
            id_name=id_name,
        )

    def _new(self, correction: Correction) -> PlanRow:
        comparing = _Edits(self.seen, {}, None, problems=_exported_without_id(correction))
        for path, value in correction.values.items():
            comparing.take(path, value)
        edits = comparing.edits
        if not edits and not comparing.problems:
            words = "No column of this row matches a known field, so the new record would be empty."
            comparing.problems.append(RowProblem(ProblemKind.NO_ROOM, words))
        label = Record(edits).label
        fields = changed_paths({}, edits, correction.values)
        return PlanRow(
            correction.number,
            RowAction.CREATE,
            label=label,
            edits=edits,
            fields=fields,
            problems=tuple(comparing.problems),
        )

    def edited(self, row: PlanRow, path: str, value: Json | Cell) -> PlanRow:
        """Return the row with another new value at `path`, compared as those of a file; the old one is no change.

        A row that a person took in stays so only where no problem is new. Where the record has no place for a value at
        `path`, none is set: the row does not hold what stands there instead.
        """
        if any(problem.field == path and problem.kind is ProblemKind.NO_ROOM for problem in row.problems):
            return replace(row, problems=tuple(p for p in row.problems if p.field != path or not p.cell))
        old = value_at(row.base, path)
        steps = path_steps({**row.base, **row.edits}, path)
        comparing = _Edits(self.seen, row.base, None, without_edit(row.base, row.edits, steps, old))
        comparing.put(path, value, steps)
        fields = changed_paths(row.base, comparing.edits, (*row.fields, path))
        # That others changed the field is as true of another new value.
        kept = [p for p in row.problems if p.field != path or (p.kind is ProblemKind.MOVED and path in fields)]
        label = Record(comparing.edits).label if row.action is RowAction.CREATE else row.label
        problems = (*kept, *comparing.problems)
        edited = replace(row, label=label, edits=comparing.edits, fields=fields, problems=problems)
        return edited.with_decision_of(row)


def _exported_without_id(correction: Correction) -> list[RowProblem]:
    """What stands against a new record whose row was exported: who lost the ids meant no new ones."""
    if not correction.version or id_column(correction.values) is not None:
        return []
    words = "The row was exported, but its id is missing. Sending it creates a new record."
    return [RowProblem(ProblemKind.VERSION, words)]


def _exported_version(correction: Correction, now: Record) -> tuple[ExportedVersion | None, list[RowProblem]]:
    """How the record was when it was exported, where a row says so, and what stands against what it says."""
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
    """What stands against the deletion of a record, which must be what it was when it was exported."""
    version, problems = _exported_version(correction, now)
    if version is not None and version_of(exported_fields(now.fields)) != correction.version.strip():
        problems.append(RowProblem(ProblemKind.MOVED, "The record was changed after the export."))
    return tuple(problems)


@dataclass(slots=True)
class _Edits:
    """What becomes of one record, value by value; `version` tells how it was when it was exported."""

    seen: SeenValues
    fields: Mapping[str, Json]
    version: ExportedVersion | None
    edits: dict[str, Json] = field(default_factory=dict)
    problems: list[RowProblem] = field(default_factory=list)

    def take(self, path: str, wanted: Json | Cell) -> None:
        """Take in what a row says of the value at `path`."""
        if not self.seen.knows(path):
            # No record has such a field: that is told of the whole file.
            return
        if not self._is_untouched(path, wanted):
            self.put(path, wanted)

    def put(self, path: str, wanted: Json | Cell, steps: tuple[str, ...] = ()) -> None:
        """Set the value at `path`, with every doubt about it; the value that is there already is no change.

        `steps` are the names on the way there, empty where the records are to tell.
        """
        old = value_at(self.fields, path)
        if isinstance(wanted, Cell) and spelled_alike(wanted, old):
            return
        value = self._read(path, wanted, old) if isinstance(wanted, Cell) else wanted
        if not isinstance(old, Absent) and same_json(old, value):
            return
        if not isinstance(wanted, Cell):
            self._check_kind(path, value)
        told = any(problem.field == path and problem.kind is ProblemKind.OTHER_KIND for problem in self.problems)
        if not told and (problem := type_problem(self.seen, path, value, old)) is not None:
            self.problems.append(problem)
        if self.version is not None and not self.version.holds(path, old):
            self._doubt(ProblemKind.MOVED, path, f"{path}: is now {_words(old)} (changed after the export).")
        if self.seen.is_new_choice(path, value):
            self._doubt(ProblemKind.NEW_CHOICE, path, self._choice_words(path, str(value)))
        # What one record has as a field of its own may lie inside another field in the next.
        steps = steps or (self.seen.steps(path) if isinstance(old, Absent) else path_steps(self.fields, path))
        if path_exists({**self.fields, **self.edits}, steps):
            self.edits = with_edit(self.fields, self.edits, steps, value)
        else:
            self._doubt(ProblemKind.NO_ROOM, path, f"{path}: {steps[0]} has no {'.'.join(steps[1:])} in this record.")

    def _is_untouched(self, path: str, wanted: Json | Cell) -> bool:
        """Whether the file has the value as it was exported: then whatever others made of it since stays."""
        version, old = self.version, value_at(self.fields, path)
        # If no one changed it since, `put` compares with the value itself; a version has only 15 digits of it.
        if version is None or _is_blank(wanted) or version.holds(path, old):
            return False
        if isinstance(old, str) and isinstance(wanted, Cell):
            return version.holds(path, wanted) or version.holds(path, replace(wanted, decimal_comma=False))
        return version.holds(path, wanted)

    def _read(self, path: str, cell: Cell, old: Json | Absent) -> Json:
        kind = self.seen.kind(path)
        like = old
        if kind in (Kind.REFERENCE, Kind.ID) and (old is None or isinstance(old, Absent)):
            # Whether ids are numbers, the other records tell.
            like = self.seen.typical(path)
        if cell.certainty is NumberCertainty.AMBIGUOUS and (numbers := number_readings(cell, kind, like)):
            others = [number for number in numbers.values() if isinstance(old, Absent) or not same_json(number, old)]
            if others:
                self._doubt_decimal(path, cell, _readings_words(numbers))
            return others[0] if others else next(iter(numbers.values()))
        try:
            value = read_cell(cell, kind, like)
        except ValueProblem as problem:
            self.problems.append(
                RowProblem(
                    ProblemKind.OTHER_KIND,
                    f"{path}: {problem}",
                    path,
                    cell.text if number_readings(cell, kind, like) else "",
                )
            )
            return cell.text
        if may_be_misread(cell, value, old):
            words = f"has the same digits as {_words(old)}; the decimal separator may be wrong"
            self._doubt_decimal(path, cell, words)
        elif lost := loss_words(cell, old, value):
            self._doubt(ProblemKind.CUT, path, f"{path}: {lost}")
        return value

    def _doubt_decimal(self, path: str, cell: Cell, words: str) -> None:
        text = f"{path}: “{_short(cell.text.strip())}” {words}."
        self.problems.append(RowProblem(ProblemKind.DECIMAL, text, path, cell.text))

    def _check_kind(self, path: str, value: Json) -> None:
        wanted, kind = kind_of_value(value), self.seen.kind(path)
        plain = Kind.TEXT if kind in (Kind.CHOICE, Kind.ID, Kind.REFERENCE) else kind
        if wanted in (Kind.NULL, plain) or kind is Kind.NULL or self._is_mixed(plain, wanted):
            return
        self._doubt(
            ProblemKind.OTHER_KIND,
            path,
            f"{path}: expected {_type_words(kind.value)} as in other records, "
            f"found {_type_words(wanted.value)} ({_words(value)}).",
        )

    def _is_mixed(self, plain: Kind, wanted: Kind) -> bool:
        """Whether a value may be so written in a field of texts: a time or a number can be one."""
        return plain is Kind.TEXT and wanted in (Kind.TIME, Kind.NUMBER)

    def _choice_words(self, path: str, value: str) -> str:
        like = self.seen.like(path, value)
        return f'{path}: unknown value "{_short(value)}".' + (f' Did you mean "{_short(like)}"?' if like else "")

    def _doubt(self, kind: ProblemKind, path: str, text: str) -> None:
        self.problems.append(RowProblem(kind, text, path))


def type_problem(seen: SeenValues, path: str, value: Json, old: Json | Absent) -> RowProblem | None:
    """Return the problem of a value that has another JSON type than the `old` one; null may replace any.

    Where the old value is null or absent, the values of the other records count.
    """
    blank = old is None or isinstance(old, Absent)
    like = seen.typical(path) if blank else old
    if value is None or isinstance(like, Absent) or json_type(value) == json_type(like):
        return None
    holder = "other records" if blank else "this record"
    wanted, given = _type_words(json_type(like)), _type_words(json_type(value))
    words = f"expected {wanted} as in {holder}, found {given} ({_words(value)})"
    return RowProblem(ProblemKind.OTHER_KIND, f"{path}: {words}.", path)


_TYPE_WORDS = {"text": "text", "flag": "true or false", "object": "an object", "id": "an id"}


def _type_words(kind: str) -> str:
    return _TYPE_WORDS.get(kind, f"a {kind}")


def _readings_words(numbers: Mapping[DecimalMark, Number]) -> str:
    words = (f"{numbers.get(mark, 'not a number')} with a decimal {mark.value}" for mark in DecimalMark)
    return f"is {' and '.join(words)}"


def _is_blank(wanted: Json | Cell) -> bool:
    """Whether null or "" is asked for in so many words: a version does not tell them apart."""
    return (wanted.meaning if isinstance(wanted, Cell) else wanted) in (None, "")


def _words(value: Json | Absent) -> str:
    return "unset" if isinstance(value, Absent) else _short(dumps(value))


def _short(text: str) -> str:
    return text if len(text) <= _SHOWN_CHARACTERS else f"{text[: _SHOWN_CHARACTERS - 1]}…"
