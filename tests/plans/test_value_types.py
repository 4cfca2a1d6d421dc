"""The JSON type of a value that a plan sends: that of the record, or the row keeps a problem."""

from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from svc_tui.core.catalog import COLLECTIONS
from svc_tui.core.export_formats import csv_line
from svc_tui.core.field_entry import ValueProblem, entry_among
from svc_tui.core.jsontext import ABSENT, Absent, Json, Number, loads
from svc_tui.core.kinds import json_type
from svc_tui.core.records import Place, Record
from svc_tui.plans.comparing import SeenValues, check_type, compare_row, edit_row
from svc_tui.plans.correction_file import Correction, ValueWords, read_corrections
from svc_tui.storage.plan import PlanRow, ProblemKind, RowAction
from svc_tui.writes.write_requests import build_update_request

N = Number
FIELDS: Mapping[str, tuple[Json, Json]] = {
    "massKg": (N("3215.57"), N("2")),
    "open": (True, False),
    "name": ("Ore 1", "Ore 2"),
    "code": ("007", "008"),
    "openedAt": ("2024-01-01T01:23:45Z", "2024-01-02T00:00:00Z"),
    "day": ("2024-01-01", "2024-01-02"),
    "status": ("open", "closed"),
    "tunnelId": ("tun-1", "tun-2"),
    "shaftId": (N("17"), N("18")),
    "assay": ({"au": N("1")}, {"au": N("2")}),
    "tags": (["wet"], []),
    "mixed": (N("1"), "1"),
    "reading": ("n/a", N("4")),
}
"""One field of each kind, with its value in the record of the row, and in another one."""

RECORD = Record({"id": "lot-1", **{name: value for name, (value, _) in FIELDS.items()}})


def seen() -> SeenValues:
    values = SeenValues(tuple(FIELDS))
    for _ in range(6):
        values.add(RECORD.fields)
        values.add({"id": "lot-2", **{name: value for name, (_, value) in FIELDS.items()}})
    return values


SEEN = seen()
CELLS = st.sampled_from(
    (
        *("1,25", "1.25", "abc", "1", "0", "true", "wahr", "hihg", "{", '{"au": 3}', "[1]", "20.11.2026", "2026-11-20"),
        *("2026-11-20T05:12:00Z", "tun-3", "12", "1.972", "1.234,5", "(null)", "(empty)", "closed", " "),
    )
) | st.text(max_size=6).filter(lambda text: "\0" not in text)


def planned(cell: str, path: str, record: Record, separator: str) -> PlanRow:
    """The row of a file with one cell."""
    text = f"id{separator}{path}\n" + csv_line(["lot-1", cell]).replace(",", separator, 1)
    (correction,) = read_corrections("lots.csv", text.encode("utf-8", "surrogatepass"), ValueWords()).rows
    return compare_row(correction, record, SEEN)


def edited(row: PlanRow, path: str, typed: str, record: Record) -> PlanRow:
    """The row once a person has typed a value into the editor of the plan; as it was where that takes no such text."""
    change = next((change for change in row.changes if change.name == path), None)
    if change is None:
        return row
    values = SEEN
    entry = entry_among(path, change.old, values.values(path), None, kind=values.kind(path), proposed=change.new)
    try:
        return edit_row(row, path, entry.read(typed), SEEN)
    except ValueProblem:
        return row


def sent(row: PlanRow) -> Mapping[str, Json]:
    """The body of the row's request."""
    body = loads(build_update_request(Place(COLLECTIONS[0], "lot-1"), row.draft).body)
    assert isinstance(body, Mapping)
    return body


def assert_type_or_problem(row: PlanRow, path: str, old: Json) -> None:
    if path not in row.edits or any(problem.field == path for problem in row.problems):
        return
    new = sent(row)[path]
    if new is not None:
        assert json_type(new) is json_type(old)


