"""New records, deletions, actions, nested collections, verdicts and undo, told by what is stored and journalled."""

from pathlib import Path

import pytest
from textual import events

from svc_tui.sandbox.seeds.custody import BROKEN_INDEX, BROKEN_TUNNEL
from svc_tui.sandbox.server.inprocess import RunningService
from svc_tui.storage.journal_entries import JournalEntry
from tests.browser import User, browser
from tests.flows.steps import at_name, heard, held_back, renamed, sent, stored, unfolded, unlocked

LOTS = "operations/lots"


def arrived(service: RunningService, method: str) -> list[str]:
    """The idempotency keys of the requests of a method, in order."""
    return [attempt.idempotency_key or "" for attempt in service.attempts if attempt.method == method]


async def journal(user: User) -> list[JournalEntry]:
    """What the journal holds, newest first."""
    return await user.store.journal(user.scope).entries()


async def at_line(user: User, name: str) -> None:
    """Put the cursor on a line of the form."""
    from svc_tui.ui.dialogs.form import FormFieldInput

    await user.until(lambda: bool(list(user.app.screen.query(FormFieldInput))), "no form is open")
    for _ in range(40):
        row = next((row for row in user.app.screen.query(FormFieldInput) if row.has_focus_within), None)
        if row is not None and row.line.name == name:
            return
        await user.press("down")
    raise AssertionError(f"no line {name}:\n{user.text}")


async def filled(user: User, **values: str) -> None:
    """Type values into lines of the form."""
    for name, value in values.items():
        await at_line(user, name)
        await user.press("ctrl+u")
        await user.types(value)


async def new_lot(user: User, **values: str) -> None:
    """Open the form for a new lot, and fill it in."""
    await user.sees(r"lot-000001")
    await user.press("a")
    await user.sees(r" New record in operations/lots [─═]")
    await filled(user, **values)


async def agreed(user: User, title: str) -> None:
    """Review what is in the form, and have it sent."""
    await user.press("ctrl+s")
    await user.sees(rf"{title}[\s\S]*y Send")
    await user.press("y")


async def test_a_new_record_is_made_of_what_was_filled_in_and_nothing_else(
    service: RunningService, tmp_path: Path
) -> None:
    async with browser(service, tmp_path, place="lots") as user:
        await new_lot(user, name="Made by hand", massKg="12.50")
        await user.press("ctrl+s")
        await user.sees(r"New record in operations/lots")
        await user.sees(r"POST /v1/operations/lots")
        card = user.text
        assert '{"name":"Made by hand","massKg":12.50}' in card or '{"massKg":12.50,"name":"Made by hand"}' in card
        await user.press("h")
        await user.sees(r"Idempotency-Key")
        await user.press("y")
        await heard(user, r"Created lot-000301")
        await user.sees(r"╭─ lot-000301 ")
        made = stored(service, "lot-000301")
        assert made is not None
        assert (made["name"], str(made["massKg"]), made["status"]) == ("Made by hand", "12.50", "open")
        assert "mineral" not in made
        entry, *others = await journal(user)
        assert not others
        assert entry.intent.after is not None
        assert set(entry.intent.after) == {"name", "massKg"}
        assert entry.outcome is not None
        assert (entry.outcome.result, entry.outcome.made) == ("done", "lot-000301")
    assert len(arrived(service, "POST")) == 1


async def test_null_and_the_empty_text_can_be_sent_and_nested_values_are_json(
    service: RunningService, tmp_path: Path
) -> None:
    async with browser(service, tmp_path, place="lots") as user:
        await new_lot(user, name="Nested", tags='["a","b"]')
        await at_line(user, "mineral")
        await user.press("ctrl+g")
        await at_line(user, "note")
        await user.press("ctrl+g", "ctrl+g")
        await agreed(user, "New record")
        await heard(user, r"Created lot-000301")
    made = stored(service, "lot-000301")
    assert made is not None
    assert (made["tags"], made["mineral"], made["note"]) == (["a", "b"], None, "")


