"""Watching a collection: what is in view is read again in rounds, what changed is marked, and nothing piles up."""

import asyncio

import pytest
from textual import events

from svc_tui.core.records import Record
from svc_tui.core.views import Sort
from svc_tui.service.errors import ServiceError, Unreachable
from svc_tui.service.traffic import Throttled
from svc_tui.ui.table import page_loading
from svc_tui.ui.widgets.table.record_table import RecordTable
from tests.ui.browsing import PaneStage, quiet, text
from tests.ui.memory_gateway import TUNNELS, MemoryGateway, lot
from tests.ui.stage import picture, until


@pytest.fixture(autouse=True)
def _short_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(page_loading, "FIRST_ROUND_SECONDS", 0.02)
    monkeypatch.setattr(page_loading, "MAX_ROUND_SECONDS", 0.08)


def changed(row: int, **fields: str) -> Record:
    return Record({**lot(row).fields, **fields})


def watch(app: PaneStage, title: str = "Watch") -> None:
    """Choose what the palette offers."""
    offered = app.pane.viewport.watcher.command()
    assert offered.title.startswith(title)
    offered.run()


def signs(app: PaneStage, gateway: MemoryGateway) -> dict[str, str]:
    table = app.query_one(RecordTable)
    found = {}
    for row in range(*table.view):
        record = table.rows.get(row)
        assert record is not None
        for at, column in enumerate(table.columns):
            if sign := table.news.sign(record.id, column.name, first=at == 0):
                found[f"{record.id}.{column.name}"] = sign
    return found


def let_through(gateway: MemoryGateway) -> None:
    """Have what is under way answered, and hold back what comes after: the round that ends now stays the latest."""
    assert gateway.gate is not None
    held, gateway.gate = gateway.gate, asyncio.Event()
    held.set()


async def test_rounds_read_what_is_in_view_and_nothing_else_in_the_background() -> None:
    gateway = MemoryGateway(5000)
    app = PaneStage(gateway)
    async with app.run_test(size=(80, 12)) as pilot:
        app.start()
        await quiet(app, pilot, gateway)
        app.pane.table.move_to(2020)
        await quiet(app, pilot, gateway)
        gateway.asked.clear()
        watch(app)
        assert "watching" in picture(app)[-1]
        await until(pilot, lambda: len(gateway.asked) >= 4)
        watch(app, "Stop watching")
        await quiet(app, pilot, gateway)
        assert set(gateway.asked) == {("lots", 41, True)}
        assert "watching" not in picture(app)[-1]


async def test_changed_cells_and_new_rows_are_marked_for_a_while() -> None:
    gateway = MemoryGateway(500)
    app = PaneStage(gateway)
    async with app.run_test(size=(100, 12)) as pilot:
        app.start()
        await quiet(app, pilot, gateway)
        gateway.gate = asyncio.Event()
        watch(app)
        await until(pilot, lambda: gateway.under_way == 1)
        gateway.overlay = {2: changed(2, grade="premium")}
        let_through(gateway)
        await until(pilot, lambda: "premium~" in picture(app)[4])
        assert signs(app, gateway) == {"lot-000003.grade": "~"}
        gateway.gate.set()
        await until(pilot, lambda: "premium " in picture(app)[4])
        assert not signs(app, gateway)


async def test_a_new_record_has_a_sign_before_its_first_cells_end_and_a_gone_one_is_counted() -> None:
    gateway = MemoryGateway(500)
    app = PaneStage(gateway)
    async with app.run_test(size=(120, 12)) as pilot:
        app.start()
        await quiet(app, pilot, gateway)
        gateway.overlay = {3: Record({**lot(3).fields, "id": "lot-brand-new"})}
        gateway.gate = asyncio.Event()
        watch(app)
        await until(pilot, lambda: gateway.under_way == 1)
        let_through(gateway)
        await until(pilot, lambda: "lot-brand-new+" in text(app))
        assert "watching, 1 deleted" in picture(app)[-1]
        assert "+" not in "".join(picture(app)[2:5])


async def test_the_cursor_stays_on_its_record_while_rows_go() -> None:
    gateway = MemoryGateway(500)
    app = PaneStage(gateway)
    async with app.run_test(size=(120, 12)) as pilot:
        app.start()
        await quiet(app, pilot, gateway)
        await pilot.press(*["down"] * 6)
        watch(app)
        gateway.dropped = 2
        await until(pilot, lambda: app.pane.table.cursor_row == 4)
        assert app.pane.cursor.position.record_id == "lot-000007"


