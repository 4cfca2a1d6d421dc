"""An edit that was sent, and that the service answered with another value: it stays, and says so."""

from pathlib import Path

from svc_tui.sandbox.server.inprocess import RunningService
from tests.browser import browser
from tests.flows.steps import RECORD, at_name, changed_elsewhere, confirmed, heard, renamed
from tests.flows.test_outcomes import kept


async def test_what_the_service_did_not_take_stays_an_edit_that_says_so_over_a_restart(
    service: RunningService, tmp_path: Path
) -> None:
    async with browser(service, tmp_path, place="lots") as user:
        await at_name(user)
        await renamed(user, "Mine")
        service.faults.next("500", count=3, method="PATCH")
        await confirmed(user)
        await user.sees(r"y Send again")
        service.faults.next("hold", method="PATCH")
        await user.press("y")
        await user.until(lambda: service.faults.held == 1, "nothing was held")
        await changed_elsewhere(service, RECORD, name="Theirs")
        service.faults.release()
        await heard(user, r"lot-000002 was not changed")
        (told,) = [report.body for report in user.app.main.reports if "was not changed" in report.title]
        assert "Your value is kept as a draft. Press backspace to discard it." in told
        await user.sees(r"Mine\*")
        assert await kept(user) == [{"name": "Mine"}]
    async with browser(service, tmp_path, place="lots/lot-000002") as user:
        await heard(user, r"1 record has a draft not sent yet")
        await user.sees(r"\*name +Mine +Theirs")
        await user.sees(r"the service did not")
        await user.until(lambda: user.app.main.workspace.panes.in_record, "no record is in focus")
        await user.press("ctrl+s")
        await user.sees(r"(?s)Change lot-000002.+\+ Mine.+the service did not save this value")
        await user.press("escape")
        await user.loses(r"Change lot-000002")
        while user.app.main.workspace.selection.field != "name":
            await user.press("j")
        await user.press("backspace")
        await user.loses(r"the service did not")
        await user.until(lambda: len(user.app.main.features.drafting.drafts) == 0, "the edit is still there")
