"""From the smallest screen to the largest: every dialog fits, its buttons are in view, and nothing is cut off."""

from pathlib import Path

import pytest
from textual.geometry import Region
from textual.widget import Widget
from textual.widgets import Button, Input

from svc_tui.sandbox.server.inprocess import RunningService
from tests.browser import User, browser
from tests.flows.steps import RECORD, commanded

SIZES = [(60, 16), (80, 24), (100, 60), (200, 60), (300, 100)]

OPENED_BY = {
    "actions": ["x"],
    "sort": ["s"],
    "columns": ["o"],
    "summary": ["i"],
    "copy": ["y"],
    "add": ["a"],
    "edit": ["e"],
    "delete": ["delete"],
    "export": ["ctrl+e"],
    "go to": ["colon"],
    "catalogue": ["f2"],
    "journal": ["at"],
    "history": ["f8"],
    "help": ["question_mark"],
    "guide": ["question_mark", "f1"],
    "palette": ["ctrl+p"],
}
"""The dialogs that keys open on the table."""


def outside(user: User) -> list[str]:
    """What of the dialog that is open is not in view."""
    screen = user.app.screen
    whole = Region(0, 0, *user.app.size)
    frame = [found.first().region for found in [screen.query("#dialog")] if found]
    around = frame[0] if frame else whole
    pressed: list[Widget] = [*screen.query(Button), *screen.query(Input)]
    shown = [widget for widget in pressed if widget.display and widget.visible]
    unseen = [f"{widget!r} at {widget.region}" for widget in shown if not _in_view(widget, around)]
    return [f"the dialog at {region}" for region in frame if not whole.contains_region(region)] + unseen


def _in_view(widget: Widget, around: Region) -> bool:
    """Whether it is whole inside of the frame; a field may be scrolled to, a button may not have to be."""
    if isinstance(widget, Button):
        return around.contains_region(widget.region) and widget.region.width >= len(str(widget.label))
    return around.x <= widget.region.x and widget.region.right <= around.right


async def fits(user: User) -> None:
    """Wait until a dialog is open, and see that all of it is in view."""
    await user.until(lambda: user.app.screen is not user.app.main, "no dialog was opened")
    await user.until(
        lambda: user.app.screen.size == user.app.size and not outside(user), f"not in view: {outside(user)}"
    )


async def closed(user: User) -> None:
    """Leave the dialogs that are open."""
    while user.app.screen is not user.app.main:
        before = user.app.screen
        await user.press("escape")
        await user.until(lambda screen=before: user.app.screen is not screen, "the dialog stays")  # type: ignore[misc]
    await user.until(lambda: not user.app.main.asking, "a dialog is coming")


@pytest.mark.parametrize("size", SIZES, ids=str)
async def test_every_dialog_is_whole_in_view(service: RunningService, tmp_path: Path, size: tuple[int, int]) -> None:
    async with browser(service, tmp_path, place="lots", size=size) as user:
        await user.sees(RECORD)
        await user.press("l")
        for keys in OPENED_BY.values():
            for key in keys:
                before = user.app.screen
                await user.press(key)
                await user.until(lambda screen=before: user.app.screen is not screen, f"{key} opened nothing")  # type: ignore[misc]
            await fits(user)
            await closed(user)
        await commanded(user, "themes", "Themes…")
        await fits(user)
        await closed(user)


@pytest.mark.parametrize("size", SIZES, ids=str)
async def test_a_change_is_reviewed_with_its_buttons_in_view(
    service: RunningService, tmp_path: Path, size: tuple[int, int]
) -> None:
    async with browser(service, tmp_path, place=f"lots/{RECORD}", size=size) as user:
        await user.sees(rf"╭─ (lots / )?{RECORD} ")
        await user.until(lambda: user.app.main.workspace.panes.in_record, "the focus is not in the record")
        await user.press("e")
        await user.sees(r"(⏎|tab) Apply  esc Cancel")
        await user.press("ctrl+u", *"silver", "enter")
        await user.loses(r"(⏎|tab) Apply  esc Cancel")
        await user.press("ctrl+s")
        await user.sees(rf"Change {RECORD}")
        await fits(user)
        await user.sees(r"esc Keep the draft +y Send")
