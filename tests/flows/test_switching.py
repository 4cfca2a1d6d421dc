"""From profile to profile in the running program: each keeps its own, LIVE is announced and locked."""

import asyncio
from collections.abc import Sequence
from pathlib import Path

import pytest
from keyring.backends.fail import Keyring as NoKeyring
from textual import events
from textual.widgets import OptionList

from svc_tui.bootstrap.new_profile import ProfileConnector
from svc_tui.config.paths import Locations
from svc_tui.config.preferences.preferences import last_profile
from svc_tui.config.profiles.profiles import Profiles
from svc_tui.connect.new_connection import NewConnection
from svc_tui.sandbox.server.inprocess import RunningService
from svc_tui.ui.dialogs.command_palette import CommandPaletteScreen
from tests.browser import User, browser
from tests.flows.steps import at_name, goes_to, heard, renamed
from tests.newcomer import system_keyring


def made(directory: Path, name: str, service: RunningService, key: str, *, command: str = "") -> None:
    """A profile for one of the service's keys, its pair in files beside it, or its key where `command` prints it."""
    offered = service.key(key)
    profiles = directory / "profiles"
    profiles.mkdir(exist_ok=True)
    lines = [f'base_url = "{service.base_url}"', f'sandbox_base_url = "{service.base_url}"']
    pair = {"api_key": offered.api_key, "signing_secret": offered.signing_secret}
    for setting, text in pair.items():
        if text:
            secret = profiles / f"{name}.{setting}"
            secret.write_text(text)
            secret.chmod(0o600)
            lines.append(f'{setting} = {{ file = "{secret}" }}')
    if command:
        lines[-1 - bool(offered.signing_secret)] = f'api_key = {{ command = ["sh", "-c", "{command}"] }}'
    file = profiles / f"{name}.toml"
    file.write_text("\n".join(lines) + "\n")
    file.chmod(0o600)


async def test_another_profile_is_gone_to_and_come_back_from(service: RunningService, tmp_path: Path) -> None:
    made(tmp_path, "other", service, "sandbox")
    made(tmp_path, "test", service, "sandbox")
    async with browser(service, tmp_path, place="tunnels") as user:
        await user.sees(r"╭─ operations / tunnels ")
        await goes_to(user, "@other")
        await user.sees(r"SANDBOX +other · 127")
        await user.sees(r"╭─ operations / lots .* of 300")
        await goes_to(user, "@test")
        await user.sees(r"SANDBOX +test · 127")
        await user.sees(r"╭─ operations / tunnels .* of ")
        await user.until(
            lambda: last_profile(Locations(tmp_path / "config.toml", tmp_path)) == "test", "it is not remembered"
        )


async def test_an_edit_waits_where_it_was_made(service: RunningService, tmp_path: Path) -> None:
    made(tmp_path, "one", service, "sandbox")
    made(tmp_path, "other", service, "sandbox")
    async with browser(service, tmp_path) as user:
        await user.sees(r"lot-000001")
        await goes_to(user, "@one")
        await user.sees(r"SANDBOX +one · 127")
        await at_name(user)
        await renamed(user, "Only here")
        await user.sees(r"Only here")
        await goes_to(user, "@other")
        await user.sees(r"SANDBOX +other · 127")
        await user.sees(r"lot-000002")
        await user.loses(r"Only here")
        await goes_to(user, "@one")
        await user.sees(r"SANDBOX +one · 127")
        await user.sees(r"Only here")


async def test_live_is_announced_and_locked(service: RunningService, tmp_path: Path) -> None:
    made(tmp_path, "prod", service, "live")
    async with browser(service, tmp_path) as user:
        await user.sees(r"lot-000001")
        await goes_to(user, "@prod")
        await user.sees(r"LIVE · prod")
        await user.sees(r"LIVE is locked. Press w to unlock")
        await user.sees(r" LIVE .* LOCKED ")
        assert user.app.has_class("-live")
        assert user.app.title.startswith("LIVE prod · ")


async def test_an_unlocked_live_is_locked_when_one_comes_back(service: RunningService, tmp_path: Path) -> None:
    made(tmp_path, "prod", service, "live")
    made(tmp_path, "other", service, "sandbox")
    async with browser(service, tmp_path) as user:
        await user.sees(r"lot-000001")
        await goes_to(user, "@prod")
        await user.sees(r" LIVE .* LOCKED ")
        await user.press("w")
        await user.sees(r"Unlock sending")
        await user.types("live")
        await user.press("enter")
        await user.sees(r" LIVE .* WRITABLE ")
        await goes_to(user, "@other")
        await user.sees(r"SANDBOX +other")
        assert not user.app.has_class("-live")
        await goes_to(user, "@prod")
        await user.sees(r" LIVE .* LOCKED ")


