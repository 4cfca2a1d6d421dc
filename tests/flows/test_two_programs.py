"""Two programs on one store: what one of them runs is told in the other, and can't be taken from it."""

from datetime import UTC, datetime
from pathlib import Path

from svc_tui.core.catalog import COLLECTIONS
from svc_tui.core.records import Place
from svc_tui.sandbox.server.inprocess import RunningService
from svc_tui.storage.journal_entries import Intent, Outcome
from svc_tui.storage.plan import Plan, PlanRow
from svc_tui.storage.store import Store
from tests.browser import User, browser
from tests.flows.steps import at_name, changed_elsewhere, chosen, heard, renamed
from tests.flows.test_marked_runs import IDS, decided, planned, stored_values


async def resumes(user: User) -> None:
    """Ask for a run to be taken up."""
    await user.press("at")
    await user.sees(r"─ Journal")
    await user.press("b")


async def test_a_run_that_another_program_is_at_can_not_be_resumed_nor_given_up(
    service: RunningService, tmp_path: Path
) -> None:
    async with browser(service, tmp_path, place="lots") as one:
        await planned(one, "mineral", "testite")
        await changed_elsewhere(service, IDS[1], mineral="elsewhere")
        await one.press("y")
        # Its question stays open, and with it the run.
        await one.sees(r"Stopped: 1 of 4 done")
        async with browser(service, tmp_path, place="lots") as two:
            await heard(two, r"mineral of 4 lots: running in another window")
            await resumes(two)
            await heard(two, r"mineral of 4 lots: running in another window", times=2)
            await two.until(lambda: not two.app.main.asking, "a dialog is still open")
            assert not any("Unfinished run" in report.title for report in two.app.main.reports)
            await decided(one, "Skip this record: lot-000002")
            await heard(one, r"3 records changed\.")
            await one.until(lambda: not one.app.main.asking, "the run is still held")
            await resumes(two)
            await two.sees(r"mineral of 4 lots +done")
    assert stored_values(service, "mineral") == ["testite", "elsewhere", "testite", "testite"]


async def test_a_run_that_was_stopped_is_for_the_program_that_takes_it_up(
    service: RunningService, tmp_path: Path
) -> None:
    async with browser(service, tmp_path, place="lots") as one:
        await planned(one, "mineral", "testite")
        await changed_elsewhere(service, IDS[1], mineral="elsewhere")
        await one.press("y")
        await one.sees(r"Stopped: 1 of 4 done")
        async with browser(service, tmp_path, place="lots") as two:
            await heard(two, r"running in another window")
            await decided(one, "Resume later")
            await one.until(lambda: not one.app.main.asking, "the run is still held")
            await resumes(two)
            await two.sees(r"mineral of 4 lots: 1 of 4 done")
            await resumes(one)
            await heard(one, r"mineral of 4 lots: running in another window")
            await chosen(two, "Resume: 3 remaining records")
            await two.sees(r"Change mineral of 3 lots")
            await two.press("space", "y")
            await heard(two, r"3 records changed\. 1 record skipped\.")
    assert stored_values(service, "mineral") == ["testite", "elsewhere", "testite", "testite"]


async def test_a_write_that_another_program_has_under_way_is_not_called_unknown(
    service: RunningService, tmp_path: Path
) -> None:
    place = Place(COLLECTIONS[0], "lot-000002")
    intent = Intent(datetime.now(UTC), "PATCH", place.path, place.key, "key", {"name": "old"}, {"name": "On its way"})
    async with browser(service, tmp_path, place="lots") as one:
        await at_name(one)
        await renamed(one, "On its way")
        drafts = one.store.drafts(one.scope)
        await drafts.all()
        number = await one.store.journal(one.scope).intend(intent)
        async with browser(service, tmp_path, place="lots") as two:
            await heard(two, r"lot-000002 is being sent in another window")
            assert not any("not known" in report.title for report in two.app.main.reports)
            await two.press("at")
            await two.sees(r"lot-000002 +… running")
            await two.press("enter")
            await two.sees(r"outcome +… running in another window")
            await two.press("escape")
            await two.loses(r"outcome +…")
            await two.press("escape")
            await two.loses(r"─ Journal")
            await two.press("u")
            await two.sees(r"This change is running in another window\.")
            await two.press("escape")
            await two.loses(r"Review the undo")
            await one.store.journal(one.scope).conclude(number, Outcome(datetime.now(UTC), "done", 200))
            await two.press("at")
            await two.sees(r"lot-000002 +✓ done")


async def test_of_several_runs_those_of_another_program_are_marked_and_one_that_ended_meanwhile_is_told(
    service: RunningService, tmp_path: Path
) -> None:
    plans = [
        Plan(
            name,
            COLLECTIONS[0],
            (PlanRow(1, record_id="lot-000001", base={name: "a"}, edits={name: "b"}, fields=(name,)),),
            datetime.now(UTC),
        )
        for name in ("mineral", "note")
    ]
    async with browser(service, tmp_path, place="lots") as user, Store.open(tmp_path / "svc-tui.db") as other:
        await user.sees(r"lot-000001")
        theirs = other.runs(user.scope)
        for plan in plans:
            await theirs.keep(plan)
        await resumes(user)
        await user.sees(r"mineral of 1 lot +running in another window")
        await user.sees(r"note of 1 lot +running in another window")
        await theirs.end("mineral")
        await chosen(user, "mineral of 1 lot")
        await heard(user, r"mineral of 1 lot has already ended\.")
        await theirs.let_go("note")
        await user.until(lambda: not user.app.main.asking, "a dialog is still open")
        await resumes(user)
        await user.sees(r"mineral of 1 lot +done")
        await chosen(user, "note of 1 lot")
        await user.sees(r"note of 1 lot: 0 of 1 done")
        await chosen(user, "Cancel the rest")
        await user.until(lambda: not user.app.main.asking, "a dialog is still open")
        assert await theirs.unfinished() == []
