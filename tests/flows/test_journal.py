"""The journal on the real app: searched, exported, pruned; what can't be journalled is not sent."""

import json
import stat
from datetime import UTC, datetime, timedelta
from pathlib import Path

from textual.widgets import Input

from svc_tui.core.values import replace
from svc_tui.sandbox.server.inprocess import RunningService
from svc_tui.storage.journal_entries import Intent, Outcome
from tests.browser import User, browser
from tests.flows.steps import at_name, confirmed, renamed, sent

LOT = "operations/lots/lot-000002"


async def wrote(user: User, *tickets: str, days_ago: int = 0) -> None:
    """Writes that stand in the journal already, one for each ticket."""
    journal = user.store.journal(user.scope)
    at = datetime.now(UTC) - timedelta(days=days_ago)
    intent = Intent(at, "PATCH", f"/v1/{LOT}", LOT, "key-1", {"note": "a"}, {"note": "b"})
    for ticket in tickets:
        number = await journal.intend(replace(intent, ticket=ticket))
        await journal.conclude(number, Outcome(at, "done", 200))


def full(user: User) -> None:
    """Let the store have no more room than it takes now, as on a full disk."""

    def limit(connection: object) -> None:
        execute = connection.execute  # type: ignore[attr-defined]
        execute("VACUUM")  # pages of deleted rows are room as well
        (pages,) = execute("PRAGMA page_count").fetchone()
        execute(f"PRAGMA max_page_count = {pages}")
        execute("PRAGMA wal_checkpoint(TRUNCATE)")

    user.store._database.now(limit)


def on_disk(state: Path) -> bytes:
    """Every byte of the store."""
    return b"".join(file.read_bytes() for file in state.glob("svc-tui.db*"))


async def test_a_write_names_environment_profile_and_where_the_key_came_from_and_never_the_key(
    service: RunningService, tmp_path: Path
) -> None:
    async with browser(service, tmp_path, place="lots") as user:
        await at_name(user)
        await renamed(user, "Tail")
        await sent(user)
        (entry,) = await user.store.journal(user.scope).entries()
        assert entry.key == "test sandbox"
        assert (entry.intent.before or {}).keys() == (entry.intent.after or {}).keys() == {"name"}
        assert entry.intent.idempotency_key
        assert entry.outcome is not None
        assert entry.outcome.request_id
    held = on_disk(tmp_path)
    key = service.key("sandbox")
    assert key.api_key.encode() not in held
    assert b"test sandbox" in held


async def test_on_live_nothing_is_sent_where_the_disk_is_full(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path, place="lots", key="live") as user:
        await at_name(user)
        await user.press("e")
        await user.sees(r"(⏎|tab) Apply  esc Cancel")
        # Longer than what is left in any page that the store has already.
        user.app.screen.query_one(Input).value = "Tail " * 1_000
        await user.press("enter")
        await user.loses(r"(⏎|tab) Apply  esc Cancel")
        await user.press("w")
        await user.types("live")
        await user.press("enter")
        await user.sees(r"WRITABLE")
        # An edit is kept a moment later, or when it is asked for: once the disk is full, it would not be.
        await user.store.drafts(user.scope).all()
        await user.press("ctrl+s")
        await user.sees(r"Change lot-000002")
        full(user)
        await user.press("end", "y")
        await user.until(
            lambda: any("Not sent, because the journal could not be written" in r.body for r in user.app.main.reports),
            "it was not said",
        )
        assert any("the disk is full" in report.body for report in user.app.main.reports)
    assert not any(attempt.method == "PATCH" for attempt in service.attempts)


async def test_on_live_nothing_is_sent_where_the_store_is_damaged(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path, place="lots", key="live") as user:
        await at_name(user)
        await renamed(user, "Tail")
        await user.press("w")
        await user.types("live")
        await user.press("enter")
        await user.sees(r"WRITABLE")
        user.store._database.now(lambda connection: connection.execute("DROP TABLE journal"))
        await confirmed(user)
        await user.until(
            lambda: any("Not sent, because the journal could not be written" in r.body for r in user.app.main.reports),
            "it was not said",
        )
    assert not any(attempt.method == "PATCH" for attempt in service.attempts)


async def test_a_search_looks_through_all_of_it(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path, place="lots") as user:
        await wrote(user, "SUP-needle", *(f"SUP-{turn}" for turn in range(210)))
        await user.press("at")
        await user.sees(r"Journal · 200")
        await user.press("slash")
        await user.types("needle note")
        await user.sees(r"Journal · 1 found")
        await user.sees(r"SUP-needle")


async def test_what_is_found_is_exported_whole_and_for_its_owner_alone(service: RunningService, tmp_path: Path) -> None:
    file = tmp_path / "journal.jsonl"
    async with browser(service, tmp_path, place="lots") as user:
        await wrote(user, "SUP-1", "SUP-2", "SUP-1")
        await user.press("at")
        await user.sees(r"Journal · 3")
        await user.press("slash")
        await user.types("sup-1")
        await user.sees(r"2 found")
        await user.press("ctrl+e")
        await user.sees(r"Export the journal")
        await user.sees(r"matches: 2 entries")
        await user.press("tab", "tab", "ctrl+u")
        await user.types(str(file))
        await user.press("enter")
        await user.sees(r"Journal · 2 found")
    rows = [json.loads(line) for line in file.read_text().splitlines()]
    assert [row["ticket"] for row in rows] == ["SUP-1", "SUP-1"]
    assert {"at", "environment", "profile", "key", "before", "after", "requestId", "outcome"} <= rows[0].keys()
    assert rows[0]["before"] == {"note": "a"}
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


async def test_old_writes_are_pruned_after_a_question_that_says_how_many(
    service: RunningService, tmp_path: Path
) -> None:
    async with browser(service, tmp_path, place="lots") as user:
        await wrote(user, "old-1", "old-2", days_ago=100)
        await wrote(user, "new")
        await user.press("at")
        await user.sees(r"Journal · 3")
        await user.press("p")
        await user.sees(r"older than 90 days +2 entries")
        await user.sees(r"older than 365 days +0 entries")
        await user.press("down", "enter")
        await user.sees(r"2 entries from before")
        await user.press("escape")
        await user.sees(r"Journal · 3")
        await user.press("p")
        await user.sees(r"older than 90 days")
        await user.press("down", "enter")
        await user.sees(r"2 entries from before")
        await user.press("y")
        await user.sees(r"Journal · 1")
        assert [e.intent.ticket for e in await user.store.journal(user.scope).entries()] == ["new"]
    async with browser(service, tmp_path, place="lots") as user:
        assert user.store.notice == ""
