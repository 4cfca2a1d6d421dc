"""What became of every row of a plan, as flat records for a file."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from svc_tui.domain.corrections.correction import RowAction
from svc_tui.domain.editing.ports import JournalEntry
from svc_tui.domain.http.advice import error_text
from svc_tui.domain.model.absent import Absent
from svc_tui.domain.model.jsontext import Json, number
from svc_tui.domain.plans.plan import Plan, PlanRow, RowState
from svc_tui.domain.plans.run import RowOutcome, row_results

REPORT_COLUMNS = (
    *("row", "id", "name", "action", "field", "old", "new"),
    *("outcome", "message", "status", "journalEntry", "at", "ticket"),
)
"""The columns of a report, in order."""

NOT_SENT = "not sent"
"""The outcome of a row that was to be sent and was not."""


def report_rows(
    plan: Plan, entries: Sequence[JournalEntry], outcomes: Iterable[RowOutcome] = ()
) -> Iterator[Mapping[str, Json]]:
    """A record for each field that a row changes, one for each row that changes none; `entries` are the run's.

    `outcomes` are those at hand: of a row that never left, they alone know why.
    """
    unsent = {outcome.row.number: outcome for outcome in outcomes if not outcome.report.entry}
    results = row_results(plan, entries)
    by_place = {plan.place(row).key: row.number for row in plan.rows if row.record_id}
    last = {entry.intent.row or by_place.get(entry.intent.place, 0): entry for entry in entries}
    for row in plan.rows:
        result, entry, outcome = results.get(row.number, ""), last.get(row.number), unsent.get(row.number)
        if outcome is None or result in ("done", "unknown", "running"):
            message = _entry_message(row, entry)
        else:
            # The journal may know of an earlier try; this one is what counts.
            result, entry = RowState.ALREADY.value if outcome.already else NOT_SENT, None
            message = outcome_words(outcome)
        yield from _row_records(row, result, entry, message, plan.ticket)


def outcome_words(outcome: RowOutcome) -> str:
    """What became of a row that was not written as planned, or why it was not, in a sentence or two; "" for nothing."""
    report = outcome.report
    if outcome.conflicts:
        return outcome.conflict_words
    words = [report.reason, "" if report.error is None else error_text(report.error)]
    if report.untaken:
        words.append(f"The service answered with other values of {', '.join(report.untaken)} than were sent.")
    if report.journal_problem:
        words.append(f"The outcome could not be journalled: {report.journal_problem}.")
    return " ".join(filter(None, words))


def _entry_message(row: PlanRow, entry: JournalEntry | None) -> str:
    if entry is None:
        # Doubts that somebody set aside are not why a row was not sent.
        return "" if row.state is RowState.READY else " ".join(problem.text for problem in row.problems)
    return "" if entry.outcome is None else entry.outcome.message


def row_outcome(row: PlanRow, result: str) -> str:
    """What became of a row in the words of a report; `result` is the journal's, "" where it knows of no write."""
    if result:
        return "unknown" if result == "running" else result
    return NOT_SENT if row.state is RowState.READY else row.state.value


def _row_records(
    row: PlanRow, result: str, entry: JournalEntry | None, message: str, ticket: str
) -> Iterator[Mapping[str, Json]]:
    ended = entry.outcome if entry is not None else None
    made = ended.made if ended is not None else ""
    known: dict[str, Json] = {
        "row": number(row.number),
        "id": row.record_id or made,
        "name": row.label,
        "action": row.action.value,
    }
    outcome: dict[str, Json] = {
        "outcome": row_outcome(row, result),
        "message": message,
        "status": None if ended is None or ended.status is None else number(ended.status),
        "journalEntry": None if entry is None else number(entry.number),
        "at": None if entry is None else entry.intent.at.isoformat(),
        "ticket": ticket,
    }
    changes = row.changes if row.action is not RowAction.DELETE else ()
    for change in changes:
        old = None if isinstance(change.old, Absent) else change.old
        yield {**known, "field": change.name, "old": old, "new": change.new, **outcome}
    if not changes:
        yield {**known, "field": "", "old": None, "new": None, **outcome}
