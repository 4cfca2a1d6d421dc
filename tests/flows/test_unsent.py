"""Edits not yet sent: where they are marked, how they are listed and thrown away, what they survive, who asks."""

import asyncio
import sqlite3
from contextlib import closing
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path

import pytest

from svc_tui.core.catalog import COLLECTIONS
from svc_tui.core.credentials import Environment
from svc_tui.core.draft import Draft
from svc_tui.core.jsontext import Json
from svc_tui.core.records import Place, Record
from svc_tui.core.values import replace
from svc_tui.sandbox.options import SandboxOptions
from svc_tui.sandbox.server.inprocess import RunningService, running_service
from svc_tui.storage.drafts import SavedDraft
from svc_tui.storage.errors import StoreError
from svc_tui.storage.journal import Journal
from svc_tui.storage.journal_entries import Intent, JournalEntry, Outcome
from svc_tui.storage.scope import StorageScope
from svc_tui.storage.store import Store
from tests.browser import PATIENCE, User, browser
from tests.fixed_keys import fixed
from tests.flows.steps import RECORD, at_name, changed_elsewhere, heard, renamed, reviewed, sent

PLACE = Place(COLLECTIONS[0], RECORD)


def on_disk(state: Path) -> str:
    """The edits as the store holds them."""
    with closing(sqlite3.connect(f"file:{state / 'svc-tui.db'}?mode=ro", uri=True)) as database:
        return "\n".join(edits for (edits,) in database.execute("SELECT edits FROM drafts"))


def stored(state: Path, text: str) -> bool:
    """Whether the store's edits hold the text."""
    return text in on_disk(state)


async def in_palette(user: User, words: str) -> None:
    """Look for a command in the palette."""
    await user.press("ctrl+p")
    await user.types(words)


async def test_every_key_that_is_typed_is_in_the_store(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path, place="lots") as user:
        await at_name(user)
        await user.press("e")
        await user.sees(r"(⏎|tab) Apply  esc Cancel")
        await user.press("ctrl+u")
        for length in range(1, 4):
            await user.types("abc"[length - 1])
            typed = f'"name":"{"abc"[:length]}"'
            await user.until(partial(stored, tmp_path, typed), f"{typed} never reached the disk")


@pytest.mark.parametrize(
    ("field", "text", "complaint"), [("massKg", "9x75", "is not a number"), ("status", "22,5", "")]
)
async def test_what_was_typed_and_not_applied_comes_back_as_text_and_is_no_edit(
    service: RunningService, tmp_path: Path, field: str, text: str, complaint: str
) -> None:
    async def at_field(user: User) -> None:
        await user.until(lambda: user.app.main.workspace.panes.in_record, "no record is in focus")
        while user.app.main.workspace.selection.field != field:
            await user.press("j")
        await user.press("e")
        await user.sees(r"(⏎|tab) Apply  esc Cancel")

    async with browser(service, tmp_path, place=f"lots/{RECORD}") as user:
        await at_field(user)
        await user.types(text)
        await user.sees(complaint or "Unknown value")
        if complaint:
            assert not user.app.main.features.drafting.drafts.places
    async with browser(service, tmp_path, place=f"lots/{RECORD}") as user:
        await heard(user, rf"{RECORD} {field}: not applied yet")
        assert not user.app.main.features.drafting.drafts.places
        await at_field(user)
        await user.sees("Unfinished edit, not applied yet")
        await user.sees(complaint or "Unknown value")
        await user.sees(text)
        await user.press("escape")
        await user.loses(r"(⏎|tab) Apply  esc Cancel")
        assert not user.app.main.features.drafting.drafts.places
        await user.until(lambda: not on_disk(tmp_path), "the text is still there")


async def test_a_draft_is_marked_in_the_table_the_sidebar_and_the_titles(
    service: RunningService, tmp_path: Path
) -> None:
    async with browser(service, tmp_path, place="lots") as user:
        await at_name(user)
        assert "•" not in user.text
        await renamed(user, "Marked")
        await user.sees(r"lot-000002• +Marked\*")
        await user.sees(r"▪ lots +• ")
        await user.sees(r"╭─ • operations / lots ")
        await user.press("enter")
        await user.sees(r"╭─ • lot-000002 ")
        await user.press("escape")
        await sent(user)
        await user.until(lambda: "•" not in user.text, "a mark is left")


