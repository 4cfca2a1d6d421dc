"""JSON Lines, JSON, CSV and Markdown: what is read back is what came, no cell is a formula, and none is markup."""

import csv
import io
import json
import re
from collections.abc import Sequence
from itertools import islice

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from svc_tui.core.export_formats import Fields, Format, encode_utf8, format_of, format_whole, writer_of
from svc_tui.core.jsontext import Number, dumps, loads, to_plain

EXACT = '{"massKg":1.50,"big":1234567890123456789012345,"tiny":1E-400,"zero":-0.0,"huge":1e+99999}'

Texts = st.text(max_size=8) | st.text(alphabet='=+-@＝\t\r\n ;,"\u200b\u3000a1', max_size=8)
Values = st.recursive(
    st.none() | st.booleans() | st.integers() | Texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(Texts, inner, max_size=3),
    max_leaves=6,
)
Records = st.lists(st.dictionaries(Texts, Values, max_size=5), max_size=7)


def written(form: Format, records: Sequence[Fields], columns: Sequence[str] = (), pages: int = 3) -> str:
    """The whole text, made page by page."""
    writer, rest, after, text = writer_of(form, columns), iter(records), 0, ""
    while page := list(islice(rest, pages)):
        text += writer.text(page, after=after)
        after += len(page)
    return writer.head + text + writer.tail(after)


def fields(text: str) -> Fields:
    value = loads(text)
    assert isinstance(value, dict)
    return value


def table(text: str) -> list[list[str]]:
    """The cells as a reader of RFC 4180 finds them."""
    return list(csv.reader(io.StringIO(text, newline=""), strict=True))


@given(Records, st.integers(1, 4))
def test_json_lines_give_back_every_record(records: list[dict[str, object]], pages: int) -> None:
    came = [fields(dumps(to_plain(record))) for record in records]
    lines = encode_utf8(written(Format.JSONL, came, pages=pages)).split(b"\n")
    assert lines.pop() == b""
    assert [loads(line) for line in lines] == came


@given(Records, st.integers(1, 4))
def test_json_gives_back_every_record(records: list[dict[str, object]], pages: int) -> None:
    came = [fields(dumps(to_plain(record))) for record in records]
    assert loads(encode_utf8(written(Format.JSON, came, pages=pages))) == came


def test_json_has_a_record_a_line() -> None:
    assert written(Format.JSON, [{"a": None}, {"b": True}]) == '[\n{"a":null},\n{"b":true}\n]\n'
    assert written(Format.JSON, []) == "[]\n"


@pytest.mark.parametrize("form", [Format.JSONL, Format.JSON])
def test_numbers_keep_every_digit(form: Format) -> None:
    assert EXACT in written(form, [fields(EXACT)])


def test_numbers_keep_every_digit_in_a_table_and_stand_bare() -> None:
    record = fields(EXACT)
    assert written(Format.CSV, [record], tuple(record)) == (
        "massKg,big,tiny,zero,huge\r\n1.50,1234567890123456789012345,1E-400,-0.0,1e+99999\r\n"
    )


def test_half_a_character_is_written_as_an_escape() -> None:
    assert encode_utf8(written(Format.JSONL, [{"a": "\ud800é"}])) == b'{"a":"\\ud800\xc3\xa9"}\n'


@given(st.lists(Texts, min_size=1, max_size=4, unique=True), st.data())
def test_a_table_has_a_cell_for_every_column_of_every_record(columns: list[str], data: st.DataObject) -> None:
    made = st.dictionaries(st.sampled_from(columns), Values)
    records = [fields(dumps(to_plain(record))) for record in data.draw(st.lists(made, max_size=5))]
    rows = table(written(Format.CSV, records, columns))
    assert [len(row) for row in rows] == [len(columns)] * (1 + len(records))
    for name, shown in zip(columns, rows[0], strict=True):
        assert shown.replace("'", "") == name.replace("'", "")
    for record, row in zip(records, rows[1:], strict=True):
        for name, shown in zip(columns, row, strict=True):
            value = record.get(name)
            if isinstance(value, str):
                assert shown.replace("'", "") == value.replace("'", "")
            elif isinstance(value, list | dict):
                assert loads(shown) == value
            else:
                assert shown == ("" if value is None else dumps(value))


