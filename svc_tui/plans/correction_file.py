"""Files of corrections: a table of CSV, TSV or a spreadsheet, a JSON array, or JSON Lines.

Reading a file checks its form only: which row asks for what. No record of the service is looked at.
"""

import codecs
import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cache
from itertools import islice

from msgspec import Struct

from svc_tui.core.jsontext import ABSENT, Absent, Json, JsonError, Number, dumps, loads
from svc_tui.core.records import ID_NAMES, STAND_IN_NAMES
from svc_tui.plans.cell_text import format_cell, parse_id, unescape_text
from svc_tui.plans.cells import Cell, DecimalMark, detect_number_format
from svc_tui.service.redact import mask_keys
from svc_tui.storage.plan import RowAction

ACTION, VERSION = "_action", "_version"
"""The columns that are no fields; their names count in any case."""

TableRows = Sequence[tuple[int, Sequence[str]]]
"""Rows of a table: the number that a spreadsheet shows for each, and the texts of its cells."""

_KNOWN_NAMES = frozenset((*ID_NAMES, ACTION, VERSION))
_TABLE_ENDINGS = ("csv", "tsv", "tab")
_JSON_ENDINGS = ("json", "jsonl", "ndjson")
_OTHER_FORMATS = (
    (b"PK\x03\x04", "a spreadsheet or an archive"),
    (b"\xd0\xcf\x11\xe0", "an old Excel file, or a file with a password"),
    (b"%PDF-", "a PDF"),
    (b"\x1f\x8b", "a gzip archive"),
)


class CorrectionFileError(ValueError):
    """A file that can't be read as corrections; the message is one sentence: where, what is wrong, what to do."""


class ValueWords(Struct, frozen=True):
    """The way values are written in a file.

    `null` and `empty` stand for null and for the empty text, since an empty cell leaves the field alone. `decimal` is
    the decimal mark, None if the cells tell it.
    """

    null: str = "(null)"
    empty: str = "(empty)"
    decimal: DecimalMark | None = None


class Correction(Struct, frozen=True):
    """The change that a row asks for: `values` by the path of a field (`grade`, `assay.auPpm`); the others stay.

    `number` is the row's number in its file: that of a spreadsheet's row, where the column names are in row 1; the
    item of a JSON array, from 1; the line of JSON Lines. `record_id` is "" for a new record; an id that the row of a
    new record gives is one of its values. `version` is the text that `export --for-edit` wrote beside the record, "" if
    there is none.
    """

    number: int
    action: RowAction
    record_id: str
    values: Mapping[str, Json | Cell] = {}
    version: str = ""


class Corrections(Struct, frozen=True):
    """The corrections in a file; `name` is the file's, `digest` the SHA-256 of its bytes in hex.

    `fields` are the paths of its columns; `notices` say how it was read, each a sentence without its capital and full
    stop. `path` is where the file lies, "" for stdin.
    """

    name: str
    digest: str
    rows: tuple[Correction, ...]
    fields: tuple[str, ...]
    notices: tuple[str, ...] = ()
    path: str = ""


def read_corrections(name: str, data: bytes, words: ValueWords) -> Corrections:
    """Read the bytes of a file; the ending of its `name` tells a table from JSON, else its content does.

    Spreadsheets are read by `read_correction_rows`. Raises CorrectionFileError.
    """
    for magic, what in _OTHER_FORMATS:
        if data.startswith(magic):
            raise CorrectionFileError(f"{name} is {what}. Save it as .xlsx or CSV.")
    text, notice = _decode_text(data)
    if not text.strip():
        raise CorrectionFileError(f"{name} is empty. Add a row of column names and at least one row below it.")
    notices = (notice,) if notice else ()
    digest = hashlib.sha256(data).hexdigest()
    ending = name.casefold().rpartition(".")[2]
    if ending in _JSON_ENDINGS or (ending not in _TABLE_ENDINGS and text.lstrip()[0] in "[{"):
        return _corrections_of_json(name, digest, _parse_json_records(text), notices)
    rows, delimiter = _parse_table(text)
    return _corrections_of_table(name, digest, rows, words, notices, separator_of_commas=delimiter in (";", "\t"))


