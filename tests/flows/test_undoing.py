"""Undo of what was sent by hand, and what its record's history tells of it."""

from datetime import UTC, datetime
from pathlib import Path

from svc_tui.core.draft import Draft
from svc_tui.core.requests import RequestSpec
from svc_tui.sandbox.seeds.hostile import MARKUP_LOT
from svc_tui.sandbox.server.inprocess import RunningService
from svc_tui.storage.journal_entries import Intent, Outcome
from tests.browser import User, browser
from tests.flows.steps import RECORD, at_name, changed_elsewhere, heard, renamed, sent, sent_from_console, stored_field

LOTS = "/v1/operations/lots"


async def sent_by_hand(user: User, spec: RequestSpec, status: int) -> None:
    """Send a request from the console, and go back to the table."""
    console = await user.app.main.workspace.console()
    console.prefill(spec)
    await user.sees(rf"{spec.method} +.*{spec.path}")
    await sent_from_console(user)
    await user.sees(rf"✓ {status}")
    await user.press("escape")
    await user.until(lambda: not user.app.main.workspace.in_console, "the console is still open")


async def test_a_record_made_by_hand_is_undone_by_its_deletion(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path, place="lots") as user:
        await user.sees(r"lot-000001")
        await sent_by_hand(user, RequestSpec("POST", LOTS, body=b'{"name": "By hand"}'), 201)
        assert service.record("operations/lots", "lot-000301") is not None
        await user.press("u")
        await user.sees(r"Deletes the new record")
        await user.press("enter")
        await user.sees(r"Undo: delete lot-000301")
        await user.sees(r"Searched")
        await user.press("y")
        await heard(user, r"Undone: deleted lot-000301")
    assert service.record("operations/lots", "lot-000301") is None


async def test_a_record_that_changed_since_it_was_made_is_deleted_only_after_that_was_looked_at(
    service: RunningService, tmp_path: Path
) -> None:
    async with browser(service, tmp_path, place="lots") as user:
        await user.sees(r"lot-000001")
        await sent_by_hand(user, RequestSpec("POST", LOTS, body=b'{"name": "By hand"}'), 201)
        await changed_elsewhere(service, "lot-000301", note="from elsewhere")
        for answer in ("escape", "y"):
            await user.press("u")
            await user.sees(r"Deletes the new record")
            await user.press("enter")
            await user.sees(r"lot-000301 changed later")
            await user.sees(r"Undo deletes the record and these changes\.[\s\S]+note[\s\S]+\+ from elsewhere")
            await user.press(answer)
            await user.loses(r"changed later")
        assert service.record("operations/lots", "lot-000301") is not None
        await user.sees(r"Undo: delete lot-000301[\s\S]+Searched")
        await user.press("y")
        await heard(user, r"Undone: deleted lot-000301")
    assert service.record("operations/lots", "lot-000301") is None


async def test_the_undo_of_a_change_asks_where_other_fields_changed_since(
    service: RunningService, tmp_path: Path
) -> None:
    async with browser(service, tmp_path, place="lots") as user:
        await at_name(user)
        await renamed(user, "Once")
        await sent(user)
        await heard(user, rf"Saved {RECORD}")
        await changed_elsewhere(service, RECORD, note="from elsewhere")
        await user.press("u")
        await user.sees(r"Restores ")
        await user.press("enter")
        await user.sees(rf"{RECORD} changed later")
        await user.sees(r"Undo does not change these fields\.")
        await user.press("y")
        await user.sees(r"\+ Cobalt doré 2")
        await user.sees(r"y Send")
        await user.press("y")
        await heard(user, rf"Undone: change of {RECORD}")
    assert stored_field(service, "name") == "Cobalt doré 2"
    assert stored_field(service, "note") == "from elsewhere"


async def test_a_change_that_adds_a_field_says_that_it_stays(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path, place=f"lots/{RECORD}") as user:
        await user.until(lambda: user.app.main.workspace.selection.record is not None, "the record never came")
        selection = user.app.main.workspace.selection
        assert selection.place is not None
        assert selection.record is not None
        user.app.main.features.drafting.put(selection.place, Draft(selection.record).with_value("carrier", "Northern"))
        await user.press("ctrl+s")
        await user.sees(r"\+ Northern\s+│.*\n.*! This field is new\. You can change it, but not remove it\.")


