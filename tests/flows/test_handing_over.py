"""From the screens to the reader: what goes along, and when one stays."""

from pathlib import Path

import pytest

from svc_tui.console.request_form import RequestForm
from svc_tui.console.request_line import UnsentRequest
from svc_tui.core.values import replace
from svc_tui.core.views import Sort, View
from svc_tui.sandbox.server.inprocess import RunningService
from svc_tui.session.hand_over import HandOver
from svc_tui.ui.table.open_collections import CursorPosition
from tests.browser import User, browser
from tests.flows.steps import RECORD, at_name, renamed
from tests.flows.test_console import at_console


async def test_place_edits_and_mask_go_along_to_the_reader(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path, place="lots") as user:
        await at_name(user)
        await renamed(user, "Not sent")
        await user.press("ctrl+o")
        await user.sees("MASKED")
        user.app.main.features.writes.tickets.last = "SUP-2"
        await user.press("ctrl+right_square_bracket")
        await user.until(lambda: user.app.handed_over is not None, "nothing was handed over")
        carried = user.app.handed_over
    assert carried is not None
    assert (carried.profile, carried.ticket, carried.masked) == ("test", "SUP-2", True)
    assert carried.place == "/v1/operations/lots"
    assert [(saved.record_id, dict(saved.draft.edits)) for saved in carried.drafts] == [(RECORD, {"name": "Not sent"})]


async def test_what_is_typed_in_a_dialog_is_not_lost_to_the_key(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path, place="lots") as user:
        await at_name(user)
        await user.press("e")
        await user.sees(r"(⏎|tab) Apply  esc Cancel")
        await user.types("half")
        await user.press("ctrl+right_square_bracket")
        await user.sees("Close this dialog first")
        assert "half" in user.text
        assert user.app.handed_over is None


async def test_the_palette_goes_on_in_lines_too(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path, place="tunnels") as user:
        await user.sees(r"╭─ operations / tunnels ")
        await user.press("ctrl+p")
        await user.types("switch to the reader")
        await user.sees(r"Reader +App +\^\]")
        await user.press("enter")
        await user.until(lambda: user.app.handed_over is not None, "nothing was handed over")
        assert user.app.handed_over == HandOver("test", "/v1/operations/tunnels", view=View())


async def test_filter_order_and_the_services_choice_go_along_to_the_reader(
    service: RunningService, tmp_path: Path
) -> None:
    async with browser(service, tmp_path, place="lots") as user:
        await user.sees(r"│ lot-000001\b")
        await user.press("slash")
        await user.types("?status=open grade:A")
        await user.press("enter")
        await user.sees(r"\?status=open ✕")
        await user.sees("filter grade:A")
        user.app.main.workspace.browse.arrangement.sort_by(Sort("massKg"))
        await user.sees("massKg ↑")
        await user.press("ctrl+right_square_bracket")
        await user.until(lambda: user.app.handed_over is not None, "nothing was handed over")
    carried = user.app.handed_over
    assert carried is not None
    assert carried.place == "/v1/operations/lots"
    assert carried.view == View("grade:A", Sort("massKg"), query=(("status", "open"),))


async def greeted(user: User) -> None:
    """Wait until whoever comes back is told where that is, and have it put away: it covers a part of the frame."""
    await user.sees(r"▌ SANDBOX · test")
    await user.puts_away_notices()


async def test_the_screens_go_on_in_the_list_that_the_reader_left(service: RunningService, tmp_path: Path) -> None:
    # Only a page far behind the first holds what is looked for.
    view = View("id:lot-000297")
    carried = HandOver("test", "/v1/operations/lots", view=view)
    async with browser(service, tmp_path, place=carried.place, carried=carried) as user:
        await greeted(user)
        await user.sees("filter id:lot-000297")
        await user.sees(r"│ lot-000297\b")
        assert user.app.main.workspace.browse.view == view
        assert "lot-000001" not in user.text


async def test_the_screens_go_on_at_a_record_of_a_filtered_list(service: RunningService, tmp_path: Path) -> None:
    shown = "lot-000008"
    carried = HandOver("test", f"/v1/operations/lots/{shown}", view=View("lot-00000", query=(("status", "open"),)))
    async with browser(service, tmp_path, place=carried.place, carried=carried) as user:
        await user.sees(rf"─ {shown} ─")
        browse = user.app.main.workspace.browse
        assert browse.view == carried.view
        await user.until(lambda: browse.cursor.position.record_id == shown, "the cursor is elsewhere")
        await user.press("escape")
        await greeted(user)
        await user.sees(r"\?status=open ✕ · filter lot-00000 ✕")


