"""Fields of a record by their path: `grade`, or `assay.goldPpm` for one inside another."""

from collections.abc import Iterator, Mapping

from svc_tui.domain.draft import ABSENT, Absent
from svc_tui.domain.jsontext import Json

DEEPEST = 4
"""Names in a path at most; what lies deeper is read in the record, not in a table."""


def value_at(fields: Mapping[str, Json], path: str) -> Json | Absent:
    """The value at `path`; a field whose own name has a point in it is found first."""
    if path in fields:
        return fields[path]
    value: Json = fields
    for name in path.split("."):
        if not isinstance(value, Mapping) or name not in value:
            return ABSENT
        value = value[name]
    return value


def paths(fields: Mapping[str, Json], prefix: str = "", depth: int = 1) -> Iterator[str]:
    """Every path in the record, an object before what is in it."""
    for name, value in fields.items():
        path = f"{prefix}{name}"
        yield path
        if isinstance(value, Mapping) and depth < DEEPEST and "." not in name:
            yield from paths(value, f"{path}.", depth + 1)
