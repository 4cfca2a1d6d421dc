"""Entries: how the text that a user types for a value is read, remarked on, stepped and completed, by kind.

An entry only judges text; what it reads is exact: a number keeps its digits, a time its form, a text every blank.
"""

import re
from collections.abc import Mapping, Sequence
from datetime import UTC, tzinfo
from decimal import Context, Decimal
from difflib import get_close_matches
from typing import ClassVar

from msgspec import Struct

from svc_tui.core.catalog import Collection
from svc_tui.core.folded_text import fold
from svc_tui.core.jsontext import ABSENT, Absent, Json, JsonError, Number, check_document
from svc_tui.core.kinds import Kind, choices_seen, kind_of, kind_of_value, typical_value
from svc_tui.core.phrases import counted
from svc_tui.core.times import TimePart, local_time, parse_time, part_at, shift_time

_FLAGS = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}
_QUOTED = 24
_MULTILINE = 200
"""Characters from which a text is edited in several lines."""

MAX_SUGGESTIONS = 200
"""Values offered at a time; typing narrows them."""


class ValueProblem(ValueError):
    """Text that is no value of its kind; the message is one sentence for the person who typed it.

    `correction` is the text that was probably meant, "" where none is known.
    """

    def __init__(self, message: str, correction: str = "") -> None:
        super().__init__(message)
        self.correction = correction


class ValueSuggestion(Struct, frozen=True):
    """A value to pick, and a word about it: how often it was seen, or what the record is called."""

    value: Json
    note: str = ""


class ReferenceCandidate(Struct, frozen=True):
    """A record that a reference could name: its id as text and as the service sent it, and what people call it."""

    id: str
    value: Json
    label: str


class FieldEntry(Struct, frozen=True):
    """The entry of one kind of value: the base of all entries, and the one of texts."""

    kind: Kind = Kind.TEXT
    steps: ClassVar[bool] = False
    """Up and down change the value."""

    @property
    def hint(self) -> str:
        """The kind of value that is expected, in a word or two."""
        return self.kind.facts.editor_hint

    @property
    def expected(self) -> str:
        """What is typed for a value, in a sentence."""
        return self.kind.facts.expected

    def needs_lines(self, text: str) -> bool:
        """Return True if `text` is edited in several lines: it has some, or is long."""
        return self.kind.facts.takes_any_text and ("\n" in text or len(text) > _MULTILINE)

    def read(self, text: str) -> Json:
        """Return the value that `text` stands for; raises ValueProblem."""
        return text

    def remark(self, text: str) -> str:
        """Return what the user should know about a text that was read, "" for nothing."""
        has_blanks = self.kind.facts.takes_any_text and text != text.strip()
        return "The text starts or ends with a space." if has_blanks else ""

    def is_unknown(self, text: str) -> bool:
        """Return True if a list of values is known here and `text` is none of them: it may be a slip."""
        return False

    def stepped(self, text: str, cursor: int, steps: int) -> str | None:
        """Return `text` with the part at the cursor that many steps further; None where it has none."""
        return None

    def offers(self, text: str | None) -> tuple[ValueSuggestion, ...]:
        """Return values to pick that match what was typed; None: nothing was typed yet."""
        return ()


class NumberEntry(FieldEntry, frozen=True):
    """A number, never through a float."""

    kind: Kind = Kind.NUMBER
    steps: ClassVar[bool] = True

    def read(self, text: str) -> Json:
        """Return the number with the digits that were typed."""
        typed = text.strip()
        if not typed:
            raise ValueProblem("Enter a number.")
        try:
            return Number(typed)
        except JsonError:
            with_point = _with_decimal_point(typed)
            advice = f"Use a decimal point: {with_point}." if with_point else "Examples: -12.50, 1e6."
            # Before three digits, the comma may as well separate thousands.
            correction = "" if re.search(r",\d{3}(?!\d)", typed) else with_point
            raise ValueProblem(f"{_quote(typed)} is not a number. {advice}", correction) from None

    def stepped(self, text: str, cursor: int, steps: int) -> str | None:
        """Return the number with its last digit raised or lowered, and its exponent as it is."""
        try:
            typed = Number(text.strip()).text
        except JsonError:
            return None
        at = next((at for at, sign in enumerate(typed) if sign in "eE"), len(typed))
        mantissa, exponent = Decimal(typed[:at]), typed[at:]
        last = Decimal((0, (1,), int(mantissa.as_tuple().exponent)))
        exact = Context(prec=len(typed) + 4)
        return f"{exact.add(mantissa, exact.multiply(last, Decimal(steps))):f}{exponent}"


