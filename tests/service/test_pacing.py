"""The pace: walks through simulated keys on a virtual clock, and each rule by itself."""

import heapq
import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Protocol

import pytest
from hypothesis import given
from hypothesis import strategies as st

from svc_tui.service.pacing import MAX_INTERVAL_SECONDS, MIN_INTERVAL_SECONDS, Pace
from svc_tui.service.retry import RetryRules


class KeyLimit(Protocol):
    """What limits the requests of a key."""

    def wait(self, now: float) -> int:
        """0: the request passes; else the whole seconds of `Retry-After`."""

    @property
    def per_second(self) -> float:
        """What it allows in the long run."""


@dataclass
class Bucket:
    """`burst` requests at once, filled up by so many `per_second`."""

    per_second: float
    burst: int
    tokens: float = math.inf
    since: float = 0.0

    def wait(self, now: float) -> int:
        self.tokens = min(self.burst, self.tokens + (now - self.since) * self.per_second)
        self.since = now
        if self.tokens >= 1:
            self.tokens -= 1
            return 0
        return max(1, math.ceil((1 - self.tokens) / self.per_second))


@dataclass
class FixedWindow:
    """`most` requests in each window of `seconds`; the clock starts `begun` seconds into one."""

    most: int
    seconds: float
    begun: float = 0.0
    number: int = -1
    count: int = 0

    @property
    def per_second(self) -> float:
        return self.most / self.seconds

    def wait(self, now: float) -> int:
        number = math.floor((now + self.begun) / self.seconds)
        if number != self.number:
            self.number, self.count = number, 0
        if self.count < self.most:
            self.count += 1
            return 0
        return max(1, math.ceil((number + 1) * self.seconds - now - self.begun))


@dataclass
class NoLimit:
    """A key without a limit."""

    per_second: float = math.inf

    def wait(self, now: float) -> int:
        return 0


