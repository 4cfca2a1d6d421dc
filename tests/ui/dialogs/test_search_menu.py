"""A list that typing narrows."""

from textual.content import Content

from svc_tui.ui.dialogs.menu import SearchMenu
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
        await pilot.press(*"xyz")
        await until(pilot, lambda: any("No matches" in line for line in picture(app)))
        await pilot.press("enter")
        await pilot.pause()
        assert app.gave == []
        await pilot.press("escape")
        await until(pilot, lambda: app.gave == [None])


class SectionsStage(Stage):
    """Shows a menu of two sections and keeps what it gave."""

    def __init__(self) -> None:
        super().__init__()
        self.gave: list[str | None] = []

    def on_mount(self) -> None:
        lines = [(Content(name), name) for name in FIELDS]
        headings = {0: Content("12 marked"), 2: Content("This record")}
        self.push_screen(SearchMenu("Actions", lines, headings=headings), self.gave.append)


async def test_sections_have_headings_that_are_no_choice_and_go_with_their_last_line() -> None:
    app = SectionsStage()
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: any("This record" in line for line in picture(app)))
        await pilot.press("down", "down")
        await pilot.press(*"gra")
        await until(pilot, lambda: not any("massKg" in line for line in picture(app)))
        assert [word for word in ("12 marked", "This record") if any(word in line for line in picture(app))] == [
            "12 marked",
            "This record",
        ]
        await pilot.press(*"de")
        await pilot.press(*["backspace"] * 5, *"note")
        await until(pilot, lambda: not any("12 marked" in line for line in picture(app)))
        await pilot.press("enter")
        await until(pilot, lambda: app.gave == ["note"])


async def test_the_cursor_passes_over_a_heading() -> None:
    app = SectionsStage()
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: any("This record" in line for line in picture(app)))
        await pilot.press("down", "down", "enter")
        await until(pilot, lambda: app.gave == ["upgrade"])
