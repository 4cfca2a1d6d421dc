"""One change for all marked records: what the service stored, what the journal holds, and every way to stop."""

import re
from pathlib import Path

import pytest
from textual import events
from textual.widgets import Input

from svc_tui.sandbox.server.inprocess import RunningService
from svc_tui.storage.journal_entries import entry_result
from svc_tui.ui.dialogs import dialog
from svc_tui.ui.plans.run_dialogs import StoppedRunScreen
from tests.browser import User, browser
from tests.flows.steps import changed_elsewhere, chosen, entered_unknown, heard, stored_field, unlocked

LOTS = "operations/lots"
IDS = [f"lot-{index:06}" for index in range(1, 5)]


def stored_values(service: RunningService, field: str, ids: list[str] | None = None) -> list[object]:
    """A field of some lots as the service holds it."""
    return [stored_field(service, field, record_id) for record_id in ids or IDS]


async def decided(user: User, words: str) -> None:
    """Choose how a run that stopped goes on, once that can be seen."""
    await user.sees(r"Resume later, with Runs in Commands \(ctrl\+p\)")
    await chosen(user, words)


async def planned(user: User, field: str, value: str, *, marked: int = 4) -> None:
    """Mark the first records, and come to the table of what a value would change."""
    await user.sees(IDS[0])
    for _ in range(marked):
        await user.press("space")
    await user.press("x")
    await chosen(user, f"Change a field of {marked} marked")
    await user.sees(rf"Field to change in {marked} records")
    await chosen(user, field)
    await user.sees(rf"{marked} records · {field}")
    await user.sees(r"⏎ Review  esc Cancel")
    await user.press("ctrl+u")
    await user.types(value)
    if value == "testite":
        await entered_unknown(user)
    else:
        await user.press("enter")
    await user.sees(rf"Change {field} of \d+ (of \d+ )?lots")


async def results(user: User) -> list[tuple[str, str, bool]]:
    """What the journal holds, the first write first: record, outcome, whether it is part of a run."""
    entries = await user.store.journal(user.scope).entries()
    return [
        (entry.intent.place.rpartition("/")[2], entry_result(entry), bool(entry.intent.batch))
        for entry in reversed(entries)
    ]


async def test_all_marked_records_get_the_value_one_after_the_other(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path, place="lots") as user:
        await planned(user, "mineral", "testite")
        await user.press("t")
        await user.types("SUP-7")
        await user.press("enter", "y")
        await heard(user, r"4 records changed\.")
        # The column comes into view.
        await user.sees(r"lot-000001 .* testite")
        assert user.app.main.workspace.browse.table.cursor_field == "mineral"
        assert stored_values(service, "mineral") == ["testite"] * 4
        assert await results(user) == [(record_id, "done", True) for record_id in IDS]
        entries = await user.store.journal(user.scope).entries()
        assert len({entry.intent.batch for entry in entries}) == 1
        assert {entry.intent.ticket for entry in entries} == {"SUP-7"}
        assert all(set(entry.intent.after or {}) == {"mineral"} for entry in entries)
        assert await user.store.runs(user.scope).unfinished() == []
        patches = [a for a in service.attempts if a.method == "PATCH"]
        assert len({a.idempotency_key for a in patches}) == 4
        await user.until(lambda: service.attempts[-1].method == "GET", "the rows are not read again")
        rows = user.app.main.workspace.browse.rows
        await user.until(
            lambda: all((row := rows.get(at)) is not None and row.fields["mineral"] == "testite" for at in range(4)),
            "the rows do not show it",
        )


async def test_the_notice_of_a_run_covers_none_of_the_rows_that_it_changed(
    service: RunningService, tmp_path: Path
) -> None:
    async with browser(service, tmp_path, place="lots", size=(80, 24)) as user:
        await user.sees(IDS[0])
        await user.press(*["down"] * 16, *["shift+down"] * 5, "x")
        await chosen(user, "Change a field of 6 marked")
        await chosen(user, "mineral")
        await user.sees(r"⏎ Review  esc Cancel")
        await user.types("testite")
        await entered_unknown(user)
        await user.sees(r"y Send 6")
        await user.press("y")
        await user.sees(r"(lot-0000\d\d [^\n]* testite [^\n]*\n\W*){6}[\s\S]+▌ ✓ Changed mineral")