async def left_among_filtered_rows(service: RunningService, state: Path) -> tuple[HandOver, CursorPosition]:
    """Go on in the reader from the fifth of the rejected lots; what goes along, and where the cursor was."""
    async with browser(service, state, place="lots") as user:
        await user.sees(r"│ lot-000001\b")
        await user.press("slash")
        await user.types("status:rejected")
        await user.press("enter")
        await user.sees("filter status:rejected ✕")
        await user.settled()
        await user.press("down", "down", "down", "down", "right")
        position = user.app.main.workspace.browse.cursor.position
        await user.press("ctrl+right_square_bracket")
        await user.until(lambda: user.app.handed_over is not None, "nothing was handed over")
        carried = user.app.handed_over
    assert carried is not None
    return carried, position


async def test_the_cursor_comes_back_to_its_record_among_filtered_rows(service: RunningService, tmp_path: Path) -> None:
    carried, position = await left_among_filtered_rows(service, tmp_path)
    async with browser(service, tmp_path, place=carried.place, carried=carried) as user:
        await greeted(user)
        await user.sees("filter status:rejected ✕")
        cursor = user.app.main.workspace.browse.cursor
        await user.until(lambda: cursor.position == position, "the cursor is elsewhere")


async def test_nobody_is_asked_anything_for_coming_back_and_the_cursor_waits_for_its_record(
    service: RunningService, tmp_path: Path
) -> None:
    carried, position = await left_among_filtered_rows(service, tmp_path)
    async with browser(service, tmp_path, place=carried.place, carried=carried, page_size=5) as user:
        await user.sees(r"match(es)? in 5 of 300 ")
        await user.settled()
        assert user.app.screen is user.app.main
        cursor = user.app.main.workspace.browse.cursor
        assert cursor.position != position
        await user.sees(r"ctrl\+l Load the rest")
        await user.press("ctrl+l")
        await user.until(lambda: cursor.position == position, "the cursor is elsewhere")


async def test_what_was_looked_for_on_the_screen_before_is_not_looked_for_again_when_the_reader_let_go_of_it(
    service: RunningService, tmp_path: Path
) -> None:
    async with browser(service, tmp_path, place="lots") as user:
        await user.sees(r"│ lot-000001\b")
        user.app.main.workspace.browse.set_service_query((("status", "open"),))
        await user.sees(r"\?status=open ✕")
    carried = HandOver("test", "/v1/operations/lots", view=View())
    async with browser(service, tmp_path, place=carried.place, carried=carried) as user:
        await user.sees(r"│ lot-000001\b")
        await user.settled()
        assert "status=open" not in user.text


async def test_a_request_that_was_typed_and_not_sent_goes_along(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path, place="lots") as user:
        await at_console(user)
        await user.types("GET lots/lot-000002")
        await user.press("enter")
        await user.sees("200 OK")
        await user.press("ctrl+u")
        await user.types("PATCH lots/lot-000002 note=damp")
        await user.sees(r"\+ ?note|PATCH lots/lot-000002 note=damp")
        await user.press("ctrl+right_square_bracket")
        await user.until(lambda: user.app.handed_over is not None, "nothing was handed over")
        carried = user.app.handed_over
    assert carried is not None
    form = RequestForm("PATCH", "lots/lot-000002", body='{"note":"damp"}')
    assert carried.request == UnsentRequest(form, on_show=True)


async def test_what_was_sent_does_not_go_along_and_half_a_line_does(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path, place="lots") as user:
        await at_console(user)
        await user.types("GET lots/lot-000002")
        await user.press("enter")
        await user.sees("200 OK")
        assert user.app.main.workspace.unsent_request is None
        await user.types(" no")
        await user.sees("@file here")
        await user.press("escape")
        request = user.app.main.workspace.unsent_request
        assert request == UnsentRequest(RequestForm("GET", "lots/lot-000002"), "GET lots/lot-000002 no")


@pytest.mark.parametrize("line", ["", "PATCH lots/lot-000002 no"])
async def test_the_console_holds_what_came_back_and_is_shown_where_it_was(
    service: RunningService, tmp_path: Path, line: str
) -> None:
    form = RequestForm("PATCH", "lots/lot-000002", body='{"note":"damp"}')
    request = UnsentRequest(form, line)
    text = line or "PATCH lots/lot-000002 note=damp"
    carried = HandOver("test", "/v1/operations/lots", view=View(), request=request)
    async with browser(service, tmp_path, place=carried.place, carried=carried) as user:
        await user.sees(r"│ lot-000001\b")
        await user.sees("Unsent request in the console")
        assert text not in user.text
        await user.press("4")
        await user.sees(text)
        assert user.app.main.workspace.unsent_request == replace(request, on_show=True)
    carried = replace(carried, request=replace(request, on_show=True))
    async with browser(service, tmp_path, place=carried.place, carried=carried) as user:
        await user.sees(text)
        assert "Unsent request" not in user.text
        await user.press("escape")
        await user.sees(r"│ lot-000001\b")
