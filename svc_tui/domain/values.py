"""Kinds of value: how each is told from names and values seen, shown in a few cells, edited as text and checked.

The document shows no fields, so kinds are learned. A kind is a matter of looks and of checking what was typed: no
value is ever changed by it. Text given here is raw; the interface makes it harmless on its way to the screen.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo
from enum import Enum

from svc_tui.domain.draft import ABSENT, Absent
from svc_tui.domain.jsontext import Json, JsonError, Number, dumps, loads
from svc_tui.domain.records import ID_NAMES
from svc_tui.domain.references import points_elsewhere


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


class ValueProblem(ValueError):
    """Text that is no value of its kind; the message is one sentence for the person who typed it."""


@dataclass(frozen=True, slots=True)
class Shown:
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
_TIME = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}"
    r"(?P<time>[Tt ][0-9]{2}:[0-9]{2}:[0-9]{2}(?P<fraction>\.[0-9]+)?(?P<zone>[Zz]|[+-][0-9]{2}:[0-9]{2}))?"
)

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
_FLAGS = {"true": True, "yes": True, "y": True, "1": True, "false": False, "no": False, "n": False, "0": False}
_QUOTED = 24


def kind_of(name: str, values: Iterable[Json]) -> Kind:
    """The kind of the field `name`, from values of it; nulls tell nothing, and mixed values are text."""
    seen = [value for value in values if value is not None]
    if name.casefold() in ID_NAMES:
        return Kind.ID
    scalar = all(isinstance(value, str | Number) for value in seen)
    if scalar and points_elsewhere(name):
        return Kind.REFERENCE
    if not seen:
        return Kind.NULL
    kinds = {_plain_kind(value) for value in seen}
    if kinds == {Kind.TEXT, Kind.TIME} and all(value == "" for value in seen if _plain_kind(value) is Kind.TEXT):
        return Kind.TIME
    if len(kinds) > 1:
        return Kind.TEXT
    kind = kinds.pop()
    if kind is Kind.TEXT and _are_choices(name, [value for value in seen if isinstance(value, str)]):
        return Kind.CHOICE
    return kind


def kind_of_value(value: Json | Absent) -> Kind:
    """The kind that a value has by itself, whatever its field is called."""
    return Kind.NULL if value is None or isinstance(value, Absent) else _plain_kind(value)


def choices_seen(values: Iterable[Json]) -> tuple[str, ...]:
    """The texts among the values, each once, the most frequent first."""
    counted = Counter(value for value in values if isinstance(value, str) and value)
    return tuple(text for text, _ in counted.most_common())


def display(value: Json | Absent, kind: Kind, *, tz: tzinfo = UTC, arrow: bool = False, zone: bool = False) -> Shown:
    """The value in a cell, times in `tz`; an id's text is never touched.

    `arrow` marks references, `zone` puts the zone's name after a time.
    """
    match value:
        case "":
            return Shown('""', "muted")
        case str():
            text, role = value, "text"
        case Number():
            text, role = value.text, "number"
        case bool():
            return Shown("✓", "ok") if value else Shown("·", "muted")
        case None:
            return Shown("∅", "muted")
        case Absent():
            return Shown("", "muted")
        case Mapping():
            return Shown(f"{{{len(value)}}}", "muted")
        case _:
            return Shown(f"[{len(value)}]", "muted")
    if kind is Kind.REFERENCE:
        return Shown(f"{text} →" if arrow else text, "reference")
    if kind is Kind.TIME and role == "text":
        return Shown(local_time(text, tz, zone=zone) or text, "time")
    if kind is Kind.CHOICE and role == "text":
        return _choice(text)
    return Shown(text, "text" if kind is Kind.ID else role)


def as_it_came(value: Json | Absent, kind: Kind) -> Shown:
    """The value unformatted: a text bare, everything else as JSON, in the role that `display` gives it."""
    role = display(value, kind).role
    if isinstance(value, Absent):
        return Shown("", role)
    return Shown(value if isinstance(value, str) and value else dumps(value), role)


def editable(value: Json | Absent, kind: Kind) -> str:
    """The text that an editor starts with; `parse` of it gives the value back, but for null and absent (both "")."""
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


def parse(text: str, kind: Kind, *, old: Json | Absent = ABSENT) -> Json:
    """The value that `text` stands for; raises ValueProblem, in words for people.

    `old` is the value being replaced: an id or a reference that was a number stays one.
    """
    match kind:
        case Kind.NUMBER:
            return _number(text)
        case Kind.TIME:
            return _time(text)
        case Kind.FLAG:
            return _flag(text)
        case Kind.OBJECT | Kind.LIST:
            return _structure(text, kind)
        case _:
            return _number(text) if isinstance(old, Number) else text


def _plain_kind(value: Json) -> Kind:
    match value:
        case bool():
            return Kind.FLAG
        case Number():
            return Kind.NUMBER
        case str():
            return Kind.TIME if moment(value) is not None else Kind.TEXT
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


def _choice(text: str) -> Shown:
    word = re.sub(r"[_-]+", " ", text).casefold()
    word = " ".join(word.split())
    if word in _STATUS:
        mark, role = _STATUS[word]
        return Shown(f"{mark} {text.replace('_', ' ')}", role)
    # Other words (minerals, priorities, codes) say nothing about how things stand: a mark would only be noise.
    return Shown(text, "text")


def moment(text: str) -> datetime | None:
    """The moment of an RFC 3339 date-time or full-date; None for anything else."""
    try:
        if len(text) == 20 and text[4::3] == "--T::Z":
            # As nearly all are written; what stands between those signs is checked as it is read.
            return datetime.fromisoformat(text)
        match = _TIME.fullmatch(text)
        if match is None:
            return None
        if match["time"] is None:
            return datetime.fromisoformat(text)
        zone = "+00:00" if match["zone"] in "Zz" else match["zone"]
        fraction = (match["fraction"] or ".")[:7].ljust(7, "0")
        return datetime.fromisoformat(f"{text[:10]}T{text[11:19]}{fraction}{zone}")
    except ValueError:
        return None


def local_time(text: str, tz: tzinfo, *, zone: bool = False) -> str | None:
    """`2026-11-20 06:12` in `tz`, with ` CET` after it for `zone`; a date stays one.

    None where the text is no time, or one that `tz` can't tell since it is at the end of the calendar.
    """
    at = moment(text)
    if at is None:
        return None
    if at.tzinfo is None:
        return text
    try:
        local = at.astimezone(tz)
    except (OverflowError, ValueError):
        return None
    # Not by strftime, which writes the year 1 as "1".
    told = local.replace(tzinfo=None).isoformat(" ", "minutes")
    return f"{told} {local.tzname()}" if zone else told


def _quoted(text: str) -> str:
    return f"“{text if len(text) <= _QUOTED else text[:_QUOTED] + '…'}”"


def _number(text: str) -> Number:
    typed = text.strip()
    if not typed:
        raise ValueProblem("A number is needed here.")
    try:
        return Number(typed)
    except JsonError:
        raise ValueProblem(f"{_quoted(typed)} is not a number; write it like -12.50 or 1e6.") from None


def _time(text: str) -> str:
    typed = text.strip()
    if moment(typed) is None:
        raise ValueProblem(f"{_quoted(typed)} is not a time; write it like 2026-11-20T05:12:00Z.")
    return typed


def _flag(text: str) -> bool:
    try:
        return _FLAGS[text.strip().lower()]
    except KeyError:
        raise ValueProblem(f"{_quoted(text.strip())} is neither true nor false.") from None


def _structure(text: str, kind: Kind) -> Json:
    try:
        value = loads(text)
    except JsonError as error:
        raise ValueProblem(f"This is not JSON: {error}.") from None
    if kind is Kind.OBJECT and not isinstance(value, Mapping):
        raise ValueProblem("An object is needed here, in { and }.")
    if kind is Kind.LIST and not isinstance(value, list):
        raise ValueProblem("A list is needed here, in [ and ].")
    return value
