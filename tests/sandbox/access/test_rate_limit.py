"""The token bucket, with time as an argument."""

from svc_tui.sandbox.access.rate_limit import RateLimit, RateLimiter


def test_a_burst_passes_then_the_wait_is_told_in_whole_seconds() -> None:
    limiter, limit = RateLimiter(), RateLimit(per_second=0.5, burst=2)
    assert [limiter.wait("key", limit, 100.0) for _ in range(3)] == [0, 0, 2]
    assert limiter.wait("key", limit, 101.0) == 1
    assert limiter.wait("key", limit, 102.0) == 0
    assert limiter.wait("key", limit, 102.0) == 2


def test_waiting_saves_up_no_more_than_a_burst() -> None:
    limiter, limit = RateLimiter(), RateLimit(per_second=10, burst=3)
    assert limiter.wait("key", limit, 0.0) == 0
    assert [limiter.wait("key", limit, 1_000.0) for _ in range(4)] == [0, 0, 0, 1]


def test_keys_do_not_share_a_bucket() -> None:
    limiter, limit = RateLimiter(), RateLimit(per_second=1, burst=1)
    assert [limiter.wait(key, limit, 0.0) for key in ("a", "b", "a")] == [0, 0, 1]
