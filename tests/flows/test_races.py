"""What is pressed in a hurry, and what arrives late: nothing twice, nothing old over new, nothing on another record."""

import asyncio
import threading
from pathlib import Path

import pytest
from textual import events

from svc_tui.core.requests import RequestSpec
from svc_tui.sandbox.server.inprocess import RunningService
from svc_tui.service.routes import parse_place
from svc_tui.ui.record.record_pane import RecordPane
from tests.browser import browser
from tests.flows.steps import at_name, confirmed, held_back, renamed, sent_from_console

LOTS = "operations/lots"


def writes(service: RunningService, method: str) -> list[str]:
    """The idempotency keys of the writes that arrived, in order."""
    return [attempt.idempotency_key or "" for attempt in service.attempts if attempt.method == method]


def reads(service: RunningService, start: str) -> list[str]:
    """What was read under that path, in order."""
    return [made.target for made in service.attempts if made.method == "GET" and made.target.startswith(start)]


async def test_keys_in_the_table_act_on_the_record_under_its_cursor(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path, place="lots/lot-000300") as user:
        await user.sees(r"╭─ lot-000300 ")
        await user.press("2")
        await user.sees(r"╭─ lot-000001 ")
        await user.press("l", "e")
        await user.sees(r"(⏎|tab) Apply  esc Cancel")


async def test_keys_in_the_table_do_not_reach_its_record_while_another_is_being_read(
    service: RunningService, tmp_path: Path
) -> None:
    async with browser(service, tmp_path, place="lots", size=(160, 40)) as user:
        await user.sees(r"lot-000001")
        await user.press("enter")
        await user.sees(r"╭─ lot-000001 ")
        await user.press("2")
        await user.settled()
        service.faults.next("hold", method="GET")
        user.app.main.go(parse_place("lots/lot-000250"))
        await user.until(lambda: service.faults.held == 1, "the record was not read")
        await user.press("2", "l", "delete")
        await user.sees(r"No record under the cursor")
        assert user.app.main.workspace.selection.place == parse_place("lots/lot-000250")
        service.faults.release()
        await user.sees(r"╭─ lot-000250 ")


async def test_a_hurried_second_ctrl_s_opens_no_second_card(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path, place="lots") as user:
        await at_name(user)
        await renamed(user, "Once")
        await user.press("ctrl+s", "ctrl+s")
        await user.sees(r"Change lot-000002")
        await user.press("y")
        await user.sees(r"Saved [a-z]+-")
        await user.loses(r"Change lot-000002")
    assert len(writes(service, "PATCH")) == 1


async def test_ctrl_s_right_after_an_edit_is_not_lost_while_the_edit_is_stored(
    service: RunningService, tmp_path: Path
) -> None:
    async with browser(service, tmp_path, place="lots") as user:
        await at_name(user)
        disk_free = threading.Event()
        busy = asyncio.ensure_future(user.store._database.run(lambda _: disk_free.wait()))
        await user.press("e")
        await user.sees(r"(⏎|tab) Apply  esc Cancel")
        await user.press("ctrl+u")
        await user.types("In a hurry")
        await user.press("enter")
        await user.loses(r"(⏎|tab) Apply  esc Cancel")
        await user.press("ctrl+s")
        await user.until(lambda: not user.app._key_queue._typed, "the key waits")
        disk_free.set()
        await busy
        await user.sees(r"Change lot-000002")


async def test_a_hurried_second_ctrl_j_sends_once(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path) as user:
        await user.sees(r"lot-000001")
        console = await user.app.main.workspace.console()
        console.prefill(RequestSpec("POST", f"/v1/{LOTS}", body=b'{"name": "Made once"}'))
        service.faults.next("hold", method="POST")
        await user.press("ctrl+j", "ctrl+j")
        await user.sees(r"Send this request")
        await user.press("y", "ctrl+j")
        await user.until(lambda: service.faults.held == 1, "nothing was sent")
        service.faults.release()
        await user.sees(r"✓ 201")
    assert len(writes(service, "POST")) == 1


