"""How records are laid out to be edited."""

import csv
import io
from collections.abc import Sequence

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from svc_tui.core.export_formats import Fields, Format, encode_utf8
from svc_tui.core.jsontext import Json, Number, loads
from svc_tui.core.records import ID_NAMES, Record
from svc_tui.plans.comparing import SeenValues, compare_row
from svc_tui.plans.correction_file import Correction, ValueWords, is_special, read_corrections
from svc_tui.plans.for_edit import EditLayout, format_version
from svc_tui.storage.plan import RowAction, RowState


def written(records: Sequence[Fields], form: Format = Format.CSV) -> str:
    """The records in that format."""
    layout = EditLayout(form)
    writer = layout.writer(tuple(dict.fromkeys(layout.names(records))))
    return writer.head + writer.text(records, after=0) + writer.tail(len(records))


def rows(records: Sequence[Fields]) -> list[list[str]]:
    """The cells of the table, without those of `_version`."""
    text = written(records)
    assert text.startswith("\ufeff")
    table = list(csv.reader(io.StringIO(text[1:], newline="")))
    assert [row[-1] for row in table] == ["_version", *map(format_version, records)]
    return [row[:-1] for row in table]


def test_objects_are_spread_and_lists_are_json() -> None:
    deep = {"a": {"b": {"c": {"d": {"e": Number("1")}}}}}
    first: Fields = {"name": "x", "id": "1", "geo": {"lat": Number("1.50"), "none": None}, "tags": ["a"], "empty": {}}
    assert rows([first, {"id": "2", **deep}]) == [
        ["id", "name", "geo.lat", "geo.none", "tags", "empty", "a.b.c.d"],
        ["1", "x", "1.50", "", '["a"]', "{}", ""],
        ["2", "", "", "", "", "", '{"e":1}'],
    ]


def test_a_field_that_is_an_object_in_some_records_has_both_columns() -> None:
    assert rows([{"id": "1", "a": "x"}, {"id": "2", "a": {"b": "y"}}]) == [
        ["id", "a", "a.b"],
        ["1", "x", ""],
        ["2", "", "y"],
    ]


def test_a_name_with_a_point_in_it_is_told_from_a_path() -> None:
    fields: Fields = {"id": "1", "geo.lat": "x", "geo": {"lat": "y"}}
    assert rows([fields]) == [["id", "geo.lat", 'geo["lat"]'], ["1", "x", "y"]]


@pytest.mark.parametrize(
    "id_", ["007", "1e5", "1.0", "'007", "12345678901234567890", "=x", "MAR1", "lot-1", "12", "''1"]
)
def test_an_id_comes_back_as_it_is(id_: str) -> None:
    records: list[Fields] = [{"id": id_, "a": "x"}]
    (row,) = read_corrections("f.csv", written(records).encode(), ValueWords()).rows
    assert row.record_id == id_
    assert rows(records)[1][0] == id_ or rows(records)[1][0] == f"'{id_}"


def test_columns_that_say_what_to_do_are_no_fields() -> None:
    fields: Fields = {"_version": "mine", "_ACTION": "delete", "name": "x", "id": "1"}
    assert rows([{"name": "x", "id": "1"}]) == [["id", "name"], ["1", "x"]]
    (row,) = read_corrections("f.csv", written([fields]).encode(), ValueWords()).rows
    own: Fields = {"id": "1", "name": "x"}
    assert (row.action, row.version) == (RowAction.UPDATE, format_version(own))
    assert loads(written([fields], Format.JSONL)) == {**own, "_version": format_version(own)}


NAMES = st.sampled_from(
    ["", " ", "  ", '""', '" "', " a", "a ", "\ufeffa", '"a"', '"', "=1", "'x", "\x1b", "a.", "x,y", "id "]
)


@given(st.lists(NAMES | st.text(max_size=4), min_size=1, max_size=4, unique=True), st.sampled_from(["x", {"": "x"}]))
@example(["", " "], "x")
@example(["\ud83d"], "x")
def test_every_name_of_a_field_is_read_back(names: list[str], value: Json) -> None:
    names = [name for name in names if "\0" not in name and not is_special(name) and name.casefold() not in ID_NAMES]
    fields: Fields = {"id": "1", **dict.fromkeys(names, value)}
    layout = EditLayout(Format.CSV)
    paths = [path for path in layout.names([fields]) if path != "id"]
    (row,) = read_corrections("f.csv", encode_utf8(written([fields])), ValueWords()).rows
    assert (row.record_id, row.action) == ("1", RowAction.UPDATE)
    assert list(row.values) == paths
    seen = SeenValues(paths)
    seen.add(fields)
    assert compare_row(row, Record(fields), seen).state is RowState.ALREADY


def test_a_field_without_a_name_is_no_id() -> None:
    (row,) = read_corrections("f.csv", b'"""""",a\nx,y\n', ValueWords()).rows
    assert (row.record_id, row.action, set(row.values)) == ("", RowAction.CREATE, {"", "a"})
    (row,) = read_corrections("f.json", b'[{"": "x", "a": "y"}]', ValueWords()).rows
    assert (row.record_id, row.action) == ("", RowAction.CREATE)


def test_what_is_read_back_is_the_record() -> None:
    fields: Fields = {"a": Number("1.50"), "id": Number("7"), "b": {"c": None}}
    text = written([fields, fields], Format.JSON)
    rows_read = read_corrections("f.json", text.encode(), ValueWords()).rows
    assert rows_read[1] == Correction(
        2, RowAction.UPDATE, "7", {"a": Number("1.50"), "b": {"c": None}}, format_version(fields)
    )


def test_nothing_is_written_of_no_records() -> None:
    assert written([]) == ""
    assert written([], Format.JSON) == "[]\n"