async def test_changes_of_one_field_are_told_apart_by_their_values(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path, place="lots", size=(120, 30)) as user:
        await at_name(user)
        for count, name in enumerate(("Once", "Twice"), 1):
            await renamed(user, name)
            await sent(user)
            await heard(user, rf"Saved {RECORD}", count)
        await user.press("u")
        await user.sees(rf"Change {RECORD}  name +│")
        await user.sees(r"name  Once → Twice")
        await user.sees(rf"Change {RECORD}  name  Cobalt doré 2 → Once")


async def test_an_undo_that_is_cancelled_leaves_nothing_in_the_way_of_the_next(
    service: RunningService, tmp_path: Path
) -> None:
    async with browser(service, tmp_path, place="lots") as user:
        await at_name(user)
        await renamed(user, "Once")
        await sent(user)
        await heard(user, rf"Saved {RECORD}")
        for leave in ("escape", "y"):
            await user.press("u")
            await user.sees(r"Restores ")
            await user.press("enter")
            await user.sees(r"esc Cancel +y Send")
            await user.press(leave)
            await user.loses(r"y Send")
            await user.until(lambda: not user.app.main.context.drafts.places, "the undo's edits stay")
        await heard(user, rf"Undone: change of {RECORD}")
    assert stored_field(service, "name") == "Cobalt doré 2"


async def test_an_undo_leaves_the_cursor_on_its_field_and_says_undone(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path, place="lots") as user:
        await at_name(user)
        await renamed(user, "Once")
        await sent(user)
        await heard(user, rf"Saved {RECORD}")
        table = user.app.main.workspace.browse.table
        before = (table.cursor_row, table.cursor_field, user.app.main.workspace.panes.record_open)
        await user.press("u")
        await user.sees(r"Restores ")
        await user.press("enter")
        await user.sees(r"y Send")
        await user.press("y")
        await heard(user, rf"Undone: change of {RECORD}")
        await user.settled()
        assert (table.cursor_row, table.cursor_field, user.app.main.workspace.panes.record_open) == before
        assert table.has_focus
    assert stored_field(service, "name") == "Cobalt doré 2"


async def test_what_was_changed_by_hand_is_taken_back_where_it_could_be_read_before(
    service: RunningService, tmp_path: Path
) -> None:
    async with browser(service, tmp_path, place="lots") as user:
        await user.sees(r"lot-000001")
        await sent_by_hand(user, RequestSpec("PATCH", f"{LOTS}/{MARKUP_LOT}", body=b'{"name": "By hand"}'), 200)
        await sent_by_hand(user, RequestSpec("DELETE", f"{LOTS}/lot-000004"), 204)
        await user.press("u")
        await user.sees(r"Creates it again \(new id possible\)")
        await user.press("down")
        await user.sees(r"Restores ")
        await user.press("enter")
        await user.sees(r'(?s)- By hand.+\+ "\[/x\] Lot \[bold')
        await user.sees(r"y Send")
        await user.press("y")
        await heard(user, rf"Undone: change of {MARKUP_LOT}")
    assert [a.method for a in service.attempts if a.method != "GET"] == ["PATCH", "DELETE", "PATCH"]
    assert stored_field(service, "name", MARKUP_LOT) == "[/x] Lot [bold"


async def test_a_write_by_hand_is_in_the_history_of_its_record(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path, place="lots/lot-000003") as user:
        await user.until(lambda: user.app.main.workspace.panes.in_record, "no record is in focus")
        await sent_by_hand(user, RequestSpec("PATCH", f"{LOTS}/lot-000003", body=b'{"name": "By hand"}'), 200)
        entries = await user.store.journal(user.scope).entries(place="operations/lots/lot-000003")
        assert [entry.intent.target for entry in entries] == [f"{LOTS}/lot-000003"]


async def test_what_was_found_in_the_record_is_not_said_to_be_nowhere_once_its_change_is_taken_back(
    service: RunningService, tmp_path: Path
) -> None:
    async with browser(service, tmp_path, place=f"lots/{RECORD}") as user:
        await user.sees(rf"╭─ {RECORD} ")
        await user.settled()
        await user.press("slash")
        await user.types("priority")
        await user.press("enter")
        await user.sees(r"1 of 1 │")
        await user.press("e")
        await user.sees(r"⏎ Apply  esc Cancel")
        await user.types("low")
        await user.press("enter")
        await user.loses(r"⏎ Apply  esc Cancel")
        await sent(user)
        await user.press("u")
        await user.sees(r"Restores ")
        await user.press("enter")
        await user.sees(rf"Undo: change {RECORD}")
        await user.settled()
        assert "nowhere" not in user.text
        await user.press("y")
        await heard(user, rf"Undone: change of {RECORD}")
        await user.settled()
        assert "nowhere" not in user.text


