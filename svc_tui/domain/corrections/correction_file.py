"""Reads a file of corrections: a table of CSV, TSV or a spreadsheet, a JSON array, or JSON Lines."""

import hashlib
import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass

from svc_tui.domain.corrections.cell_text import cell_text, fused_again, read_id
from svc_tui.domain.corrections.correction import (
    Cell,
    Correction,
    CorrectionFileError,
    Corrections,
    RowAction,
    ValueWords,
)
from svc_tui.domain.corrections.decimal_marks import number_format
from svc_tui.domain.corrections.delimited_table import Rows, column_letters, read_table
from svc_tui.domain.corrections.json_rows import read_json_rows
from svc_tui.domain.corrections.text_encoding import decode_text
from svc_tui.domain.http.redact import mask_keys
from svc_tui.domain.model.absent import ABSENT, Absent
from svc_tui.domain.model.jsontext import Json, JsonError, Number, dumps, loads
from svc_tui.domain.model.records import ID_NAMES, STAND_IN_NAMES

ACTION, VERSION = "_action", "_version"
"""The columns that are no fields; their names count in any case."""

_KNOWN_NAMES = frozenset((*ID_NAMES, ACTION, VERSION))
_TABLE_ENDINGS = ("csv", "tsv", "tab")
_JSON_ENDINGS = ("json", "jsonl", "ndjson")
_OTHER_FORMATS = (
    (b"PK\x03\x04", "a spreadsheet or an archive"),
    (b"\xd0\xcf\x11\xe0", "an old Excel file, or a file with a password"),
    (b"%PDF-", "a PDF"),
    (b"\x1f\x8b", "a gzip archive"),
)
_SHORTENED = re.compile(r"[0-9][.,][0-9]+E[+-]?[0-9]+")
_FLOAT_ID = re.compile(r"(-?[0-9]+)\.0")


@dataclass(frozen=True, slots=True)
class _IdColumn:
    """Which column names the records, None where none does, and what people should know of that choice."""

    id_name: str | None
    notices: tuple[str, ...] = ()


def read_corrections(name: str, data: bytes, words: ValueWords) -> Corrections:
    """What the bytes of a file ask for; `name` is the file's, whose ending tells a table from JSON.

    Another ending leaves it to the content. Spreadsheets are read by `corrections_of_rows`. Raises CorrectionFileError.
    """
    for magic, what in _OTHER_FORMATS:
        if data.startswith(magic):
            raise CorrectionFileError(f"{name} is {what}. Save it as .xlsx or CSV.")
    text, notice = decode_text(data)
    if not text.strip():
        raise CorrectionFileError(f"{name} is empty. Add a row of column names and at least one row below it.")
    notices = (notice,) if notice else ()
    digest = hashlib.sha256(data).hexdigest()
    ending = name.casefold().rpartition(".")[2]
    if ending in _JSON_ENDINGS or (ending not in _TABLE_ENDINGS and text.lstrip()[0] in "[{"):
        return _of_json(name, digest, read_json_rows(text), notices)
    rows, delimiter = read_table(text, _KNOWN_NAMES)
    return _of_table(name, digest, rows, words, notices, separator_of_commas=delimiter in (";", "\t"))


def corrections_of_rows(
    name: str, digest: str, rows: Rows, words: ValueWords, notices: tuple[str, ...] = ()
) -> Corrections:
    """What the rows of a spreadsheet ask for: those that are not empty, the one of column names first.

    Raises CorrectionFileError.
    """
    if not rows:
        raise CorrectionFileError(f"{name} is empty. Add a row of column names and at least one row below it.")
    return _of_table(name, digest, rows, words, notices, separator_of_commas=False)


