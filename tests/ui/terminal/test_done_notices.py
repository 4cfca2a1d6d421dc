"""The end of long work reaches the app, and the terminal where that is wanted."""

import asyncio

import pytest
from textual import events

from svc_tui.domain.app.done_notices import LONG_SECONDS, Desktop, Work
from svc_tui.ui.terminal.done_notices import Announcing, WorkEnded, announced
from tests.ui.stage import Stage, until


class Hears(Stage):
    """Keeps what work has ended."""

    def __init__(self) -> None:
        super().__init__()
        self.ended: list[tuple[Work, float]] = []

    def on_work_ended(self, event: WorkEnded) -> None:
        self.ended.append((event.work, event.seconds))


def test_a_terminal_that_tells_its_focus_is_told_only_without_it() -> None:
    written: list[str] = []
    announcing = Announcing("bell", Desktop.NONE, written.append)
    long = WorkEnded(Work.EXPORT, LONG_SECONDS)
    announcing.ended(long)
    assert written == ["\a"]
    announcing.heard(events.AppFocus())
    announcing.ended(long)
    assert written == ["\a"]
    announcing.heard(events.AppBlur())
    announcing.ended(long)
    assert written == ["\a", "\a"]


async def test_the_app_hears_how_long_work_took_also_where_it_failed_but_not_where_it_was_given_up() -> None:
    times = iter((1.0, 13.5, 20.0, 20.5, 30.0))
    app = Hears()
    async with app.run_test() as pilot:
        with announced(app.screen, Work.EXPORT, lambda: next(times)):
            pass
        with pytest.raises(OSError, match="full"), announced(app.screen, Work.BATCH, lambda: next(times)):
            raise OSError("full")
        with pytest.raises(asyncio.CancelledError), announced(app.screen, Work.LOADING, lambda: next(times)):
            raise asyncio.CancelledError
        with announced(app.screen, Work.REQUEST, lambda: 0.0):
            pass
        await until(pilot, lambda: len(app.ended) > 2)
        assert app.ended == [(Work.EXPORT, 12.5), (Work.BATCH, 0.5), (Work.REQUEST, 0.0)]