def test_null_and_missing_are_empty_cells_and_an_empty_text_is_a_quoted_one() -> None:
    assert written(Format.CSV, [{"a": None, "b": ""}, {"b": None}], ("a", "b")) == 'a,b\r\n,""\r\n,\r\n'


@pytest.mark.parametrize(
    ("text", "cell"),
    [
        ("Silver ore 1", "Silver ore 1"),
        ("2024-01-01T04:23:00Z", "2024-01-01T04:23:00Z"),
        ("Łódź=1", "Łódź=1"),
        ("[x] 5 %", "[x] 5 %"),
        ("ore ", '"ore "'),
        (" ore", '" ore"'),
        ("ore\u2028", '"ore\u2028"'),
        ("a,b", '"a,b"'),
        ("a;b", '"a;b"'),
        ('6"', '"6"""'),
        ("a\tb", '"a\tb"'),
        ("a\r\nb", '"a\r\nb"'),
    ],
)
def test_a_text_is_quoted_where_it_would_not_stand_alone(text: str, cell: str) -> None:
    assert written(Format.CSV, [{"a": text, "b": text}], ("a", "b")) == f"a,b\r\n{cell},{cell}\r\n"


def test_a_line_with_one_empty_cell_is_not_skipped() -> None:
    assert table(written(Format.CSV, [{"a": None}, {}, {"a": "x"}], ("a",))) == [["a"], [""], [""], ["x"]]


def test_fields_without_a_column_are_left_out_and_no_column_is_no_table() -> None:
    assert written(Format.CSV, [{"a": "x", "b": "y"}], ("b",)) == "b\r\ny\r\n"
    assert written(Format.CSV, [{}], ()) == ""


def test_nested_values_are_json_in_their_cell() -> None:
    assert table(written(Format.CSV, [fields('{"a":{"b":[1.50,"x\\n"]}}')], ("a",)))[1] == ['{"b":[1.50,"x\\n"]}']


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("=1+1", "'=1+1"),
        ("+1", "'+1"),
        ("-1", "'-1"),
        ("@SUM(A1)", "'@SUM(A1)"),
        ("＝1+1", "'＝1+1"),
        ("＋1", "'＋1"),
        ("－1", "'－1"),
        ("＠A", "'＠A"),
        ("﹦1", "'﹦1"),
        ("  =1", "'  =1"),
        ("\u3000=1", "'\u3000=1"),
        ("\u200b=1", "'\u200b=1"),
        ("\ufeff\u00a0-1", "'\ufeff\u00a0-1"),
        ("\t1", '"\'\t1"'),
        ("\r1", '"\'\r1"'),
        ("\x00=1", "'\x00=1"),
        ("a;=1", '"a;\'=1"'),
        ('a; "=1', '"a;\' ""=1"'),
        ("a\t@b", '"a\t\'@b"'),
        ("a\n-b", '"a\n\'-b"'),
        ("a=1", "a=1"),
        ("2-1", "2-1"),
        ("a;b", '"a;b"'),
        ("a b", "a b"),
        (" a ", '" a "'),
        ("'=1", "'=1"),
        ("", '""'),
    ],
)
def test_a_text_that_would_run_is_made_harmless_and_others_are_left_alone(text: str, shown: str) -> None:
    assert written(Format.CSV, [{"b": text}], ("a", "b")) == f"a,b\r\n,{shown}\r\n"


def test_a_column_name_that_would_run_is_made_harmless() -> None:
    assert written(Format.CSV, [], ("=1+1", "\t", "ok")) == "'=1+1,\"'\t\",ok\r\n"


@given(st.lists(st.lists(Values, min_size=2, max_size=2), min_size=1, max_size=4), st.sampled_from(",;\t"))
def test_no_cell_begins_a_formula_wherever_a_spreadsheet_parts_cells(rows: list[list[object]], parted: str) -> None:
    records = [fields(dumps(to_plain({"a": row[0], "b": row[1]}))) for row in rows]
    text = written(Format.CSV, records, ("a", "b"))
    numbers = {dumps(value) for record in records for value in record.values() if isinstance(value, Number)}
    for line in csv.reader(io.StringIO(text, newline=""), delimiter=parted):
        for shown in line:
            seen = shown.strip().lstrip("\u200b\u3000 ")
            # A number of the first column begins the line, and with it a cell, wherever cells are parted.
            assert seen[:1] not in tuple("=+-@＝") or seen.partition(",")[0] in numbers, repr(text)


