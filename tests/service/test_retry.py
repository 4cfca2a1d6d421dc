"""May it be sent again, and when."""

from email.utils import formatdate
from random import Random
from time import asctime, gmtime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from svc_tui.core.requests import Answer
from svc_tui.service.retry import (
    NO_DEADLINE,
    AttemptOutcome,
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
EIGHT_FORTY_NINE = "Sun, 06 Nov 1994 08:49:00 GMT"


def requested_delay(*values: str, date: str | None = None, now: float = 0.0) -> float | None:
    """What a 429 asks for that has these values of `Retry-After`, each in a header of its own."""
    headers = [("retry-After", value) for value in values]
    headers += [] if date is None else [("Date", date)]
    return retry_after(Answer(429, "", tuple(headers), b""), now)


@pytest.mark.parametrize("method", [*READS, *SETS, "POST", "LOCK"])
def test_what_was_never_sent_may_always_be_sent(method: str) -> None:
    assert may_repeat(method, AttemptOutcome(sent=False), honoured=False)


@pytest.mark.parametrize(
    "happened", [AttemptOutcome(), *(AttemptOutcome(status) for status in (408, 500, 502, 503, 504))]
)
def test_an_unknown_outcome_is_repeated_where_repeating_changes_nothing(happened: AttemptOutcome) -> None:
    assert all(may_repeat(method, happened, honoured=False) for method in (*READS, *SETS))
    assert not may_repeat("POST", happened, honoured=False)
    assert may_repeat("POST", happened, honoured=True)
    assert not may_repeat("LOCK", happened, honoured=True)


@pytest.mark.parametrize("status", [200, 301, 400, 401, 403, 404, 409, 412, 422, 429, 501, 505])
def test_refusals_and_successes_are_final(status: int) -> None:
    assert not any(may_repeat(method, AttemptOutcome(status), honoured=True) for method in (*READS, *SETS, "POST"))


def test_a_success_that_broke_off_is_only_read_again() -> None:
    broken = AttemptOutcome(200, broken=True)
    assert all(may_repeat(method, broken, honoured=True) for method in READS)
    assert not any(may_repeat(method, broken, honoured=True) for method in (*SETS, "POST"))


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("0", 0),
        ("12", 12),
        (" 7 ", 7),
        ("007", 7),
        ("86400", 86400),
        ("999999999", 999_999_999),
        ("Sun, 06 Nov 1994 08:49:37 GMT", 37),
        ("Sunday, 06-Nov-94 08:49:10 GMT", 10),
        ("Sun Nov  6 08:50:00 1994", 60),
    ],
)
def test_retry_after_is_digits_or_a_date_by_the_services_clock(value: str, seconds: float) -> None:
    assert requested_delay(value, date=EIGHT_FORTY_NINE, now=5e9) == seconds


@pytest.mark.parametrize("value", ["Sun, 06 Nov 1994 08:48:59 GMT", "Sun Nov  6 08:48:00 1994", "0", "0" * 9000])
def test_a_time_that_is_past_asks_for_no_wait(value: str) -> None:
    assert requested_delay(value, date=EIGHT_FORTY_NINE, now=5e9) == 0


@pytest.mark.parametrize(
    "value",
    [
        "1000000000",
        "9" * 400,
        "9" * 5000,
        "Fri, 31 Dec 9999 23:59:59 GMT",
        "Sat, 01 Jan 100000 00:00:00 GMT",
        f"Sat, 01 Jan {'9' * 5000} 00:00:00 GMT",
        "Sat Jan  1 00:00:00 100000",
    ],
    ids=lambda value: value[:32],
)
def test_more_than_anybody_can_wait_is_a_very_long_wait(value: str) -> None:
    assert requested_delay(value) == NO_DEADLINE
    assert throttle_delay(1, requested_delay(value), RULES, 0.0) == NO_DEADLINE
    assert (
        next_delay(
            1, "GET", AttemptOutcome(503, requested_delay=requested_delay(value)), RULES, 60.0, 0.0, honoured=True
        )
        is None
    )


