"""Forms that were begun and not sent: kept at every key, listed, gone on with, thrown away, asked about by quitting."""

import asyncio
import re
import sqlite3
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from svc_tui.core.catalog import COLLECTIONS
from svc_tui.core.credentials import Environment
from svc_tui.core.field_forms import FieldForm, FormAction, FormLine, FormTarget, SavedForm
from svc_tui.core.kinds import Kind
from svc_tui.core.values import replace
from svc_tui.sandbox.server.inprocess import RunningService
from svc_tui.storage.journal_entries import Intent, Outcome
from svc_tui.storage.scope import StorageScope
from svc_tui.storage.store import Store
from svc_tui.writes import record_lookup
from svc_tui.writes.write_requests import build_create_request, hash_body
from tests.browser import User, browser
from tests.flows.steps import commanded, heard, stored, unfolded
from tests.flows.test_acting import agreed, arrived, chosen, filled, new_lot

LOTS = COLLECTIONS[0]


def on_disk(state: Path) -> str:
    """The forms as the store holds them."""
    with closing(sqlite3.connect(f"file:{state / 'svc-tui.db'}?mode=ro", uri=True)) as database:
        return "\n".join(form for (form,) in database.execute("SELECT form FROM forms"))


async def left(user: User, title: str) -> None:
    """Leave the form."""
    await user.press("escape")
    await user.loses(title)


async def test_every_key_that_is_typed_into_a_form_is_in_the_store(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path, place="lots") as user:
        await new_lot(user, name="ab")
        await user.until(lambda: '"text":"ab"' in on_disk(tmp_path), "what was typed never reached the disk")
        await user.types("c")
        await user.until(lambda: '"text":"abc"' in on_disk(tmp_path), "the last key never reached the disk")


async def test_a_form_of_an_earlier_session_is_told_and_gone_on_with(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path, place="lots") as user:
        await new_lot(user, name="UnsentForms", massKg="12.50")
        await user.until(lambda: "12.50" in on_disk(tmp_path), "the form never reached the disk")
    async with browser(service, tmp_path, key="live", place="lots") as user:
        await user.sees(r"lot-000001")
        await user.press("a")
        await user.sees(r" LIVE   New record in operations/lots")
        assert "UnsentForms" not in user.text
    async with browser(service, tmp_path, place="lots") as user:
        await heard(user, r"1 form is not sent")
        await user.sees(r"lot-000001")
        await user.press("a")
        await user.sees(r"Started (a moment|\d+ min) ago\.")
        await agreed(user, "New record")
        await heard(user, r"Created lot-000301")
        await user.until(lambda: on_disk(tmp_path) == "", "the form is still in the store")
        await user.press("a")
        await user.sees(r"New record in operations/lots")
        assert re.search(r"Started .+ ago", user.text) is None
    made = stored(service, "lot-000301")
    assert made is not None
    assert (made["name"], str(made["massKg"])) == ("UnsentForms", "12.50")


async def test_a_form_tells_when_it_was_begun(service: RunningService, tmp_path: Path) -> None:
    changed = datetime.now(UTC) - timedelta(hours=5, minutes=30)
    form = FieldForm((FormLine("name", Kind.TEXT, "Five hours old"),))
    async with Store.open(tmp_path / "svc-tui.db") as store:
        scope = StorageScope("test", Environment.SANDBOX, "test-service")
        await store.forms(scope).keep(SavedForm(FormTarget(FormAction.NEW, LOTS), form, changed))
    async with browser(service, tmp_path, place="lots") as user:
        await user.sees(r"lot-000001")
        await user.press("a")
        await user.sees(r"Started 5 h ago\.")
        await user.sees(r"Five hours old")
        # The fields that are known here are offered beside those that the form had.
        await user.sees(r"massKg")


async def test_starting_over_asks_once_more(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path, place="lots") as user:
        await new_lot(user, name="Unwanted")
        await user.press("ctrl+r")
        await user.sees(r"Press ctrl\+r again to clear")
        await user.sees(r"Unwanted")
        await user.press("ctrl+r")
        await user.loses(r"Unwanted")
        await user.until(lambda: on_disk(tmp_path) == "", "the form is still in the store")
        await filled(user, name="Wanted")
        await agreed(user, "New record")
        await heard(user, r"Created lot-000301")
    made = stored(service, "lot-000301")
    assert made is not None
    assert made["name"] == "Wanted"


