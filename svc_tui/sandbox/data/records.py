"""Reads and changes records: seeded ones are made when they are looked at, SQLite holds what was changed."""

from array import array
from bisect import bisect_left, insort
from collections.abc import Iterable, Iterator, Mapping, MutableSequence, Sequence
from dataclasses import dataclass
from functools import partial
from heapq import merge
from itertools import islice

from svc_tui.core import jsontext
from svc_tui.core.jsontext import Json, Number
from svc_tui.sandbox.data.database import Database
from svc_tui.sandbox.data.resources import Resource
from svc_tui.sandbox.seeds.record_layout import RecordLayout

_CACHED_FILTERS = 16
_CACHED_POSITIONS = 2_000_000
"""How many positions remembered filters may hold in all, at four bytes each; the latest is remembered anyway."""

Filters = tuple[tuple[str, str], ...]
"""Names of fields and the values they must equal, as text."""

_BODIES = "SELECT position, body FROM changes WHERE collection = ? AND position BETWEEN ? AND ?"
_BODY = "SELECT body FROM changes WHERE collection = ? AND position = ?"
_DELETED = "SELECT position FROM changes WHERE collection = ? AND body IS NULL ORDER BY position"
_LAST = "SELECT max(position) FROM changes WHERE collection = ?"
_UPSERT = "INSERT OR REPLACE INTO changes (collection, position, body) VALUES (?, ?, ?)"


@dataclass(slots=True)
class _Positions:
    """Which positions of a collection hold a record: all below `end` but the `deleted` ones, kept in order."""

    end: int
    deleted: list[int]

    @property
    def total(self) -> int:
        return self.end - len(self.deleted)

    def from_rank(self, rank: int) -> Iterator[int]:
        """The positions from the record of rank `rank` (from 0) on: O(log deleted) to the first."""
        low, high = 0, len(self.deleted)
        while low < high:
            middle = (low + high) // 2
            if self.deleted[middle] - middle > rank:
                high = middle
            else:
                low = middle + 1
        skip = low
        for position in range(rank + low, self.end):
            if skip < len(self.deleted) and self.deleted[skip] == position:
                skip += 1
            else:
                yield position