NOT_UNDERSTOOD = ["", " ", "-1", "+5", "1.5", "1e3", "1_0", "٣", "５", "nan", "inf", "0x10", "soon", "5 s", ",", "5;5"]
NO_DATES = ["Thu, 31 Feb 2030 00:00:00 GMT", "Mon, 01 Jan 2029 25:00:00 GMT", "2029-01-01T00:00:00Z", "1 Jan 2029"]


@pytest.mark.parametrize("value", [*NOT_UNDERSTOOD, *NO_DATES])
def test_any_other_retry_after_asks_for_nothing_and_is_waited_for_all_the_same(value: str) -> None:
    assert requested_delay(value) is None
    assert throttle_delay(1, requested_delay(value), RULES, 0.0) >= RULES.first_wait / 2


def test_without_retry_after_nothing_is_asked() -> None:
    assert requested_delay(date=EIGHT_FORTY_NINE) is None


@pytest.mark.parametrize(
    ("values", "seconds"),
    [
        (("5", "10"), 10),
        (("10", "5"), 10),
        (("soon", "5", ""), 5),
        (("5, 10",), 10),
        (("10,5", "7"), 10),
        (("5, soon, 3",), 5),
        (("5", "Sun, 06 Nov 1994 08:49:37 GMT"), 37),
        (("50, Sun, 06 Nov 1994 08:49:37 GMT",), 50),
        (("Sun, 06 Nov 1994 08:49:37 GMT, 5",), 37),
        (("Sunday, 06-Nov-94 08:49:37 GMT,Sun Nov  6 08:50:00 1994",), 60),
        (("Sun, 06 Nov 1994 08:49:37 GMT, Sun, 06 Nov 1994 08:49:07 GMT",), 37),
        (("5", "9" * 400), NO_DEADLINE),
    ],
)
def test_of_several_values_the_longest_that_is_understood_counts(values: tuple[str, ...], seconds: float) -> None:
    assert requested_delay(*values, date=EIGHT_FORTY_NINE) == seconds


def test_without_a_usable_date_our_own_clock_measures() -> None:
    assert requested_delay(formatdate(1_700_000_030, usegmt=True), date="yesterday", now=1_700_000_000.0) == 30


HEADERISH = st.text(max_size=60) | st.text("0123456789,:- GMTSunNov", max_size=60)


@given(st.lists(HEADERISH, max_size=3), st.none() | HEADERISH, st.floats(-1e10, 1e11))
def test_no_header_breaks_the_reading_or_asks_for_the_past(values: list[str], date: str | None, now: float) -> None:
    wait = requested_delay(*values, date=date, now=now)
    assert wait is None or 0 <= wait <= NO_DEADLINE


@given(
    st.lists(st.integers(0, 10**12), min_size=1, max_size=4),
    st.lists(st.sampled_from([*NOT_UNDERSTOOD, *NO_DATES]), max_size=3),
    st.randoms(use_true_random=False),
    st.booleans(),
)
def test_no_wait_is_shorter_than_any_that_was_asked_for(
    seconds: list[int], noise: list[str], order: Random, joined: bool
) -> None:
    values = [*map(str, seconds), *noise]
    order.shuffle(values)
    wait = requested_delay(*([", ".join(values)] if joined else values))
    assert wait == min(NO_DEADLINE, max(seconds))


@given(st.integers(0, 2**33), st.integers(0, 10**6))
def test_a_date_is_as_far_as_the_services_own_date_says(at: int, ahead: int) -> None:
    date = formatdate(at, usegmt=True)
    assert requested_delay(formatdate(at + ahead, usegmt=True), date=date) == ahead
    assert requested_delay(asctime(gmtime(at + ahead)), date=date) == ahead


@given(st.integers(1, 10_000), st.floats(0, 1, exclude_max=True))
def test_backoff_is_full_jitter_with_a_ceiling(attempt: int, jitter: float) -> None:
    wait = backoff(attempt, RULES, jitter)
    assert 0 <= wait <= RULES.longest_wait
    assert backoff(1, RULES, jitter) == jitter * RULES.first_wait


