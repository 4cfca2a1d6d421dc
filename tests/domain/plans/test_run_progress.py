"""Which row of a run is next, and where it stops: at failures, at what stands against every row, at an interrupt."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from svc_tui.domain.corrections.correction import RowAction
from svc_tui.domain.editing.write_report import WriteReport, WriteResult
from svc_tui.domain.http import errors
from svc_tui.domain.model.catalog import COLLECTIONS
from svc_tui.domain.model.records import Record
from svc_tui.domain.plans.plan import Plan, PlanRow
from svc_tui.domain.plans.ports import RunCounts
from svc_tui.domain.plans.run import RowOutcome, count_rows, remaining_rows
from svc_tui.domain.plans.run_progress import RunProgress, StopReason, stands_against_all

ROWS = [PlanRow(number, record_id=f"lot-{number}", edits={"grade": "A"}) for number in range(2, 8)]
DONE = WriteReport(WriteResult.DONE, entry=1)
GONE = WriteReport(WriteResult.NOT_SENT, "The record no longer exists.", gone=True)


def through(progress: RunProgress, *reports: WriteReport) -> RunProgress:
    """The progress once these reports came of its next rows."""
    for report in reports:
        row = progress.next_row
        assert row is not None
        progress.take(RowOutcome(row, report))
    return progress


def test_rows_come_in_order_until_the_last() -> None:
    progress = RunProgress(ROWS[:2])
    assert progress.next_row is ROWS[0]
    through(progress, DONE, DONE)
    assert (progress.stopped, progress.counts.done, progress.left) == (None, 2, 0)
    assert RunProgress(ROWS[:2], outcomes=progress.outcomes).next_row is None


@pytest.mark.parametrize(("most", "tried"), [(0, 1), (1, 1), (2, 2), (3, 3)])
def test_it_stops_at_as_many_failures_as_may_be(most: int, tried: int) -> None:
    progress = RunProgress(ROWS, most)
    while (row := progress.next_row) is not None:
        progress.take(RowOutcome(row, GONE))
    assert (progress.stopped, len(progress.failed), progress.left) == (StopReason.FAILURES, tried, 6 - tried)
    assert not progress.sent


def test_what_stands_against_all_stops_it_whatever_may_fail() -> None:
    refused = WriteReport(WriteResult.NOT_SENT, "LIVE is locked.")
    progress = through(RunProgress(ROWS, 9), DONE, GONE, refused)
    assert (progress.stopped, progress.next_row, progress.counts.done) == (StopReason.FOR_ALL, None, 1)


def test_an_interrupt_lets_no_other_row_follow() -> None:
    progress = through(RunProgress(ROWS), DONE)
    progress.interrupt()
    assert (progress.next_row, progress.stopped, progress.left) == (None, StopReason.INTERRUPTED, 5)
    ended = through(RunProgress(ROWS[:1]), DONE)
    ended.interrupt()
    assert ended.stopped is None


def test_how_long_the_rest_takes_is_told_after_a_few_rows() -> None:
    progress = through(RunProgress(ROWS), DONE, DONE)
    assert progress.seconds_left(4.0) is None
    assert through(progress, DONE).seconds_left(6.0) == 6.0


def test_an_answer_that_was_lost_and_a_look_that_settled_it_is_no_surprise() -> None:
    assert RowOutcome(ROWS[0], WriteReport(WriteResult.UNKNOWN, entry=1)).surprising
    assert not RowOutcome(ROWS[0], WriteReport(WriteResult.UNKNOWN, taken=1, entry=1)).surprising
    assert not RowOutcome(ROWS[0], WriteReport(WriteResult.UNKNOWN, gone=True, entry=1)).surprising


@pytest.mark.parametrize(
    ("report", "for_all"),
    [
        (GONE, False),
        (WriteReport(WriteResult.NOT_SENT, moved=("grade",)), False),
        (WriteReport(WriteResult.REFUSED, error=errors.KeyRefused("no"), moved=("name",), entry=1), True),
        (
            WriteReport(WriteResult.NOT_SENT, "The record has the field id twice.", record=Record({"id": "lot-2"})),
            False,
        ),
        (WriteReport(WriteResult.NOT_SENT, "Not sent, because the journal could not be written."), True),
        (WriteReport(WriteResult.DONE, journal_problem="the disk is full", entry=1), True),
        (WriteReport(WriteResult.NOT_SENT, error=errors.RequestRefused("no")), False),
        (WriteReport(WriteResult.UNKNOWN, error=errors.ConnectionBroken("lost"), entry=1), True),
    ],
)
def test_what_stands_against_all_is_told_from_what_is_about_one(report: WriteReport, for_all: bool) -> None:
    assert stands_against_all(RowOutcome(ROWS[0], report)) is for_all


def test_a_conflict_is_about_one_row() -> None:
    report = WriteReport(WriteResult.NOT_SENT, "Nothing was sent.")
    assert not stands_against_all(RowOutcome(ROWS[0], report, (("grade", "C"),)))


def test_rows_are_counted_by_how_they_ended() -> None:
    created = PlanRow(8, RowAction.CREATE, edits={"name": "x"})
    skipped = replace(ROWS[0], number=9, skipped=True)
    so = PlanRow(10, record_id="lot-10")
    plan = Plan("p", COLLECTIONS[0], (*ROWS, created, skipped, so), datetime(2026, 1, 1, tzinfo=UTC))
    results = {2: "done", 8: "unknown"}
    assert count_rows(plan, results) == RunCounts(done=1, skipped=1, unknown=1, left=5)
    progress = RunProgress.of_plan(plan, remaining_rows(plan, results), results, 9)
    assert progress.counts == count_rows(plan, results)
    lost = WriteReport(WriteResult.UNKNOWN, error=errors.ServerFault("500"), entry=5)
    refused = WriteReport(WriteResult.REFUSED, error=errors.StatusError("no"), entry=4)
    through(progress, DONE, refused, lost, GONE)
    assert progress.counts == RunCounts(done=2, failed=2, skipped=1, unknown=2, left=1)
    assert (progress.counts.total, progress.counts.exceptions) == (7, "2 failed, 2 unknown, 1 skipped")
    results |= {3: "done", 4: "refused", 5: "unknown"}
    outcomes = {outcome.row.number: outcome for outcome in progress.outcomes}
    assert count_rows(plan, results, outcomes) == progress.counts


def test_a_row_that_may_have_arrived_stays_unknown_until_the_journal_says_otherwise() -> None:
    progress = RunProgress(ROWS[:1], results={2: "unknown"})
    through(progress, WriteReport(WriteResult.NOT_SENT, error=errors.Unreachable("no route")))
    assert progress.counts == RunCounts(unknown=1)
    unwritten = RunProgress(ROWS[:1])
    through(unwritten, WriteReport(WriteResult.DONE, journal_problem="the disk is full", entry=1))
    assert unwritten.counts == RunCounts(unknown=1)


def test_the_answers_of_rows_are_not_kept() -> None:
    record = Record({"id": "lot-2", "name": "Ore"})
    progress = through(RunProgress(ROWS), WriteReport(WriteResult.DONE, record=record, entry=1))
    assert progress.outcomes[0].report == DONE
