"""Somebody new, in a real terminal: nothing is set up, then the demo, then a key of their own."""

from pathlib import Path

import pytest

from svc_tui.sandbox.inprocess import RunningService
from tests.e2e import steps
from tests.terminal import quiet_environment, terminal

pytestmark = pytest.mark.terminal

NO_KEYRING = "keyring.backends.fail.Keyring"


def test_from_an_empty_home_to_the_demo_and_to_a_key_of_ones_own(tmp_path: Path, service: RunningService) -> None:
    environment = quiet_environment(tmp_path, PYTHON_KEYRING_BACKEND=NO_KEYRING)
    key = service.key("live")
    secret = key.signing_secret or ""
    with terminal([], environment, 80, 24) as user:
        user.sees(r"No key is set up here yet")
        user.press("d")
        user.sees(r"SANDBOX +demo ")
        user.sees(r"lot-000001")
        steps.quits(user)
    with terminal(["lots"], environment, 80, 24) as user:
        user.sees(r"No key is set up here yet")
        user.press("c")
        user.sees(r"─ Connect a key ─")
        user.paste(f"{key.api_key}\n")
        user.sees(r"svc_live_•+")
        user.sees(r"a LIVE key")
        user.press("enter")
        user.paste(secret)
        user.sees(r"Signing secret +•+")
        user.press("enter")
        user.paste(service.base_url)
        user.sees(r"Base URL +http://127\.0\.0\.1:\d+")
        user.press("enter")
        user.sees(r"✓ scope +reads 12 of 12 collections")
        user.sees(r"The service takes this key")
        user.press("k")
        user.sees(r"No keyring: there is no keyring on this system")
        user.sees(r"Two files beside the profile, mode 0600")
        user.press("enter")
        user.sees(r"LIVE +live · 127\.0\.0\.1:\d+")
        user.sees(r"lot-000001")
        steps.quits(user)
        assert key.api_key.encode() not in user.raw
        assert secret.encode() not in user.raw
    profile = (tmp_path / "config" / "svc-tui" / "profiles" / "live.toml").read_text()
    assert key.api_key not in profile
    assert secret not in profile
    with terminal(["lots"], environment, 80, 24) as user:
        user.sees(r"LIVE +live · 127\.0\.0\.1:\d+")
        user.sees(r"lot-000001")
        steps.quits(user)


def test_leaving_the_welcome_is_no_failure_and_writes_nothing(tmp_path: Path) -> None:
    with terminal([], quiet_environment(tmp_path), 60, 16) as user:
        user.sees(r"No key is set up here yet")
        user.press("c")
        user.sees(r"─ Connect a key ─")
        user.press("ctrl+q")
        assert user.ends() == 0
        assert user.attributes_after == user.attributes_before
    assert not list(tmp_path.rglob("*.toml"))