async def test_what_is_no_value_of_its_kind_is_said_and_not_sent(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path, place="lots") as user:
        await new_lot(user, massKg="12,5")
        await user.sees(r"is not a number")
        await user.press("ctrl+s")
        await user.sees(r"massKg: .*is not a number")
    assert not arrived(service, "POST")


async def test_a_refused_record_leaves_the_form_with_the_services_words(
    service: RunningService, tmp_path: Path
) -> None:
    async with browser(service, tmp_path, place="lots") as user:
        await new_lot(user, status="exploded")
        await agreed(user, "New record")
        await user.sees(r"The record was not created")
        await user.sees(r"status must be one of")
        await filled(user, status="closed")
        await agreed(user, "New record")
        await heard(user, r"Created lot-000301")
        results = [entry.outcome.result for entry in await journal(user) if entry.outcome]
        assert results == ["done", "refused"]


async def test_a_field_nobody_saw_is_added_by_its_name(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path, place="operations/lots/lot-000001/attachments") as user:
        await user.sees(r"No \w+\.  a Add one")
        await user.press("a")
        await user.sees(r"No fields are known yet")
        await user.types("fileName")
        await user.press("enter")
        await user.types("assay.pdf")
        await agreed(user, "New record")
        await heard(user, r"Created att-000001-01")
    made = stored(service, "att-000001-01", "operations/lots/lot-000001/attachments")
    assert made is not None
    assert made["fileName"] == "assay.pdf"


async def test_a_copy_begins_without_id_and_times(service: RunningService, tmp_path: Path) -> None:
    original = stored(service, "lot-000002")
    assert original is not None
    async with browser(service, tmp_path, place="lots/lot-000002") as user:
        await user.sees(r"╭─ lot-000002 ")
        await user.press("A")
        await user.sees(r"A copy of lot-000002")
        await filled(user, name="The copy")
        await agreed(user, "New record")
        await heard(user, r"Created lot-000301")
    made = stored(service, "lot-000301")
    assert made is not None
    assert made["name"] == "The copy"
    assert (made["massKg"], made["assay"], made["tunnelId"]) == (
        original["massKg"],
        original["assay"],
        original["tunnelId"],
    )
    assert "openedAt" not in made


async def test_an_unknown_outcome_offers_the_same_key_again_and_makes_one_record(
    service: RunningService, tmp_path: Path
) -> None:
    async with browser(service, tmp_path, place="lots", idempotency="unproven") as user:
        await new_lot(user, name="Perhaps")
        service.faults.next("reset", method="POST")
        await agreed(user, "New record")
        await user.sees(r"Outcome unknown")
        key = arrived(service, "POST")[0]
        await unfolded(user)
        await user.sees(key)
        await user.sees(r"y Send again")
        await user.press("y")
        await heard(user, r"Created lot-000301")
    assert arrived(service, "POST") == [key, key]
    assert stored(service, "lot-000302") is None


async def test_a_form_that_was_left_comes_back(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path, key="live", place="lots") as user:
        await new_lot(user, name="For later")
        await user.press("ctrl+s")
        await held_back(user)
        await user.press("escape")
        await user.loses(r"LIVE is locked\. +esc .+w Unlock LIVE")
        await user.press("escape")
        await user.loses(r" New record in operations/lots [─═]")
        await user.press("a")
        await user.sees(r"For later")


def with_attachments(service: RunningService) -> str:
    """The first lot that has some."""
    numbers = (f"{number:06d}" for number in range(2, 30))
    return next(f"lot-{n}" for n in numbers if service.record(f"{LOTS}/lot-{n}/attachments", f"att-{n}-01") is not None)


async def on_row(user: User, record_id: str) -> None:
    """Put the table's cursor on a record."""
    for _ in range(40):
        record = user.app.main.workspace.browse.table.cursor_record
        if record is not None and record.id == record_id:
            return
        await user.press("j")
    raise AssertionError(f"no row {record_id}:\n{user.text}")


