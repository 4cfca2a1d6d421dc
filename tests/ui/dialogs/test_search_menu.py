"""A list that typing narrows."""

from textual.content import Content

from svc_tui.ui.dialogs.search_menu import SearchMenu
from tests.ui.stage import Stage, picture, until

FIELDS = ("grade", "massKg", "upgrade", "note")


class MenuStage(Stage):
    """Shows one menu and keeps what it gave."""

    def __init__(self) -> None:
        super().__init__()
        self.gave: list[str | None] = []

    def on_mount(self) -> None:
        lines = [(Content(name), name) for name in FIELDS]
        self.push_screen(SearchMenu("Which field", lines, at=3), self.gave.append)


async def test_enter_gives_the_line_it_began_with() -> None:
    app = MenuStage()
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: any("massKg" in line for line in picture(app)))
        await pilot.press("enter")
        await until(pilot, lambda: app.gave == ["note"])


async def test_what_begins_with_the_typed_letters_comes_first() -> None:
    app = MenuStage()
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: any("massKg" in line for line in picture(app)))
        await pilot.press(*"GRAD")
        await until(pilot, lambda: not any("massKg" in line for line in picture(app)))
        await pilot.press("down", "enter")
        await until(pilot, lambda: app.gave == ["upgrade"])


async def test_enter_where_nothing_is_left_chooses_nothing() -> None:
    app = MenuStage()
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: any("massKg" in line for line in picture(app)))
        await pilot.press(*"xyz", "enter")
        await pilot.pause()
        assert app.gave == []
        await pilot.press("escape")
        await until(pilot, lambda: app.gave == [None])
