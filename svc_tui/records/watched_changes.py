"""Watching records: what one reading of them tells that the one before did not, and what is still worth marking."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TypeAlias

from msgspec import Struct, field

from svc_tui.core.field_path import paths, value_at
from svc_tui.core.jsontext import Absent, same_json
from svc_tui.core.records import Record
from svc_tui.core.values import replace

Pages: TypeAlias = Mapping[int, Sequence[Record]]
"""Records by the number of their page."""

_MARK_ROUNDS = 2
"""Rounds: what one round finds is marked until the round after the next has ended."""


class RowChanges(Struct, frozen=True):
    """By the record's id: the paths of fields that have changed, records that have come, records that have gone."""

    changed: Mapping[str, frozenset[str]] = field(default_factory=dict)
    new: frozenset[str] = frozenset()
    missing_ids: frozenset[str] = frozenset()

    def __bool__(self) -> bool:
        return bool(self.changed or self.new or self.missing_ids)

    def sign(self, record_id: str | None, path: str, *, first: bool) -> str:
        """The sign of a cell: `~` for a changed field; `+` for a new record, in the `first` of its cells alone."""
        if record_id is None:
            return ""
        if record_id in self.new:
            return "+" if first else ""
        return "~" if path in self.changed.get(record_id, ()) else ""

    def __or__(self, later: "RowChanges") -> "RowChanges":
        changed = dict(self.changed)
        for record_id, names in later.changed.items():
            changed[record_id] = changed.get(record_id, frozenset()) | names
        return RowChanges(
            changed, (self.new | later.new) - later.missing_ids, (self.missing_ids | later.missing_ids) - later.new
        )


class CollectionWatch(Struct, frozen=True):
    """The user watches a collection: what the latest rounds found, and what the one under way began with."""

    rounds: tuple[RowChanges, ...] = ()
    before: Pages = field(default_factory=dict)

    @property
    def under_way(self) -> bool:
        """Whether a round has begun and not ended."""
        return bool(self.before)

    @property
    def news(self) -> RowChanges:
        """What to mark."""
        changes = RowChanges()
        for one in self.rounds:
            changes |= one
        return changes

    def begin(self, pages: Pages) -> "CollectionWatch":
        """A round begins: `pages` are what it reads again, as they are shown now."""
        return replace(self, before=dict(pages))

    def ended(self, pages: Pages, last: int | None) -> "CollectionWatch":
        """The round has ended: `pages` as they were read, `last` the number of the last page where that is known."""
        changes = row_changes(self.before, pages, last)
        return CollectionWatch((*self.rounds, changes)[-_MARK_ROUNDS:])


def row_changes(before: Pages, after: Pages, last: int | None = None) -> RowChanges:
    """What `after` tells of the pages in `before`; `last` is the number of the last page where that is known.

    Where rows come or go before a page, others move into it or out of it at its edges: those are neither new nor gone.
    Only what happened between records that are still there, or at an end of the collection, is told.
    """
    changes = RowChanges()
    for run in _consecutive_runs(before):
        was = [record for number in run for record in before[number]]
        now = [record for number in run for record in after.get(number, ())]
        changes |= _compare(was, now, from_start=run[0] == 1, to_end=last is not None and run[-1] >= last)
    return changes


def _consecutive_runs(numbers: Iterable[int]) -> Iterator[list[int]]:
    """The numbers in order, those that follow on each other together."""
    run: list[int] = []
    for number in sorted(numbers):
        if run and number != run[-1] + 1:
            yield run
            run = []
        run.append(number)
    if run:
        yield run


def _compare(before: Sequence[Record], after: Sequence[Record], *, from_start: bool, to_end: bool) -> RowChanges:
    was, now = _by_id(before), _by_id(after)
    changed = {
        record_id: names
        for record_id, record in now.items()
        if record_id in was and (names := frozenset(_changed_ids(was[record_id], record)))
    }
    new = _compare_between(list(now), was, from_start=from_start, to_end=to_end)
    missing_ids = _compare_between(list(was), now, from_start=from_start, to_end=to_end)
    return RowChanges(changed, new, missing_ids)


def _by_id(records: Iterable[Record]) -> dict[str, Record]:
    return {record.id: record for record in records if record.id is not None}


def _compare_between(
    ids: Sequence[str], others: Mapping[str, Record], *, from_start: bool, to_end: bool
) -> frozenset[str]:
    """The ids that `others` lack, but for those before the first that it has, and after the last."""
    common = [at for at, record_id in enumerate(ids) if record_id in others]
    first = -1 if from_start else common[0] if common else len(ids)
    end = len(ids) if to_end else common[-1] if common else -1
    return frozenset(record_id for at, record_id in enumerate(ids) if first < at < end and record_id not in others)


def _changed_ids(before: Record, after: Record) -> Iterator[str]:
    for path in dict.fromkeys((*paths(before.fields), *paths(after.fields))):
        was, now = value_at(before.fields, path), value_at(after.fields, path)
        if isinstance(was, Absent) or isinstance(now, Absent):
            if was != now:
                yield path
        elif not same_json(was, now):
            yield path
