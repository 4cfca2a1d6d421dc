"""The check of a team's journal: whether its server can be used, and whether colleagues' chains are as written."""

from collections.abc import Sequence
from dataclasses import dataclass

from svc_tui.domain.doctor.check_result import CheckResult, CheckVerdict
from svc_tui.domain.team.ports import BrokenChain

TEAM = "team"
"""The check's name; it is made where the profile names a team."""

_MAX_TOLD = 3


@dataclass(frozen=True, slots=True)
class TeamFindings:
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