async def test_while_filtered_and_sorted_only_the_pages_of_rows_in_view_are_read() -> None:
    gateway = MemoryGateway(500)
    app = PaneStage(gateway)
    async with app.run_test(size=(100, 12)) as pilot:
        app.start()
        await quiet(app, pilot, gateway)
        app.pane.viewport.load_rest()
        await until(pilot, lambda: app.pane.rows.cached == 500)
        app.pane.arrangement.sort_by(Sort("id", descending=True))
        app.pane.arrangement.filter_by("status:open")
        app.pane.table.move_to(0)
        await until(pilot, lambda: "lot-000497" in text(app))
        gateway.asked.clear()
        gateway.overlay = {496: changed(496, grade="premium")}
        gateway.gate = asyncio.Event()
        watch(app)
        await until(pilot, lambda: gateway.under_way == 1)
        let_through(gateway)
        await until(pilot, lambda: "premium~" in text(app))
        watch(app, "Stop watching")
        gateway.gate.set()
        await until(pilot, lambda: not gateway.under_way)
        assert set(gateway.asked) == {("lots", 10, True)}
        assert "more pages" not in picture(app)[-1]


async def test_no_round_begins_before_the_last_one_ended() -> None:
    gateway = MemoryGateway(500)
    app = PaneStage(gateway)
    async with app.run_test(size=(80, 12)) as pilot:
        app.start()
        await quiet(app, pilot, gateway)
        gateway.asked.clear()
        gateway.gate = asyncio.Event()
        watch(app)
        held = app.pane.viewport.watcher
        await until(pilot, lambda: gateway.under_way == 1)
        for _ in range(20):
            held._begin_if_seen()
            held.show()
            await pilot.pause()
        assert len(gateway.asked) == 1
        gateway.gate.set()
        await until(pilot, lambda: len(gateway.asked) > 2)


async def test_nothing_is_read_while_nobody_looks() -> None:
    gateway = MemoryGateway(500)
    app = PaneStage(gateway)
    async with app.run_test(size=(80, 12)) as pilot:
        app.start()
        await quiet(app, pilot, gateway)
        watch(app)
        await until(pilot, lambda: len(gateway.asked) > 3)
        app.post_message(events.AppBlur())
        await until(pilot, lambda: not app.app_focus and not gateway.under_way)
        asked = len(gateway.asked)
        for _ in range(5):
            app.pane.viewport.watcher._begin_if_seen()
        assert len(gateway.asked) == asked
        app.post_message(events.AppFocus())
        await until(pilot, lambda: len(gateway.asked) > asked)
        app.pane.display = False
        await until(pilot, lambda: not app.pane.is_on_screen and not gateway.under_way)
        asked = len(gateway.asked)
        app.pane.viewport.watcher._begin_if_seen()
        assert len(gateway.asked) == asked


async def test_a_collection_left_is_watched_again_once_it_is_shown() -> None:
    gateway = MemoryGateway(500)
    app = PaneStage(gateway)
    async with app.run_test(size=(80, 12)) as pilot:
        app.start()
        await quiet(app, pilot, gateway)
        lots = app.pane.collection
        assert lots is not None
        gateway.gate = asyncio.Event()
        watch(app)
        await until(pilot, lambda: gateway.under_way == 1)
        app.pane.open(TUNNELS)
        gateway.gate.set()
        await quiet(app, pilot, gateway)
        assert "watching" not in picture(app)[-1]
        gateway.asked.clear()
        for _ in range(5):
            app.pane.viewport.watcher._begin_if_seen()
            await pilot.pause()
        assert not gateway.asked
        app.pane.open(lots)
        assert "watching" in picture(app)[-1]
        await until(pilot, lambda: ("lots", 1, True) in gateway.asked)


async def test_a_round_that_fails_or_is_held_back_lengthens_the_pause_and_says_why_without_a_notice() -> None:
    gateway = MemoryGateway(500)
    app = PaneStage(gateway)
    async with app.run_test(size=(120, 12)) as pilot:
        app.start()
        await quiet(app, pilot, gateway)
        watch(app)
        gateway.failure = ServiceError("the service is away")
        await until(pilot, lambda: app.pane.viewport.watcher._backoff.seconds == 0.08)
        assert "✕ the service is away" in picture(app)[-1]
        assert "lot-000001" in text(app)
        assert not [told for told in app.told if isinstance(told, ServiceError)]
        gateway.failure = None
        await until(pilot, lambda: app.pane.viewport.watcher._backoff.seconds == 0.02)
        gateway.gate = asyncio.Event()
        await until(pilot, lambda: gateway.under_way == 1)
        app.pane.viewport.handle_traffic(Throttled(until=1e9, waiting=1))
        let_through(gateway)
        await until(pilot, lambda: app.pane.viewport.watcher._backoff.seconds > 0.02)


async def test_a_round_that_failed_for_want_of_a_connection_goes_on_when_that_is_back() -> None:
    gateway = MemoryGateway(500)
    app = PaneStage(gateway)
    async with app.run_test(size=(120, 12)) as pilot:
        app.start()
        await quiet(app, pilot, gateway)
        watch(app)
        gateway.failure = Unreachable("no route")
        await until(pilot, lambda: "✕ no route" in picture(app)[-1])
        gateway.failure = None
        gateway.overlay = {0: changed(0, grade="premium")}
        gateway.gate = asyncio.Event()
        await until(pilot, lambda: gateway.under_way)
        let_through(gateway)
        await until(pilot, lambda: "premium~" in text(app))
        assert "no route" not in text(app)
