"""The same values for many records: who gets what, and what is left alone."""

from svc_tui.core.draft import freshen
from svc_tui.core.jsontext import ABSENT, Json, Number
from svc_tui.core.records import Record
from svc_tui.plans.comparing import (
    SeenValues,
    edit_row,
    find_common_value,
    list_common_fields,
    make_marked_rows,
    with_values,
)
from svc_tui.storage.plan import ProblemKind, RowState

SEEN = SeenValues(("grade", "note", "massKg"))
"""Nothing is known of the other records."""


def lot(index: int, **fields: Json) -> Record:
    return Record({"id": f"lot-{index}", **fields})


def test_records_that_have_the_value_are_told_apart() -> None:
    rows = make_marked_rows([lot(1, grade="A"), lot(2, grade="B"), lot(3), lot(4, grade=None)], {"grade": "A"}, SEEN)
    assert [row.state for row in rows] == [RowState.ALREADY, *[RowState.READY] * 3]
    assert [change.old for row in rows for change in row.changes] == ["B", ABSENT, None]


def test_several_fields_change_at_once_and_only_where_they_differ() -> None:
    (row,) = make_marked_rows(
        [lot(1, grade="B", status="open", note="n")], {"grade": "A", "status": "open", "note": "m"}, SEEN
    )
    assert (row.edits, row.fields) == ({"grade": "A", "note": "m"}, ("grade", "note"))
    assert row.base == {"grade": "B", "note": "n"}


def test_a_further_value_leaves_alone_what_was_decided_of_a_record() -> None:
    (row,) = make_marked_rows([lot(1, grade="B", note="n")], {"grade": "A"}, SEEN)
    edited = edit_row(row, "grade", "C", SEEN)
    more = with_values(edited, lot(1, grade="B", note="n"), {"note": "m"}, SEEN)
    assert more.edits == {"grade": "C", "note": "m"}
    assert more.base == {"grade": "B", "note": "n"}
    assert more.fields == ("grade", "note")


def test_a_second_value_replaces_the_problems_of_its_own_field_only() -> None:
    record = lot(1, massKg=Number("1.5"), grade="B")
    (row,) = make_marked_rows([record], {"massKg": "heavy"}, SEEN)
    assert [problem.field for problem in with_values(row, record, {"grade": "A"}, SEEN).problems] == ["massKg"]
    assert with_values(row, record, {"massKg": Number("2")}, SEEN).problems == ()


def test_a_row_knows_the_field_that_holds_the_id() -> None:
    (row,) = make_marked_rows([Record({"uuid": "a-1", "grade": "B"})], {"grade": "A"}, SEEN)
    assert (row.record_id, row.id_name) == ("a-1", "uuid")


def test_a_number_with_other_digits_is_another_value() -> None:
    (row,) = make_marked_rows([lot(1, massKg=Number("1.5"))], {"massKg": Number("1.50")}, SEEN)
    assert row.state is RowState.READY


def test_records_without_an_id_are_left_out() -> None:
    assert make_marked_rows([Record({"grade": "B"})], {"grade": "A"}, SEEN) == ()


def test_any_field_but_the_id_can_be_changed() -> None:
    assert list_common_fields([lot(1, grade="A"), lot(2, note="n"), Record({"uuid": "u", "grade": "B"})]) == (
        "grade",
        "note",
    )


def test_fields_come_in_the_order_in_which_a_record_shows_them() -> None:
    fields: dict[str, Json] = {"note": "wet", "updatedAt": "2024-01-02T03:04:05Z", "massKg": Number("1"), "name": "Ore"}
    assert list_common_fields([Record({"id": "lot-1", **fields})]) == ("name", "massKg", "updatedAt", "note")


def test_the_value_that_all_have_in_common_is_where_an_editor_begins() -> None:
    assert find_common_value([lot(1, grade="A"), lot(2, grade="A")], "grade") == "A"
    assert find_common_value([lot(1, grade="A"), lot(2, grade="B")], "grade") is ABSENT
    assert find_common_value([lot(1, grade="A"), lot(2)], "grade") is ABSENT


def test_only_the_field_that_is_changed_can_surprise() -> None:
    (row,) = make_marked_rows([lot(1, grade="B", note="old")], {"grade": "A"}, SEEN)
    assert freshen(row.draft, lot(1, grade="B", note="new")).conflicts == ()
    assert freshen(row.draft, lot(1, grade="C")).conflicts == ("grade",)
    assert freshen(row.draft, lot(1, grade="A")).draft.edits == {}
    (bare,) = make_marked_rows([lot(1)], {"grade": "A"}, SEEN)
    assert freshen(bare.draft, lot(1, grade="C")).conflicts == ("grade",)


def test_a_value_of_another_type_than_the_record_has_is_a_problem() -> None:
    rows = make_marked_rows([lot(1, massKg=Number("1")), lot(2, massKg="1"), lot(3)], {"massKg": "2"}, SEEN)
    assert [row.state for row in rows] == [RowState.DOUBTED, RowState.READY, RowState.READY]
    (problem,) = rows[0].problems
    assert (problem.kind, problem.field) == (ProblemKind.OTHER_KIND, "massKg")
    assert problem.text == 'massKg: expected a number as in this record, found text ("2").'
    seen = SeenValues(("massKg",))
    seen.add({"massKg": Number("1")})
    (row,) = make_marked_rows([lot(3, massKg=None)], {"massKg": "2"}, seen)
    assert [problem.text for problem in row.problems] == [
        'massKg: expected a number as in other records, found text ("2").'
    ]
    assert with_values(row, lot(3, massKg=None), {"massKg": Number("2")}, seen).problems == ()
