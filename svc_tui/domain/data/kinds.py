"""Kinds of value: how each is told from names and values seen, and shown in a few cells.

The document shows no fields, so kinds are learned. A kind is a matter of looks and of checking what is typed: no
value is ever changed by it. Text given here is raw; the interface makes it harmless on its way to the screen.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, tzinfo
from enum import Enum

from svc_tui.domain.data.references import points_elsewhere
from svc_tui.domain.data.times import local_time, parse_time
from svc_tui.domain.model.absent import ABSENT, Absent
from svc_tui.domain.model.jsontext import Json, Number, dumps
from svc_tui.domain.model.records import ID_NAMES

MASKED = "▒▒▒▒▒▒▒▒"
"""What stands for every value that is hidden."""


class Kind(Enum):
    """What a field holds, as far as can be told."""

    ID = "id"
    NUMBER = "number"
    TIME = "time"
    FLAG = "flag"
    CHOICE = "choice"
    REFERENCE = "reference"
    TEXT = "text"
    OBJECT = "object"
    LIST = "list"
    NULL = "null"
    """Nothing but null has been seen."""


@dataclass(frozen=True, slots=True)
class DisplayText:
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
        elif json_type(value) != json_type(typical):
            return ABSENT
    return typical


def json_type(value: Json) -> str:
    """Return the JSON type of `value`: "null", "flag", "number", "text", "object" or "list"."""
    kind = Kind.TEXT if isinstance(value, str) else kind_of_value(value)
    return kind.value


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
    """The value in a cell, times in `tz`; an id's text is never touched.

    `arrow` marks references, `zone` puts the zone's name after a time, `words` say what a sign alone would leave open.
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
    if kind is Kind.REFERENCE:
        return DisplayText(f"{text} →" if arrow else text, "reference")
    if kind is Kind.TIME and role == "text":
        return DisplayText(local_time(text, tz, zone=zone) or text, "time")
    if kind is Kind.CHOICE and role == "text":
        return _choice(text)
    return DisplayText(text, "text" if kind is Kind.ID else role)


def raw_text(value: Json | Absent, kind: Kind) -> DisplayText:
    """The value unformatted: a text bare, everything else as JSON, in the role that `display_text` gives it."""
    role = display_text(value, kind).role
    if isinstance(value, Absent):
        return DisplayText("", role)
    return DisplayText(value if isinstance(value, str) and value else dumps(value), role)


def editable_text(value: Json | Absent, kind: Kind) -> str:
    """The text that an editor starts with; the entry of its kind reads it back, but for null and absent (both "")."""
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
            return dumps(value, indent=2)


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
