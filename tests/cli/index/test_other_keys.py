"""The index under another key of the same profile and URL: nothing of one tenant's is shown to another."""

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from svc_tui.sandbox.access.keys import IssuedKey
from svc_tui.sandbox.server.inprocess import RunningService
from tests.cli.conftest import CompletedCommand, Run
from tests.tenants import NORTH, SOUTH, port_of, serving

OTHER_KEY = (
    "svc-tui: the index on this computer was created with another key of this profile; create one for "
    "the current key with svc-tui index update\n"
)
ASKING = (["find", "lot-000003"], ["sql", "select * from lots"], ["changes", "--since", "2w"])

Provide = Callable[[RunningService, IssuedKey], None]


def by_environment(home: Path, monkeypatch: pytest.MonkeyPatch) -> Provide:
    """Have the key come from the environment."""

    def provide(service: RunningService, key: IssuedKey) -> None:
        monkeypatch.setenv("SVC_SANDBOX_BASE_URL", service.base_url)
        monkeypatch.setenv("SVC_API_KEY", key.api_key)

    return provide


def by_file(home: Path, monkeypatch: pytest.MonkeyPatch) -> Provide:
    """Have the key come from the file of a profile."""
    return _by_source(home, '{ file = "work.key" }')


def by_command(home: Path, monkeypatch: pytest.MonkeyPatch) -> Provide:
    """Have the key come from a command, which `find` and its like do not start."""
    profiles = home / "config" / "svc-tui" / "profiles"
    return _by_source(home, json.dumps(["cat", str(profiles / "work.key")]).join(("{ command = ", " }")))


def _by_source(home: Path, source: str) -> Provide:
    profiles = home / "config" / "svc-tui" / "profiles"
    profiles.mkdir(parents=True, mode=0o700)

    def provide(service: RunningService, key: IssuedKey) -> None:
        for name, text in (
            ("work.key", key.api_key),
            ("work.toml", f'api_key = {source}\nsandbox_base_url = "{service.base_url}"\n'),
        ):
            (profiles / name).write_text(text)
            (profiles / name).chmod(0o600)

    return provide


@pytest.fixture(params=[by_environment, by_file, by_command])
def provide(request: pytest.FixtureRequest, home: Path, monkeypatch: pytest.MonkeyPatch) -> Provide:
    """Sets the key in use."""
    made: Provide = request.param(home, monkeypatch)
    return made


@pytest.fixture
def work(run: Run, provide: Provide, home: Path) -> Run:
    """Runs commands on the profile in use."""

    def run_with_profile(*words: str, **more: bytes) -> CompletedCommand:
        profile = ["--profile", "work"] if (home / "config").exists() else []
        return run(*profile, *words, **more)

    return run_with_profile


def indexes(home: Path) -> list[Path]:
    """The files of indexes."""
    return sorted((home / "state" / "svc-tui" / "indexes").glob("*.db"))


def lots_of(work: Run) -> set[str]:
    """The lots in the index, each as one text that is the same for no two tenants."""
    ran = work("sql", "select id, name, massKg, updatedAt from lots", "--format", "jsonl")
    return set(ran.out.decode().splitlines())


@pytest.fixture
def northern(work: Run, provide: Provide) -> tuple[int, set[str]]:
    """The northern tenant's lots are in the index; the port of the service, and the lots."""
    with serving(NORTH) as service:
        provide(service, NORTH)
        assert work("index", "update", "lots").status == 0
        port = port_of(service)
    lots = lots_of(work)
    assert len(lots) == 30
    return port, lots


def test_another_key_finds_nothing_of_the_first_ones_and_no_invented_changes(
    work: Run, provide: Provide, northern: tuple[int, set[str]], home: Path
) -> None:
    port, lots = northern
    with serving(SOUTH, port) as service:
        provide(service, SOUTH)
        # With this the profile has connected; only then is a key known that a command gives.
        assert work("request", "GET", "/v1/operations/lots/lot-000001").status == 0
        for words in ASKING:
            assert work(*words) == CompletedCommand(2, b"", OTHER_KEY)
        ran = work("index", "status")
        assert (ran.status, ran.err) == (2, OTHER_KEY)
        ran = work("index", "update", "lots")
        assert (ran.status, ran.err) == (
            0,
            "svc-tui: the index on this computer was created with another key of this profile. A second index is "
            "created for the current key\n",
        )
        southern = lots_of(work)
        assert len(southern) == 30
        assert not southern & lots
        assert work("index", "update", "lots") == CompletedCommand(0, b"", "")
        assert work("changes", "--since", "2w", "--json").out in (b"", b"[]\n")
    assert len(indexes(home)) == 2
    # The first key's is as it was.
    provide(service, NORTH)
    with serving(NORTH, port):
        assert work("request", "GET", "/v1/operations/lots/lot-000001").status == 0
    assert lots_of(work) == lots


def test_an_index_of_version_1_0_0_is_built_again(
    work: Run, provide: Provide, northern: tuple[int, set[str]], home: Path
) -> None:
    (index,) = indexes(home)
    old = index.with_name(re.sub(r"-[0-9a-f]{16}\.db$", ".db", index.name))
    index.rename(old)
    ran = work("find", "lot-000003")
    assert (ran.status, ran.err) == (
        2,
        "svc-tui: the index was created by svc-tui 1.0.0, which did not save the key; "
        "create it again with svc-tui index update\n",
    )
    with serving(NORTH, northern[0]):
        assert "which did not save the key. It is deleted and created again" in work("index", "update", "lots").err
    assert indexes(home) == [index]
    assert work("find", "lot-000003").status == 0


def test_dropping_the_index_drops_those_of_all_keys(
    work: Run, provide: Provide, northern: tuple[int, set[str]], home: Path
) -> None:
    with serving(SOUTH, northern[0]) as service:
        provide(service, SOUTH)
        assert work("index", "update", "lots").status == 0
    assert len(indexes(home)) == 2
    assert work("index", "drop", "--force").status == 0
    assert not indexes(home)


def test_no_key_is_in_any_file_of_the_program(
    work: Run, provide: Provide, northern: tuple[int, set[str]], home: Path
) -> None:
    files = [path for path in (home / "state").rglob("*") if path.is_file()]
    assert files
    assert not [path for path in files if NORTH.api_key.encode() in path.read_bytes()]


def test_a_rotation_takes_the_index_along(
    run: Run, home: Path, monkeypatch: pytest.MonkeyPatch, service: RunningService
) -> None:
    by_file(home, monkeypatch)(service, service.key("sandbox"))
    assert run("index", "update", "lots", "--profile", "work").status == 0
    before = indexes(home)
    new = service.key("test-signed")
    ran = run("--profile", "work", "profiles", "rotate", "work", stdin=f"{new.api_key}\n".encode())
    assert ran.status == 0
    assert run("find", "lot-000003", "--profile", "work").status == 0
    assert run("index", "update", "lots", "--profile", "work") == CompletedCommand(0, b"", "")
    assert indexes(home) == before
    # The same key put there by hand would be another one, as this one is.
    by_hand = home / "config" / "svc-tui" / "profiles" / "work.key"
    by_hand.write_text(service.key("limited").api_key)
    assert run("find", "lot-000003", "--profile", "work") == CompletedCommand(2, b"", OTHER_KEY)
