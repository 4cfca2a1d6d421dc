"""Files of corrections on the disk, on stdin, and as spreadsheets."""

import io
import os
import sys
import zipfile
from collections.abc import Callable
from datetime import date, datetime, time, timedelta
from pathlib import Path

import pytest

from svc_tui.bootstrap.plans import read_file, spreadsheet
from svc_tui.bootstrap.plans.read_file import read_correction_file
from svc_tui.plans.cells import Cell
from svc_tui.plans.correction_file import CorrectionFileError, ValueWords
from tests.optional import skip_without

WORDS = ValueWords()


def refusal(name: str) -> str:
    """What is said of a file that can't be read."""
    with pytest.raises(CorrectionFileError) as caught:
        read_correction_file(name, WORDS)
    return str(caught.value)


class Stdin:
    """A stdin that holds these bytes."""

    def __init__(self, data: bytes) -> None:
        self.buffer = io.BytesIO(data)


def test_a_file_is_read_by_its_name(tmp_path: Path) -> None:
    (tmp_path / "fix.csv").write_text("id,grade\nlot-1,B\n")
    read = read_correction_file(str(tmp_path / "fix.csv"), WORDS)
    assert (read.name, read.rows[0].values) == ("fix.csv", {"grade": Cell("B")})


@pytest.mark.parametrize("data", [b"id;grade\nlot-1;B\n", b'{"id": "lot-1", "grade": "B"}\n'])
def test_stdin_is_read_by_its_content(monkeypatch: pytest.MonkeyPatch, data: bytes) -> None:
    monkeypatch.setattr(sys, "stdin", Stdin(data))
    read = read_correction_file("-", WORDS)
    assert (read.name, read.rows[0].record_id, read.fields) == ("stdin", "lot-1", ("grade",))


def test_what_cant_be_read_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    os.mkfifo(tmp_path / "pipe")
    monkeypatch.setattr(read_file, "MAX_BYTES", 3_000_000)
    (tmp_path / "large.csv").write_bytes(b"x" * 3_000_001)
    not_regular = "is not a regular file. Choose a file, or use - to read stdin."
    assert refusal(str(tmp_path / "no.csv")) == f"{tmp_path}/no.csv can't be read: No such file or directory."
    assert refusal(str(tmp_path)) == f"{tmp_path} {not_regular}"
    assert refusal(str(tmp_path / "pipe")) == f"{tmp_path}/pipe {not_regular}"
    assert refusal(str(tmp_path / "large.csv")) == (
        f"{tmp_path}/large.csv is larger than 3 MB. Split it into several files."
    )
    assert refusal("a\0b") == "a\0b: not a valid file name. Choose another name."
    monkeypatch.setattr(sys, "stdin", None)
    assert refusal("-") == "stdin is closed. Use a file."


# Spreadsheets

Write = Callable[..., str]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Writes a spreadsheet of rows, and sheets of them; gives its path."""
    skip_without("openpyxl")
    import openpyxl

    def write(*sheets: list[list[object]], hidden: int | None = None) -> str:
        workbook = openpyxl.Workbook()
        workbook.remove(workbook.active)
        for number, rows in enumerate(sheets, 1):
            sheet = workbook.create_sheet(f"Sheet {number}")
            if number == hidden:
                sheet.sheet_state = "hidden"
            for row in rows:
                sheet.append(row)
        workbook.save(tmp_path / "lots.xlsx")
        return str(tmp_path / "lots.xlsx")

    return write


def test_a_sheet_is_read_as_a_person_would_type_it(write: Write) -> None:
    row = [
        *("lot-1", 5, 23.90, 0.1 + 0.2, 12345678901234567890, True, "007", " x "),
        *(date(2026, 11, 20), datetime(2026, 11, 20, 5, 12), time(5, 12), timedelta(hours=30), "(null)", None),
    ]
    path = write([[], ["id", *"abcdefghijklm"], [], row])
    read = read_correction_file(path, WORDS)
    (correction,) = read.rows
    assert (read.name, correction.number, correction.record_id, read.notices) == ("lots.xlsx", 4, "lot-1", ())
    assert [cell.text for cell in correction.values.values() if isinstance(cell, Cell)] == [
        *("5", "23.9", "0.3", "1.23456789012346e+19", "true", "007", " x "),
        *("2026-11-20", "2026-11-20 05:12:00", "05:12:00", "30:00:00", "(null)"),
    ]
    assert correction.values["l"] == Cell("(null)", meaning=None)


def test_the_first_sheet_that_shows_anything_is_read_and_named(write: Write) -> None:
    rows: list[list[object]] = [["id", "a"], ["x", "y"]]
    read = read_correction_file(write([["id"], ["hidden"]], [], rows, rows, hidden=1), WORDS)
    assert (read.rows[0].record_id, read.notices) == ("x", ("using only the sheet Sheet 3 (1 of 3)",))


def test_a_sheet_on_stdin_is_told_by_its_content(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", Stdin(Path(write([["id", "a"], ["x", 1]])).read_bytes()))
    assert read_correction_file("-", WORDS).rows[0].values == {"a": Cell("1")}


def test_a_cell_that_would_be_read_as_empty_is_refused_by_its_place(write: Write) -> None:
    assert refusal(write([["id", "a"], ["x", "#REF!"]])) == "Cell B2: error value #REF!. Correct the cell."
    assert refusal(write([["id", "a"], ["x", 1], ["y", "=1+1"]])) == (
        "Cell B3: formula without a result. Open the file in a spreadsheet program and save it."
    )


def test_a_sheet_without_anything_is_refused(write: Write) -> None:
    assert refusal(write([], [])) == "lots.xlsx is empty. Add a row of column names and at least one row below it."


def test_an_archive_that_is_no_spreadsheet_is_refused(
    write: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "other.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("a.txt", "x" * 2_000)
    assert refusal(str(path)) == "other.zip is not an .xlsx file. Save it as .xlsx or CSV."
    monkeypatch.setattr(spreadsheet, "_MAX_UNPACKED", 1_000)
    assert refusal(str(path)) == "other.zip is too large when unpacked. Save the sheet as CSV."
    path.write_bytes(b"PK\x03\x04broken")
    assert refusal(str(path)).startswith("other.zip can't be read as a spreadsheet, or it has a password.")
    whole = Path(write([["id"], ["x"]])).read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    assert refusal(str(path)).startswith("other.zip can't be read as a spreadsheet, or it has a password.")


def test_without_the_library_the_line_says_how_to_get_it(
    write: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "python_calamine", None)
    other = tmp_path / "lots.ods"
    with zipfile.ZipFile(other, "w") as archive:
        archive.writestr("content.xml", "x")
    assert refusal(str(other)) == "lots.ods is not an .xlsx file. Save it as .xlsx or CSV."
    assert refusal(write([["id"], ["x"]])) == (
        "Reading .xlsx files needs an additional package. Run pip install 'svc-tui[xlsx]', or save the sheet as CSV."
    )
