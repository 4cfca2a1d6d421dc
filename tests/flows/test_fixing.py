"""Fixing a record: edit, review, send, and everything that can come between."""

import re
from pathlib import Path

import pytest

from svc_tui.core.draft import Draft
from svc_tui.core.jsontext import Number, loads
from svc_tui.sandbox.server.inprocess import RunningService
from tests.browser import User, browser
from tests.flows.steps import (
    RECORD,
    at_name,
    changed_elsewhere,
    entered_unknown,
    heard,
    held_back,
    renamed,
    reviewed,
    sent,
    stored,
    stored_field,
)

LOTS = "operations/lots"


async def to_field(user: User, field: str) -> None:
    """Put the record pane's cursor on a field."""
    await user.until(lambda: bool(user.app.main.workspace.panes.in_record), "no record is in focus")
    for _ in range(40):
        if user.app.main.workspace.selection.field == field:
            return
        await user.press("j")
    raise AssertionError(f"no field {field}")


async def edited(user: User, field: str, text: str, *, unknown: bool = False) -> None:
    """Type a new value for a field of the open record."""
    await to_field(user, field)
    await user.press("e")
    await user.sees(r"(⏎|tab) Apply  esc Cancel")
    await user.press("ctrl+u")
    await user.types(text)
    if unknown:
        await entered_unknown(user)
    else:
        await user.press("enter")
    await user.sees(r"draft: 1 field")


async def test_a_text_longer_than_its_line_is_shown_whole_while_it_is_typed(
    service: RunningService, tmp_path: Path
) -> None:
    async with browser(service, tmp_path, place="lots/lot-000002", size=(120, 40)) as user:
        await to_field(user, "note")
        await user.press("e")
        await user.sees(r"\^j New line")
        await user.types("Weighed again")
        await user.sees(r"Weighed again ")
        assert not re.search(r"│ Weighed again +│", user.text)
        await user.types(" on Friday, with the other lots")
        await user.sees(r"│ Weighed again on Friday, with the +│")
        await user.sees(r"│ other lots +│")
        await user.press("escape")
        await user.loses(r"other lots")


async def test_a_notice_leaves_the_changed_value_in_view(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path, place="lots/lot-000002", size=(80, 24)) as user:
        text = "Weighed again on Friday, with the other lots"
        await edited(user, "note", text)
        await user.press("ctrl+s")
        await user.sees(r"esc Keep the draft +y Send")
        await user.press("t", *"T-1", "enter", "y")
        await user.sees(r"Saved lot-000002")
        await user.sees(r"Ticket T-1\. Press u to undo\.")
        assert text in user.text


async def test_a_field_is_edited_reviewed_sent_and_journalled(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path, place="lots/lot-000002") as user:
        await edited(user, "massKg", "1500.50")
        await user.press("ctrl+s")
        await user.sees(r"Change lot-000002")
        await user.sees(r"\+ 1500\.50")
        await user.sees(r'\{"massKg":1500\.50\}')
        await user.press("y")
        await heard(user, r"Saved lot-000002")
        await user.loses(r"draft: ")
        assert stored_field(service, "massKg") == "1500.50"
        patch = next(a for a in service.attempts if a.method == "PATCH")
        assert patch.idempotency_key
        await user.press("@")
        await user.sees(r"lot-000002 +✓ done")
        await user.sees(r"massKg: [\d.]+ → 1500\.50")


async def test_only_what_changed_is_sent(service: RunningService, tmp_path: Path) -> None:
    before = loads(service.record(LOTS, "lot-000002") or "")
    assert isinstance(before, dict)
    async with browser(service, tmp_path, place="lots/lot-000002") as user:
        await edited(user, "note", "checked by hand")
        await user.press("ctrl+s")
        await user.sees(r'\{"note":"checked by hand"\}')
        await user.press("y")
        await heard(user, r"Saved [a-z]+-")
    after = loads(service.record(LOTS, "lot-000002") or "")
    assert isinstance(after, dict)
    assert {name for name in after if after[name] != before.get(name)} == {"note", "updatedAt"}


