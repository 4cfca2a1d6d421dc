"""Looking into a record: where its values lead, its answer, its history, and long texts whole."""

import asyncio
from pathlib import Path
from typing import Any

import pytest
from textual.strip import Strip

from svc_tui.client.client import SignedClient
from svc_tui.core.draft import Draft
from svc_tui.core.records import Page
from svc_tui.sandbox.server.inprocess import RunningService
from svc_tui.ui.widgets.record.field_list import FieldList
from tests.browser import User, browser
from tests.flows.steps import RECORD, sent

PLACE = f"lots/{RECORD}"


async def at(user: User, field: str) -> None:
    """Put the record pane's cursor on a field."""
    await user.sees(rf"╭─ {RECORD} ")
    await user.until(lambda: user.app.main.workspace.panes.in_record, "no record is in focus")
    for _ in range(40):
        if user.app.main.workspace.selection.field == field:
            return
        await user.press("j")
    raise AssertionError(f"no field {field}")


async def renamed(user: User, name: str) -> None:
    """Change the name, and have it sent."""
    await at(user, "name")
    await user.press("e")
    await user.sees(r"(⏎|tab) Apply  esc Cancel")
    await user.press("ctrl+u")
    await user.types(name)
    await user.press("enter")
    await sent(user)


async def test_enter_follows_a_reference_and_a_key_comes_back(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path, place=PLACE) as user:
        await at(user, "tunnelId")
        await user.press("enter")
        await user.sees(r"╭─ tun-\d\d ")
        await user.sees(r"operations / tunnels")
        await user.press("left_square_bracket")
        await user.sees(rf"╭─ {RECORD} ")


async def test_following_reads_the_record_once(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path, place=PLACE) as user:
        await at(user, "tunnelId")
        await user.press("f")
        await user.sees(r"╭─ tun-\d\d ")
        await user.settled()
    assert sum("/tunnels/tun-" in attempt.target for attempt in service.attempts) == 1


async def test_a_reference_to_nothing_says_so_and_stays(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path, place=PLACE) as user:
        await at(user, "tunnelId")
        main = user.app.main
        place, record = main.workspace.selection.place, main.workspace.selection.record
        assert place is not None
        assert record is not None
        main.features.drafting.put(place, Draft(record).with_value("tunnelId", "tun-99"))
        await user.sees(r"tun-99")
        await user.press("f")
        await user.sees(r"operations/tunnels/tun-99 does not exist \(404\)")
        assert main.workspace.selection.field == "tunnelId"
        await user.sees(rf"╭─ • {RECORD} ")


async def test_a_peek_shows_the_other_record_and_enter_goes_there(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path, place=PLACE) as user:
        await at(user, "workerId")
        await user.press("p")
        await user.sees(r"╭─ workforce/workers/wrk-\d+ ")
        await user.sees(r"id +wrk-\d+")
        await user.sees(r"⏎ Open  esc")
        await user.press("escape")
        await user.loses(r"⏎ Open  esc")
        assert user.app.main.workspace.selection.field == "workerId"
        await user.press("p")
        await user.sees(r"⏎ Open  esc")
        await user.press("enter")
        await user.sees(r"workforce / workers")
        await user.sees(r"╭─ wrk-\d+ ")


async def test_a_value_that_leads_nowhere_says_so(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path, place=PLACE) as user:
        await at(user, "massKg")
        for key in ("f", "p", "enter"):
            await user.press(key)
            await user.sees(r"does not reference a record")


async def test_a_pasted_url_of_the_service_lands_on_its_record(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path) as user:
        await user.sees(r"lot-000001")
        await user.press("colon")
        await user.types(f"{service.base_url}/v1/operations/lots/lot-000007?expand=all")
        await user.press("enter")
        await user.sees(r"╭─ lot-000007 ")


async def test_the_raw_tab_has_the_answer_that_the_service_gave(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path, place=PLACE) as user:
        await at(user, "id")
        await user.press("right_curly_bracket", "right_curly_bracket")
        await user.sees(rf"GET /v1/operations/lots/{RECORD}")
        await user.sees(r"200 OK")
        await user.sees(r"1 attempt")
        await user.sees(r"(?i)content-type: application/json")
        await user.sees(rf'\{{"id": ?"{RECORD}"')
        await user.sees(r"just now|\d+ s ago")