async def test_delete_counts_what_points_at_the_record_under_the_cursor_and_deletes_that_one(
    service: RunningService, tmp_path: Path
) -> None:
    wanted = with_attachments(service)
    async with browser(service, tmp_path, place="lots") as user:
        await user.sees(r"lot-000001")
        await user.press("space")
        await user.sees(r"1 marked")
        await on_row(user, wanted)
        await user.press("delete")
        await user.sees(rf"Delete {wanted}")
        await user.sees(r"attachments of this record: \d")
        await user.sees(r"Searched: attachments, operations/lots\.")
        await user.press("enter")
        await user.loses(rf"Delete {wanted}")
        assert stored(service, wanted) is not None
        await user.press("delete")
        await user.sees(r"Searched")
        await user.press("y")
        await heard(user, rf"Deleted {wanted}")
        assert stored(service, wanted) is None
        assert stored(service, "lot-000001") is not None
        await user.until(lambda: user.app.main.workspace.browse.rows.index_of(wanted) is None, "its row is still there")
        entry, *_ = await journal(user)
        assert entry.intent.before is not None
        assert entry.intent.before["id"] == wanted
    assert len(arrived(service, "DELETE")) == 1


async def test_the_service_counts_what_points_at_it_where_it_can_choose(
    service: RunningService, tmp_path: Path
) -> None:
    async with browser(service, tmp_path, place="productionLogs") as user:
        await user.sees(r"plog-000001")
        user.app.main.go(user.app.main.features.navigation.place("tunnels/tun-07"))
        await user.sees(r"╭─ tun-07 ")
        await user.press("delete")
        await user.sees(r"records? in operations/productionLogs references? it \(tunnelId\)")
        asked = [attempt for attempt in service.attempts if "tunnelId=tun-07" in attempt.target]
        assert len(asked) == 1
        await user.press("escape")
    assert stored(service, "tun-07", "operations/tunnels") is not None


@pytest.mark.parametrize("pasted", [False, True])
async def test_on_live_the_id_is_typed_or_pasted(service: RunningService, tmp_path: Path, pasted: bool) -> None:
    async with browser(service, tmp_path, key="live", place="lots/lot-000002") as user:
        await user.sees(r"╭─ lot-000002 ")
        await user.press("delete")
        await user.sees(r" LIVE   Delete lot-000002")
        await held_back(user)
        await unlocked(user)
        await user.sees(r"Searched")
        await user.types("lot-000001")
        await user.press("enter")
        await user.sees(r"wrong id · type the id of this record")
        assert not arrived(service, "DELETE")
        await user.press("ctrl+u")
        if pasted:
            await user.press("tab", "tab")
            user.app.post_message(events.Paste("lot-000002\n"))
            await user.sees(r"║ +Id +lot-000002 +║")
        else:
            await user.types("lot-000002")
        await user.press("enter")
        await heard(user, r"Deleted lot-000002")
        await user.loses(r"╭─ lot-000002 ")
    assert stored(service, "lot-000002") is None


async def test_a_record_that_moved_since_it_was_shown_is_not_deleted(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path / "one", place="lots") as user:
        await at_name(user)
        async with browser(service, tmp_path / "two", place="lots") as other:
            await at_name(other)
            await renamed(other, "Moved")
            await sent(other)
        await user.press("delete")
        await user.sees(r"Searched")
        await user.press("y")
        await heard(user, r"lot-000002 was not deleted")
        await heard(user, r"Others (?:also|have) changed name")
    assert stored(service, "lot-000002") is not None
    assert not arrived(service, "DELETE")


