"""What is left to do when a browser that was connected to several services ends."""

from pathlib import Path

import keyring
import pytest

from svc_tui.bootstrap.sessions import BrowserSessions
from svc_tui.bootstrap.start import run_last_steps
from svc_tui.bootstrap.startup import OtherProfiles, RunStorage
from svc_tui.bootstrap.system_editor import SystemEditor
from svc_tui.config.paths import Locations
from svc_tui.config.preferences.preferences import FilePreferences
from svc_tui.config.profiles.profiles import Profiles
from svc_tui.session.session import SessionRefused
from svc_tui.storage.store import Store
from tests.keyrings import FileKeyring


class CountingKeyring(FileKeyring):
    """A keyring that counts how often each entry is read."""

    def __init__(self) -> None:
        super().__init__()
        self.read: list[str] = []

    def get_password(self, service: str, username: str) -> str | None:
        self.read.append(username)
        return super().get_password(service, username)


@pytest.fixture
def profiles(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Profiles:
    """Two profiles that keep their keys in the keyring, and one that does not."""
    monkeypatch.setenv("TEST_KEYRING", str(tmp_path / "keyring.json"))
    directory = tmp_path / "profiles"
    directory.mkdir(mode=0o700)
    key = tmp_path / "key"
    key.write_text("svc_test_plain")
    key.chmod(0o600)
    sources = {name: f'{{ keyring = "svc-tui/{name}" }}' for name in ("one", "two")}
    for name, source in {"plain": f'{{ file = "{key.as_posix()}" }}', **sources}.items():
        file = directory / f"{name}.toml"
        file.write_text(f'sandbox_base_url = "http://127.0.0.1:1"\napi_key = {source}\n')
        file.chmod(0o600)
    return Profiles(Locations(tmp_path / "config.toml", tmp_path))


@pytest.mark.parametrize(("names", "count"), [(("plain",), 0), (("plain", "one", "two", "one"), 1)])
async def test_the_end_of_the_journal_is_kept_in_the_keyring_once(
    tmp_path: Path, profiles: Profiles, monkeypatch: pytest.MonkeyPatch, names: tuple[str, ...], count: int
) -> None:
    where = Locations(tmp_path / "config.toml", tmp_path)
    counting = CountingKeyring()
    for name in ("one", "two"):
        counting.set_password("svc-tui", name, f"svc_test_{name}")
    monkeypatch.setattr(keyring, "get_keyring", lambda: counting)
    async with (
        Store.open(where.database) as store,
        BrowserSessions(
            RunStorage(where, FilePreferences(where)), store, SystemEditor(dict), OtherProfiles(profiles, {})
        ) as sessions,
    ):
        for name in names:
            await sessions.open(name)
    run_last_steps()
    entry = f"journal {where.database.absolute()}"
    assert counting.read.count(entry) == count
    assert (f"svc-tui/{entry}" in counting.entries()) == bool(count)


async def test_the_demo_adds_no_profile(tmp_path: Path) -> None:
    where = Locations(tmp_path / "config.toml", tmp_path)
    async with (
        Store.open(where.database) as store,
        BrowserSessions(RunStorage(where, FilePreferences(where)), store, SystemEditor(dict), None) as sessions,
    ):
        with pytest.raises(SessionRefused, match="the demo can't use real keys"):
            sessions.connection_setup()
