"""What others changed, as two readings of a record tell it: field by field, and between which moments it happened."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import Enum

from svc_tui.domain.model.absent import ABSENT, Absent
from svc_tui.domain.model.jsontext import Json, same_json

Change = tuple[str, Json | Absent, Json | Absent]
"""A field's path, and its value before and after."""


class ChangeKind(Enum):
    """What became of a record; the value is what people read."""

    MADE = "new"
    CHANGED = "changed"
    GONE = "gone"


@dataclass(frozen=True, slots=True)
class SeenChange:
    """A change of one field, at `path`, of a record; of one that is new or gone, the path is "".

    `key` is that of its collection, `label` what people call the record. It happened after `read_before`, and before
    `read_after`; of a record that is new, `read_before` is when the collection was read last.
    """

    key: str
    record_id: str
    label: str
    kind: ChangeKind
    path: str
    before: Json | Absent
    after: Json | Absent
    read_before: datetime
    read_after: datetime


def changed_fields(before: Mapping[str, Json], after: Mapping[str, Json], *, both: bool = False) -> Iterator[Change]:
    """The fields that differ, those in an object by themselves; `both`: only those that are in both records.

    A row of a list may hold less than its record does.
    """
    for name in dict.fromkeys((*before, *after)):
        if both and (name not in before or name not in after):
            continue
        yield from _changes(name, before.get(name, ABSENT), after.get(name, ABSENT))


def _changes(path: str, before: Json | Absent, after: Json | Absent) -> Iterator[Change]:
    if isinstance(before, Mapping) and isinstance(after, Mapping):
        for name in dict.fromkeys((*before, *after)):
            yield from _changes(f"{path}.{name}", before.get(name, ABSENT), after.get(name, ABSENT))
    elif isinstance(before, Absent) or isinstance(after, Absent):
        if before is not after:
            yield path, before, after
    elif not same_json(before, after):
        yield path, before, after
