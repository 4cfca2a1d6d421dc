"""Which row of a run is next, and where it stops: at failures, at what stands against every row, at an interrupt."""

from datetime import UTC, datetime

import pytest

from svc_tui.core.catalog import COLLECTIONS
from svc_tui.core.records import Record
from svc_tui.core.values import replace
from svc_tui.plans.run import RowOutcome, RunProgress, StopReason, affects_every_row, count_rows, find_remaining_rows
from svc_tui.service import errors
from svc_tui.service.errors import SendResult
from svc_tui.storage.plan import Plan, PlanRow, RowAction
from svc_tui.storage.runs import RunCounts
from svc_tui.writes.outcomes import WriteReport

ROWS = [PlanRow(number, record_id=f"lot-{number}", edits={"grade": "A"}) for number in range(2, 8)]
DONE = WriteReport(SendResult.DONE, entry_number=1)
GONE = WriteReport(SendResult.NOT_SENT, "The record no longer exists.", is_gone=True)


def through(progress: RunProgress, *reports: WriteReport) -> RunProgress:
    """The progress once these reports came of its next rows."""
    for report in reports:
        row = progress.next_row
        assert row is not None
        progress.add(RowOutcome(row, report))
    return progress


def test_rows_come_in_order_until_the_last() -> None:
    progress = RunProgress(ROWS[:2])
    assert progress.next_row is ROWS[0]
    through(progress, DONE, DONE)
    assert (progress.stopped, progress.counts.done, progress.left) == (None, 2, 0)
    assert progress.next_row is None


@pytest.mark.parametrize(("most", "tried"), [(0, 1), (1, 1), (2, 2), (3, 3)])
def test_it_stops_at_as_many_failures_as_may_be(most: int, tried: int) -> None:
    progress = RunProgress(ROWS, most)
    while (row := progress.next_row) is not None:
        progress.add(RowOutcome(row, GONE))
    assert (progress.stopped, len(progress.failed), progress.left) == (StopReason.FAILURES, tried, 6 - tried)
    assert not progress.sent


def test_what_stands_against_all_stops_it_whatever_may_fail() -> None:
    refused = WriteReport(SendResult.NOT_SENT, "LIVE is locked.")
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
    assert RowOutcome(ROWS[0], WriteReport(SendResult.UNKNOWN, entry_number=1)).is_unexpected
    assert not RowOutcome(ROWS[0], WriteReport(SendResult.UNKNOWN, applied=1, entry_number=1)).is_unexpected
    assert not RowOutcome(ROWS[0], WriteReport(SendResult.UNKNOWN, is_gone=True, entry_number=1)).is_unexpected


@pytest.mark.parametrize(
    ("report", "for_all"),
    [
        (GONE, False),
        (WriteReport(SendResult.NOT_SENT, changed_by_others=("grade",)), False),
        (
            WriteReport(SendResult.REFUSED, error=errors.KeyRefused("no"), changed_by_others=("name",), entry_number=1),
            True,
        ),
        (
            WriteReport(SendResult.NOT_SENT, "The record has the field id twice.", record=Record({"id": "lot-2"})),
            False,
        ),
        (WriteReport(SendResult.NOT_SENT, "Not sent, because the journal could not be written."), True),
        (WriteReport(SendResult.DONE, journal_problem="the disk is full", entry_number=1), True),
        (WriteReport(SendResult.NOT_SENT, error=errors.RequestRefused("no")), False),
        (WriteReport(SendResult.UNKNOWN, error=errors.ConnectionBroken("lost"), entry_number=1), True),
    ],
)
def test_what_stands_against_all_is_told_from_what_is_about_one(report: WriteReport, for_all: bool) -> None:
    assert affects_every_row(RowOutcome(ROWS[0], report)) is for_all


def test_a_conflict_is_about_one_row() -> None:
    report = WriteReport(SendResult.NOT_SENT, "Nothing was sent.")
    assert not affects_every_row(RowOutcome(ROWS[0], report, (("grade", "C"),)))


def test_rows_are_counted_by_how_they_ended() -> None:
    created = PlanRow(8, RowAction.CREATE, edits={"name": "x"})
    skipped = replace(ROWS[0], number=9, skipped=True)
    so = PlanRow(10, record_id="lot-10")
    plan = Plan("p", COLLECTIONS[0], (*ROWS, created, skipped, so), datetime(2026, 1, 1, tzinfo=UTC))
    results = {2: "done", 8: "unknown"}
    assert count_rows(plan, results) == RunCounts(done=1, skipped=1, unknown=1, left=5)
    progress = RunProgress.of_plan(plan, find_remaining_rows(plan, results), results, 9)
    assert progress.counts == count_rows(plan, results)
    lost = WriteReport(SendResult.UNKNOWN, error=errors.ServerFault("500"), entry_number=5)
    refused = WriteReport(SendResult.REFUSED, error=errors.StatusError("no"), entry_number=4)
    through(progress, DONE, refused, lost, GONE)
    assert progress.counts == RunCounts(done=2, failed=2, skipped=1, unknown=2, left=1)
    assert (progress.counts.total, progress.counts.exceptions) == (7, "2 failed, 2 unknown, 1 skipped")
    results |= {3: "done", 4: "refused", 5: "unknown"}
    outcomes = {outcome.row.number: outcome for outcome in progress.outcomes}
    assert count_rows(plan, results, outcomes) == progress.counts


def test_a_row_that_may_have_arrived_stays_unknown_until_the_journal_says_otherwise() -> None:
    progress = RunProgress(ROWS[:1], results={2: "unknown"})
    through(progress, WriteReport(SendResult.NOT_SENT, error=errors.Unreachable("no route")))
    assert progress.counts == RunCounts(unknown=1)
    unwritten = RunProgress(ROWS[:1])
    through(unwritten, WriteReport(SendResult.DONE, journal_problem="the disk is full", entry_number=1))
    assert unwritten.counts == RunCounts(unknown=1)


def test_the_answers_of_rows_are_not_kept() -> None:
    record = Record({"id": "lot-2", "name": "Ore"})
    progress = through(RunProgress(ROWS), WriteReport(SendResult.DONE, record=record, entry_number=1))
    assert progress.outcomes[0].report == DONE