async def test_a_run_has_the_ticket_line_of_every_other_write(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path, place="lots") as user:
        await planned(user, "mineral", "testite")
        await user.types("sy")
        await user.sees(r"not sent · press t to add a ticket")
        assert not any(a.method == "PATCH" for a in service.attempts)
        await user.press("t")
        await user.sees(r" ⏎ Done  esc Back")
        await user.press("escape")
        await user.sees(r"y Send 4[\s\S]+ space Skip  e Edit")
        await user.press("t")
        await user.types("svc_test_")
        await user.sees(r"not accepted: looks like a key or a secret")
        user.app.post_message(events.Paste("SUP\n8"))
        await user.sees(r"Ticket +SUP 8")
        await user.press("enter", "escape")
        await user.loses(r"y Send")
        await user.press("delete")
        await user.sees(r"Ticket +none · \w+ Add ticket · last: SUP 8")
    assert not any(a.method == "PATCH" for a in service.attempts)


async def test_what_the_records_differ_in_is_not_called_unset(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path, place="lots") as user:
        await user.sees(IDS[0])
        await user.press("space", "space", "x")
        await chosen(user, "Change a field of 2 marked")
        await user.sees(r"Field to change in 2 records")
        await chosen(user, "name")
        await user.sees(r"│ differs")
        await user.press("ctrl+r")
        await user.sees(r"A plan can't remove a field\.")


async def test_the_table_shows_old_and_new_and_leaves_out_what_has_the_value(
    service: RunningService, tmp_path: Path
) -> None:
    has = str(stored_values(service, "mineral")[0])
    already = stored_values(service, "mineral").count(has)
    async with browser(service, tmp_path, place="lots") as user:
        await planned(user, "mineral", has)
        await user.sees(rf"{already} unchanged")
        other = next(
            name for name, mineral in zip(IDS, stored_values(service, "mineral"), strict=True) if mineral != has
        )
        await user.sees(rf'✓ +{other} .* mineral +"\w+" +"{has}"')
        await user.sees(rf"y Send {4 - already}")
        # What has the value already is shown with it, and counted in the title.
        await user.sees(rf"Change mineral of {4 - already} of 4 lots")
        await user.sees(rf'= +{IDS[0]} .* mineral +"{has}" +Unchanged')
        await user.press("enter")
        await user.sees(rf'Nothing to change: mineral is "{has}" already\.')
        await user.press("escape", "escape")
        await user.loses(r"y Send")
    assert not any(a.method == "PATCH" for a in service.attempts)


async def test_space_leaves_single_records_out(service: RunningService, tmp_path: Path) -> None:
    before = stored_values(service, "mineral")
    async with browser(service, tmp_path, place="lots") as user:
        await planned(user, "mineral", "testite")
        await user.press("down", "space")
        await user.sees(r"· +lot-000002 .*Skipped")
        await user.sees(r"y Send 3")
        await user.press("y")
        await heard(user, r"3 records changed\. 1 record skipped\.")
    assert stored_values(service, "mineral") == ["testite", before[1], "testite", "testite"]


async def test_it_stops_at_a_field_that_others_changed_and_goes_on_without_that_record(
    service: RunningService, tmp_path: Path
) -> None:
    async with browser(service, tmp_path, place="lots") as user:
        await planned(user, "mineral", "testite")
        await changed_elsewhere(service, IDS[1], mineral="elsewhere")
        await user.press("y")
        await user.sees(r"Stopped: 1 of 4 done")
        await user.sees(r'lot-000002 was not changed: others set mineral to "elsewhere"')
        assert stored_values(service, "mineral")[0:2] == ["testite", "elsewhere"]
        assert not any("lot-000003" in a.target for a in service.attempts if a.method == "PATCH")
        await decided(user, "Skip this record: lot-000002")
        await heard(user, r"3 records changed\.")
    assert stored_values(service, "mineral") == ["testite", "elsewhere", "testite", "testite"]


