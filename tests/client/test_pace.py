"""A background walk against the embedded service's own rate limit, on a clock that both share."""

import asyncio
import selectors

from svc_tui.client.attempts import RuntimeEnvironment
from svc_tui.client.client import SignedClient
from svc_tui.core.catalog import COLLECTIONS
from svc_tui.core.credentials import KeyPair
from svc_tui.core.settings import Profile
from svc_tui.sandbox.options import SandboxOptions
from svc_tui.sandbox.server.inprocess import RunningService, running_service
from svc_tui.service.traffic import Answered, Failed, Paced, Sent, Throttled, TrafficEvent

LOTS = COLLECTIONS[0]
PER_SECOND = 3
"""What the key "limited" allows."""
PAGES = 200


class Clock(selectors.DefaultSelector):
    """Stands still while a request is under way, and leaps to the next timer while nothing is: no wait takes time.

    `opening` is as good as a request under way: network code is loaded in a thread, which no event tells of.
    """

    def __init__(self) -> None:
        super().__init__()
        self.now = 0.0
        self.opening = True
        self.flying = 0

    def monotonic(self) -> float:
        return self.now

    def heard(self, event: TrafficEvent) -> None:
        self.flying += isinstance(event, Sent) - isinstance(event, Answered | Failed)

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        if timeout == 0:
            return super().select(0)
        if self.opening or self.flying or timeout is None:
            ready = super().select(20)
            assert ready, "the service does not answer"
            return ready
        self.now += timeout
        return super().select(0)


class LeapingLoop(asyncio.SelectorEventLoop):
    """An event loop that lives by a Clock."""

    def __init__(self, clock: Clock) -> None:
        super().__init__(clock)
        self._clock = clock

    def time(self) -> float:
        return self._clock.now


async def walk(service: RunningService, clock: Clock) -> list[TrafficEvent]:
    """What the wire tells while three at a time read PAGES pages in the background."""
    events: list[TrafficEvent] = []
    key = service.key("limited")
    profile = Profile("tests", service.base_url, service.base_url)
    pages = iter(range(1, PAGES + 1))
    async with SignedClient(
        profile, KeyPair(key.api_key), runtime=RuntimeEnvironment(monotonic=clock.monotonic)
    ) as client:
        await client.page(LOTS, 1, 1)
        clock.opening = False
        client.listen(clock.heard)
        client.listen(events.append)

        async def read() -> None:
            for number in pages:
                await client.page(LOTS, number, 1, background=True)

        await asyncio.gather(read(), read(), read())
        clock.opening = True
    return events


def test_a_background_walk_settles_at_what_the_key_allows() -> None:
    clock = Clock()
    with (
        running_service(SandboxOptions(records=PAGES), monotonic=clock.monotonic) as service,
        asyncio.Runner(loop_factory=lambda: LeapingLoop(clock)) as runner,
    ):
        events = runner.run(walk(service, clock))
    statuses = [event.status for event in events if isinstance(event, Answered)]
    assert statuses.count(200) == PAGES
    second_half = statuses[PAGES // 2 :]
    assert second_half.count(429) <= 0.05 * len(second_half)
    paces = [event.per_second for event in events if isinstance(event, Paced)]
    assert all(pace is not None and 0.5 * PER_SECOND < pace < 2 * PER_SECOND for pace in paces[-5:])
    assert clock.now < PAGES / (0.75 * PER_SECOND)
    assert [event for event in events if isinstance(event, Throttled)][-1] == Throttled(None, 0)
