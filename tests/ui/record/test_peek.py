"""The preview of another record."""

import asyncio
from datetime import UTC

from svc_tui.core.catalog import COLLECTIONS
from svc_tui.core.records import Place, Record
from svc_tui.ui.record.record_controller import PeekScreen
from tests.ui.stage import Stage, picture, until


async def test_a_record_that_comes_as_the_dialog_opens_is_shown() -> None:
    coming: asyncio.Future[Record] = asyncio.get_running_loop().create_future()
    app = Stage()
    async with app.run_test() as pilot:
        screen = PeekScreen(Place(COLLECTIONS[0], "lot-1"), coming, UTC)
        coming.set_result(Record({"id": "lot-1", "name": "Zinc ore"}))
        await app.push_screen(screen)
        await until(pilot, lambda: any("⏎ Open" in line for line in picture(app)))
        await until(pilot, lambda: any("Zinc ore" in line for line in picture(app)))