def _with_decimal_point(typed: str) -> str:
    """Return the number with a point in place of a decimal comma, the usual mistake; "" where that is no number."""
    with_point = typed.replace(",", ".")
    try:
        Number(with_point)
    except JsonError:
        return ""
    return with_point


class TimeEntry(FieldEntry, frozen=True):
    """A time with its zone, or a date; the remark gives it in UTC and in `tz`."""

    kind: Kind = Kind.TIME
    tz: tzinfo = UTC
    steps: ClassVar[bool] = True

    def read(self, text: str) -> Json:
        """Return the time in the form that was typed."""
        typed = text.strip()
        if parse_time(typed) is None:
            raise ValueProblem(f"{_quote(typed)} is not a time. Example: 2026-11-20T05:12:00Z.")
        return typed

    def remark(self, text: str) -> str:
        """Return the time in UTC and in `tz`."""
        time_texts = [local_time(text.strip(), zone, zone=True, seconds=True) for zone in (UTC, self.tz)]
        return " · ".join(dict.fromkeys(filter(None, time_texts)))

    def stepped(self, text: str, cursor: int, steps: int) -> str | None:
        """Return the time with the part under the cursor moved."""
        return shift_time(text.strip(), part_at(text, cursor), steps)

    def by_days(self, text: str, days: int) -> str | None:
        """Return the time so many days later."""
        return shift_time(text.strip(), TimePart.DAY, days)


class FlagEntry(FieldEntry, frozen=True):
    """True or false, by their first letters too."""

    kind: Kind = Kind.FLAG
    steps: ClassVar[bool] = True

    def read(self, text: str) -> Json:
        """Return the flag whose word begins with `text`."""
        typed = text.strip().lower()
        meant = {flag for word, flag in _FLAGS.items() if typed and word.startswith(typed)}
        if len(meant) != 1:
            raise ValueProblem(f"{_quote(text.strip())} is neither true nor false.")
        return meant.pop()

    def stepped(self, text: str, cursor: int, steps: int) -> str | None:
        """Return the other flag."""
        try:
            return "false" if self.read(text) else "true"
        except ValueProblem:
            return "true"

    def offers(self, text: str | None) -> tuple[ValueSuggestion, ...]:
        """Return both flags."""
        return ValueSuggestion(True), ValueSuggestion(False)


class ChoiceEntry(FieldEntry, frozen=True):
    """One of the words seen, each with how often, the most frequent first; or any other text."""

    kind: Kind = Kind.CHOICE
    frequent_values: tuple[tuple[str, int], ...] = ()

    @property
    def hint(self) -> str:
        """How many values are known."""
        count = len(self.frequent_values)
        return f"One of {count} known values" if count > 1 else self.kind.facts.editor_hint

    def remark(self, text: str) -> str:
        """Return a warning for a word that no record has, with the one that it is like."""
        if not text or any(word == text for word, _ in self.frequent_values):
            return ""
        nearest = self._nearest(text)
        return f"Unknown value. Did you mean “{nearest}”?" if nearest else "Unknown value."

    def _nearest(self, text: str) -> str:
        """Return the word that is most like the text; "" where none is."""
        words = [word for word, _ in self.frequent_values]
        near = get_close_matches(text.casefold(), [word.casefold() for word in words], n=1)
        return next((word for word in words if near and word.casefold() == near[0]), "")

    def is_unknown(self, text: str) -> bool:
        """Return True if no record seen has this word."""
        return bool(self.frequent_values) and all(word != text for word, _ in self.frequent_values)

    def offers(self, text: str | None) -> tuple[ValueSuggestion, ...]:
        """Return the words that contain what was typed, or else the one like it, each with how often it was seen.

        Of many, the frequent ones; their order is that of the alphabet, first those that begin with what was typed.
        """
        sought = fold(text or "")
        words = {word for word, _ in self.frequent_values if sought in fold(word)} or {self._nearest(text or "")}
        suggestions = [
            ValueSuggestion(word, f"in {counted(count, 'loaded record')}")
            for word, count in self.frequent_values
            if word in words
        ]
        return tuple(sorted(suggestions[:MAX_SUGGESTIONS], key=lambda found: _alphabetical(found, sought)))


