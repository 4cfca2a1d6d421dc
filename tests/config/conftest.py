"""A user's directories, and profiles in them."""

from collections.abc import Callable, Iterator
from pathlib import Path

import keyring
import pytest

from svc_tui.config.paths import Locations
from tests.keyrings import FileKeyring

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


@pytest.fixture
def own_keyring(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[FileKeyring]:
    """The system's keyring, for as long as the test runs."""
    monkeypatch.setenv("TEST_KEYRING", str(tmp_path / "keyring.json"))
    before, own = keyring.get_keyring(), FileKeyring()
    keyring.set_keyring(own)
    yield own
    keyring.set_keyring(before)
