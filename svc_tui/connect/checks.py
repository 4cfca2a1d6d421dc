"""What one check of the doctor found."""

from collections.abc import Sequence
from datetime import datetime
from enum import Enum

from msgspec import Struct

from svc_tui.core.bodies import size_text
from svc_tui.core.durations import age_words
from svc_tui.core.phrases import counted
from svc_tui.storage.errors import StoreError
from svc_tui.storage.journal_entries import ChainCheck
from svc_tui.storage.record_index.index_values import IndexProblem, IndexStatus, NoIndex
from svc_tui.storage.team.lines import BrokenChain


class CheckVerdict(Enum):
    """How a check ended; the value is the word people and scripts see."""

    PASSED = "passed"
    WARNING = "warning"
    """It works, and the user should look at it."""
    FAILED = "failed"
    SKIPPED = "skipped"
    """It could not be made; `result` tells why."""


class CheckResult(Struct, frozen=True):
    """What one check found: `result` on one line, and what to do about it; `advice` is "" where that is plain."""

    name: str
    verdict: CheckVerdict
    result: str
    advice: str = ""


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


INDEX = "index"
"""The check's name."""


def check_index(index: IndexStatus | IndexProblem, keys: Sequence[str], now: datetime, *, wanted: bool) -> CheckResult:
    """What the index holds of these collections; none, or one that must be built again, is no failure."""
    if isinstance(index, NoIndex):
        none = "no index yet; svc-tui creates it when you open it" if wanted else "no index"
        return CheckResult(INDEX, CheckVerdict.PASSED, f"{none}; for help, run svc-tui index --help")
    if isinstance(index, IndexProblem):
        return CheckResult(INDEX, CheckVerdict.WARNING, str(index))
    collections = [index.of(key) for key in keys]
    held = [one for one in collections if one.completed_at is not None]
    moments = [one.completed_at for one in held if one.completed_at is not None]
    age = age_words((now - min(moments)).total_seconds()) if moments else ""
    read = f", updated {f'{age} ago' if age else 'just now'}" if moments else ""
    finding = f"{counted(index.records, 'record')} in {counted(len(held), 'collection')}, {size_text(index.size)}{read}"
    refused = [f"{one.key} ({one.problem.rstrip('.')})" for one in collections if one.problem]
    unfinished = [one.key for one in collections if one.completed_at is None and not one.problem]
    left_out = [f"not indexed: {'; '.join(refused)}"] if refused else []
    if unfinished:
        left_out.append(f"incomplete: {', '.join(unfinished)}")
    if not left_out:
        return CheckResult(INDEX, CheckVerdict.PASSED, finding)
    advice = (
        "To load the rest, run svc-tui index update." if unfinished else "The index has only what the key can read."
    )
    return CheckResult(INDEX, CheckVerdict.WARNING, "; ".join((finding, *left_out)), advice)


TEAM = "team"
"""The check's name; it is made where the profile names a team."""

_MAX_TOLD = 3


class TeamFindings(Struct, frozen=True):
    """What was found: `problem` is why the server can't be used, "" where it can, `away` that it gives no answer.

    `power` is what the role may do beyond what it needs, "" where that is nothing; `waiting` lines are to be sent;
    `broken` are the chains that are not as they were written, as this machine's copy knows them.
    """

    problem: str
    away: bool
    schema: int
    role: str
    power: str
    waiting: int
    broken: Sequence[BrokenChain]


def no_team(problem: str) -> CheckResult:
    """What is said where the server could not even be asked."""
    return CheckResult(TEAM, CheckVerdict.FAILED, problem, _LOCAL_ADVICE)


def check_team(found: TeamFindings, *, required: bool) -> CheckResult:
    """Whether the server can be used; one that is away is a failure where it is `required` for writes on LIVE."""
    waiting = f"{found.waiting:,} {'entry' if found.waiting == 1 else 'entries'} not sent yet" if found.waiting else ""
    if found.broken:
        told = [
            f"{broken.author.name} on {broken.author.machine}, from entry {broken.sequence:,}: {broken.why}"
            for broken in found.broken[:_MAX_TOLD]
        ]
        more = [f"and {len(found.broken) - _MAX_TOLD} more"] if len(found.broken) > _MAX_TOLD else []
        finding = "; ".join(
            filter(None, ("a journal is damaged: " + "; ".join((*told, *more)), found.problem, waiting))
        )
        return CheckResult(TEAM, CheckVerdict.FAILED, finding, _BROKEN_ADVICE)
    if found.problem:
        verdict = CheckVerdict.WARNING if found.away and not required else CheckVerdict.FAILED
        advice = _REQUIRED_ADVICE if required else _LOCAL_ADVICE
        return CheckResult(TEAM, verdict, "; ".join(filter(None, (found.problem, waiting))), advice)
    finding = "; ".join(
        filter(None, (f"reachable as {found.role}, schema {found.schema}", waiting or "everything sent"))
    )
    if found.power:
        return CheckResult(
            TEAM, CheckVerdict.WARNING, f"{finding}; the role has too many rights: {found.power}", _POWER_ADVICE
        )
    return CheckResult(TEAM, CheckVerdict.PASSED, finding)


_LOCAL_ADVICE = (
    "Writes still work and are saved in the journal on this computer; they are sent later. For details, run svc-tui "
    "team status."
)
_REQUIRED_ADVICE = "team_required is set: LIVE is read-only until this is fixed. For details, run svc-tui team status."
_POWER_ADVICE = "The role can change and delete entries. Use a role with only the rights that svc-tui team init grants."
_BROKEN_ADVICE = "To check every entry, run svc-tui team check. Ask the administrator of the database; see the guide."
