"""What a filter line means, and which records it lets through.

`status:open massKg>10 !note:damp "north face"`: terms that must all hold. A bare word is looked for in every field;
`field:text` in one, `field=text` is all of it, `field:` finds what is empty, `>`, `>=`, `<`, `<=` compare numbers,
times and texts; `!` in front inverts. Case makes no difference, and a term that is still being typed lets all through.
"""

import operator
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from itertools import chain
from typing import Any, TypeAlias

from svc_tui.domain.data.field_path import value_at
from svc_tui.domain.data.ordering import TIME, SortKey, sort_key
from svc_tui.domain.data.search_text import fold_case, search_text
from svc_tui.domain.model.jsontext import JsonError, Number
from svc_tui.domain.model.records import Record

_TERM = re.compile(r'(?:[^\s"]+|"[^"]*"?)+')
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}(-[0-9]{2}([T ][0-9]{2}(:[0-9]{2}(:[0-9]{2})?)?)?)?")
_EARLIEST_TIME = "0000-01-01T00:00:00Z"
"""What a time that is written in part is filled up with."""

_FIELD = re.compile(r"([^:=<>!\"]+)(:|!=|>=|<=|=|>|<)(.*)", re.DOTALL)

_EXCERPT_CHARACTERS = 12
"""Characters on either side of what was found."""

Test: TypeAlias = Callable[["SearchableRecord"], bool]


@dataclass(slots=True, eq=False)
class SearchableRecord:
    """A record made ready to be searched: `row` is where it stands in the collection, `text` all its values folded.

    `record_id` is the record's `id`, which is dear to find out for thousands at a time.
    """

    row: int
    record: Record
    record_id: str | None
    text: str
    _path: str | None = field(default=None, init=False, repr=False)
    _key: SortKey | None = field(default=None, init=False, repr=False)

    def key(self, path: str) -> SortKey | None:
        """What the value at `path` is compared by; kept until another path is asked for, as one types on."""
        if path != self._path:
            self._path, self._key = path, sort_key(value_at(self.record.fields, path))
        return self._key

    @classmethod
    def of(cls, row: int, record: Record) -> "SearchableRecord":
        """The record at `row`, ready to be searched."""
        return cls(row, record, record.id, search_text(record.fields))


@dataclass(frozen=True, slots=True)
class Term:
    """One condition: `field` "" means any; `operator` one of `:`, `=`, `!=`, `<`, `<=`, `>`, `>=`."""

    field: str
    operator: str
    value: str
    inverted: bool = False


@dataclass(frozen=True, slots=True)
class Filter:
    """Terms that must all hold; `text` is what was typed."""

    text: str = ""
    terms: tuple[Term, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.terms)

    def chosen(self, entries: Iterable[SearchableRecord]) -> list[SearchableRecord]:
        """The entries that it lets through, in their order."""
        left = list(entries)
        for term in self.terms:
            test = _make_test(term)
            left = [entry for entry in left if test(entry) is not term.inverted]
        return left

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
        by_id = [entry for entry in chosen if entry.record_id is not None and phrase in entry.record_id.casefold()]
        by_phrase = [entry for entry in chosen if phrase in entry.text] if len(words) > 1 else []
        if not by_id and not by_phrase:
            return chosen
        by_id.sort(key=lambda entry: str(entry.record_id).casefold() != phrase)
        return list({id(entry): entry for entry in chain(by_id, by_phrase, chosen)}.values())

    def match_outside(self, record: Record, shown: Iterable[str]) -> tuple[str, str] | None:
        """The field and the text around a word that was found, where none of the paths `shown` holds it."""
        columns = [fold_case(value_at(record.fields, path)) for path in shown]
        for word in self.words:
            if any(word in text for text in columns):
                continue
            for name, value in record.fields.items():
                text = value if isinstance(value, str) else fold_case(value)
                if (at := text.casefold().find(word)) >= 0:
                    start, end = max(0, at - _EXCERPT_CHARACTERS), at + len(word) + _EXCERPT_CHARACTERS
                    return name, f"{'…' * (start > 0)}{text[start:end]}{'…' * (end < len(text))}"
        return None

    def narrows(self, before: "Filter") -> bool:
        """Whether nothing passes that `before` had held back, so that only its choice need be looked through."""
        if len(self.terms) < len(before.terms):
            return False
        return all(_is_narrower(mine, other) for mine, other in zip(self.terms, before.terms, strict=False))


def parse_filter(text: str, fields: Mapping[str, str]) -> Filter:
    """The filter that `text` writes; never fails. `fields` gives the known paths by their folded form.

    A word with an operator in it that names no known field is a word like any other: `12:30`, `https://…`.
    """
    terms = (_parse_term(part, fields) for part in _TERM.findall(text))
    return Filter(text.strip(), tuple(term for term in terms if term is not None))


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


def _parse_term(part: str, fields: Mapping[str, str]) -> Term | None:
    inverted = part.startswith("!")
    body = part[1:] if inverted else part
    match = _FIELD.fullmatch(body)
    if match and (path := fields.get(match[1].casefold())) is not None:
        sign, value = match[2], _unquote(match[3]).casefold()
        # `grade>` is on its way to be something; `grade:` and `grade=` already ask for what is empty.
        return None if not value and sign not in (":", "=", "!=") else Term(path, sign, value, inverted)
    word = _unquote(body).casefold()
    return Term("", ":", word, inverted) if word else None


def _unquote(text: str) -> str:
    return text.replace('"', "")


def _make_test(term: Term) -> Test:
    path, value = term.field, term.value
    if not path:
        return lambda entry: value in entry.text
    if not value:
        empty = term.operator != "!="
        return lambda entry: (entry.key(path) is None) is empty
    match term.operator:
        case ":":
            return lambda entry: value in fold_case(value_at(entry.record.fields, path))
        case "=" | "!=":
            return _equality(path, value, wanted=term.operator == "=")
        case _:
            return _comparison(path, term.operator, value)


def _equality(path: str, value: str, *, wanted: bool) -> Test:
    bound = _parse_operand(value)

    def test(entry: SearchableRecord) -> bool:
        field_value = value_at(entry.record.fields, path)
        same = entry.key(path) == bound if isinstance(field_value, Number) else fold_case(field_value) == value
        return same is wanted

    return test


def _comparison(path: str, sign: str, value: str) -> Test:
    kind, bound = _parse_operand(value)
    holds: Callable[[Any, Any], bool] = {
        ">": operator.gt,
        ">=": operator.ge,
        "<": operator.lt,
        "<=": operator.le,
    }[sign]

    def test(entry: SearchableRecord) -> bool:
        key = entry.key(path)
        # Unlike things are not compared: no text is greater than a number.
        return key is not None and key[0] == kind and holds(key[1], bound)

    return test


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
