"""The service's clock, which can be set wrong on purpose."""

import time
from collections.abc import Callable

MAX_OFFSET_SECONDS = 10 * 365 * 86_400


class ServiceClock:
    """Gives Unix time in seconds, `offset` seconds ahead of `base`; safe to use from any thread."""

    def __init__(self, base: Callable[[], float] = time.time, offset: float = 0) -> None:
        self._base = base
        self.offset = offset

    def __call__(self) -> float:
        return self._base() + self.offset