async def test_a_key_between_two_ctrl_r_keeps_the_form(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path, place="lots") as user:
        await new_lot(user, name="Kept")
        await user.press("ctrl+r")
        await user.sees(r"Press ctrl\+r again to clear")
        await user.types("s")
        await user.loses(r"Press ctrl\+r again to clear")
        await user.press("ctrl+r")
        await user.sees(r"Press ctrl\+r again to clear")
        await user.sees(r"Kepts")


async def test_an_emptied_form_is_no_form(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path, place="lots") as user:
        await new_lot(user, name="x")
        await user.until(lambda: on_disk(tmp_path) != "", "the form never reached the disk")
        await user.press("backspace")
        await user.until(lambda: on_disk(tmp_path) == "", "the form is still in the store")
        await left(user, r" New record in operations/lots [─═]")
        await user.press("ctrl+q")
        await user.until(lambda: user.app._exit, "it asked about an empty form")


async def test_an_action_begun_is_gone_on_with_from_the_palette_after_a_restart(
    service: RunningService, tmp_path: Path
) -> None:
    async with browser(service, tmp_path, place="lots") as user:
        await chosen(user, "lots/lot-000002", "Split a lot")
        await filled(user, parts="2")
        await user.until(lambda: '"text":"2"' in on_disk(tmp_path), "the form never reached the disk")
    async with browser(service, tmp_path, place="tunnels") as user:
        await user.sees(r"tun-01")
        # The palette lists what is known when it opens.
        await heard(user, r"1 form is not sent")
        await commanded(user, "not sent", "Form: Split a lot · lot-000002")
        await user.sees(r"Split a lot · lot-000002")
        await user.sees(r"Started (a moment|\d+ min) ago")
        await agreed(user, "Split a lot")
        await user.sees(r"Split a lot · 201")
        await user.until(lambda: on_disk(tmp_path) == "", "the form is still in the store")
    assert len(arrived(service, "POST")) == 1


@pytest.mark.parametrize("answer", ["y", "escape"])
async def test_a_form_is_thrown_away_from_the_palette(service: RunningService, tmp_path: Path, answer: str) -> None:
    async with browser(service, tmp_path, place="lots") as user:
        await new_lot(user, name="Unwanted")
        await left(user, r" New record in operations/lots [─═]")
        await commanded(user, "discard", "Discard: new record in operations/lots")
        await user.sees(r"Discard the form: new record in operations/lots")
        await user.sees(r"Filled fields: name")
        await user.press(answer)
        await user.loses(r"Discard the form")
        await user.press("a")
        await user.sees(r" New record in operations/lots [─═]")
        await user.until(lambda: ("Unwanted" in user.text) == (answer == "escape"), "the form is another")
        await user.until(lambda: (on_disk(tmp_path) == "") == (answer == "y"), "the store holds something else")


async def test_a_copy_that_was_begun_is_gone_on_with_from_the_palette(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path, place="lots/lot-000002") as user:
        await user.sees(r"╭─ lot-000002 ")
        await user.press("A")
        await user.sees(r"A copy of lot-000002")
        await filled(user, name="The copy")
        await left(user, r" New record in operations/lots [─═]")
        await commanded(user, "not sent", "Form: copy of lot-000002")
        await user.sees(r"Started (a moment|\d+ min) ago\. +A copy of lot-000002")
        await agreed(user, "New record")
        await heard(user, r"Created lot-000301")
    made, original = stored(service, "lot-000301"), stored(service, "lot-000002")
    assert made is not None
    assert original is not None
    assert (made["name"], made["massKg"]) == ("The copy", original["massKg"])


async def test_quitting_asks_once_about_a_form_that_was_left(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path, place="lots") as user:
        await new_lot(user, name="Zed")
        await left(user, r" New record in operations/lots [─═]")
        await user.press("ctrl+q")
        await user.sees(r"1 form is not sent: new record in operations/lots")
        await user.sees(r"kept for the")
        await user.press("escape")
        await user.loses(r"1 form is not sent")
        await user.press("ctrl+q")
        await user.until(lambda: user.app._exit, "it asked again")


