"""The doctor's line about a team."""

import pytest

from svc_tui.connect.checks import CheckVerdict, TeamFindings, check_team
from svc_tui.core.values import replace
from svc_tui.storage.journal_entries import Author
from svc_tui.storage.team.lines import BrokenChain

WELL = TeamFindings("", away=False, schema=1, role="ada", power="", waiting=0, broken=())
AWAY = replace(WELL, problem="the team server can't be reached", away=True, waiting=3)
BROKEN = tuple(
    BrokenChain(Author(f"P{number}", "desk"), 1000 * number, "an entry is missing") for number in range(1, 6)
)


@pytest.mark.parametrize(
    ("found", "required", "verdict", "words"),
    [
        (WELL, False, CheckVerdict.PASSED, "reachable as ada, schema 1; everything sent"),
        (replace(WELL, waiting=1), True, CheckVerdict.PASSED, "reachable as ada, schema 1; 1 entry not sent yet"),
        (replace(WELL, power="a superuser"), False, CheckVerdict.WARNING, "the role has too many rights: a superuser"),
        (AWAY, False, CheckVerdict.WARNING, "the team server can't be reached; 3 entries not sent yet"),
        (AWAY, True, CheckVerdict.FAILED, "the team server can't be reached; 3 entries not sent yet"),
        (replace(AWAY, away=False), False, CheckVerdict.FAILED, "can't be reached"),
        (replace(AWAY, broken=BROKEN), False, CheckVerdict.FAILED,
         "a journal is damaged: P1 on desk, from entry 1,000: an entry is missing; "),
        (replace(WELL, broken=BROKEN), False, CheckVerdict.FAILED, "from entry 3,000: an entry is missing; and 2 more"),
    ],
)  # fmt: skip
def test_each_finding_is_told_as_what_it_is(
    found: TeamFindings, required: bool, verdict: CheckVerdict, words: str
) -> None:
    check = check_team(found, required=required)
    assert check.verdict is verdict
    assert words in check.result
    assert bool(check.advice) == (verdict is not CheckVerdict.PASSED)