def _of_table(
    name: str, digest: str, rows: Rows, words: ValueWords, notices: tuple[str, ...], *, separator_of_commas: bool
) -> Corrections:
    (header_number, header), *body = rows
    names = _column_names(header_number, header, body)
    for number, cells in body:
        _check_cells(number, cells, names)
    columns = _find_id_column(names.values())
    special = {columns.id_name, *_special_names(names.values())}
    fields = {at: column for at, column in names.items() if column not in special}
    texts = ((at, cells[at]) for _, cells in body for at in fields if at < len(cells))
    numbers = number_format(texts, separator_of_commas=separator_of_commas, chosen=words.decimal)
    notices = (*notices, *columns.notices)
    if numbers.decimal_comma and numbers.chosen is None:
        notices = (*notices, "numbers are read with a decimal comma")
    if not body:
        notices = (*notices, "there are no rows below the column names")
    by_name = {column: at for at, column in names.items()}

    def text_at(cells: Sequence[str], column: str | None) -> str:
        at = len(cells) if column is None else by_name[column]
        return cells[at] if at < len(cells) else ""

    floats = _are_floats(text_at(cells, columns.id_name) for _, cells in body)
    corrections = []
    action_name, version_name = _name_like(names.values(), ACTION), _name_like(names.values(), VERSION)
    for number, cells in body:
        row = f"Row {number:,}"
        record_id = _read_id(row, text_at(cells, columns.id_name), floats=floats)
        values: dict[str, Json | Cell] = {
            column: numbers.cell(at, cells[at], _meaning(cells[at], words))
            for at, column in fields.items()
            if at < len(cells) and cells[at] and not cells[at].isspace()
        }
        if record_id and columns.id_name is not None:
            values = {columns.id_name: Cell(record_id), **values}
        action = _read_action(row, text_at(cells, action_name), record_id)
        version = text_at(cells, version_name).strip()
        corrections.append(_correction(number, action, record_id, values, version, columns.id_name))
    return Corrections(name, digest, tuple(corrections), tuple(fields.values()), notices)


def _of_json(
    name: str, digest: str, rows: Sequence[tuple[int, str, Mapping[str, Json]]], notices: tuple[str, ...]
) -> Corrections:
    names = {field: None for _, _, record in rows for field in record}
    columns = _find_id_column(names)
    special = _special_names(names)
    corrections = []
    for number, row, record in rows:
        own = {field.casefold(): value for field, value in record.items() if field in special}
        record_id = _json_id(row, columns.id_name, record)
        action = own.get(ACTION)
        if not isinstance(action, str | None):
            raise CorrectionFileError(f"{row}: _action is not text. Use update, create or delete.")
        version = own.get(VERSION)
        if not isinstance(version, str | None):
            raise CorrectionFileError(f"{row}: _version is not text. Use the exported value or clear the cell.")
        values: dict[str, Json | Cell] = {field: value for field, value in record.items() if field not in special}
        corrections.append(
            _correction(
                number, _read_action(row, action or "", record_id), record_id, values, version or "", columns.id_name
            )
        )
    fields = tuple(field for field in names if field not in special and field != columns.id_name)
    return Corrections(name, digest, tuple(corrections), fields, (*notices, *columns.notices))


def _correction(
    number: int,
    action: RowAction,
    record_id: str,
    values: Mapping[str, Json | Cell],
    version: str,
    id_name: str | None,
) -> Correction:
    """The row's correction; `values` with the id, which only a new record has among them."""
    match action:
        case RowAction.DELETE:
            return Correction(number, action, record_id, {}, version)
        case RowAction.UPDATE:
            return Correction(number, action, record_id, _without(values, id_name), version)
        case RowAction.CREATE:
            return Correction(number, action, "", values if record_id else _without(values, id_name), version)


def _without(values: Mapping[str, Json | Cell], name: str | None) -> Mapping[str, Json | Cell]:
    return {field: value for field, value in values.items() if field != name}


def _column_names(number: int, header: Sequence[str], body: Rows) -> dict[int, str]:
    """The names by the index of their columns; columns without a name are left out."""
    names: dict[int, str] = {}
    seen: dict[str, int] = {}
    for at, text in enumerate(header):
        name = read_column_name(text)
        if name is None:
            continue
        _refuse_nul(number, at, name)
        # Fields may differ in case alone; of the columns that are none there is one.
        key = name.casefold() if is_special(name) else name
        if key in seen:
            raise CorrectionFileError(
                f"Row {number:,}: columns {column_letters(seen[key])} and {column_letters(at)} are both named "
                f"{_shown(name)}. Remove or rename one of them."
            )
        seen[key], names[at] = at, name
    if not names:
        raise CorrectionFileError(f"Row {number:,}: no column names. Put them in the first row.")
    return names


def column_name_text(name: str) -> str:
    """Return what `export --for-edit` writes above a column: `name`, as JSON where it would be read as another one."""
    text = cell_text(name)
    plain = read_column_name(text) == name and name.encode("utf-8", "ignore").decode() == name
    return text if plain else cell_text(dumps(name, ascii_only=True))