async def test_a_key_pressed_before_the_question_could_be_seen_answers_nothing(
    service: RunningService, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dialog, "REACTION_SECONDS", 3600.0)
    async with browser(service, tmp_path, place="lots") as user:
        await planned(user, "mineral", "testite")
        await changed_elsewhere(service, IDS[1], mineral="elsewhere")
        await user.press("y")
        await user.sees(r"Stopped: 1 of 4 done")
        asked = user.app.screen
        await user.press("enter", "j", "enter")
        await user.settled()
        assert user.app.screen is asked
        assert "Resume later" not in user.text
    assert len([a for a in service.attempts if a.method == "PATCH" and "lot-000003" in a.target]) == 0


async def test_it_stops_at_a_refusal_and_undoes_what_was_done(service: RunningService, tmp_path: Path) -> None:
    before = stored_values(service, "mineral")
    async with browser(service, tmp_path, place="lots") as user:
        await planned(user, "mineral", "testite")
        await changed_elsewhere(service, IDS[2], mineral="elsewhere")
        await user.press("y")
        await user.sees(r"Stopped: 2 of 4 done")
        await decided(user, "Undo 2 changed records")
        await user.sees(r"Undo mineral of 4 lots")
        await user.sees(rf'lot-000002 .*"testite" +"{before[1]}"')
        await user.press("y")
        await heard(user, r"2 records changed\.")
        assert await user.store.runs(user.scope).unfinished() == []
        assert [place for place, _, batch in await results(user) if batch] == [IDS[0], IDS[1], IDS[1], IDS[0]]
    assert stored_values(service, "mineral") == [before[0], before[1], "elsewhere", before[3]]


async def test_a_run_that_was_cut_short_is_told_at_the_next_start_and_taken_up_again(
    service: RunningService, tmp_path: Path
) -> None:
    async with browser(service, tmp_path, place="lots") as user:
        await planned(user, "mineral", "testite")
        await changed_elsewhere(service, IDS[2], mineral="elsewhere")
        await user.press("y")
        await user.sees(r"Stopped: 2 of 4 done")
        # The program ends here, with the plan and two writes on the disk.
    before = len([a for a in service.attempts if a.method == "PATCH"])
    async with browser(service, tmp_path, place="lots") as user:
        await heard(user, r"Unfinished run")
        await heard(user, r"mineral of 4 lots: 2 of 4 done")
        await user.press("at")
        await user.sees(r"─ Journal")
        await user.press("b")
        await chosen(user, "Resume: 2 remaining records")
        await user.sees(r"Change mineral of 2 lots")
        await user.press("space", "y")
        await heard(user, r"3 records changed\. 1 record skipped\.")
        assert await user.store.runs(user.scope).unfinished() == []
    assert stored_values(service, "mineral") == ["testite", "testite", "elsewhere", "testite"]
    assert len([a for a in service.attempts if a.method == "PATCH"]) == before + 1


async def test_what_was_left_out_does_not_count_as_done_at_the_next_start(
    service: RunningService, tmp_path: Path
) -> None:
    async with browser(service, tmp_path, place="lots") as user:
        await planned(user, "mineral", "testite")
        await changed_elsewhere(service, IDS[2], mineral="elsewhere")
        await user.press("down", "space")
        await user.sees(r"y Send 3")
        await user.press("y")
        await user.sees(r"Stopped: 1 of 3 done")
    async with browser(service, tmp_path, place="lots") as user:
        await heard(user, r"mineral of 3 lots: 1 of 3 done")


