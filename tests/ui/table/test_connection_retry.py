"""A lost connection: rows and their age stay, and what could not be read is tried again by itself."""

import asyncio

import pytest

from svc_tui.service.errors import DeadlineExceeded, ServiceError, Unreachable
from svc_tui.service.traffic import Answered, Sent
from svc_tui.ui.table import page_loading
from tests.ui.browsing import PaneStage, quiet, text
from tests.ui.memory_gateway import TUNNELS, MemoryGateway
from tests.ui.stage import picture, until

AGES = 3600.0


@pytest.fixture
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first pause is over at once."""
    monkeypatch.setattr(page_loading, "FIRST_RETRY_SECONDS", 0.02)


@pytest.fixture
def long(monkeypatch: pytest.MonkeyPatch) -> None:
    """No pause is over within a test."""
    monkeypatch.setattr(page_loading, "FIRST_RETRY_SECONDS", AGES)
    monkeypatch.setattr(page_loading, "MAX_RETRY_SECONDS", AGES)


@pytest.mark.usefixtures("short")
async def test_rows_that_could_not_be_read_come_once_the_connection_is_back() -> None:
    gateway = MemoryGateway(500)
    app = PaneStage(gateway)
    async with app.run_test(size=(120, 12)) as pilot:
        app.start()
        await quiet(app, pilot, gateway)
        gateway.failure = Unreachable("no route")
        await pilot.press("G")
        await until(pilot, lambda: "no route · r Retry" in text(app))
        assert "loaded just now · ✕ no route" in picture(app)[-1]
        tried = len(gateway.asked)
        await until(pilot, lambda: len(gateway.asked) > tried + 2)
        assert "no route · r Retry" in text(app), "the rows say why while it is tried again"
        assert gateway.asked[-1] == ("lots", 10, True)
        assert app.told.count(gateway.failure) == 1, "a try that nobody asked for is no news"
        gateway.failure = None
        await until(pilot, lambda: "lot-000500" in text(app))
        assert "no route" not in text(app)


@pytest.mark.usefixtures("long")
async def test_any_answer_on_the_wire_tells_that_the_connection_is_back() -> None:
    gateway = MemoryGateway(500, failure=DeadlineExceeded("no answer in time"))
    app = PaneStage(gateway)
    async with app.run_test(size=(120, 12)) as pilot:
        app.start()
        await until(pilot, lambda: "no answer in time" in text(app))
        app.pane.viewport.handle_traffic(Sent(7, 1, "GET", "/v1/operations/lots/lot-000001"))
        assert len(gateway.asked) == 1
        gateway.failure = None
        app.pane.viewport.handle_traffic(Answered(7, 200, 0.01))
        await until(pilot, lambda: "lot-000001" in text(app))
        assert "no answer in time" not in text(app)
        await quiet(app, pilot, gateway)
        asked = len(gateway.asked)
        app.pane.viewport.handle_traffic(Answered(8, 200, 0.01))
        await quiet(app, pilot, gateway)
        assert len(gateway.asked) == asked, "nothing is missing any more"


@pytest.mark.usefixtures("short")
async def test_what_the_service_refused_is_not_tried_again_by_itself() -> None:
    gateway = MemoryGateway(500, failure=ServiceError("insufficient_scope"))
    app = PaneStage(gateway)
    async with app.run_test(size=(120, 12)) as pilot:
        app.start()
        await until(pilot, lambda: "insufficient_scope" in text(app))
        app.pane.viewport.handle_traffic(Answered(7, 200, 0.01))
        for _ in range(10):
            await pilot.pause(0.01)
        assert len(gateway.asked) == 1


@pytest.mark.usefixtures("short")
async def test_only_the_collection_on_show_is_tried_again() -> None:
    gateway = MemoryGateway(500, failure=Unreachable("no route"))
    app = PaneStage(gateway)
    async with app.run_test(size=(120, 12)) as pilot:
        app.start()
        await until(pilot, lambda: "no route" in text(app))
        gateway.gate = asyncio.Event()
        await until(pilot, lambda: gateway.under_way == 1)
        lots = app.pane.collection
        assert lots is not None
        gateway.failure = None
        app.pane.open(TUNNELS)
        gateway.asked.clear()
        gateway.failure = Unreachable("no route")
        gateway.gate.set()
        await until(pilot, lambda: len(gateway.asked) > 3)
        assert {name for name, _, _ in gateway.asked} == {"tunnels"}
        gateway.failure = None
        await quiet(app, pilot, gateway)
        app.pane.open(lots)
        await until(pilot, lambda: "lot-000001" in text(app))
