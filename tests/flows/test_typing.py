"""Keys that come in a burst, as over a slow line, do what they would do one by one."""

from collections.abc import Sequence
from pathlib import Path

import pytest
from textual import events

from svc_tui.sandbox.server.inprocess import RunningService
from tests.browser import User, browser

NAMES = {"enter": "\r", "backspace": "\x7f", "ctrl+u": "\x15", "left": None, "escape": "\x1b", "ctrl+s": "\x13"}


def burst(user: User, *keys: str) -> None:
    """Send keys without a pause between them; a word in NAMES is one key, any other text its letters."""
    sent: list[tuple[str, str | None]] = []
    for key in keys:
        sent += [(key, NAMES[key])] if key in NAMES else [(_named(letter), letter) for letter in key]
    for name, character in sent:
        user.app.post_message(events.Key(name, character))


def _named(letter: str) -> str:
    return {":": "colon", "/": "slash", "-": "minus", ".": "full_stop"}.get(letter, letter)


@pytest.mark.parametrize(
    ("keys", "value"),
    [
        (("14.74", "backspace", "3"), "14.73"),
        (("1234", "left", "left", "9"), "12934"),
        (("99", "ctrl+u", "5"), "5"),
    ],
)
async def test_letters_and_editing_keys_keep_their_order(
    service: RunningService, tmp_path: Path, keys: Sequence[str], value: str
) -> None:
    async with browser(service, tmp_path, place="lots/lot-000002") as user:
        await user.until(lambda: user.app.main.workspace.panes.in_record, "no record is in focus")
        while user.app.main.workspace.selection.field != "massKg":
            await user.press("j")
        await user.press("e")
        await user.sees(r"(⏎|tab) Apply  esc Cancel")
        burst(user, "ctrl+u", *keys, "enter")
        await user.loses(r"(⏎|tab) Apply  esc Cancel")
        await user.sees(r"draft: 1 field")
        draft = user.app.main.features.drafting.drafts.draft(user.app.main.workspace.selection.place)  # type: ignore[arg-type]
        assert draft is not None
        assert str(draft.edits["massKg"]) == value


async def test_what_is_typed_ahead_goes_into_the_dialog_that_opens(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path) as user:
        await user.sees(r"lot-000001")
        burst(user, ":lots/lot-000021", "enter")
        await user.sees(r"╭─ lot-000021 ")
        assert "lot-000001 " not in user.text.split("╭─ lot-000021")[1].split("\n")[0]


async def test_a_whole_edit_in_one_burst(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path) as user:
        await user.sees(r"lot-000001")
        burst(user, "jjle", "ctrl+u", "Typed at once", "enter", "ctrl+s")
        await user.sees(r"Change lot-000003")
        await user.sees(r"\+ Typed at once")


async def test_the_ticket_line_takes_its_letters_and_y_sends_after_it(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path) as user:
        await user.sees(r"lot-000001")
        burst(user, "jle", "ctrl+u", "For a ticket", "enter", "ctrl+s", "tOPS-yy1", "enter", "y")
        await user.sees(r"Saved lot-000002")
        await user.press("at")
        await user.sees(r"OPS-yy1")
    assert len([a for a in service.attempts if a.method == "PATCH"]) == 1


async def test_a_key_pressed_twice_opens_one_dialog(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path) as user:
        await user.sees(r"lot-000001")
        burst(user, "yy")
        await user.sees(r"╭─ Copy ")
        await user.settled()
        assert len(user.app.screen_stack) == 2


async def test_keys_typed_while_the_program_ends_end_with_it(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path) as user:
        await user.sees(r"lot-000001")
        burst(user, "jjjjj:qjjjjj")
        user.app.exit()
        burst(user, "jjj")
    assert user.app.return_code == 0


async def test_a_paste_takes_its_turn_among_the_keys(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path) as user:
        await user.sees(r"lot-000001")
        burst(user, "jle", "ctrl+u")
        user.app.post_message(events.Paste("pasted"))
        burst(user, " and typed", "enter", "ctrl+s")
        await user.sees(r"Change lot-000002")
        await user.sees(r"\+ pasted and typed")


async def test_what_is_pasted_ahead_goes_into_the_line_that_opens(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path) as user:
        await user.sees(r"lot-000001")
        burst(user, ":")
        user.app.post_message(events.Paste("lots/lot-000021"))
        burst(user, "enter")
        await user.sees(r"╭─ lot-000021 ")
