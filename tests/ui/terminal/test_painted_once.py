"""How often a screen is drawn for what has changed, and when it says that it is there."""

import pytest
from textual import on
from textual._compositor import Compositor
from textual.app import App, ComposeResult
from textual.geometry import Size
from textual.pilot import Pilot
from textual.screen import Screen
from textual.widgets import Static

from svc_tui.ui.terminal.painting import PaintsDirtyCells, WritesChanges
from tests.ui.stage import picture, until


class Page(PaintsDirtyCells, Screen[None]):
    """Some words, and how often it said that it is there to be seen."""

    draws_in_batch = False

    def __init__(self) -> None:
        super().__init__()
        self.seen: list[list[str]] = []

    def compose(self) -> ComposeResult:
        yield Static("first words")

    @on(PaintsDirtyCells.FirstDrawn)
    def _note(self) -> None:
        self.seen.append(picture(self.app)[:1])


class Book(WritesChanges, App[None]):
    """Begins with a page."""

    def __init__(self) -> None:
        super().__init__()
        self.page = Page()

    def get_default_screen(self) -> Screen[None]:
        return self.page


@pytest.fixture
def drawn(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """An item for each time that a screen was drawn, whether all of it was."""
    times: list[bool] = []
    render = Compositor.render_update

    def counted(compositor: Compositor, *args: object, **options: object) -> object:
        times.append(compositor.size.region in compositor._dirty_regions)
        return render(compositor, *args, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(Compositor, "render_update", counted)
    return times


async def settled(pilot: Pilot[None]) -> None:
    """Wait until a screen that has just come is drawn as it stays."""
    for _ in range(3):
        await pilot.pause(0.05)


async def test_what_is_laid_out_anew_and_drawn_whole_is_drawn_once(drawn: list[bool]) -> None:
    app = Book()
    async with app.run_test() as pilot:
        await until(pilot, lambda: app.page.was_drawn)
        await settled(pilot)
        drawn.clear()
        app.page.query_one(Static).styles.height = 3
        app.page.refresh()
        await until(pilot, lambda: drawn)
        await settled(pilot)
        # No part of it before the whole.
        assert drawn[0]
        assert drawn.count(True) == 1


async def test_nothing_is_drawn_while_updates_are_held_back_and_all_of_it_afterwards(drawn: list[bool]) -> None:
    app = Book()
    async with app.run_test() as pilot:
        await until(pilot, lambda: app.page.was_drawn)
        await settled(pilot)
        drawn.clear()
        with app.batch_update():
            app.page.query_one(Static).update("other words")
            app.page._refresh_layout(app.size)
            await pilot.pause(0.1)
            assert drawn == []
        await until(pilot, lambda: picture(app)[0] == "other words")
        await until(pilot, lambda: drawn)


async def test_what_is_to_be_painted_now_waits_for_no_timer(drawn: list[bool]) -> None:
    app = Book()
    async with app.run_test() as pilot:
        await until(pilot, lambda: app.page.was_drawn)
        await settled(pilot)
        words = app.page.query_one(Static)
        words.update("other words", layout=False)
        drawn.clear()
        app.page.paint_now(words)
        assert len(drawn) == 1
        assert picture(app)[0] == "other words"


async def test_it_says_once_that_it_is_there_to_be_seen() -> None:
    app = Book()
    async with app.run_test() as pilot:
        await until(pilot, lambda: app.page.seen)
        app.page.refresh(layout=True)
        await settled(pilot)
        assert app.page.seen == [["first words"]]


async def test_behind_another_screen_it_says_so_too() -> None:
    app = Book()
    async with app.run_test() as pilot:
        await until(pilot, lambda: app.page.seen)
        behind = Page()
        with app.batch_update():
            await app.push_screen(behind)
            await app.push_screen(Screen())
            await until(pilot, lambda: behind.seen)


async def test_a_screen_that_opens_in_front_has_the_one_behind_laid_out_only_in_another_size(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    laid_out: list[Screen[None]] = []
    lay_out = Page._refresh_layout

    def noted(page: Page, size: Size | None = None, scroll: bool = False) -> None:
        laid_out.append(page)
        lay_out(page, size, scroll)

    monkeypatch.setattr(Page, "_refresh_layout", noted)
    app = Book()
    async with app.run_test() as pilot:
        await until(pilot, lambda: app.page.seen)
        await settled(pilot)
        laid_out.clear()
        front = Page()
        await app.push_screen(front)
        await until(pilot, lambda: front.seen)
        await settled(pilot)
        assert set(laid_out) == {front}
        # In a terminal of another size, it is laid out too.
        await pilot.resize_terminal(60, 20)
        await until(pilot, lambda: app.page.size == front.size == (60, 20))


async def test_a_screen_that_closes_has_the_one_behind_drawn_once(drawn: list[bool]) -> None:
    app = Book()
    async with app.run_test() as pilot:
        await until(pilot, lambda: app.page.seen)
        front = Page()
        await app.push_screen(front)
        await until(pilot, lambda: front.seen)
        await settled(pilot)
        drawn.clear()
        front.dismiss(None)
        await until(pilot, lambda: not front.is_running)
        await settled(pilot)
        assert drawn == [True]