async def test_split_is_an_action_of_the_menu_with_its_answer_and_the_record_anew(
    service: RunningService, tmp_path: Path
) -> None:
    async with browser(service, tmp_path, place="lots") as user:
        await chosen(user, "lots/lot-000002", "Split a lot")
        await user.sees(r"Split a lot · lot-000002")
        await user.sees(r"The API document does not describe this body")
        await user.types("[{")
        await user.press("ctrl+s")
        await user.sees(r"not JSON|must be JSON")
        await user.press("ctrl+u")
        await user.types("2")
        await user.press("ctrl+s")
        await user.sees(r"POST /v1/operations/lots/lot-000002/split")
        await user.sees(r'\{"parts": 2\}')
        await user.press("y")
        await user.sees(r"Split a lot · 201")
        await user.sees(r'"parentLotId": "lot-000002"|"lot": \{')
        await user.press("escape")
        await user.sees(r"status +✓ closed")
        part = stored(service, "lot-000301")
        assert part is not None
        assert part["parentLotId"] == "lot-000002"
        (entry,) = await journal(user)
        assert (entry.intent.method, entry.intent.place) == ("POST", "operations/lots/lot-000002")
        await user.press("u")
        await user.sees(r"This action has no undo")
        await user.press("escape")
        await chosen(user, "lots/lot-000005", "Split a lot")
        await user.sees(r'Last sent: \{"parts":2\}')
        await user.sees(r"parts +JSON +2 ")
    assert len(arrived(service, "POST")) == 1


async def chosen(user: User, place: str, words: str) -> None:
    """Open the menu on a record, and choose a line."""
    from textual.widgets import OptionList

    user.app.main.go(user.app.main.features.navigation.place(place))
    record_id = place.rpartition("/")[2]
    await user.sees(rf"╭─ {record_id} ")
    await user.until(lambda: user.app.main.workspace.selection.record is not None, "the record never came")
    await user.press("x")
    await user.sees(rf"Actions on {record_id}")
    lines = user.app.screen.query_one(OptionList)
    for index in range(lines.option_count):
        if words in str(lines.get_option_at_index(index).prompt):
            lines.highlighted = index
    await user.press("enter")


async def test_attachments_open_as_a_table_of_their_own_with_records_to_edit(
    service: RunningService, tmp_path: Path
) -> None:
    lot = with_attachments(service)
    attachment = f"{lot.replace('lot', 'att')}-01"
    async with browser(service, tmp_path, place="lots") as user:
        await chosen(user, f"lots/{lot}", f"attachments of {lot}")
        await user.sees(rf"operations / lots / {lot} / attachments")
        await user.sees(rf"lots +{lot} attachments")
        await user.sees(attachment)
        await user.press("delete")
        await user.sees(rf"Delete {attachment}")
        await user.sees(r"Searched")
        await user.press("y")
        await heard(user, rf"Deleted {attachment}")
    assert stored(service, attachment, f"{LOTS}/{lot}/attachments") is None


async def test_a_deletion_whose_outcome_is_unknown_is_looked_at(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path, place="lots") as user:
        await at_name(user)
        await user.press("delete")
        await user.sees(r"Searched")
        service.faults.always("500", method="DELETE")
        await user.press("y")
        await heard(user, r"lot-000002: outcome unknown")
        await heard(user, r"the record still exists")
        entry, *_ = await journal(user)
        assert entry.outcome is not None
        assert entry.outcome.result == "unknown"
    assert stored(service, "lot-000002") is not None


async def test_a_deletion_that_a_gateways_login_page_answers_is_not_called_done(
    service: RunningService, tmp_path: Path
) -> None:
    async with browser(service, tmp_path, place="lots", key="live") as user:
        await at_name(user)
        await unlocked(user)
        await user.press("delete")
        await user.sees(r"Searched")
        service.faults.next("login-page", method="DELETE")
        await user.types("lot-000002")
        await user.press("enter")
        await heard(user, r"lot-000002: outcome unknown")
        await heard(user, r"the record still exists")
        await heard(user, r"it may come from a gateway")
        entry, *_ = await journal(user)
        assert entry.outcome is not None
        assert entry.outcome.result == "unknown"
    assert stored(service, "lot-000002") is not None


async def test_a_creation_that_a_gateways_login_page_answers_is_looked_for_and_offered_again(
    service: RunningService, tmp_path: Path
) -> None:
    async with browser(service, tmp_path, place="lots") as user:
        await new_lot(user, name="Behind a page")
        service.faults.next("login-page", method="POST")
        await agreed(user, "New record")
        await user.sees(r"Outcome unknown: New record in operations/lots")
        await user.sees(r"(?s)no record.+sent values")
        await user.sees(r"y Send again")
        await user.press("y")
        await heard(user, r"Created lot-000301")
        unknown, done = (entry.intent.idempotency_key for entry in await journal(user))
        assert unknown == done
    assert stored(service, "lot-000301") is not None


