"""A form with a line for each field: its contents, what of it is sent, and which fields a new record may need.

The document shows no fields, so they are learned from the records seen.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from enum import Enum

from msgspec import Struct

from svc_tui.core.catalog import Collection, Route
from svc_tui.core.field_entry import ValueProblem, entry_of
from svc_tui.core.jsontext import ABSENT, Absent, Json, JsonError, Number, dumps, loads
from svc_tui.core.kinds import Kind, editable_text, kind_of, typical_value
from svc_tui.core.records import Record, id_field
from svc_tui.core.values import replace

_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_SERVICE_TIME_NAME = frozenset({"created", "updated", "modified", "deleted", "inserted"})
"""Words for what a service does to a record, which it tells by itself: `createdAt`, `updated_by`."""
_SERVICE_NAMES = frozenset({"etag", "version", "revision", "hash", "previoushash", "sequence", "tenantid"})
"""Names, in lower case and without marks between words, of what a service counts or reckons out by itself."""


class BlankMeaning(Enum):
    """What a line without text stands for; the value is how people read it."""

    NOT_SENT = "not sent"
    NULL = "null"
    EMPTY = '""'


class FormLine(Struct, frozen=True):
    """One field of a form: `text` as it was typed, and what it means while there is none.

    `source` is the value that `text` was made from, which it stands for as long as it is not touched. A `needed` line
    takes a text and nothing else. `takes` says what it takes, where its kind does not say it well.
    """

    name: str
    kind: Kind
    text: str = ""
    blank: BlankMeaning = BlankMeaning.NOT_SENT
    needed: bool = False
    source: Json | Absent = ABSENT
    takes: str = ""

    @property
    def hint(self) -> str:
        """What the line takes, in a word or three."""
        return self.takes or self.kind.facts.form_hint

    def typed(self, text: str) -> "FormLine":
        """The line with another text in it."""
        return replace(self, text=text)

    def turned(self) -> "FormLine":
        """The line with the next thing that no text can stand for: not sent, null, and for texts the empty one."""
        if self.needed:
            return self
        order = [BlankMeaning.NOT_SENT, BlankMeaning.NULL]
        if self.kind.facts.takes_any_text:
            order.append(BlankMeaning.EMPTY)
        return replace(self, text="", blank=order[(order.index(self.blank) + 1) % len(order)])

    @property
    def value(self) -> Json | Absent:
        """What is sent for it, ABSENT for nothing; raises ValueProblem for text that is no value of its kind."""
        if not self.text:
            if self.needed and self.blank is BlankMeaning.NOT_SENT:
                raise ValueProblem("This field is required.")
            return {BlankMeaning.NOT_SENT: ABSENT, BlankMeaning.NULL: None, BlankMeaning.EMPTY: ""}[self.blank]
        if not isinstance(self.source, Absent) and self.text == editable_text(self.source, indent=None):
            return self.source
        if self.kind is Kind.NULL:
            return _json_or_text(self.text)
        return entry_of(self.kind, self.source).read(self.text)

    @property
    def problem(self) -> str:
        """Why the line can't be sent, in a sentence; "" where it can."""
        try:
            value = self.value
        except ValueProblem as problem:
            return str(problem)
        return (
            ""
            if isinstance(value, Absent) or _parse_whole(value)
            else "The text has an incomplete Unicode character that can't be sent."
        )


class FieldForm(Struct, frozen=True):
    """The lines of a form, in order."""

    lines: tuple[FormLine, ...] = ()

    def with_line(self, line: FormLine) -> "FieldForm":
        """The form with another state of the line of that name."""
        return FieldForm(tuple(line if line.name == held.name else held for held in self.lines))

    def line(self, name: str) -> FormLine | None:
        """The line of that name."""
        return next((line for line in self.lines if line.name == name), None)

    def adding(self, name: str, kind: Kind = Kind.NULL) -> "FieldForm":
        """The form with a line more at its end; one that is there stays as it is."""
        return self if self.line(name) is not None else FieldForm((*self.lines, FormLine(name, kind)))

    def beside(self, other: "FieldForm") -> "FieldForm":
        """The form with the lines of `other` that it has not, at its end."""
        names = {line.name for line in self.lines}
        return FieldForm((*self.lines, *(line for line in other.lines if line.name not in names)))

    @property
    def filled(self) -> tuple[str, ...]:
        """The names of the lines that are filled in."""
        return tuple(line.name for line in self.lines if line.text or line.blank is not BlankMeaning.NOT_SENT)

    @property
    def problems(self) -> tuple[tuple[str, str], ...]:
        """Name and sentence of every line that can't be sent."""
        return tuple((line.name, line.problem) for line in self.lines if line.problem)

    @property
    def values(self) -> Mapping[str, Json]:
        """What is filled in, and nothing else; raises ValueProblem where a line has one."""
        values = ((line.name, line.value) for line in self.lines)
        return {name: value for name, value in values if not isinstance(value, Absent)}

    @property
    def touched(self) -> bool:
        """Whether any line is filled in."""
        return bool(self.filled)


