"""What is read from a file of corrections, and what is said of one that can't be."""

import codecs
import csv
import hashlib
import io
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from svc_tui.core.jsontext import ABSENT, Json, Number
from svc_tui.plans.cells import Cell
from svc_tui.plans.correction_file import (
    Correction,
    CorrectionFileError,
    Corrections,
    ValueWords,
    read_correction_rows,
    read_corrections,
)
from svc_tui.storage.plan import RowAction

WORDS = ValueWords()


def read(text: str | bytes, name: str = "fix.csv") -> Corrections:
    """The corrections in a file of that text."""
    return read_corrections(name, text if isinstance(text, bytes) else text.encode(), WORDS)


def texts(corrections: Corrections) -> list[dict[str, str]]:
    """The texts of the cells, a row each, with its id."""
    rows = []
    for row in corrections.rows:
        cells = {name: cell.text for name, cell in row.values.items() if isinstance(cell, Cell)}
        assert cells.keys() == row.values.keys()
        rows.append({"id": row.record_id, **cells})
    return rows


def refusal(text: str | bytes, name: str = "fix.csv") -> str:
    """What is said of a file that can't be read."""
    with pytest.raises(CorrectionFileError) as caught:
        read(text, name)
    return str(caught.value)


# Tables


def test_a_row_names_its_record_and_what_its_fields_are_to_be() -> None:
    data = b"id,grade,note\r\nlot-1,A,\r\nlot-2,(null),(empty)\r\n"
    assert read(data) == Corrections(
        "fix.csv",
        hashlib.sha256(data).hexdigest(),
        (
            Correction(2, RowAction.UPDATE, "lot-1", {"grade": Cell("A")}),
            Correction(
                3,
                RowAction.UPDATE,
                "lot-2",
                {"grade": Cell("(null)", meaning=None), "note": Cell("(empty)", meaning="")},
            ),
        ),
        ("grade", "note"),
    )


def test_the_words_for_null_and_the_empty_text_are_those_of_the_profile() -> None:
    read_row = read_corrections("f.csv", b"id,a,b,c\n1,-,none,(null)\n", ValueWords("-", "none")).rows[0]
    assert read_row.values == {"a": Cell("-", meaning=None), "b": Cell("none", meaning=""), "c": Cell("(null)")}
    assert read_row.values["c"].meaning is ABSENT  # type: ignore[union-attr]


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
@pytest.mark.parametrize("name", ["fix.csv", "fix.tsv", "fix.txt", "fix"])
def test_what_parts_the_cells_is_found(delimiter: str, name: str) -> None:
    lines = (["id", "a b", "note"], ["1", "x", "one, two; three"], ["2", '"y"', ""])
    out = io.StringIO()
    csv.writer(out, delimiter=delimiter).writerows(lines)
    assert texts(read(out.getvalue(), name)) == [
        {"id": "1", "a b": "x", "note": "one, two; three"},
        {"id": "2", "a b": '"y"'},
    ]


def test_excels_line_of_the_separator_is_followed_and_counts_as_no_row() -> None:
    read_file = read("sep=|\r\nid|a;b\r\n1|x\r\n")
    assert (read_file.fields, read_file.rows[0].number) == (("a;b",), 2)


def test_one_column_of_ids_is_a_table_too() -> None:
    assert [row.record_id for row in read("id\nlot-1\nlot-2\n").rows] == ["lot-1", "lot-2"]


def test_a_cell_holds_what_stands_between_its_quotes() -> None:
    read_file = read('id,a,b\n1," two\r\nlines ","say ""so"""\n2,"x"y,z"z\n')
    assert texts(read_file) == [{"id": "1", "a": " two\r\nlines ", "b": 'say "so"'}, {"id": "2", "a": "xy", "b": 'z"z'}]
    assert [row.number for row in read_file.rows] == [2, 3]