async def test_a_folded_group_shows_the_mark_of_what_it_hides(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path, place="lots") as user:
        await at_name(user)
        await renamed(user, "Marked")
        await user.press("1", "left")
        await user.sees(r"▸ operations +•")


async def test_the_palette_lists_drafts_and_goes_to_them(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path, place="lots") as user:
        await at_name(user)
        await renamed(user, "Elsewhere")
        await user.press("colon")
        await user.types("tunnels")
        await user.press("enter")
        await user.sees(r"operations / tunnels")
        await in_palette(user, "not sent")
        await user.sees(r"Draft: lot-000002")
        await user.sees(r"name in operations/lots")
        await user.press("enter")
        await user.sees(r"╭─ • lot-000002 ")


@pytest.mark.parametrize("answer", ["y", "escape"])
async def test_a_whole_draft_is_thrown_away_from_the_palette_once_it_was_seen(
    service: RunningService, tmp_path: Path, answer: str
) -> None:
    async with browser(service, tmp_path, place="lots") as user:
        await at_name(user)
        await renamed(user, "Unwanted")
        await in_palette(user, "discard")
        await user.sees(r"Discard: draft of lot-000002")
        await user.press("down", "enter")
        await user.sees(r"Discard the draft of lot-000002")
        await user.sees(r"\+ Unwanted")
        await user.press(answer)
        await user.loses(r"Discard the draft")
        if answer == "y":
            await user.loses(r"Unwanted")
            await user.until(lambda: on_disk(tmp_path) == "", "the draft is still in the store")
        else:
            await user.sees(r"Unwanted\*")
            await user.until(partial(stored, tmp_path, "Unwanted"), "the draft is not in the store")


async def test_a_draft_that_was_sent_is_gone_from_the_store(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path, place="lots") as user:
        await at_name(user)
        await renamed(user, "Sent")
        await sent(user)
        await user.until(lambda: on_disk(tmp_path) == "", "the draft is still in the store")


@pytest.mark.parametrize(
    ("since", "words"), [({"minutes": 4}, "4 min"), ({"hours": 30}, "1 d"), ({"hours": 3}, "3 h")], ids=str
)
async def test_an_opened_draft_shows_its_age(
    service: RunningService, tmp_path: Path, since: dict[str, int], words: str
) -> None:
    changed = datetime.now(UTC) - timedelta(**since)
    draft = Draft(Record({"id": "lot-000002", "name": "x"}), {"name": "Old edit"})
    async with Store.open(tmp_path / "svc-tui.db") as store:
        scope = StorageScope("test", Environment.SANDBOX, "test-service")
        await store.drafts(scope).keep(SavedDraft(COLLECTIONS[0], "lot-000002", draft, changed))
    async with browser(service, tmp_path, place="lots/lot-000002") as user:
        await user.sees(r"1 record has a draft not sent yet")
        # The notice stands on the frame in which the age is.
        user.app.clear_notifications()
        await user.sees(rf"draft: 1 field, {words} old")
        await in_palette(user, "not sent")
        await user.sees(rf"name in operations/lots, {words} old")


async def test_a_draft_survives_a_key_that_was_changed(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path, place="lots") as user:
        await at_name(user)
        await renamed(user, "Kept")
    async with browser(service, tmp_path, key="read-only", place="lots") as user:
        await user.sees(r"Kept\*")


async def test_a_draft_survives_a_lost_connection_and_is_sent_when_it_is_back(tmp_path: Path) -> None:
    options = SandboxOptions(records=60, database=tmp_path / "mine.db")
    with running_service(options) as first:
        port, keys = int(first.base_url.rsplit(":", 1)[1]), first.keys
        running = browser(first, tmp_path, place="lots")
        user = await running.__aenter__()
        try:
            await at_name(user)
            await renamed(user, "Patient")
        except BaseException:
            await running.__aexit__(None, None, None)
            raise
    try:
        await reviewed(user)
        await user.press("y")
        await user.sees(r"lot-000002 was not sent")
        await user.sees(r"Patient\*")
        with running_service(
            SandboxOptions(records=60, database=tmp_path / "mine.db", port=port, keys=fixed(*keys))
        ) as again:
            await sent(user)
            assert '"Patient"' in (again.record("operations/lots", "lot-000002") or "")
    finally:
        await running.__aexit__(None, None, None)


