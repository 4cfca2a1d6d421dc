"""What the user types for a value: read, remarked on, stepped and offered, each kind of value in its own way.

An entry only judges text; what it reads is exact: a number keeps its digits, a time its form, a text every blank.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, tzinfo
from decimal import Context, Decimal
from difflib import get_close_matches
from typing import ClassVar, Protocol

from svc_tui.domain.data.counted import counted
from svc_tui.domain.data.folded_text import fold
from svc_tui.domain.data.kinds import Kind, choices_seen, kind_of, kind_of_value, typical_value
from svc_tui.domain.data.times import TimePart, local_time, parse_time, part_at, shift_time
from svc_tui.domain.model.absent import ABSENT, Absent
from svc_tui.domain.model.catalog import Collection
from svc_tui.domain.model.json_errors import check_document
from svc_tui.domain.model.jsontext import Json, JsonError, Number

_FLAGS = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}
_HINTS = {
    Kind.NUMBER: "Number",
    Kind.TIME: "Time with a zone, such as 2026-11-20T05:12:00Z",
    Kind.FLAG: "True or false (t or f)",
    Kind.CHOICE: "One of the known values, or any other text",
    Kind.OBJECT: "JSON object, in { and }",
    Kind.LIST: "JSON array, in [ and ]",
    Kind.NULL: "Text (this field was always null)",
}
_QUOTED = 24
_MULTILINE = 200
"""Characters from which a text is edited in several lines."""

MAX_SUGGESTIONS = 200
"""Values offered at a time; typing narrows them."""


class ValueProblem(ValueError):
    """Text that is no value of its kind; the message is one sentence for the person who typed it."""


@dataclass(frozen=True, slots=True)
class ValueSuggestion:
    """A value to pick, and a word about it: how often it was seen, or what the record is called."""

    value: Json
    note: str = ""


@dataclass(frozen=True, slots=True)
class ReferenceCandidate:
    """A record that a reference could name: its id as text and as it came, and what people call it."""

    id: str
    value: Json
    label: str


class FieldEntry(Protocol):
    """How one kind of value is typed."""

    @property
    def kind(self) -> Kind:
        """The kind that is read."""

    @property
    def hint(self) -> str:
        """What is expected, in a few words."""

    @property
    def steps(self) -> bool:
        """Whether up and down change the value."""

    def lines(self, text: str) -> bool:
        """Whether the text is to be edited in several lines."""

    def read(self, text: str) -> Json:
        """The value that the text stands for; raises ValueProblem."""

    def remark(self, text: str) -> str:
        """What is to be said of a text that was read, "" where nothing is."""

    def is_unknown(self, text: str) -> bool:
        """Return True if a list of values is known here and `text` is none of them: it may be a slip."""

    def stepped(self, text: str, cursor: int, steps: int) -> str | None:
        """The text with the part at the cursor that many steps further; None where it has none."""

    def offers(self, text: str | None) -> tuple[ValueSuggestion, ...]:
        """Values to pick that fit what was typed; None: nothing was typed yet."""


@dataclass(frozen=True, slots=True)
class TextEntry:
    """Any text, as it is typed."""

    kind: Kind = Kind.TEXT
    steps: ClassVar[bool] = False

    @property
    def hint(self) -> str:
        """What is expected."""
        return _HINTS.get(self.kind, "Text")

    def lines(self, text: str) -> bool:
        """Several lines for what has them, or is long."""
        return "\n" in text or len(text) > _MULTILINE

    def read(self, text: str) -> Json:
        """The text itself."""
        return text

    def remark(self, text: str) -> str:
        """Blanks at its ends can't be seen."""
        return "The text starts or ends with a space." if text != text.strip() else ""

    def is_unknown(self, text: str) -> bool:
        """Return False: any text will do."""
        return False

    def stepped(self, text: str, cursor: int, steps: int) -> str | None:
        """A text has no next one."""
        return None

    def offers(self, text: str | None) -> tuple[ValueSuggestion, ...]:
        """Nothing."""
        return ()


@dataclass(frozen=True, slots=True)
class NumberEntry(TextEntry):
    """A number, never through a float."""

    kind: Kind = Kind.NUMBER
    steps: ClassVar[bool] = True

    def lines(self, text: str) -> bool:
        """One line, whatever its length."""
        return False

    def read(self, text: str) -> Json:
        """The number as it is written."""
        typed = text.strip()
        if not typed:
            raise ValueProblem("Enter a number.")
        try:
            return Number(typed)
        except JsonError:
            raise ValueProblem(f"{_quote(typed)} is not a number. Examples: -12.50, 1e6.") from None

    def remark(self, text: str) -> str:
        """Nothing: a number says it all."""
        return ""

    def stepped(self, text: str, cursor: int, steps: int) -> str | None:
        """The number with its last digit raised or lowered; an exponent stays as it is written."""
        try:
            typed = Number(text.strip()).text
        except JsonError:
            return None
        at = next((at for at, sign in enumerate(typed) if sign in "eE"), len(typed))
        mantissa, exponent = Decimal(typed[:at]), typed[at:]
        last = Decimal((0, (1,), int(mantissa.as_tuple().exponent)))
        exact = Context(prec=len(typed) + 4)
        return f"{exact.add(mantissa, exact.multiply(last, Decimal(steps))):f}{exponent}"


