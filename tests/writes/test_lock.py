"""The lock on writes."""

import pytest

from svc_tui.core.credentials import Environment
from svc_tui.core.values import replace
from svc_tui.writes.lock import IDLE_SECONDS, UNLOCK_WORD, WriteLock

LIVE = WriteLock(Environment.LIVE, open_seconds=600)


def test_live_starts_locked_and_the_refusal_names_the_key_that_opens_it() -> None:
    assert LIVE.refusal(0) == "LIVE is locked. Press w to unlock."


def test_what_is_typed_to_open_it_is_live() -> None:
    assert UNLOCK_WORD == "live"


def test_the_sandbox_starts_open_and_never_runs_out() -> None:
    lock = WriteLock(Environment.SANDBOX)
    assert lock.refusal(1e9) is None
    assert lock.closes_at(0) is None
    assert lock.opened(0).closes_at(1) is None


def test_an_opened_lock_runs_out_after_its_time_however_busy_its_user() -> None:
    lock = LIVE.opened(0)
    for now in range(0, 600, 60):
        assert lock.refusal(now) is None
        lock = lock.touched(now)
    assert lock.closes_at(599) == 600
    assert lock.refusal(600) is not None


def test_an_opened_lock_runs_out_when_nothing_is_pressed() -> None:
    lock = LIVE.opened(0)
    assert lock.closes_at(0) == IDLE_SECONDS
    assert lock.refusal(IDLE_SECONDS - 1) is None
    assert lock.refusal(IDLE_SECONDS) is not None


def test_a_key_pressed_too_late_does_not_open_it_again() -> None:
    lock = LIVE.opened(0).touched(IDLE_SECONDS + 1)
    assert lock.refusal(IDLE_SECONDS + 1) is not None
    assert lock.until is None


def test_touching_a_closed_lock_changes_nothing() -> None:
    assert LIVE.touched(5) is LIVE


def test_closing_closes() -> None:
    assert LIVE.opened(0).closed().refusal(1) is not None


def test_read_only_refuses_in_every_environment_and_even_when_opened() -> None:
    for environment in Environment:
        refusal = WriteLock(environment, read_only=True).opened(0).refusal(1)
        assert refusal is not None
        assert "read-only" in refusal


def test_the_countdown_shows_the_ten_minutes_until_idling_is_about_to_end_them() -> None:
    lock = LIVE.opened(0)
    assert lock.counts_down_to(1) == 600
    assert lock.counts_down_to(IDLE_SECONDS - 30) == IDLE_SECONDS
    assert lock.touched(IDLE_SECONDS - 30).counts_down_to(IDLE_SECONDS - 30) == 600
    assert lock.closed().counts_down_to(1) is None


def test_live_that_needs_its_team_is_read_only_while_the_server_is_away_and_as_before_when_it_is_back() -> None:
    lock = replace(LIVE, needs_team=True).opened(0)
    refusal = lock.refusal(1, team_there=False)
    assert refusal is not None
    assert "team server" in refusal
    assert lock.refusal(1, team_there=True) is None
    assert lock.refusal(1) is None
    assert LIVE.opened(0).refusal(1, team_there=False) is None


@pytest.mark.parametrize("environment", Environment)
@pytest.mark.parametrize("needs_team", [False, True])
@pytest.mark.parametrize("read_only", [False, True])
@pytest.mark.parametrize("team_there", [False, True])
def test_only_live_that_needs_its_team_and_may_write_waits_for_it(
    environment: Environment, needs_team: bool, read_only: bool, team_there: bool
) -> None:
    lock = WriteLock(environment, read_only=read_only, needs_team=needs_team)
    waits = (environment, needs_team, read_only, team_there) == (Environment.LIVE, True, False, False)
    assert lock.awaits_team(team_there=team_there) is waits
    refusal = lock.opened(0).refusal(1, team_there=team_there)
    assert (refusal is not None and "team server" in refusal) is waits
    assert (refusal is not None and "--read-only" in refusal) is read_only


def test_the_lock_closes_ten_minutes_after_it_opens_and_three_after_the_last_key_of_which_the_last_is_counted() -> None:
    lock = WriteLock(Environment.LIVE, opening="Type unlock.").opened(100)
    assert (lock.until, lock.closes_at(100)) == (700, 280)
    assert lock.refusal(280) == "LIVE is locked. Type unlock."
    assert [lock.counts_down_to(now) for now in (219, 220, 279, 280)] == [700, 280, 280, None]
    assert lock.touched(279).closes_at(279) == 459


def test_the_sandbox_never_waits_for_a_team() -> None:
    assert WriteLock(Environment.SANDBOX, needs_team=True).refusal(1, team_there=False) is None
