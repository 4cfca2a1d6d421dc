"""Tabs of a record beyond its fields, where what hangs under it is a table like any other, and its menu of actions."""

from pathlib import Path

from svc_tui.sandbox.server.inprocess import RunningService
from svc_tui.ui.finder.results_list import ResultsList
from tests.browser import User, browser
from tests.flows.steps import goes_to

LOT, PLACE = "lot-000003", "lots/lot-000003"
FIRST, SECOND = "att-000003-01", "att-000003-02"


def asked(service: RunningService) -> list[str]:
    """The requests for attachments so far."""
    return [attempt.target for attempt in service.attempts if "/attachments" in attempt.target]


async def to_tab(user: User, name: str) -> None:
    """Open the tab of that name of the record in focus."""
    await user.until(lambda: user.app.main.workspace.panes.in_record, "no record is in focus")
    tabs = user.app.main.workspace.panes.record.tabs  # type: ignore[union-attr]
    names = [tab.name for tab in tabs.tabs]
    await user.press(*["right_curly_bracket"] * ((names.index(name) - tabs.chosen) % len(names)))
    await user.until(lambda: tabs.tabs[tabs.chosen].name == name, f"the tab {name} did not open")
    await user.until(lambda: user.app.main.workspace.panes.in_record, "the tab has no focus")


async def at_attachments(user: User) -> None:
    await user.sees(rf"╭─ {LOT} ")
    await to_tab(user, "attachments")
    await user.sees(FIRST)
    await user.until(lambda: user.app.main.workspace.panes.active_table.collection is not None, "no table is at hand")
    await user.until(
        lambda: getattr(user.app.main.workspace.panes.active_table.collection, "name", "") == "attachments",
        "the attachments are not at hand",
    )


async def test_attachments_are_asked_for_when_their_tab_is_shown_and_not_before(
    service: RunningService, tmp_path: Path
) -> None:
    async with browser(service, tmp_path, place=PLACE, size=(200, 40)) as user:
        await user.sees(rf"╭─ {LOT} ")
        await user.sees(r"Record  JSON  Raw  History  attachments")
        await to_tab(user, "JSON")
        assert asked(service) == []
        await at_attachments(user)
        await user.sees(r"1–2 of 2 ─╯")
        assert len(asked(service)) == 1
        await to_tab(user, "Record")
        await at_attachments(user)
        assert len(asked(service)) == 1, "coming back costs nothing"


async def test_enter_opens_an_attachment_and_the_way_back_leads_to_the_tab(
    service: RunningService, tmp_path: Path
) -> None:
    async with browser(service, tmp_path, place="lots/lot-000001", size=(200, 40)) as user:
        await user.sees(r"╭─ lot-000001 ")
        await user.sees(rf"│ {LOT}\b")
        # The cursor leads to another record: nobody went there by name.
        await user.press("2", "j", "j", "3")
        await at_attachments(user)
        await user.press("j", "enter")
        await user.sees(rf"╭─ {SECOND} ")
        await user.sees(r"Record  JSON  Raw  History +│")
        await user.press("left_square_bracket")
        await user.sees(rf"╭─ {LOT} ")
        await user.sees(FIRST)
        await user.until(
            lambda: getattr(user.app.main.workspace.panes.active_table.table.cursor_record, "id", "") == SECOND,
            "the cursor is elsewhere",
        )


async def test_keys_of_a_table_are_about_the_one_in_focus(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path, place=PLACE, size=(200, 40)) as user:
        await at_attachments(user)
        await user.sees(r"of 300")
        await user.press("slash")
        await user.types("000003-02")
        await user.loses(FIRST)
        await user.press("enter")
        await user.sees(r"1 match in 2 · filter 000003-02 ✕")
        assert "1–36 of 300" in user.text or "of 300" in user.text, "the table of lots is as it was"
        await user.press("space")
        await user.sees(r"1 marked")
        await user.press("minus")
        await user.sees(FIRST)
        await user.press("c")
        await user.until(lambda: user.app.clipboard in (FIRST, SECOND), "the id was not copied")
        workspace = user.app.main.workspace
        assert workspace.selection.place is not None
        assert workspace.selection.place.key.startswith(f"operations/lots/{LOT}/attachments/")
        assert not workspace.browse.marking.records


async def test_an_edit_of_an_attachment_is_marked_in_the_tab(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path, place=PLACE, size=(200, 40)) as user:
        await at_attachments(user)
        await user.press("l")
        columns = user.app.main.workspace.panes.active_table.table.columns
        at = [column.name for column in columns].index("fileName")
        await user.press(*["l"] * (at - 1))
        await user.press("e")
        await user.sees(r"(⏎|tab) Apply  esc Cancel")
        await user.press("ctrl+u")
        await user.types("new.pdf")
        await user.press("enter")
        await user.sees(r"new\.pdf\*")
        await user.sees(r"1 draft")
        await to_tab(user, "Record")
        await at_attachments(user)
        await user.sees(r"new\.pdf\*")


