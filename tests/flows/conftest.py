"""The service that flow tests run against: one for each test, small, in this process."""

import asyncio
import sys
from collections.abc import Iterator

import pytest

from svc_tui.sandbox.options import SandboxOptions
from svc_tui.sandbox.server.inprocess import RunningService, running_service


@pytest.fixture
def service() -> Iterator[RunningService]:
    """The embedded service with 300 lots."""
    with running_service(SandboxOptions(records=300)) as service:
        yield service


@pytest.fixture(autouse=True)
def _as_the_program_runs() -> None:
    """The program's own tasks start eagerly where Python can do that; tests run them the same way."""
    if sys.version_info >= (3, 12):
        asyncio.get_running_loop().set_task_factory(asyncio.eager_task_factory)
