"""Two values compared: what is the same, what changed, came and went, each by the steps to it on both sides."""

from collections.abc import Iterator, Mapping, Sequence
from enum import Enum
from typing import TypeAlias

from msgspec import Struct

from svc_tui.core.indented_json import member_step
from svc_tui.core.jsontext import ABSENT, Absent, Json, dumps
from svc_tui.core.records import id_field


class DifferenceKind(Enum):
    """What became of a value; the value is the word for it."""

    SAME = "same"
    CHANGED = "changed"
    ADDED = "added"
    GONE = "gone"


class ItemStep(Struct, frozen=True):
    """The step to an item of a list: where it stands on each side, from 0; None on the side that has none.

    `id` is the name and the value of the field that a record was found by, None where it was found by its place.
    """

    old: int | None
    new: int | None
    id: tuple[str, Json] | None = None

    @property
    def number(self) -> int:
        """Where the item stands, on the new side where it is there."""
        number = self.old if self.new is None else self.new
        assert number is not None
        return number


Steps: TypeAlias = tuple[str | ItemStep, ...]
"""The way to a value on both sides: names of fields, and items of lists."""


class ValueDifference(Struct, frozen=True):
    """What became of the value at the end of `steps`; ABSENT on the side that has none."""

    steps: Steps
    kind: DifferenceKind
    old: Json | Absent
    new: Json | Absent


def value_differences(
    old: Json, new: Json, steps: Steps = (), *, plain_lists_whole: bool = False
) -> Iterator[ValueDifference]:
    """The differences between two values, those of the old one in its order, then what is new.

    What is the same is told as a whole. Records in a list are those of the same id, wherever they stand; a number that
    is written otherwise (1.5, 1.50) has changed. Anything else in a list is compared by its place, once what both lists
    begin and end with is set aside; with `plain_lists_whole`, two lists without nested values are one difference.
    """
    if old == new and type(old) is type(new):
        yield ValueDifference(steps, DifferenceKind.SAME, old, new)
    elif isinstance(old, Mapping) and isinstance(new, Mapping):
        for name, value in old.items():
            if name in new:
                yield from value_differences(value, new[name], (*steps, name), plain_lists_whole=plain_lists_whole)
            else:
                yield ValueDifference((*steps, name), DifferenceKind.GONE, value, ABSENT)
        for name, value in new.items():
            if name not in old:
                yield ValueDifference((*steps, name), DifferenceKind.ADDED, ABSENT, value)
    elif is_list(old) and is_list(new) and not (plain_lists_whole and is_plain_list(old) and is_plain_list(new)):
        yield from list_differences(old, new, steps, plain_lists_whole=plain_lists_whole)  # type: ignore[arg-type]
    else:
        yield ValueDifference(steps, DifferenceKind.CHANGED, old, new)


def list_differences(
    old: Sequence[Json], new: Sequence[Json], steps: Steps = (), *, plain_lists_whole: bool = False
) -> Iterator[ValueDifference]:
    """The differences between two lists, item by item; see `value_differences`."""
    before, after = _index_by_id(old), _index_by_id(new)
    if before is not None and after is not None:
        for key, number in before.items():
            step = ItemStep(number, after.get(key), _id_of(old[number]))
            if step.new is not None:
                yield from value_differences(
                    old[number], new[step.new], (*steps, step), plain_lists_whole=plain_lists_whole
                )
            else:
                yield ValueDifference((*steps, step), DifferenceKind.GONE, old[number], ABSENT)
        for key, number in after.items():
            if key not in before:
                step = ItemStep(None, number, _id_of(new[number]))
                yield ValueDifference((*steps, step), DifferenceKind.ADDED, ABSENT, new[number])
        return
    shorter = min(len(old), len(new))
    start = next((n for n in range(shorter) if old[n] != new[n]), shorter)
    end = next((n for n in range(shorter - start) if old[-1 - n] != new[-1 - n]), shorter - start)
    for number in range(start):
        yield ValueDifference((*steps, ItemStep(number, number)), DifferenceKind.SAME, old[number], new[number])
    until_old, until_new = len(old) - end, len(new) - end
    for number in range(start, max(until_old, until_new)):
        if number >= until_new:
            yield ValueDifference((*steps, ItemStep(number, None)), DifferenceKind.GONE, old[number], ABSENT)
        elif number >= until_old:
            yield ValueDifference((*steps, ItemStep(None, number)), DifferenceKind.ADDED, ABSENT, new[number])
        else:
            step = ItemStep(number, number)
            yield from value_differences(old[number], new[number], (*steps, step), plain_lists_whole=plain_lists_whole)
    for number in range(until_new, len(new)):
        step = ItemStep(number - until_new + until_old, number)
        yield ValueDifference((*steps, step), DifferenceKind.SAME, new[number], new[number])


def json_path(steps: Steps) -> str:
    """The steps as a JSONPath: `$.assay.lab`, `$.parts[0]`, `$.parts[?@.id=='a'].grade`."""
    return "$" + "".join(member_step(step) if isinstance(step, str) else _item_text(step) for step in steps)


def _item_text(step: ItemStep) -> str:
    if step.id is None:
        return f"[{step.number}]"
    name, value = step.id
    written = dumps(value)
    quoted = written if not written.startswith('"') else "'" + written[1:-1].replace("'", "\\'") + "'"
    return f"[?@{member_step(name)}=={quoted}]"


def is_list(value: Json | Absent) -> bool:
    """Whether the value is a list."""
    return isinstance(value, Sequence) and not isinstance(value, str)


def is_plain_list(value: Json | Absent) -> bool:
    """Whether the value is a list that holds nothing nested."""
    return is_list(value) and not any(isinstance(item, Mapping) or is_list(item) for item in value)  # type: ignore[union-attr]


def _index_by_id(items: Sequence[Json]) -> dict[tuple[str, str], int] | None:
    """The places of a list's records by their ids; None where not all are records with an id of their own."""
    by_id: dict[tuple[str, str], int] = {}
    for number, item in enumerate(items):
        if (own := _id_of(item)) is None:
            return None
        by_id[own[0], dumps(own[1])] = number
    return by_id if len(by_id) == len(items) else None


def _id_of(item: Json) -> tuple[str, Json] | None:
    """The field that a record is found by, and its value."""
    name = id_field(item) if isinstance(item, Mapping) else None
    return None if name is None else (name, item[name])  # type: ignore[call-overload,index]
