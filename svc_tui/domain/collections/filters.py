"""What a filter line means, and which records it lets through.

`status:open massKg>10 !note:damp "north face"`: terms that must all hold. A bare word is looked for in every field;
`field:text` in one, `field=text` is all of it, `field:` finds what is empty, `>`, `>=`, `<`, `<=` compare numbers,
times and texts, `updatedAt>1h` and `updatedAt>today` with a moment, `updatedAt=today` with a day; `!` in front inverts.
Case makes no difference, nor do accents where a text is looked for. A term that is still being typed lets all through.
"""

import operator
import re
from collections.abc import Callable, Container, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import chain
from typing import Any, TypeAlias, TypeVar

from svc_tui.domain.collections.page_records import PageRecords
from svc_tui.domain.data.field_path import value_at
from svc_tui.domain.data.folded_text import fold, place_of
from svc_tui.domain.data.ordering import FLAG, NESTED, NUMBER, TEXT, TIME, SortKey, sort_key
from svc_tui.domain.data.search_text import fold_value, search_text, value_text
from svc_tui.domain.data.since import DAYS, parse_since
from svc_tui.domain.model.absent import Absent
from svc_tui.domain.model.jsontext import Json, JsonError, Number
from svc_tui.domain.model.records import Record

_TERM = re.compile(r'(?:[^\s"]+|"[^"]*"?)+')
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}(-[0-9]{2}([T ][0-9]{2}(:[0-9]{2}(:[0-9]{2})?)?)?)?")
_EARLIEST_TIME = "0000-01-01T00:00:00Z"
"""What a time that is written in part is filled up with."""

_FIELD = re.compile(r"([^:=<>!\"]+)(:|!=|>=|<=|=|>|<)(.*)", re.DOTALL)

_COMPARISONS: Mapping[str, Callable[[Any, Any], bool]] = {
    ">": operator.gt,
    ">=": operator.ge,
    "<": operator.lt,
    "<=": operator.le,
}

_EXCERPT_CHARACTERS = 12
"""Characters on either side of what was found."""

_T = TypeVar("_T")

_MAX_PATHS = 4
"""Paths whose values are kept at hand for each page, as somebody types on."""


class SearchableValues:
    """The values of some records by path; those of the paths that were asked for last are kept, as one types on."""

    __slots__ = ("_keys", "_values", "records")

    def __init__(self, records: PageRecords) -> None:
        self.records = records
        self._values: dict[str, list[Json | Absent]] = {}
        self._keys: dict[str, list[SortKey | None]] = {}

    def at(self, path: str) -> list[Json | Absent]:
        """The value at `path` of each record."""
        if (values := self._values.get(path)) is None:
            values = self.records.values(path)
            _keep(self._values, path, values)
        return values

    def keys(self, path: str) -> list[SortKey | None]:
        """What each value at `path` is compared by."""
        if (keys := self._keys.get(path)) is None:
            keys = [sort_key(value) for value in self.at(path)]
            _keep(self._keys, path, keys)
        return keys


def _keep(columns: dict[str, _T], path: str, column: _T) -> None:
    if len(columns) == _MAX_PATHS:
        del columns[next(iter(columns))]
    columns[path] = column


@dataclass(slots=True, eq=False)
class SearchableRecord:
    """A record made ready to be searched: `row` is where it stands in the collection, `text` all its values folded.

    Its values are those at `place` of `values`, which it shares with others of its page.
    """

    row: int
    record_id: str | None
    text: str
    values: SearchableValues
    place: int

    @property
    def record(self) -> Record:
        """The record itself."""
        return self.values.records[self.place]

    def key(self, path: str) -> SortKey | None:
        """What the value at `path` is compared by."""
        return self.values.keys(path)[self.place]

    @classmethod
    def of(cls, row: int, record: Record) -> "SearchableRecord":
        """The record at `row`, ready to be searched."""
        return cls(row, record.id, search_text(record.fields), SearchableValues(PageRecords((record,))), 0)


Choice: TypeAlias = Callable[[list[SearchableRecord]], list[SearchableRecord]]
"""Gives those of some entries that are let through, in their order."""


@dataclass(frozen=True, slots=True)
class Term:
    """One condition: `field` "" means any; `operator` one of `:`, `=`, `!=`, `<`, `<=`, `>`, `>=`.

    `value` is folded where it is looked for, with `:`; with the others it has its accents, and no capitals. `moment` is
    the time that it means for a time it is compared with, where it is one such as `1h` or `today`; with `=` and `!=` it
    is the beginning of a day.
    """

    field: str
    operator: str
    value: str
    inverted: bool = False
    moment: datetime | None = None

    @property
    def operands(self) -> dict[int, Any]:
        """What the value is compared with, by kind; unlike things are not compared: no text is greater than a number.

        It is a number or a moment where it can be read as one, else a text.
        """
        kind, operand = _parse_operand(self.value)
        return {kind: operand} if self.moment is None else {kind: operand, TIME: self.moment}


