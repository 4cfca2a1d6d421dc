"""Hints for the first times: where they stand, when they go, what is remembered of them, how they are turned off."""

from pathlib import Path

import pytest

from svc_tui.config.paths import Locations
from svc_tui.config.preferences.preferences import FilePreferences
from svc_tui.sandbox.server.inprocess import RunningService
from svc_tui.ui.keys.hints import HINTS, MAX_SESSIONS
from svc_tui.ui.keys.keymap import _declared_bindings, bindings
from svc_tui.ui.widgets.bars.key_bar import KeyBar
from tests.browser import User, browser
from tests.flows.steps import at_name, commanded, confirmed, renamed

WIDE = (160, 40)
"""Columns and rows with room for all keys and a hint."""


def hint(user: User) -> str:
    """The hint that is in view; "" where there is none."""
    return str(user.app.main.query_one(KeyBar).hint_content or "")


async def hinted(user: User, words: str) -> None:
    """Wait for a hint of these words; "" for none."""
    await user.until(lambda: hint(user) == words, f"there is no hint {words!r}, but {hint(user)!r}")


def remembered(state: Path) -> dict[str, int]:
    """In how many sessions each hint counts as shown, as the next start will know it."""
    return dict(FilePreferences(Locations(state / "config.toml", state)).memory.hinted)


async def test_a_hint_goes_when_it_was_done_and_does_not_come_again(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path, place="lots", hints=True, size=WIDE) as user:
        await user.sees(r"lot-000001")
        await hinted(user, "^f Search all collections")
        await user.press("enter")
        await hinted(user, "} Show JSON and history")
        await user.settled()
        await user.press("2")
        await hinted(user, "^f Search all collections")
        await user.press("ctrl+f")
        await user.until(lambda: user.app.screen is not user.app.main, "the search does not open")
        await user.press("escape")
        await hinted(user, "space Mark the record")
        await user.until(lambda: remembered(tmp_path).get("go.find") == MAX_SESSIONS, "it is not remembered")
    async with browser(service, tmp_path, place="lots", hints=True, size=WIDE) as user:
        await user.sees(r"lot-000001")
        await hinted(user, "space Mark the record")


async def test_from_the_first_edit_to_the_first_write(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path, place="lots", hints=True, size=WIDE) as user:
        await at_name(user)
        await hinted(user, "^f Search all collections")
        await renamed(user, "Other")
        await hinted(user, "⌫ Discard the edit")
        await confirmed(user)
        await hinted(user, "@ Open the journal")
        await user.press("at")
        await user.sees(r"╭─ Journal")
        await user.press("escape")
        await hinted(user, "^f Search all collections")


async def test_a_change_on_a_locked_live_is_told_how_to_discard_it(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path, key="live", place="lots", hints=True, size=WIDE) as user:
        await at_name(user)
        await hinted(user, "^f Search all collections")
        await renamed(user, "Other")
        await hinted(user, "⌫ Discard the edit")


async def test_a_hint_is_shown_in_a_few_sessions_alone(service: RunningService, tmp_path: Path) -> None:
    for session in range(1, MAX_SESSIONS + 1):
        async with browser(service, tmp_path, place="lots", hints=True, size=WIDE) as user:
            await user.sees(r"lot-000001")
            await hinted(user, "^f Search all collections")
            await user.until(lambda: remembered(tmp_path).get("go.find") == session, "it is not counted")  # noqa: B023
    async with browser(service, tmp_path, place="lots", hints=True, size=WIDE) as user:
        await user.sees(r"lot-000001")
        await hinted(user, "space Mark the record")


async def test_the_console_has_one_and_it_takes_no_key_away(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path, place="lots", hints=True, size=WIDE) as user:
        await user.sees(r"lot-000001")
        await user.press("4")
        await user.sees(r"╭─ Console ")
        await hinted(user, "f9 Explain the signature")
        await user.types("/operations/lots/lot-000002")
        await user.press("ctrl+j")
        await user.sees(r"200 OK")
        await user.press("f9")
        await user.until(lambda: user.app.screen is not user.app.main, "the signature is not explained")
        await user.press("escape")
        await hinted(user, "")


async def test_hints_are_turned_off_and_on_in_the_palette(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path, place="lots", hints=True, size=WIDE) as user:
        await user.sees(r"lot-000001")
        await hinted(user, "^f Search all collections")
        await commanded(user, "hide tips", "Hide tips")
        await hinted(user, "")
        kept = Locations(tmp_path / "config.toml", tmp_path)
        await user.until(lambda: not FilePreferences(kept).preferences.hints, "it is not remembered")
        await user.until(lambda: user.app.screen is user.app.main, "the palette is open")
        await commanded(user, "show tips", "Show tips")
        await hinted(user, "^f Search all collections")
        await user.until(lambda: FilePreferences(kept).preferences.hints, "it is not remembered")


async def test_whoever_wants_none_sees_none(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path, place="lots/lot-000002") as user:
        await user.sees(r"╭─ lot-000002 ")
        await user.until(lambda: user.app.main.workspace.panes.in_record, "no record is in focus")
        await user.settled()
        assert (hint(user), remembered(tmp_path)) == ("", {})


def test_every_hint_is_about_a_binding_that_there_is() -> None:
    assert {hint.binding for hint in HINTS} <= {bound.id for bound in bindings()}


def test_no_hint_repeats_a_key_that_the_key_bar_shows() -> None:
    bindings()
    on_bar = {binding.id for _, binding in _declared_bindings() if binding.show}
    assert {hint.binding for hint in HINTS} & on_bar == set()


@pytest.mark.parametrize(
    ("place", "keys"),
    [
        ("lots", r"1 Collections  / Filter  \^p Commands  \? Help"),
        ("lots/lot-000002", r"1 Collections  \^p Commands  \? Help"),
    ],
)
async def test_at_80_columns_hints_leave_filter_and_commands_in_the_key_bar(
    service: RunningService, tmp_path: Path, place: str, keys: str
) -> None:
    async with browser(service, tmp_path, place=place, hints=True, size=(80, 24)) as user:
        await user.sees(r"lot-000002")
        await user.sees(keys)
        await user.settled()
        assert hint(user) == ""