async def test_it_goes_on_after_what_was_found_to_be_there_though_no_answer_came(
    service: RunningService, tmp_path: Path
) -> None:
    async with browser(service, tmp_path, place="lots") as user:
        await planned(user, "mineral", "testite", marked=2)
        service.faults.next("reset", count=3)
        await user.press("y")
        await heard(user, r"2 records changed\.")
        assert [word for _, word, _ in await results(user)] == ["done", "done"]
    assert stored_values(service, "mineral", IDS[:2]) == ["testite", "testite"]


async def test_a_change_of_unknown_fate_keeps_its_key_when_it_is_tried_again_and_after_a_restart(
    service: RunningService, tmp_path: Path
) -> None:
    def keys() -> list[str | None]:
        return [attempt.idempotency_key for attempt in service.attempts if attempt.method == "PATCH"]

    service.faults.next("500", count=9, method="PATCH")
    async with browser(service, tmp_path, place="lots") as user:
        await planned(user, "mineral", "testite", marked=2)
        await user.press("y")
        await user.sees(r"Checked again:[\s\S]{1,200}does\s[\s\S]*not")
        first = len(keys())
        await decided(user, "Resume: send lot-000001 again")
        await user.until(lambda: len(keys()) > first, "it was not tried again")
        await user.sees(r"Checked again:[\s\S]{1,200}does\s[\s\S]*not")
        second = len(keys())
        # The program ends here, with the question open.
    service.faults.clear()
    async with browser(service, tmp_path, place="lots") as user:
        await heard(user, r"Unfinished run")
        await user.press("at")
        await user.sees(r"─ Journal")
        await user.press("b")
        await chosen(user, "Resume: 2 remaining records")
        await user.sees(r"Change mineral of 2 lots")
        await user.press("y")
        await heard(user, r"2 records changed\.")
    assert len(keys()) > second
    assert len(set(keys()[:-1])) == 1
    assert stored_values(service, "mineral", IDS[:2]) == ["testite", "testite"]


async def test_escape_stops_after_the_one_under_way(service: RunningService, tmp_path: Path) -> None:
    before = stored_values(service, "mineral")
    async with browser(service, tmp_path, place="lots") as user:
        await planned(user, "mineral", "testite")
        service.faults.next("hold", method="PATCH")
        await user.press("y")
        await user.sees(r"0 of 4 · lot-000001")
        await user.until(lambda: service.faults.held == 1, "nothing was held")
        await user.press("escape")
        await user.sees(r"Stopping…")
        service.faults.release()
        await user.sees(r"Stopped: 1 of 4 done")
        await decided(user, "Resume later")
        await user.loses(r"Stopped: 1")
        (kept,) = await user.store.runs(user.scope).unfinished()
        assert kept.title == "mineral of 4 lots"
    assert stored_values(service, "mineral") == ["testite", *before[1:]]


async def test_on_live_it_is_locked_and_wants_the_number_typed(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path, place="lots", key="live") as user:
        await user.sees(IDS[0])
        await user.press("space", "space", "x")
        await chosen(user, "Change a field of 2 marked")
        await user.sees(r"LIVE is locked")
        await user.press("w")
        await user.types("live")
        await user.press("enter")
        await user.sees(r"WRITABLE")
        await user.press("x")
        await chosen(user, "Change a field of 2 marked")
        await chosen(user, "mineral")
        await user.sees(r"2 records · mineral")
        await user.press("ctrl+u")
        await user.types("testite")
        await entered_unknown(user)
        await user.sees(r" LIVE   Change mineral of 2 lots")
        await user.press("y")
        await user.sees(r"Type 2 and press enter")
        await user.types("3")
        await user.press("enter")
        await user.sees(r"This is not the number")
        assert not any(a.method == "PATCH" for a in service.attempts)
        user.app.screen.query_one(Input).value = ""
        await user.types("2")
        await user.press("enter")
        await heard(user, r"2 records changed\.")
    assert stored_values(service, "mineral", IDS[:2]) == ["testite", "testite"]


async def counted(user: User, count: int) -> None:
    """Agree to the plan on LIVE by its number."""
    await user.press("y")
    await user.sees(rf"Type {count} and press enter")
    await user.types(str(count))
    await user.press("enter")


