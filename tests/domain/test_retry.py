"""May it be sent again, and when."""

from email.utils import formatdate

import pytest
from hypothesis import given
from hypothesis import strategies as st

from svc_tui.domain.retry import (
    Happened,
    RetryBudget,
    RetryRules,
    backoff,
    may_repeat,
    next_delay,
    retry_after,
    throttle_delay,
)

RULES = RetryRules()
READS = ("GET", "HEAD", "OPTIONS")
SETS = ("PUT", "DELETE", "PATCH")


@pytest.mark.parametrize("method", [*READS, *SETS, "POST", "LOCK"])
def test_what_was_never_sent_may_always_be_sent(method: str) -> None:
    assert may_repeat(method, Happened(sent=False), honoured=False)


@pytest.mark.parametrize("happened", [Happened(), *(Happened(status) for status in (408, 500, 502, 503, 504))])
def test_an_unknown_outcome_is_repeated_where_repeating_changes_nothing(happened: Happened) -> None:
    assert all(may_repeat(method, happened, honoured=False) for method in (*READS, *SETS))
    assert not may_repeat("POST", happened, honoured=False)
    assert may_repeat("POST", happened, honoured=True)
    assert not may_repeat("LOCK", happened, honoured=True)


@pytest.mark.parametrize("status", [200, 301, 400, 401, 403, 404, 409, 412, 422, 429, 501, 505])
def test_refusals_and_successes_are_final(status: int) -> None:
    assert not any(may_repeat(method, Happened(status), honoured=True) for method in (*READS, *SETS, "POST"))


def test_a_success_that_broke_off_is_only_read_again() -> None:
    broken = Happened(200, broken=True)
    assert all(may_repeat(method, broken, honoured=True) for method in READS)
    assert not any(may_repeat(method, broken, honoured=True) for method in (*SETS, "POST"))


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("0", 0),
        ("12", 12),
        (" 7 ", 7),
        ("007", 7),
        ("Sun, 06 Nov 1994 08:49:37 GMT", 37),
        ("Sun Nov  6 08:48:00 1994", 0),
        ("Sunday, 06-Nov-94 08:49:10 GMT", 10),
    ],
)
def test_retry_after_is_digits_or_a_date_by_the_services_clock(value: str, seconds: float) -> None:
    assert retry_after(value, "Sun, 06 Nov 1994 08:49:00 GMT", 5e9) == seconds


@pytest.mark.parametrize("value", [None, "", "-1", "1.5", "1e3", "1_0", "٣", "nan", "inf", "soon", "9" * 5000, "+1"])
def test_any_other_retry_after_asks_for_nothing(value: str | None) -> None:
    assert retry_after(value, None, 0.0) is None


def test_without_a_usable_date_our_own_clock_measures() -> None:
    assert retry_after(formatdate(1_700_000_030, usegmt=True), "yesterday", 1_700_000_000.0) == 30


@given(st.text(max_size=60), st.none() | st.text(max_size=60))
def test_no_header_breaks_the_reading_or_asks_for_the_past(value: str, date: str | None) -> None:
    asked = retry_after(value, date, 1e9)
    assert asked is None or asked >= 0


@given(st.integers(1, 10_000), st.floats(0, 1, exclude_max=True))
def test_backoff_is_full_jitter_with_a_ceiling(attempt: int, luck: float) -> None:
    wait = backoff(attempt, RULES, luck)
    assert 0 <= wait <= RULES.longest_wait
    assert backoff(1, RULES, luck) == luck * RULES.first_wait


@given(
    attempt=st.integers(1, 5),
    status=st.sampled_from([None, 408, 500, 503]),
    asked=st.none() | st.floats(0, 100),
    left=st.floats(0, 60),
    luck=st.floats(0, 1, exclude_max=True),
)
def test_never_sooner_than_asked_and_never_past_the_deadline(
    attempt: int, status: int | None, asked: float | None, left: float, luck: float
) -> None:
    wait = next_delay(attempt, "GET", Happened(status, asked=asked), RULES, left, luck, honoured=False)
    if wait is None:
        assert attempt >= RULES.attempts or max(asked or 0, backoff(attempt, RULES, luck)) >= left
    else:
        assert (asked or 0) <= wait < left


def test_a_429_is_waited_for_as_asked() -> None:
    assert throttle_delay(1, 12.0, RULES, 0.9) == 12
    assert throttle_delay(5, 12.0, RULES, 0.9) == 12
    assert throttle_delay(1, 0.0, RULES, 0.9) == 0


@given(st.integers(2, 100), st.floats(0, 1, exclude_max=True))
def test_a_429_that_asks_for_nothing_again_and_again_is_not_hammered(round_: int, luck: float) -> None:
    assert throttle_delay(round_, 0.0, RULES, luck) >= RULES.first_wait / 2
    assert throttle_delay(round_, None, RULES, luck) >= RULES.first_wait / 2


def test_the_budget_runs_out_and_is_earned_back() -> None:
    budget: RetryBudget | None = RetryBudget(left=2.0)
    for _ in range(2):
        assert budget is not None
        budget = budget.spent()
    assert budget is not None
    assert budget.spent() is None
    for _ in range(5):
        budget = budget.earned()
    assert budget.spent() is not None
    for _ in range(1000):
        budget = budget.earned()
    assert budget.left == budget.size
