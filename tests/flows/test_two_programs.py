"""Two programs on one store: what one of them runs is told in the other, and can't be taken from it."""

from pathlib import Path

from svc_tui.domain.gateway import UnderWay
from svc_tui.sandbox.inprocess import RunningService
from tests.browser import User, browser
from tests.flows.steps import at_name, chosen, renamed, reviewed
from tests.flows.test_batches import IDS, decided, planned, stored


async def resumes(user: User) -> None:
    """Ask for a batch to be taken up."""
    await user.press("at")
    await user.sees(r"Journal of writes")
    await user.press("b")


async def test_a_batch_that_another_program_runs_can_not_be_resumed_nor_given_up(
    service: RunningService, tmp_path: Path
) -> None:
    async with browser(service, tmp_path, place="lots") as one:
        await planned(one, "mineral", "testite")
        service.faults.next("hold", method="PATCH")
        await one.press("y")
        await one.sees(r"0 of 4 · lot-000001")
        await one.until(lambda: service.faults.held == 1, "nothing was held")
        async with browser(service, tmp_path, place="lots") as two:
            await two.sees(r"mineral of 4 lots: running in another svc-tui")
            assert "cut short" not in two.text
            await two.press("at")
            await two.sees(r"lot-000001 +… running")
            await two.press("enter")
            await two.sees(r"outcome +… running in another svc-tui")
            await two.press("escape")
            await two.loses(r"Write \d+ ─")
            two.app.clear_notifications()
            await two.loses(r"running in another svc-tui")
            await two.press("b")
            await two.sees(r"mineral of 4 lots: running in another svc-tui")
            assert "Give it up" not in two.text
            await two.press("u")
            await two.sees(r"It is running in another svc-tui\.")
            await two.press("escape")
            service.faults.release()
            await one.sees(r"4 records changed\.")
            await two.loses(r"Undo a write")
            await resumes(two)
            await two.sees(r"No batch was cut short\.")
    assert stored(service, "mineral") == ["testite"] * 4


async def test_a_batch_that_was_stopped_is_for_the_program_that_takes_it_up(
    service: RunningService, tmp_path: Path
) -> None:
    async with browser(service, tmp_path, place="lots") as one:
        await planned(one, "mineral", "testite")
        service.faults.next("hold", method="PATCH")
        await one.press("y")
        await one.until(lambda: service.faults.held == 1, "nothing was held")
        await one.press("escape")
        await one.sees(r"stopping")
        service.faults.release()
        await one.sees(r"Stopped: 1 of 4 done")
        async with browser(service, tmp_path, place="lots") as two:
            # The question of how it goes on is still open in the first.
            await two.sees(r"running in another svc-tui")
            await decided(one, "Stop here")
            await one.loses(r"Stopped: 1 of 4")
            await one.until(lambda: not one.app.main.asking, "the batch is still held")
            await resumes(two)
            await two.sees(r"mineral of 4 lots: 3 left")
            await resumes(one)
            await one.sees(r"mineral of 4 lots: running in another svc-tui")
            await chosen(two, "Go on with the 3 that are left")
            await two.sees(r"Change mineral of 3 lots")
            await two.press("y")
            await two.sees(r"4 records changed\.")
    assert stored(service, "mineral") == ["testite"] * len(IDS)


async def test_a_write_that_another_program_has_under_way_is_not_called_unknown(
    service: RunningService, tmp_path: Path
) -> None:
    async with browser(service, tmp_path, place="lots") as one:
        await at_name(one)
        await renamed(one, "On its way")
        service.faults.next("hold", method="PATCH")
        await reviewed(one)
        await one.sees(r"If-Match: [\s\S]+User-Agent")
        await one.press("y")
        await one.until(lambda: service.faults.held == 1, "nothing was held")
        (here,) = await one.store.journal(one.shelf).entries()
        assert here.under_way is UnderWay.HERE
        async with browser(service, tmp_path, place="lots") as two:
            await two.sees(r"lot-000002 is being written by another svc-tui")
            assert "not known" not in two.text
            service.faults.release()
            await one.sees(r"lot-000002 is written")
        (here,) = await one.store.journal(one.shelf).entries()
        assert here.under_way is None