async def test_an_answer_that_left_before_a_write_does_not_undo_it_on_the_screen(
    service: RunningService, tmp_path: Path
) -> None:
    async with browser(service, tmp_path, place="lots") as user:
        await at_name(user)
        await renamed(user, "Newest")
        # The page in view and the one ahead are read again, in whatever order they arrive.
        await user.settled()
        service.faults.next("hold", count=2, method="GET")
        await user.press("r")
        await user.until(lambda: service.faults.held == 2, "the pages were not held")
        await confirmed(user)
        await user.sees(r"Saved [a-z]+-")
        asked = reads(service, f"/v1/{LOTS}?")
        service.faults.release()
        await user.until(lambda: service.faults.held == 0, "the page is still held")
        await user.sees(r"lot-000002  Newest")
        await user.settled()
        assert "lot-000002  Newest" in user.text
        assert reads(service, f"/v1/{LOTS}?") == asked, "a page was read once more for a record that is known"


async def test_a_value_typed_while_a_write_is_on_its_way_is_a_change_of_its_own(
    service: RunningService, tmp_path: Path
) -> None:
    async with browser(service, tmp_path, place="lots") as user:
        await at_name(user)
        before = (await user.sees(r"lot-000002  (.+?)  "))[1].strip()
        await renamed(user, "First")
        service.faults.next("hold", method="PATCH")
        await confirmed(user)
        await user.until(lambda: service.faults.held == 1, "no write was held")
        await user.press("e")
        await user.sees(r"(⏎|tab) Apply  esc Cancel")
        await user.press("ctrl+u")
        await user.types(before)
        service.faults.release()
        await user.sees(r"Saved [a-z]+-")
        await user.press("enter")
        await user.sees(rf"lot-000002•? +{before}\*")
        await confirmed(user)
        await user.sees(rf"lot-000002•? +{before}  ")
        await user.until(lambda: len(writes(service, "PATCH")) == 2, "the second change was not sent")
    assert f'"{before}"' in (service.record(LOTS, "lot-000002") or "")


async def test_a_key_is_not_used_again_once_its_write_was_seen_to_be_there(
    service: RunningService, tmp_path: Path
) -> None:
    async with browser(service, tmp_path, place="lots") as user:
        await at_name(user)
        await renamed(user, "Lost and found")
        service.faults.next("reset", count=3)
        await confirmed(user)
        await user.sees(r"(?s)Checked\s.*again:.+has the\s.*change")
        for name in ("Something else", "Lost and found"):
            await renamed(user, name)
            await confirmed(user)
            await user.sees(rf"lot-000002  {name}  ")
    keys = writes(service, "PATCH")
    assert len(set(keys)) == 3
    assert '"Lost and found"' in (service.record(LOTS, "lot-000002") or "")


async def test_a_key_of_unknown_outcome_survives_a_try_that_settles_nothing(
    service: RunningService, tmp_path: Path
) -> None:
    async with browser(service, tmp_path, idempotency="unproven") as user:
        await user.sees(r"lot-000001")
        console = await user.app.main.workspace.console()
        console.prefill(RequestSpec("POST", f"/v1/{LOTS}", body=b'{"name": "Made once"}'))
        service.faults.next("reset")
        await sent_from_console(user)
        await user.sees(r"✕ no response")
        service.faults.next("429", method="POST", retry_after=86_400)
        await sent_from_console(user)
        await user.sees(r"✕ 429")
        service.faults.clear()
    assert len(set(writes(service, "POST"))) == 1


@pytest.mark.parametrize("sign", ["key", "click", "paste"])
async def test_whatever_a_user_does_anywhere_keeps_live_unlocked(
    service: RunningService, tmp_path: Path, sign: str
) -> None:
    hours = [1000.0]
    async with browser(service, tmp_path, key="live", monotonic=lambda: hours[0]) as user:
        await user.sees(r"lot-000001")
        await user.press("w")
        await user.types("live")
        await user.press("enter")
        await user.sees(r"WRITABLE")
        await user.press("4")
        await user.sees(r"╭─ Console ")
        hours[0] += 170
        if sign == "key":
            await user.types("x")
        elif sign == "click":
            await user.pilot.click("Sidebar")
        else:
            user.app.post_message(events.Paste("x"))
            await user.pilot.pause()
        hours[0] += 170
        user.app.main.features.lock.note_input()
        assert user.app.main.features.lock.refusal() is None


