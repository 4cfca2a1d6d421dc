"""How the carrying out of a plan ended, for a script and for people: its exit status, and lines for stderr."""

from collections.abc import Iterator
from pathlib import Path

from svc_tui.bootstrap.plans.apply import ApplyResult
from svc_tui.cli.output.request_report import error_status
from svc_tui.domain.corrections.correction import RowAction
from svc_tui.domain.data.counted import counted
from svc_tui.domain.editing.write_report import WriteResult
from svc_tui.domain.http.advice import error_text
from svc_tui.domain.plans.outcome_report import outcome_words
from svc_tui.domain.plans.plan import PlanRow
from svc_tui.domain.plans.run import RowOutcome
from svc_tui.domain.plans.run_progress import StopReason

_INTERRUPTED_STATUS = 130
_SHOWN_ROWS = 10
"""Rows that are told of one by one."""


def exit_status(result: ApplyResult) -> int:
    """0 all done, 1 rows failed, 2 nothing was sent, 3 an outcome is unknown or nothing can be reached, 130."""
    progress = result.progress
    if progress is None:
        return 2 if result.moved or result.existing else error_status(result.error)
    if result.interrupted and progress.left:
        return _INTERRUPTED_STATUS
    if result.counts.unknown:
        return 3
    failure = progress.last_failure
    if failure is None:
        return 3 if result.report_problem or result.store_problem else 0
    report = failure.report
    if report.error is not None and error_status(report.error, write=True) == 3:
        return 3
    unsent = report.error is None and not progress.sent and result.counts.done == 0
    return 2 if unsent and progress.stopped is StopReason.FOR_ALL else 1


def summary_lines(result: ApplyResult, file: Path) -> Iterator[str]:
    """What became of it, a sentence each."""
    progress = result.progress
    if progress is None:
        yield from _unsent_lines(result, file)
        return
    for outcome in progress.failed[-_SHOWN_ROWS:]:
        yield f"row {outcome.row.number:,}: {_failure_words(outcome)}"
    counts, left = result.counts, progress.left
    words = [f"{counts.done:,} of {counts.total:,} rows done"]
    if counts.exceptions:
        words.append(counts.exceptions)
    if left:
        words.append(f"{left:,} not sent")
    lead = "interrupted: " if result.interrupted and left else "stopped: " if left else ""
    on = f"; continue with: svc-tui apply {file} --resume" if left or any(map(_may_be_sent, progress.failed)) else ""
    yield f"{lead}{', '.join(words)}{on}"
    for number, sentence in list(result.looked_up.items())[:_SHOWN_ROWS]:
        yield f"row {number:,}: {sentence}"
    if result.unknown:
        # What became of a change or a deletion shows in the record; of a new record nothing does for sure.
        lost = any(row.action is RowAction.CREATE for row in result.unknown)
        look = (
            "look for the records before you create them again; if you plan the file again, these rows are marked Check"
            if lost
            else f"apply --resume checks {'this record' if len(result.unknown) == 1 else 'these records'} first"
        )
        yield f"it is not known whether {_names(result.unknown)} saved: {look}"
    if result.store_problem:
        yield f"the progress of the plan can't be saved: {result.store_problem}"
    if result.report_problem:
        yield f"the outcomes were not saved: {result.report_problem}"
    elif result.report is not None:
        yield f"saved the outcome of every row to {result.report}"


def _unsent_lines(result: ApplyResult, file: Path) -> Iterator[str]:
    if result.error is not None:
        yield f"the records can't be reloaded, so nothing was sent: {error_text(result.error)}"
        return
    for row in (*result.moved, *result.existing)[:_SHOWN_ROWS]:
        yield f"row {row.row.number:,}: {row.text}"
    if result.moved:
        count = len(result.moved)
        rows = "1 record has changed" if count == 1 else f"{count:,} records have changed"
        yield f"{file} is older than 1 hour, and {rows} since, so nothing was sent; create the plan again"
    if result.existing:
        records = counted(len(result.existing), "new record")
        yield (
            f"{records} may already exist, so nothing was sent; remove these rows from the file, and create the plan "
            "again"
        )


def _failure_words(outcome: RowOutcome) -> str:
    words = outcome_words(outcome) or outcome.report.result.value
    name = outcome.row.record_id
    return words if not name or words.startswith(name) else f"{name}: {words}"


def _may_be_sent(outcome: RowOutcome) -> bool:
    return outcome.report.result is not WriteResult.DONE


def _names(rows: tuple[PlanRow, ...]) -> str:
    names = [row.record_id or f"the new record of row {row.number:,}" for row in rows[:3]]
    more = f" and {len(rows) - 3:,} more" if len(rows) > 3 else ""
    return f"{', '.join(names)}{more} {'was' if len(rows) == 1 else 'were'}"
