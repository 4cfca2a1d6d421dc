"""Searching an index: what a typed line asks of it, and the records it gives, ready for `RecordSearch`."""

from collections import defaultdict
from collections.abc import AsyncGenerator, Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from svc_tui.domain.collections.filters import Filter, Term, parse_filter
from svc_tui.domain.data.folded_text import fold
from svc_tui.domain.model.catalog import Collection
from svc_tui.domain.model.jsontext import JsonError, Number
from svc_tui.domain.search.record_index import Comparison, Conditions, FindsRecords, IndexedRecord, IndexStatus
from svc_tui.domain.search.record_search import Origin, SearchedRows
from svc_tui.domain.search.referring import Referring

MIN_CHARACTERS = 3
"""Characters of a text that is looked up; a shorter one is looked for in every record."""

_BATCH = 200
"""Records that are asked for at a time."""

_FIRST_BATCH = 100
"""Those that are asked for first, since no more are shown: most searches end there."""

_ESCAPED = frozenset('"\\\x7f') | frozenset(map(chr, range(32)))
"""Characters that stand otherwise inside the JSON of a nested value."""


@dataclass(frozen=True, slots=True)
class IndexSearch:
    """A search of the index for what is typed.

    `clock` gives the monotonic time of a moment. `collections` are those that may be found, by their keys.
    """

    index: FindsRecords
    status: IndexStatus
    collections: Mapping[str, Collection]
    clock: Callable[[datetime], float]

    async def batches(
        self, text: str, referring: Referring | None = None, *, best_first: bool = True
    ) -> AsyncGenerator[Sequence[SearchedRows], None]:
        """Records that may fit, for a closer look, those that are likely to fit best first; some may come twice.

        Not `best_first`: the newest in the index first, each once.
        """
        for conditions, first in self._asked(text, referring):
            if first and not best_first:
                continue
            before: int | None = None
            while True:
                candidates = await self.index.find(conditions, before, _FIRST_BATCH if before is None else _BATCH)
                yield self._rows(candidates.records)
                before = candidates.rest
                if before is None or first:
                    break

    def _asked(self, text: str, referring: Referring | None) -> Iterator[tuple[Conditions, bool]]:
        """What is asked, one after the other, and whether only the beginning of the answer is wanted."""
        groups: dict[tuple[frozenset[str], tuple[Comparison, ...]], set[str]] = defaultdict(set)
        phrase = ""
        for key in self.collections:
            wanted = parse_filter(text, self._field_names(key))
            if referring is None:
                phrase = " ".join(wanted.words)
            else:
                wanted = referring.narrowed(wanted)
            if wanted:
                groups[texts_of(wanted), comparisons_of(wanted)].add(key)
        # An id that begins with it, a value that is all of it, then the beginning of one, then anything.
        for (texts, comparisons), keys in groups.items():
            if phrase:
                yield Conditions(frozenset(keys), texts, comparisons, phrase), True
        best = (f"\n{phrase}\n", f"\n{phrase}") if phrase else ()
        for likely in best:
            for (texts, comparisons), keys in groups.items():
                if len(likely) >= MIN_CHARACTERS:
                    yield Conditions(frozenset(keys), texts | {likely}, comparisons), True
        for (texts, comparisons), keys in groups.items():
            yield Conditions(frozenset(keys), texts, comparisons), False

    def _field_names(self, key: str) -> Mapping[str, str]:
        return {path.casefold(): path for path in self.status.of(key).fields}

    def _rows(self, records: Iterable[IndexedRecord]) -> Sequence[SearchedRows]:
        parts: dict[str, list[IndexedRecord]] = {}
        for indexed in records:
            parts.setdefault(indexed.collection, []).append(indexed)
        return [self._searched(key, part) for key, part in parts.items() if key in self.collections]

    def _searched(self, key: str, part: Sequence[IndexedRecord]) -> SearchedRows:
        searched = SearchedRows.of(self.collections[key], [indexed.record for indexed in part], Origin.INDEX)
        # Also those that none of these few records has.
        searched.rows.field_names.update(self._field_names(key))
        searched.read_times = {indexed.record.id or "": self.clock(indexed.read_at) for indexed in part}
        return searched


def texts_of(wanted: Filter) -> frozenset[str]:
    """Texts that every record holds which the filter lets through: those long enough to be looked up."""
    texts = (fold(term.value) for term in wanted.terms if _is_text(term))
    return frozenset(text for text in texts if len(text) >= MIN_CHARACTERS)


def comparisons_of(wanted: Filter) -> tuple[Comparison, ...]:
    """The comparisons with numbers that every record fits which the filter lets through."""
    found = []
    for term in wanted.terms:
        if term.field and not term.inverted and term.operator in (">", ">=", "<", "<=") and '"' not in term.field:
            number = _number(term.value)
            if number is not None:
                found.append(Comparison(term.field, term.operator, number))
    return tuple(found)


def _is_text(term: Term) -> bool:
    """Whether the term's value stands in the text of every record that the term lets through."""
    if term.inverted or term.operator not in (":", "=") or term.moment is not None:
        return False
    if term.operator == "=" and _number(term.value) is not None:
        # The same number may be written otherwise.
        return False
    nested = "." in term.field or "[" in term.field
    return not (nested and _ESCAPED.intersection(term.value))


def _number(text: str) -> float | None:
    try:
        return float(Number(text).text)
    except JsonError:
        return None
