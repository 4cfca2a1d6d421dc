"""What became of runs, afterwards: folded in the journal, taken back as one, told as they stand, in the case file."""

import re
from pathlib import Path

from svc_tui.core.kinds import MASKED
from svc_tui.sandbox.server.inprocess import RunningService
from tests.browser import User, browser
from tests.flows.steps import at_name, changed_elsewhere, chosen, commanded, heard, renamed, sent
from tests.flows.test_case_file import asked, written_to
from tests.flows.test_marked_runs import IDS, planned, stored_values


async def changed_many(user: User, value: str = "testite", times: int = 1) -> None:
    """Give the mineral of the first four lots a value."""
    await planned(user, "mineral", value)
    await user.press("y")
    await heard(user, r"4 records changed\.", times)


async def at_journal(user: User) -> None:
    """Open the journal."""
    await user.press("at")
    await user.sees(r"─ Journal")


async def runs_stand(user: User, *lines: str) -> None:
    """See the runs in the palette's list, the newest first, and leave it."""
    await commanded(user, "runs", "Runs…")
    await user.sees(r"(?s)─ Runs · \d.*" + r".*\n.*".join(lines))
    await user.press("escape")
    await user.loses(r"─ Runs ·")


async def test_a_run_is_one_line_of_the_journal_and_unfolds_to_its_writes(
    service: RunningService, tmp_path: Path
) -> None:
    async with browser(service, tmp_path, place="lots") as user:
        await changed_many(user)
        await user.puts_away_notices()
        await user.press("g", *"h" * 9)
        await at_name(user)
        await renamed(user, "Alone")
        await sent(user)
        await user.puts_away_notices()
        await at_journal(user)
        await user.sees(r"Journal · 5")
        await user.sees(r"▸ 4 changes · mineral of 4 lots")
        await user.sees(r"  4 done")
        await user.press("j", "enter")
        await user.sees(r"▾ 4 changes")
        await user.sees(r"(?s)lot-000004 .*lot-000003 .*lot-000002 .*lot-000001 +✓ done")
        await user.press("left")
        await user.sees(r"▸ 4 changes")
        await user.press("slash")
        await user.types("lot-000003")
        await user.sees(r"Journal · 1 found")
        await user.sees(r"(?s)▾ 4 changes.*PATCH +(operations/)?lots/lot-000003 +✓ done")
        await user.press("ctrl+u")
        await user.types("mineral of 4")
        await user.sees(r"▸ 4 changes · mineral of 4 lots")


async def test_one_write_of_a_run_is_taken_back_by_itself_and_the_run_from_its_line(
    service: RunningService, tmp_path: Path
) -> None:
    before = stored_values(service, "mineral")
    async with browser(service, tmp_path, place="lots") as user:
        await changed_many(user)
        await user.puts_away_notices()
        await at_journal(user)
        await user.press("enter", "j", "j", "u")
        await user.sees(r"Undo: change lot-000003")
        await user.sees(rf"\+ {before[2]}")
        await user.press("y")
        await heard(user, r"Undone: change of lot-000003")
        assert stored_values(service, "mineral") == ["testite", "testite", before[2], "testite"]
        await user.puts_away_notices()
        await at_journal(user)
        await user.press("j", "u")
        await user.sees(r"Undo mineral of 4 lots")
        await user.press("y")
        await heard(user, r"3 records changed\.")
    assert stored_values(service, "mineral") == before


async def test_u_takes_a_run_back_as_one_and_its_undo_too(service: RunningService, tmp_path: Path) -> None:
    before = stored_values(service, "mineral")
    async with browser(service, tmp_path, place="lots") as user:
        await changed_many(user)
        await runs_stand(user, r"mineral of 4 lots +done")
        await user.puts_away_notices()
        await user.press("u")
        await user.sees(r"4 changes · mineral of 4 lots")
        await user.sees(r"Restores the old values of 4 records, checks each record first")
        await user.press("enter")
        await user.sees(r"Undo mineral of 4 lots")
        await user.press("y")
        await heard(user, r"4 records changed\.", 2)
        assert stored_values(service, "mineral") == before
        await runs_stand(user, r"undo of mineral of 4 lots +done", r"mineral of 4 lots +undone")
        await user.puts_away_notices()
        await user.press("u")
        await user.sees(r"undo of mineral of 4 lots")
        await user.sees(r"· mineral of 4 lots +undone")
        await user.press("enter")
        await user.sees(r"y Send")
        await user.press("y")
        await heard(user, r"4 records changed\.", 3)
        assert stored_values(service, "mineral") == ["testite"] * 4
        await runs_stand(
            user,
            r"undo of the undo of mineral of 4 lots +done",
            r"undo of mineral of 4 lots +undone",
            r" mineral of 4 lots +done",
        )


async def test_a_run_that_was_cut_short_asks_first_how_it_goes_on(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path, place="lots") as user:
        await planned(user, "mineral", "testite")
        await changed_elsewhere(service, IDS[2], mineral="elsewhere")
        await user.press("y")
        await user.sees(r"Stopped: 2 of 4 done")
        await chosen(user, "Resume later, with Runs in Commands (ctrl+p)")
        await user.puts_away_notices()
        await user.press("u")
        await user.sees(r"2 done · stopped")
        await user.sees(r"Restores the old values of 2 records, or resume the run")
        await user.press("enter")
        await user.sees(r"mineral of 4 lots: 2 of 4 done")
        await chosen(user, "Undo 2 changed records")
        await user.sees(r"Undo mineral of 4 lots")
        await user.press("y")
        await heard(user, r"2 records changed\.")
        await runs_stand(user, r"undo of mineral of 4 lots +done", r"mineral of 4 lots +undone")


async def test_what_the_mask_hides_is_hidden_below_a_run_too(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path, place="workers") as user:
        await user.sees(r"wrk-0001")
        await user.press("space", "space", "x")
        await chosen(user, "Change a field of 2 marked")
        await chosen(user, "name")
        await user.sees(r"2 records · name")
        await user.press("ctrl+u")
        await user.types("Josephine")
        await user.press("enter")
        await user.sees(r"Change name of 2 workers")
        await user.press("y")
        await heard(user, r"2 records changed\.")
        await user.press("ctrl+o")
        await user.sees(r"MASKED")
        await user.puts_away_notices()
        await at_journal(user)
        await user.press("enter")
        await user.sees(rf"name: {MASKED}|name: .*{re.escape(MASKED)}")
        assert "Josephine" not in user.text
        await user.press("slash")
        await user.types("wrk-0001")
        await user.sees(r"1 found")
        assert "Josephine" not in user.text


async def test_the_case_file_tells_a_run_in_one_section(service: RunningService, tmp_path: Path) -> None:
    file = tmp_path / "case.md"
    async with browser(service, tmp_path, place="lots") as user:
        await changed_many(user)
        await asked(user)
        await written_to(user, file, "SUP-1")
    text = file.read_text()
    assert text.count("### Run `mineral of 4 lots`") == 1
    assert "- outcome: 4 done\n" in text
    assert re.search(
        r"\| 3 \| `operations/lots/lot-000003` \| `mineral` \| `\"gold\"` \| `\"testite\"` \| done \|", text
    )