async def test_null_and_empty_text_can_be_chosen_and_are_not_the_same(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path, place="lots/lot-000002") as user:
        await to_field(user, "name")
        for key, body in (("ctrl+g", '{"name":""}'), ("ctrl+n", '{"name":null}')):
            await user.press("e")
            await user.sees(r"(⏎|tab) Apply  esc Cancel")
            await user.press("ctrl+u")
            await user.types("x")
            await user.press(key, "ctrl+s")
            await user.sees(body.replace("{", r"\{").replace("}", r"\}"))
            await user.press("escape")
            await user.loses(r"Change lot-000002")


async def test_a_value_in_place_of_null_has_the_type_that_it_has_in_other_records(
    service: RunningService, tmp_path: Path
) -> None:
    await changed_elsewhere(service, RECORD, massKg=None)
    async with browser(service, tmp_path, place=f"lots/{RECORD}") as user:
        await to_field(user, "massKg")
        selection = user.app.main.workspace.selection
        assert selection.place is not None
        assert selection.record is not None
        user.app.main.features.drafting.put(selection.place, Draft(selection.record).with_value("massKg", "1,25"))
        await edited(user, "massKg", "1.25")
        await user.press("ctrl+s")
        await user.sees(r'\{"massKg":1\.25\}')


async def test_escape_on_the_card_keeps_the_edit_and_sends_nothing(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path, place="lots/lot-000002") as user:
        await edited(user, "note", "kept")
        await reviewed(user)
        await user.press("escape")
        await user.loses(r"Change lot-000002")
        await user.sees(r"draft: 1 field")
    assert not any(a.method == "PATCH" for a in service.attempts)


async def test_the_card_has_cancel_in_focus_so_enter_sends_nothing(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path, place="lots/lot-000002") as user:
        await edited(user, "note", "kept")
        await reviewed(user)
        await user.press("enter")
        await user.loses(r"Change lot-000002")
    assert not any(a.method == "PATCH" for a in service.attempts)


async def test_letters_typed_into_the_ticket_line_send_nothing(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path, place="lots/lot-000002") as user:
        await edited(user, "note", "for a ticket")
        await reviewed(user)
        await user.press("t")
        await user.types("symmetry-7")
        await user.sees(r"Ticket +symmetry-7")
        assert not any(a.method == "PATCH" for a in service.attempts)
        await user.press("enter", "y")
        await heard(user, r"Saved [a-z]+-")
        await user.press("@")
        await user.sees(r"symmetry-7")


async def test_backspace_takes_a_change_back(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path, place="lots/lot-000002") as user:
        await edited(user, "note", "gone again")
        await user.press("backspace")
        await user.loses(r"draft: ")
        await user.loses(r"gone again")


async def test_a_refusal_keeps_the_edit_and_says_why(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path, key="read-only", place="lots/lot-000002") as user:
        await edited(user, "note", "not mine to write")
        await reviewed(user)
        await user.press("y")
        await user.sees(r"✕ lot-000002 was not changed")
        await user.sees(r"insufficient_scope")
        await user.puts_away_notices()
        await user.sees(r"draft: 1 field")
        await user.press("@")
        await user.sees(r"✕ refused")


async def test_a_value_the_service_refuses_names_the_field(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path, place="lots/lot-000002") as user:
        await edited(user, "status", "exploded", unknown=True)
        await reviewed(user)
        await user.press("y")
        await user.sees(r"was not changed")
        await user.sees(r"(?s)status")
        await user.puts_away_notices()
        await user.sees(r"draft: 1 field")


async def test_text_that_is_no_number_is_said_and_not_taken(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path, place="lots/lot-000002") as user:
        await to_field(user, "massKg")
        await user.press("e")
        await user.sees(r"(⏎|tab) Apply  esc Cancel")
        await user.press("ctrl+u")
        await user.types("12 kg")
        await user.sees(r"number")
        await user.press("enter")
        await user.sees(r"(⏎|tab) Apply  esc Cancel")
        await user.press("escape")
        await user.loses(r"(⏎|tab) Apply  esc Cancel")


