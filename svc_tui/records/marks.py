"""The records of a collection that the user has marked: held by their ids, through paging, refreshing and filtering."""

from collections.abc import Iterable, Mapping

from msgspec import Struct, field

from svc_tui.core.records import Record
from svc_tui.core.values import replace
from svc_tui.records.rows import Rows


class MarkedRange(Struct, frozen=True):
    """Rows that are being marked in one go, from `anchor` to `end`, either of which may be the upper one.

    `records` holds those of its rows that were there to be marked, also when their page has left since. `lasting`
    tells one that every move of the cursor stretches from one that only a stretching move does.
    """

    anchor: int
    end: int
    lasting: bool = False
    records: Mapping[int, Record] = field(default_factory=dict)

    @property
    def rows(self) -> range:
        """The rows that it spans."""
        return range(min(self.anchor, self.end), max(self.anchor, self.end) + 1)

    @property
    def lacking(self) -> int:
        """How many of its rows can't be marked: they have not come, or have no id."""
        return len(self.rows) - len(self.records)

    def stretched(self, end: int, rows: Rows) -> "MarkedRange":
        """The reach up to row `end`, with what is held of it now."""
        wider = replace(self, end=end)
        span = wider.rows
        records = {row: record for row, record in self.records.items() if row in span}
        records.update((row, record) for row, record in rows.held(span) if record.id is not None)
        return replace(wider, records=records)


class Marks(Struct, frozen=True):
    """The marked records by id, in the order of marking, each as it was read last; and the reach that is open.

    `awaited` counts those that are to be marked once they are read: a list named them, and no row holds them.
    """

    chosen: Mapping[str, Record] = field(default_factory=dict)
    reach: MarkedRange | None = None
    awaited: int = 0

    @property
    def records(self) -> Mapping[str, Record]:
        """Every marked record by its id, those of the open reach last."""
        return self.chosen if self.reach is None else {**self.chosen, **_by_id(_in_order(self.reach))}

    def toggled(self, record: Record) -> "Marks":
        """The marks with the record added or, if it was marked, removed; a record without an id can't be marked."""
        marks = self.settled()
        return marks.without([record]) if record.id in marks.chosen else marks.with_records([record])

    def with_records(self, records: Iterable[Record]) -> "Marks":
        """The marks with these records added."""
        marks = self.settled()
        return replace(marks, chosen={**marks.chosen, **_by_id(records)})

    def without(self, records: Iterable[Record]) -> "Marks":
        """The marks without these records."""
        marks, removed_ids = self.settled(), {record.id for record in records}
        return replace(marks, chosen={name: record for name, record in marks.chosen.items() if name not in removed_ids})

    def reaching(self, anchor: int, end: int, rows: Rows, *, lasting: bool = False) -> "Marks":
        """The marks with a range opened at row `anchor` and extended to row `end`."""
        return replace(self.settled(), reach=MarkedRange(anchor, anchor, lasting).stretched(end, rows))

    def stretched(self, end: int, rows: Rows) -> "Marks":
        """The marks with the open range extended, or shortened, to row `end`."""
        return self if self.reach is None else replace(self, reach=self.reach.stretched(end, rows))

    def settled(self) -> "Marks":
        """The marks with the records of the open range added, and no range open."""
        return self if self.reach is None else replace(self, chosen=self.records, reach=None)

    def listed(self, records: Iterable[Record], awaited: int) -> "Marks":
        """The marks with these records of a list added, while `awaited` more are read; an open range stays open."""
        return replace(self, chosen={**self.chosen, **_by_id(records)}, awaited=awaited)

    def in_order(self, ids: Iterable[str]) -> "Marks":
        """The marks with those of `ids` last, in that order."""
        last = {name: self.chosen[name] for name in ids if name in self.chosen}
        rest = {name: record for name, record in self.chosen.items() if name not in last}
        return replace(self, chosen={**rest, **last})

    def renewed(self, records: Iterable[Record]) -> "Marks":
        """The marks with newer readings of the marked records."""
        newer = {name: record for name, record in _by_id(records).items() if name in self.chosen}
        return replace(self, chosen={**self.chosen, **newer}) if newer else self


def _in_order(reach: MarkedRange) -> list[Record]:
    """From the anchor on."""
    return [reach.records[row] for row in sorted(reach.records, reverse=reach.end < reach.anchor)]


def _by_id(records: Iterable[Record]) -> dict[str, Record]:
    return {record.id: record for record in records if record.id is not None}
