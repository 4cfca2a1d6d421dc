"""Packages of the extra `dev-full`, which not every environment has."""

from importlib.util import find_spec

import pytest


def skip_without(package: str) -> None:
    """Skip the running test if the package is not installed."""
    if find_spec(package) is None:
        pytest.skip(f"{package} is not installed: pip install -e '.[dev,dev-full]'")
