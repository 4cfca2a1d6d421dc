"""Saved requests are listed as they were last read, however long each reading takes."""

import asyncio
from collections.abc import Sequence
from threading import Event
from types import SimpleNamespace

from svc_tui.console.saved_requests import DamagedRequest, SavedRequest, SavedRequestFile
from svc_tui.ui.console.saved_requests_controller import SavedRequestsController
from svc_tui.ui.sidebar.sidebar import SavedRequestEntry


class SlowStore:
    """A directory that is slow to be read at first; a file comes meanwhile."""

    directory = "requests"

    def __init__(self) -> None:
        self.slow = Event()
        self._read = 0

    def read(self) -> tuple[SavedRequestFile, ...]:
        self._read += 1
        if self._read == 1:
            self.slow.wait()
            return ()
        return (DamagedRequest("late", "it holds nothing"),)

    def taken(self, saved: SavedRequest) -> str:
        raise AssertionError("nothing is saved here")

    def keep(self, saved: SavedRequest) -> str:
        raise AssertionError("nothing is saved here")

    def remove(self, file: str) -> None:
        raise AssertionError("nothing is removed here")


async def test_a_slow_first_reading_is_not_listed_over_a_later_one() -> None:
    listed: list[Sequence[SavedRequestEntry]] = []
    store = SlowStore()

    context = SimpleNamespace(session=SimpleNamespace(saved_requests=store))
    filing = SavedRequestsController(context, listed.append)  # type: ignore[arg-type]
    first = asyncio.ensure_future(filing.load())
    await asyncio.sleep(0)
    second = asyncio.ensure_future(filing.load())
    await asyncio.sleep(0.05)
    store.slow.set()
    await asyncio.gather(first, second)
    assert [[line.file for line in lines] for lines in listed][-1] == ["late"]
