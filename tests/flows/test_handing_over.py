"""From the screens to the reader: what goes along, and when one stays."""

from pathlib import Path

from svc_tui.domain.session.hand_over import HandOver
from svc_tui.sandbox.server.inprocess import RunningService
from tests.browser import browser
from tests.flows.steps import RECORD, at_name, renamed


async def test_place_edits_and_mask_go_along_to_the_reader(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path, place="lots") as user:
        await at_name(user)
        await renamed(user, "Not sent")
        await user.press("ctrl+o")
        await user.sees("MASKED")
        user.app.main.controllers.writes.reviewer.ticket = "SUP-2"
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
        await user.sees(rf"{RECORD} · name")
        await user.types("half")
        await user.press("ctrl+right_square_bracket")
        await user.sees("Close what is open here")
        assert "half" in user.text
        assert user.app.handed_over is None


async def test_the_palette_goes_on_in_lines_too(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path, place="tunnels") as user:
        await user.sees(r"╭─ operations / tunnels ")
        await user.press("ctrl+p")
        await user.types("in lines")
        await user.sees(r"Go on in lines \(reader\)")
        await user.press("enter")
        await user.until(lambda: user.app.handed_over is not None, "nothing was handed over")
        assert user.app.handed_over == HandOver("test", "/v1/operations/tunnels")
