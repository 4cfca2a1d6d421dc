"""Edits not yet sent: where they are marked, how they are listed and thrown away, what they survive, who asks."""

import sqlite3
from contextlib import closing
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path

import pytest

from svc_tui.domain.editing.draft import Draft
from svc_tui.domain.editing.ports import SavedDraft, StorageScope
from svc_tui.domain.model.catalog import COLLECTIONS
from svc_tui.domain.model.credentials import Environment
from svc_tui.domain.model.records import Record
from svc_tui.sandbox.options import SandboxOptions
from svc_tui.sandbox.server.inprocess import RunningService, running_service
from svc_tui.store.store import Store
from tests.browser import User, browser
from tests.fixed_keys import fixed
from tests.flows.steps import at_name, renamed, reviewed, sent


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
        await user.sees(r"lot-000002 · name")
        await user.press("ctrl+u")
        for length in range(1, 4):
            await user.types("abc"[length - 1])
            typed = f'"name":"{"abc"[:length]}"'
            await user.until(partial(stored, tmp_path, typed), f"{typed} never reached the disk")


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
        await user.sees(r"Not sent: lot-000002")
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
        await in_palette(user, "throw away")
        await user.sees(r"Throw away: edits of lot-000002")
        await user.press("down", "enter")
        await user.sees(r"Throw away the edits of lot-000002")
        await user.sees(r'\+ "Unwanted"')
        await user.press(answer)
        await user.loses(r"Throw away the edits")
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
        await user.sees(r"1 record has edits from before")
        # The notice stands on the frame in which the age is.
        user.app.clear_notifications()
        await user.sees(rf"1 not sent · {words} old · ctrl\+s")
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
        await user.sees(r"1 record has changes that are not sent: lot-000002")
        await user.press("escape")
        await user.loses(r"changes that are not sent")
        await renamed(user, "Second")
        await user.press("ctrl+q")
        await user.sees(r"1 record has changes that are not sent: lot-000002")
        await user.press("escape")
        await user.loses(r"changes that are not sent")
        await user.press("ctrl+q")
        await user.until(lambda: user.app._exit, "it was asked about again")
    assert "Second" in on_disk(tmp_path)
