"""The check of the journal of writes: whether it is as it was written."""

from svc_tui.domain.data.counted import counted
from svc_tui.domain.doctor.check_result import CheckResult, CheckVerdict
from svc_tui.domain.editing.journal import ChainCheck
from svc_tui.domain.editing.ports import StoreError

JOURNAL = "journal"
"""The check's name."""


def check_journal(chain: ChainCheck | StoreError, file: str) -> CheckResult:
    """Whether the journal of writes in `file` is as it was written: each line holds the hash of the one before.

    Where it ends is kept elsewhere too, since a chain can't tell that its end is gone.
    """
    if isinstance(chain, StoreError):
        return CheckResult(JOURNAL, CheckVerdict.FAILED, f"{chain}", _UNREADABLE_ADVICE)
    before = f", after {chain.pruned:,} that were pruned" if chain.pruned else ""
    if chain.broken is not None:
        at = "" if chain.broken.at is None else f", written {chain.broken.at.isoformat(' ', 'seconds')}"
        finding = (
            f"broken at line {chain.broken.number:,}{at}; {counted(chain.lines, 'line')} before it are sound{before}"
        )
        renewal = f"to begin a new journal, move {file} away, keep it, and run svc-tui doctor --accept-journal"
        advice = f"{_CAUSES} Writes go on; {renewal}."
        return CheckResult(JOURNAL, CheckVerdict.FAILED, finding, advice)
    if (difference := chain.difference) is not None:
        kept = f": {difference.place} has line {difference.number:,}" if difference.number else f": {difference.place}"
        finding = f"not whole, {difference.problem.value}{kept}; {counted(chain.lines, 'line')} are there{before}"
        return CheckResult(JOURNAL, CheckVerdict.FAILED, finding, f"{_CAUSES} {_ACCEPT_ADVICE}")
    if not chain.lines:
        return CheckResult(JOURNAL, CheckVerdict.PASSED, f"no writes in it{before}")
    return CheckResult(JOURNAL, CheckVerdict.PASSED, f"intact: {counted(chain.lines, 'line')}{before}")


_UNREADABLE_ADVICE = "Until it is mended, nothing can be written: a write that can't be journalled is not sent."
_CAUSES = (
    "It is not as svc-tui wrote it: a damaged disk, a file put back from a backup, or an edit by hand. It does not "
    "tell whose."
)
_ACCEPT_ADVICE = "Writes go on; once you know why, svc-tui doctor --accept-journal takes it as it is now."
