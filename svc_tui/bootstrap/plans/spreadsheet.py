"""Reads a spreadsheet (.xlsx) of corrections into rows of cell texts, with python-calamine.

Values come as a person would type them: numbers with the 15 digits that a spreadsheet shows, dates and times as ISO
8601. What the library gives as an empty cell though there is something in it, an error or a formula without a result,
is looked for in the file itself: left alone unseen, a correction would be lost.
"""

import hashlib
import io
import re
import zipfile
from collections.abc import Iterator
from datetime import date, datetime, time, timedelta
from xml.etree import ElementTree

from svc_tui.plans.cells import TypedNumber
from svc_tui.plans.correction_file import CorrectionFileError, Corrections, ValueWords, is_filled, read_correction_rows

_MAX_UNPACKED = 500_000_000
"""Bytes of the parts of a file together, from which it is refused."""

_RELATION = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id"
_PREFIX = rb"<(?:\w+:)?"
_ERROR = re.compile(
    _PREFIX + rb"c\b([^>]*\bt=\"e\"[^>]*)>(?:<(?:\w+:)?f\b[^>]*(?:/>|>[^<]*</(?:\w+:)?f>))?\s*"
    rb"<(?:\w+:)?v>([^<]*)<"
)
_FORMULA = re.compile(
    _PREFIX + rb"c\b([^>]*[^/>]|)>\s*<(?:\w+:)?f\b[^>]*(?:/>|>[^<]*</(?:\w+:)?f>)\s*"
    rb"(?:<(?:\w+:)?v\s*/>|<(?:\w+:)?v>\s*</(?:\w+:)?v>)?\s*</(?:\w+:)?c>"
)
_TEXT_RESULT = re.compile(rb"\bt=\"str\"")
_PLACE = re.compile(rb"\br=\"([A-Z]+[0-9]+)\"")

CellValue = int | float | str | bool | time | date | datetime | timedelta


def read_spreadsheet(name: str, data: bytes, words: ValueWords) -> Corrections:
    """What the first visible sheet with anything in it asks for; `data` is the file. Raises CorrectionFileError."""
    _check_archive(name, data)
    try:
        from python_calamine import CalamineError, CalamineWorkbook, SheetTypeEnum, SheetVisibleEnum
    except ImportError:
        raise CorrectionFileError(
            "Reading .xlsx files needs an additional package. Run pip install 'svc-tui[xlsx]', or save the sheet as "
            "CSV."
        ) from None
    try:
        with CalamineWorkbook.from_filelike(io.BytesIO(data)) as workbook:
            sheets = [
                sheet.name
                for sheet in workbook.sheets_metadata
                if sheet.typ == SheetTypeEnum.WorkSheet and sheet.visible == SheetVisibleEnum.Visible
            ]
            for sheet in sheets:
                cells = workbook.get_sheet_by_name(sheet).to_python(skip_empty_area=False)
                texts = ((number, [_cell_text(value) for value in row]) for number, row in enumerate(cells, 1))
                rows = [(number, row) for number, row in texts if is_filled(row)]
                if rows:
                    break
            else:
                raise CorrectionFileError(f"{name} is empty. Add a row of column names and at least one row below it.")
    except (CalamineError, zipfile.BadZipFile, OSError):
        raise _unreadable(name) from None
    _check_cells(name, data, sheet)
    notices = (f"using only the sheet {sheet} (1 of {len(sheets)})",) if len(sheets) > 1 else ()
    return read_correction_rows(name, hashlib.sha256(data).hexdigest(), rows, words, notices)


def _unreadable(name: str) -> CorrectionFileError:
    return CorrectionFileError(f"{name} can't be read as a spreadsheet, or it has a password. Save it as .xlsx or CSV.")


def _cell_text(value: CellValue) -> str:
    match value:
        case bool():
            return "true" if value else "false"
        case float():
            return TypedNumber(f"{value:.15g}")
        case datetime():
            return value.isoformat(" ")
        case date() | time():
            return value.isoformat()
        case timedelta():
            minutes, seconds = divmod(round(value.total_seconds()), 60)
            hours, minutes = divmod(minutes, 60)
            return f"{hours}:{minutes:02}:{seconds:02}"
    return str(value)


def _check_archive(name: str, data: bytes) -> None:
    """Refuse what is no spreadsheet, or would fill the memory once unpacked."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            parts = archive.infolist()
    except zipfile.BadZipFile:
        raise _unreadable(name) from None
    if sum(part.file_size for part in parts) > _MAX_UNPACKED:
        raise CorrectionFileError(f"{name} is too large when unpacked. Save the sheet as CSV.")
    if not any(part.filename == "xl/workbook.xml" for part in parts):
        raise CorrectionFileError(f"{name} is not an .xlsx file. Save it as .xlsx or CSV.")


def _check_cells(name: str, data: bytes, sheet: str) -> None:
    """Refuse a sheet with a cell that holds something, and would be read as empty."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        part = _sheet_part(archive, sheet)
        if part is None:
            raise CorrectionFileError(f"{name}: the sheet {sheet} was not found in the file. Save it as CSV.")
        xml = archive.read(part)
    for attributes, error in _ERROR.findall(xml):
        raise CorrectionFileError(
            f"{_place(attributes)}: error value {error.decode(errors='replace')}. Correct the cell."
        )
    for attributes in _formulas_without_result(xml):
        raise CorrectionFileError(
            f"{_place(attributes)}: formula without a result. Open the file in a spreadsheet program and save it."
        )


def _formulas_without_result(xml: bytes) -> Iterator[bytes]:
    # A formula whose result is the empty text says that it is a text.
    return (attributes for attributes in _FORMULA.findall(xml) if not _TEXT_RESULT.search(attributes))


def _place(attributes: bytes) -> str:
    match = _PLACE.search(attributes)
    return f"Cell {match[1].decode()}" if match else "A cell"


def _sheet_part(archive: zipfile.ZipFile, sheet: str) -> str | None:
    """The part of the file that holds the sheet of that name."""
    try:
        workbook = ElementTree.fromstring(archive.read("xl/workbook.xml"))  # noqa: S314  (a part of limited size)
        relations = ElementTree.fromstring(archive.read("xl/_rels/workbook.xml.rels"))  # noqa: S314
    except (ElementTree.ParseError, KeyError):
        return None
    relation = next((entry.get(_RELATION) for entry in workbook.iter() if entry.get("name") == sheet), None)
    target = next((entry.get("Target", "") for entry in relations if entry.get("Id") == relation), "")
    part = target.removeprefix("/") if target.startswith("/") else f"xl/{target}"
    return part if part in archive.namelist() else None
