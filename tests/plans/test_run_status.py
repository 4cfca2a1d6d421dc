"""The status of runs: a run is undone only as long as its undo counts."""

from datetime import UTC, datetime, timedelta

import pytest

from svc_tui.core.values import replace
from svc_tui.plans.journal_runs import RunStatus, find_effective_undos, find_status
from svc_tui.storage.runs import Run, RunCounts

AT = datetime(2026, 11, 20, 5, 12, tzinfo=UTC)


def run(index: int, undoes: int | None = None, *, ended: bool = True, given_up: bool = False) -> Run:
    begun = AT + timedelta(minutes=index)
    undone = "" if undoes is None else f"r-{undoes}"
    return Run(f"r-{index}", "grade of 2 lots", begun, undone, begun if ended else None, given_up=given_up)


U, D = RunStatus.UNDONE, RunStatus.DONE


@pytest.mark.parametrize(
    ("runs", "stand"),
    [
        ([run(0)], [D]),
        ([run(0), run(1, 0)], [U, D]),
        # The undo of an undo brings the run back,
        ([run(0), run(1, 0), run(2, 1)], [D, U, D]),
        # and is undone in turn: by its own undo, or by another one of the run.
        ([run(0), run(1, 0), run(2, 1), run(3, 2)], [U, D, U, D]),
        ([run(0), run(1, 0), run(2, 1), run(3, 0)], [U, U, D, D]),
        ([run(0), run(1, 0), run(2, 1), run(3, 0), run(4, 3)], [D, U, D, U, D]),
        # One that was cut short, or given up, took back only a part.
        ([run(0), run(1, 0, ended=False)], [D, RunStatus.CUT_SHORT]),
        ([run(0), run(1, 0, ended=False, given_up=True)], [D, RunStatus.CUT_SHORT]),
        ([run(0), run(1, 0, given_up=True)], [D, RunStatus.GIVEN_UP]),
        ([run(0, given_up=True), run(1, 0)], [U, D]),
        ([run(0, given_up=True), run(1, 0), run(2, 1)], [RunStatus.GIVEN_UP, U, D]),
    ],
)
def test_a_run_is_undone_while_its_last_undo_stands(runs: list[Run], stand: list[RunStatus]) -> None:
    undos = find_effective_undos(reversed(runs))
    assert [find_status(one, undos) for one in runs] == stand


@pytest.mark.parametrize(
    ("counts", "stand"),
    [
        (RunCounts(done=2), RunStatus.UNDONE),
        (RunCounts(done=1, unknown=1), RunStatus.DONE),
        (RunCounts(done=1, failed=1), RunStatus.DONE),
        (RunCounts(done=1, skipped=1), RunStatus.UNDONE),
    ],
)
def test_an_undo_with_failed_or_unknown_rows_makes_no_run_undone(counts: RunCounts, stand: RunStatus) -> None:
    undone, undo = run(0), replace(run(1, 0), counts=counts)
    assert find_status(undone, find_effective_undos([undo, undone])) is stand


def test_runs_that_undo_each_other_by_mistake_come_to_an_answer() -> None:
    assert find_effective_undos([run(0, 1), run(1, 0)]) is not None


def test_a_run_at_work_elsewhere_says_so() -> None:
    elsewhere = Run("r-1", "grade of 2 lots", AT, elsewhere=True)
    assert find_status(elsewhere, ()) is RunStatus.ELSEWHERE
