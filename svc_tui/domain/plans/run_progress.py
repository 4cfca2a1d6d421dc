"""A run's way through its rows: which is next, what came of those before, and where and why it stops."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import Enum

from svc_tui.domain.editing.write_report import WriteResult
from svc_tui.domain.http.errors import ServerFault, is_about_one_record
from svc_tui.domain.plans.plan import PlanRow
from svc_tui.domain.plans.run import RowOutcome

_MIN_ROWS = 3
"""Rows that must have been written before it can be told how long the others will take."""


class StopReason(Enum):
    """Why a run went no further, though rows were left."""

    FAILURES = "as many rows ended otherwise than planned as may"
    FOR_ALL = "what stood against a row stands against all"
    INTERRUPTED = "it was interrupted"


@dataclass(slots=True)
class RunProgress:
    """Goes through `rows` in order, those that are still to be sent; has no part in how they are written.

    Ask for `next_row`, write it, hand the outcome to `take`, until there is no next one. `max_failures` rows may end
    otherwise than planned before it stops; 0: it stops at the first, as it does at 1. What stands against every row
    alike (a key that is refused, a service that can't be reached, a journal that can't be written, a lock that ran out)
    stops it at once.
    """

    rows: Sequence[PlanRow]
    max_failures: int = 0
    outcomes: list[RowOutcome] = field(default_factory=list)
    """What became of the rows so far, in order."""
    stopped: StopReason | None = None

    @property
    def next_row(self) -> PlanRow | None:
        """The row to be written now; None at the end, or where it stopped."""
        at = len(self.outcomes)
        return self.rows[at] if self.stopped is None and at < len(self.rows) else None

    def take(self, outcome: RowOutcome) -> None:
        """Take in what became of `next_row`."""
        self.outcomes.append(outcome)
        if not outcome.surprising:
            return
        if stands_against_all(outcome):
            self.stopped = StopReason.FOR_ALL
        elif len(self.failed) >= max(1, self.max_failures):
            self.stopped = StopReason.FAILURES

    def interrupt(self) -> None:
        """Have no other row follow; what stopped it before stays the reason."""
        if self.stopped is None and self.next_row is not None:
            self.stopped = StopReason.INTERRUPTED

    @property
    def done(self) -> int:
        """How many rows are as they are to be now; those that were so already are among them."""
        return len(self.outcomes) - len(self.failed)

    @property
    def failed(self) -> tuple[RowOutcome, ...]:
        """The outcomes that are not as planned."""
        return tuple(outcome for outcome in self.outcomes if outcome.surprising)

    @property
    def left(self) -> int:
        """How many rows have not been tried."""
        return len(self.rows) - len(self.outcomes)

    @property
    def last_failure(self) -> RowOutcome | None:
        """The outcome that it stopped at, or the last one that was not as planned."""
        return self.failed[-1] if self.failed else None

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
    if report.gone or outcome.conflicts:
        return False
    if report.error is not None:
        return not (isinstance(report.error, ServerFault) or is_about_one_record(report.error))
    # What was not sent for how its record is comes with that.
    return report.result is WriteResult.NOT_SENT and not report.moved and report.record is None
