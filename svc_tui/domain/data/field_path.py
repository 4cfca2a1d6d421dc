"""Fields of a record by their path: `grade`, or `assay.goldPpm` for one inside another."""

from collections.abc import Iterator, Mapping

from svc_tui.domain.model.absent import ABSENT, Absent
from svc_tui.domain.model.jsontext import Json

MAX_DEPTH_LISTED = 4
"""Names in a path at most; what lies deeper is read in the record, not in a table."""


def value_at(fields: Mapping[str, Json], path: str) -> Json | Absent:
    """The value at `path`; a field whose own name has a point in it is found first."""
    rest = path
    while rest not in fields:
        name, point, rest = rest.partition(".")
        inner = fields.get(name)
        # An object nearly always is a dict, which is told at once; a Mapping in general is not.
        if not point or not isinstance(inner, (dict, Mapping)):
            return ABSENT
        fields = inner
    return fields[rest]


def outer_field(fields: Mapping[str, Json], path: str) -> str:
    """The field of the record that `path` lies in: `assay` for `assay.goldPpm`."""
    return path if path in fields else path.partition(".")[0]


def paths(fields: Mapping[str, Json], prefix: str = "", depth: int = 1) -> Iterator[str]:
    """Every path in the record, an object before what is in it."""
    for name, value in fields.items():
        path = f"{prefix}{name}"
        yield path
        if isinstance(value, Mapping) and depth < MAX_DEPTH_LISTED and "." not in name:
            yield from paths(value, f"{path}.", depth + 1)
