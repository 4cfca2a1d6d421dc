"""Work that is given up before its first step leaves no complaint behind."""

import gc
import warnings

from svc_tui.config.preferences.palettes import read_palettes
from svc_tui.core.settings import Preferences
from svc_tui.ui.app.base_app import BaseApp


async def test_work_that_never_began_is_closed() -> None:
    begun: list[str] = []

    async def work() -> None:
        begun.append("work")

    app = BaseApp[None](read_palettes(), Preferences())
    with warnings.catch_warnings(record=True) as complaints:
        warnings.simplefilter("always")
        async with app.run_test() as pilot:
            worker = app.run_worker(work())
            worker.cancel()
            await pilot.pause()
        del worker
        gc.collect()
    assert begun == []
    assert [str(complaint.message) for complaint in complaints] == []
