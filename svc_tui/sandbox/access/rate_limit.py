"""Rate limits per key (service-interface, "Limits")."""

import math
import threading
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class RateLimit:
    """`per_second` requests on average, `burst` at once."""

    per_second: float
    burst: int


class RateLimiter:
    """A token bucket for each key; times are seconds of a clock that never goes back."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._buckets: dict[str, tuple[float, float]] = {}

    def reset(self) -> None:
        """Every bucket full again."""
        with self._lock:
            self._buckets.clear()

    def wait(self, key: str, limit: RateLimit, now: float) -> int:
        """0: the request may pass, and is counted; else the whole seconds after which one will."""
        with self._lock:
            tokens, since = self._buckets.get(key, (float(limit.burst), now))
            tokens = min(float(limit.burst), tokens + (now - since) * limit.per_second)
            passes = tokens >= 1
            self._buckets[key] = (tokens - 1 if passes else tokens, now)
        return 0 if passes else max(1, math.ceil((1 - tokens) / limit.per_second))
