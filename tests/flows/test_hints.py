"""Hints for the first times: where they stand, when they go, what is remembered of them, how they are turned off."""

from pathlib import Path

from svc_tui.config.paths import Locations
from svc_tui.config.preferences.preferences import FilePreferences
from svc_tui.domain.app.hints import HINTS, MAX_SESSIONS
from svc_tui.sandbox.server.inprocess import RunningService
from svc_tui.ui.keys.keymap import bindings
from svc_tui.ui.widgets.bars.key_bar import KeyBar
from tests.browser import User, browser
from tests.flows.steps import at_name, commanded, confirmed, renamed


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
    async with browser(service, tmp_path, place="lots", hints=True) as user:
        await user.sees(r"lot-000001")
        await hinted(user, "⏎ opens the record")
        await user.press("enter")
        await hinted(user, "e edits the field under the cursor")
        await user.settled()
        await user.press("2")
        await hinted(user, "/ filters the rows")
        await user.until(lambda: remembered(tmp_path).get("table.open") == MAX_SESSIONS, "it is not remembered")
    async with browser(service, tmp_path, place="lots", hints=True) as user:
        await user.sees(r"lot-000001")
        await hinted(user, "/ filters the rows")


async def test_from_the_first_edit_to_the_first_write(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path, place="lots", hints=True) as user:
        await at_name(user)
        await hinted(user, "⏎ opens the record")
        await renamed(user, "Other")
        await hinted(user, "^s reviews it; nothing is sent before")
        await confirmed(user)
        await hinted(user, "@ lists what was written")
        await user.press("at")
        await user.sees(r"╭─ Journal")
        await user.press("escape")
        await hinted(user, "⏎ opens the record")


async def test_a_change_on_a_locked_live_is_told_how_to_review_it(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path, key="live", place="lots", hints=True) as user:
        await at_name(user)
        await hinted(user, "⏎ opens the record")
        await renamed(user, "Other")
        await hinted(user, "^s reviews it; nothing is sent before")


async def test_a_hint_is_shown_in_a_few_sessions_alone(service: RunningService, tmp_path: Path) -> None:
    for session in range(1, MAX_SESSIONS + 1):
        async with browser(service, tmp_path, place="lots", hints=True) as user:
            await user.sees(r"lot-000001")
            await hinted(user, "⏎ opens the record")
            await user.until(lambda: remembered(tmp_path).get("table.open") == session, "it is not counted")  # noqa: B023
    async with browser(service, tmp_path, place="lots", hints=True) as user:
        await user.sees(r"lot-000001")
        await hinted(user, "/ filters the rows")


async def test_the_console_has_one_and_it_takes_no_key_away(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path, place="lots", hints=True, size=(60, 24)) as user:
        await user.sees(r"lot-000001")
        await user.press("4")
        await user.sees(r"╭─ Console ")
        await hinted(user, "^j sends the request")
        await user.types("/operations/lots/lot-000002")
        await user.press("ctrl+j")
        await user.sees(r"200 OK")
        await hinted(user, "")


async def test_hints_are_turned_off_and_on_in_the_palette(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path, place="lots", hints=True) as user:
        await user.sees(r"lot-000001")
        await hinted(user, "⏎ opens the record")
        await commanded(user, "hints", "Hints: off")
        await hinted(user, "")
        kept = Locations(tmp_path / "config.toml", tmp_path)
        await user.until(lambda: not FilePreferences(kept).preferences.hints, "it is not remembered")
        await user.until(lambda: user.app.screen is user.app.main, "the palette is open")
        await commanded(user, "hints", "Hints: on")
        await hinted(user, "⏎ opens the record")
        await user.until(lambda: FilePreferences(kept).preferences.hints, "it is not remembered")


async def test_whoever_wants_none_sees_none(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path, place="lots/lot-000002") as user:
        await user.sees(r"╭─ lot-000002 ")
        await user.until(lambda: user.app.main.workspace.panes.in_record, "no record is in focus")
        await user.settled()
        assert (hint(user), remembered(tmp_path)) == ("", {})


def test_every_hint_is_about_a_binding_that_there_is() -> None:
    assert {hint.binding for hint in HINTS} <= {bound.id for bound in bindings()}
