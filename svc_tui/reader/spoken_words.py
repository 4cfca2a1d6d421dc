"""The words for values, records and counts, made to be heard: no signs alone, nothing that can't be spoken."""

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import tzinfo

from svc_tui.core.catalog import Collection
from svc_tui.core.draft import FieldChange, json_or_unset
from svc_tui.core.field_path import value_at
from svc_tui.core.jsontext import Absent, Json, Number
from svc_tui.core.kinds import Kind, kind_of
from svc_tui.core.phrases import counted
from svc_tui.core.records import ID_NAMES, Place, Record
from svc_tui.core.references import split_words
from svc_tui.core.times import local_time
from svc_tui.core.visible_text import field_label, visible
from svc_tui.history.timeline import source_word
from svc_tui.records.columns import choose_columns

_SHORT_CHARACTERS = 60
_FIELDS_IN_LIST = 3
_MAX_DIGITS = 15
_PLAIN_NAMES = frozenset({"status", "state"})
"""Fields, in lower case, whose values say by themselves what they are."""
_NUMBERED_ID = re.compile(r"(?:[A-Za-z]+[-_])?0*(\d{1,9})")
_MAX_SPOKEN_ID = 16
_SPOKEN_END = 6
"""Characters of a longer id that are said."""


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
            return f"object with {counted(len(value), 'field')}"
        case _:
            return f"list with {counted(len(value), 'item')}"


def change_words(change: FieldChange) -> str:
    """A change of one field as the request makes it: old and new so written that null, "" and "null" differ."""
    old, new = visible(json_or_unset(change.old)), visible(json_or_unset(change.new))
    untaken = ", not saved by the service" if change.untaken else ""
    return f"{field_label(change.name)}: from {old} to {new}{untaken}"


def list_fields(records: Sequence[Record], chosen: Sequence[str], asked: Sequence[str]) -> tuple[str, ...]:
    """The paths of the fields that are said of each record in a list: the chosen ones, else the most telling.

    Those that are `asked` for by a filter are said in any case.
    """
    paths = list(chosen) or [column.name for column in choose_columns(records, len)]
    telling = [path for path in paths if path.casefold() not in ID_NAMES][:_FIELDS_IN_LIST]
    if not chosen and any(record.label for record in records):
        # A time takes four seconds to say, and the name tells the records apart.
        telling = [path for path in telling if not _is_time(records, path)]
    return tuple(dict.fromkeys((*telling, *(path for path in asked if path.casefold() not in ID_NAMES))))


def record_words(record: Record, fields: Iterable[str], tz: tzinfo, draft: str = "") -> str:
    """A record in a list: its name, the fields that it has, its draft, and the id last."""
    label = record.label
    values = ((path, value_at(record.fields, path)) for path in fields)
    others = [_field_words(value, path, tz) for path, value in values if not _is_unset(value) and value != label]
    return ", ".join(filter(None, (shortened(label), *others, draft, visible(record.id or "no id"))))


def _field_words(value: Json | Absent, path: str, tz: tzinfo) -> str:
    words = value_words(value, path, tz)
    return words.replace("_", " ") if path.casefold() in _PLAIN_NAMES else f"{field_label(path)} {words}"


def collection_words(collection: Collection) -> str:
    """A collection's name as it is spoken: `production logs`."""
    return " ".join(split_words(collection.name)) or collection.name


def short_place(place: Place) -> str:
    """A record in few words: `lot 11` for `lot-000011`; of a long id only its end."""
    noun = " ".join(split_words(source_word(place.collection))) or place.collection.name
    if number := _NUMBERED_ID.fullmatch(place.id):
        return f"{noun} {number[1]}"
    return f"{noun} {place.id if len(place.id) <= _MAX_SPOKEN_ID else f'ending in {place.id[-_SPOKEN_END:]}'}"


def label_words(record: Record) -> str:
    """A record's name behind its id, "" where it has none."""
    return f", {visible(record.label)}" if record.label else ""


def _is_time(records: Sequence[Record], path: str) -> bool:
    values = (value_at(record.fields, path) for record in records)
    return kind_of(path, [value for value in values if not isinstance(value, Absent)]) is Kind.TIME


def _is_unset(value: Json | Absent) -> bool:
    return isinstance(value, Absent) or value is None or value == ""
