"""A small service on a thread, its clock in the test's hand, and somebody to speak to it."""

from collections.abc import Iterator

import pytest

from svc_tui.sandbox.options import SandboxOptions
from svc_tui.sandbox.server.inprocess import RunningService, running_service
from tests.sandbox.raw_client import HandClock, RawClient


@pytest.fixture
def clock() -> HandClock:
    return HandClock()


@pytest.fixture
def ticks() -> HandClock:
    """The clock of the rate limits."""
    return HandClock(0.0)


@pytest.fixture
def service(clock: HandClock, ticks: HandClock) -> Iterator[RunningService]:
    with running_service(SandboxOptions(records=60), clock, ticks) as service:
        yield service


@pytest.fixture
def sandbox(service: RunningService, clock: HandClock) -> RawClient:
    """Speaks with the unsigned test key."""
    return RawClient(service.base_url, service.key("sandbox"), clock)


@pytest.fixture
def live(service: RunningService, clock: HandClock) -> RawClient:
    """Speaks with the live key, which must sign."""
    return RawClient(service.base_url, service.key("live"), clock)
