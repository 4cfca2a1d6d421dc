"""A service of its own for each test, homes in which nothing is, and the program as users install it."""

from collections.abc import Iterator

import pytest

from svc_tui.sandbox.options import SandboxOptions
from svc_tui.sandbox.server.inprocess import RunningService, running_service
from tests.e2e.packages import PROJECT, InstalledWheel, Release, build, install


@pytest.fixture
def service() -> Iterator[RunningService]:
    """The embedded service with 300 lots."""
    with running_service(SandboxOptions(records=300)) as service:
        yield service


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Release:
    """Wheel and sdist of this tree."""
    directory = tmp_path_factory.mktemp("built")
    return Release(build(PROJECT, "wheel", directory / "wheel"), build(PROJECT, "sdist", directory / "sdist"))


@pytest.fixture(scope="session")
def installed(built: Release, tmp_path_factory: pytest.TempPathFactory) -> InstalledWheel:
    """An environment with the wheel in it, and not the tree."""
    return install(built.wheel, tmp_path_factory.mktemp("installed"))
