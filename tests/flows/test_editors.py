"""The editors on the real app: a value inside another, and a reference searched in the collection it points at."""

from pathlib import Path

from svc_tui.core.jsontext import dumps, loads
from svc_tui.core.views import ChosenColumn
from svc_tui.sandbox.server.inprocess import RunningService
from tests.browser import User, browser

LOTS = "operations/lots"


async def at_column(user: User, path: str) -> None:
    """The cursor of the table on the value at `path` of lot-000002; nested ones become a column."""
    await user.sees(r"lot-000002")
    user.app.main.workspace.browse.choose_columns([ChosenColumn("id"), ChosenColumn(path)])
    await user.press("j", "l")
    await user.until(lambda: user.app.main.workspace.selection.path == path, "the cursor is elsewhere")


async def test_a_value_inside_another_is_edited_alone(service: RunningService, tmp_path: Path) -> None:
    before = loads(service.record(LOTS, "lot-000002") or "")
    assert isinstance(before, dict)
    assay = before["assay"]
    assert isinstance(assay, dict)
    async with browser(service, tmp_path, place="lots") as user:
        await at_column(user, "assay.auPpm")
        await user.press("e")
        await user.sees(r"(⏎|tab) Apply  esc Cancel")
        await user.sees(r"Number")
        await user.types("7.50")
        await user.press("enter", "ctrl+s")
        await user.sees(r"Change lot-000002")
        await user.press("y")
        await user.sees(r"Saved lot-000002")
    after = loads(service.record(LOTS, "lot-000002") or "")
    assert isinstance(after, dict)
    assert dumps(after["assay"]) == dumps(assay).replace(f'"auPpm":{assay["auPpm"]}', '"auPpm":7.50')


async def test_setting_an_inner_value_back_leaves_no_edit(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path, place="lots") as user:
        await at_column(user, "assay.auPpm")
        await user.press("e")
        await user.sees(r"(⏎|tab) Apply  esc Cancel")
        await user.press("up")
        await user.press("down", "enter")
        await user.loses(r"(⏎|tab) Apply  esc Cancel")
        await user.loses(r"1 draft")


async def test_a_reference_is_searched_where_it_points(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path, place="lots") as user:
        await at_column(user, "tunnelId")
        await user.press("e")
        await user.sees(r"Reference to operations/tunnels")
        await user.sees(r"tun-1\d  \w")
        await user.types("tun-11")
        await user.sees(r"tun-11  \w")
        await user.press("down", "enter")
        await user.sees(r"tun-11\*")
    asked = [attempt for attempt in service.attempts if "/operations/tunnels" in attempt.target]
    assert asked
    assert all(attempt.method == "GET" for attempt in asked)


async def test_a_reference_typed_before_the_first_page_is_taken_as_typed_until_it_is_known(
    service: RunningService, tmp_path: Path
) -> None:
    async with browser(service, tmp_path, place="lots") as user:
        await at_column(user, "tunnelId")
        service.faults.next("hold", method="GET", path="/v1/operations/tunnels")
        await user.press("e")
        await user.until(lambda: service.faults.held == 1, "the tunnels were not asked for")
        await user.types("tun-11")
        await user.press("enter")
        await user.sees(r"operations/tunnels is still loading\. Press ↓ and then enter")
        service.faults.release()
        await user.sees(r"tun-11  \w")
        await user.loses(r"as typed")
        await user.press("enter")
        await user.sees(r"tun-11\*")


async def test_the_whole_record_needs_a_terminal_that_can_be_lent(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path, place="lots") as user:
        await user.sees(r"lot-000001")
        await user.press("E")
        await user.sees(r"An editor can't be opened")
        assert user.app.is_running