@pytest.mark.parametrize("seconds", [601.0, 181.0], ids=["after-ten-minutes", "after-three-idle-ones"])
async def test_a_lock_that_runs_out_in_mid_run_stops_it_and_keeps_everything(
    service: RunningService, tmp_path: Path, seconds: float
) -> None:
    before, clock = stored_values(service, "mineral"), [1000.0]
    async with browser(service, tmp_path, place="lots", key="live", monotonic=lambda: clock[0]) as user:
        await user.sees(IDS[0])
        await unlocked(user)
        await planned(user, "mineral", "testite")
        service.faults.next("hold", method="PATCH")
        await counted(user, 4)
        await user.until(lambda: service.faults.held == 1, "nothing was held")
        clock[0] += seconds
        service.faults.release()
        await user.sees(r"Stopped: 1 of 4 done")
        await user.sees(r"lot-000002 was not sent\. LIVE is locked\. Press w to unlock\.")
        await user.sees(r"LOCKED")
        asked = user.app.screen
        await decided(user, "Resume: send lot-000002 again")
        await user.until(
            lambda: user.app.screen is not asked and isinstance(user.app.screen, StoppedRunScreen),
            "it did not stop again",
        )
        await user.sees(r"lot-000002 was not sent\. LIVE is locked\. Press w to unlock\.")
        assert stored_values(service, "mineral") == ["testite", *before[1:]]
        assert [word for _, word, _ in await results(user)] == ["done"]
        await decided(user, "Resume later")
        await user.loses(r"Stopped: 1")
        (kept,) = await user.store.runs(user.scope).unfinished()
        assert kept.title == "mineral of 4 lots"
        await user.until(lambda: not user.app.main.asking, "the run is still held")
        await unlocked(user)
        await user.press("at")
        await user.sees(r"─ Journal")
        await user.press("b")
        await chosen(user, "Resume: 3 remaining records")
        await user.sees(r" LIVE   Change mineral of 3 lots")
        await counted(user, 3)
        await heard(user, r"4 records changed\.")
    assert stored_values(service, "mineral") == ["testite"] * 4
    assert len([a for a in service.attempts if a.method == "PATCH"]) == 4


async def test_nothing_is_sent_where_the_plan_cannot_be_kept(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path, place="lots") as user:
        await planned(user, "mineral", "testite")
        user.store._database.now(lambda connection: connection.execute("DROP TABLE batches"))
        await user.press("y")
        await user.sees(r"Nothing sent: could not save the plan")
    assert not any(a.method == "PATCH" for a in service.attempts)


async def test_without_marks_the_menu_offers_no_change(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path, place="lots") as user:
        await user.sees(IDS[0])
        # The menu needs the record under the cursor.
        await user.until(lambda: user.app.main.workspace.selection.record is not None, "no record is under the cursor")
        await user.press("x")
        await user.sees(r"Delete the record")
        assert not re.search(r"Change a field", user.text)


async def test_more_than_200_want_the_name_of_the_collection_on_live(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path, page_size=15, place="lots", key="live") as user:
        await user.sees(IDS[0])
        await unlocked(user)
        await user.press("ctrl+l")
        await user.until(lambda: user.app.main.workspace.browse.rows.cached == 300, "the rest was not loaded")
        await user.press("asterisk")
        await user.until(lambda: len(user.app.main.workspace.browse.marking.records) == 300, "not all are marked")
        await user.press("x")
        await chosen(user, "Change a field of")
        await chosen(user, "mineral")
        await user.sees(r"300 records · mineral")
        await user.press("ctrl+u")
        await user.types("testite")
        await user.sees(r"Use “testite” as typed")
        await user.press("up", "enter")
        await user.puts_away_notices()
        await user.sees(r"y Send 300")
        await user.press("y")
        await user.sees(r"Type 300 lots and press enter")
        await user.types("300")
        await user.press("enter")
        await user.sees(r"This is not the number and the collection")
    assert not any(a.method == "PATCH" for a in service.attempts)