async def test_a_key_pressed_before_what_points_at_the_record_is_known_deletes_nothing(
    service: RunningService, tmp_path: Path
) -> None:
    async with browser(service, tmp_path, place="lots") as user:
        await at_name(user)
        service.faults.always("hold", method="GET")
        await user.press("delete", "y")
        await user.sees(r"still searching for references")
        service.faults.clear()
        await user.sees(r"Searched")
        await user.press("escape")
        await user.loses(r"Delete lot-000002")
    assert not arrived(service, "DELETE")


async def test_a_form_waits_for_the_answer_to_what_it_sent(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path, place="lots") as user:
        await new_lot(user, name="Slow")
        service.faults.next("hold", method="POST")
        await agreed(user, "New record")
        await user.until(lambda: service.faults.held == 1, "nothing was sent")
        await user.press("escape", "ctrl+s")
        await user.sees(r"The request is being sent")
        service.faults.release()
        await heard(user, r"Created lot-000301")
    assert len(arrived(service, "POST")) == 1


@pytest.mark.parametrize("tunnel", [BROKEN_TUNNEL, "tun-12"])
async def test_verify_gives_a_verdict_and_leads_to_the_break(
    service: RunningService, tmp_path: Path, tunnel: str
) -> None:
    async with browser(service, tmp_path, place="tunnels") as user:
        await chosen(user, f"tunnels/{tunnel}", "Verify a hash chain")
        if tunnel != BROKEN_TUNNEL:
            await user.sees(r"✓ The chain is valid\.")
            await user.press("y")
            await user.until(lambda: "The chain is valid." in user.app.clipboard, "the verdict was not copied")
            assert "GET /v1/operations/hash-chain/verify" in user.app.clipboard
            await user.sees(r"\d+ entries checked")
            return
        await user.sees(r"✕ The chain is broken\.")
        await user.sees(rf"entry +{BROKEN_INDEX} ")
        record = (await user.sees(r"record +(cus-\d+)"))[1]
        await user.press("enter")
        await user.sees(rf"╭─ {record} ")


async def test_an_edit_is_undone_by_its_inverse_through_the_card(service: RunningService, tmp_path: Path) -> None:
    before = stored(service, "lot-000002")
    assert before is not None
    async with browser(service, tmp_path, place="lots") as user:
        await at_name(user)
        await renamed(user, "A mistake")
        await sent(user)
        await user.press("u")
        await user.sees(r"Restores ")
        await user.press("enter")
        await user.sees(r"Undo: change lot-000002")
        await user.sees(r"- A mistake")
        await user.press("y")
        await user.until(lambda: len(arrived(service, "PATCH")) == 2, "the inverse was not sent")
        await heard(user, r"Undone: change of lot-000002")
        await user.loses(r"1 draft")
        after = stored(service, "lot-000002")
        assert after is not None
        assert after["name"] == before["name"]
        newest, oldest = await journal(user)
        assert newest.intent.before == oldest.intent.after
        assert newest.intent.after == oldest.intent.before


async def test_an_undo_on_locked_live_is_held_back_until_it_is_unlocked(
    service: RunningService, tmp_path: Path
) -> None:
    async with browser(service, tmp_path, key="live", place="lots") as user:
        await at_name(user)
        await unlocked(user)
        await renamed(user, "Once")
        await sent(user)
        await user.until(lambda: not user.app.main.features.writes.sending, "the write is still on its way")
        await user.press("w")
        await user.sees(r"LOCKED")
        await user.press("u")
        await user.sees(r"Restores ")
        await user.press("enter")
        await held_back(user)
        assert len(arrived(service, "PATCH")) == 1
        await user.press("w")
        await user.sees(r"Unlock sending")
        await user.types("live")
        await user.press("enter")
        await user.sees(r"Undo: change lot-000002 ═+ WRITABLE \d+:\d\d")
        await user.press("y")
        await user.until(lambda: len(arrived(service, "PATCH")) == 2, "the inverse was not sent")


