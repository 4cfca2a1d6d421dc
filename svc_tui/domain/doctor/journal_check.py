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
    before = f"; {counted(chain.pruned, 'older entry', 'older entries')} deleted earlier" if chain.pruned else ""
    if chain.broken is not None:
        at = "" if chain.broken.at is None else f", written {chain.broken.at.isoformat(' ', 'seconds')}"
        sound = f"{counted(chain.lines, 'entry', 'entries')} before it {'is' if chain.lines == 1 else 'are'} intact"
        finding = f"damaged at entry {chain.broken.number:,}{at}; {sound}{before}"
        renewal = f"to start a new journal, move {file} to another directory and run svc-tui doctor --accept-journal"
        advice = f"{_CAUSES} Writes still work; {renewal}."
        return CheckResult(JOURNAL, CheckVerdict.FAILED, finding, advice)
    if (difference := chain.difference) is not None:
        kept = f": {difference.place} has entry {difference.number:,}" if difference.number else f": {difference.place}"
        finding = f"damaged: {difference.problem.value}{kept}; found {counted(chain.lines, 'entry', 'entries')}{before}"
        return CheckResult(JOURNAL, CheckVerdict.FAILED, finding, f"{_CAUSES} {_ACCEPT_ADVICE}")
    if not chain.lines:
        return CheckResult(JOURNAL, CheckVerdict.PASSED, f"no writes yet{before}")
    return CheckResult(JOURNAL, CheckVerdict.PASSED, f"intact: {counted(chain.lines, 'entry', 'entries')}{before}")


_UNREADABLE_ADVICE = "Until this is fixed, no change can be sent: every write must be saved in the journal first."
_CAUSES = "The file was changed outside svc-tui, for example by a damaged disk, a restored backup or a manual edit."
_ACCEPT_ADVICE = (
    "Writes still work. When you know the cause, run svc-tui doctor --accept-journal to accept the journal as it is."
)
