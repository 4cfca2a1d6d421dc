"""What is switched off says why: in the help, by its key, and in the same words."""

from pathlib import Path

from svc_tui.sandbox.server.inprocess import RunningService
from svc_tui.ui.help.help_screen import HelpScreen
from svc_tui.ui.keys.availability import COVERED_BY_CONSOLE, NOTHING_SOUGHT, NOTHING_TO_FIND_IN
from svc_tui.ui.keys.shortcuts import Shortcut, shortcuts
from svc_tui.ui.widgets.bars.key_bar import KeyBar
from svc_tui.ui.widgets.table.record_table import RecordTable
from tests.browser import User, browser
from tests.flows.steps import at_name, confirmed, renamed


def listed(user: User) -> dict[str, Shortcut]:
    """What the help would list now, by what it is called and its action."""
    return {shortcut.action: shortcut for shortcut in shortcuts(user.app, user.app.screen.active_bindings)}


def footer(user: User) -> dict[str, bool]:
    """The keys in the footer, by action, and whether each is greyed."""
    return {key.action: not key.enabled for key in user.app.main.query_one(KeyBar).keys}


async def helped(user: User, typed: str = "") -> None:
    """Open the help and search it."""
    await user.press("f1")
    await user.until(lambda: isinstance(user.app.screen, HelpScreen), "there is no help")
    await user.types(typed)


async def said(user: User, shortcut: Shortcut) -> str:
    """What the program says when this is to be done."""
    before = len(user.app.main.reports)
    await user.app.run_action(shortcut.action, shortcut.node)
    await user.until(lambda: len(user.app.main.reports) > before, f"{shortcut.action} says nothing")
    return user.app.main.reports[-1].body


async def test_a_key_says_the_reason_that_the_help_lists(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path, place="lots") as user:
        await user.sees(r"lot-000001")
        await user.until(lambda: user.app.main.workspace.selection.record is not None, "no record is under the cursor")
        off = [shortcut for shortcut in listed(user).values() if shortcut.why]
        assert {"review", "take_back", "follow", "peek", "tab(1)", "close_tab", "unarrange", "lock"} <= {
            shortcut.action for shortcut in off
        }
        for shortcut in off:
            assert await said(user, shortcut) == shortcut.why


async def test_a_key_says_its_reason_in_a_table_without_matches(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path, place="lots") as user:
        await user.sees(r"lot-000001")
        await user.press("slash")
        await user.types("status:nothing")
        await user.sees(r"No matches")
        await user.press("enter")
        await user.until(lambda: isinstance(user.app.focused, RecordTable), "the table has no focus")
        off = [shortcut for shortcut in listed(user).values() if shortcut.why]
        assert {"review", "take_back", "edit_whole"} <= {shortcut.action for shortcut in off}
        for shortcut in off:
            assert await said(user, shortcut) == shortcut.why


async def test_what_there_is_a_change_and_an_order_for_is_off_no_more(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path, place="lots") as user:
        await at_name(user)
        await user.until(lambda: user.app.main.workspace.selection.record is not None, "no record is under the cursor")
        before = listed(user)
        assert all(before[action].why for action in ("review", "take_back", "unarrange"))
        await renamed(user, "Other")
        await user.press("s")
        await user.sees(r"╭─ Sort ")
        await user.press("enter")
        await user.until(lambda: user.app.main.workspace.browse.view.sort is not None, "nothing is sorted")
        await user.until(lambda: user.app.screen is user.app.main, "the menu is open")
        await user.until(lambda: user.app.main.workspace.selection.field == "name", "the cursor is elsewhere")
        now = listed(user)
        assert not any(now[action].why for action in ("review", "take_back", "unarrange"))


async def test_help_lists_what_the_console_covers_and_the_footer_leaves_it_out(
    service: RunningService, tmp_path: Path
) -> None:
    async with browser(service, tmp_path, place="lots") as user:
        await user.sees(r"lot-000001")
        await user.press("right")
        await user.until(lambda: "edit" in footer(user), "the footer was not drawn")
        await user.press("4")
        await user.sees(r"╭─ Console ")
        await user.until(lambda: "edit" not in footer(user), "the footer is the table's")
        assert listed(user)["filter"].why == COVERED_BY_CONSOLE.reason
        await helped(user, "not available in the console")
        await user.sees(r"Filter the loaded records")
        await user.sees(r"Not available in the console")
        await user.loses(r"Send the request")


async def test_a_read_only_profile_is_the_reason_for_what_it_refuses(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path, place="lots", read_only=True) as user:
        await user.sees(r"lot-000001")
        await user.until(lambda: user.app.main.workspace.selection.record is not None, "no record is under the cursor")
        assert listed(user)["act('delete')"].why.startswith("This session is read-only")
        assert listed(user)["lock"].why.startswith("This session is read-only")


async def test_a_review_waits_greyed_while_a_write_is_on_its_way(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path, place="lots") as user:
        await at_name(user)
        await renamed(user, "Other")
        service.faults.next("hold", method="PATCH")
        await confirmed(user)
        await user.until(lambda: service.faults.held == 1, "nothing was sent")
        await user.until(lambda: footer(user).get("review") is True, "the footer does not grey it")
        assert listed(user)["review"].why == "A change is being sent."
        service.faults.release()
        await user.until(lambda: "review" not in footer(user), "the footer still has it")


async def test_a_tab_without_text_has_nothing_to_find_in(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path, place="lots/lot-000002") as user:
        await user.sees(r"╭─ lot-000002 ")
        await user.until(lambda: user.app.main.workspace.panes.in_record, "no record is in focus")
        assert listed(user)["find"].why == ""
        assert listed(user)["find_step(1)"].why == NOTHING_SOUGHT
        await user.press(*["right_curly_bracket"] * 3)
        await user.sees(r"No changes from this computer")
        await user.until(lambda: "find" in listed(user), "no key finds")
        assert listed(user)["find"].why == NOTHING_TO_FIND_IN


async def test_the_console_says_what_is_missing_for_its_keys(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path, place="lots") as user:
        await user.sees(r"lot-000001")
        await user.press("4")
        await user.sees(r"╭─ Console ")
        await user.until(lambda: "keep_key" in listed(user), "the console has no focus")
        assert listed(user)["keep_key"].why == "no idempotency key to reuse: no change was sent yet"
        await user.press("f7")
        await user.sees(r"no idempotency key to reuse: no change was sent yet")
        assert listed(user)["send"].why == "type a path first"
        await user.types("/operations/lots/lot-000002")
        await user.until(lambda: listed(user)["send"].why == "", "there is still something missing")
        await user.press("ctrl+j")
        await user.sees(r"200 OK")
        console = await user.app.main.workspace.console()
        assert [console.noop_reason(action, ()) for action in ("save", "open_place", "keep")] == ["", "", ""]