async def test_nothing_pressed_for_three_minutes_locks_live(service: RunningService, tmp_path: Path) -> None:
    hours = [1000.0]
    async with browser(service, tmp_path, key="live", monotonic=lambda: hours[0]) as user:
        await user.sees(r"lot-000001")
        await user.press("w")
        await user.types("live")
        await user.press("enter")
        await user.sees(r"WRITABLE")
        hours[0] += 181
        await user.sees(r"LOCKED")


async def test_ctrl_q_works_in_a_dialog_and_asks_once(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path, place="lots") as user:
        await at_name(user)
        await renamed(user, "Unsent")
        await user.press("question_mark")
        await user.sees(r"Keys ·")
        await user.press("ctrl+q", "ctrl+q")
        await user.sees(r"1 record has a draft")
        await user.press("escape")
        await user.loses(r"1 record has a draft")
        await user.sees(r"Keys ·")


@pytest.mark.parametrize("text", ["svctui://[", "lots/..", "lots/.", "lots//x"])
async def test_a_place_that_makes_no_sense_is_said_in_its_line(
    service: RunningService, tmp_path: Path, text: str
) -> None:
    async with browser(service, tmp_path) as user:
        await user.sees(r"lot-000001")
        user.app.screen.post_message(events.Paste(text))
        await user.sees(r"╭─ Go to")
        await user.press("enter")
        await user.settled()
        await user.sees(r"╭─ Go to")
        await user.press("escape")
        await user.loses(r"╭─ Go to")


@pytest.mark.parametrize("late", ["with the card open", "while the record is read again"])
async def test_an_unlock_that_runs_out_on_the_way_refuses_and_keeps_the_edit(
    service: RunningService, tmp_path: Path, late: str
) -> None:
    hours = [1000.0]
    async with browser(service, tmp_path, key="live", place="lots", monotonic=lambda: hours[0]) as user:
        await at_name(user)
        await renamed(user, "Too slow")
        await user.press("w")
        await user.sees(r"Unlock sending")
        await user.types("live")
        await user.press("enter")
        await user.sees(r"WRITABLE")
        await user.press("ctrl+s")
        await user.sees(r"Change lot-000002")
        if late == "with the card open":
            hours[0] += 601
            await user.press("y")
        else:
            # The card reads the record for itself; that is not the reading that is to be late.
            await user.settled()
            service.faults.next("hold", method="GET")
            await user.press("y")
            await user.until(lambda: service.faults.held == 1, "the record was not read again")
            hours[0] += 601
            service.faults.release()
        if late == "with the card open":
            await held_back(user)
        else:
            await user.sees(r"LIVE is locked\. Press w to unlock\.")
        await user.sees(r"Too slow\*")
    assert writes(service, "PATCH") == []


async def test_the_first_paint_and_the_keys_wait_for_no_answer(service: RunningService, tmp_path: Path) -> None:
    service.faults.next("hold")
    async with browser(service, tmp_path) as user:
        await user.until(lambda: service.faults.held == 1, "no request was held")
        await user.sees(r"Collections")
        await user.press("question_mark")
        await user.sees(r"Keys ·")
        await user.press("escape")
        service.faults.release()
        await user.sees(r"lot-000001")


async def test_rows_that_come_before_the_record_has_the_focus_do_not_take_its_place(
    service: RunningService, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    take_focus = RecordPane._focus_if_wanted
    monkeypatch.setattr(RecordPane, "_focus_if_wanted", lambda pane: None)
    async with browser(service, tmp_path, place="lots") as user:
        await user.sees(r"lot-000001")
        await user.settled()
        service.faults.next("hold")
        user.app.main.go(parse_place("workers/wrk-0256"))
        await user.until(lambda: service.faults.held == 1, "no page was asked for")
        await user.sees(r"╭─ wrk-0256 ")
        service.faults.release()
        await user.sees(r"│ wrk-0002 ")
        await user.settled()
        assert user.app.main.workspace.selection.place == parse_place("workers/wrk-0256")
        pane = user.app.main.workspace.panes.record
        assert pane is not None
        take_focus(pane)
        await user.settled()
        assert user.app.main.workspace.panes.in_record
        assert "╭─ wrk-0256 " in user.text
