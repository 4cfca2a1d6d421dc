"""What is said of a run that came to its end, and what a run and its undo are called."""

from datetime import UTC, datetime

import pytest

from svc_tui.core.catalog import COLLECTIONS
from svc_tui.core.values import replace
from svc_tui.plans.run import RowOutcome
from svc_tui.plans.run_report import describe_run_end, outcome_words
from svc_tui.service.errors import SendResult
from svc_tui.storage.plan import Plan, PlanRow, ProblemKind, RowAction, RowProblem
from svc_tui.storage.runs import Run
from svc_tui.writes.outcomes import WriteReport

AT = datetime(2026, 1, 1, tzinfo=UTC)
BLOCK = RowProblem(ProblemKind.UNKNOWN_RECORD, "There is no lot-9.")
DOUBT = RowProblem(ProblemKind.NEW_CHOICE, "grade: never seen.", "grade")
CHANGED = [PlanRow(number, record_id=f"lot-{number}", edits={"grade": "B"}, fields=("grade",)) for number in range(4)]
MADE = PlanRow(5, RowAction.CREATE, edits={"name": "x"}, fields=("name",))
DELETED = [PlanRow(number, RowAction.DELETE, f"lot-{number}") for number in (6, 7, 8)]


def plan(*rows: PlanRow, undoes: str = "", run_title: str = "") -> Plan:
    """A plan of these rows."""
    return Plan("p", COLLECTIONS[0], rows, AT, undoes=undoes, run_title=run_title)


def already(*rows: PlanRow) -> dict[int, RowOutcome]:
    """The outcomes of rows that needed no write."""
    return {row.number: RowOutcome(row, WriteReport(SendResult.DONE), already=True) for row in rows}


@pytest.mark.parametrize(
    ("made", "title", "words"),
    [
        (plan(*CHANGED), "Changed grade", "4 records changed."),
        (plan(MADE), "Created records", "1 record created."),
        (plan(*DELETED), "Deleted records", "3 records deleted."),
        (plan(*CHANGED, MADE), "Finished: changes in 5 lots", "4 records changed, 1 created."),
        (
            plan(*DELETED[:1], MADE, CHANGED[0]),
            "Finished: changes in 3 lots",
            "1 record changed, 1 created, 1 deleted.",
        ),
        (plan(MADE, undoes="r", run_title="deletion of 1 lot"), "Undone: deletion of 1 lot", "1 record created."),
    ],
)
def test_it_says_what_was_done(made: Plan, title: str, words: str) -> None:
    end = describe_run_end(made, {row.number: "done" for row in made.rows}, {})
    assert (end.title, end.words, end.complete) == (title, words, True)


def test_it_names_its_ticket() -> None:
    end = describe_run_end(replace(plan(CHANGED[0]), ticket="T-1"), {CHANGED[0].number: "done"}, {})
    assert end.words == "1 record changed. Ticket T-1."


def test_it_says_how_many_records_became_something_else() -> None:
    rows = (*CHANGED, replace(CHANGED[0], number=9, problems=(BLOCK,)), replace(CHANGED[0], number=10, skipped=True))
    results = {0: "done", 1: "refused", 2: "unknown"}
    end = describe_run_end(plan(*rows), results, already(CHANGED[3]))
    assert end.words == (
        "1 record changed. 1 record already had the value. 1 record refused by the service. "
        "2 records skipped (1 because of a problem). "
        "1 record with unknown outcome. Look for it before you create it again."
    )
    assert not end.complete


def test_what_was_refused_and_then_left_out_counts_once() -> None:
    rows = (CHANGED[0], replace(CHANGED[1], skipped=True), replace(CHANGED[2], problems=(DOUBT,)))
    assert describe_run_end(plan(*rows), {0: "done", 1: "refused"}, {}).words == (
        "1 record changed. 1 record refused by the service. 1 record skipped."
    )


def test_what_was_refused_and_is_found_as_planned_at_the_next_try_was_not_refused() -> None:
    end = describe_run_end(plan(*CHANGED[:2]), {0: "done", 1: "refused"}, already(CHANGED[1]))
    assert end.words == "1 record changed. 1 record already had the value."
    assert end.complete


def test_what_had_the_value_before_the_run_is_told_too() -> None:
    same = replace(CHANGED[1], edits={}, fields=())
    end = describe_run_end(plan(CHANGED[0], same), {0: "done"}, {})
    assert end.words == "1 record changed. 1 record already had the value."
    assert end.changed
    end = describe_run_end(plan(same), {}, {})
    assert (end.title, end.changed) == ("Nothing was changed", False)


def test_what_was_gone_already_is_not_said_to_have_a_value() -> None:
    end = describe_run_end(plan(*DELETED), {6: "done"}, already(*DELETED[1:]))
    assert end.words == "1 record deleted. 2 records were already deleted."
    assert describe_run_end(plan(*DELETED), {}, already(DELETED[0])).title == "Nothing was changed"


def test_a_run_keeps_its_title_whatever_is_left_out_later() -> None:
    begun = plan(*CHANGED).with_run_title()
    assert begun.title == "grade of 4 lots"
    assert begun.with_row_skipped(0).title == "grade of 4 lots"
    assert plan(*CHANGED).with_row_skipped(0).title == "grade of 3 lots"


def test_an_undo_bears_the_name_of_what_it_takes_back() -> None:
    run = Run("r-1", "grade of 4 lots", AT)
    undo = Run("r-2", run.title_of_undo, AT, undoes="r-1")
    again = Run("r-3", undo.title_of_undo, AT, undoes="r-2")
    assert undo.name == "undo of grade of 4 lots"
    assert again.name == "undo of the undo of grade of 4 lots"


def test_a_record_that_the_service_gave_other_values_is_not_said_to_be_changed_as_planned() -> None:
    report = WriteReport(SendResult.DONE, unapplied=("grade",), entry_number=1)
    end = describe_run_end(plan(*CHANGED[:2]), {0: "done", 1: "done"}, {1: RowOutcome(CHANGED[1], report)})
    assert end.words == "1 record changed. 1 record saved with different values."
    assert not end.complete


@pytest.mark.parametrize(
    ("result", "words"),
    [
        (SendResult.DONE, "The service saved different values for grade, note."),
        (SendResult.UNKNOWN, "Checked again: the record does not have the new value of grade, note."),
    ],
)
def test_a_value_that_is_not_in_the_record_was_saved_differently_or_not_at_all(result: SendResult, words: str) -> None:
    assert (
        outcome_words(RowOutcome(CHANGED[0], WriteReport(result, unapplied=("grade", "note"), entry_number=1))) == words
    )