async def test_a_field_that_moved_since_is_a_choice_before_it_is_undone(
    service: RunningService, tmp_path: Path
) -> None:
    async with browser(service, tmp_path / "one", place="lots") as user:
        await at_name(user)
        await renamed(user, "First")
        await sent(user)
        async with browser(service, tmp_path / "two", place="lots") as other:
            await at_name(other)
            await renamed(other, "Second")
            await sent(other)
        for answer in ("escape", "y"):
            await user.press("u")
            await user.sees(r"Restores ")
            await user.press("enter")
            await user.sees(r"lot-000002 changed later")
            await user.sees(r"Undo replaces the current name[\s\S]+- First[\s\S]+\+ Second")
            kept = stored(service, "lot-000002")
            assert kept is not None
            assert kept["name"] == "Second"
            await user.press(answer)
            await user.loses(r"changed later")
        await user.sees(r"Undo: change lot-000002[\s\S]+- Second[\s\S]+\+ Cobalt doré 2")
        await user.press("y")
        await heard(user, r"Undone: change of lot-000002")
    restored = stored(service, "lot-000002")
    assert restored is not None
    assert restored["name"] == "Cobalt doré 2"


async def test_a_deleted_record_is_made_again_as_it_was(service: RunningService, tmp_path: Path) -> None:
    before = stored(service, "lot-000002")
    assert before is not None
    async with browser(service, tmp_path, place="lots") as user:
        await at_name(user)
        await user.press("delete")
        await user.sees(r"Searched")
        await user.press("y")
        await heard(user, r"Deleted lot-000002")
        await user.press("u")
        await user.sees(r"Creates it again")
        await user.press("enter")
        await user.sees(r"The service may assign a new id")
        # The notice of the deletion may cover the buttons of the card.
        await user.puts_away_notices()
        await agreed(user, "New record")
        await heard(user, r"Undone: created lot-000301")
    made = stored(service, "lot-000301")
    assert made is not None
    changed = {name for name in before if made.get(name) != before[name]}
    assert changed <= {"id", "createdAt", "updatedAt"}


async def test_a_made_record_is_undone_by_its_deletion_which_asks(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path, place="lots") as user:
        await new_lot(user, name="Not wanted")
        await agreed(user, "New record")
        await heard(user, r"Created lot-000301")
        await user.press("u")
        await user.sees(r"Deletes the new record")
        await user.press("enter")
        await user.sees(r"Undo: delete lot-000301")
        await user.sees(r"Searched")
        await user.press("y")
        await heard(user, r"Undone: deleted lot-000301")
    assert stored(service, "lot-000301") is None


async def test_what_nothing_takes_back_is_listed_with_why_and_can_not_be_chosen(
    service: RunningService, tmp_path: Path
) -> None:
    async with browser(service, tmp_path, place="lots", key="read-only") as user:
        await at_name(user)
        await renamed(user, "Never")
        await user.press("ctrl+s")
        await user.sees(r"Change lot-000002")
        await user.press("y")
        await user.sees(r"was not changed")
        await user.press("u")
        await user.sees(r"Nothing was changed\.")
        await user.press("enter")
        await user.sees(r"Review the undo")


async def test_a_right_click_shows_what_can_be_done_with_a_record(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path, place="lots") as user:
        await user.sees(r"lot-000004")
        table = user.app.main.workspace.browse.table
        await user.pilot.click(table, offset=(4, 4), button=3)
        await user.sees(r"╭─ Actions on lot-000004")
        await user.press("escape")
        await user.loses(r"╭─ Actions on")
        await user.press("enter")
        await user.sees(r"╭─ lot-000004 ")
        await user.pilot.click("FieldList", offset=(4, 2), button=3)
        await user.sees(r"╭─ Actions on lot-000004")
