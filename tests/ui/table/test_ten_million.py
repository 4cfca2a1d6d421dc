"""What each gesture costs in a collection of ten million: the number of requests, exactly."""

import asyncio

from svc_tui.ui.table.page_loading import REST_SECONDS
from tests.ui.browsing import PaneStage, quiet, text
from tests.ui.memory_gateway import TUNNELS, MemoryGateway
from tests.ui.stage import picture, until

COUNT = 10_000_000


def pages(gateway: MemoryGateway) -> list[int]:
    """The pages that were asked for since the last call."""
    asked = [number for _, number, _ in gateway.asked]
    gateway.asked.clear()
    return asked


class Clock:
    """Stands still until it is moved."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


async def fling(app: PaneStage, pages: int) -> None:
    """PgDn, or PgUp, over and over, each drawn and told before the next one."""
    for _ in range(abs(pages)):
        app.pane.table.action_page(1 if pages > 0 else -1)
        await asyncio.sleep(0)


async def test_opening_costs_the_page_in_view_and_the_one_after_it() -> None:
    gateway = MemoryGateway(COUNT)
    app = PaneStage(gateway)
    async with app.run_test(size=(80, 30)) as pilot:
        app.start()
        await quiet(app, pilot, gateway)
        assert pages(gateway) == [1, 2]
        assert "1–27 of 10,000,000" in picture(app)[0]


async def test_the_end_and_a_row_by_number_cost_the_page_they_land_on() -> None:
    gateway = MemoryGateway(COUNT)
    app = PaneStage(gateway)
    async with app.run_test(size=(80, 30)) as pilot:
        app.start()
        await quiet(app, pilot, gateway)
        pages(gateway)
        await pilot.press("G")
        await until(pilot, lambda: "lot-10000000" in text(app))
        await quiet(app, pilot, gateway)
        assert pages(gateway) == [200_000]
        app.pane.cursor.go_to_row(4_500_010)
        await until(pilot, lambda: "lot-4500011" in text(app))
        await quiet(app, pilot, gateway)
        landed, *ahead = pages(gateway)
        assert landed == 90_001
        assert len(ahead) <= 1, "and one ahead"
        await pilot.press("G", "g")
        await quiet(app, pilot, gateway)
        assert pages(gateway) == [], "going back is instant"


async def test_flinging_asks_for_where_it_comes_to_rest() -> None:
    gateway = MemoryGateway(COUNT)
    clock = Clock()
    app = PaneStage(gateway, now=clock)
    async with app.run_test(size=(80, 30)) as pilot:
        app.start()
        await quiet(app, pilot, gateway)
        pages(gateway)
        await fling(app, 200)
        assert len(pages(gateway)) <= 2, "where it set out to"
        assert app.pane.table.cursor_row == 200 * 27
        assert "┄┄┄" in text(app)
        clock.now += REST_SECONDS
        await until(pilot, lambda: "lot-005401" in text(app))
        await quiet(app, pilot, gateway)
        assert set(pages(gateway)) <= {108, 109, 110}
        await fling(app, -200)
        clock.now += REST_SECONDS
        await until(pilot, lambda: "lot-000001" in text(app))
        await quiet(app, pilot, gateway)
        assert len(pages(gateway)) <= 3, "the way back was read in part, and its end is held"


async def test_while_a_key_is_held_some_of_the_rows_that_pass_are_shown() -> None:
    gateway = MemoryGateway(COUNT)
    clock = Clock()
    app = PaneStage(gateway, now=clock)
    async with app.run_test(size=(80, 30)) as pilot:
        app.start()
        await quiet(app, pilot, gateway)
        gateway.asked.clear()
        seen = 0
        for _ in range(40):
            clock.now += 0.05
            app.pane.table.action_page(1)
            await pilot.pause()
            loader = app.pane.open_collections.loader
            await until(pilot, lambda loader=loader: loader is not None and not loader.under_way)  # type: ignore[misc]
            seen += "lot-" in text(app)
        assert 3 <= seen < 20, "each half a second"
        assert len(pages(gateway)) <= 8, "four a second at most"


async def test_paging_as_one_reads_asks_at_once() -> None:
    gateway = MemoryGateway(COUNT)
    clock = Clock()
    app = PaneStage(gateway, now=clock)
    async with app.run_test(size=(80, 30)) as pilot:
        app.start()
        await quiet(app, pilot, gateway)
        for page in range(1, 9):
            clock.now += REST_SECONDS
            await pilot.press("pagedown")
            await until(pilot, lambda row=27 * page + 1: f"lot-{row:06d}" in text(app))  # type: ignore[misc]
        await quiet(app, pilot, gateway)
        assert pages(gateway) == [1, 2, 3, 4, 5, 6]


async def test_a_held_arrow_key_reads_ahead_of_the_cursor() -> None:
    gateway = MemoryGateway(COUNT)
    app = PaneStage(gateway, now=Clock())
    async with app.run_test(size=(80, 30)) as pilot:
        app.start()
        await quiet(app, pilot, gateway)
        for _ in range(60):
            app.pane.table.action_move(1)
            await pilot.pause()
        await quiet(app, pilot, gateway)
        assert pages(gateway) == [1, 2, 3]


async def test_coming_back_to_a_collection_that_is_open_costs_nothing() -> None:
    gateway = MemoryGateway(COUNT)
    app = PaneStage(gateway)
    async with app.run_test(size=(80, 30)) as pilot:
        app.start()
        await quiet(app, pilot, gateway)
        app.pane.cursor.go_to_row(5_000_000)
        await quiet(app, pilot, gateway)
        app.pane.table.move_to(4_999_000)
        await quiet(app, pilot, gateway)
        lots = app.pane.collection
        assert lots is not None
        app.pane.open(TUNNELS)
        await quiet(app, pilot, gateway)
        pages(gateway)
        app.pane.open(lots)
        await until(pilot, lambda: "lot-4999001" in text(app))
        await quiet(app, pilot, gateway)
        assert pages(gateway) == []


async def test_coming_back_where_rows_left_the_cache_costs_the_page_in_view() -> None:
    gateway = MemoryGateway(COUNT)
    app = PaneStage(gateway)
    async with app.run_test(size=(80, 30)) as pilot:
        app.start()
        await quiet(app, pilot, gateway)
        app.pane.rows._pages._max_records = 100
        for row in (1_000_000, 2_000_000, 3_000_000, 4_000_000):
            app.pane.cursor.go_to_row(row)
            await quiet(app, pilot, gateway)
        assert app.pane.rows.cached <= 150
        pages(gateway)
        app.pane.cursor.go_to_row(1_000_010)
        await until(pilot, lambda: "lot-1000011" in text(app))
        await quiet(app, pilot, gateway)
        assert pages(gateway)[0] == 20_001


async def test_a_collection_that_is_not_on_show_asks_for_nothing_more() -> None:
    gateway = MemoryGateway(20_000)
    app = PaneStage(gateway)
    async with app.run_test(size=(80, 30)) as pilot:
        app.start()
        await quiet(app, pilot, gateway)
        lots = app.pane.collection
        assert lots is not None
        app.pane.viewport.load_rest()
        app.pane.open(TUNNELS)
        await quiet(app, pilot, gateway)
        asked = [name for name, _, _ in gateway.asked].count("lots")
        assert asked <= 4, "opened, and what was under way"
        app.pane.open(lots)
        await until(pilot, lambda: app.pane.rows.cached == 20_000)


async def test_a_search_for_the_end_is_stopped_by_hand_and_asks_no_more() -> None:
    gateway = MemoryGateway(COUNT, told=False)
    app = PaneStage(gateway)
    async with app.run_test(size=(80, 30)) as pilot:
        app.start()
        await quiet(app, pilot, gateway)
        pages(gateway)
        gateway.gate = asyncio.Event()
        await pilot.press("G")
        assert "searching for the last record · esc stop" in picture(app)[-1]
        assert app.pane.viewport.stop()
        assert "looking for the end" not in picture(app)[-1]
        gateway.gate.set()
        await quiet(app, pilot, gateway)
        assert len(pages(gateway)) == 1, "the page that was under way"
        assert app.pane.table.cursor_row == 0
        assert not app.pane.viewport.stop(), "there is nothing more to stop"


async def test_the_end_of_ten_million_that_nobody_counted_is_found_in_few_requests() -> None:
    gateway = MemoryGateway(COUNT - 7, told=False)
    app = PaneStage(gateway)
    async with app.run_test(size=(80, 30)) as pilot:
        app.start()
        await quiet(app, pilot, gateway)
        pages(gateway)
        await pilot.press("G")
        await until(pilot, lambda: "lot-9999993" in text(app))
        await quiet(app, pilot, gateway)
        assert len(pages(gateway)) < 40
        assert "of 9,999,993" in picture(app)[0]
