"""Records of many collections that fit what is typed, the best first; a page of them is looked at in each step."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import Enum
from itertools import chain
from typing import Any

from svc_tui.domain.collections.arranged_rows import Arranging
from svc_tui.domain.collections.filters import Filter, SearchableRecord, parse_filter
from svc_tui.domain.collections.search_index import SearchIndex
from svc_tui.domain.collections.sparse_rows import SparseRows
from svc_tui.domain.data.field_path import paths, value_at
from svc_tui.domain.data.folded_text import fold, place_of
from svc_tui.domain.data.search_text import value_text
from svc_tui.domain.model.catalog import Collection
from svc_tui.domain.model.jsontext import Json
from svc_tui.domain.model.records import Page, Place, Record
from svc_tui.domain.search.referring import Referring

MAX_MATCHES = 100
"""Records that are shown at most: who wants another types on."""

_MAX_RANKED = 2_000
"""Matches of which the best are kept, whenever there are more."""

_EXCERPT_CHARACTERS = 16
"""Characters on either side of what was found in a field."""


class Origin(Enum):
    """The place where a searched record is held; the value stands in exported files."""

    UNSENT = "not sent"
    LOADED = "loaded"
    READ = "read"
    JOURNAL = "journal"
    VISITED = "visited"
    INDEX = "index"

    @property
    def label(self) -> str:
        """The word on the screen."""
        return {Origin.UNSENT: "draft", Origin.READ: "loaded", Origin.VISITED: "viewed"}.get(self, self.value)


@dataclass(slots=True, eq=False)
class SearchedRows:
    """The records of one collection that are searched, made ready for it as they are.

    `read_at` tells, by the monotonic clock, when they were read; None where that is not known. `read_times` tells it,
    by their ids, of those that were read at another time.
    """

    collection: Collection
    rows: SparseRows
    origin: Origin
    read_at: float | None = None
    read_times: Mapping[str, float] = field(default_factory=dict)
    index: SearchIndex = field(init=False)

    def __post_init__(self) -> None:
        self.index = SearchIndex(self.rows)

    @classmethod
    def of(cls, collection: Collection, records: Sequence[Record], origin: Origin) -> SearchedRows:
        """A few records that no page holds."""
        rows = SparseRows(max(1, len(records)))
        rows.add(Page(tuple(records), 1, max(1, len(records)), len(records)))
        return cls(collection, rows, origin)


@dataclass(frozen=True, slots=True)
class Excerpt:
    """Where the words stand: the path of the field, and its text around them; what was found is `start` to `end`."""

    path: str
    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True, eq=False)
class Match:
    """A record that fits, and where it is held; a lower `rank` fits better.

    A rank is the kind of fit and where in the record it is, then the order of the source and the row in it.
    """

    rank: tuple[Any, ...]
    source: SearchedRows
    entry: SearchableRecord
    path: str | None = None
    """The field by which it points at what is asked for, where that is a record."""

    @property
    def place(self) -> Place:
        """The place of the record."""
        return Place(self.source.collection, self.entry.record_id)

    @property
    def record(self) -> Record:
        """The record as it is held."""
        return self.entry.record

    @property
    def read_at(self) -> float | None:
        """When it was read, by the monotonic clock; None where that is not known."""
        return self.source.read_times.get(self.entry.record_id or "", self.source.read_at)

    def excerpt(self, record: Record, text: str) -> Excerpt | None:
        """Where in its record, as that may be shown, what was sought stands; None: nowhere that can be seen.

        `text` is what was typed, or the id that the record points at.
        """
        return excerpt_of(record, text) if self.path is None else excerpt_at(record, self.path, text)


def count_held(sources: Iterable[SearchedRows]) -> int:
    """How many records the sources hold; one that several hold counts once."""
    by_collection: dict[str, list[SparseRows]] = {}
    for source in sources:
        by_collection.setdefault(source.collection.key, []).append(source.rows)
    return sum(
        parts[0].cached if len(parts) == 1 else len(set().union(*(rows.identities() for rows in parts)))
        for parts in by_collection.values()
    )


class RecordSearch:
    """One search for `text`, which is a filter as in a table: words, and terms such as `massKg>3000`.

    A field that a collection does not have is a word there. One that is left unfinished is no loss: the next goes on
    from what it made ready.
    """

    def __init__(
        self,
        sources: Iterable[SearchedRows],
        text: str,
        referring: Referring | None = None,
        *,
        more: bool = False,
        most: int = MAX_MATCHES,
        now: datetime | None = None,
    ) -> None:
        """Begin; where a record is held by several sources, it is found in the first of them.

        With `referring`, those are found that point at a record, and `text` narrows them. `more`: others follow, which
        may hold the same records. `most` are given as the best. `now` is the time, in the zone of the user.
        """
        self._most, self._now = most, now
        self.problems: list[str] = []
        """For each source in which the text compares something: why nothing in it can match, "" where something can."""
        self._referring, self._text = referring, text
        self._matches: list[Match] = []
        arranged = [self._arranging(source) for source in sources]
        self._source_count = len(arranged)
        self._steps: Iterator[bool] = self._work(arranged, 0)
        self.done = False
        """Whether all records were looked at."""
        self.count = 0
        """How many records fit, of those looked at so far; one that several sources hold counts once."""
        held = Counter(source.collection.key for source, _ in arranged)
        self._counted: dict[str, set[str]] = {key: set() for key, count in held.items() if more or count > 1}
        """The ids of the records that were counted, for each collection that several sources hold, or may."""

    def extend(self, sources: Iterable[SearchedRows]) -> None:
        """Search these as well, which hold what is older than that of those before."""
        more = [self._arranging(source) for source in sources]
        for source, _ in more:
            self._counted.setdefault(source.collection.key, set())
        self._steps, self.done = chain(self._steps, self._work(more, self._source_count)), False
        self._source_count += len(more)

    def forget(self, sources: Iterable[SearchedRows]) -> None:
        """Leave out what was found in these: what came since is newer. What was counted stays counted."""
        gone = set(sources)
        self._matches = [match for match in self._matches if match.source not in gone]

    def _arranging(self, source: SearchedRows) -> tuple[SearchedRows, Arranging]:
        return source, Arranging(source.index, self._wanted(source, self._text), None)

    def _wanted(self, source: SearchedRows, text: str) -> Filter:
        wanted = parse_filter(text, source.rows.field_names, self._now)
        return wanted if self._referring is None else self._referring.narrowed(wanted)

    def step(self) -> bool:
        """Look at one more page; gives whether there was one."""
        self.done = not next(self._steps, False)
        return not self.done

    def _work(self, sources: Sequence[tuple[SearchedRows, Arranging]], first: int) -> Iterator[bool]:
        for order, (source, arranging) in enumerate(sources, first):
            wanted = arranging.filter
            ranks = _Ranks(wanted)
            while arranging.step():
                if wanted:
                    self._take(source, order, ranks, arranging.latest)
                yield True
            if arranging.compared:
                self.problems.append(arranging.compared.problem)

    def _take(self, source: SearchedRows, order: int, ranks: _Ranks, entries: Sequence[SearchableRecord]) -> None:
        if self._referring is None:
            matches = [Match((*ranks.of(entry), order, entry.row), source, entry) for entry in entries]
        else:
            matches = [
                Match((0, 0, order, path, entry.row), source, entry, path)
                for entry, path in self._referring.pointing(source.collection, entries)
            ]
        self.count += self._new(source.collection, matches)
        # What nothing addresses can't be gone to.
        self._matches += [match for match in matches if match.entry.record_id is not None]
        if len(self._matches) > max(_MAX_RANKED, 2 * self._most):
            self._matches = self.best()

    def _new(self, collection: Collection, matches: Sequence[Match]) -> int:
        """How many of these were not counted yet."""
        counted = self._counted.get(collection.key)
        if counted is None:
            return len(matches)
        ids = [match.entry.record_id for match in matches]
        before = len(counted)
        counted.update(record_id for record_id in ids if record_id is not None)
        return len(counted) - before + ids.count(None)

    def best(self) -> list[Match]:
        """The records that fit best, of those looked at so far: at most as many as are wanted, each once."""
        best: dict[tuple[str, str | None], Match] = {}
        for match in sorted(self._matches, key=_rank_of):
            if len(best) == self._most:
                break
            key = match.source.collection.key, match.entry.record_id
            held = best.get(key)
            if held is None:
                best[key] = match
            elif match.rank[2] < held.rank[2]:
                # It fits a little less there, but that is the newer reading, or what the user made of it.
                best[key] = replace(match, rank=held.rank)
        return list(best.values())


def common_problem(problems: Sequence[str]) -> str:
    """Return why a comparison can match nothing, where that holds for all sources; "" otherwise."""
    return problems[0] if problems and all(problems) else ""


def _rank_of(match: Match) -> tuple[Any, ...]:
    return match.rank


class _Ranks:
    """How well records fit a filter, by where in them its words stand."""

    def __init__(self, wanted: Filter) -> None:
        self._phrase = " ".join(wanted.words)
        # A state is the whole value of a thousand records; a serial number or an address, that of one.
        self._names_one = any(character.isdigit() or character == "@" for character in self._phrase)

    def of(self, entry: SearchableRecord) -> tuple[int, int]:
        """The rank of a record: its id, a reference, the beginning of a value, of a word, anywhere; the first first."""
        phrase = self._phrase
        if not phrase:
            return 5, 0
        record_id, text = fold(entry.record_id or ""), f"\n{entry.text}\n"
        if record_id == phrase:
            return 0, 0
        if self._names_one and (at := text.find(f"\n{phrase}\n")) >= 0:
            return 1, at
        if record_id.startswith(phrase):
            return 2, 0
        if (at := text.find(f"\n{phrase}")) >= 0:
            return 2, at
        if (at := text.find(f" {phrase}")) >= 0:
            return 3, at
        at = text.find(phrase)
        return (4, at) if at >= 0 else (5, 0)


def excerpt_at(record: Record, path: str, text: str) -> Excerpt | None:
    """The value at `path`, `text` being what was found in it."""
    return _excerpt(record.fields, path, fold(text))


def excerpt_of(record: Record, text: str) -> Excerpt | None:
    """Where what the filter `text` asks for stands in a record: its terms first, then the words; None: in no field."""
    fields = record.fields
    wanted = parse_filter(text, {path.casefold(): path for path in paths(fields)})
    for term in wanted.terms:
        if term.field and term.value and not term.inverted:
            return _excerpt(fields, term.field, fold(term.value)) or _beginning(fields, term.field)
    for word in dict.fromkeys((" ".join(wanted.words), *wanted.words)):
        for path in paths(fields) if word else ():
            if (excerpt := _excerpt(fields, path, word)) is not None:
                return excerpt
    return None


def _excerpt(fields: Mapping[str, Json], path: str, word: str) -> Excerpt | None:
    value = value_at(fields, path)
    if isinstance(value, Mapping):
        # What is inside an object has a path of its own.
        return None
    text = value_text(value)
    if (place := place_of(text, word)) is None:
        return None
    start, end = max(0, place[0] - _EXCERPT_CHARACTERS), place[1] + _EXCERPT_CHARACTERS
    before = "…" if start else ""
    moved = len(before) - start
    shown = f"{before}{text[start:end]}{'…' if end < len(text) else ''}"
    return Excerpt(path, shown, place[0] + moved, place[1] + moved)


def _beginning(fields: Mapping[str, Json], path: str) -> Excerpt:
    return Excerpt(path, value_text(value_at(fields, path))[: 2 * _EXCERPT_CHARACTERS], 0, 0)
