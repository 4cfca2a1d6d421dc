"""A record full of markup, escape sequences and invisible characters is shown harmlessly wherever it is shown."""

import re
from pathlib import Path

from svc_tui.sandbox.seeds.hostile import HOSTILE_LOT
from svc_tui.sandbox.server.inprocess import RunningService
from tests.browser import User, browser

FORBIDDEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]")


def harmless(user: User) -> None:
    """Nothing on the screen hides or commands."""
    found = FORBIDDEN.search(user.text)
    assert not found, f"{found!r} reached the screen:\n{user.text}"


async def test_in_table_record_json_card_notice_journal_and_console(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path, place=f"lots/{HOSTILE_LOT}") as user:
        await user.sees(rf"╭─ {HOSTILE_LOT} ")
        await user.sees(r"name +\[/x\]␛\[2J")
        harmless(user)

        await user.until(lambda: user.app.main.workspace.panes.in_record, "no record is in focus")
        await user.press("right_curly_bracket")
        await user.sees(r'"name": "\[/x\]')
        harmless(user)

        await user.press("left_curly_bracket", "e")
        await user.sees(r"(⏎|tab) Apply  esc Cancel")
        await user.press("ctrl+u")
        await user.types("[bold]x[/")
        harmless(user)

        await user.press("enter", "ctrl+s")
        await user.sees(r'\+ "?\[bold\]x\[/')
        harmless(user)

        await user.press("y")
        await user.sees(rf"Saved {HOSTILE_LOT}")
        harmless(user)

        await user.press("at")
        await user.sees(r"─ Journal")
        await user.sees(r"\[bold\]x\[/")
        harmless(user)
        await user.press("escape")

        await user.press("4")
        await user.press("ctrl+u")
        await user.types(f"lots/{HOSTILE_LOT}?x=[/y]")
        harmless(user)
        await user.press("ctrl+j")
        await user.sees(r"[✓✕] (4\d\d|200) ")
        harmless(user)


async def test_in_a_title_made_of_a_place_and_in_an_error(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path) as user:
        await user.sees(r"lot-000001")
        await user.press("colon")
        await user.types("lots/[bold]x[")
        await user.press("enter")
        await user.sees(r"Could not load \[bold\]x\[")
        harmless(user)