async def test_drafts_come_back_after_the_program_ended(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path, place="lots/lot-000002") as user:
        await edited(user, "note", "still here")
    async with browser(service, tmp_path, place="lots/lot-000002") as user:
        await user.sees(r"1 record has a draft not sent yet")
        await user.sees(r"still here")
        await user.press("ctrl+s")
        await user.sees(r"\+ still here")


async def test_a_cell_of_the_table_is_edited_in_place(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path, place="lots") as user:
        await at_name(user)
        await renamed(user, "Renamed")
        await user.sees(r"Renamed\*")
        await sent(user)
    assert stored_field(service, "name") == "Renamed"


async def test_the_id_can_not_be_edited_and_that_is_said_in_one_line(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path, place="lots/lot-000002") as user:
        await user.until(lambda: user.app.main.workspace.panes.in_record, "no record is in focus")
        await user.sees(r"id +lot-000002")
        await user.press("g", "e")
        await heard(user, r"The id can't be changed\. Go to another field\.")
        assert not user.app.main.asking


async def test_a_value_is_edited_in_its_place_with_the_record_in_view(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path, place="lots/lot-000002", size=(80, 24)) as user:
        await to_field(user, "massKg")
        await user.press("e")
        await user.types("1500.50")
        await user.sees(r" grade +20\.40[\s\S]+ \*massKg +1500\.50 +848\.81[\s\S]+ moisturePct [\s\S]+─ Number ─╯")
        await user.types("x")
        await user.sees(r" \*massKg +1500\.50x [\s\S]+✕ “1500\.50x” is not a number")
        await user.press("backspace", "ctrl+s")
        await user.sees(r"Change lot-000002")
        await user.sees(r"\+ 1500\.50")


async def test_the_value_is_followed_to_where_another_size_puts_it(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path, place="lots/lot-000002", size=(120, 40)) as user:
        await to_field(user, "massKg")
        await user.press("e")
        await user.types("7")
        await user.sees(r" \*massKg +7 +848\.81")
        await user.pilot.resize_terminal(80, 24)
        await user.sees(r" \*massKg +7 +848\.81 [\s\S]+ moisturePct ")
        await user.press("escape")
        await user.sees(r"│ ▌massKg +848\.81 ")


@pytest.mark.parametrize("size", [(80, 24), (120, 40)])
async def test_the_line_of_keys_says_how_live_is_unlocked(
    service: RunningService, tmp_path: Path, size: tuple[int, int]
) -> None:
    async with browser(service, tmp_path, key="live", place="lots/lot-000002", size=size) as user:
        await user.sees(r"LIVE .*signed.*LOCKED[\s\S]+ w Unlock ")


async def test_live_starts_locked_refuses_and_is_unlocked_by_its_word(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path, key="live", place="lots/lot-000002") as user:
        await user.sees(r"LIVE .*signed.*LOCKED")
        await edited(user, "note", "for real")
        await user.press("ctrl+s")
        await user.sees(r" LIVE   Change lot-000002")
        await held_back(user)
        assert not any(a.method == "PATCH" for a in service.attempts)
        await user.press("w")
        await user.sees(r"Unlock sending")
        await user.types("nope")
        await user.press("enter")
        await user.sees(r"Wrong word")
        await user.press("ctrl+u")
        await user.types("live")
        await user.press("enter")
        # On the card, which is still there, and in the status bar below it.
        await user.loses(r"w Unlock LIVE|not sent: LIVE is locked")
        await user.sees(r"Change lot-000002 ═+ WRITABLE (9:5\d|10:00)[\s\S]+LIVE .*WRITABLE (9:5\d|10:00)")
        await user.press("y")
        await heard(user, r"Saved [a-z]+-")
        await user.press("w")
        await user.sees(r"LOCKED")
    assert stored_field(service, "note") == "for real"


async def test_read_only_refuses_for_good(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path, read_only=True, place="lots/lot-000002") as user:
        await user.sees(r"READ ONLY")
        await edited(user, "note", "never")
        await user.press("ctrl+s")
        await user.sees(r"read-only")
        await user.press("w")
        await user.sees(r"READ ONLY")
    assert not any(a.method == "PATCH" for a in service.attempts)


