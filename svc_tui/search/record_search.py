"""Records of many collections that fit what is typed, the best first; a page of them is looked at in each step."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from msgspec import Struct

from svc_tui.core.catalog import Collection
from svc_tui.core.field_path import paths, value_at
from svc_tui.core.filters import Filter, FoundRow, comparison_problem, parse_filter
from svc_tui.core.folded_text import fold, place_of, value_text
from svc_tui.core.jsontext import Json
from svc_tui.core.records import Place, Record
from svc_tui.search.referring import Referring
from svc_tui.search.sources import SearchedRows

MAX_MATCHES = 100
"""Records that are shown at most: who wants another types on."""

MAX_REFERENCES = 500
"""References to a record that are shown at most."""

_MAX_RANKED = 2_000
"""Matches of which the best are kept, whenever there are more."""

_EXCERPT_CHARACTERS = 16
"""Characters on either side of what was found in a field."""


class Excerpt(Struct, frozen=True):
    """Where the words stand: the path of the field, and its text around them; what was found is `start` to `end`."""

    path: str
    text: str
    start: int
    end: int


class Match(Struct, frozen=True, eq=False):
    """A record that matches, and the source that it was found in."""

    source: SearchedRows
    record: Record
    path: str | None = None
    """The field by which it refers to the record whose referrers are wanted."""

    @property
    def place(self) -> Place:
        """The place of the record."""
        return Place(self.source.collection, self.record.id)

    @property
    def read_at(self) -> float | None:
        """When it was read, by the monotonic clock; None where that is not known."""
        return self.source.read_at_of(self.record)

    def excerpt(self, record: Record, text: str) -> Excerpt | None:
        """Where in its record, as that may be shown, what was sought stands; None: nowhere that can be seen.

        `text` is what was typed, or the id that the record points at.
        """
        return excerpt_of(record, text) if self.path is None else excerpt_at(record, self.path, text)


class _Candidate(NamedTuple):
    """A row that matches; a lower `rank` is better.

    A rank is the kind of match and where in the record it is, then the order of the source and the row in it.
    """

    rank: tuple[Any, ...]
    source: SearchedRows
    found: FoundRow
    path: str | None = None


def count_held(sources: Iterable[SearchedRows]) -> int:
    """How many records the sources hold; one that several hold counts once."""
    by_collection: dict[str, list[SearchedRows]] = {}
    for source in sources:
        by_collection.setdefault(source.collection.key, []).append(source)
    return sum(
        parts[0].count if len(parts) == 1 else len(set().union(*(source.identities() for source in parts)))
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
        most: int | None = MAX_MATCHES,
        now: datetime | None = None,
    ) -> None:
        """Begin; where a record is held by several sources, it is found in the first of them.

        With `referring`, those are found that point at a record, and `text` narrows them. `most` are given as the best,
        None: all. `now` is the time, in the zone of the user.
        """
        self._most, self._now = most, now
        self.problems: list[str] = []
        """For each source in which the text compares something: why nothing in it can match, "" where something can."""
        self._referring, self._text = referring, text
        self._candidates: list[_Candidate] = []
        searched = [(source, self._wanted(source)) for source in sources]
        self._steps: Iterator[bool] = self._work(searched)
        self.done = False
        """Whether all records were looked at."""
        self.count = 0
        """How many records match, of those looked at so far; one that several sources hold counts once."""
        self.is_cut = False
        """Whether a source has more matches than were looked for."""
        held = Counter(source.collection.key for source, _ in searched)
        self.references: Counter[tuple[Collection, str]] = Counter()
        """How many of them refer to the record, by their collection and the path of the field."""
        self._counted: dict[str, set[str]] = {key: set() for key, count in held.items() if count > 1}
        """The ids of the records that were counted, for each collection that several sources hold."""

    def _wanted(self, source: SearchedRows) -> Filter:
        wanted = parse_filter(self._text, source.field_names, self._now)
        return wanted if self._referring is None else self._referring.narrowed(wanted, source.collection)

    def step(self) -> bool:
        """Look at some more rows; gives whether there were any."""
        self.done = not next(self._steps, False)
        return not self.done

    def _work(self, sources: Sequence[tuple[SearchedRows, Filter]]) -> Iterator[bool]:
        for order, (source, wanted) in enumerate(sources):
            ranks, count, most = _Ranks(wanted), self.count, source.max_matches
            for found in source.found(wanted) if wanted else ():
                self._take(source, order, ranks, found)
                yield True
                if most is not None and self.count - count >= most:
                    self.is_cut = True
                    break
            compared = [term.field for term in wanted.terms if term.compares]
            if compared and self.count == count:
                for path in compared:
                    for _ in source.prepare(path):
                        yield True
            if compared:
                self.problems.append(comparison_problem(wanted, source.kinds) if self.count == count else "")

    def _take(self, source: SearchedRows, order: int, ranks: _Ranks, found: Sequence[FoundRow]) -> None:
        if self._referring is None:
            matches = [_Candidate((*ranks.of(row), order, row.position), source, row) for row in found]
        else:
            matches = [
                _Candidate((0, 0, order, path, row.position), source, row, path)
                for row, path in self._referring.pointing(source, found)
            ]
        new = self._new(source.collection, matches)
        self.count += len(new)
        self.references.update((source.collection, match.path) for match in new if match.path is not None)
        # What nothing addresses can't be gone to.
        self._candidates += [match for match in matches if match.found.record_id is not None]
        if self._most is not None and len(self._candidates) > max(_MAX_RANKED, 2 * self._most):
            self._candidates = self._best()

    def _new(self, collection: Collection, matches: Sequence[_Candidate]) -> Sequence[_Candidate]:
        """Those of these that were not counted yet."""
        counted = self._counted.get(collection.key)
        if counted is None:
            return matches
        new: list[_Candidate] = []
        for match in matches:
            if (record_id := match.found.record_id) is None or record_id not in counted:
                new.append(match)
                if record_id is not None:
                    counted.add(record_id)
        return new

    def best(self) -> list[Match]:
        """The records that match best, of those looked at so far: at most as many as are wanted, each once."""
        return _matches(self._best())

    def take(self) -> list[Match]:
        """The records that match, found since this was called last, in no order of merit."""
        found, self._candidates = self._candidates, []
        return _matches(found)

    def _best(self) -> list[_Candidate]:
        best: dict[tuple[str, str | None], _Candidate] = {}
        for match in sorted(self._candidates, key=lambda one: one.rank):
            if len(best) == self._most and self._referring is None:
                break
            key = match.source.collection.key, match.found.record_id
            held = best.get(key)
            if held is None:
                best[key] = match
            elif match.source is held.source and match.found.position > held.found.position:
                # An index has the record again, under a later number: it has changed during the search.
                best[key] = match._replace(rank=held.rank)
            elif match.rank[2] < held.rank[2]:
                # It matches a little less there, but that is the newer reading, or what the user made of it.
                best[key] = match._replace(rank=held.rank)
        matches = list(best.values())
        if self._referring is None or self._most is None:
            return matches
        # Many references of one kind leave room for the others.
        groups = [(match.source.collection.key, match.path) for match in matches]
        sizes = Counter(groups)
        left = dict(zip(sizes, _share_out(self._most, list(sizes.values())), strict=True))
        listed: list[_Candidate] = []
        for match, group in zip(matches, groups, strict=True):
            if left[group]:
                left[group] -= 1
                listed.append(match)
        return listed


def _share_out(most: int, sizes: Sequence[int]) -> list[int]:
    """Return how many of each group are listed if `most` are: small groups whole, the others as many each."""
    shares = [0] * len(sizes)
    left = most
    for done, at in enumerate(sorted(range(len(sizes)), key=sizes.__getitem__)):
        shares[at] = min(sizes[at], left // (len(sizes) - done))
        left -= shares[at]
    return shares


def _matches(found: Iterable[_Candidate]) -> list[Match]:
    records = ((one, one.source.record(one.found.position)) for one in found)
    return [Match(one.source, record, one.path) for one, record in records if record is not None]


def common_problem(problems: Sequence[str]) -> str:
    """Return why a comparison can match nothing, where that holds for all sources; "" otherwise."""
    return problems[0] if problems and all(problems) else ""


class _Ranks:
    """How well records fit a filter, by where in them its words stand."""

    def __init__(self, wanted: Filter) -> None:
        self._phrase = " ".join(wanted.words)
        # A state is the whole value of a thousand records; a serial number or an address, that of one.
        self._names_one = any(character.isdigit() or character == "@" for character in self._phrase)

    def of(self, found: FoundRow) -> tuple[int, int]:
        """The rank of a record: its id, a reference, the beginning of a value, of a word, anywhere; the first first."""
        phrase = self._phrase
        if not phrase:
            return 5, 0
        record_id, text = fold(found.record_id or ""), found.text
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