async def test_a_success_offers_its_proof_and_a_key_copies_it(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path, place="lots") as user:
        await at_name(user)
        await user.press("Y")
        await heard(user, r"No changes in this session")
        await user.loses(r"u Undo")
        await renamed(user, "For the ticket")
        await sent(user)
        await heard(user, r"Saved lot-000002\. Press u to undo\. Y copies a summary\.")
        await user.sees(r"✓ Saved lot-000002[\s\S]+ u Undo… ")
        await user.press("Y")
        await user.until(lambda: "✓ done · 200" in user.app.clipboard, "the proof was not copied")
        proof = user.app.clipboard
        (entry,) = await user.store.journal(user.scope).entries()
        assert entry.outcome is not None
        for words in ("- Cobalt doré 2", "+ For the ticket", "SANDBOX", entry.outcome.request_id or "nothing"):
            assert words in proof
        assert service.key("sandbox").api_key not in proof


async def test_a_write_of_unknown_outcome_can_be_taken_back(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path, place="lots") as user:
        await user.sees(r"lot-000001")
        journal = user.store.journal(user.scope)
        target = f"{LOTS}/lot-000003"
        place, now = "operations/lots/lot-000003", datetime.now(UTC)
        now_there = {"name": str(stored_field(service, "name", "lot-000003"))}
        intent = Intent(now, "PATCH", target, place, "key-1", {"name": "Before"}, now_there)
        await journal.conclude(await journal.intend(intent), Outcome(now, "unknown"))
        await user.press("u")
        await user.sees(r"Restores .*, if the change was saved")
        await user.press("enter")
        # A notice may cover the rest.
        await user.sees(r"\+ Before")
        await user.settled()
        await user.press("y")
        await heard(user, r"Undone: change of lot-000003")
    assert stored_field(service, "name", "lot-000003") == "Before"


async def test_what_may_have_been_deleted_is_not_made_twice(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path, place="lots") as user:
        await user.sees(r"lot-000001")
        journal = user.store.journal(user.scope)
        place, now = "operations/lots/lot-000003", datetime.now(UTC)
        intent = Intent(now, "DELETE", f"{LOTS}/lot-000003", place, "key-1", {"id": "lot-000003", "name": "Before"})
        await journal.conclude(await journal.intend(intent), Outcome(now, "unknown"))
        await user.press("u")
        await user.sees(r"Creates it again \(new id possible\), if the change was saved")
        await user.press("enter")
        await heard(user, r"lot-000003 still exists\. The record was not deleted, so there is nothing to undo\.")
    assert {attempt.method for attempt in service.attempts} == {"GET"}


async def test_a_write_is_taken_back_from_the_journal_whose_keys_are_listed(
    service: RunningService, tmp_path: Path
) -> None:
    async with browser(service, tmp_path, place="lots") as user:
        await at_name(user)
        await renamed(user, "Once")
        await sent(user)
        await heard(user, r"Saved lot-000002")
        await user.press("at")
        await user.sees(r"─ Journal")
        await user.press("question_mark")
        await user.sees(r"Undo this change or this run")
        await user.press("escape")
        await user.loses(r"Undo this change or this run")
        await user.press("u")
        await user.sees(r"\+ Cobalt doré 2")
        await user.sees(r"y Send")
        await user.press("y")
        await heard(user, r"Undone: change of lot-000002")
    assert stored_field(service, "name") == "Cobalt doré 2"


async def test_a_field_that_others_added_meanwhile_is_no_new_one(service: RunningService, tmp_path: Path) -> None:
    ids = (f"lot-{number:06}" for number in range(1, 300))
    without_note = next(one for one in ids if "note" not in (service.record("operations/lots", one) or {"note": ""}))
    async with browser(service, tmp_path, place=f"lots/{without_note}") as user:
        await user.until(lambda: user.app.main.workspace.selection.record is not None, "the record never came")
        selection = user.app.main.workspace.selection
        assert selection.place is not None
        assert selection.record is not None
        user.app.main.features.drafting.put(selection.place, Draft(selection.record).with_value("note", "mine"))
        await changed_elsewhere(service, without_note, note="theirs")
        await user.press("ctrl+s")
        await user.sees(r"y Resolve conflict…")
        await user.sees(r"- theirs\s+│.*\n.*\+ mine")
        assert "This field is new" not in user.text