@pytest.mark.parametrize(
    ("choice", "kept", "ending"),
    [
        ("m", "mine", r"Saved lot-000002"),
        ("o", "theirs", r"lot-000002 was not changed.+The record already has these values\. Nothing was sent\."),
    ],
)
async def test_a_field_that_moved_meanwhile_is_a_choice(
    service: RunningService, tmp_path: Path, choice: str, kept: str, ending: str
) -> None:
    async with browser(service, tmp_path / "one", place="lots/lot-000002") as user:
        await edited(user, "note", "mine")
        await changed_elsewhere(service, RECORD, note="theirs")
        await reviewed(user)
        await user.sees(r'Others also changed note; it is now "theirs"\.')
        await user.sees(r"y Resolve conflict… ")
        await user.press("y")
        await user.sees(r"Conflict in lot-000002")
        await user.sees(r"m Mine   o Others +esc Keep the draft +y Send")
        await user.press("y")
        await user.sees(r"Press m or o: note")
        await user.press(choice)
        await user.loses(r"Press m or o")
        await user.press("y")
        await heard(user, ending)
    assert stored_field(service, "note") == kept


async def test_other_fields_that_moved_are_said_and_the_write_goes_on(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path / "one", place="lots/lot-000002") as user:
        await edited(user, "note", "mine")
        await changed_elsewhere(service, RECORD, massKg=Number("77.0"))
        await reviewed(user)
        await user.press("y")
        await user.sees(r"Others (?:also|have) changed massKg( since)?\.")
    assert stored_field(service, "note") == "mine"
    assert stored_field(service, "massKg") == "77.0"


async def test_quitting_asks_once_when_something_is_not_sent(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path, place="lots/lot-000002") as user:
        await edited(user, "note", "unsent")
        await user.press("ctrl+q")
        await user.sees(r"1 record has a draft: lot-000002")
        await user.press("escape")
        await user.loses(r"1 record has a draft")
        assert user.app.is_running


async def test_quitting_asks_nothing_when_nothing_changed(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path, place="lots") as user:
        await user.sees(r"lot-000001")
        await user.press("q")
        await user.until(lambda: user.app._exit, "the program did not end")


async def test_text_that_is_dropped_leaves_things_as_they_were(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path, place="lots/lot-000002") as user:
        await to_field(user, "massKg")
        await user.press("e")
        await user.sees(r"(⏎|tab) Apply  esc Cancel")
        await user.press("ctrl+u")
        await user.types("7xx")
        await user.press("escape")
        await user.loses(r"(⏎|tab) Apply  esc Cancel")
        await user.loses(r"draft: ")


async def test_a_field_that_only_other_records_have_is_added(service: RunningService, tmp_path: Path) -> None:
    ids = (f"lot-{number:06}" for number in range(1, 50))
    without_note = next(one for one in ids if "note" not in (stored(service, one) or ()))
    async with browser(service, tmp_path, place=f"lots/{without_note}") as user:
        await user.sees(rf"╭─ {without_note} ")
        await user.settled()
        await user.press("x")
        await user.types("add a field")
        await user.press("enter")
        await user.sees(rf"╭─ Add a field to {without_note} ─")
        await user.types("note")
        await user.press("enter")
        await user.sees(rf"╭─ {without_note} · note ─")
        await user.types("damp")
        await user.press("enter")
        await user.sees(r"\*note +damp")
        await user.press("ctrl+s")
        await user.sees(r"- not set\s+│.*\n.*\+ damp")
        await user.press("y")
        await heard(user, rf"Saved {without_note}")
    assert stored_field(service, "note", without_note) == "damp"


async def test_commands_offer_the_fields_that_only_other_records_have(service: RunningService, tmp_path: Path) -> None:
    ids = (f"lot-{number:06}" for number in range(1, 50))
    without_note = next(one for one in ids if "note" not in (stored(service, one) or ()))
    async with browser(service, tmp_path, place=f"lots/{without_note}") as user:
        await user.sees(rf"╭─ {without_note} ")
        await user.settled()
        await user.press("ctrl+p")
        await user.types("add a field to")
        await user.sees(r"Add a field to the record…")
        await user.press("enter")
        await user.sees(rf"╭─ Add a field to {without_note} ─[\s\S]+▌?note +│")