def read_correction_rows(
    name: str, digest: str, rows: TableRows, words: ValueWords, notices: tuple[str, ...] = ()
) -> Corrections:
    """Return the corrections in the rows of a spreadsheet: those that are not empty, the one of column names first.

    Raises CorrectionFileError.
    """
    if not rows:
        raise CorrectionFileError(f"{name} is empty. Add a row of column names and at least one row below it.")
    return _corrections_of_table(name, digest, rows, words, notices, separator_of_commas=False)


# Decode the text: by its byte-order mark, or by its bytes if it has none

# The mark of UTF-16 begins that of UTF-32: the longer ones come first.
_BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32-le", "UTF-32"),
    (codecs.BOM_UTF32_BE, "utf-32-be", "UTF-32"),
    (codecs.BOM_UTF8, "utf-8", "UTF-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le", "UTF-16"),
    (codecs.BOM_UTF16_BE, "utf-16-be", "UTF-16"),
)


def _decode_text(data: bytes) -> tuple[str, str]:
    """Return the text, and a notice if its encoding was guessed, else ""."""
    for mark, codec, name in _BYTE_ORDER_MARKS:
        if data.startswith(mark):
            return _decode(data[len(mark) :], codec, name), ""
    if (guessed := _guess_utf_16(data)) is not None:
        return _decode(data, guessed, "UTF-16"), "encoding not marked; read as UTF-16"
    try:
        return data.decode(), ""
    except UnicodeDecodeError as error:
        _refuse_damaged_utf_8(data, error.start)
    return _decode(data, "cp1252", "Windows-1252"), "not UTF-8; read as Windows-1252"


def _decode(data: bytes, codec: str, name: str) -> str:
    try:
        # A tool that did not know the mark may have put another in front of it.
        return data.decode(codec).removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        raise CorrectionFileError(
            f"The text is not valid {name} at byte {error.start + 1:,}. Save the file as UTF-8."
        ) from None


def _guess_utf_16(data: bytes) -> str | None:
    """Return the codec if every other byte of many is NUL, as in western text of UTF-16."""
    if len(data) % 2:
        return None
    low, high = data[1::2].count(0), data[::2].count(0)
    if max(low, high) * 8 < len(data) or max(low, high) < 3 * min(low, high):
        return None
    return "utf-16-le" if low > high else "utf-16-be"


def _refuse_damaged_utf_8(data: bytes, start: int) -> None:
    """Raise if most characters beyond ASCII are UTF-8: as Windows-1252 all of them would be wrong."""
    text = data.decode(errors="replace")
    damaged = text.count("\N{REPLACEMENT CHARACTER}")
    if sum(not character.isascii() for character in text) - damaged > damaged:
        line = data.count(b"\n", 0, start) + 1
        raise CorrectionFileError(f"Line {line:,}: not UTF-8, unlike the rest of the file. Save the file as UTF-8.")


# Parse a table: rows of cells between delimiters, with quotes as spreadsheets write them

_DELIMITERS = (",", ";", "\t", "|")
_SEPARATOR_LINE = re.compile(r'"?sep=([,;\t|])"?(?:\r\n|\n|\r|\Z)', re.IGNORECASE)
"""The line that tells Excel the delimiter, and that Excel does not show."""
_SAMPLE_ROWS = 60


def _parse_table(text: str) -> tuple[list[tuple[int, list[str]]], str]:
    """Return the rows that are not empty, numbered as in a spreadsheet, and their delimiter."""
    if (line := _SEPARATOR_LINE.match(text)) is not None:
        text, delimiter = text[line.end() :], line[1]
    else:
        delimiter = _find_delimiter(text)
    rows = [(number, cells) for number, cells in enumerate(_parse_rows(text, delimiter), 1) if is_filled(cells)]
    return rows, delimiter


def is_filled(cells: Sequence[str]) -> bool:
    """Return True if a row holds anything but blanks."""
    return any(cell and not cell.isspace() for cell in cells)


def _find_delimiter(text: str) -> str:
    """Return the delimiter: known names in the first row count most, then how many rows have as many cells."""
    best, best_score = ",", (False, 0.0, 1)
    for delimiter in _DELIMITERS:
        score = _score_delimiter(text, delimiter)
        if score > best_score:
            best, best_score = delimiter, score
    return best