async def test_quitting_asks_once_for_each_change(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path, place="lots") as user:
        await at_name(user)
        await renamed(user, "First")
        await user.press("ctrl+q")
        await user.sees(r"1 record has a draft: lot-000002")
        await user.press("escape")
        await user.loses(r"1 record has a draft")
        await renamed(user, "Second")
        await user.press("ctrl+q")
        await user.sees(r"1 record has a draft: lot-000002")
        await user.press("escape")
        await user.loses(r"1 record has a draft")
        await user.press("ctrl+q")
        await user.until(lambda: user.app._exit, "it was asked about again")
    assert "Second" in on_disk(tmp_path)


async def edited(user: User, name: str) -> None:
    """Edit the name of the record, and wait until that is on the disk, and its text no more the one being typed."""
    await at_name(user)
    await renamed(user, name)
    drafts, typed = user.store.drafts(user.scope), user.store.unfinished(user.scope)
    async with asyncio.timeout(PATIENCE):
        while not any(draft.draft.edits == {"name": name} for draft in await drafts.all()) or await typed.all():
            await user.pilot.pause(0.01)


async def test_what_one_window_sends_leaves_the_other_ones_edit(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path, place="lots") as one, browser(service, tmp_path, place="lots") as two:
        await edited(one, "A")
        await edited(two, "B")
        await heard(two, r"different draft of name")
        await reviewed(two)
        await two.sees(r'Value in another window: "A"')
        await two.press("escape")
        await two.loses(rf"Change {RECORD}")
        await one.puts_away_notices()
        await reviewed(one)
        await one.sees(r'Value in another window: "B"')
        await one.press("y")
        await one.sees(rf"Saved {RECORD}")
        await one.until(lambda: on_disk(tmp_path) == '{"name":"B"}', "the other edit is not what is left")
        await two.press("ctrl+q")
        await two.sees(r"It is kept for")
        await two.press("y")
    async with browser(service, tmp_path, place="lots") as user:
        await heard(user, r"1 record has a draft not sent yet")
        await user.sees(r"B\*")


@pytest.mark.parametrize("other", [None, "B"])
async def test_an_edit_that_is_taken_back_in_one_window_takes_no_other_one_along(
    service: RunningService, tmp_path: Path, other: str | None
) -> None:
    async with browser(service, tmp_path, place="lots") as one, browser(service, tmp_path, place="lots") as two:
        await edited(one, "A")
        if other is not None:
            await edited(two, other)
            await heard(two, r"different draft of name")
        await one.press("backspace")
        await one.until(
            lambda: on_disk(tmp_path) == ("" if other is None else f'{{"name":"{other}"}}'), "not what is left"
        )


async def test_edits_of_two_windows_are_both_there_at_the_next_start(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path, place="lots") as one, browser(service, tmp_path, place="lots") as two:
        await edited(one, "A")
        await edited(two, "B")
        await heard(two, r"different draft of name")
    async with browser(service, tmp_path, place="lots") as user:
        await heard(user, rf"{RECORD} has two drafts")
        await user.sees(r"B\*")
        await user.press("j")
        await reviewed(user)
        await user.sees(r'Value in another window: "A"')


async def test_a_window_that_opens_later_does_not_overwrite_the_edit_of_one_that_is_open(
    service: RunningService, tmp_path: Path
) -> None:
    async with browser(service, tmp_path, place="lots") as one:
        await edited(one, "A")
        async with browser(service, tmp_path, place="lots") as two:
            await two.sees(r"A\*")
            await edited(two, "B")
            await one.puts_away_notices()
            await reviewed(one)
            await one.sees(r'Value in another window: "B"')
            await one.press("escape")
            await one.loses(rf"Change {RECORD}")
            await reviewed(two)
            await two.sees(r'Value in another window: "A"')
            await two.press("escape")
            await two.loses(rf"Change {RECORD}")
            await two.press("backspace")
            await two.until(lambda: on_disk(tmp_path) == '{"name":"A"}', "the open window's edit is not what is left")


