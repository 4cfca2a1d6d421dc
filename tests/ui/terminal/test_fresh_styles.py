"""When a screen's styles are applied anew as it comes on show."""

from textual import events
from textual.app import App, ComposeResult
from textual.color import Color
from textual.pilot import Pilot
from textual.screen import Screen
from textual.widgets import Static

from svc_tui.ui.terminal.painting import PaintsDirtyCells
from tests.ui.stage import until


class Shown(PaintsDirtyCells, Screen[None]):
    """Counts how often it came on show, and how often all of its styles were applied anew."""

    def __init__(self) -> None:
        super().__init__()
        self.resumed = self.restyled = 0

    def compose(self) -> ComposeResult:
        yield Static("words")

    def on_screen_resume(self, _: events.ScreenResume) -> None:
        self.resumed += 1

    def update_node_styles(self, animate: bool = True) -> None:
        self.restyled += 1
        super().update_node_styles(animate)

    @property
    def color(self) -> Color:
        return self.query_one(Static).styles.color


class Modes(App[None]):
    """A first screen, and one that takes its place."""

    CSS = "Static { color: red; } .-other Static { color: blue; }"

    def __init__(self) -> None:
        super().__init__()
        self.first, self.second = Shown(), Shown()
        self.add_mode("first", lambda: self.first)
        self.add_mode("second", lambda: self.second)

    async def show(self, mode: str, pilot: Pilot[None]) -> None:
        """Show the screen of a mode, and wait until it knows."""
        screen = self.first if mode == "first" else self.second
        before = screen.resumed
        await self.switch_mode(mode)
        await until(pilot, lambda: screen.resumed > before)
        await pilot.pause()


RED, BLUE = Color.parse("red"), Color.parse("blue")


async def test_a_screen_comes_on_show_in_the_styles_of_its_widgets() -> None:
    app = Modes()
    async with app.run_test() as pilot:
        await app.show("first", pilot)
        await app.show("second", pilot)
        assert (app.first.restyled, app.second.restyled) == (0, 0)
        assert (app.first.color, app.second.color) == (RED, RED)


async def test_styles_that_changed_behind_another_screen_are_applied_when_it_is_gone() -> None:
    app = Modes()
    async with app.run_test() as pilot:
        await app.show("first", pilot)
        await app.show("second", pilot)
        app.add_class("-other")
        assert app.first.color == RED
        await app.show("first", pilot)
        assert app.first.restyled > 0
        assert app.first.color == BLUE
