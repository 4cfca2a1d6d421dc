"""A run's way through its rows: which is next, what came of those before, and where and why it stops."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum

from svc_tui.domain.editing.write_report import WriteResult
from svc_tui.domain.http.errors import ServerFault, is_about_one_record
from svc_tui.domain.plans.plan import Plan, PlanRow
from svc_tui.domain.plans.ports import RowResults, RunCounts
from svc_tui.domain.plans.run import RowFate, RowOutcome, count_fates, count_rows, row_fate

_MIN_ROWS = 3
"""Rows that must have been written before it can be told how long the others will take."""


class StopReason(Enum):
    """Why a run went no further, though rows were left."""

    FAILURES = "the limit of failed rows was reached"
    FOR_ALL = "the same failure would affect every row"
    INTERRUPTED = "it was interrupted"


@dataclass(slots=True)
class RunProgress:
    """Goes through `rows` in order, those that are still to be sent; has no part in how they are written.

    Ask for `next_row`, write it, hand the outcome to `take`, until there is no next one. `max_failures` rows may end
    otherwise than planned before it stops; 0: it stops at the first, as it does at 1. What stands against every row
    alike (a key that is refused, a service that can't be reached, a journal that can't be written, a lock that ran out)
    stops it at once. `results` are the journal's words for earlier writes of the rows; `others` counts the rows of the
    plan that are not among `rows`.
    """

    rows: Sequence[PlanRow]
    max_failures: int = 0
    results: RowResults = field(default_factory=dict)
    others: RunCounts = field(default_factory=RunCounts)
    outcomes: list[RowOutcome] = field(default_factory=list)
    """The outcomes of the rows so far in order, without the answers of the service."""
    last_failure: RowOutcome | None = None
    """The outcome that it stopped at, or the last one that was not as planned; whole."""
    stopped: StopReason | None = None
    _fates: "Counter[RowFate | None]" = field(default_factory=Counter)

    @classmethod
    def of_plan(
        cls,
        plan: Plan,
        rows: Sequence[PlanRow],
        results: RowResults,
        max_failures: int = 0,
        outcomes: Mapping[int, RowOutcome] | None = None,
    ) -> "RunProgress":
        """Make it for those `rows` of a plan that are still to be sent; `outcomes` are those of rows tried before."""
        numbers = {row.number for row in rows}
        others = replace(plan, rows=tuple(row for row in plan.rows if row.number not in numbers))
        return cls(rows, max_failures, results, count_rows(others, results, outcomes))

    @property
    def next_row(self) -> PlanRow | None:
        """The row to be written now; None at the end, or where it stopped."""
        at = len(self.outcomes)
        return self.rows[at] if self.stopped is None and at < len(self.rows) else None

    def take(self, outcome: RowOutcome) -> None:
        """Take in what became of `next_row`."""
        self.outcomes.append(outcome.without_answer)
        self._fates[self._fate(outcome)] += 1
        if not outcome.surprising:
            return
        self.last_failure = outcome
        if stands_against_all(outcome):
            self.stopped = StopReason.FOR_ALL
        elif len(self.failed) >= max(1, self.max_failures):
            self.stopped = StopReason.FAILURES

    def _fate(self, outcome: RowOutcome) -> RowFate | None:
        """How a row ended, before the journal is read again: what left and is not settled is unknown."""
        report = outcome.report
        if report.entry:
            is_unknown = report.journal_problem or (report.result is WriteResult.UNKNOWN and not report.settled)
            result = WriteResult.UNKNOWN.value if is_unknown else report.result.value
        else:
            result = "" if outcome.already else self.results.get(outcome.row.number, "")
        return row_fate(outcome.row, result, outcome)

    def interrupt(self) -> None:
        """Have no other row follow; what stopped it before stays the reason."""
        if self.stopped is None and self.next_row is not None:
            self.stopped = StopReason.INTERRUPTED

    @property
    def counts(self) -> RunCounts:
        """How many rows of the whole plan ended how so far."""
        return self.others + count_fates(self._fates) + RunCounts(left=self.left)

    @property
    def failed(self) -> tuple[RowOutcome, ...]:
        """The outcomes that are not as planned."""
        return tuple(outcome for outcome in self.outcomes if outcome.surprising)

    @property
    def left(self) -> int:
        """How many rows have not been tried."""
        return len(self.rows) - len(self.outcomes)

    @property
    def sent(self) -> bool:
        """Whether any write has left, so that the journal knows of it."""
        return any(outcome.report.entry for outcome in self.outcomes)

    def seconds_left(self, seconds: float) -> float | None:
        """How long the rest will take at the pace of the `seconds` so far; None where that can't be told yet."""
        count = len(self.outcomes)
        return seconds / count * self.left if count >= _MIN_ROWS else None


def stands_against_all(outcome: RowOutcome) -> bool:
    """Whether what came of a row would come of every other one as well.

    An error of the service's own (5xx) may be about one record, so it counts as that row's.
    """
    report = outcome.report
    if report.journal_problem:
        return True
    if report.gone or outcome.conflicts or outcome.may_exist:
        return False
    if report.error is not None:
        return not (isinstance(report.error, ServerFault) or is_about_one_record(report.error))
    # What was not sent for how its record is comes with that.
    return report.result is WriteResult.NOT_SENT and not report.moved and report.record is None