class FormAction(Enum):
    """What a form leads to; the value is how it is kept."""

    NEW = "new"
    COPY = "copy"
    AGAIN = "again"
    ACTION = "action"


class FormTarget(Struct, frozen=True):
    """What a form is for: a new record of the collection, a copy of its record `record_id`, that one created again, or
    an action on it, which has a `route`.

    `number` tells forms for the same thing apart that several programs keep at once: 0, then 2, 3, …
    """

    deed: FormAction
    collection: Collection
    record_id: str = ""
    route: Route | None = None
    number: int = 0

    @property
    def words(self) -> str:
        """The purpose as people read it."""
        return f"{self._words} ({self.number})" if self.number else self._words

    @property
    def _words(self) -> str:
        match self.deed:
            case FormAction.NEW:
                return f"new record in {self.collection.key}"
            case FormAction.COPY:
                return f"copy of {self.record_id} in {self.collection.key}"
            case FormAction.AGAIN:
                return f"{self.record_id} created again in {self.collection.key}"
            case FormAction.ACTION:
                return f"{self.route.name if self.route else 'action'} · {self.record_id}"


class SavedForm(Struct, frozen=True):
    """A form that was begun and not sent: what it is for, and when it was last changed.

    `intent` is the number of the journal entry that it was last sent with, 0 for none.
    `key_fingerprint` is that of the key in use when it was handed to the store.
    """

    purpose: FormTarget
    form: FieldForm
    changed: datetime
    intent: int = 0
    key_fingerprint: str = ""


def form_for(records: Sequence[Record]) -> FieldForm:
    """The form for a new record beside `records`: the fields most often filled in first, none of the service's own."""
    filled: Counter[str] = Counter()
    values_by_name: dict[str, list[Json]] = {}
    own = {name for record in records[:1] if (name := id_field(record.fields)) is not None}
    for record in records:
        for name, value in record.fields.items():
            if name not in own and not is_set_by_service(name):
                values_by_name.setdefault(name, []).append(value)
                filled[name] += value is not None and value not in ("", [], {})
    ranked = sorted(values_by_name, key=lambda name: -filled[name])
    return FieldForm(tuple(FormLine(name, _line_kind(name, values_by_name[name])) for name in ranked))


def fill_from_record(form: FieldForm, record: Record, *, times: bool = False) -> FieldForm:
    """The form filled in from a record, without its id and what is the service's own; without its times, unless asked.

    Fields that the form has no line for come last.
    """
    own = id_field(record.fields)
    for name, value in record.fields.items():
        kind = line.kind if (line := form.line(name)) else _line_kind(name, [value])
        if name == own or is_set_by_service(name) or (kind is Kind.TIME and not times):
            continue
        form = form.adding(name, kind).with_line(_make_line(name, kind, value))
    return form


def is_set_by_service(name: str) -> bool:
    """Whether the name is one of a field that the service fills in by itself, such as `createdAt`."""
    words = [word.lower() for word in _WORDS.findall(name)]
    return "".join(words) in _SERVICE_NAMES or (len(words) <= 2 and bool(words) and words[0] in _SERVICE_TIME_NAME)


def kind_seen(name: str, records: Iterable[Record]) -> Kind:
    """The kind of a field that the user adds by its name, from records that have it."""
    return _line_kind(name, [record.fields[name] for record in records if name in record.fields])


def _line_kind(name: str, values: Sequence[Json]) -> Kind:
    """Return the kind that a line takes: references that are numbers are typed as numbers."""
    kind = kind_of(name, values)
    return Kind.NUMBER if kind is Kind.REFERENCE and isinstance(typical_value(values), Number) else kind


def _make_line(name: str, kind: Kind, value: Json) -> FormLine:
    """The line that stands for `value`, whatever kind its field mostly has."""
    if value is None:
        return FormLine(name, kind, blank=BlankMeaning.NULL)
    if value == "":
        return FormLine(name, kind, blank=BlankMeaning.EMPTY)
    return FormLine(name, kind, editable_text(value, indent=None), source=value)


def _json_or_text(text: str) -> Json:
    try:
        return loads(text)
    except JsonError:
        return text


def _parse_whole(value: Json) -> bool:
    try:
        dumps(value).encode()
    except UnicodeEncodeError:
        return False
    return True
