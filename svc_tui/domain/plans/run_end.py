"""What is said of a run that came to its end: what was done, and of how many records something else became."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from svc_tui.domain.corrections.correction import RowAction
from svc_tui.domain.data.counted import counted
from svc_tui.domain.editing.write_report import WriteResult
from svc_tui.domain.plans.plan import Plan, PlanRow, RowState
from svc_tui.domain.plans.ports import RowResults
from svc_tui.domain.plans.run import unknown_rows

_LEFT_OUT = (RowState.SKIPPED, RowState.DOUBTED)
"""States of rows that a person left out of a run, or did not take into it."""

_DONE = {RowAction.CREATE: "made", RowAction.DELETE: "deleted", RowAction.UPDATE: "changed"}


@dataclass(frozen=True, slots=True)
class RunEnd:
    """What is said: what was done in short, then in sentences; `complete` where nothing calls for a look."""

    title: str
    words: str
    complete: bool


def run_end(plan: Plan, results: RowResults, already: Iterable[PlanRow]) -> RunEnd:
    """What is said of a run; `already` are the rows that were so when they were read, so that nothing was sent."""
    done = Counter(row.action for row in plan.rows if results.get(row.number) == WriteResult.DONE.value)
    refused = {row.number for row in plan.rows if results.get(row.number) == WriteResult.REFUSED.value}
    so_before = Counter(row.action is RowAction.DELETE for row in already if row.number not in results)
    left_out = sum(row.state in _LEFT_OUT and row.number not in refused for row in plan.rows)
    blocked = plan.counts[RowState.BLOCKED]
    unknown = len(unknown_rows(plan, results))
    words = [f"{counted(done.total(), 'record')} {_DONE[next(iter(done))] if len(done) == 1 else 'changed'}."]
    if so_before[False]:
        words.append(f"{counted(so_before[False], 'record')} had the value already, and nothing was sent.")
    if so_before[True]:
        words.append(f"{counted(so_before[True], 'record')} {'was' if so_before[True] == 1 else 'were'} gone already.")
    if refused:
        words.append(f"{counted(len(refused), 'record')} refused by the service.")
    if left_out:
        words.append(f"{counted(left_out, 'record')} left out.")
    if blocked:
        words.append(f"{counted(blocked, 'row')} could not be sent.")
    if unknown:
        words.append(f"Of {counted(unknown, 'record')} nobody knows: look for them before you make them again.")
    return RunEnd(_title(plan, done), " ".join(words), not (unknown or refused or blocked))


def _title(plan: Plan, done: Counter[RowAction]) -> str:
    """What was done, in a few words."""
    if not done:
        return "Nothing was changed"
    if plan.undoes:
        return f"Undid {plan.title}"
    if len(done) > 1:
        return "Changed, made or deleted records"
    return {
        RowAction.CREATE: "Made new records",
        RowAction.DELETE: "Deleted records",
        RowAction.UPDATE: f"Changed {plan.what}" if plan.fields_alone else "Changed records",
    }[next(iter(done))]