def _alphabetical(suggestion: ValueSuggestion, sought: str) -> tuple[bool, str]:
    """Return the place of a word: those that begin with the sought text stand first."""
    word = fold(str(suggestion.value))
    return not word.startswith(sought), word


class ReferenceEntry(FieldEntry, frozen=True):
    """The id of a record elsewhere: one of those read from there, or any other."""

    kind: Kind = Kind.REFERENCE
    numeric: bool = False
    """Whether the id is a number, not a text."""
    target: str = ""
    """What the collection is called, "" where it is not known."""
    candidates: tuple[ReferenceCandidate, ...] = ()
    complete: bool = False
    """Whether the candidates are all the records that there are."""
    is_searching: bool = False
    """Whether more candidates are being loaded."""

    @property
    def hint(self) -> str:
        """The collection that it points at, where that is known."""
        hint = self.kind.facts.editor_hint
        return f"{hint} to {self.target}" if self.target else hint

    @property
    def expected(self) -> str:
        """What is typed for a value, in a sentence, with the collection that it points at, where that is known."""
        expected = self.kind.facts.expected
        return f"{expected} in {self.target}" if self.target else expected

    def read(self, text: str) -> Json:
        """Return the id, a number or a text as ids are there."""
        known = self._known(text)
        if known is not None and not self.numeric:
            return known.value
        return NumberEntry().read(text) if self.numeric else text

    def remark(self, text: str) -> str:
        """Return the label of the record, or why it is not known."""
        if not text or not self.target:
            return ""
        if (known := self._known(text)) is not None:
            return known.label
        if self.complete:
            return f"{self.target} has no record with this id."
        if self.candidates:
            return f"Not found in {counted(len(self.candidates), 'loaded record')}."
        return f"{self.target} is still loading." if self.is_searching else ""

    def is_unknown(self, text: str) -> bool:
        """Return True if no record read so far has this id; False where none could be read."""
        return (self.complete or self.is_searching or bool(self.candidates)) and self._known(text) is None

    def offers(self, text: str | None) -> tuple[ValueSuggestion, ...]:
        """Return the records whose id or label contains every word that was typed."""
        words = fold(text or "").split()
        suggestions: list[ValueSuggestion] = []
        for candidate in self.candidates:
            haystack = fold(f"{candidate.id} {candidate.label}")
            if all(word in haystack for word in words):
                suggestions.append(ValueSuggestion(candidate.value, candidate.label))
                if len(suggestions) == MAX_SUGGESTIONS:
                    break
        return tuple(suggestions)

    def _known(self, text: str) -> ReferenceCandidate | None:
        return next((candidate for candidate in self.candidates if candidate.id == text), None)


class StructureEntry(FieldEntry, frozen=True):
    """An object or a list as JSON, checked as it is typed."""

    kind: Kind = Kind.OBJECT

    def needs_lines(self, text: str) -> bool:
        """Return True, whatever the text."""
        return True

    def read(self, text: str) -> Json:
        """Return the value; the problem of a text that is none has its line and column."""
        try:
            value = check_document(text)
        except JsonError as error:
            raise ValueProblem(f"Not valid JSON: {error}.") from None
        if self.kind is Kind.OBJECT and not isinstance(value, Mapping):
            raise ValueProblem("Enter a JSON object, in { and }.")
        if self.kind is Kind.LIST and not isinstance(value, list):
            raise ValueProblem("Enter a JSON array, in [ and ].")
        return value

    def remark(self, text: str) -> str:
        """Return the size of the value, and its depth."""
        value = self.read(text)
        assert isinstance(value, Mapping | Sequence)
        word = "field" if self.kind is Kind.OBJECT else "item"
        count = counted(len(value), word)
        depth = _depth(value)
        return f"{count}, {depth} levels" if depth > 1 else count