async def test_the_palette_offers_the_profiles(service: RunningService, tmp_path: Path) -> None:
    made(tmp_path, "other", service, "sandbox")
    async with browser(service, tmp_path) as user:
        await user.sees(r"lot-000001")
        await user.press("ctrl+p")
        await user.types("other")
        await user.sees(r"Switch profile…")
        await user.press("enter")
        await user.sees(r"─ Switch profile ")
        await user.press("enter")
        await user.sees(r"SANDBOX +other · 127")


async def test_what_is_used_most_is_among_the_first_twenty_commands(service: RunningService, tmp_path: Path) -> None:
    made(tmp_path, "other", service, "sandbox")
    async with browser(service, tmp_path, size=(120, 50)) as user:
        await user.sees(r"lot-000001")
        await user.press("ctrl+p")
        await user.sees(r"─ Commands ")
        screen = user.app.screen
        assert isinstance(screen, CommandPaletteScreen)
        first = [command.title for command in screen._listed.values()][:20]
        assert {
            "Add a profile…",
            "Switch profile…",
            "Replace the key",
            "Copy…",
            "What changed?",
            "Corrections from a file…",
            "Runs…",
            "Case file…",
        } <= set(first)


async def add_profile(user: User, texts: Sequence[str]) -> None:
    """Paste key, secret and base URL into the dialogs that add a profile, and save it."""
    await user.press("ctrl+p")
    await user.types("add a profile")
    await user.press("enter")
    await user.sees(r"─ Set up an API key ─")
    for text in texts:
        user.app.post_message(events.Paste(text))
        await user.pilot.pause()
        await user.press("enter")
    await user.sees(r"The service accepts this key")
    await user.press("k")
    await user.sees(r"─ Save the LIVE key ─")
    await user.until(lambda: user.app.screen.query_one(OptionList).highlighted is not None, "nothing is chosen")
    await user.press("enter")


async def test_a_profile_is_added_and_opened_while_the_program_runs(service: RunningService, tmp_path: Path) -> None:
    key = service.key("live")
    with system_keyring(NoKeyring()):  # type: ignore[no-untyped-call]  # the library's own has no types
        async with browser(service, tmp_path) as user:
            await user.sees(r"lot-000001")
            await add_profile(user, (key.api_key, key.signing_secret or "", service.base_url))
            await user.sees(r" LIVE +live · 127")
            assert Profiles(Locations(tmp_path / "config.toml", tmp_path)).names() == ("live",)