async def test_an_edit_that_another_window_sent_is_not_said_to_be_kept(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path, place="lots") as user:
        await edited(user, "A")
    async with browser(service, tmp_path, place="lots") as one, browser(service, tmp_path, place="lots") as two:
        for user in (one, two):
            await heard(user, r"1 record has a draft not sent yet")
        await one.sees(r"A\*")
        await one.press("j")
        await sent(one)
        await one.until(lambda: on_disk(tmp_path) == "", "the draft is still in the store")
        await two.press("ctrl+q")
        await heard(two, rf"Draft of {RECORD} changed in another window")
        await two.until(lambda: not two.app.is_running, "it asks before it ends")


async def sent_before(state: Path, outcome: str, base: Json, *, since: bool = False) -> None:
    """Leave what a program leaves that sends an edit and is killed before it removes the draft."""
    draft = Draft(Record({"id": RECORD, "name": base}), {"name": "Sent"})
    now = datetime.now(UTC)
    intent = Intent(now, "PATCH", PLACE.path, PLACE.key, "key", {"name": base}, {"name": "Sent"})
    async with Store.open(state / "svc-tui.db") as store:
        scope = StorageScope("test", Environment.SANDBOX, "test-service")
        saved = SavedDraft(COLLECTIONS[0], RECORD, draft, now - timedelta(minutes=1))
        await store.drafts(scope).keep(saved)
        number = await store.journal(scope).intend(intent, PLACE)
        if outcome:
            await store.journal(scope).conclude(number, Outcome(now, outcome, 200))
        if since:
            typed = replace(draft, edits={"name": "Sent", "note": "typed since"})
            await store.drafts(scope).keep(replace(saved, draft=typed, changed=datetime.now(UTC)))


async def test_an_edit_that_was_sent_before_a_kill_is_cleared(service: RunningService, tmp_path: Path) -> None:
    await sent_before(tmp_path, "done", "Was")
    async with browser(service, tmp_path, place="lots") as user:
        await heard(user, rf"Saved {RECORD}")
        await user.until(lambda: on_disk(tmp_path) == "", "the draft is still in the store")
        assert not any("not sent yet" in report.body for report in user.app.main.reports)


async def test_what_was_typed_since_the_sending_stays(service: RunningService, tmp_path: Path) -> None:
    await sent_before(tmp_path, "done", "Was", since=True)
    async with browser(service, tmp_path, place="lots") as user:
        await heard(user, rf"Saved {RECORD}")
        await user.until(lambda: on_disk(tmp_path) == '{"note":"typed since"}', "not what is left")


@pytest.mark.parametrize("arrived", [True, False])
async def test_an_edit_that_may_have_been_sent_is_looked_up_first(
    service: RunningService, tmp_path: Path, arrived: bool
) -> None:
    if arrived:
        await changed_elsewhere(service, RECORD, name="Sent")
    await sent_before(tmp_path, "", "Was")
    async with browser(service, tmp_path, place="lots") as user:
        if arrived:
            await heard(user, rf"Saved {RECORD}")
            await user.until(lambda: on_disk(tmp_path) == "", "the draft is still in the store")
        else:
            await heard(user, rf"{RECORD}: outcome unknown")
            assert on_disk(tmp_path) == '{"name":"Sent"}'
        assert not any("not sent yet" in report.body for report in user.app.main.reports)


async def test_nothing_is_sent_before_the_journal_could_be_loaded(
    service: RunningService, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole, locked = Journal.unsettled, [True]

    async def unsettled(journal: Journal, since: datetime | None = None) -> list[JournalEntry]:
        if locked:
            raise StoreError("the database is locked")
        return await whole(journal, since)

    monkeypatch.setattr(Journal, "unsettled", unsettled)
    async with browser(service, tmp_path, place="lots") as user:
        await heard(user, "the database is locked")
        await edited(user, "A")
        await user.puts_away_notices()
        await user.press("ctrl+s")
        await heard(user, r"Not sent, because the journal could not be loaded: the database is locked")
        assert not [attempt for attempt in service.attempts if attempt.method == "PATCH"]
        locked.clear()
        await user.puts_away_notices()
        await sent(user)
