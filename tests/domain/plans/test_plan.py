"""A plan and its rows: their states, what becomes of a doubt, and the words for all of it."""

from dataclasses import replace
from datetime import UTC, datetime

from svc_tui.domain.corrections.correction import RowAction
from svc_tui.domain.editing.draft import freshen
from svc_tui.domain.model.catalog import COLLECTIONS
from svc_tui.domain.model.jsontext import Number
from svc_tui.domain.model.records import Record
from svc_tui.domain.plans.comparing import RowComparison
from svc_tui.domain.plans.marked import row_with_values
from svc_tui.domain.plans.plan import Plan, PlanRow, ProblemKind, RowProblem, RowState
from svc_tui.domain.plans.seen_values import SeenValues

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
    seen.take({"status": "open", "assay": {"au": N("1"), "ag": N("2")}})
    seen.take({"status": "closed"})
    comparison = RowComparison(seen)
    doubted = row(2, DOUBT, RowProblem(ProblemKind.OTHER_KIND, "assay.au: rounded.", "assay.au"))
    edited = comparison.edited(doubted, "status", "closed")
    assert edited.edits["status"] == "closed"
    assert [problem.field for problem in edited.problems] == ["assay.au"]
    nested = comparison.edited(edited, "assay.au", N("4"))
    assert nested.edits["assay"] == {"au": N("4"), "ag": N("2")}
    assert nested.state is RowState.READY
    again = comparison.edited(nested, "status", "clsoed")
    assert [problem.text for problem in again.problems] == ['status: unknown value "clsoed". Did you mean "closed"?']
    assert again.state is RowState.DOUBTED


def test_a_row_that_was_taken_in_stays_so_only_where_no_doubt_is_new() -> None:
    seen = SeenValues(("status", "assay.au"))
    seen.take({"status": "open", "assay": {"au": N("1")}})
    comparison = RowComparison(seen)
    taken = row(2, DOUBT, skipped=False)
    assert comparison.edited(taken, "assay.au", N("4")).state is RowState.READY
    assert comparison.edited(taken, "assay.au", "4").state is RowState.DOUBTED
    assert row_with_values(taken, Record(taken.base), {"status": N("4")}, seen).state is RowState.DOUBTED
    assert comparison.edited(replace(taken, skipped=True), "assay.au", "4").state is RowState.SKIPPED


def test_the_old_value_again_is_no_change() -> None:
    comparison = RowComparison(SeenValues(()))
    back = comparison.edited(comparison.edited(row(2, DOUBT), "status", "open"), "assay.au", N("1"))
    assert back.edits == {}
    assert back.fields == ()
    assert back.problems == ()
    assert back.state is RowState.ALREADY


def test_that_others_changed_a_field_stays_true_of_another_new_value() -> None:
    moved = RowProblem(ProblemKind.MOVED, "status is open now.", "status")
    assert RowComparison(SeenValues(())).edited(row(2, moved), "status", "closed").problems == (moved,)


def test_a_value_of_a_new_record_is_changed_where_it_stands() -> None:
    new = PlanRow(2, RowAction.CREATE, edits={"assay": {"au": N("1")}, "x": N("1")}, fields=("assay.au", "x"))
    edited = RowComparison(SeenValues(())).edited(new, "assay.au", N("2"))
    assert edited.edits == {"assay": {"au": N("2")}, "x": N("1")}
    assert edited.fields == ("assay.au", "x")


def test_a_new_record_is_called_by_its_name_as_it_was_edited() -> None:
    new = PlanRow(2, RowAction.CREATE, label="Ore 1", edits={"name": "Ore 1", "x": N("1")}, fields=("name", "x"))
    comparison = RowComparison(SeenValues(()))
    assert comparison.edited(new, "name", "Ore 2").label == "Ore 2"
    assert comparison.edited(new, "x", N("2")).label == "Ore 1"
    assert comparison.edited(replace(row(), label="Ore 1"), "status", "closed").label == "Ore 1"


def test_counts_and_titles_follow_what_is_decided() -> None:
    rows = (row(2), row(3, DOUBT), row(4, BLOCK), row(5))
    made = plan(*rows)
    assert (len(made.ready), len(made.problems)) == (2, 2)
    assert made.title == "status and assay.au of 2 lots"
    taken = made.with_doubts()
    assert len(taken.ready) == 3
    assert taken.counts[RowState.BLOCKED] == 1
    assert made.without_problems().counts[RowState.SKIPPED] == 1
    assert [one.number for one in made.skipping(2).ready] == [5]
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
    assert plan(replace(row(), skipped=True)).what == "status and assay.au"


def test_an_id_that_is_a_number_has_not_moved() -> None:
    fresh = Record({"id": Number("7"), "grade": "A"})
    row = PlanRow(2, record_id="7", base={"grade": "A"}, edits={"grade": "B"}, fields=("grade",))
    assert freshen(row.draft, fresh).moved == ()


def test_what_the_service_will_surely_refuse_is_not_taken_in_with_the_other_doubts() -> None:
    unfit = RowProblem(ProblemKind.OTHER_KIND, "grade: “abc” is not a number.", "grade")
    assert row(2, DOUBT).can_be_taken_in
    assert not row(2, unfit).can_be_taken_in
    assert not row(2, DOUBT, unfit).can_be_taken_in
    assert not row(2, DOUBT, BLOCK).can_be_taken_in
    assert not row(2, DOUBT, skipped=False).can_be_taken_in