def test_empty_rows_are_skipped_and_counted() -> None:
    read_file = read("\nid,a\n\n1,x,,\n , \n,,\n2,y\n")
    assert [(row.number, row.record_id) for row in read_file.rows] == [(4, "1"), (7, "2")]


def test_a_huge_cell_is_a_cell() -> None:
    huge = "x" * 3_000_000
    assert texts(read(f'id,a\n1,"{huge}"\n')) == [{"id": "1", "a": huge}]


def test_a_header_alone_asks_for_nothing_and_says_so() -> None:
    read_file = read("id,grade")
    assert (read_file.rows, read_file.fields) == ((), ("grade",))
    assert read_file.notices == ("there are no rows below the column names",)


def test_columns_that_no_record_has_are_left_to_the_plan() -> None:
    assert read("id,_note,_action\n1,x,\n").fields == ("_note",)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "fix.csv is empty. Add a row of column names and at least one row below it."),
        (" \n\n", "fix.csv is empty. Add a row of column names and at least one row below it."),
        (
            "id,a\n1,x,y\n",
            "Row 2, column C: the column with “y” has no name. If a cell contains the delimiter, put the cell in "
            "quotes. Otherwise add a column name.",
        ),
        (",id\n0,a\n", "Row 2, column A: the column with “0” has no name. Add a column name or delete the column."),
        ("id,a,b,a\n", "Row 1: columns B and D are both named “a”. Remove or rename one of them."),
        (
            "id,_action,_ACTION\n",
            "Row 1: columns B and C are both named “_ACTION”. Remove or rename one of them.",
        ),
        (
            'id,a\n1,x\n2,"y\n3,z\n',
            'Row 3, column B: the closing quote is missing. Close it, or write a quote inside a cell as "".',
        ),
        (
            "id,a\n1,x\0y\n",
            "Row 2, column B: null character. Save the file again.",
        ),
        ("id,_action\n1,move\n", "Row 2: unknown _action “move”. Use update, create or delete, or leave it empty."),
        ("id,_action\n,delete\n", "Row 2: _action is delete but the id is missing. Fill in the id."),
        ("id,_action\n,Update\n", "Row 2: _action is update but the id is missing. Fill in the id."),
        (
            "id,a\n1.2E+18,x\n",
            "Row 2: a spreadsheet shortened the id 1.2E+18. Format the column as text and enter the ids again.",
        ),
        ("PK\x03\x04...", "fix.csv is a spreadsheet or an archive. Save it as .xlsx or CSV."),
    ],
)
def test_what_cant_be_read_is_told_with_its_place_and_what_to_do(text: str, message: str) -> None:
    assert refusal(text) == message


# Encodings


@pytest.mark.parametrize(
    ("mark", "codec", "notices"),
    [
        (b"", "utf-8", ()),
        (codecs.BOM_UTF8, "utf-8", ()),
        (codecs.BOM_UTF16_LE, "utf-16-le", ()),
        (codecs.BOM_UTF16_BE, "utf-16-be", ()),
        (codecs.BOM_UTF32_LE, "utf-32-le", ()),
        (codecs.BOM_UTF32_BE, "utf-32-be", ()),
        (b"", "utf-16-le", ("encoding not marked; read as UTF-16",)),
        (b"", "utf-16-be", ("encoding not marked; read as UTF-16",)),
        (b"", "cp1252", ("not UTF-8; read as Windows-1252",)),
    ],
)
def test_an_encoding_is_told_by_its_mark_or_its_bytes(mark: bytes, codec: str, notices: tuple[str, ...]) -> None:
    read_file = read(mark + "id;größe\r\n1;5 € für „Zürich“\r\n".encode(codec))
    assert texts(read_file) == [{"id": "1", "größe": "5 € für „Zürich“"}]
    assert read_file.notices == notices