def entry_of(
    kind: Kind,
    old: Json | Absent = ABSENT,
    *,
    frequent_values: Sequence[tuple[str, int]] = (),
    target: str = "",
    tz: tzinfo = UTC,
) -> FieldEntry:
    """Return the entry for a field of that kind, or where `old` has another JSON type, for the kind of `old`.

    `old` is the value being replaced, `frequent_values` the words of a choice, `target` the collection that a reference
    names.
    """
    match _kind_for(kind, old):
        case Kind.NUMBER:
            return NumberEntry()
        case Kind.TIME:
            return TimeEntry(tz=tz)
        case Kind.FLAG:
            return FlagEntry()
        case Kind.OBJECT | Kind.LIST as shape:
            return StructureEntry(shape)
        case Kind.CHOICE:
            return ChoiceEntry(frequent_values=tuple(frequent_values))
        case Kind.REFERENCE:
            return ReferenceEntry(numeric=isinstance(old, Number), target=target)
        case Kind.TEXT | Kind.ID | Kind.NULL as text:
            return FieldEntry(text)


def entry_among(
    name: str,
    value: Json | Absent,
    seen: Sequence[Json],
    target: Collection | None,
    *,
    kind: Kind | None = None,
    proposed: Json | Absent = ABSENT,
    tz: tzinfo = UTC,
) -> FieldEntry:
    """Return the entry for the field `name` that holds `value`, by the values `seen` of it; `kind` where that is known.

    `value` is the one being replaced. Where it is null or absent, the other records' values tell the type, and where
    none was seen either, `proposed`: the new value so far. `target` is the collection that a reference of this name
    leads to.
    """
    kind = kind or kind_of(name, seen)
    if kind is Kind.NULL and target is not None:
        kind = Kind.REFERENCE
    words = choices_seen(seen) if kind is Kind.CHOICE else ()
    replaced = replaced_value(value, seen, proposed)
    return entry_of(kind, replaced, frequent_values=words, target=target.key if target else "", tz=tz)


def replaced_value(value: Json | Absent, seen: Sequence[Json], proposed: Json | Absent = ABSENT) -> Json | Absent:
    """Return the value whose JSON type a new one is to have: `value`, else one of those `seen`, else `proposed`."""
    if value is not None and not isinstance(value, Absent):
        return value
    for other in (typical_value(seen), proposed):
        if other is not None and not isinstance(other, Absent):
            return other
    return value


def _kind_for(kind: Kind, old: Json | Absent) -> Kind:
    """Return the kind by which a value is typed in place of `old`: `kind`, unless `old` has another JSON type."""
    match kind_of_value(old):
        case Kind.NULL:
            return kind
        case Kind.NUMBER:
            return kind if kind is Kind.REFERENCE else Kind.NUMBER
        case Kind.TIME if kind is Kind.NULL:
            return Kind.TIME
        case Kind.TEXT | Kind.TIME as own:
            return kind if kind.facts.takes_any_text or old == "" else own
        case own:
            return own


def _depth(value: Json) -> int:
    depth, level = 0, [value]
    while level:
        depth += 1
        below: list[Json] = []
        for item in level:
            held = item.values() if isinstance(item, Mapping) else item if isinstance(item, list) else ()
            below += [inner for inner in held if isinstance(inner, Mapping | list)]
        level = below
    return depth


def _quote(text: str) -> str:
    return f"“{text if len(text) <= _QUOTED else text[:_QUOTED] + '…'}”"
