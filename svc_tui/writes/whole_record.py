"""A whole record as text to be edited elsewhere, and what the text that comes back changes."""

from collections.abc import Mapping

from msgspec import Struct, field

from svc_tui.core.draft import Draft
from svc_tui.core.jsontext import Json, JsonError, check_document, dumps
from svc_tui.core.records import id_field


class RecordChanges(Struct, frozen=True):
    """The fields that came back with another value, or that are new, and those that did not come back."""

    values: Mapping[str, Json] = field(default_factory=dict)
    left_out: tuple[str, ...] = ()


class TextMistake(Struct, frozen=True):
    """Text that is no record; `line` (from 1; 0: all of it) and `column` tell where, `text` is that line."""

    reason: str
    line: int = 0
    column: int = 0
    text: str = ""


def record_text(fields: Mapping[str, Json]) -> str:
    """The record as indented JSON that ends with a line feed, every number as the service sent it."""
    # What can't be written as UTF-8, half a character, is JSON's own escape for it.
    return dumps(fields, indent=2).encode("utf-8", "backslashreplace").decode() + "\n"


def parse_changes(fields: Mapping[str, Json], text: str) -> RecordChanges | TextMistake:
    """What the text that came back changes in the record that was handed out as `text_of(fields)`.

    A number that is written otherwise is a change; another order of names is none.
    """
    try:
        document = check_document(text)
    except JsonError as error:
        line = text.split("\n")[error.line - 1].removesuffix("\r")
        return TextMistake(error.reason, error.line, error.column, line)
    if not isinstance(document, Mapping):
        return TextMistake("A record must be a JSON object, in { and }.")
    name = id_field(fields)
    if name is not None and (name not in document or document[name] != fields[name]):
        word = "is missing" if name not in document else "was changed"
        return TextMistake(f"The {name} {word}. It identifies the record and must stay {dumps(fields[name])}.")
    values = {name: value for name, value in document.items() if name not in fields or fields[name] != value}
    return RecordChanges(values, tuple(name for name in fields if name not in document))


def apply_changes(draft: Draft, changed: RecordChanges) -> Draft:
    """The draft with what came back; a field that only the draft had is gone where it was left out.

    One that the record has stays as it was: a change tells nothing of what it leaves out.
    """
    for name, value in changed.values.items():
        draft = draft.with_value(name, value)
    for name in changed.left_out:
        if name not in draft.base.fields:
            draft = draft.without(name)
    return draft


def fields_left_out(draft: Draft, changed: RecordChanges) -> tuple[str, ...]:
    """The fields that were left out although the record has them: no change can take them away."""
    return tuple(name for name in changed.left_out if name in draft.base.fields)
