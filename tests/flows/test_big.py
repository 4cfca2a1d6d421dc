"""A collection of a million on the real app over the real service: what each gesture costs, and how it is stopped."""

import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from svc_tui.client.client import SignedClient
from svc_tui.core.catalog import COLLECTIONS
from svc_tui.core.credentials import KeyPair
from svc_tui.core.settings import Profile
from svc_tui.core.values import replace
from svc_tui.sandbox.options import SandboxOptions
from svc_tui.sandbox.server.inprocess import RunningService, running_service
from svc_tui.ui.table import page_loading
from tests.browser import User, browser
from tests.direct_requests import update
from tests.fixed_keys import fixed
from tests.ui.browsing import at_rest, looked_at

LOTS = COLLECTIONS[0]


@pytest.fixture
def million() -> Iterator[RunningService]:
    """The service with a million lots."""
    with running_service(SandboxOptions(records=1_000_000)) as service:
        yield service


def asked(service: RunningService, since: int = 0) -> list[str]:
    """The targets of the requests that arrived, but for the first `since`."""
    return [attempt.target for attempt in service.attempts[since:]]


async def rested(user: User, service: RunningService) -> int:
    """Wait until no page is wanted or under way; gives the number of requests so far."""
    browse = user.app.main.workspace.browse

    def rests() -> bool:
        return at_rest(browse) and looked_at(browse) and browse.rows.loaded and browse.rows.queue.next_page() is None

    await user.until(rests, "reading never came to rest")
    return len(service.attempts)


async def test_a_million_lots_cost_a_page_a_gesture(million: RunningService, tmp_path: Path) -> None:
    stopped: list[float] = []
    async with browser(million, tmp_path, monotonic=lambda: stopped[0] if stopped else time.monotonic()) as user:
        await user.sees(r"1–\d+ of 1,000,000 ")
        opened = await rested(user, million)
        assert opened <= 2

        await user.press("G")
        await user.sees(r"lot-1000000")
        ended = await rested(user, million)
        assert asked(million, opened) == ["/v1/operations/lots?page=20000&limit=50"]

        await user.press("g")
        await user.sees(r"lot-000001")
        assert await rested(user, million) == ended, "going back is instant"

        await user.press("colon")
        await user.types("#450,000")
        await user.press("enter")
        await user.sees(r"lot-450000")
        jumped = await rested(user, million)
        assert jumped - ended <= 2

        table = user.app.main.workspace.browse.table
        # However slow the machine, nobody lingers on the way.
        stopped.append(time.monotonic())
        for _ in range(200):
            table.action_page(1)
            await user.pilot.pause(0)
        stopped.clear()
        flung = await rested(user, million)
        await user.sees(rf"lot-{table.cursor_row + 1}")
        assert flung - jumped <= 6

        await user.press("2", "1", "j", "enter")
        await user.sees(r"operations / tunnels")
        left = await rested(user, million)
        await user.press("left_curly_bracket")
        await user.sees(rf"lot-{table.cursor_row + 1}")
        assert await rested(user, million) == left, "coming back costs nothing"


async def test_a_search_for_an_end_that_nobody_counted_is_said_and_esc_stops_it(
    million: RunningService, tmp_path: Path
) -> None:
    million.faults.always("no-total")
    async with browser(million, tmp_path) as user:
        await user.sees(r"lot-000001")
        await user.press("enter", "2")
        await user.sees(r"╭─ lot-000001 ")
        # The record, too, is read.
        await user.settled()
        before = await rested(user, million)
        million.faults.next("hold")
        await user.press("G")
        await user.sees(r"searching for the last record · esc stop")
        await user.until(lambda: million.faults.held == 1, "no request was held")
        await user.press("escape")
        await user.loses(r"looking for the end")
        million.faults.release()
        assert await rested(user, million) == before + 1
        await user.sees(r"╭─ lot-000001 ")

        await user.press("G")
        await user.sees(r"lot-1000000 ")
        assert await rested(user, million) - before < 40
        await user.sees(r"of 1,000,000 ")


async def test_watching_marks_what_others_change_and_is_stopped_from_the_palette(
    service: RunningService, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(page_loading, "FIRST_ROUND_SECONDS", 2.0)
    async with browser(service, tmp_path, size=(160, 30)) as user:
        await user.sees(r"lot-000001")
        await user.press("ctrl+p")
        await user.types("watch")
        await user.sees(r"Watch: refresh the table")
        await user.press("enter")
        await user.sees(r"watching")
        profile = Profile("other", sandbox_base_url=service.base_url)
        async with SignedClient(profile, KeyPair(service.key("sandbox").api_key)) as other:
            await update(other, LOTS, "lot-000002", {"name": "Weighed anew"})
        await user.sees(r"lot-000002 +Weighed anew~")
        await user.press("ctrl+p")
        await user.types("stop watching")
        await user.sees(r"Stop watching")
        await user.press("enter")
        await user.loses(r"watching")
        await user.loses(r"Weighed anew~")


@pytest.mark.parametrize("another", [False, True], ids=["by itself", "at another answer"])
async def test_rows_go_on_once_the_service_is_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, another: bool
) -> None:
    monkeypatch.setattr(page_loading, "FIRST_RETRY_SECONDS", 3600.0 if another else 0.2)
    monkeypatch.setattr(page_loading, "MAX_RETRY_SECONDS", 3600.0 if another else 0.2)
    options = SandboxOptions(records=3000, database=tmp_path / "mine.db")
    with ExitStack() as running:
        first = running.enter_context(running_service(options))
        again = replace(options, port=int(first.base_url.rsplit(":", 1)[1]), keys=fixed(*first.keys))
        async with browser(first, tmp_path, place="lots") as user:
            await user.sees(r"lot-000001")
            running.close()
            await user.press("G")
            await user.sees(r"✕ .*connect.*r Retry")
            await user.sees(r"loaded just now")
            running.enter_context(running_service(again))
            if another:
                await user.app.main.session.gateway.record(LOTS, "lot-000001")
            await user.sees(r"lot-003000")
            await user.loses(r"✕ .*connect")