async def test_a_profile_that_is_saved_while_help_is_open_is_opened_once_that_is_closed(
    service: RunningService, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    key, keep, may_keep = service.key("live"), ProfileConnector.keep, asyncio.Event()

    async def keep_slowly(connector: ProfileConnector, new: NewConnection) -> None:
        await may_keep.wait()
        await keep(connector, new)

    monkeypatch.setattr(ProfileConnector, "keep", keep_slowly)
    with system_keyring(NoKeyring()):  # type: ignore[no-untyped-call]  # the library's own has no types
        async with browser(service, tmp_path) as user:
            await user.sees(r"lot-000001")
            await add_profile(user, (key.api_key, key.signing_secret or "", service.base_url))
            await user.sees(r"Saving…")
            await user.press("f1")
            await user.sees(r"─ Keys ")
            may_keep.set()
            await user.until(lambda: (tmp_path / "profiles" / "live.toml").exists(), "it is not saved")
            await user.settled()
            await user.sees(r"─ Keys ")
            await user.press("escape")
            await user.sees(r" LIVE +live · 127")


async def test_who_hides_personal_data_hides_it_there_too(service: RunningService, tmp_path: Path) -> None:
    made(tmp_path, "other", service, "sandbox")
    async with browser(service, tmp_path, place="workers/wrk-0001") as user:
        await user.sees(r"╭─ wrk-0001 ")
        await user.press("ctrl+o")
        await user.sees(r"MASKED")
        await goes_to(user, "@other")
        await user.sees(r"SANDBOX +other .*MASKED")
        assert user.app.main.privacy_mask.on


@pytest.mark.parametrize(
    ("typed", "told"),
    [
        ("@nobody", r"there is no other profile nobody; available: @other"),
        ("@test", r"test is the current profile"),
    ],
)
async def test_a_name_that_leads_nowhere_is_told(
    service: RunningService, tmp_path: Path, typed: str, told: str
) -> None:
    made(tmp_path, "other", service, "sandbox")
    async with browser(service, tmp_path) as user:
        await user.sees(r"lot-000001")
        await goes_to(user, typed)
        await user.sees(told)


async def test_a_profile_that_can_not_be_used_leaves_everything_as_it_is(
    service: RunningService, tmp_path: Path
) -> None:
    made(tmp_path, "other", service, "sandbox")
    (tmp_path / "profiles" / "other.api_key").unlink()
    async with browser(service, tmp_path) as user:
        await user.sees(r"lot-000001")
        await goes_to(user, "@other")
        await user.sees(r"other was not opened")
        await user.sees(r"SANDBOX +test · 127")


async def test_a_key_that_takes_its_time_can_be_waited_for_or_not(service: RunningService, tmp_path: Path) -> None:
    gate = tmp_path / "gate"
    key = service.key("sandbox").api_key
    made(tmp_path, "slow", service, "sandbox", command=f"while test ! -e {gate}; do sleep 0.05; done; echo {key}")
    async with browser(service, tmp_path) as user:
        await user.sees(r"lot-000001")
        await goes_to(user, "@slow")
        await user.sees(r"Loading the key of slow")
        await user.press("escape")
        await user.loses(r"Loading the key of slow")
        await user.sees(r"slow was not opened")
        await goes_to(user, "@slow")
        await user.sees(r"Loading the key of slow")
        gate.touch()
        await user.sees(r"SANDBOX +slow · 127")
        await user.loses(r"Loading the key of slow")


async def test_nobody_leaves_while_a_write_is_on_its_way(service: RunningService, tmp_path: Path) -> None:
    made(tmp_path, "other", service, "sandbox")
    async with browser(service, tmp_path) as user:
        await user.sees(r"lot-000001")
        user.app.main.features.writes.sending = 1
        await goes_to(user, "@other")
        await user.sees(r"A change is being sent\. Wait for the response, then")
        await user.sees(r"SANDBOX +test · 127")


# Links of another service


def link(service: RunningService, environment: str) -> str:
    """A link to a record, as somebody who works in that environment copied it."""
    return f"svctui://{environment}@{service.base_url.removeprefix('http://')}/operations/lots/lot-000007"


async def test_a_link_of_live_is_opened_by_the_profile_one_chooses(service: RunningService, tmp_path: Path) -> None:
    made(tmp_path, "prod", service, "live")
    async with browser(service, tmp_path) as user:
        await user.sees(r"lot-000001")
        await goes_to(user, link(service, "live"))
        await user.sees(r"The link is for LIVE at 127")
        await user.sees(r"Open it with @prod")
        await user.sees(r"SANDBOX +test · 127")
        await user.press("enter")
        await user.sees(r" LIVE +prod · 127.* LOCKED ")
        await user.sees(r"╭─ lot-000007 ")


async def test_a_link_that_nobody_follows_opens_nothing(service: RunningService, tmp_path: Path) -> None:
    made(tmp_path, "prod", service, "live")
    async with browser(service, tmp_path, place=link(service, "live")) as user:
        await user.sees(r"Open it with @prod")
        await user.press("escape")
        await user.loses(r"Open it with @prod")
        await user.sees(r"SANDBOX +test · 127")
        await user.sees(r"╭─ operations / lots ")


async def test_a_link_that_no_profile_leads_to_says_so(service: RunningService, tmp_path: Path) -> None:
    made(tmp_path, "other", service, "sandbox")
    async with browser(service, tmp_path) as user:
        await user.sees(r"lot-000001")
        await goes_to(user, "svctui://live@elsewhere.example/operations/lots/lot-000007")
        await heard(user, r"The link was not opened: the link is for LIVE at .* No other profile connects to it")


async def test_a_link_is_not_opened_with_a_key_of_another_environment(service: RunningService, tmp_path: Path) -> None:
    made(tmp_path, "other", service, "sandbox")
    async with browser(service, tmp_path) as user:
        await user.sees(r"lot-000001")
        await goes_to(user, link(service, "live"))
        await user.sees(r"Open it with @other")
        await user.press("enter")
        await heard(user, r"The key of other is for SANDBOX, but the link is for LIVE\.")
        await user.sees(r"SANDBOX +test · 127")
