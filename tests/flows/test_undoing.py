"""Undo of what was sent by hand, and what its record's history tells of it."""

from pathlib import Path

from svc_tui.domain.model.requests import RequestSpec
from svc_tui.sandbox.server.inprocess import RunningService
from tests.browser import User, browser
from tests.flows.steps import heard, stored_field

LOTS = "/v1/operations/lots"


async def sent_by_hand(user: User, spec: RequestSpec, status: int) -> None:
    """Send a request from the console, and go back to the table."""
    console = await user.app.main.workspace.console()
    console.prefill(spec)
    await user.sees(rf"{spec.method} +.*{spec.path}")
    await user.press("ctrl+j")
    await user.sees(rf"✓ {status}")
    await user.press("escape")
    await user.until(lambda: not user.app.main.workspace.in_console, "the console is still open")


async def test_a_record_made_by_hand_is_undone_by_its_deletion(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path, place="lots") as user:
        await user.sees(r"lot-000001")
        await sent_by_hand(user, RequestSpec("POST", LOTS, body=b'{"name": "By hand"}'), 201)
        assert service.record("operations/lots", "lot-000301") is not None
        await user.press("u")
        await user.sees(r"↶ deleted again")
        await user.press("enter")
        await user.sees(r"Delete lot-000301")
        await user.sees(r"Looked through")
        await user.press("y")
        await heard(user, r"lot-000301 is deleted")
    assert service.record("operations/lots", "lot-000301") is None


async def test_what_was_changed_by_hand_is_taken_back_where_it_could_be_read_before(
    service: RunningService, tmp_path: Path
) -> None:
    async with browser(service, tmp_path, place="lots") as user:
        await user.sees(r"lot-000001")
        await sent_by_hand(user, RequestSpec("PATCH", f"{LOTS}/lot-000003", body=b'{"name": "By hand"}'), 200)
        await sent_by_hand(user, RequestSpec("DELETE", f"{LOTS}/lot-000004"), 204)
        await user.press("u")
        await user.sees(r"↶ made again, maybe under another id")
        await user.sees(r"↶ the old values again")
        await user.press("down", "enter")
        await user.sees(r'(?s)- "By hand".+\+ "\[/x\] Lot \[bold"')
        await user.sees(r"y Send")
        await user.press("y")
        await heard(user, r"lot-000003 is written")
    assert [a.method for a in service.attempts if a.method != "GET"] == ["PATCH", "DELETE", "PATCH"]
    assert stored_field(service, "name", "lot-000003") == "[/x] Lot [bold"


async def test_a_write_by_hand_is_in_the_history_of_its_record(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path, place="lots/lot-000003") as user:
        await user.until(lambda: user.app.main.workspace.panes.in_record, "no record is in focus")
        await sent_by_hand(user, RequestSpec("PATCH", f"{LOTS}/lot-000003", body=b'{"name": "By hand"}'), 200)
        entries = await user.store.journal(user.scope).entries(place="operations/lots/lot-000003")
        assert [entry.intent.target for entry in entries] == [f"{LOTS}/lot-000003"]
