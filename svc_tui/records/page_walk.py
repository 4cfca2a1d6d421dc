"""The records that came from the pages of a collection: each once, and whether the collection changed meanwhile.

Pages are counted by position. A record that is added or deleted while they are read shifts those after it: one comes
twice, or one never comes. The first is corrected here; a shift is the only sign of the second.
"""

from svc_tui.core.phrases import counted
from svc_tui.core.records import Page, Record, own_id


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

    def new(self, page: Page, *, again: bool = False) -> list[Record]:
        """Return the records of `page` that are wanted and have not come before.

        Records without an id of their own can't be told apart: all of them are new, except on a page that is read
        `again`. The repeated records of such a page are not counted, since they had to come again.
        """
        total = page.total
        if total is not None:
            self._first_total = total if self._first_total is None else self._first_total
            self._total = total
        new: list[Record] = []
        for record in page.records:
            if self.full:
                break
            record_id = own_id(record.fields)
            if record_id is None and again:
                continue
            if record_id is not None and record_id in self._ids:
                self.repeats += not again
                continue
            if record_id is not None:
                self._ids.add(record_id)
            self.count += 1
            new.append(record)
        return new

    def notice(self, *, whole: bool) -> str:
        """Return a sentence if records can be missing, else ""; `whole`: the end of the collection was reached."""
        if self.repeats:
            happened = f"{counted(self.repeats, 'record')} appeared on two pages, saved once"
            return f"the collection changed during the export: {happened}. {_MISSING}"
        if self._total != self._first_total:
            return (
                f"the collection changed from {self._first_total:,} to {self._total:,} records during the export. "
                f"{_MISSING}"
            )
        if whole and self._total is not None and self._total > self.count:
            return f"the service reports {self._total:,} records but returned {self.count:,}; some may be missing"
        return ""


_MISSING = "Other records may be missing. Export again to be sure"
