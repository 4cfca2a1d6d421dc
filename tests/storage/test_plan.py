"""A plan and its rows: their states, what becomes of a doubt, and the words for all of it."""

from datetime import UTC, datetime

from svc_tui.core.catalog import COLLECTIONS
from svc_tui.core.draft import freshen
from svc_tui.core.jsontext import Number
from svc_tui.core.records import Record
from svc_tui.core.values import replace
from svc_tui.plans.comparing import SeenValues, edit_row, with_values
from svc_tui.storage.plan import Plan, PlanRow, ProblemKind, RowAction, RowProblem, RowState

LOTS = COLLECTIONS[0]
N = Number
DOUBT = RowProblem(ProblemKind.NEW_CHOICE, "status: never seen.", "status")
BLOCK = RowProblem(ProblemKind.TWICE, "lot-1 is also in row 3. Delete one of them.")


def row(number: int = 2, *problems: RowProblem, skipped: bool | None = None) -> PlanRow:
    """A row that changes the status and a part of the assay of a lot."""
    return PlanRow(
        number,
        record_id=f"lot-{number}",
        base={"status": "open", "assay": {"au": N("1"), "ag": N("2")}},
        edits={"status": "shut", "assay": {"au": N("3"), "ag": N("2")}},
        fields=("status", "assay.au"),
        problems=problems,
        skipped=skipped,
    )


def plan(*rows: PlanRow) -> Plan:
    """A plan of these rows."""
    return Plan("p", LOTS, rows, datetime(2026, 1, 1, tzinfo=UTC))


def test_the_state_of_a_row_is_what_stands_against_it_and_what_a_person_decided() -> None:
    assert row().state is RowState.READY
    assert row(2, skipped=True).state is RowState.SKIPPED
    assert row(2, DOUBT).state is RowState.DOUBTED
    assert row(2, DOUBT, skipped=False).state is RowState.READY
    assert row(2, DOUBT, BLOCK, skipped=False).state is RowState.BLOCKED
    assert PlanRow(2, record_id="lot-2").state is RowState.ALREADY
    assert PlanRow(2, RowAction.DELETE, "lot-2").state is RowState.READY


def test_another_value_is_compared_and_settles_the_doubt_about_its_field_alone() -> None:
    seen = SeenValues(("status", "assay.au"))
    seen.add({"status": "open", "assay": {"au": N("1"), "ag": N("2")}})
    seen.add({"status": "closed"})
    doubted = row(2, DOUBT, RowProblem(ProblemKind.OTHER_KIND, "assay.au: rounded.", "assay.au"))
    edited = edit_row(doubted, "status", "closed", seen)
    assert edited.edits["status"] == "closed"
    assert [problem.field for problem in edited.problems] == ["assay.au"]
    nested = edit_row(edited, "assay.au", N("4"), seen)
    assert nested.edits["assay"] == {"au": N("4"), "ag": N("2")}
    assert nested.state is RowState.READY
    again = edit_row(nested, "status", "clsoed", seen)
    assert [problem.text for problem in again.problems] == ['status: unknown value "clsoed". Did you mean "closed"?']
    assert again.state is RowState.DOUBTED


def test_a_row_that_was_taken_in_stays_so_only_where_no_doubt_is_new() -> None:
    seen = SeenValues(("status", "assay.au"))
    seen.add({"status": "open", "assay": {"au": N("1")}})
    taken = row(2, DOUBT, skipped=False)
    assert edit_row(taken, "assay.au", N("4"), seen).state is RowState.READY
    assert edit_row(taken, "assay.au", "4", seen).state is RowState.DOUBTED
    assert with_values(taken, Record(taken.base), {"status": N("4")}, seen).state is RowState.DOUBTED
    assert edit_row(replace(taken, skipped=True), "assay.au", "4", seen).state is RowState.SKIPPED


def test_the_old_value_again_is_no_change() -> None:
    known = SeenValues(())
    back = edit_row(edit_row(row(2, DOUBT), "status", "open", known), "assay.au", N("1"), known)
    assert back.edits == {}
    assert back.fields == ()
    assert back.problems == ()
    assert back.state is RowState.ALREADY


def test_that_others_changed_a_field_stays_true_of_another_new_value() -> None:
    moved = RowProblem(ProblemKind.MOVED, "status is open now.", "status")
    assert edit_row(row(2, moved), "status", "closed", SeenValues(())).problems == (moved,)


def test_a_value_of_a_new_record_is_changed_where_it_stands() -> None:
    new = PlanRow(2, RowAction.CREATE, edits={"assay": {"au": N("1")}, "x": N("1")}, fields=("assay.au", "x"))
    edited = edit_row(new, "assay.au", N("2"), SeenValues(()))
    assert edited.edits == {"assay": {"au": N("2")}, "x": N("1")}
    assert edited.fields == ("assay.au", "x")


def test_a_new_record_is_called_by_its_name_as_it_was_edited() -> None:
    new = PlanRow(2, RowAction.CREATE, label="Ore 1", edits={"name": "Ore 1", "x": N("1")}, fields=("name", "x"))
    known = SeenValues(())
    assert edit_row(new, "name", "Ore 2", known).label == "Ore 2"
    assert edit_row(new, "x", N("2"), known).label == "Ore 1"
    assert edit_row(replace(row(), label="Ore 1"), "status", "closed", known).label == "Ore 1"


def test_counts_and_titles_follow_what_is_decided() -> None:
    rows = (row(2), row(3, DOUBT), row(4, BLOCK), row(5))
    made = plan(*rows)
    assert (len(made.ready), len(made.problems)) == (2, 2)
    assert made.title == "status and assay.au of 2 lots"
    taken = made.with_doubts_included()
    assert len(taken.ready) == 3
    assert taken.counts[RowState.BLOCKED] == 1
    assert made.with_problems_skipped().counts[RowState.SKIPPED] == 1
    assert [one.number for one in made.with_row_skipped(2).ready] == [5]
    # What was counted of one plan is not said of another.
    assert len(made.ready) == 2


def test_a_plan_is_called_by_what_its_rows_have_in_common() -> None:
    new, gone = (
        PlanRow(2, RowAction.CREATE, edits={"name": "x"}, fields=("name",)),
        PlanRow(3, RowAction.DELETE, "lot-3"),
    )
    assert plan(new).title == "1 new lot"
    assert plan(gone).title == "deletion of 1 lot"
    assert plan(new, gone).title == "changes in 2 lots"
    assert plan(replace(row(), skipped=True)).subject == "status and assay.au"


def test_an_id_that_is_a_number_has_not_moved() -> None:
    fresh = Record({"id": Number("7"), "grade": "A"})
    row = PlanRow(2, record_id="7", base={"grade": "A"}, edits={"grade": "B"}, fields=("grade",))
    assert freshen(row.draft, fresh).moved == ()


def test_what_the_service_will_surely_refuse_is_not_taken_in_with_the_other_doubts() -> None:
    unfit = RowProblem(ProblemKind.OTHER_KIND, "grade: “abc” is not a number.", "grade")
    assert row(2, DOUBT).can_be_included
    assert not row(2, unfit).can_be_included
    assert not row(2, DOUBT, unfit).can_be_included
    assert not row(2, DOUBT, BLOCK).can_be_included
    assert not row(2, DOUBT, skipped=False).can_be_included
