"""What others changed, as two readings of a record tell it: field by field, and between which moments it happened."""

from collections.abc import Iterator, Mapping
from datetime import datetime
from enum import Enum

from msgspec import Struct

from svc_tui.core.jsontext import ABSENT, Absent, Json, same_json

Change = tuple[str, Json | Absent, Json | Absent]
"""A field's path, and its value before and after."""


class ChangeKind(Enum):
    """What became of a record between two readings; the value is what people read."""

    MADE = "made"
    CHANGED = "changed"
    GONE = "gone"


class SeenChange(Struct, frozen=True):
    """What two readings of a collection tell of one record: it was made, one of its fields changed, or it is gone.

    It happened after `read_before` and by `read_after`. `path` is that of the field, `before` and `after` are its
    values, ABSENT where there was none; for a record that was made or is gone, `path` is "". `key` is that of the
    collection, `record_id` the record's, and `label` what people call it.
    """

    kind: ChangeKind
    read_before: datetime
    read_after: datetime
    path: str = ""
    before: Json | Absent = ABSENT
    after: Json | Absent = ABSENT
    key: str = ""
    record_id: str = ""
    label: str = ""


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