def test_json_inside_a_cell_is_made_harmless_without_a_change() -> None:
    (_, (shown,)) = table(written(Format.CSV, [{"a": ["x; =1", ";@b", "c=1"]}], ("a",)))
    assert json.loads(shown) == ["x; =1", ";@b", "c=1"]
    assert "c=1" in shown
    assert ";@" not in shown
    assert "; =" not in shown


@pytest.mark.parametrize(
    ("name", "form"),
    [
        ("lots.jsonl", Format.JSONL),
        ("lots.ndjson", Format.JSONL),
        ("lots.json", Format.JSON),
        ("LOTS.CSV", Format.CSV),
        ("a.csv.jsonl", Format.JSONL),
        ("lots.md", Format.MARKDOWN),
        ("lots.markdown", Format.MARKDOWN),
        ("lots.txt", None),
        ("lots", None),
        ("csv", None),
        (".", None),
    ],
)
def test_a_format_is_known_by_the_files_ending(name: str, form: Format | None) -> None:
    assert format_of(name) is form


@pytest.mark.parametrize("form", Format)
def test_a_format_is_known_by_its_own_ending(form: Format) -> None:
    assert format_of(f"lots.{form.ending}") is form


# Markdown

Marked = st.text(alphabet='|\\`*_[]()<>&;#!~$@:/.w-+=\t\r\n\x1b "ab1é\u2028', max_size=14) | st.text(max_size=8)


def cells(text: str) -> list[list[str]]:
    """The cells of the one table in a Markdown text, as people see them; fails where anything in one is not text."""
    rows: list[list[str]] = []
    tokens = MarkdownIt("gfm-like", {"html": True, "linkify": False}).parse(text)
    assert [tokens[0].type, tokens[-1].type] == ["table_open", "table_close"]
    for token in tokens:
        if token.type == "tr_open":
            rows.append([])
        if token.type == "inline":
            parts = token.children or []
            assert {part.type for part in parts} <= {"text", "text_special", "html_inline"}, token.content
            assert {part.content for part in parts if part.type == "html_inline"} <= {"<br>"}
            rows[-1].append("".join("\n" if part.type == "html_inline" else part.content for part in parts))
    return rows


def as_seen(text: str) -> str:
    """A text as a cell shows it: lines for every kind of break, pictures of control characters, no spaces around."""
    lines = re.sub("\r\n|[\r\n\x0b\x0c\x85\u2028\u2029]", "\n", text).replace("\t", " ")
    shown = re.sub("[\x00-\x09\x0e-\x1f]", lambda found: chr(0x2400 + ord(found[0])), lines)
    return re.sub("[\x80-\x9f]", "\N{REPLACEMENT CHARACTER}", shown.replace("\x7f", "␡")).strip(" ")


@given(st.lists(st.lists(Marked, min_size=2, max_size=2), min_size=1, max_size=4))
def test_whatever_a_text_holds_a_markdown_cell_shows_it(rows: list[list[str]]) -> None:
    shown = cells(format_whole(Format.MARKDOWN, [{"a": row[0], "b": row[1]} for row in rows]))
    assert shown[0] == ["a", "b"]
    assert [[cell.strip() for cell in row] for row in shown[1:]] == [
        [as_seen(cell).strip() for cell in row] for row in rows
    ]


def test_a_markdown_table_is_one_that_people_can_read() -> None:
    records = [fields('{"id":"lot-1","massKg":1.50,"status":"in_transit"}'), fields('{"id":"lot-2","parts":[1]}')]
    assert format_whole(Format.MARKDOWN, records) == (
        "| id | massKg | status | parts |\n"
        "| --- | --- | --- | --- |\n"
        "| lot-1 | 1.50 | in_transit |  |\n"
        "| lot-2 |  |  | \\[1] |\n"
    )


def test_an_address_in_a_markdown_cell_is_no_link() -> None:
    text = format_whole(
        Format.MARKDOWN, [{"note": "https://example.com www.example.com me@example.com ![x](https://e/x)"}]
    )
    assert cells(text)[1] == ["https://example.com www.example.com me@example.com ![x](https://e/x)"]
    assert not re.search(r"https://|www\.|e@e", text)


def test_markdown_without_columns_is_no_text() -> None:
    assert format_whole(Format.MARKDOWN, [{}]) == ""
