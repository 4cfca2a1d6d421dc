"""Kinds of value: how each is told from names and values seen, and shown in a few cells.

The document shows no fields, so kinds are learned. A kind is a matter of looks and of checking what is typed: no
value is ever changed by it. Text given here is raw; the interface makes it harmless on its way to the screen.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, tzinfo
from enum import Enum, auto

from msgspec import Struct

from svc_tui.core.jsontext import ABSENT, Absent, Json, Number, dumps
from svc_tui.core.records import ID_NAMES
from svc_tui.core.references import points_elsewhere
from svc_tui.core.times import local_time, parse_time

MASKED = "▒▒▒▒▒▒▒▒"
"""What stands for every value that is hidden."""


class FieldGroup(Enum):
    """A group of fields in a record; in the order in which groups are shown."""

    IDENTITY = auto()
    STATUS = auto()
    AMOUNTS = auto()
    TIMES = auto()
    REFERENCES = auto()
    TEXTS = auto()
    FLAGS = auto()
    NESTED = auto()


class KindFacts(Struct, frozen=True):
    """How fields of one kind are called, grouped, entered and laid out."""

    name: str
    noun: str
    """The name in a sentence."""
    group: FieldGroup
    form_hint: str
    """What a line of a form takes."""
    editor_hint: str
    """The kind in the border around the editor of one value."""
    expected: str
    """What is typed for a value, in a sentence."""
    takes_any_text: bool = False
    """Any text is a value, the empty one too."""
    takes_lines: bool = False
    """A value may be typed in several lines."""
    is_right_aligned: bool = False
    """Columns show values at their right end, decimal point under decimal point."""
    is_kept_whole: bool = False
    """A value that is cut reads as another one: half a status, half a time."""


class Kind(Enum):
    """What a field holds, as far as its name and the values seen tell; in the order of columns in a table."""

    ID = KindFacts("id", "an id", FieldGroup.IDENTITY, "id", "Text", "a text", takes_any_text=True)
    NUMBER = KindFacts("number", "a number", FieldGroup.AMOUNTS, "number", "Number", "a number", is_right_aligned=True)
    REFERENCE = KindFacts(
        "reference", "a reference", FieldGroup.REFERENCES, "record id", "Reference", "a record id", takes_any_text=True
    )
    CHOICE = KindFacts(
        "choice", "a choice", FieldGroup.STATUS, "choice", "Text", "one of the known values, or any other text",
        takes_any_text=True, takes_lines=True, is_kept_whole=True,
    )  # fmt: skip
    TIME = KindFacts(
        "time", "a time", FieldGroup.TIMES, "time", "Date and time", "a time with a zone, such as 2026-11-20T05:12:00Z",
        is_kept_whole=True,
    )  # fmt: skip
    FLAG = KindFacts("flag", "true or false", FieldGroup.FLAGS, "true/false", "Yes or no", "true or false (t or f)")
    TEXT = KindFacts("text", "text", FieldGroup.TEXTS, "text", "Text", "a text", takes_any_text=True, takes_lines=True)
    NULL = KindFacts(
        "null", "a null", FieldGroup.TEXTS, "JSON or text", "Text", "a text (this field was always null)",
        takes_any_text=True, takes_lines=True,
    )  # fmt: skip
    """Nothing but null has been seen."""
    LIST = KindFacts(
        "list", "a list", FieldGroup.NESTED, "JSON array", "JSON array", "a JSON array, in [ and ]", takes_lines=True
    )
    OBJECT = KindFacts(
        "object",
        "an object",
        FieldGroup.NESTED,
        "JSON object",
        "JSON object",
        "a JSON object, in { and }",
        takes_lines=True,
    )

    _value_: str
    facts: KindFacts

    def __new__(cls, facts: KindFacts) -> "Kind":
        kind = object.__new__(cls)
        kind._value_, kind.facts = facts.name, facts
        return kind


class DisplayText(Struct, frozen=True):
    """A value for a cell: raw text, and the role that gives its colour (`muted`, `number`, `ok`, …)."""

    text: str
    role: str


STATUS_NAMES = frozenset({"status", "state", "phase", "stage", "result", "outcome"})
"""Names, in lower case, whose words say how things stand."""

_CHOICE_NAMES = STATUS_NAMES | {
    "grade", "type", "kind", "category", "severity", "priority", "level", "shift", "unit", "currency", "mode", "role",
}  # fmt: skip
_MAX_CHOICES = 16
_CHOICE = re.compile(r"[^\W\d_][\w +/&.-]{0,23}")

_MARKS = (
    ("●", "ok", "open, active, ok, operational, available, valid, passed, approved, running, online, ready, verified"),
    (
        "◐",
        "warning",
        "in transit, pending, processing, in progress, in process, on hold, hold, maintenance, expiring, under review, "
        "investigating, scheduled, partial, warning, waiting, draft, submitted, reserved, paused, limited, planned",
    ),
    (
        "✓",
        "muted",
        "closed, done, completed, complete, resolved, delivered, finished, archived, sold, settled, paid, shipped, "
        "received",
    ),
    (
        "✕",
        "danger",
        "rejected, failed, overdue, expired, revoked, suspended, cancelled, canceled, critical, blocked, quarantined, "
        "lost, error, invalid, fatal, broken, refused, void, offline",
    ),
)
_STATUS = {word: (mark, role) for mark, role, words in _MARKS for word in words.split(", ")}


def kind_of(name: str, values: Iterable[Json]) -> Kind:
    """The kind of the field `name`, from values of it; nulls tell nothing, and mixed values are text."""
    set_values = [value for value in values if value is not None]
    if name.casefold() in ID_NAMES:
        return Kind.ID
    scalar = all(isinstance(value, str | Number) for value in set_values)
    if scalar and points_elsewhere(name):
        return Kind.REFERENCE
    if not set_values:
        return Kind.NULL
    kinds = {_plain_kind(value) for value in set_values}
    if kinds == {Kind.TEXT, Kind.TIME} and all(value == "" for value in set_values if _plain_kind(value) is Kind.TEXT):
        return Kind.TIME
    if len(kinds) > 1:
        return Kind.TEXT
    kind = kinds.pop()
    if kind is Kind.TEXT and _are_choices(name, [value for value in set_values if isinstance(value, str)]):
        return Kind.CHOICE
    return kind


def kind_of_value(value: Json | Absent) -> Kind:
    """The kind of a value, without regard to its field's name."""
    return Kind.NULL if value is None or isinstance(value, Absent) else _plain_kind(value)