@given(st.sampled_from(tuple(FIELDS)), CELLS, st.none() | CELLS, st.sampled_from(",;\t"), st.booleans())
def test_what_is_planned_edited_and_sent_has_the_type_of_the_record(
    path: str, cell: str, typed: str | None, separator: str, blank: bool
) -> None:
    # A field that is null or missing here has the type that it has in other records, where they agree.
    record = Record({"id": "lot-1", path: None}) if blank else RECORD
    row = planned(cell, path, record, separator)
    typical = SEEN.typical(path)
    old = RECORD.fields[path] if not blank or isinstance(typical, Absent) else typical
    if blank and isinstance(typical, Absent):
        return
    assert_type_or_problem(row, path, old)
    if typed is not None:
        assert_type_or_problem(edited(row, path, typed, record), path, old)


@pytest.mark.parametrize(
    ("path", "cell", "typed", "value"),
    [
        ("massKg", "1,25", "1.25", N("1.25")),
        ("open", "maybe", "f", False),
        ("assay", "{", '{"au": 4}', {"au": N("4")}),
        ("tags", "wet", '["dry"]', ["dry"]),
        ("shaftId", "x", "19", N("19")),
        ("code", "9", "008", "008"),
        ("openedAt", "soon", "2024-01-03T00:00:00Z", "2024-01-03T00:00:00Z"),
        ("status", "clsoed", "closed", "closed"),
        ("mixed", "1,25", "5", N("5")),
    ],
)
def test_a_value_that_is_corrected_in_the_plan_has_the_type_of_the_record_and_no_problem(
    path: str, cell: str, typed: str, value: Json
) -> None:
    row = planned(cell, path, RECORD, ",")
    row = edited(row, path, typed, RECORD)
    assert row.problems == () or path == "mixed"
    assert sent(row) == {path: value}


def test_the_fields_of_a_new_record_have_the_types_of_other_records() -> None:
    values = {"massKg": "2,5", "shaftId": "20", "name": "Ore 2"}
    text = f"{','.join(values)}\n{csv_line(list(values.values()))}"
    (correction,) = read_corrections("lots.csv", text.encode(), ValueWords()).rows
    row = compare_row(correction, None, SEEN)
    assert [problem.field for problem in row.problems] == ["massKg"]
    row = edited(row, "massKg", "2.5", Record({}))
    assert row.edits == {"massKg": N("2.5"), "shaftId": N("20"), "name": "Ore 2"}
    assert row.problems == ()


@pytest.mark.parametrize(
    ("path", "value"),
    [("massKg", "1.25"), ("code", N("7")), ("open", "true"), ("tags", {}), ("assay", []), ("day", N("1"))],
)
def test_a_file_of_json_with_another_type_is_in_doubt(path: str, value: Json) -> None:
    row = compare_row(Correction(2, RowAction.UPDATE, "lot-1", {path: value}), RECORD, SEEN)
    assert [problem.kind for problem in row.problems] == [ProblemKind.OTHER_KIND]


@pytest.mark.parametrize(("length", "shown"), [(38, f'"{"x" * 38}"'), (39, f'"{"x" * 38}…')])
def test_a_problem_quotes_forty_characters_of_a_value_at_most(length: int, shown: str) -> None:
    problem = check_type(seen(), "massKg", "x" * length, N("3215.57"))
    assert problem is not None
    assert problem.text == f"massKg: expected a number as in this record, found text ({shown})."
    assert problem.field == "massKg"


def test_the_type_of_the_record_counts_where_others_have_another_one() -> None:
    assert check_type(seen(), "massKg", "light", "heavy") is None


@pytest.mark.parametrize("old", [None, ABSENT])
def test_where_the_record_has_no_value_the_others_tell_the_type_and_any_will_do_where_they_have_none(
    old: Json | Absent,
) -> None:
    problem = check_type(seen(), "massKg", "x", old)
    assert problem is not None
    assert "as in other records" in problem.text
    empty = SeenValues(("massKg",))
    empty.add({"massKg": None})
    assert check_type(empty, "massKg", "x", old) is None
    assert check_type(seen(), "massKg", None, old) is None
