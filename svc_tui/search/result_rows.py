"""Records that were found, as rows of one file or one table, although they are of several collections."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime

from msgspec import Struct

from svc_tui.core.durations import age_words
from svc_tui.core.field_path import value_at
from svc_tui.core.jsontext import Absent, Json, dumps
from svc_tui.core.kinds import Kind
from svc_tui.core.ordering import SortKey, sort_key
from svc_tui.core.phrases import counted
from svc_tui.core.records import Record
from svc_tui.core.views import Sort
from svc_tui.records.columns import Column
from svc_tui.search.record_search import Match
from svc_tui.search.sources import Origin

_ORIGIN_WORDS: Mapping[Origin, Callable[[int], str]] = {
    Origin.UNSENT: lambda count: counted(count, "draft"),
    Origin.JOURNAL: lambda count: f"{count:,} from the journal",
    Origin.VISITED: lambda count: f"{count:,} viewed",
}
"""Origins of which nobody can say when the service said so."""


class MarkedMatches:
    """The matches that the user has marked, by their place, however else was searched since."""

    def __init__(self) -> None:
        self._matches: dict[tuple[str, str | None], Match] = {}

    def __len__(self) -> int:
        return len(self._matches)

    def __contains__(self, match: Match) -> bool:
        return _place_key(match) in self._matches

    def toggle(self, match: Match) -> None:
        """Mark it, or take its mark away."""
        if self._matches.pop(_place_key(match), None) is None:
            self._matches[_place_key(match)] = match

    def take_in(self, matches: Iterable[Match]) -> None:
        """Hold those of these that are marked as they were found now: they may have been read again."""
        for match in matches:
            if match in self:
                self._matches[_place_key(match)] = match

    def ordered(self, shown: Sequence[Match]) -> list[Match]:
        """The marked ones: those among `shown` in the order there, then the others as they were marked."""
        order = {_place_key(match): at for at, match in enumerate(shown)}
        return sorted(self._matches.values(), key=lambda match: order.get(_place_key(match), len(order)))


def _place_key(match: Match) -> tuple[str, str | None]:
    return match.source.collection.key, match.record.id


# Files


def export_rows(found: Sequence[tuple[Match, Record]], moment: Callable[[float], datetime]) -> list[Record]:
    """A row for each match, its record being as it may be handed out: whose it is and how it is held, then its fields.

    `_collection` is the record's collection, `_held` where it is held, `_readAt` when it was read, null where nobody
    knows; a field of a record that is called so keeps its name, and ours gets one more `_`. `moment` gives the time of
    day of one by the monotonic clock.
    """
    taken = {name for _, record in found for name in record.fields}
    collection, held, read_at = (_free_name(name, taken) for name in ("_collection", "_held", "_readAt"))
    return [
        Record(
            {
                collection: match.source.collection.key,
                held: match.source.origin.value,
                read_at: None if match.read_at is None else _utc_text(moment(match.read_at)),
                **record.fields,
            }
        )
        for match, record in found
    ]


def _free_name(name: str, taken: set[str]) -> str:
    while name in taken:
        name = f"_{name}"
    return name


def _utc_text(moment: datetime) -> str:
    return f"{moment.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}"


def held_words(matches: Sequence[Match], now: float) -> str:
    """How old what is held of them is, and how much is no reading: `loaded up to 4 min ago, 1 draft`."""
    others = Counter(match.source.origin for match in matches)
    words = [_ORIGIN_WORDS[origin](others[origin]) for origin in _ORIGIN_WORDS if others[origin]]
    if ages := [now - match.read_at for match in matches if match.read_at is not None]:
        age = age_words(max(ages))
        words.insert(0, f"loaded up to {age} ago" if age else "loaded just now")
    return ", ".join(words) or "loaded"


# Tables

COLUMNS = (
    Column("collection", Kind.TEXT, 0),
    Column("id", Kind.ID, 0),
    Column("label", Kind.TEXT, 0),
    Column("field", Kind.TEXT, 0),
    Column("value", Kind.TEXT, 0),
    Column("from", Kind.TEXT, 0),
    Column("age", Kind.TEXT, 0),
)
"""The columns of a table of matches, as wide as their names."""

GIVING_WAY = ("label", "value")
"""The columns that get narrower where room is short."""


class ResultRow(Struct, frozen=True):
    """A match, what a table shows of it by the names of `COLUMNS`, and how many seconds ago it was read."""

    match: Match
    cells: Record
    age: float | None

    @classmethod
    def of(cls, match: Match, record: Record, text: str, now: float) -> "ResultRow":
        """The row of a match; `record` is its record as it may be shown, the others are as for `Match.excerpt`."""
        age = None if match.read_at is None else now - match.read_at
        cells: dict[str, Json] = {
            "collection": match.source.collection.name,
            "id": match.record.id or "",
            "from": match.source.origin.label,
        }
        if record.label:
            cells["label"] = record.label
        if (excerpt := match.excerpt(record, text)) is not None:
            cells["field"] = excerpt.path
            value = value_at(record.fields, excerpt.path)
            if not isinstance(value, Absent):
                cells["value"] = dumps(value) if isinstance(value, list | Mapping) else value
        if age is not None:
            cells["age"] = age_words(age) or "now"
        return cls(match, Record(cells), age)

    def sort_key(self, field: str) -> SortKey | tuple[float] | None:
        """What the row is compared by in the column of that name; None: it has nothing there."""
        if field == "age":
            return None if self.age is None else (self.age,)
        return sort_key(self.cells.fields.get(field))


def sorted_rows(rows: Sequence[ResultRow], sort: Sort | None) -> list[ResultRow]:
    """The rows in that order, equal ones as they stand, those with nothing to compare last; None: as they are."""
    if sort is None:
        return list(rows)
    keyed = [(row.sort_key(sort.field), row) for row in rows]
    with_key = sorted(
        ((key, row) for key, row in keyed if key is not None), key=lambda one: one[0], reverse=sort.descending
    )
    return [row for _, row in with_key] + [row for key, row in keyed if key is None]