async def test_a_copy_that_may_have_been_made_is_told_of_at_the_next_start_and_keeps_its_key(
    service: RunningService, tmp_path: Path
) -> None:
    async with browser(service, tmp_path, place="lots", idempotency="unproven") as user:
        await user.sees(r"lot-000001")
        await user.press("A")
        await user.sees(r"A copy of lot-000001")
        service.faults.next("reset", method="POST")
        await agreed(user, "New record")
        await user.sees(r"(?s)2 records have the.+lot-000001,.+lot-000301")
    key = arrived(service, "POST")[0]
    async with browser(service, tmp_path, place="lots", idempotency="unproven") as user:
        await heard(user, r"1 change: outcome unknown")
        await heard(user, rf"POST /v1/operations/lots, a moment ago, idempotency key {key}")
        await user.press("@")
        await user.sees(r"POST +operations/lots +\? unknown")
        await user.press("escape")
        await user.press("A")
        await user.sees(r"A copy of lot-000001.*Already sent")
        await agreed(user, r"New record[\s\S]*Already sent a moment ago with this idempotency key")
        await heard(user, r"Created lot-000301")
    assert arrived(service, "POST") == [key, key]
    assert stored(service, "lot-000302") is None


async def test_another_record_for_the_same_collection_is_told_of_the_one_that_may_have_been_made(
    service: RunningService, tmp_path: Path
) -> None:
    async with browser(service, tmp_path, place="lots", idempotency="unproven") as user:
        await new_lot(user, name="Perhaps")
        service.faults.next("reset", method="POST")
        await agreed(user, "New record")
        await user.sees(r"esc Later +y Send again")
    key = arrived(service, "POST")[0]
    async with browser(service, tmp_path, place="lots", idempotency="unproven") as user:
        await user.sees(r"lot-000001")
        await user.press("A")
        await user.sees(r"A copy of lot-000001")
        await user.press("ctrl+s")
        await user.sees(rf"(?s)A POST to this path with a different body.+{key[:8]}.+was sent")
        await user.press("escape")
    assert arrived(service, "POST") == [key]


async def test_a_record_whose_making_was_cut_short_keeps_its_key_and_says_so(
    service: RunningService, tmp_path: Path
) -> None:
    async with browser(service, tmp_path, place="lots", idempotency="unproven") as user:
        await new_lot(user, name="Perhaps")
        service.faults.next("reset", method="POST")
        await agreed(user, "New record")
        await user.sees(r"esc Later +y Send again")
        await user.press("escape")
        await user.sees(r"The record: outcome unknown")
        await user.press("escape")
        await user.loses(r"The record: outcome unknown")
        await user.press("ctrl+q")
        await user.sees(r"1 form has an unknown outcome: new record in operations/lots")
        await user.press("escape")
    key = arrived(service, "POST")[0]
    async with browser(service, tmp_path, place="lots", idempotency="unproven") as user:
        await user.sees(r"1 form has an unknown outcome")
        await commanded(user, "unknown", "Outcome unknown: new record in operations/lots")
        await user.sees(r"Already sent\b")
        await user.sees(r"list: lot-000301\b[\s\S]+may be the new record")
        await user.puts_away_notices()
        await user.press("ctrl+s")
        await user.sees(r"list: lot-000301\b[\s\S]+may be the new record[\s\S]+POST /v1/operations/lots")
        await unfolded(user)
        await user.sees(rf"Idempotency-Key: {key}")
        await user.sees(r"y Send")
        await user.press("y")
        await heard(user, r"Created lot-000301")
    assert arrived(service, "POST") == [key, key]
    assert stored(service, "lot-000302") is None


