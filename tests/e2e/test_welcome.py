"""Somebody new, in a real terminal: the wheel and an empty home, then the demo, then a key of their own."""

import json
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.e2e import steps
from tests.e2e.packages import InstalledWheel
from tests.terminal import Terminal, quiet_environment, terminal

pytestmark = pytest.mark.terminal

NO_KEYRING = "keyring.backends.fail.Keyring"


@contextmanager
def running_sandbox(program: tuple[str, ...], environment: Mapping[str, str]) -> Iterator[dict[str, Any]]:
    """`svc-tui sandbox` beside the browser, as somebody starts it in another terminal; what its first line says."""
    command = [*program, "sandbox", "--records", "300"]
    with subprocess.Popen(command, env=dict(environment), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as service:
        assert service.stdout is not None
        try:
            yield json.loads(service.stdout.readline())
        finally:
            service.terminate()


def test_from_the_wheel_and_an_empty_home_to_the_demo_and_to_a_key_of_ones_own(
    tmp_path: Path, installed: InstalledWheel
) -> None:
    home, elsewhere = tmp_path / "home", tmp_path / "elsewhere"
    home.mkdir()
    elsewhere.mkdir()
    environment = quiet_environment(home, PYTHON_KEYRING_BACKEND=NO_KEYRING)

    def starts() -> AbstractContextManager[Terminal]:
        return terminal([], environment, 80, 24, program=installed.program, directory=elsewhere)

    with starts() as user:
        user.sees(r"No API key is set up yet")
        user.press("d")
        user.sees(r"SANDBOX +demo ")
        user.sees(r"lot-000001")
        steps.quits(user)
    with running_sandbox(installed.program, environment) as service:
        key = next(key for key in service["keys"] if key["name"] == "live")
        with starts() as user:
            user.sees(r"No API key is set up yet")
            connects(user, key["api_key"], key["signing_secret"], service["base_url"])
            user.sees(r"LIVE +live · 127\.0\.0\.1:\d+")
            browses(user)
            steps.quits(user)
            assert key["api_key"].encode() not in user.raw
            assert key["signing_secret"].encode() not in user.raw
        profile = (home / "config" / "svc-tui" / "profiles" / "live.toml").read_text()
        assert key["api_key"] not in profile
        assert key["signing_secret"] not in profile
        with starts() as user:
            user.sees(r"LIVE +live · 127\.0\.0\.1:\d+")
            # Where it was left.
            user.sees(r"─ workforce / workers ─")
            user.sees(r"wrk-0001")
            steps.quits(user)
    assert list(elsewhere.iterdir()) == []
    assert installed.sources_opened() == []


def connects(user: Terminal, api_key: str, secret: str, base_url: str) -> None:
    """Through the door of those who have a key, to what is kept in two files."""
    user.press("c")
    user.sees(r"─ Set up an API key ─")
    user.paste(f"{api_key}\n")
    user.sees(r"svc_live_•+")
    user.sees(r"a LIVE key")
    user.press("enter")
    steps.is_in_field(user, "Signing secret")
    user.paste(secret)
    user.sees(r"Signing secret +•+")
    user.press("enter")
    steps.is_in_field(user, "Base URL")
    user.paste(base_url)
    user.sees(r"Base URL +http://127\.0\.0\.1:\d+")
    user.press("enter")
    user.sees(r"✓ scope +can read 12 of 12 collections")
    user.sees(r"The service accepts this key")
    user.press("k")
    user.sees(r"Keyring not available: this system has no usable keyring")
    user.sees(r"Two files next to the profile, mode 0600")
    user.press("enter")


def browses(user: Terminal) -> None:
    """A record, the last one, and another collection."""
    user.sees(r"lot-000001 ")
    steps.opens_record(user, "lot-000001")
    user.sees(r"massKg")
    steps.closes(user, r"─ (lots / )?lot-000001 ")
    user.press("G")
    user.sees(r"lot-000300 ")
    user.press(":")
    user.sees(r"─ Go to ─")
    user.press("workers", "enter")
    user.sees(r"─ workforce / workers ─")
    user.sees(r"wrk-0001")


def test_leaving_the_welcome_is_no_failure_and_writes_nothing(tmp_path: Path) -> None:
    with terminal([], quiet_environment(tmp_path), 60, 16) as user:
        user.sees(r"No API key is set up yet")
        user.press("c")
        user.sees(r"─ Set up an API key ─")
        user.press("ctrl+q")
        assert user.ends() == 0
        assert user.attributes_after == user.attributes_before
    assert not list(tmp_path.rglob("*.toml"))