def test_a_damaged_text_is_not_taken_for_another_encoding() -> None:
    damaged = "id,a\n1,é ü ö\n2,x".encode() + b"\xff\n"
    assert refusal(damaged) == "Line 3: not UTF-8, unlike the rest of the file. Save the file as UTF-8."
    assert refusal(codecs.BOM_UTF8 + b"id\n\xff") == "The text is not valid UTF-8 at byte 4. Save the file as UTF-8."
    assert refusal(b"id\n\x81") == "The text is not valid Windows-1252 at byte 4. Save the file as UTF-8."


# Actions, ids, versions


def test_an_id_makes_a_row_an_update_and_none_makes_it_a_new_record() -> None:
    read_file = read("ID,grade,_Action,_version\nlot-1,A,,v1:x\n,B,,\nlot-3,C,DELETE,\nnew-1,D,create,\n")
    assert read_file.rows == (
        Correction(2, RowAction.UPDATE, "lot-1", {"grade": Cell("A")}, "v1:x"),
        Correction(3, RowAction.CREATE, "", {"grade": Cell("B")}),
        Correction(4, RowAction.DELETE, "lot-3"),
        Correction(5, RowAction.CREATE, "", {"ID": Cell("new-1"), "grade": Cell("D")}),
    )


@pytest.mark.parametrize(
    ("header", "ids", "notices"),
    [
        ("uuid,id", ["b"], ()),
        ("code,uuid", ["b"], ()),
        ("code,name", ["a"], ("no column id: code is used as the id",)),
        ("label,name", [""], ("no column id: every row creates a new record",)),
    ],
)
def test_the_column_of_ids_is_chosen_as_among_fields(header: str, ids: list[str], notices: tuple[str, ...]) -> None:
    read_file = read(f"{header}\na,b\n")
    assert ([row.record_id for row in read_file.rows], read_file.notices) == (ids, notices)


def test_ids_are_what_they_were_before_pandas_took_them_for_floats() -> None:
    assert [row.record_id for row in read("id,a\n12.0,x\n,y\n13.0,z\n").rows] == ["12", "", "13"]
    assert [row.record_id for row in read("id,a\n12.0,x\n12.1,y\n").rows] == ["12.0", "12.1"]


# Decimal commas


@pytest.mark.parametrize(
    ("text", "comma"),
    [
        ("id;a;b\n1;23,9;x\n", True),
        ("id\ta\tb\n1\t-2,5E+3\tx\n", True),
        ("id;a;b\n1;23,9;23.9\n", False),
        ("id;a;b\n1;23;x\n", False),
        ('id,a,b\n1,"23,9",x\n', False),
    ],
)
def test_a_decimal_comma_is_told_by_the_cells(text: str, comma: bool) -> None:
    read_file = read(text)
    cell = read_file.rows[0].values["a"]
    assert isinstance(cell, Cell)
    assert cell.decimal_comma is comma
    assert read_file.notices == (("numbers are read with a decimal comma",) if comma else ())


# JSON


RECORDS = '[{"id": 7, "a": 1.50, "b": null, "c": ""}, {"_action": "create", "d": {"e": [1e400]}}]'
READ: list[tuple[RowAction, str, dict[str, Json]]] = [
    (RowAction.UPDATE, "7", {"a": Number("1.50"), "b": None, "c": ""}),
    (RowAction.CREATE, "", {"d": {"e": [Number("1e400")]}}),
]


@pytest.mark.parametrize(
    ("name", "text", "numbers"),
    [
        ("fix.json", RECORDS, [1, 2]),
        ("fix.json", f'{{"data": {RECORDS}, "meta": {{}}}}', [1, 2]),
        ("fix.txt", f"\n{RECORDS}", [1, 2]),
        ("fix.jsonl", RECORDS[1:-1].replace("}, {", "}\n\n{"), [1, 3]),
        ("fix.ndjson", "\ufeff" + RECORDS[1:-1].replace("}, {", "}\r\n{"), [1, 2]),
        ("fix", RECORDS[1:-1].replace("}, {", "}\n{"), [1, 2]),
    ],
)
def test_json_keeps_every_digit_and_tells_null_from_empty_and_absent(name: str, text: str, numbers: list[int]) -> None:
    read_file = read(text, name)
    assert [(row.action, row.record_id, row.values) for row in read_file.rows] == READ
    assert [row.number for row in read_file.rows] == numbers
    assert read_file.fields == ("a", "b", "c", "d")


