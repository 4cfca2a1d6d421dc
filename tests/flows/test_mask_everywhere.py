"""The mask on every screen: nothing of a person is shown on any of them, whenever it is put on."""

import re
from pathlib import Path

from svc_tui.core.jsontext import loads
from svc_tui.sandbox.server.inprocess import RunningService
from tests.browser import User, browser

WORKERS, WORKER = "workforce/workers", "wrk-0001"
LOOKS = ("Record", "JSON", "Raw", "History")
DIALOGS: dict[str, tuple[tuple[str, ...], str]] = {
    "editor": (("e",), r"⏎ Apply  esc Cancel"),
    "card": (("ctrl+s",), rf"Change {WORKER}"),
    "journal": (("at",), r"Journal"),
    "entry": (("at", "enter"), r"PATCH"),
    "menu": (("x",), rf"Actions on {WORKER}"),
    "references": (("R",), rf"References to {WORKER}"),
    "copies": (("y",), r"record as JSON"),
    "columns": (("o",), r"Columns"),
    "summary": (("i",), r"phone"),
    "export": (("ctrl+e",), r"Export workers"),
    "deletion": (("delete",), r"Delete"),
    "messages": (("ctrl+p", *"messages", "enter"), r"Messages"),
    "case": (("ctrl+p", *"case file", "enter"), r"[Cc]ase file"),
}
"""Keys that open each, from the phone of the worker whose change is not sent, and what is seen then."""


def personal(service: RunningService) -> list[str]:
    """What of the first worker must not be seen."""
    record = loads(service.record(WORKERS, WORKER) or "")
    assert isinstance(record, dict)
    return [str(record[name]) for name in ("name", "phone", "email")]


def named(user: User, texts: list[str]) -> list[str]:
    """Which of the texts stand on the screen, in whatever widget."""
    seen = re.sub(r"\s+", " ", user.text)
    return [text for text in texts if text in seen]


async def none_of(user: User, texts: list[str]) -> None:
    await user.until(lambda: not named(user, texts), f"on the screen: {named(user, texts)}")


async def turned(user: User, on: bool) -> None:
    """Press the key of the mask, and wait until it is so."""
    await user.press("ctrl+o")
    await user.until(lambda: user.app.main.privacy_mask.on is on, "the mask was not turned")


def written(user: User) -> object:
    """The phone number as the service has it."""
    record = user.app.main.workspace.selection.record
    return None if record is None else record.fields["phone"]


async def with_a_write_and_an_edit(user: User) -> None:
    """Write another phone number, then change it again without sending, the cursor on it."""
    await user.sees(rf"╭─ {WORKER} ")
    await user.until(lambda: user.app.main.workspace.panes.in_record, "no record is in focus")
    await user.press("home")
    for _ in range(40):
        if user.app.main.workspace.selection.field == "phone":
            break
        await user.press("j")
    for number in ("+49 30 5550 1111", "+49 30 5550 2222"):
        await user.press("e")
        await user.sees(r"(⏎|tab) Apply  esc Cancel")
        await user.press("ctrl+u")
        await user.types(number)
        await user.press("enter")
        await user.loses(r"(⏎|tab) Apply  esc Cancel")
        if number.endswith("1111"):
            await user.press("ctrl+s")
            await user.sees(rf"Change {WORKER}")
            await user.press("y")
            await user.sees(rf"Saved {WORKER}")
            await user.until(lambda number=number: written(user) == number, "the record is not read anew")  # type: ignore[misc]
    await user.puts_away_notices()
    await user.sees(r"draft: 1 field")


async def opened(user: User, keys: tuple[str, ...], seen: str) -> None:
    """Press the keys, the last of several once the dialog that it is for is there, and see what they open."""
    *first, last = keys
    if first:
        await user.press(*first)
        await user.until(lambda: user.app.screen is not user.app.main, "no dialog takes the last key")
        await user.settled()
    await user.press(last)
    await user.sees(seen)


async def back(user: User) -> None:
    """Close whatever dialogs are open."""
    await user.until(lambda: user.app.screen is not user.app.main or not user.app.main.asking, "a dialog is coming")
    while user.app.screen is not user.app.main:
        top = user.app.screen
        await user.press("escape")
        await user.until(lambda top=top: user.app.screen is not top, "the dialog stays")  # type: ignore[misc]
    await user.until(lambda: not user.app.main.asking, "still asking")


NUMBERS = ["+49 30 5550 1111", "+49 30 5550 2222"]


async def test_no_tab_and_no_dialog_that_opens_under_the_mask_names_anybody(
    service: RunningService, tmp_path: Path
) -> None:
    async with browser(service, tmp_path, place=f"workers/{WORKER}", size=(160, 40)) as user:
        texts = [*personal(service), *NUMBERS]
        await with_a_write_and_an_edit(user)
        await turned(user, True)
        await none_of(user, texts)
        for look in LOOKS:
            tabs = user.app.main.workspace.panes.record.tabs  # type: ignore[union-attr]
            await user.until(lambda tabs=tabs, look=look: tabs.tabs[tabs.chosen].name == look, f"not {look}")  # type: ignore[misc]
            await user.settled()
            await none_of(user, texts)
            await user.press("right_curly_bracket")
        await user.until(lambda: user.app.main.workspace.selection.field == "phone", "the cursor is elsewhere")
        for name, (keys, seen) in DIALOGS.items():
            if name == "editor":
                # It asks first, as it shows what is hidden.
                seen = r"The editor shows it"
            await opened(user, keys, seen)
            await user.settled()
            assert not named(user, texts), f"{name} shows {named(user, texts)}:\n{user.text}"
            await back(user)


async def test_a_dialog_that_is_open_is_hidden_with_everything_else_and_shown_again(
    service: RunningService, tmp_path: Path
) -> None:
    async with browser(service, tmp_path, place=f"workers/{WORKER}", size=(160, 40)) as user:
        texts = [*personal(service), *NUMBERS]
        await with_a_write_and_an_edit(user)
        written = len(service.attempts)
        for name, (keys, seen) in DIALOGS.items():
            await opened(user, keys, seen)
            await user.settled()
            dialog = user.app.screen
            await turned(user, True)
            await none_of(user, texts)
            assert user.app.screen is dialog, name
            # What can't be seen can't be agreed to.
            await user.press("y", "enter")
            await user.settled()
            assert user.app.screen is dialog, name
            assert not named(user, texts), f"{name} shows {named(user, texts)}:\n{user.text}"
            await turned(user, False)
            await back(user)
            await user.sees(re.escape(NUMBERS[1]))
        assert [attempt for attempt in service.attempts[written:] if attempt.method != "GET"] == []


async def test_a_filter_names_nobody_in_the_frame(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path, place="workers", size=(160, 40)) as user:
        texts = personal(service)
        await user.sees(re.escape(texts[0]))
        await user.press("slash")
        await user.types(f'name:"{texts[0]}"')
        await user.press("enter")
        await user.sees(r"filter name:")
        await turned(user, True)
        await none_of(user, [*texts, texts[0].casefold()])
        await user.puts_away_notices()
        await user.sees(r"filter name:▒+ ✕")