@dataclass(frozen=True, slots=True)
class Filter:
    """Terms that must all hold; `text` is what was typed."""

    text: str = ""
    terms: tuple[Term, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.terms)

    def chosen(self, entries: Iterable[SearchableRecord]) -> list[SearchableRecord]:
        """The entries that it lets through, in their order."""
        return self.choice()(list(entries))

    def choice(self) -> Choice:
        """The same, to be asked for one page after the other."""
        choices = [_make_choice(term) for term in self.terms]

        def choose(entries: list[SearchableRecord]) -> list[SearchableRecord]:
            for choice in choices:
                entries = choice(entries)
            return entries

        return choose

    @property
    def words(self) -> tuple[str, ...]:
        """The folded words that are looked for in every field."""
        return tuple(term.value for term in self.terms if not term.field and not term.inverted)

    def ranked(self, chosen: list[SearchableRecord]) -> list[SearchableRecord]:
        """The chosen entries by how well they fit: ids with what was typed first, then the words as one phrase."""
        words = self.words
        if not words or len(words) < len(self.terms):
            return chosen
        phrase = " ".join(words)
        by_id = [entry for entry in chosen if entry.record_id is not None and phrase in fold(entry.record_id)]
        by_phrase = [entry for entry in chosen if phrase in entry.text] if len(words) > 1 else []
        by_id.sort(key=lambda entry: fold(str(entry.record_id)) != phrase)
        if not by_phrase and len(by_id) in (0, len(chosen)):
            return by_id or chosen
        return list(dict.fromkeys(chain(by_id, by_phrase, chosen)))

    def match_outside(self, record: Record, shown: Iterable[str]) -> tuple[str, str] | None:
        """The field and the text around a word that was found, where none of the paths `shown` holds it."""
        columns = [fold_value(value_at(record.fields, path)) for path in shown]
        for word in self.words:
            if any(word in text for text in columns):
                continue
            for name, value in record.fields.items():
                text = value_text(value)
                if (place := place_of(text, word)) is not None:
                    start, end = max(0, place[0] - _EXCERPT_CHARACTERS), place[1] + _EXCERPT_CHARACTERS
                    return name, f"{'…' * (start > 0)}{text[start:end]}{'…' * (end < len(text))}"
        return None

    def narrows(self, before: "Filter") -> bool:
        """Whether nothing passes that `before` had held back, so that only its choice need be looked through."""
        if len(self.terms) < len(before.terms):
            return False
        return all(_is_narrower(mine, other) for mine, other in zip(self.terms, before.terms, strict=False))


def parse_filter(text: str, fields: Mapping[str, str], now: datetime | None = None) -> Filter:
    """The filter that `text` writes; never fails. `fields` gives the known paths by their folded form.

    A word with an operator in it that names no known field is a word like any other: `12:30`, `https://…`. `now`, in
    the zone of the user, is what `1h` and `today` count from; without it they are texts.
    """
    terms = (_parse_term(part, fields, now) for part in _TERM.findall(text))
    return Filter(text.strip(), tuple(term for term in terms if term is not None))


def field_begun(text: str, fields: Mapping[str, str]) -> str | None:
    """The path of the field whose name is typed, perhaps with an operator, as the last of `text`.

    What it is to be compared with is likely to follow.
    """
    parts = _TERM.findall(text)
    return fields.get(parts[-1].strip("!:=<>").casefold()) if parts else None


def split_terms(text: str) -> tuple[str, tuple[tuple[str, str], ...]]:
    """What a filter line asks of the rows that are held, and, by words like `?status=open`, of the service."""
    here: list[str] = []
    query: list[tuple[str, str]] = []
    for part in _TERM.findall(text):
        name, equals, value = part.removeprefix("?").partition("=")
        if part.startswith("?") and name and equals:
            query.append((_unquote(name), _unquote(value)))
        elif not part.startswith("?"):
            here.append(part)
    return " ".join(here), tuple(query)


class ComparedKinds:
    """The kinds of value that the comparisons of a filter met, to tell a comparison that no value can match."""

    def __init__(self, wanted: Filter) -> None:
        self._met: list[tuple[Term, Container[int], set[int]]] = [
            (term, term.operands, set()) for term in wanted.terms if term.operator in _COMPARISONS and not term.inverted
        ]

    def __bool__(self) -> bool:
        """Whether the filter compares anything."""
        return bool(self._met)

    def add(self, values: SearchableValues) -> None:
        """Take values that the filter was compared with."""
        for term, operands, kinds in self._met:
            if not any(kind in operands for kind in kinds):
                kinds.update(key[0] for key in values.keys(term.field) if key is not None)

    @property
    def problem(self) -> str:
        """The comparison that no value can match, in a sentence; "" where each can match one."""
        for term, operands, kinds in self._met:
            if not any(kind in operands for kind in kinds):
                if not kinds:
                    return f"{term.field} is empty in all loaded records."
                contents = " and ".join(_KIND_WORDS[kind] for kind in sorted(kinds))
                example = f"{term.field}{_KIND_EXAMPLES[min(kinds)]}"
                return f"{term.field} contains only {contents} (example: {example})."
        return ""


