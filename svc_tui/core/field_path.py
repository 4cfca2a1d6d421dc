"""Fields of a record by their path: `grade`, or `assay.auPpm` for one inside another.

A path says the name of a field with a point in it first; where `geo.lat` is such a name, `geo["lat"]` is the field
`lat` inside `geo`.
"""

import re
from collections.abc import Iterator, Mapping

from svc_tui.core.jsontext import ABSENT, Absent, Json, dumps, loads

MAX_DEPTH_LISTED = 4
"""Names in a path at most; what lies deeper is read in the record, not in a table."""

_BRACKET = re.compile(r'\[("(?:[^"\\]|\\.)*")\]')
_BRACKETED = re.compile(rf"(.*?)((?:{_BRACKET.pattern})+)", re.DOTALL)


def value_at(fields: Mapping[str, Json], path: str) -> Json | Absent:
    """The value at `path`; a field whose own name has a point in it is found first."""
    if path in fields:
        return fields[path]
    value: Json | Absent = fields
    for step in path_steps(fields, path):
        # An object nearly always is a dict, which is told at once; a Mapping in general is not.
        if not isinstance(value, (dict, Mapping)) or step not in value:
            return ABSENT
        value = value[step]
    return value


def path_steps(fields: Mapping[str, Json], path: str) -> tuple[str, ...]:
    """The names on the way of a path, from the outermost: ("assay", "auPpm"); a name with a point is one of them."""
    if path not in fields and path.endswith('"]') and (bracketed := _BRACKETED.fullmatch(path)):
        inside = (loads(name) for name in _BRACKET.findall(bracketed[2]))
        return (*path_steps(fields, bracketed[1]), *map(str, inside))
    steps: list[str] = []
    rest = path
    while rest not in fields:
        name, point, after = rest.partition(".")
        inner = fields.get(name)
        if not point or not isinstance(inner, (dict, Mapping)):
            break
        steps.append(name)
        fields, rest = inner, after
    return (*steps, rest)


def path_of(fields: Mapping[str, Json], steps: tuple[str, ...]) -> str:
    """The path of the value under these names."""
    path = ".".join(steps)
    if path_steps(fields, path) == steps:
        return path
    return steps[0] + "".join(f"[{dumps(step)}]" for step in steps[1:])


def outer_field(fields: Mapping[str, Json], path: str) -> str:
    """The field of the record that `path` lies in: `assay` for `assay.auPpm`."""
    return path_steps(fields, path)[0]


def paths(fields: Mapping[str, Json]) -> Iterator[str]:
    """Every path in the record, an object before what is in it."""
    yield from _paths(fields, fields, (), pointed=False)


def _paths(
    record: Mapping[str, Json], fields: Mapping[str, Json], above: tuple[str, ...], *, pointed: bool
) -> Iterator[str]:
    """The paths of `fields`, which stand at `above`; `pointed`: a name with a point in it may take another's path."""
    pointed = pointed or any("." in name for name in fields)
    for name, value in fields.items():
        steps = (*above, name)
        yield path_of(record, steps) if pointed else ".".join(steps)
        if isinstance(value, (dict, Mapping)) and len(steps) < MAX_DEPTH_LISTED:
            yield from _paths(record, value, steps, pointed=pointed)