def _score_delimiter(text: str, delimiter: str) -> tuple[bool, float, int]:
    sample: list[list[str]] = []
    # The wrong delimiter may leave a quote open: the rows before it tell enough.
    with suppress(CorrectionFileError):
        sample.extend(islice(filter(is_filled, _parse_rows(text, delimiter)), _SAMPLE_ROWS))
    if not sample or len(sample[0]) < 2:
        return False, 0.0, 1
    header, *rows = sample
    has_known_name = any(name.strip().casefold() in _KNOWN_NAMES for name in header)
    share_alike = sum(len(cells) == len(header) for cells in rows) / len(rows) if rows else 1.0
    return has_known_name, share_alike, len(header)


def _parse_rows(text: str, delimiter: str) -> Iterator[list[str]]:
    cell, at, end, row, number = _cell_pattern(delimiter), 0, len(text), list[str](), 1
    while at < end:
        match = cell.match(text, at)
        if match is None:
            raise CorrectionFileError(
                f"Row {number:,}, column {_column_letters(len(row))}: the closing quote is missing. "
                f'Close it, or write a quote inside a cell as "".'
            )
        quoted, after, plain, separator = match.groups()
        row.append(plain if quoted is None else quoted.replace('""', '"') + after)
        at = match.end()
        if separator != delimiter:
            yield row
            row, number = [], number + 1
        elif at == end:
            yield [*row, ""]


@cache
def _cell_pattern(delimiter: str) -> re.Pattern[str]:
    """Return the pattern of a cell and its end. Text behind a closing quote belongs to the cell, as in spreadsheets."""
    plain = rf"[^{re.escape(delimiter)}\r\n]*+"
    return re.compile(rf'(?:"((?:[^"]++|"")*+)"({plain})|(?!")({plain}))({re.escape(delimiter)}|\r\n|\n|\r|\Z)')


# Read the rows of a table as corrections


def _corrections_of_table(
    name: str, digest: str, rows: TableRows, words: ValueWords, notices: tuple[str, ...], *, separator_of_commas: bool
) -> Corrections:
    (header_number, header), *body = rows
    names = _read_header(header_number, header)
    for number, cells in body:
        _check_cells(number, cells, names)
    id_name = find_id_column(names.values())
    fields = {at: name for at, name in names.items() if name != id_name and not is_special(name)}
    texts = ((at, cells[at]) for _, cells in body for at in fields if at < len(cells))
    numbers = detect_number_format(texts, separator_of_commas=separator_of_commas, chosen=words.decimal)
    notices = (*notices, *_notices_of_ids(id_name))
    if numbers.decimal_comma and numbers.chosen is None:
        notices = (*notices, "numbers are read with a decimal comma")
    if not body:
        notices = (*notices, "there are no rows below the column names")
    id_at = _find_column(names, id_name)
    action_at, version_at = _find_column(names, ACTION), _find_column(names, VERSION)
    has_float_ids = _are_floats(_text_at(cells, id_at) for _, cells in body)
    corrections = []
    for number, cells in body:
        row = f"Row {number:,}"
        record_id = _read_id(row, _text_at(cells, id_at), floats=has_float_ids)
        values: dict[str, Json | Cell] = {
            field: numbers.cell(at, cells[at], _meaning(cells[at], words))
            for at, field in fields.items()
            if at < len(cells) and cells[at] and not cells[at].isspace()
        }
        if record_id and id_name is not None:
            values = {id_name: Cell(record_id), **values}
        action = _read_action(row, _text_at(cells, action_at), record_id)
        version = _text_at(cells, version_at).strip()
        corrections.append(_make_correction(number, action, record_id, values, version, id_name))
    return Corrections(name, digest, tuple(corrections), tuple(fields.values()), notices)


def _read_header(number: int, header: Sequence[str]) -> dict[int, str]:
    """Return the names by the index of their columns; columns without a name are left out."""
    names: dict[int, str] = {}
    seen: dict[str, int] = {}
    for at, text in enumerate(header):
        name = parse_column_name(text)
        if name is None:
            continue
        _refuse_nul(number, at, name)
        # Names of fields may differ in case alone, those of the other columns may not.
        key = name.casefold() if is_special(name) else name
        if key in seen:
            raise CorrectionFileError(
                f"Row {number:,}: columns {_column_letters(seen[key])} and {_column_letters(at)} are both named "
                f"{_quote(name)}. Remove or rename one of them."
            )
        seen[key], names[at] = at, name
    if not names:
        raise CorrectionFileError(f"Row {number:,}: no column names. Put them in the first row.")
    return names


