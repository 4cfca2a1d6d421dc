"""A service of its own for each test, and homes in which nothing is."""

from collections.abc import Iterator

import pytest

from svc_tui.sandbox.inprocess import RunningService, running_service
from svc_tui.sandbox.options import SandboxOptions


@pytest.fixture
def service() -> Iterator[RunningService]:
    """The embedded service with 300 lots."""
    with running_service(SandboxOptions(records=300)) as service:
        yield service
