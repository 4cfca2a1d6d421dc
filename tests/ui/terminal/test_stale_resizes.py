"""A screen is as large as the terminal is now: what it hears of other sizes, late, changes nothing."""

from textual import events
from textual.geometry import Size
from textual.screen import Screen
from textual.widgets import Static

from svc_tui.ui.terminal.painting import PaintsDirtyCells
from tests.ui.stage import Stage, until


class SizesScreen(PaintsDirtyCells, Screen[None]):
    """Keeps the sizes that it heard of."""

    def __init__(self) -> None:
        super().__init__()
        self.heard: list[Size] = []

    def on_resize(self, event: events.Resize) -> None:
        self.heard.append(event.size)


def resized(width: int, height: int) -> events.Resize:
    return events.Resize(Size(width, height), Size(width, height))


async def test_two_sizes_that_are_out_of_date_do_not_follow_each_other_for_ever() -> None:
    app = Stage()
    async with app.run_test(size=(40, 10)) as pilot:
        screen = SizesScreen()
        await app.push_screen(screen)
        await screen.mount(Static("here"))
        await pilot.resize_terminal(60, 20)
        await until(pilot, lambda: screen.heard[-1:] == [Size(60, 20)])
        screen.heard.clear()
        # Something between them keeps the later word from taking the place of the earlier one.
        for size in ((50, 15), (30, 12), (50, 15)):
            screen.post_message(resized(*size))
            screen.call_later(screen.refresh, layout=True)
        await pilot.pause()
        await pilot.pause()
        assert screen.heard == []
        assert screen.size == screen.outer_size == (60, 20)
