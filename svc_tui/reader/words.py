"""The words for values, records and counts, made to be heard: no signs alone, nothing that can't be spoken."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import tzinfo

from svc_tui.domain.collections.columns import choose_columns
from svc_tui.domain.data.counted import counted
from svc_tui.domain.data.field_path import value_at
from svc_tui.domain.data.kinds import Kind, kind_of
from svc_tui.domain.data.times import local_time
from svc_tui.domain.data.visible_text import field_label, visible
from svc_tui.domain.editing.draft import FieldChange, json_or_unset
from svc_tui.domain.model.absent import Absent
from svc_tui.domain.model.jsontext import Json, Number
from svc_tui.domain.model.records import ID_NAMES, Record

_SHORT_CHARACTERS = 60
_FIELDS_IN_LIST = 3
_MAX_DIGITS = 15


def begun(text: str) -> str:
    """A text as a sentence begins: the words of an error begin small, since elsewhere they follow a colon."""
    return f"{text[:1].upper()}{text[1:]}"


def shortened(text: str, most: int = _SHORT_CHARACTERS) -> str:
    """Visible text in at most so many characters, with a word for what was cut."""
    text = visible(text)
    return text if len(text) <= most else f"{text[: most - 1].rstrip()}… ({counted(len(text), 'character')})"


def typed_number(text: str) -> int | None:
    """The number that a text is; None where it is none, or has more digits than anything here is numbered with."""
    return int(text) if text.isascii() and text.isdecimal() and len(text) <= _MAX_DIGITS else None


def listed_number(text: str, count: int) -> int | None:
    """The number, from 1 on, of one of the `count` lines of a list; None where the text names none of them."""
    number = typed_number(text)
    return number if number is not None and 0 < number <= count else None


def value_words(value: Json | Absent, name: str, tz: tzinfo) -> str:
    """A value of the field `name` to be heard, on one line; null, empty and not set are told apart."""
    match value:
        case Absent():
            return "not set"
        case None:
            return "null"
        case "":
            return "empty text"
        case bool():
            return "yes" if value else "no"
        case Number():
            return value.text
        case str():
            is_time = kind_of(name, [value]) is Kind.TIME
            return (local_time(value, tz, zone=True, seconds=True) if is_time else None) or shortened(value)
        case Mapping():
            return f"{counted(len(value), 'field')} inside"
        case _:
            return f"a list of {len(value):,}"


def change_words(change: FieldChange) -> str:
    """A change of one field as the request makes it: old and new so written that null, "" and "null" differ."""
    old, new = visible(json_or_unset(change.old)), visible(json_or_unset(change.new))
    untaken = "; the service did not take it" if change.untaken else ""
    return f"{field_label(change.name)}: from {old} to {new}{untaken}"


def list_fields(records: Sequence[Record], chosen: Sequence[str], asked: Sequence[str]) -> tuple[str, ...]:
    """The paths of the fields that are said of each record in a list: the chosen ones, else the most telling.

    Those that are `asked` for by a filter are said in any case.
    """
    paths = list(chosen) or [column.name for column in choose_columns(records, len)]
    telling = [path for path in paths if path.casefold() not in ID_NAMES][:_FIELDS_IN_LIST]
    return tuple(dict.fromkeys((*telling, *(path for path in asked if path.casefold() not in ID_NAMES))))


def record_words(record: Record, fields: Iterable[str], tz: tzinfo) -> str:
    """A record in a list: its id, then the fields that it has."""
    values = ((path, value_at(record.fields, path)) for path in fields)
    told = [f"{field_label(path)} {value_words(value, path, tz)}" for path, value in values if not _is_unset(value)]
    return ", ".join([visible(record.id or "a record without an id"), *told])


def label_words(record: Record) -> str:
    """A record's name behind its id, "" where it has none."""
    return f", {visible(record.label)}" if record.label else ""


def _is_unset(value: Json | Absent) -> bool:
    return isinstance(value, Absent) or value is None or value == ""
