"""What is said of a run that came to its end: what was done, and of how many records something else became."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from svc_tui.domain.corrections.correction import RowAction
from svc_tui.domain.data.counted import counted
from svc_tui.domain.editing.write_report import WriteResult
from svc_tui.domain.plans.plan import Plan, RowState
from svc_tui.domain.plans.ports import RowResults
from svc_tui.domain.plans.run import RowFate, RowOutcome, count_rows, row_fate

_DONE = {RowAction.UPDATE: "changed", RowAction.CREATE: "created", RowAction.DELETE: "deleted"}


@dataclass(frozen=True, slots=True)
class RunEnd:
    """What is said: what was done in short, then in sentences; `complete` where nothing calls for a look."""

    title: str
    words: str
    complete: bool


def run_end(plan: Plan, results: RowResults, outcomes: Mapping[int, RowOutcome]) -> RunEnd:
    """What is said of a run, by the journal's `results` and the `outcomes` that this program saw."""
    counts = count_rows(plan, results, outcomes)
    already = {
        row.number: row
        for row in plan.rows
        if (outcome := outcomes.get(row.number)) is not None
        and outcome.already
        and results.get(row.number) in (None, WriteResult.REFUSED.value)
    }
    fates = {row.number: row_fate(row, results.get(row.number, ""), outcomes.get(row.number)) for row in plan.rows}
    done = Counter(row.action for row in plan.rows if row.number not in already and fates[row.number] is RowFate.DONE)
    so_before = Counter(row.action is RowAction.DELETE for row in already.values())
    # One that was refused may have been found as planned when it was tried again.
    refused = sum(
        fate is RowFate.FAILED and results.get(number) == WriteResult.REFUSED.value for number, fate in fates.items()
    )
    blocked = plan.counts[RowState.BLOCKED]
    unknown, changed_by_service = counts.unknown, counts.failed - refused
    first, *others = [action for action in _DONE if done[action]] or [RowAction.UPDATE]
    more = "".join(f", {done[action]:,} {_DONE[action]}" for action in others)
    words = [f"{counted(done[first], 'record')} {_DONE[first]}{more}."]
    if so_before[False]:
        words.append(f"{counted(so_before[False], 'record')} already had the value, so nothing was sent.")
    if so_before[True]:
        words.append(
            f"{counted(so_before[True], 'record')} {'was' if so_before[True] == 1 else 'were'} already deleted."
        )
    if refused:
        words.append(f"{counted(refused, 'record')} refused by the service.")
    if changed_by_service:
        words.append(f"{counted(changed_by_service, 'record')} saved with different values.")
    if counts.skipped:
        by_problem = "because of a problem" if blocked == counts.skipped else f"({blocked:,} because of a problem)"
        words.append(f"{counted(counts.skipped, 'record')} skipped{f' {by_problem}' if blocked else ''}.")
    if unknown:
        them = "it" if unknown == 1 else "them"
        words.append(
            f"{counted(unknown, 'record')} with unknown outcome. Look for {them} before you create {them} again."
        )
    return RunEnd(_title(plan, done), " ".join(words), not (unknown or counts.failed or blocked))


def _title(plan: Plan, done: Counter[RowAction]) -> str:
    """What was done, in a few words."""
    if not done:
        return "Nothing was changed"
    if plan.undoes:
        return f"Undone: {plan.title}"
    if len(done) > 1:
        return f"Finished: {plan.title}"
    return {
        RowAction.CREATE: "Created records",
        RowAction.DELETE: "Deleted records",
        RowAction.UPDATE: f"Changed {plan.what}" if plan.fields_alone else f"Finished: {plan.title}",
    }[next(iter(done))]
