"""What became of every row of a plan, as flat records for a file."""

from collections.abc import Iterable, Iterator, Mapping

from svc_tui.domain.corrections.correction import RowAction
from svc_tui.domain.editing.ports import RowWrite
from svc_tui.domain.editing.write_report import WriteResult
from svc_tui.domain.http.advice import error_text
from svc_tui.domain.model.absent import Absent
from svc_tui.domain.model.jsontext import Json, number
from svc_tui.domain.plans.plan import Plan, PlanRow, RowState
from svc_tui.domain.plans.run import RowOutcome, writes_by_row

REPORT_COLUMNS = (
    *("row", "id", "name", "action", "field", "old", "new"),
    *("outcome", "message", "status", "journalEntry", "at", "ticket"),
)
"""The columns of a report, in order."""

NOT_SENT = "not sent"
"""The outcome of a row that was to be sent and was not."""

_OUTCOMES = {
    RowState.READY: NOT_SENT,
    RowState.ALREADY: "already so",
    RowState.SKIPPED: "left out",
    RowState.DOUBTED: "in doubt",
    RowState.BLOCKED: "can't be sent",
}
"""The outcomes of rows without a write: values of the file, which scripts compare, not texts of the screen."""


def report_rows(
    plan: Plan, writes: Iterable[RowWrite], outcomes: Iterable[RowOutcome] = ()
) -> Iterator[Mapping[str, Json]]:
    """A record for each field that a row changes, one for each row that changes none; `writes` are the run's.

    `outcomes` are those at hand: of a row that never left, they alone know why.
    """
    seen = {outcome.row.number: outcome for outcome in outcomes}
    last = writes_by_row(plan, writes)
    for row in plan.rows:
        write, outcome = last.get(row.number), seen.get(row.number)
        result = "" if write is None else write.result
        if outcome is None or outcome.report.entry or result in ("done", "unknown", "running"):
            message = _write_message(row, write)
            if outcome is not None and outcome.report.untaken:
                message = outcome_words(outcome)
        else:
            # The journal may know of an earlier try; this one is what counts.
            result, write = _OUTCOMES[RowState.ALREADY] if outcome.already else NOT_SENT, None
            message = outcome_words(outcome)
        yield from _row_records(row, result, write, message, plan.ticket)


def outcome_words(outcome: RowOutcome) -> str:
    """What became of a row that was not written as planned, or why it was not, in a sentence or two; "" for nothing."""
    report = outcome.report
    if outcome.conflicts:
        return outcome.conflict_words
    words = [report.reason, "" if report.error is None else error_text(report.error)]
    names = ", ".join(report.untaken)
    if names and report.result is WriteResult.DONE:
        different = "a different value" if len(report.untaken) == 1 else "different values"
        words.append(f"The service saved {different} for {names}.")
    elif names:
        words.append(f"Checked again: the record does not have the new value of {names}.")
    if report.journal_problem:
        words.append(f"Could not write the outcome to the journal: {report.journal_problem}.")
    return " ".join(filter(None, words))


def _write_message(row: PlanRow, write: RowWrite | None) -> str:
    if write is None:
        # Doubts that somebody set aside are not why a row was not sent.
        return "" if row.state is RowState.READY else " ".join(problem.text for problem in row.problems)
    return write.message


def row_outcome(row: PlanRow, result: str) -> str:
    """What became of a row in the words of a report; `result` is the journal's, "" where it knows of no write."""
    if result:
        return "unknown" if result == "running" else result
    return _OUTCOMES[row.state]


def _row_records(
    row: PlanRow, result: str, write: RowWrite | None, message: str, ticket: str
) -> Iterator[Mapping[str, Json]]:
    known: dict[str, Json] = {
        "row": number(row.number),
        "id": row.record_id or ("" if write is None else write.made),
        "name": row.label,
        "action": row.action.value,
    }
    outcome: dict[str, Json] = {
        "outcome": row_outcome(row, result),
        "message": message,
        "status": None if write is None or write.status is None else number(write.status),
        "journalEntry": None if write is None else number(write.number),
        "at": None if write is None else write.at.isoformat(),
        "ticket": ticket,
    }
    changes = row.changes if row.action is not RowAction.DELETE else ()
    for change in changes:
        old = None if isinstance(change.old, Absent) else change.old
        yield {**known, "field": change.name, "old": old, "new": change.new, **outcome}
    if not changes:
        yield {**known, "field": "", "old": None, "new": None, **outcome}
