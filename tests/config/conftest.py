"""A user's directories, and profiles in them."""

from collections.abc import Callable
from pathlib import Path

import pytest

from svc_tui.config import Locations

Put = Callable[..., Path]


@pytest.fixture
def where(tmp_path: Path) -> Locations:
    """The user's files; none is there yet."""
    return Locations(tmp_path / "config" / "config.toml", tmp_path / "state")


@pytest.fixture
def put(where: Locations) -> Put:
    """Writes a profile's file by hand."""

    def put(text: str | bytes, name: str = "mine", mode: int = 0o600) -> Path:
        where.profiles_directory.mkdir(parents=True, exist_ok=True)
        path = where.profiles_directory / f"{name}.toml"
        path.write_bytes(text.encode() if isinstance(text, str) else text)
        path.chmod(mode)
        return path

    return put