def format_column_name(name: str) -> str:
    """Return what `export --for-edit` writes above a column: `name`, as JSON if it would be read as another one."""
    text = format_cell(name)
    plain = parse_column_name(text) == name and name.encode("utf-8", "ignore").decode() == name
    return text if plain else format_cell(dumps(name, ascii_only=True))


def parse_column_name(text: str) -> str | None:
    """Return the name that is written above a column, None for a blank one."""
    name = unescape_text(text.strip().removeprefix("\ufeff")).strip()
    if len(name) > 1 and name.startswith('"') and name.endswith('"'):
        with suppress(JsonError):
            return str(loads(name))
    return name or None


def find_id_column(names: Iterable[str]) -> str | None:
    """Return the column that holds the ids, as `core.records.id_field` chooses among fields; None if none does."""
    folded: dict[str, str] = {}
    for name in names:
        folded.setdefault(name.casefold(), name)
    return next((folded[name] for name in (*ID_NAMES, *STAND_IN_NAMES) if name in folded), None)


def _notices_of_ids(id_name: str | None) -> tuple[str, ...]:
    if id_name is None:
        return ("no column id: every row creates a new record",)
    return () if id_name.casefold() in ID_NAMES else (f"no column id: {id_name} is used as the id",)


def is_special(name: str) -> bool:
    """Return True for the name of a column that is no field."""
    return name.casefold() in (ACTION, VERSION)


def _find_column(names: Mapping[int, str], name: str | None) -> int | None:
    return next((at for at, other in names.items() if name is not None and other.casefold() == name.casefold()), None)


def _text_at(cells: Sequence[str], at: int | None) -> str:
    return cells[at] if at is not None and at < len(cells) else ""


def _check_cells(number: int, cells: Sequence[str], names: Mapping[int, str]) -> None:
    for at, text in enumerate(cells):
        _refuse_nul(number, at, text)
        if at in names or not text or text.isspace():
            continue
        what = f"Row {number:,}, column {_column_letters(at)}: the column with {_quote(text)} has no name"
        if at > max(names):
            raise CorrectionFileError(
                f"{what}. If a cell contains the delimiter, put the cell in quotes. Otherwise add a column name."
            )
        raise CorrectionFileError(f"{what}. Add a column name or delete the column.")


def _refuse_nul(number: int, at: int, text: str) -> None:
    if "\0" in text:
        raise CorrectionFileError(f"Row {number:,}, column {_column_letters(at)}: null character. Save the file again.")


def _column_letters(index: int) -> str:
    """Return the name that spreadsheets give the column at `index` from 0: A, B, …, Z, AA."""
    letters = ""
    index += 1
    while index:
        index, letter = divmod(index - 1, 26)
        letters = chr(ord("A") + letter) + letters
    return letters


_SHORTENED_ID = re.compile(r"[0-9][.,][0-9]+E[+-]?[0-9]+")
_FLOAT_ID = re.compile(r"(-?[0-9]+)\.0")


def _read_id(row: str, text: str, *, floats: bool) -> str:
    """Return the id as it was before a program took it for a number; raises if a program has cut it."""
    record_id = parse_id(text.strip())
    if floats and (match := _FLOAT_ID.fullmatch(record_id)):
        return match[1]
    if _SHORTENED_ID.fullmatch(record_id):
        raise CorrectionFileError(
            f"{row}: a spreadsheet shortened the id {record_id}. Format the column as text and enter the ids again."
        )
    return record_id


def _are_floats(ids: Iterable[str]) -> bool:
    """Return True if all ids end with `.0`, as pandas writes whole numbers of a column with a gap in it."""
    filled = [text.strip() for text in ids if text.strip()]
    return bool(filled) and all(map(_FLOAT_ID.fullmatch, filled))


def _meaning(text: str, words: ValueWords) -> Json | Absent:
    return None if text == words.null else "" if text == words.empty else ABSENT


# Read JSON: an array of objects, an object with such an array, or an object a line

_LISTS = ("data", "items")
"""Names under which an answer of the service holds its records."""


class _JsonRecord(Struct, frozen=True):
    """A record with its number in the file, and how sentences name it."""

    number: int
    name: str
    fields: Mapping[str, Json]