async def test_a_record_seen_as_a_row_is_read_alone_with_r(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path) as user:
        await user.sees(r"lot-000001")
        await user.press("enter")
        await user.sees(r"╭─ lot-000001 ")
        await user.press("right_curly_bracket", "right_curly_bracket")
        await user.sees(r"200 OK")
        await user.press("2", "j")
        await user.sees(r"╭─ lot-000002 ")
        await user.sees(r"loaded as part of")
        await user.press("r")
        await user.sees(r"GET /v1/operations/lots/lot-000002")


async def test_the_history_has_the_writes_to_this_record_and_each_whole(
    service: RunningService, tmp_path: Path
) -> None:
    async with browser(service, tmp_path, place=PLACE) as user:
        await at(user, "id")
        await user.press(*["right_curly_bracket"] * 3)
        await user.sees(r"No changes from this computer")
        await user.press(*["left_curly_bracket"] * 3)
        await renamed(user, "Renamed")
        await user.press(*["right_curly_bracket"] * 3)
        await user.sees(r'you +✓ done .*\n.*name: "Cob')
        # The history is listed once more when all of it is known.
        await user.settled()
        await user.press("enter")
        await user.sees(r"╭─ Change \d+ ")
        await user.sees(r"idempotency key")


async def test_a_nested_value_is_copied_by_itself(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path, place=PLACE) as user:
        await at(user, "assay")
        await user.press("l", "j")
        await user.sees(r"assay\.auPpm")
        await user.press("c")
        await user.sees(r"Copied.*\d characters")
        assert user.app.clipboard.replace(".", "").isdigit()


async def test_finding_in_the_record_leaves_the_table_alone(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path, place=PLACE) as user:
        await at(user, "id")
        await user.press("slash")
        await user.types("lab")
        await user.press("enter")
        await user.sees(r"1 of 1")
        await user.sees(r"assay\.lab")
        assert user.app.main.workspace.browse.view.filter == ""


async def test_a_terminal_that_can_not_be_lent_is_one_notice(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path, place=PLACE) as user:
        await at(user, "name")
        await user.press("f3")
        await user.sees(r"A pager can't be opened|No pager was found")
        await user.sees(rf"╭─ {RECORD} ")


async def test_an_empty_field_goes_to_its_kind_when_the_rows_come_after_the_record(
    service: RunningService, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked_for, read = asyncio.Event(), SignedClient.page

    async def held_back(*args: Any, **named: Any) -> Page:
        await asked_for.wait()
        return await read(*args, **named)

    monkeypatch.setattr(SignedClient, "page", held_back)
    async with browser(service, tmp_path, place=PLACE, size=(200, 40)) as user:
        await at(user, "tunnelId")
        await user.sees(r"(?s)massKg.*openedAt.*tunnelId.*moisturePct +∅")
        asked_for.set()
        # What kind of values it holds is told by the rows beside the record alone.
        await user.sees(r"(?s)massKg.*moisturePct +∅.*openedAt.*tunnelId")
        assert user.app.main.workspace.selection.field == "tunnelId"


@pytest.mark.parametrize("size", [(120, 40), (200, 60), (80, 24)])
async def test_a_record_is_laid_out_once_before_it_is_painted(
    service: RunningService, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, size: tuple[int, int]
) -> None:
    painted: set[int] = set()
    render_line = FieldList.render_line

    def spy(fields: FieldList, y: int) -> Strip:
        painted.add(fields.virtual_size.height)
        return render_line(fields, y)

    monkeypatch.setattr(FieldList, "render_line", spy)
    async with browser(service, tmp_path, place="lots", size=size) as user:
        await user.sees(r"lot-000001 ")
        await user.press("enter")
        await user.sees(r"─ (lots / )?lot-000001 ")
        await user.sees(r"massKg")
    assert len(painted) == 1