class Records:
    """The records of every collection, in the order they were made; new ones come last.

    Records travel as JSON text, so a number comes back as it was written. A write counts once the transaction
    that the caller opened on the database is through.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self._positions: dict[str, _Positions] = {}
        self._matches: dict[tuple[str, Filters], MutableSequence[int]] = {}
        self._writes = 0

    def total(self, resource: Resource) -> int:
        """How many records there are."""
        with self._database.reading():
            return self._of(resource).total

    def page(self, resource: Resource, first: int, count: int) -> list[str]:
        """The texts of up to `count` records from rank `first` on."""
        with self._database.reading():
            wanted = list(islice(self._of(resource).from_rank(first), count))
            return self._texts(resource, wanted)

    def matching(self, resource: Resource, filters: Filters, first: int, count: int) -> tuple[list[str], int]:
        """Like `page`, among the records whose fields equal all `filters`; and how many those are.

        An id is looked up. The first search of any other filter looks at every record, outside the lock; what it
        finds is remembered, and kept in step with what is written.
        """
        if (record_id := dict(filters).get("id")) is not None:
            text = self.text(resource, record_id)
            fitting = [] if text is None or not _fits(parse_record(text), filters) else [text]
            return fitting[first : first + count], len(fitting)
        with self._database.reading():
            if (positions := self._matches.get((resource.key, filters))) is not None:
                return self._texts(resource, positions[first : first + count]), len(positions)
            writes, end = self._writes, self._of(resource).end
            changed = self._changed(resource, 0, end)
        positions = _search(resource, filters, end, changed)
        with self._database.reading():
            if self._writes == writes:
                self._remember((resource.key, filters), positions)
            return self._texts(resource, positions[first : first + count]), len(positions)

    def text(self, resource: Resource, record_id: str) -> str | None:
        """A record's text; None if there is no such record."""
        with self._database.reading() as connection:
            position = self._position(resource, record_id)
            if position is None:
                return None
            row = connection.execute(_BODY, (resource.key, position)).fetchone()
            if row is None:
                return jsontext.dumps(resource.seeded(position)) if position < resource.size else None
            stored: str | None = row[0]
            return stored

    def next_id(self, resource: Resource) -> str:
        """The id that the next new record gets."""
        with self._database.reading():
            return resource.id_at(self._of(resource).end)

    def append(self, resource: Resource, record: Mapping[str, Json]) -> str:
        """Stores a new record, whose id is `next_id`; its text."""
        with self._database.transaction() as connection:
            positions = self._of(resource)
            text = jsontext.dumps(record)
            connection.execute(_UPSERT, (resource.key, positions.end, text))
            positions.end += 1
            self._note_write(resource, positions.end - 1, record)
            return text

    def replace(self, resource: Resource, record_id: str, record: Mapping[str, Json]) -> str:
        """Stores a record in place of the one with this id, which must exist; its text."""
        with self._database.transaction() as connection:
            position = self._position(resource, record_id)
            assert position is not None
            text = jsontext.dumps(record)
            connection.execute(_UPSERT, (resource.key, position, text))
            self._note_write(resource, position, record)
            return text

    def delete(self, resource: Resource, record_id: str) -> None:
        """Removes a record, which must exist; its id is not given again."""
        with self._database.transaction() as connection:
            position = self._position(resource, record_id)
            assert position is not None
            connection.execute(_UPSERT, (resource.key, position, None))
            insort(self._of(resource).deleted, position)
            self._note_write(resource, position, None)

    def reset_counts(self) -> None:
        """Forgets what was counted in memory: a transaction did not go through."""
        self._writes += 1
        self._positions.clear()
        self._matches.clear()

    def _position(self, resource: Resource, record_id: str) -> int | None:
        position = resource.position_of(record_id)
        return position if position is not None and position < self._of(resource).end else None

    def _of(self, resource: Resource) -> _Positions:
        counted = self._positions.get(resource.key)
        if counted is None:
            with self._database.reading() as connection:
                last = connection.execute(_LAST, (resource.key,)).fetchone()[0]
                deleted = [row[0] for row in connection.execute(_DELETED, (resource.key,))]
            end = resource.size if last is None else max(resource.size, last + 1)
            counted = self._positions[resource.key] = _Positions(end, deleted)
        return counted

    def _changed(self, resource: Resource, first: int, last: int) -> dict[int, str | None]:
        with self._database.reading() as connection:
            return dict(connection.execute(_BODIES, (resource.key, first, last)).fetchall())

    def _texts(self, resource: Resource, positions: Sequence[int]) -> list[str]:
        if not positions:
            return []
        changed = self._changed(resource, positions[0], positions[-1])
        seeded = {p: jsontext.dumps(resource.seeded(p)) for p in positions if p not in changed and p < resource.size}
        texts = (changed.get(p, seeded.get(p)) for p in positions)
        # None stands for a record deleted since the positions were found, or gone with a reset.
        return [text for text in texts if text is not None]

    def _remember(self, search: tuple[str, Filters], positions: MutableSequence[int]) -> None:
        while self._matches and (
            len(self._matches) >= _CACHED_FILTERS
            or len(positions) + sum(map(len, self._matches.values())) > _CACHED_POSITIONS
        ):
            self._matches.pop(next(iter(self._matches)))
        self._matches[search] = positions

    def _note_write(self, resource: Resource, position: int, record: Mapping[str, Json] | None) -> None:
        """Puts what filters remember in step with a record that was stored, or deleted where it is None."""
        self._writes += 1
        for (key, filters), positions in self._matches.items():
            if key == resource.key:
                place = bisect_left(positions, position)
                matched = place < len(positions) and positions[place] == position
                matches = record is not None and _fits(record, filters)
                if matches and not matched:
                    positions.insert(place, position)
                elif matched and not matches:
                    positions.pop(place)


def parse_record(text: str) -> dict[str, Json]:
    """The record in a stored text."""
    record = jsontext.loads(text)
    assert isinstance(record, dict)
    return record


def _search(resource: Resource, filters: Filters, end: int, changed: Mapping[int, str | None]) -> MutableSequence[int]:
    """The positions below `end` whose records equal all `filters`, in order, four bytes each.

    `changed` holds the text of every record that is not as it was made; None: it was deleted.
    """
    texts = {**{p: jsontext.dumps(resource.seeded(p)) for p in resource.hostile}, **changed}
    apart = sorted(texts)
    fitting = [p for p in apart if (text := texts[p]) is not None and _fits(parse_record(text), filters)]
    return array("I", merge(_search_seeded(resource, filters, _between(apart, end)), fitting))


def _search_seeded(resource: Resource, filters: Filters, positions: Iterable[int]) -> Iterable[int]:
    """Those of the positions whose record as `make` makes it equals all `filters`."""
    rest = dict(filters)
    if isinstance(resource.make, RecordLayout):
        # In the order of the draws: what is drawn soonest is read at the least cost.
        for name in resource.make.draws:
            if name in rest:
                equals = partial(_equals, rest.pop(name))
                positions = resource.make.matching(resource.stream, positions, name, equals, resource.size)
    if not all(resource.rules[name].seeded for name in rest):
        return ()
    if not rest:
        return positions
    return (position for position in positions if _fits(resource.seeded(position), rest.items()))


def _between(apart: Iterable[int], end: int) -> Iterator[int]:
    """The positions below `end` that do not stand `apart`."""
    first = 0
    for position in apart:
        yield from range(first, position)
        first = position + 1
    yield from range(first, end)


def _fits(record: Mapping[str, Json], filters: Iterable[tuple[str, str]]) -> bool:
    return all(name in record and _equals(value, record[name]) for name, value in filters)


def _equals(text: str, value: Json) -> bool:
    """Whether a field's value, as text, is what a filter says."""
    if isinstance(value, str):
        return value == text
    return (value.text if isinstance(value, Number) else jsontext.dumps(value)) == text
