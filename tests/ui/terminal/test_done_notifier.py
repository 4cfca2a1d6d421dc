"""The end of long work reaches the app, and the terminal where that is wanted."""

import asyncio

import pytest
from textual import events

from svc_tui.ui.terminal.abilities import DesktopNotice
from svc_tui.ui.terminal.done_notifier import LONG_SECONDS, DoneNotifier, LongWork, WorkEnded, announce_end
from tests.ui.stage import Stage, until


class NotifierStage(Stage):
    """Keeps what work has ended."""

    def __init__(self) -> None:
        super().__init__()
        self.notify_done: list[tuple[LongWork, float]] = []

    def on_work_ended(self, event: WorkEnded) -> None:
        self.notify_done.append((event.work, event.seconds))


def test_a_terminal_that_tells_its_focus_is_told_only_without_it() -> None:
    written: list[str] = []
    announcing = DoneNotifier("bell", DesktopNotice.NONE, written.append)
    long = WorkEnded(LongWork.EXPORT, LONG_SECONDS)
    announcing.notify_done(long)
    assert written == ["\a"]
    announcing.track_focus(events.AppFocus())
    announcing.notify_done(long)
    assert written == ["\a"]
    announcing.track_focus(events.AppBlur())
    announcing.notify_done(long)
    assert written == ["\a", "\a"]


async def test_the_app_hears_how_long_work_took_also_where_it_failed_but_not_where_it_was_given_up() -> None:
    times = iter((1.0, 13.5, 20.0, 20.5, 30.0))
    app = NotifierStage()
    async with app.run_test() as pilot:
        with announce_end(app.screen, LongWork.EXPORT, lambda: next(times)):
            pass
        with pytest.raises(OSError, match="full"), announce_end(app.screen, LongWork.RUN, lambda: next(times)):
            raise OSError("full")
        with pytest.raises(asyncio.CancelledError), announce_end(app.screen, LongWork.LOADING, lambda: next(times)):
            raise asyncio.CancelledError
        with announce_end(app.screen, LongWork.REQUEST, lambda: 0.0):
            pass
        await until(pilot, lambda: len(app.notify_done) > 2)
        assert app.notify_done == [(LongWork.EXPORT, 12.5), (LongWork.RUN, 0.5), (LongWork.REQUEST, 0.0)]