def typical_value(values: Iterable[Json | Absent]) -> Json | Absent:
    """Return the first value that is neither null nor absent, if all such values have one JSON type; else ABSENT."""
    typical: Json | Absent = ABSENT
    for value in values:
        if value is None or isinstance(value, Absent):
            continue
        if isinstance(typical, Absent):
            typical = value
        elif json_type(value) is not json_type(typical):
            return ABSENT
    return typical


def json_type(value: Json) -> Kind:
    """Return the kind that stands for the JSON type of `value`: a time is a text."""
    return Kind.TEXT if isinstance(value, str) else kind_of_value(value)


def choices_seen(values: Iterable[Json | Absent]) -> tuple[tuple[str, int], ...]:
    """The texts among the values, each once with how often it was seen, the most frequent first."""
    return tuple(Counter(value for value in values if isinstance(value, str) and value).most_common())


def display_text(
    value: Json | Absent,
    kind: Kind,
    *,
    tz: tzinfo = UTC,
    arrow: bool = False,
    zone: bool = False,
    words: bool = False,
) -> DisplayText:
    """Return `value` as a cell shows it, times in `tz`; the text of an id stays as it is.

    `arrow` marks references, `zone` adds the zone to a time, `words` say what a sign alone would leave open.
    """
    match value:
        case "":
            return DisplayText('""', "muted")
        case str() if value == MASKED:
            return DisplayText(value, "muted")
        case str():
            text, role = value, "text"
        case Number():
            text, role = value.text, "number"
        case bool():
            sign, word, role = ("✓", "yes", "ok") if value else ("✗", "no", "muted")
            return DisplayText(f"{sign} {word}" if words else sign, role)
        case None:
            return DisplayText("∅", "muted")
        case Absent():
            return DisplayText("", "muted")
        case Mapping():
            return DisplayText(f"{{{len(value) or ''}}}{' empty' * (words and not value)}", "muted")
        case _:
            return DisplayText(f"[{len(value) or ''}]{' empty' * (words and not value)}", "muted")
    match kind:
        case Kind.TEXT | Kind.NUMBER | Kind.FLAG | Kind.NULL | Kind.LIST | Kind.OBJECT:
            return DisplayText(text, role)
        case Kind.ID:
            return DisplayText(text, "text")
        case Kind.REFERENCE:
            return DisplayText(f"{text} →" if arrow else text, "reference")
        case Kind.TIME if role == "text":
            return DisplayText(local_time(text, tz, zone=zone) or text, "time")
        case Kind.CHOICE if role == "text":
            return _choice(text)
        case Kind.TIME | Kind.CHOICE:
            return DisplayText(text, role)


def raw_text(value: Json | Absent, kind: Kind) -> DisplayText:
    """The value unformatted: a text bare, everything else as JSON, in the role that `display_text` gives it."""
    role = display_text(value, kind).role
    if isinstance(value, Absent):
        return DisplayText("", role)
    return DisplayText(value if isinstance(value, str) and value else dumps(value), role)


def editable_text(value: Json | Absent, *, indent: int | None = 2) -> str:
    """Return the text that an editor starts with, "" for null and absent; the entry of its kind reads it back."""
    match value:
        case Absent() | None:
            return ""
        case bool():
            return "true" if value else "false"
        case str():
            return value
        case Number():
            return value.text
        case _:
            return dumps(value, indent=indent)


def _plain_kind(value: Json) -> Kind:
    match value:
        case bool():
            return Kind.FLAG
        case Number():
            return Kind.NUMBER
        case str():
            return Kind.TIME if parse_time(value) is not None else Kind.TEXT
        case Mapping():
            return Kind.OBJECT
        case Sequence():
            return Kind.LIST
        case _:
            return Kind.NULL


def _are_choices(name: str, texts: Sequence[str]) -> bool:
    words = {text for text in texts if text}
    if not words or len(words) > _MAX_CHOICES or not all(map(_CHOICE.fullmatch, words)):
        return False
    if name.casefold() in _CHOICE_NAMES or name.casefold().endswith(("status", "state", "type")):
        return True
    # Words that come again and again are a vocabulary; names of people and places repeat far less.
    return len(texts) >= 12 and len(words) * 4 <= len(texts) and all(len(word.split()) <= 2 for word in words)


def _choice(text: str) -> DisplayText:
    word = re.sub(r"[_-]+", " ", text).casefold()
    word = " ".join(word.split())
    if word in _STATUS:
        mark, role = _STATUS[word]
        return DisplayText(f"{mark} {text.replace('_', ' ')}", role)
    # Other words (minerals, priorities, codes) say nothing about how things stand: a mark would only be noise.
    return DisplayText(text, "text")