@dataclass(frozen=True, slots=True)
class TimeEntry(TextEntry):
    """A time with its zone, or a date; said in UTC and in `tz`."""

    kind: Kind = Kind.TIME
    tz: tzinfo = UTC
    steps: ClassVar[bool] = True

    def lines(self, text: str) -> bool:
        """One line."""
        return False

    def read(self, text: str) -> Json:
        """The time as it is written."""
        typed = text.strip()
        if parse_time(typed) is None:
            raise ValueProblem(f"{_quote(typed)} is not a time. Example: 2026-11-20T05:12:00Z.")
        return typed

    def remark(self, text: str) -> str:
        """The moment in UTC and where the reader is."""
        time_texts = [local_time(text.strip(), zone, zone=True, seconds=True) for zone in (UTC, self.tz)]
        return " · ".join(dict.fromkeys(filter(None, time_texts)))

    def stepped(self, text: str, cursor: int, steps: int) -> str | None:
        """The part under the cursor further by so much."""
        return shift_time(text.strip(), part_at(text, cursor), steps)

    def by_days(self, text: str, days: int) -> str | None:
        """The time so many days later."""
        return shift_time(text.strip(), TimePart.DAY, days)


@dataclass(frozen=True, slots=True)
class FlagEntry(TextEntry):
    """True or false, by their first letters too."""

    kind: Kind = Kind.FLAG
    steps: ClassVar[bool] = True

    def lines(self, text: str) -> bool:
        """One line."""
        return False

    def read(self, text: str) -> Json:
        """The flag that the text begins to say."""
        typed = text.strip().lower()
        meant = {flag for word, flag in _FLAGS.items() if typed and word.startswith(typed)}
        if len(meant) != 1:
            raise ValueProblem(f"{_quote(text.strip())} is neither true nor false.")
        return meant.pop()

    def remark(self, text: str) -> str:
        """Nothing."""
        return ""

    def stepped(self, text: str, cursor: int, steps: int) -> str | None:
        """The other one."""
        try:
            return "false" if self.read(text) else "true"
        except ValueProblem:
            return "true"

    def offers(self, text: str | None) -> tuple[ValueSuggestion, ...]:
        """Both."""
        return ValueSuggestion(True), ValueSuggestion(False)


@dataclass(frozen=True, slots=True)
class ChoiceEntry(TextEntry):
    """One of the words seen, each with how often, the most frequent first; or any other text."""

    kind: Kind = Kind.CHOICE
    frequent_values: tuple[tuple[str, int], ...] = ()

    def remark(self, text: str) -> str:
        """A word that nobody used before may be a slip."""
        words = [word for word, _ in self.frequent_values]
        if not text or text in words:
            return ""
        near = get_close_matches(text.casefold(), [word.casefold() for word in words], n=1)
        nearest = next((word for word in words if near and word.casefold() == near[0]), "")
        return f"Unknown value. Did you mean “{nearest}”?" if nearest else "Unknown value."

    def is_unknown(self, text: str) -> bool:
        """Return True if no record seen has this word."""
        return bool(self.frequent_values) and all(word != text for word, _ in self.frequent_values)

    def offers(self, text: str | None) -> tuple[ValueSuggestion, ...]:
        """The words that hold what was typed, with the times they were seen."""
        sought = fold(text or "")
        suggestions = [
            ValueSuggestion(word, f"{count:,}") for word, count in self.frequent_values if sought in fold(word)
        ]
        return tuple(suggestions[:MAX_SUGGESTIONS])


@dataclass(frozen=True, slots=True)
class ReferenceEntry(TextEntry):
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
        """What the input takes, and which records are listed below it."""
        if not self.target:
            return "Record id"
        return f"Record id in {self.target}. Type to search"

    def read(self, text: str) -> Json:
        """The id, of the type that ids have there."""
        known = self._known(text)
        if known is not None and not self.numeric:
            return known.value
        return NumberEntry().read(text) if self.numeric else text

    def remark(self, text: str) -> str:
        """What people call the record."""
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
        """The records whose id or name holds every word that was typed."""
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


@dataclass(frozen=True, slots=True)
class StructureEntry(TextEntry):
    """An object or a list as JSON, checked as it is typed."""

    kind: Kind = Kind.OBJECT

    def lines(self, text: str) -> bool:
        """Always several lines."""
        return True

    def read(self, text: str) -> Json:
        """The value; a mistake is told with its line and column."""
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
        """How much it is, and how deep."""
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
    """The entry for a field of that kind; a value that is of another kind than its field is typed by its own.

    `old` is the value being replaced, `frequent_values` the words of a choice, `target` the collection that a reference
    names.
    """
    match _matching_suggestions(kind, old):
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
        case other:
            return TextEntry(other)


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


def _matching_suggestions(kind: Kind, old: Json | Absent) -> Kind:
    own = kind_of_value(old)
    if own in (Kind.FLAG, Kind.OBJECT, Kind.LIST):
        return own
    if own is Kind.NUMBER:
        return kind if kind is Kind.REFERENCE else own
    if own in (Kind.TEXT, Kind.TIME) and old != "" and kind in (Kind.NUMBER, Kind.FLAG, Kind.OBJECT, Kind.LIST):
        return own
    if own is Kind.TEXT and old != "" and kind is Kind.TIME:
        return own
    return own if kind is Kind.NULL and own is Kind.TIME else kind


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
