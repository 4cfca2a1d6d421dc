"""Records in JSON: an array of objects, an object with such an array as `data`, or an object a line."""

from collections.abc import Mapping

from svc_tui.domain.corrections.correction import CorrectionFileError
from svc_tui.domain.model.jsontext import Json, JsonError, loads

JsonRow = tuple[int, str, Mapping[str, Json]]
"""The number that people count the record by, what to call it in a sentence, and the record."""

_LISTS = ("data", "items")
"""Names under which an answer of the service holds its records."""


def read_json_rows(text: str) -> list[JsonRow]:
    """The records of a text, exact to the digit; raises CorrectionFileError."""
    try:
        value = loads(text)
    except JsonError as error:
        if "\n" in text.strip() and (lines := _lines(text)) is not None:
            return lines
        raise CorrectionFileError(f"Not valid JSON: {error}.") from None
    if isinstance(value, Mapping):
        listed = next((value[name] for name in _LISTS if isinstance(value.get(name), list)), None)
        # One object alone is a file of JSON Lines with one line.
        value = [value] if listed is None else listed
    if not isinstance(value, list):
        raise CorrectionFileError("The file must contain an array of objects, or one object per line.")
    return [_row(number, f"Item {number:,}", item) for number, item in enumerate(value, 1)]


def _lines(text: str) -> list[JsonRow] | None:
    """The records of JSON Lines; None where the first line is no object, so that it is something else."""
    rows: list[JsonRow] = []
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            rows.append(_row(number, f"Line {number:,}", loads(line)))
        except JsonError as error:
            if not rows:
                return None
            place = f", column {error.column:,}" if error.column else ""
            raise CorrectionFileError(f"Line {number:,}{place}: not valid JSON: {error.reason}.") from None
    return rows


def _row(number: int, row: str, value: Json) -> JsonRow:
    if not isinstance(value, Mapping):
        raise CorrectionFileError(f"{row}: not an object. Put each record in {{ and }}.")
    return number, row, value