_KIND_WORDS = {NUMBER: "numbers", TIME: "times", TEXT: "text", FLAG: "true and false", NESTED: "objects and lists"}
_KIND_EXAMPLES = {NUMBER: ">10", TIME: ">2026-01-31", TEXT: ":text", FLAG: ":true", NESTED: ":text"}
"""What may follow the name of a field with such values in a filter."""


def _parse_term(part: str, fields: Mapping[str, str], now: datetime | None) -> Term | None:
    inverted = part.startswith("!")
    body = part[1:] if inverted else part
    match = _FIELD.fullmatch(body)
    if match and (path := fields.get(match[1].casefold())) is not None:
        sign, value = match[2], _unquote(match[3])
        value = fold(value) if sign == ":" else value.casefold()
        # `grade>` is on its way to be something; `grade:` and `grade=` already ask for what is empty.
        if not value and sign not in (":", "=", "!="):
            return None
        has_moment = sign in _COMPARISONS or (sign in ("=", "!=") and value in DAYS)
        return Term(path, sign, value, inverted, _moment(value, now) if has_moment else None)
    word = fold(_unquote(body))
    return Term("", ":", word, inverted) if word else None


def _unquote(text: str) -> str:
    return text.replace('"', "")


def _make_choice(term: Term) -> Choice:
    word, path, inverted = term.value, term.field, term.inverted
    if not path:
        # Without a call for each: every word is looked for in thousands of texts at every key.
        if inverted:
            return lambda entries: [entry for entry in entries if word not in entry.text]
        return lambda entries: [entry for entry in entries if word in entry.text]
    if not word or term.operator in _COMPARISONS:
        return _choice_by(lambda values: values.keys(path), _key_test(term), inverted)
    return _choice_by(lambda values: values.at(path), _value_test(term), inverted)


def _choice_by(column_of: Callable[[SearchableValues], list[_T]], test: Callable[[_T], bool], inverted: bool) -> Choice:
    """Lets through what `test` says of the entry's place in a column of its page."""

    def choose(entries: list[SearchableRecord]) -> list[SearchableRecord]:
        chosen: list[SearchableRecord] = []
        values: SearchableValues | None = None
        column: list[_T] = []
        for entry in entries:
            if entry.values is not values:
                values, column = entry.values, column_of(entry.values)
            if test(column[entry.place]) is not inverted:
                chosen.append(entry)
        return chosen

    return choose


def _key_test(term: Term) -> Callable[[SortKey | None], bool]:
    if not term.value:
        empty = term.operator != "!="
        return lambda key: (key is None) is empty
    holds, operands = _COMPARISONS[term.operator], term.operands
    return lambda key: key is not None and key[0] in operands and holds(key[1], operands[key[0]])


def _value_test(term: Term) -> Callable[[Json | Absent], bool]:
    text = term.value
    if term.operator == ":":
        return lambda value: text in fold_value(value)
    wanted, bound = term.operator == "=", _parse_operand(text)

    def test(value: Json | Absent) -> bool:
        same = sort_key(value) == bound if isinstance(value, Number) else value_text(value).casefold() == text
        return (same or _is_on_day(value, term.moment)) is wanted

    return test


def _is_on_day(value: Json | Absent, day: datetime | None) -> bool:
    if day is None or (key := sort_key(value)) is None:
        return False
    moment = key[1]
    return isinstance(moment, datetime) and day <= moment < day + timedelta(days=1)


def _moment(text: str, now: datetime | None) -> datetime | None:
    """The time that a text means which is neither a number nor a time itself; None where it means none."""
    if now is None or now.tzinfo is None or _parse_operand(text)[0] != TEXT:
        return None
    return parse_since(text, now, now.tzinfo)


def _parse_operand(text: str) -> SortKey:
    """What the user typed to compare with: a number or a moment where it can be read as one, else a text."""
    try:
        key = sort_key(Number(text))
    except JsonError:
        # The letters of a time were folded with the rest of the term.
        at = text.upper()
        key = sort_key(at + _EARLIEST_TIME[len(at) :] if _DATE.fullmatch(at) else at)
        if key is None or key[0] != TIME:
            key = sort_key(text)
    assert key is not None
    return key


def _is_narrower(term: Term, before: Term) -> bool:
    if term == before:
        return True
    same = (term.field, term.operator, term.inverted) == (before.field, before.operator, before.inverted)
    # A longer text is found in fewer places; inverted, it is the other way round.
    return same and term.operator == ":" and not term.inverted and bool(before.value) and before.value in term.value