def read_column_name(text: str) -> str | None:
    """Return the name that is written above a column, None for a blank one."""
    name = fused_again(text.strip().removeprefix("\ufeff")).strip()
    if len(name) > 1 and name.startswith('"') and name.endswith('"'):
        with suppress(JsonError):
            return str(loads(name))
    return name or None


def _check_cells(number: int, cells: Sequence[str], names: Mapping[int, str]) -> None:
    for at, text in enumerate(cells):
        _refuse_nul(number, at, text)
        if at in names or not text or text.isspace():
            continue
        what = f"Row {number:,}, column {column_letters(at)}: the column with {_shown(text)} has no name"
        if at > max(names):
            raise CorrectionFileError(
                f"{what}. If a cell contains the delimiter, put the cell in quotes. Otherwise add a column name."
            )
        raise CorrectionFileError(f"{what}. Add a column name or delete the column.")


def _refuse_nul(number: int, at: int, text: str) -> None:
    if "\0" in text:
        raise CorrectionFileError(f"Row {number:,}, column {column_letters(at)}: null character. Save the file again.")


def id_column(names: Iterable[str]) -> str | None:
    """The column that names the records, as `records.id_field` chooses among fields; None where none does."""
    return _find_id_column(names).id_name


def is_special(name: str) -> bool:
    """Whether a column of that name is no field."""
    return name.casefold() in (ACTION, VERSION)


def _find_id_column(names: Iterable[str]) -> _IdColumn:
    """Which column holds the ids, as `records.id_field` chooses among fields."""
    folded: dict[str, str] = {}
    for name in names:
        folded.setdefault(name.casefold(), name)
    for wanted in ID_NAMES:
        if wanted in folded:
            return _IdColumn(folded[wanted])
    for wanted in STAND_IN_NAMES:
        if wanted in folded:
            return _IdColumn(folded[wanted], (f"no column id: {folded[wanted]} is used as the id",))
    return _IdColumn(None, ("no column id: every row creates a new record",))


def _special_names(names: Iterable[str]) -> frozenset[str]:
    return frozenset(filter(is_special, names))


def _name_like(names: Iterable[str], wanted: str) -> str | None:
    return next((name for name in names if name.casefold() == wanted), None)


def _read_action(row: str, text: str, record_id: str) -> RowAction:
    word = text.strip().casefold()
    if not word:
        return RowAction.UPDATE if record_id else RowAction.CREATE
    try:
        action = RowAction(word)
    except ValueError:
        raise CorrectionFileError(
            f"{row}: unknown _action {_shown(text.strip())}. Use update, create or delete, or leave it empty."
        ) from None
    if action is not RowAction.CREATE and not record_id:
        raise CorrectionFileError(f"{row}: _action is {action} but the id is missing. Fill in the id.")
    return action


def _read_id(row: str, text: str, *, floats: bool) -> str:
    """The id as it was before a program took it for a number; raises CorrectionFileError where nobody can tell."""
    record_id = read_id(text.strip())
    if floats and (match := _FLOAT_ID.fullmatch(record_id)):
        return match[1]
    if _SHORTENED.fullmatch(record_id):
        raise CorrectionFileError(
            f"{row}: a spreadsheet shortened the id {record_id}. Format the column as text and enter the ids again."
        )
    return record_id


def _are_floats(ids: Iterable[str]) -> bool:
    """Whether all ids end with `.0`, as pandas writes whole numbers of a column with a gap in it."""
    filled = [text.strip() for text in ids if text.strip()]
    return bool(filled) and all(map(_FLOAT_ID.fullmatch, filled))


def _json_id(row: str, name: str | None, record: Mapping[str, Json]) -> str:
    match None if name is None else record.get(name):
        case None:
            return ""
        case str() as text:
            return text
        case Number() as number:
            return number.text
    raise CorrectionFileError(f"{row}: {name} is not text or a number. Enter the id of the record.")


def _meaning(text: str, words: ValueWords) -> Json | Absent:
    return None if text == words.null else "" if text == words.empty else ABSENT


def _shown(text: str) -> str:
    line = mask_keys(" ".join(text.split()))
    return f"“{line if len(line) <= 40 else line[:40] + '…'}”"