def _parse_json_records(text: str) -> list[_JsonRecord]:
    """Return the records of a text, with every digit."""
    try:
        value = loads(text)
    except JsonError as error:
        if "\n" in text.strip() and (lines := _parse_json_lines(text)) is not None:
            return lines
        raise CorrectionFileError(f"Not valid JSON: {error}.") from None
    if isinstance(value, Mapping):
        listed = next((value[name] for name in _LISTS if isinstance(value.get(name), list)), None)
        # One object alone is a file of JSON Lines with one line.
        value = [value] if listed is None else listed
    if not isinstance(value, list):
        raise CorrectionFileError("The file must contain an array of objects, or one object per line.")
    return [_make_json_record(number, f"Item {number:,}", item) for number, item in enumerate(value, 1)]


def _parse_json_lines(text: str) -> list[_JsonRecord] | None:
    """Return the records of JSON Lines; None if the first line is not JSON, so that the file is something else."""
    records: list[_JsonRecord] = []
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            records.append(_make_json_record(number, f"Line {number:,}", loads(line)))
        except JsonError as error:
            if not records:
                return None
            place = f", column {error.column:,}" if error.column else ""
            raise CorrectionFileError(f"Line {number:,}{place}: not valid JSON: {error.reason}.") from None
    return records


def _make_json_record(number: int, name: str, value: Json) -> _JsonRecord:
    if not isinstance(value, Mapping):
        raise CorrectionFileError(f"{name}: not an object. Put each record in {{ and }}.")
    return _JsonRecord(number, name, value)


def _corrections_of_json(
    name: str, digest: str, records: Sequence[_JsonRecord], notices: tuple[str, ...]
) -> Corrections:
    names = dict.fromkeys(field for record in records for field in record.fields)
    id_name = find_id_column(names)
    corrections = []
    for record in records:
        row = record.name
        special = {field.casefold(): value for field, value in record.fields.items() if is_special(field)}
        record_id = _read_json_id(row, id_name, record.fields)
        action, version = special.get(ACTION), special.get(VERSION)
        if not isinstance(action, str | None):
            raise CorrectionFileError(f"{row}: _action is not text. Use update, create or delete.")
        if not isinstance(version, str | None):
            raise CorrectionFileError(f"{row}: _version is not text. Use the exported value or clear the cell.")
        values: dict[str, Json | Cell] = {
            field: value for field, value in record.fields.items() if not is_special(field)
        }
        row_action = _read_action(row, action or "", record_id)
        corrections.append(_make_correction(record.number, row_action, record_id, values, version or "", id_name))
    fields = tuple(field for field in names if field != id_name and not is_special(field))
    return Corrections(name, digest, tuple(corrections), fields, (*notices, *_notices_of_ids(id_name)))


def _read_json_id(row: str, name: str | None, fields: Mapping[str, Json]) -> str:
    match None if name is None else fields.get(name):
        case None:
            return ""
        case str() as text:
            return text
        case Number() as number:
            return number.text
    raise CorrectionFileError(f"{row}: {name} is not text or a number. Enter the id of the record.")


# Make a correction, for both


def _read_action(row: str, text: str, record_id: str) -> RowAction:
    word = text.strip().casefold()
    if not word:
        return RowAction.UPDATE if record_id else RowAction.CREATE
    try:
        action = RowAction(word)
    except ValueError:
        raise CorrectionFileError(
            f"{row}: unknown _action {_quote(text.strip())}. Use update, create or delete, or leave it empty."
        ) from None
    if action is not RowAction.CREATE and not record_id:
        raise CorrectionFileError(f"{row}: _action is {action} but the id is missing. Fill in the id.")
    return action


def _make_correction(
    number: int,
    action: RowAction,
    record_id: str,
    values: Mapping[str, Json | Cell],
    version: str,
    id_name: str | None,
) -> Correction:
    """Return the correction of a row; only a new record keeps the id among its `values`."""
    match action:
        case RowAction.DELETE:
            return Correction(number, action, record_id, {}, version)
        case RowAction.UPDATE:
            return Correction(number, action, record_id, _without(values, id_name), version)
        case RowAction.CREATE:
            return Correction(number, action, "", values if record_id else _without(values, id_name), version)


def _without(values: Mapping[str, Json | Cell], name: str | None) -> Mapping[str, Json | Cell]:
    return {field: value for field, value in values.items() if field != name}


def _quote(text: str) -> str:
    line = mask_keys(" ".join(text.split()))
    return f"“{line if len(line) <= 40 else line[:40] + '…'}”"
