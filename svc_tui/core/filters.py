"""What a filter line means, and which records match it.

`status:open massKg>10 !note:damp "north face"`: terms that must all hold. A bare word is looked for in every field;
`field:text` in one, `field=text` is all of it, `field:` finds what is empty, `>`, `>=`, `<`, `<=` compare numbers,
times and texts, `updatedAt>1h` and `updatedAt>today` with a moment, `updatedAt=today` with a day; `!` in front inverts.
Case makes no difference, nor do accents where a text is looked for. A term that is still being typed lets all through.
"""

import operator
import re
from collections.abc import Callable, Collection, Iterable, Mapping
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from msgspec import Struct

from svc_tui.core.field_path import value_at
from svc_tui.core.folded_text import fold, fold_value, place_of, search_text, value_text
from svc_tui.core.jsontext import Absent, Json, JsonError, Number
from svc_tui.core.ordering import FLAG, NESTED, NUMBER, TEXT, TIME, SortKey, sort_key
from svc_tui.core.records import Record
from svc_tui.core.times import DAYS, parse_since

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


class Term(Struct, frozen=True):
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
    def compares(self) -> bool:
        """Whether it compares by order, so that only values of some kinds can match."""
        return self.operator in _COMPARISONS and not self.inverted

    @property
    def operands(self) -> dict[int, Any]:
        """What the value is compared with, by kind; unlike things are not compared: no text is greater than a number.

        It is a number or a moment where it can be read as one, else a text.
        """
        kind, operand = _parse_operand(self.value)
        return {kind: operand} if self.moment is None else {kind: operand, TIME: self.moment}


class Filter(Struct, frozen=True):
    """Terms that must all hold; `text` is what was typed."""

    text: str = ""
    terms: tuple[Term, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.terms)

    def matcher(self) -> Callable[[Record], bool]:
        """Return a function that decides if one record matches; where many are held, ask the record store."""
        tests = [_make_test(term) for term in self.terms]
        return lambda record: all(test(record.fields) for test in tests)

    @property
    def words(self) -> tuple[str, ...]:
        """The folded words that are looked for in every field."""
        return tuple(term.value for term in self.terms if not term.field and not term.inverted)

    def words_in(self, path: str) -> tuple[str, ...]:
        """Return the folded texts that are looked for in the field at `path`."""
        return tuple(
            term.value for term in self.terms if term.field in ("", path) and term.operator == ":" and not term.inverted
        )

    @property
    def uses_texts(self) -> bool:
        """Whether it looks for a text in every field."""
        return any(not term.field for term in self.terms)

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


NO_FILTER = Filter()


class FoundRow(NamedTuple):
    """A record that matches: the number of its row, its id (None for none), and its folded text.

    The text has all values, a line feed around each.
    """

    position: int
    record_id: str | None
    text: str


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


def comparison_problem(wanted: Filter, kinds_at: Callable[[str], Collection[int]]) -> str:
    """Return the comparison of a filter that no value can match, in a sentence; "" where each can match one.

    `kinds_at` returns the kinds of value (`ordering.NUMBER`, …) that the records hold at a path.
    """
    for term in wanted.terms:
        kinds = kinds_at(term.field) if term.compares else ()
        if term.compares and term.operands.keys().isdisjoint(kinds):
            if not kinds:
                return f"{term.field} is empty in all loaded records."
            contents = " and ".join(_KIND_TEXTS[kind][0] for kind in sorted(kinds))
            example = f"{term.field}{_KIND_TEXTS[min(kinds)][1]}"
            return f"{term.field} contains only {contents} (example: {example})."
    return ""


def kinds_in(records: Iterable[Record], path: str) -> set[int]:
    """Return the kinds of the values at `path`."""
    keys = (sort_key(value_at(record.fields, path)) for record in records)
    return {key[0] for key in keys if key is not None}


_KIND_TEXTS = {
    NUMBER: ("numbers", ">10"),
    TIME: ("times", ">2026-01-31"),
    TEXT: ("text", ":text"),
    FLAG: ("true and false", ":true"),
    NESTED: ("objects and lists", ":text"),
}
"""The name of each kind of value, and what may follow the name of a field with such values in a filter."""


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


def _make_test(term: Term) -> Callable[[Mapping[str, Json]], bool]:
    word, path, inverted = term.value, term.field, term.inverted
    if not path:
        return lambda fields: (word in search_text(fields)) is not inverted
    if not word or term.operator in _COMPARISONS:
        key_test = _key_test(term)
        return lambda fields: key_test(sort_key(value_at(fields, path))) is not inverted
    value_test = _value_test(term)
    return lambda fields: value_test(value_at(fields, path)) is not inverted


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
        key = sort_key(operand_text(text))
        if key is None or key[0] != TIME:
            key = sort_key(text)
    assert key is not None
    return key


def operand_text(text: str) -> str:
    """Return what a time that is written in part means: its beginning; other texts in capitals.

    A term's value is casefolded; a time is written with capitals.
    """
    at = text.upper()
    return at + _EARLIEST_TIME[len(at) :] if _DATE.fullmatch(at) else at


def _is_narrower(term: Term, before: Term) -> bool:
    if term == before:
        return True
    same = (term.field, term.operator, term.inverted) == (before.field, before.operator, before.inverted)
    # A longer text is found in fewer places; inverted, it is the other way round.
    return same and term.operator == ":" and not term.inverted and bool(before.value) and before.value in term.value
