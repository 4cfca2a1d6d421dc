"""The program as users install it."""

import pytest

from tests.e2e.packages import PROJECT, InstalledWheel, Release, build, install


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Release:
    """Wheel and sdist of this tree."""
    directory = tmp_path_factory.mktemp("built")
    return Release(build(PROJECT, "wheel", directory / "wheel"), build(PROJECT, "sdist", directory / "sdist"))


@pytest.fixture(scope="session")
def installed(built: Release, tmp_path_factory: pytest.TempPathFactory) -> InstalledWheel:
    """An environment with the wheel in it, and not the tree."""
    return install(built.wheel, tmp_path_factory.mktemp("installed"))
