"""Two records compared field by field, down to the last value inside an object."""

from collections.abc import Collection as Names
from collections.abc import Iterator, Mapping

from msgspec import Struct

from svc_tui.core.differences import (
    DifferenceKind,
    ItemStep,
    Steps,
    ValueDifference,
    is_list,
    is_plain_list,
    value_differences,
)
from svc_tui.core.jsontext import Absent, Json, dumps
from svc_tui.core.outline import Path, path_text
from svc_tui.core.phrases import counted


class ComparedField(Struct, frozen=True):
    """What became of one value: its `name` for people (`assay.auPpm`, `parts[id=p-1].massKg`), and the way to it.

    `left` and `right` are its paths in the two records, None where that one has it not. Of one that is not `known`
    nobody can tell what it was on the left: it is shown as it is on the right.
    """

    name: str
    kind: DifferenceKind
    left: Path | None
    right: Path | None
    known: bool = True

    @property
    def differs(self) -> bool:
        """Whether the two records differ in it."""
        return self.kind is not DifferenceKind.SAME


class RecordComparison(Struct, frozen=True):
    """The fields of both records, those of the left one in its order, then what only the right one has."""

    fields: tuple[ComparedField, ...]

    @property
    def differing(self) -> tuple[ComparedField, ...]:
        """Those in which the records differ."""
        return tuple(field for field in self.fields if field.differs)

    @property
    def summary(self) -> str:
        """How many differ of how many, in words."""
        known = sum(field.known for field in self.fields)
        differing, unknown = len(self.differing), len(self.fields) - known
        words = f"{differing:,} of {known:,} fields differ{'s' * (differing == 1)}"
        if not differing:
            words = f"no differences in {counted(known, 'field')}"
        return f"{words} · {unknown:,} not recorded" if unknown else words


def compare_records(left: Mapping[str, Json], right: Mapping[str, Json], unknown: Names[str] = ()) -> RecordComparison:
    """The comparison of two records' fields; of the fields `unknown` the left one holds what the right one does.

    A list that holds nothing nested is one value; of other lists, records are compared by their id, anything else by
    its place. A number that is written otherwise (1.5, 1.50) differs.
    """
    fields: list[ComparedField] = []
    for told in value_differences(left, right, plain_lists_whole=True):
        for steps in _leaves(told):
            known = not (steps and steps[0] in unknown)
            on_left = None if told.kind is DifferenceKind.ADDED else _side(steps, new=False)
            on_right = None if told.kind is DifferenceKind.GONE else _side(steps, new=True)
            fields.append(ComparedField(_name(steps), told.kind, on_left, on_right, known))
    return RecordComparison(tuple(fields))


def _leaves(told: ValueDifference) -> Iterator[Steps]:
    """The steps to each value that stands for itself in what was told as a whole."""
    if told.kind is DifferenceKind.CHANGED:
        yield told.steps
    else:
        yield from _leaves_of(told.old if told.kind is not DifferenceKind.ADDED else told.new, told.steps)


def _leaves_of(value: Json | Absent, steps: Steps) -> Iterator[Steps]:
    if isinstance(value, Mapping) and (value or not steps):
        for name, inner in value.items():
            yield from _leaves_of(inner, (*steps, name))
    elif is_list(value) and not is_plain_list(value):
        for number, inner in enumerate(value):  # type: ignore[arg-type]
            yield from _leaves_of(inner, (*steps, ItemStep(number, number)))
    else:
        yield steps


def _side(steps: Steps, *, new: bool) -> Path | None:
    """The steps as the path on one side."""
    path: list[str | int] = []
    for step in steps:
        at = step if isinstance(step, str) else step.new if new else step.old
        if at is None:
            return None
        path.append(at)
    return tuple(path)


def _name(steps: Steps) -> str:
    text = ""
    for step in steps:
        if isinstance(step, ItemStep):
            text += f"[{step.number}]" if step.id is None else f"[{step.id[0]}={_id_text(step.id[1])}]"
        else:
            name = path_text((step,))
            text += name if not text or name.startswith("[") else f".{name}"
    return text


def _id_text(value: Json) -> str:
    return value if isinstance(value, str) else dumps(value)
