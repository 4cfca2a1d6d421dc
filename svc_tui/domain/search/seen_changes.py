"""Changes of records that were seen by reading collections again: what each field was before, and what it is since."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import Enum
from typing import Protocol

from svc_tui.domain.model.absent import ABSENT, Absent
from svc_tui.domain.model.jsontext import Json
from svc_tui.domain.model.records import Place


class ChangeKind(Enum):
    """What became of a record between two readings; the value is what people read."""

    MADE = "made"
    CHANGED = "changed"
    GONE = "gone"


@dataclass(frozen=True, slots=True)
class SeenChange:
    """What two readings of a collection tell of one record: it was made, one of its fields changed, or it is gone.

    It happened after `read_before` and by `read_after`. `path` is that of the field, `before` and `after` are its
    values, ABSENT where there was none; for a record that was made or is gone, `path` is "".
    """

    kind: ChangeKind
    read_before: datetime
    read_after: datetime
    path: str = ""
    before: Json | Absent = ABSENT
    after: Json | Absent = ABSENT


class SeenChanges(Protocol):
    """What remembers the readings of collections, and so what changed between them."""

    async def changes_of(self, place: Place) -> Sequence[SeenChange]:
        """The changes of the record at `place`, the oldest first; raises StoreError where they can't be read."""
