"""The outcome of a run: a summary for the screen, and a record for each change for a file."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

from msgspec import Struct

from svc_tui.core.jsontext import Absent, Json, number
from svc_tui.core.phrases import counted
from svc_tui.plans.run import RowFate, RowOutcome, count_fates, find_fate, writes_by_row
from svc_tui.service.advice import error_text
from svc_tui.service.errors import SendResult
from svc_tui.storage.journal_entries import RowWrite
from svc_tui.storage.plan import Plan, PlanRow, RowAction, RowState
from svc_tui.storage.runs import RowResults

_DONE = {RowAction.UPDATE: "changed", RowAction.CREATE: "created", RowAction.DELETE: "deleted"}


class RunEnd(Struct, frozen=True):
    """The summary of a run: a title, then sentences; `complete` if the user has nothing left to check.

    `changed`: the run changed a record.
    """

    title: str
    words: str
    complete: bool
    changed: bool


def describe_run_end(plan: Plan, results: RowResults, outcomes: Mapping[int, RowOutcome]) -> RunEnd:
    """Describe the end of a run, from the journal's `results` and this program's own `outcomes`."""
    fates = {row.number: find_fate(row, results.get(row.number, ""), outcomes.get(row.number)) for row in plan.rows}
    counts = count_fates(Counter(fates.values()))
    already = {
        row.number: row
        for row in plan.rows
        if row.state is RowState.ALREADY
        or (
            (outcome := outcomes.get(row.number)) is not None
            and outcome.already
            and results.get(row.number) in (None, SendResult.REFUSED.value)
        )
    }
    already_deleted = sum(row.action is RowAction.DELETE for row in already.values())
    unchanged = len(already) - already_deleted
    done = Counter(row.action for row in plan.rows if row.number not in already and fates[row.number] is RowFate.DONE)
    # A refused row can be as planned at the next try.
    refused = sum(
        fate is RowFate.FAILED and results.get(number) == SendResult.REFUSED.value for number, fate in fates.items()
    )
    blocked = plan.counts[RowState.BLOCKED]
    unknown, saved_differently = counts.unknown, counts.failed - refused
    first, *others = [action for action in _DONE if done[action]] or [RowAction.UPDATE]
    more = "".join(f", {done[action]:,} {_DONE[action]}" for action in others)
    words = [f"{counted(done[first], 'record')} {_DONE[first]}{more}."]
    if unchanged:
        words.append(f"{counted(unchanged, 'record')} already had the value.")
    if already_deleted:
        verb = "was" if already_deleted == 1 else "were"
        words.append(f"{counted(already_deleted, 'record')} {verb} already deleted.")
    if refused:
        words.append(f"{counted(refused, 'record')} refused by the service.")
    if saved_differently:
        words.append(f"{counted(saved_differently, 'record')} saved with different values.")
    if counts.skipped:
        by_problem = "because of a problem" if blocked == counts.skipped else f"({blocked:,} because of a problem)"
        words.append(f"{counted(counts.skipped, 'record')} skipped{f' {by_problem}' if blocked else ''}.")
    if plan.ticket:
        words.append(f"Ticket {plan.ticket}.")
    if unknown:
        them = "it" if unknown == 1 else "them"
        words.append(
            f"{counted(unknown, 'record')} with unknown outcome. Look for {them} before you create {them} again."
        )
    return RunEnd(_format_end_title(plan, done), " ".join(words), not (unknown or counts.failed or blocked), bool(done))


def _format_end_title(plan: Plan, done: Counter[RowAction]) -> str:
    if not done:
        return "Nothing was changed"
    if plan.undoes:
        return f"Undone: {plan.title}"
    if len(done) > 1:
        return f"Finished: {plan.title}"
    return {
        RowAction.CREATE: "Created records",
        RowAction.DELETE: "Deleted records",
        RowAction.UPDATE: f"Changed {plan.subject}" if plan.is_update_only else f"Finished: {plan.title}",
    }[next(iter(done))]


REPORT_COLUMNS = (
    *("row", "id", "name", "action", "field", "old", "new"),
    *("outcome", "message", "status", "journalEntry", "at", "ticket"),
)
"""The columns of a report, in order."""

NOT_SENT = "not sent"
"""The outcome of a row that should have been sent."""

_OUTCOMES = {
    RowState.READY: NOT_SENT,
    RowState.ALREADY: "already so",
    RowState.SKIPPED: "left out",
    RowState.DOUBTED: "in doubt",
    RowState.BLOCKED: "can't be sent",
}
"""The outcomes of rows without a write: values of the file, which scripts compare, not texts of the screen."""


def make_report_rows(
    plan: Plan, writes: Iterable[RowWrite], outcomes: Iterable[RowOutcome] = ()
) -> Iterator[Mapping[str, Json]]:
    """Yield a record for each field that a row changes, one for a row without any; `writes` are the run's.

    `outcomes` are this program's own: only they tell why a row was not sent.
    """
    seen = {outcome.row.number: outcome for outcome in outcomes}
    last = writes_by_row(plan, writes)
    for row in plan.rows:
        write, outcome = last.get(row.number), seen.get(row.number)
        result = "" if write is None else write.result
        if outcome is None or outcome.report.entry_number or result in ("done", "unknown", "running"):
            message = _message_of_write(row, write)
            if outcome is not None and outcome.report.unapplied:
                message = outcome_words(outcome)
        else:
            # The journal may have an earlier try; the last one counts.
            result, write = _OUTCOMES[RowState.ALREADY] if outcome.already else NOT_SENT, None
            message = outcome_words(outcome)
        yield from _make_row_records(row, result, write, message, plan.ticket)


def outcome_words(outcome: RowOutcome) -> str:
    """Describe the outcome of a row that did not end as planned in a sentence or two; "" for one that did."""
    report = outcome.report
    if outcome.conflicts:
        return outcome.conflict_words
    words = [report.reason, "" if report.error is None else error_text(report.error)]
    names = ", ".join(report.unapplied)
    if names and report.result is SendResult.DONE:
        different = "a different value" if len(report.unapplied) == 1 else "different values"
        words.append(f"The service saved {different} for {names}.")
    elif names:
        words.append(f"Checked again: the record does not have the new value of {names}.")
    if report.journal_problem:
        words.append(f"Could not write the outcome to the journal: {report.journal_problem}.")
    return " ".join(filter(None, words))


def _message_of_write(row: PlanRow, write: RowWrite | None) -> str:
    if write is None:
        # Problems that the user set aside are not the reason.
        return "" if row.state is RowState.READY else " ".join(problem.text for problem in row.problems)
    return write.message


def _describe_result(row: PlanRow, result: str) -> str:
    """Return the outcome of a row for a report; `result` is the journal's, "" without a write."""
    if result:
        return "unknown" if result == "running" else result
    return _OUTCOMES[row.state]


def _make_row_records(
    row: PlanRow, result: str, write: RowWrite | None, message: str, ticket: str
) -> Iterator[Mapping[str, Json]]:
    known: dict[str, Json] = {
        "row": number(row.number),
        "id": row.record_id or ("" if write is None else write.made),
        "name": row.label,
        "action": row.action.value,
    }
    outcome: dict[str, Json] = {
        "outcome": _describe_result(row, result),
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