def test_one_line_of_json_is_one_record() -> None:
    assert read('{"id": "lot-1", "a": 1}', "one.jsonl").rows[0].record_id == "lot-1"


def test_a_new_record_of_json_may_bring_its_id() -> None:
    (row,) = read('[{"id": "n", "_action": "CREATE", "_version": "v1:x"}]', "f.json").rows
    assert row == Correction(1, RowAction.CREATE, "", {"id": "n"}, "v1:x")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[1, 2", "Not valid JSON: line 1, column 6: the text ends too early."),
        ("5", "The file must contain an array of objects, or one object per line."),
        ("[1]", "Item 1: not an object. Put each record in { and }."),
        ('{"id": 1}\n[2]', "Line 2: not an object. Put each record in { and }."),
        ('{"id": 1}\n{"id": }', "Line 2, column 8: not valid JSON: a value is expected."),
        ('{"id": 1}\n{"id": 2, "id": 3}', 'Line 2: not valid JSON: an object has the property "id" more than once.'),
        ('[{"id": {}}]', "Item 1: id is not text or a number. Enter the id of the record."),
        ('[{"id": 1, "_action": 5}]', "Item 1: _action is not text. Use update, create or delete."),
        (
            '[{"id": 1, "_version": 5}]',
            "Item 1: _version is not text. Use the exported value or clear the cell.",
        ),
    ],
)
def test_json_that_cant_be_read_is_told_with_its_place(text: str, message: str) -> None:
    assert refusal(text, "fix.json") == message


def test_rows_of_a_spreadsheet_need_a_header() -> None:
    with pytest.raises(CorrectionFileError, match=r"lots\.xlsx is empty"):
        read_correction_rows("lots.xlsx", "", [], WORDS)


# There and back

CELLS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=12)


@given(
    st.lists(st.tuples(CELLS, CELLS), max_size=6),
    st.sampled_from([",", ";", "\t", "|"]),
    st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "utf-32"]),
)
def test_a_table_that_is_written_is_read_back(rows: list[tuple[str, str]], delimiter: str, codec: str) -> None:
    out = io.StringIO()
    table = csv.writer(out, delimiter=delimiter, quoting=csv.QUOTE_ALL)
    table.writerow(["id", "a", "b"])
    table.writerows((f"r{number}", *row) for number, row in enumerate(rows))
    expected = [
        {"id": f"r{number}", **{name: cell for name, cell in zip("ab", row, strict=True) if cell.strip()}}
        for number, row in enumerate(rows)
    ]
    assert texts(read(out.getvalue().encode(codec))) == expected


@given(st.lists(st.dictionaries(CELLS.map(lambda name: f"x{name}"), st.integers() | st.none() | CELLS), max_size=5))
def test_json_that_is_written_is_read_back(records: list[dict[str, object]]) -> None:
    written = "".join(json.dumps({"id": f"r{number}", **record}) + "\n" for number, record in enumerate(records))
    if not records:
        return
    read_file = read(written, "fix.jsonl")
    assert [
        {name: int(value.text) if isinstance(value, Number) else value for name, value in row.values.items()}
        for row in read_file.rows
    ] == records


@given(st.binary(max_size=60), st.sampled_from(["x.csv", "x.json", "x.jsonl", "x"]))
def test_any_bytes_are_read_or_refused_in_words(data: bytes, name: str) -> None:
    problem = "."
    try:
        read_corrections(name, data, WORDS)
    except CorrectionFileError as error:
        problem = str(error)
    assert problem.endswith(".")
