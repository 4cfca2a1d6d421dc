"""What a walk over the pages of a collection has met: each record once, and whether the collection moved meanwhile.

Pages are counted by position. Whoever adds or deletes a record while they are read shifts what comes after it: one
record comes twice, or one is never met. The first is mended here; of the second a shift is the only sign.
"""

from collections.abc import Sequence

from svc_tui.domain.data.counted import counted
from svc_tui.domain.model.records import Record, own_id


class PageWalk:
    """The records met so far, by their ids; no more than `most` of them are wanted.

    The ids themselves are kept, 130 bytes or so for each. Digests of them would be a third smaller, and could take two
    records for one.
    """

    def __init__(self, most: int | None = None) -> None:
        self._most = most
        self.count = 0
        """How many records were met, each counted once."""
        self.repeats = 0
        """How often a record came again."""
        self._ids: set[str] = set()
        self._first_total: int | None = None
        self._total: int | None = None

    @property
    def total(self) -> int | None:
        """How many records the collection holds, as last told; None where nothing was said."""
        return self._total

    @property
    def full(self) -> bool:
        """Whether as many records as were wanted have come."""
        return self._most is not None and self.count >= self._most

    def new(self, records: Sequence[Record], total: int | None) -> list[Record]:
        """Those of a page's records that are wanted and have not come before; `total` is the one that the page tells.

        Records without an id of their own can't be told apart, so all of them are new.
        """
        if total is not None:
            self._first_total = total if self._first_total is None else self._first_total
            self._total = total
        new: list[Record] = []
        for record in records:
            if self.full:
                break
            if not self._is_repeat(record):
                self.count += 1
                new.append(record)
        return new

    def notice(self, *, whole: bool) -> str:
        """One sentence where records may be missing, else ""; `whole`: the walk came to the end of the collection."""
        if self.repeats:
            return (
                f"{counted(self.repeats, 'record')} came twice, since the collection changed while it was read; each "
                "was written once, and others may be missing: export again when it is quiet"
            )
        if self._total != self._first_total:
            return (
                f"the collection went from {self._first_total:,} to {self._total:,} records while it was read; "
                f"some may be missing: export again when it is quiet"
            )
        if whole and self._total is not None and self._total > self.count:
            return f"the service speaks of {self._total:,} records and gave {self.count:,}; some may be missing"
        return ""

    def _is_repeat(self, record: Record) -> bool:
        record_id = own_id(record.fields)
        if record_id is None:
            return False
        if record_id in self._ids:
            self.repeats += 1
            return True
        self._ids.add(record_id)
        return False
