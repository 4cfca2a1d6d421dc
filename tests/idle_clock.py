"""Time in which an event loop had nothing to do, on a machine of any speed."""

import asyncio
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


class IdleClock:
    """Seconds for which an event loop had nothing to run and waited for timers, threads or sockets."""

    def __init__(self) -> None:
        self.idle = 0.0

    @contextmanager
    def running(self) -> Iterator[None]:
        """Count the idle time of the running loop."""
        selector = vars(asyncio.get_running_loop())["_selector"]
        select = selector.select

        def timed(timeout: float | None = None) -> Any:
            begun = time.monotonic()
            ready = select(timeout)
            # A machine that is busy with others wakes it late: that is not idle time.
            waited = time.monotonic() - begun
            self.idle += waited if timeout is None else min(waited, max(timeout, 0.0))
            return ready

        selector.select = timed
        try:
            yield
        finally:
            selector.select = select