async def test_a_form_that_may_have_been_sent_opens_with_the_result_of_the_look_for_its_record(
    service: RunningService, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with browser(service, tmp_path, place="lots", idempotency="unproven") as user:
        await new_lot(user, name="Perhaps")
        service.faults.next("reset", method="POST")
        await agreed(user, "New record")
        await user.sees(r"esc Later +y Send again")
    look, released = record_lookup.search_created_record, asyncio.Event()

    async def delayed_look(*given: Any) -> str:
        await released.wait()
        return await look(*given)

    monkeypatch.setattr(record_lookup, "search_created_record", delayed_look)
    async with browser(service, tmp_path, place="lots", idempotency="unproven") as user:
        await heard(user, r"1 form has an unknown outcome: new record in operations/lots\.")
        assert not any("not sent" in report.body for report in user.app.main.reports)
        await user.puts_away_notices()
        await user.sees(r"lot-000001")
        await user.press("a")
        await heard(user, r"Searching for the new record before the form opens")
        assert "New record in" not in user.text
        released.set()
        await user.sees(r"list: lot-000301\b[\s\S]+may be the new record")
        await user.press("ctrl+s")
        await user.sees(r"list: lot-000301\b[\s\S]+may be the new record[\s\S]+POST /v1/operations/lots")


async def test_two_programs_that_fill_in_a_form_for_one_collection_both_keep_theirs(
    service: RunningService, tmp_path: Path
) -> None:
    async with browser(service, tmp_path, place="lots") as one, browser(service, tmp_path, place="lots") as two:
        await new_lot(one, name="One")
        await new_lot(two, name="Two")
        await two.until(lambda: "Two" in on_disk(tmp_path), "the form never reached the disk")
        assert "One" in on_disk(tmp_path)
        await agreed(one, "New record")
        await heard(one, r"Created lot-000301")
        await one.until(lambda: "One" not in on_disk(tmp_path), "the form that was sent is still there")
    async with browser(service, tmp_path, place="lots") as user:
        await heard(user, r"1 form is not sent: new record in operations/lots \(2\)")
        await commanded(user, "not sent", "Form: new record in operations/lots (2)")
        await user.sees(r"Started (a moment|\d+ min) ago\.")
        await agreed(user, "New record")
        await heard(user, r"Created lot-000302")
        await user.until(lambda: on_disk(tmp_path) == "", "the form is still in the store")
    made = stored(service, "lot-000302")
    assert made is not None
    assert made["name"] == "Two"


async def test_a_form_that_another_program_sent_is_not_offered_again(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path, place="lots") as user:
        await new_lot(user, name="Once")
        await user.until(lambda: "Once" in on_disk(tmp_path), "the form never reached the disk")
    async with browser(service, tmp_path, place="lots") as one, browser(service, tmp_path, place="lots") as two:
        for user in (one, two):
            await heard(user, r"1 form is not sent")
            await user.sees(r"lot-000001")
        await one.press("a")
        await one.sees(r"Started (a moment|\d+ min) ago\.")
        await agreed(one, "New record")
        await heard(one, r"Created lot-000301")
        await one.until(lambda: on_disk(tmp_path) == "", "the form is still in the store")
        await two.press("a")
        await two.sees(r"New record in operations/lots")
        assert "Once" not in two.text


def form_of(name: str) -> SavedForm:
    """The form of a new lot with this name, begun a minute ago."""
    form = FieldForm((FormLine("name", Kind.TEXT, name),))
    return SavedForm(FormTarget(FormAction.NEW, LOTS), form, datetime.now(UTC) - timedelta(minutes=1))


async def sent_before(state: Path, saved: SavedForm, *later: SavedForm) -> None:
    """Leave what a program leaves that sends a form, has it made, and is killed before it removes the form."""
    spec = build_create_request(LOTS, saved.form.values)
    intent = Intent(
        datetime.now(UTC), "POST", spec.path, LOTS.key, "key", {}, saved.form.values, body_digest=hash_body(spec.body)
    )
    async with Store.open(state / "svc-tui.db") as store:
        scope = StorageScope("test", Environment.SANDBOX, "test-service")
        await store.forms(scope).keep(saved)
        journal = store.journal(scope)
        number = await journal.intend(intent, saved.purpose)
        made = Outcome(datetime.now(UTC), "done", 201, made="lot-000300", place="operations/lots/lot-000300")
        await journal.conclude(number, made)
        for form in later:
            await store.forms(scope).keep(replace(form, changed=datetime.now(UTC)))


@pytest.mark.parametrize("touched", [False, True])
async def test_a_form_that_was_sent_before_a_kill_is_cleared(
    service: RunningService, tmp_path: Path, touched: bool
) -> None:
    saved = form_of("Sent")
    await sent_before(tmp_path, saved, *([saved] if touched else []))
    async with browser(service, tmp_path, place="lots") as user:
        await heard(user, r"Done: new record in operations/lots.+created lot-000300")
        await user.until(lambda: on_disk(tmp_path) == "", "the form is still in the store")
        assert not any("not sent:" in report.body for report in user.app.main.reports)
        await user.sees(r"lot-000001")
        await user.press("a")
        await user.sees(r"New record in operations/lots")
        assert re.search(r"Started .+ ago", user.text) is None


async def test_a_form_that_was_changed_after_it_was_sent_stays_and_says_so(
    service: RunningService, tmp_path: Path
) -> None:
    await sent_before(tmp_path, form_of("Sent"), form_of("Changed"))
    async with browser(service, tmp_path, place="lots") as user:
        await heard(user, r"1 form is not sent")
        await user.puts_away_notices()
        await user.sees(r"lot-000001")
        await user.press("a")
        await user.sees(r"An earlier version of this form was sent[\s\S]+created lot-000300")
        await user.press("ctrl+s")
        await user.sees(r"An earlier version of this form was sent[\s\S]+POST /v1/operations/lots")