async def test_the_menu_of_actions_shows_the_request_of_the_one_under_the_cursor(
    service: RunningService, tmp_path: Path
) -> None:
    async with browser(service, tmp_path, place=PLACE, size=(200, 40)) as user:
        await user.sees(rf"╭─ {LOT} ")
        await user.press("x")
        await user.sees(r"POST +Split a lot")
        await user.sees(rf"POST /v1/operations/lots/{LOT}/split +│")
        await user.sees(r"fill in parts; review before sending")
        await user.press("enter")
        await user.sees(rf"Split a lot · {LOT}")
        await user.press("escape")
        await user.loses(rf"Split a lot · {LOT}")
        await user.press("x", "ctrl+end")
        await user.sees(rf"DELETE /v1/operations/lots/{LOT} +│")
        await user.sees(r"asks for confirmation")
        await user.press("ctrl+home", "down")
        await user.sees(r"GET /v1/operations/hash-chain/verify\S+ +│")
        await user.sees(r"changes nothing")
        await user.press("enter")
        await user.sees(r"✓ The chain is valid|✕ The chain is broken")


async def test_an_action_that_was_refused_for_lack_of_a_scope_says_so(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path, place=PLACE, key="read-only", size=(200, 40)) as user:
        await user.sees(rf"╭─ {LOT} ")
        await user.press("x")
        await user.sees(r"fill in parts")
        assert "does not have the scope" not in user.text
        await user.press("enter")
        await user.sees(rf"Split a lot · {LOT}")
        await user.types("[1, 2]")
        await user.press("ctrl+s")
        await user.sees(r"y [Ss]end|Send")
        await user.press("y")
        await user.sees(r"insufficient_scope")
        await user.press("escape")
        await user.loses(rf"Split a lot · {LOT}")
        await user.sees(r"│ lot-000004\b")
        # Another record's too: the scope is the route's.
        await user.press("2", "j", "3")
        await user.sees(r"╭─ lot-000004 ")
        await user.press("x")
        await user.sees(r"Split a lot +✕ the key does not have the scope")


async def test_an_attachment_that_is_deleted_in_its_tab_leaves_the_record_open(
    service: RunningService, tmp_path: Path
) -> None:
    async with browser(service, tmp_path, place=PLACE, size=(200, 40)) as user:
        await at_attachments(user)
        await user.press("delete")
        await user.sees(rf"Delete {FIRST}|{FIRST}.*delete")
        await user.until(lambda: user.app.screen is not user.app.main, "no question")
        # Before that is known, y deletes nothing.
        await user.sees(r"Searched")
        await user.press("y")
        await user.sees(rf"Deleted {FIRST}")
        # The notice stands on the frame in which the count is.
        user.app.clear_notifications()
        await user.sees(r"1–1 of 1 ")
        await user.sees(rf"╭─ {LOT} ")
        await user.sees(SECOND)


async def test_a_tab_stays_open_from_record_to_record_until_the_record_is_closed(
    service: RunningService, tmp_path: Path
) -> None:
    async with browser(service, tmp_path, place=PLACE) as user:
        await user.sees(rf"╭─ {LOT} ")
        await user.press("right_curly_bracket")
        await user.sees(rf'"id": "{LOT}"')
        await goes_to(user, "lots/lot-000004")
        await user.sees(r'"id": "lot-000004"')
        await user.press("escape")
        await user.loses(r'"id": "lot-000004"')
        await goes_to(user, "lots/lot-000005")
        await user.sees(r"id +lot-000005")


async def test_own_keys_for_the_former_lists_of_actions_and_references_work_in_the_dialogs(
    service: RunningService, tmp_path: Path
) -> None:
    keys = '[keys]\n"actions.last" = "f7"\n"actions.up" = "f6"\n"pointers.down" = "f7"\n"pointers.first" = "f6"\n'
    (tmp_path / "config.toml").write_text(keys)
    async with browser(service, tmp_path, place=PLACE, size=(200, 40)) as user:
        await user.sees(rf"╭─ {LOT} ")
        await user.press("x", "f7")
        await user.sees(rf"DELETE /v1/operations/lots/{LOT} +│")
        await user.press(*["f6"] * 8)
        await user.sees(rf"POST /v1/operations/lots/{LOT}/split +│")
        await user.press("escape")
        await goes_to(user, "tunnels/tun-09")
        await user.sees(r"╭─ tun-09 ")
        selection = user.app.main.workspace.selection
        await user.until(lambda: selection.record is not None, "the record is not loaded")
        await user.press("R")
        await user.sees(r"tunnelId: [1-9]\d* in ")
        results = user.app.screen.query_one(ResultsList)
        await user.press("f7")
        await user.until(lambda: results.highlighted == 1, "the cursor did not go down")
        await user.press("f6")
        await user.until(lambda: results.highlighted == 0, "the cursor did not go to the first line")