@dataclass
class BackgroundReads:
    """Background requests, `at_once` under way, each answered after `latency`; refused ones are sent again.

    `story` holds when each answer came, and whether it was a 429.
    """

    latency: float = 0.02
    at_once: int = 1
    paced: bool = True
    now: float = 0.0
    held_until: float = 0.0
    pace: Pace = field(default_factory=Pace)
    story: list[tuple[float, bool]] = field(default_factory=list)

    def through(self, key: KeyLimit, requests: int) -> "BackgroundReads":
        """The walk after so many requests more have passed."""
        flying: list[tuple[float, float, int]] = []
        while requests or flying:
            leaves = max(self.now, self.held_until, self.pace.free_at if self.paced else 0.0)
            if requests and len(flying) < self.at_once and (not flying or leaves <= flying[0][0]):
                self.now = leaves
                heapq.heappush(flying, (leaves + self.latency, leaves, key.wait(leaves + self.latency / 2)))
                self.pace = self.pace.rested(leaves).sent(leaves)
                requests -= 1
                continue
            self.now, sent, hold = heapq.heappop(flying)
            self.story.append((self.now, hold > 0))
            if hold:
                requests += 1
                self.held_until = max(self.held_until, self.now + hold)
                self.pace = self.pace.refused(sent, self.now, hold)
            else:
                self.pace = self.pace.answered(sent, self.now)
        return self

    @property
    def settled(self) -> "PacingFigures":
        """The second half of it."""
        half = self.story[len(self.story) // 2 :]
        refused = sum(refused for _, refused in half)
        return PacingFigures((len(half) - refused) / (half[-1][0] - half[0][0]), refused / len(half))


@dataclass
class PacingFigures:
    """How a walk went on: requests that passed a second, and the part of all answers that were 429s."""

    per_second: float
    refused: float


def keys() -> Iterator[KeyLimit]:
    for per_second in (0.2, 1, 3, 10):
        for burst in (1, 3, 10, 50):
            yield Bucket(per_second, burst)
    yield Bucket(20, 10)
    for most, seconds in ((5, 1), (10, 10), (20, 60), (100, 60)):
        for begun in (0.1, 0.83):
            yield FixedWindow(most, seconds, begun * seconds)


@pytest.mark.parametrize(
    "walk", [BackgroundReads(), BackgroundReads(0.1, 4), BackgroundReads(0.05, 8)], ids=["alone", "by-four", "by-eight"]
)
@pytest.mark.parametrize("key", keys(), ids=repr)
def test_a_walk_settles_at_what_the_key_allows_and_meets_few_429s(key: KeyLimit, walk: BackgroundReads) -> None:
    settled = BackgroundReads(walk.latency, walk.at_once).through(_fresh(key), 600).settled
    assert settled.per_second >= 0.75 * key.per_second
    assert settled.refused <= 0.03


@pytest.mark.parametrize("key", [Bucket(3, 3), Bucket(1, 10), Bucket(10, 3), FixedWindow(5, 1.0)], ids=repr)
def test_without_a_pace_the_same_walk_goes_on_bumping_into_it(key: KeyLimit) -> None:
    paced, unpaced = BackgroundReads().through(_fresh(key), 600), BackgroundReads(paced=False).through(_fresh(key), 600)
    assert paced.settled.refused <= unpaced.settled.refused / 5


def test_a_walk_that_stays_below_the_limit_gets_no_pace() -> None:
    walk = BackgroundReads(latency=0.5).through(Bucket(3, 3), 300)
    assert walk.pace.per_second is None
    assert not any(refused for _, refused in walk.story)


def test_a_limit_that_is_lifted_is_found_out() -> None:
    walk = BackgroundReads().through(Bucket(3, 3), 300)
    assert walk.pace.interval > 0.25
    walk.through(NoLimit(), 300)
    assert walk.pace.interval < 0.05


def test_a_limit_that_becomes_smaller_is_kept_too() -> None:
    walk = BackgroundReads().through(Bucket(10, 10), 300)
    walk.story.clear()
    settled = walk.through(Bucket(2, 5), 400).settled
    assert settled.per_second >= 1.5
    assert settled.refused <= 0.03


def test_a_service_that_refuses_at_random_is_never_given_up() -> None:
    """No pace helps there, and none may become much slower than the service asks."""
    pace, now = Pace(), 0.0
    for number in range(400):
        now = max(now, pace.free_at)
        pace = pace.sent(now)
        if number % 5:
            pace = pace.answered(now, now)
        else:
            pace = pace.refused(now, now, 1.0)
            now += 1.0
    assert pace.interval <= 3


def test_the_first_429_sets_no_pace() -> None:
    pace = Pace().sent(1.0).answered(1.0, 1.1).refused(1.0, 2.0, 5.0)
    assert pace.per_second is None
    assert pace.sent(3.0).free_at <= 7.0


@pytest.mark.parametrize(
    ("first", "hold"),
    [(1.0, 50.0), (50.0, 50.0), (1.0, 0.5)],
    ids=["it-began-with-the-window", "it-began-within-the-window", "the-service-does-not-say-how-long"],
)
def test_a_second_429_tells_how_many_requests_the_key_takes_in_a_cycle(first: float, hold: float) -> None:
    """Twenty a minute, the second twenty sent in ten seconds."""
    pace = Pace().refused(first, first, 60 - first)
    for _ in range(20):
        pace = pace.answered(60.0, 65.0)
    pace = pace.refused(70.0, 70.0, hold)
    assert 60 / 20 < pace.interval < 1.3 * 60 / 20


def test_a_second_429_long_after_the_first_sets_no_pace() -> None:
    pace = Pace().refused(0.0, 0.0, 1.0).answered(2.0, 2.0)
    # Limits are often by the minute.
    assert pace.refused(50.0, 61.0, 1.0).interval > 0
    assert pace.refused(70.0, 61.1, 1.0).interval == 0


def test_long_is_measured_by_how_long_the_service_made_everybody_wait() -> None:
    pace = Pace().refused(0.0, 0.0, 3000.0).answered(3000.0, 3000.0)
    assert pace.refused(5000.0, 5000.0, 1000.0).interval > 0


@pytest.mark.parametrize(("taken", "has_pace"), [(60, True), (400, False)])
def test_a_key_that_takes_hundreds_a_second_needs_no_pace(taken: int, has_pace: bool) -> None:
    pace = Pace().refused(0.0, 0.0, 1.0)
    for _ in range(taken):
        pace = pace.answered(1.0, 1.5)
    assert (pace.refused(1.5, 1.5, 1.0).per_second is not None) == has_pace


def test_a_pace_that_holds_nobody_back_any_more_is_dropped() -> None:
    pace = learned()
    slowest = pace.interval
    while pace.interval:
        assert pace.interval >= MIN_INTERVAL_SECONDS
        slowest, now = pace.interval, pace.free_at
        pace = pace.sent(now).answered(now, now)
    assert slowest < 2 * MIN_INTERVAL_SECONDS
    assert pace == Pace()


def learned(interval_of: float = 1.0) -> Pace:
    """A pace of a little more than that interval, learned from a hold of ten times as long that ended at 0."""
    pace = Pace().refused(-10 * interval_of, -10 * interval_of, 10 * interval_of)
    for _ in range(10):
        pace = pace.answered(0.0, 0.0)
    return pace.refused(0.0, 0.0, 10 * interval_of)


def test_the_first_background_request_leaves_when_the_hold_is_over_and_the_others_as_the_cycle_showed() -> None:
    pace = learned()
    assert pace.interval == pytest.approx(1.1)
    assert pace.free_at == 10.0
    assert pace.per_second == pytest.approx(1 / 1.1)


def slow_key() -> Pace:
    """A pace of 0.55 s, learned from holds of a second, the last of which ended at 1."""
    pace = Pace().refused(-1.0, -1.0, 1.0).answered(0.0, 0.0).answered(0.0, 0.0).refused(0.0, 0.0, 1.0)
    assert pace.interval == pytest.approx(0.55)
    return pace


def walk_until_faster(pace: Pace, apart: float | None = None) -> tuple[Pace, int, float]:
    """Send background requests at the pace, or so many seconds apart, until it is faster.

    Return the new pace, how many requests that took (50: it never was) and by what factor it is faster.
    """
    now = pace.free_at
    for count in range(1, 51):
        faster = pace.sent(now).answered(now, now)
        if faster.interval < pace.interval:
            return faster, count, pace.interval / faster.interval
        pace, now = faster, faster.free_at if apart is None else now + apart
    return pace, 50, 1.0


def test_after_ten_requests_without_a_429_the_pace_is_faster_each_time_by_more_up_to_a_quarter() -> None:
    pace, counts, factors = slow_key(), [], []
    for _ in range(17):
        pace, count, factor = walk_until_faster(pace)
        counts.append(count)
        factors.append(factor)
    assert counts[:5] == [10, 10, 10, 10, 10]
    assert factors == pytest.approx([*(1 + gain / 100 for gain in range(10, 26)), 1.25])


def test_after_a_429_the_pace_tries_to_be_faster_in_small_steps() -> None:
    pace, _, _ = walk_until_faster(slow_key())
    pace = pace.refused(pace.free_at, pace.free_at, 1.0)
    pace, _, first = walk_until_faster(pace)
    _, _, second = walk_until_faster(pace)
    assert [first, second] == pytest.approx([1.01, 1.02])


def test_where_a_429_costs_a_long_hold_it_is_risked_only_after_two_holds() -> None:
    # Twenty intervals of 1.1 s are the first to last longer than two holds of ten seconds.
    assert walk_until_faster(learned())[1] == 20


def test_only_who_uses_at_least_half_of_the_pace_shows_that_the_key_allows_more() -> None:
    assert walk_until_faster(slow_key(), apart=0.9)[2] == pytest.approx(1.1)
    assert walk_until_faster(slow_key(), apart=1.4)[2] == 1


def test_a_walk_after_a_quiet_time_is_as_soon_faster_as_one_after_a_hold() -> None:
    pace = slow_key()
    for at in range(10, 110, 10):
        pace = pace.sent(at).answered(at, at)
    _, count, factor = walk_until_faster(pace)
    assert count == 10
    assert factor == pytest.approx(1.1)


@pytest.mark.parametrize(("repeated", "slowest"), [(None, 3.0), (2.0, 6.0), (5.0, 15.0)])
def test_the_pace_is_at_most_three_times_as_slow_as_the_longest_hold(repeated: float | None, slowest: float) -> None:
    """A longer interval wins nothing: after the hold the service takes a request."""
    pace = slow_key()
    if repeated is not None:
        # It repeats the last, so its own hold counts and makes the pace no slower.
        pace = pace.refused(0.1, 0.1, repeated)
    for number in range(40):
        at = 100.0 + 10 * number
        pace = pace.answered(at, at).refused(at + 1, at + 1, 0.1)
    assert pace.interval == pytest.approx(slowest)


def test_no_walk_dies_of_its_pace() -> None:
    """A background request waits for its turn within its deadline."""
    assert RetryRules().deadline / 2 >= MAX_INTERVAL_SECONDS


def test_each_further_429_slows_it_down() -> None:
    first = learned()
    second = first.answered(11.0, 11.0).refused(12.0, 12.0, 1.0)
    assert second.interval == pytest.approx(1.25 * first.interval)


def test_the_429s_of_requests_sent_before_count_once() -> None:
    pace = learned().answered(11.0, 11.0).answered(11.5, 11.5)
    refused = pace.refused(12.0, 13.0, 1.0)
    storm = refused.answered(12.2, 13.1).refused(12.4, 13.2, 1.0)
    assert storm.taken == 0
    late = storm.answered(14.5, 15.0).refused(12.9, 16.0, 2.0)
    assert refused.interval == storm.interval == late.interval


def test_429s_with_nothing_taken_between_them_count_once() -> None:
    pace = learned()
    again = pace.refused(10.0, 10.0, 1.0).refused(11.0, 11.0, 2.0)
    assert again.interval == pace.interval
    assert again.hold == 13.0


def test_background_requests_leave_one_interval_apart_and_those_by_hand_count() -> None:
    pace = learned()
    at = [20.0]
    for _ in range(3):
        pace = pace.sent(at[-1])
        at.append(pace.free_at)
    assert at == pytest.approx([20.0 + n * pace.interval for n in range(4)])
    assert pace.sent(at[-2]).free_at == pytest.approx(at[-1] + pace.interval)


def test_however_much_is_asked_for_by_hand_background_requests_get_their_turn() -> None:
    pace = learned()
    for _ in range(100):
        pace = pace.sent(20.0)
    assert pace.free_at == 20.0 + MAX_INTERVAL_SECONDS


def test_a_few_requests_in_a_long_time_prove_nothing() -> None:
    pace = slow = learned()
    for at in range(20, 500, 10):
        pace = pace.answered(at, at)
    assert pace.interval == slow.interval


def test_a_pace_that_nobody_walks_at_is_forgotten_long_after_the_last_hold() -> None:
    pace = learned()
    for at in range(20, 500, 10):
        pace = pace.answered(at, at)
    # Ten minutes and two holds of ten seconds after the hold that ended at 10.
    assert pace.rested(629.0) is pace
    assert pace.rested(630.0) == Pace()
    day = Pace().refused(0.0, 0.0, 86_400.0)
    day = day.answered(86_400.0, 86_400.0).refused(86_401.0, 86_401.0, 86_400.0)
    assert day.interval == MAX_INTERVAL_SECONDS
    assert day.rested(3 * 86_400.0) is day


def test_a_pace_that_is_walked_at_is_not_forgotten_for_want_of_429s() -> None:
    pace = learned(20.0)
    now, unwalked = pace.free_at, pace.forgotten_at
    while now < 1.2 * unwalked:
        now = pace.free_at
        pace = pace.sent(now).answered(now, now).rested(now)
        assert pace.interval > 0


SECONDS = st.floats(0, 1e9) | st.sampled_from([0.0, 1.0, 86_400.0])
DEEDS = st.lists(st.tuples(st.sampled_from(["sent", "answered", "refused", "rested"]), SECONDS, SECONDS), max_size=60)


@given(start=st.floats(-1e6, 1e6), deeds=DEEDS)
def test_whatever_happens_the_pace_stays_in_its_bounds(start: float, deeds: list[tuple[str, float, float]]) -> None:
    pace, now = Pace(), start
    for deed, passes, seconds in deeds:
        now += passes
        match deed:
            case "sent":
                pace = pace.sent(now)
            case "answered":
                pace = pace.answered(now - seconds, now)
            case "refused":
                pace = pace.refused(now - seconds, now, seconds)
            case _:
                pace = pace.rested(now)
        assert pace.interval == 0 or MIN_INTERVAL_SECONDS <= pace.interval <= MAX_INTERVAL_SECONDS
        assert pace.free_at <= now + max(MAX_INTERVAL_SECONDS, pace.hold)
        assert pace.per_second is None or 1 / MAX_INTERVAL_SECONDS <= pace.per_second <= 1 / MIN_INTERVAL_SECONDS


@given(
    per_second=st.floats(0.1, 12),
    burst=st.integers(1, 60),
    latency=st.floats(0.01, 0.2),
    at_once=st.integers(1, 8),
)
def test_whatever_the_bucket_a_walk_goes_on(per_second: float, burst: int, latency: float, at_once: int) -> None:
    settled = BackgroundReads(latency, at_once).through(Bucket(per_second, burst), 600).settled
    assert settled.per_second >= 0.7 * min(per_second, at_once / latency)
    assert settled.refused <= 0.05


@given(most=st.integers(3, 40), seconds=st.sampled_from([1.0, 10.0, 60.0]), begun=st.floats(0, 1))
def test_whatever_the_window_a_walk_goes_on(most: int, seconds: float, begun: float) -> None:
    # Fewer than two requests a minute are below the slowest pace; of larger windows a walk sees too few to settle.
    settled = BackgroundReads().through(FixedWindow(most, seconds, begun * seconds), 600).settled
    assert settled.per_second >= 0.7 * min(most / seconds, 50)
    assert settled.refused <= 0.05


def _fresh(key: KeyLimit) -> KeyLimit:
    """The same limit, nothing spent: parametrized values are shared by tests."""
    return Bucket(key.per_second, key.burst) if isinstance(key, Bucket) else _window(key)


def _window(key: KeyLimit) -> FixedWindow:
    assert isinstance(key, FixedWindow)
    return FixedWindow(key.most, key.seconds, key.begun)
