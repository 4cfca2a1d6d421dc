"""The welcome over a real service and real files: two doors, checks, and where key and secret are kept."""

import json
import stat
import sys
import tomllib
from pathlib import Path

import pytest
from textual.widgets import OptionList

from svc_tui.sandbox.server.inprocess import RunningService
from tests.keyrings import FileKeyring
from tests.newcomer import Newcomer, newcomer


def files(directory: Path) -> list[str]:
    """What is in a directory, by name."""
    return sorted(file.name for file in directory.iterdir())


def kept_in(entries: Path) -> object:
    """What a keyring's file holds."""
    return json.loads(entries.read_text())


async def to_the_places(user: Newcomer, service: RunningService, name: str = "live") -> None:
    """From the doors to the page that asks where to keep a good pair; the cursor is on the first that can be used."""
    key = service.key(name)
    await user.fills_in(key.api_key, key.signing_secret or "", service.base_url)
    await user.sees("The service accepts this key")
    await user.press("k")
    await chosen(user)


async def chosen(user: Newcomer) -> None:
    """Wait until a place is chosen."""
    await user.until(lambda: [one for one in user.app.screen.query(OptionList) if one.highlighted is not None])
    await user.sees(r"─ Save the (LIVE|SANDBOX) key ─")


async def test_d_opens_the_demo_and_q_nothing(tmp_path: Path) -> None:
    async with newcomer(tmp_path) as user:
        await user.press("d")
        await user.until(lambda: user.app.return_value == "demo")
    async with newcomer(tmp_path) as user:
        await user.press("q")
        await user.until(lambda: user.app.return_code is not None)
        assert (user.app.return_value, user.app.return_code) == (None, 0)
    assert files(tmp_path) == []


async def test_a_click_opens_a_door(tmp_path: Path) -> None:
    async with newcomer(tmp_path) as user:
        await user.sees("Set up an API key")
        await user.pilot.click(OptionList, offset=(8, 2))
        await user.sees(r"─ Set up an API key ─")


async def test_a_pasted_key_is_shown_as_prefix_and_dots_alone(tmp_path: Path, service: RunningService) -> None:
    key = service.key("live")
    async with newcomer(tmp_path) as user:
        await user.press("c")
        await user.focuses("key")
        await user.pastes(f"{key.api_key}\n")
        await user.sees(r"svc_live_•{30}")
        await user.sees("a LIVE key")
        await user.press("enter")
        await user.focuses("secret")
        await user.pastes(key.signing_secret or "")
        await user.sees(r"Signing secret +•{30}")
        assert key.api_key[12:20] not in user.text
        assert (key.signing_secret or "")[:7] not in user.text
        # Nothing of it goes to the clipboard.
        await user.press("ctrl+a", "ctrl+c")
        assert user.app.clipboard == ""


async def test_a_mistake_stands_beside_its_field_and_what_was_typed_stays(tmp_path: Path) -> None:
    async with newcomer(tmp_path) as user:
        await user.fills_in("svc_test_abc", "", "http://example.com")
        await user.sees("plain http to example.com would send the key")
        assert user.app.screen.focused is not None
        assert user.app.screen.focused.id == "url"
        await user.press("escape")
        await user.sees("Try the demo")
        await user.press("c")
        await user.sees(r"svc_test_•••[^•]")
        await user.sees("http://example.com")


async def test_a_pair_is_checked_and_kept_in_files_that_nobody_else_reads(
    tmp_path: Path, service: RunningService
) -> None:
    key = service.key("live")
    async with newcomer(tmp_path) as user:
        await to_the_places(user, service)
        await user.sees("Keyring not available: this system has no usable keyring")
        await user.press("enter")
        await user.until(lambda: user.app.return_value == "live")
        written = user.profiles / "live.toml"
        assert tomllib.loads(written.read_text()) == {
            "api_key": {"file": "live.key"},
            "signing_secret": {"file": "live.secret"},
            "base_url": service.base_url,
        }
        kept = {"live.key": key.api_key, "live.secret": key.signing_secret}
        for name, secret in kept.items():
            assert (user.profiles / name).read_text().strip() == secret
            assert stat.S_IMODE((user.profiles / name).stat().st_mode) == 0o600
    assert all(attempt.method == "GET" and attempt.signed for attempt in service.attempts)


async def test_with_a_keyring_key_and_secret_are_kept_there(
    tmp_path: Path, service: RunningService, monkeypatch: pytest.MonkeyPatch
) -> None:
    entries = tmp_path / "keyring.json"
    monkeypatch.setenv("TEST_KEYRING", str(entries))
    key = service.key("live")
    async with newcomer(tmp_path, backend=FileKeyring()) as user:
        await to_the_places(user, service)
        assert "Keyring not available" not in user.text
        await user.press("enter")
        await user.until(lambda: user.app.return_value == "live")
        assert kept_in(entries) == {
            "svc-tui/live": key.api_key,
            "svc-tui/live-secret": key.signing_secret,
        }
        assert files(user.profiles) == ["live.toml"]


async def test_variables_that_are_not_set_are_set_for_this_run(tmp_path: Path, service: RunningService) -> None:
    key = service.key("live")
    async with newcomer(tmp_path) as user:
        await to_the_places(user, service)
        await user.press("down", "down")
        await user.sees("SVC_LIVE_KEY")
        await user.press("enter")
        await user.focuses("key_from")
        await user.press("enter")
        await user.focuses("secret_from")
        await user.press("enter")
        await user.until(lambda: user.app.return_value == "live")
        kept = tomllib.loads((user.profiles / "live.toml").read_text())
        assert (kept["api_key"], kept["signing_secret"]) == ({"env": "SVC_LIVE_KEY"}, {"env": "SVC_LIVE_SECRET"})
        assert user.connecting.variables["SVC_LIVE_KEY"] == key.api_key
        assert user.connecting.variables["SVC_LIVE_SECRET"] == key.signing_secret