def test_a_call_is_sent_three_times_within_a_minute_and_a_429_waited_for_eight_seconds_at_most() -> None:
    """A longer patience keeps a user before a screen on which nothing happens; a shorter one gives up for nothing."""
    fault = AttemptOutcome(503)
    waits = [next_delay(attempt, "GET", fault, RULES, RULES.deadline, 1.0, honoured=False) for attempt in (1, 2, 3)]
    assert waits == [0.5, 1.0, None]
    assert RULES.deadline == 60.0
    rounds = range(1, 8)
    assert [throttle_delay(round_, None, RULES, 1.0) for round_ in rounds] == [0.5, 1.0, 2.0, 4.0, 8.0, 8.0, 8.0]
    assert [throttle_delay(round_, None, RULES, 0.0) for round_ in rounds] == [0.25, 0.5, 1.0, 2.0, 4.0, 4.0, 4.0]


def test_a_post_that_may_have_arrived_is_sent_again_only_where_the_service_honours_its_key() -> None:
    assert next_delay(1, "POST", AttemptOutcome(), RULES, 60.0, 1.0, honoured=False) is None
    assert next_delay(1, "POST", AttemptOutcome(), RULES, 60.0, 1.0, honoured=True) == 0.5


def test_a_request_waits_no_longer_than_its_jitter_says_and_not_for_the_very_end_of_its_deadline() -> None:
    assert next_delay(1, "GET", AttemptOutcome(503), RULES, 60.0, 0.0, honoured=False) == 0
    asked = AttemptOutcome(503, requested_delay=10.0)
    assert next_delay(1, "GET", asked, RULES, 10.1, 0.0, honoured=False) == 10
    assert next_delay(1, "GET", asked, RULES, 10.0, 0.0, honoured=False) is None


@given(
    attempt=st.integers(1, 5),
    status=st.sampled_from([None, 408, 500, 503]),
    requested_delay=st.none() | st.floats(0, 100),
    left=st.floats(0, 60),
    jitter=st.floats(0, 1, exclude_max=True),
)
def test_never_sooner_than_asked_and_never_past_the_deadline(
    attempt: int, status: int | None, requested_delay: float | None, left: float, jitter: float
) -> None:
    wait = next_delay(
        attempt, "GET", AttemptOutcome(status, requested_delay=requested_delay), RULES, left, jitter, honoured=False
    )
    if wait is None:
        assert attempt >= RULES.attempts or max(requested_delay or 0, backoff(attempt, RULES, jitter)) >= left
    else:
        assert (requested_delay or 0) <= wait < left


def test_a_429_is_waited_for_as_asked() -> None:
    assert throttle_delay(1, 12.0, RULES, 0.9) == 12
    assert throttle_delay(5, 12.0, RULES, 0.9) == 12
    assert throttle_delay(2, 1.0, RULES, 0.0) == 1
    assert throttle_delay(1, 0.0, RULES, 0.9) == 0


@given(st.integers(2, 100), st.floats(0, 1, exclude_max=True))
def test_a_429_that_asks_for_nothing_again_and_again_is_not_hammered(round_: int, jitter: float) -> None:
    assert throttle_delay(round_, 0.0, RULES, jitter) >= RULES.first_wait / 2
    assert throttle_delay(round_, None, RULES, jitter) >= RULES.first_wait / 2


def retries_left(budget: RetryBudget) -> int:
    """How many more retries the budget allows."""
    count = 0
    while count < 1000 and (spent := budget.spent()) is not None:
        budget, count = spent, count + 1
    return count


def test_an_outage_costs_ten_retries_and_five_successes_earn_one_back_up_to_ten_again() -> None:
    """An outage that every request multiplies lasts longer, after a day of successes no less than at the start."""
    budget = RetryBudget()
    assert retries_left(budget) == 10
    for _ in range(10):
        spent = budget.spent()
        assert spent is not None
        budget = spent
    earned = []
    for _ in range(1000):
        budget = budget.earned()
        earned.append(retries_left(budget))
    assert earned[:5] == [0, 0, 0, 0, 1]
    assert earned[-1] == 10
