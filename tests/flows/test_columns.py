"""Columns from the keyboard: chosen, nested, summed up, raw; and what keys do on a column of something nested."""

import re
from datetime import timedelta, timezone
from pathlib import Path

import pytest

from svc_tui.sandbox.server.inprocess import RunningService
from tests.browser import User, browser
from tests.flows.steps import at_name, renamed, sent


async def _nested_column(user: User) -> None:
    """Show assay.auPpm right after the id, with the cursor on it."""
    await user.sees(r"lot-000001")
    await user.press("o")
    await user.sees(r"Columns · automatic")
    await user.press("slash")
    await user.types("auPpm")
    await user.press("enter", "space")
    # The cursor is on it still, as the only one of the list.
    for _ in range(30):
        await user.press("K")
    await user.press("J", "enter")
    await user.loses(r"Columns ·")
    await user.sees(r"assay\.auPpm")
    while user.app.main.workspace.selection.path != "assay.auPpm":
        await user.press("l")


async def test_a_nested_field_becomes_a_column_and_is_there_at_the_next_start(
    service: RunningService, tmp_path: Path
) -> None:
    async with browser(service, tmp_path) as user:
        await _nested_column(user)
        state = tmp_path / "state.toml"
        await user.until(lambda: state.is_file() and "auPpm" in state.read_text(), "the column was not remembered")
    async with browser(service, tmp_path) as user:
        await user.sees(r"id +assay\.auPpm")


async def test_esc_in_the_chooser_leaves_the_table_as_it_was(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path) as user:
        await user.sees(r"lot-000001")
        # Columns grow with what the next page holds.
        await user.settled()
        before = user.app.main.workspace.browse.table.columns
        await user.press("o")
        await user.sees(r"Columns · automatic")
        await user.press("space", "J", "right", "escape")
        await user.loses(r"Columns ·")
        assert user.app.main.workspace.browse.table.columns == before


async def test_copying_on_a_nested_column_copies_what_is_in_the_cell(
    service: RunningService, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    monkeypatch.delenv("DISPLAY", raising=False)
    found = re.search(r'"auPpm": ?([\d.]+)', service.record("operations/lots", "lot-000001") or "")
    assert found
    async with browser(service, tmp_path) as user:
        await _nested_column(user)
        await user.press("c")
        await user.until(lambda: user.app.clipboard == found[1], "the value was not copied")


async def test_editing_on_a_nested_column_edits_the_value_that_is_seen(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path) as user:
        await _nested_column(user)
        await user.press("e")
        await user.sees(r"(⏎|tab) Apply  esc Cancel")
        await user.sees(r"lot-000001 .* 11\.280 ")


async def test_a_record_opened_from_a_nested_column_begins_at_its_field(
    service: RunningService, tmp_path: Path
) -> None:
    async with browser(service, tmp_path) as user:
        await _nested_column(user)
        await user.press("enter")
        await user.sees(r"╭─ lot-000001 ")
        await user.until(lambda: user.app.main.workspace.panes.in_record, "the record has no focus")
        assert user.app.main.workspace.selection.field == "assay"


async def test_a_summary_says_what_it_is_from_and_respects_the_filter(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path, page_size=15) as user:
        await user.sees(r"lot-000001")
        await user.press("l", "l", "i")
        await user.sees(r"Summary · status")
        await user.sees(r"from \d+ of 300 loaded")
        await user.sees(r"● open +\d+ +\d+ % █")
        await user.press("escape", "slash")
        await user.types("status:open")
        await user.press("enter")
        await user.sees(r"ctrl\+l Load the rest")
        await user.press("i")
        found = await user.sees(r"from (\d+) match(?:es)? in \d+ of 300 loaded")
        await user.sees(rf"values {found[1]} +distinct 1")


async def test_a_summary_offers_to_load_the_rest(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path, page_size=15) as user:
        await user.sees(r"lot-000001")
        await user.settled()
        await user.press("i")
        cost = await user.sees(r"\^l Load the rest \((\d+) requests\)  esc Close")
        before = len(service.attempts)
        await user.press("ctrl+l")
        await user.loses(r"Summary · ")
        await user.until(lambda: user.app.main.workspace.browse.rows.cached == 300, "the rest was not loaded")
        assert len(service.attempts) - before == int(cost[1])
        await user.press("i")
        await user.sees(r"from all 300 records")
        assert "ctrl+l" not in user.text


async def test_raw_values_are_a_key_away_in_table_and_record(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path, size=(160, 40)) as user:
        await user.sees(r"openedAt UTC")
        await user.press("enter")
        await user.sees(r"openedAt +\d{4}-\d\d-\d\d \d\d:\d\d UTC")
        await user.press("ctrl+t")
        await user.sees(r"raw values.*raw values")
        await user.sees(r"openedAt +\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")
        await user.press("ctrl+t")
        await user.loses(r"raw values")


async def test_a_saved_view_brings_its_columns_back(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path) as user:
        await _nested_column(user)
        await user.press("ctrl+p")
        await user.types("save this")
        await user.sees(r"Save this view…")
        await user.press("enter")
        await user.sees(r"╭─ Save view")
        await user.types("gold")
        await user.press("enter")
        await user.sees(r"Saved the view “gold”")
        await user.press("o", "a", "enter")
        await user.loses(r"assay\.auPpm")
        user.app.main.features.views.show_named("operations/lots", "gold")
        await user.sees(r"id +assay\.auPpm")


async def test_a_time_that_is_edited_stands_there_as_it_is_typed(service: RunningService, tmp_path: Path) -> None:
    zone = timezone(timedelta(hours=5, minutes=45), "NPT")
    async with browser(service, tmp_path, tz=zone) as user:
        await user.sees(r"openedAt NPT")
        while user.app.main.workspace.selection.path != "openedAt":
            await user.press("l")
        await user.press("e")
        await user.sees(r" \d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")


async def test_the_journal_tells_times_where_the_reader_is(service: RunningService, tmp_path: Path) -> None:
    zone = timezone(timedelta(hours=5, minutes=45), "NPT")
    async with browser(service, tmp_path, tz=zone) as user:
        await at_name(user)
        await renamed(user, "Another name")
        await sent(user)
        await user.press("at")
        await user.sees(r"times in NPT")
        await user.press("enter")
        await user.sees(r"when +\d{4}-\d\d-\d\d \d\d:\d\d:\d\d NPT")


async def test_times_are_shown_where_the_reader_is(service: RunningService, tmp_path: Path) -> None:
    zone = timezone(timedelta(hours=5, minutes=45), "NPT")
    async with browser(service, tmp_path, size=(160, 40), tz=zone) as user:
        await user.sees(r"openedAt NPT")
        await user.press("enter")
        await user.sees(r"openedAt +\d{4}-\d\d-\d\d \d\d:\d\d NPT")