async def test_a_command_must_print_what_was_typed(tmp_path: Path, service: RunningService) -> None:
    vault = tmp_path / "vault"
    vault.write_text("svc_test_other")
    command = f"{sys.executable} -c 'print(open(\"{vault}\").read())'"
    async with newcomer(tmp_path) as user:
        await to_the_places(user, service, "sandbox")
        await user.press("down")
        await user.sees("For example: op read")
        await user.press("enter")
        await user.focuses("key_from")
        await user.pastes(command)
        await user.press("enter")
        await user.sees("this returns a different API key")
        assert not (user.profiles / "sandbox.toml").exists()
        vault.write_text(service.key("sandbox").api_key)
        await user.focuses("key_from")
        await user.press("enter")
        await user.until(lambda: user.app.return_value == "sandbox")
        kept = tomllib.loads((user.profiles / "sandbox.toml").read_text())
        assert kept["api_key"]["command"][0] == sys.executable
        assert "signing_secret" not in kept


async def test_a_name_that_is_taken_is_told_beside_it(tmp_path: Path, service: RunningService) -> None:
    profiles = tmp_path / "config" / "svc-tui" / "profiles"
    profiles.mkdir(parents=True)
    (profiles / "live.toml").write_text('api_key = { env = "X" }\n')
    async with newcomer(tmp_path) as user:
        await to_the_places(user, service)
        await user.press("enter")
        await user.sees("the profile live already exists")
        await user.focuses("name")
        assert user.app.return_value is None


async def test_the_proposed_name_follows_the_key_and_a_typed_one_stays(tmp_path: Path) -> None:
    async with newcomer(tmp_path) as user:
        for key, proposed in (("svc_live_abc", "live"), ("svc_test_abc", "sandbox")):
            await user.fills_in(key, "", "http://127.0.0.1:1")
            await user.sees("Could not check the key")
            await user.press("k")
            await chosen(user)
            await user.sees(rf"Profile +{proposed} ")
            await user.press("escape", "escape")
            await user.focuses("url")
            await user.press("ctrl+u", "shift+tab", "shift+tab")
            await user.focuses("key")
            await user.press("ctrl+u", "escape")
            await user.sees("Try the demo")
        await user.fills_in("svc_test_abc", "", "http://127.0.0.1:1")
        await user.sees("Could not check the key")
        await user.press("k")
        await chosen(user)
        await user.press("shift+tab")
        await user.focuses("name")
        await user.press("2")
        await user.sees(r"Profile +sandbox2 ")
        await user.press("escape")
        await user.sees("Could not check the key")
        await user.press("k")
        await chosen(user)
        await user.sees(r"Profile +sandbox2 ")


async def test_an_unreached_service_is_told_checked_again_and_can_be_kept(
    tmp_path: Path, service: RunningService
) -> None:
    async with newcomer(tmp_path) as user:
        await user.fills_in(service.key("sandbox").api_key, "", "http://127.0.0.1:1")
        await user.sees("✗ reachability")
        await user.sees("Could not check the key and the secret")
        await user.press("r")
        await user.sees("Could not check the key and the secret")
        await user.press("k")
        await chosen(user)
        await user.press("enter")
        await user.until(lambda: user.app.return_value == "sandbox")
        assert (user.profiles / "sandbox.toml").exists()


async def test_a_refused_key_is_kept_only_by_somebody_who_says_so_twice(
    tmp_path: Path, service: RunningService
) -> None:
    async with newcomer(tmp_path) as user:
        await user.fills_in("svc_test_nobodys", "", service.base_url)
        await user.sees("✗ key ")
        await user.sees("The service refused this key: key")
        await user.press("k")
        await user.sees("The service refused this key. Press esc")
        assert "Save the" not in user.text
        await user.press("k")
        await chosen(user)
        await user.press("escape")
        await user.sees("✗ key ")
        await user.press("escape")
        await user.sees(r"svc_test_•{7} ")


async def test_the_way_fits_into_sixty_by_sixteen(tmp_path: Path, service: RunningService) -> None:
    async with newcomer(tmp_path, size=(60, 16)) as user:
        await user.sees("Try the demo")
        await to_the_places(user, service)
        await user.press("enter")
        await user.until(lambda: user.app.return_value == "live")


async def test_what_the_service_refused_is_where_one_comes_back_to(tmp_path: Path, service: RunningService) -> None:
    async with newcomer(tmp_path) as user:
        await user.fills_in("svc_test_nobodyknowsthis", "", service.base_url)
        await user.sees("The service refused this key")
        await user.press("escape")
        await user.sees("the service refused this key")
        await user.focuses("key")
        await user.press("end", "x")
        await user.until(lambda: "the service refused this key" not in user.text)


async def test_what_no_typing_mends_is_told_as_it_is_typed(tmp_path: Path) -> None:
    async with newcomer(tmp_path) as user:
        await user.press("c")
        await user.focuses("key")
        await user.press(*"svc")
        assert "must begin with" not in user.text
        await user.press(*"_x")
        await user.sees("the API key must begin with svc_live_")
        await user.focuses("key")
