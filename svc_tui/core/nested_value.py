"""Edits of a value inside another: a record is changed by its fields alone, so the field around it gets a new value."""

from collections.abc import Mapping

from svc_tui.core.jsontext import ABSENT, Absent, Json
from svc_tui.core.outline import Path


def path_exists(fields: Mapping[str, Json], steps: Path) -> bool:
    """Whether a value can be set at `steps`: everything above it is an object, a list with that item, or unset."""
    value: Json | Absent = fields
    for step in steps:
        if isinstance(value, Absent) or value is None:
            return isinstance(step, str)
        if isinstance(step, str):
            if not isinstance(value, Mapping):
                return False
            value = value.get(step, ABSENT)
        elif isinstance(value, list) and step < len(value):
            value = value[step]
        else:
            return False
    return True


def with_value_at(value: Json | Absent, steps: Path, new: Json | Absent) -> Json:
    """`value` with `new` at `steps` inside it, all else as it was and in its order; ABSENT takes the name away.

    Objects that are unset or null on the way are made. `path_exists` tells whether there is a way.
    """
    step, rest = steps[0], steps[1:]
    if isinstance(step, int):
        assert isinstance(value, list)
        item = with_value_at(value[step], rest, new) if rest else new
        assert not isinstance(item, Absent)
        return [*value[:step], item, *value[step + 1 :]]
    held: Mapping[str, Json] = value if isinstance(value, Mapping) else {}
    if not rest and isinstance(new, Absent):
        return {name: item for name, item in held.items() if name != step}
    new_inner = with_value_at(held.get(step, ABSENT), rest, new) if rest else new
    assert not isinstance(new_inner, Absent)
    return {**held, step: new_inner}
