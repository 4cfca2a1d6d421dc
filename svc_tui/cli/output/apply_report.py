"""How the carrying out of a plan ended, for a script and for people: its exit status, and lines for stderr."""

from collections.abc import Iterator
from pathlib import Path

from svc_tui.bootstrap.plans.apply_plan import ApplyResult
from svc_tui.bootstrap.start import ExitStatus
from svc_tui.cli.output.request_report import error_status
from svc_tui.core.phrases import counted
from svc_tui.plans.run import RowOutcome, StopReason
from svc_tui.plans.run_report import outcome_words
from svc_tui.service.advice import error_text
from svc_tui.service.errors import SendResult
from svc_tui.storage.plan import PlanRow, RowAction

_SHOWN_ROWS = 10
"""Rows that are told of one by one."""


def exit_status(result: ApplyResult) -> ExitStatus:
    """Return the status: FAILED if rows failed, REFUSED if nothing was sent, UNKNOWN if an outcome is unknown."""
    progress = result.progress
    if progress is None:
        return ExitStatus.REFUSED if result.moved or result.existing else error_status(result.error)
    if result.interrupted and progress.left:
        return ExitStatus.INTERRUPTED
    if result.counts.unknown:
        return ExitStatus.UNKNOWN
    failure = progress.last_failure
    if failure is None:
        return ExitStatus.UNKNOWN if result.report_problem or result.store_problem else ExitStatus.DONE
    report = failure.report
    if report.error is not None and error_status(report.error, write=True) is ExitStatus.UNKNOWN:
        return ExitStatus.UNKNOWN
    unsent = report.error is None and not progress.sent and result.counts.done == 0
    return ExitStatus.REFUSED if unsent and progress.stopped is StopReason.FOR_ALL else ExitStatus.FAILED


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
    return outcome.report.result is not SendResult.DONE


def _names(rows: tuple[PlanRow, ...]) -> str:
    names = [row.record_id or f"the new record of row {row.number:,}" for row in rows[:3]]
    more = f" and {len(rows) - 3:,} more" if len(rows) > 3 else ""
    return f"{', '.join(names)}{more} {'was' if len(rows) == 1 else 'were'}"
