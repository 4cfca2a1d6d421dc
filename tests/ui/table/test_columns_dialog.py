"""The column chooser: every key changes the table behind at once, Enter keeps, Esc takes all of it back."""

from collections.abc import Sequence

from textual.pilot import Pilot
from textual.widgets import OptionList

from svc_tui.core.views import ChosenColumn
from svc_tui.records.columns import Column, Layout, paths_seen
from svc_tui.ui.table.columns_dialog import ColumnsScreen
from tests.ui.memory_gateway import lot
from tests.ui.stage import Stage, picture, until

LOTS = tuple(lot(row) for row in range(5))
OWN = [column.name for column in Layout().saw(LOTS, len).shown]


class ColumnsStage(Stage):
    """The dialog over a layout that follows it, as the table does."""

    def __init__(self, *chosen: ChosenColumn) -> None:
        super().__init__()
        self.layout = Layout(chosen).saw(LOTS, len)
        self._chosen = chosen
        self.answers: list[tuple[ChosenColumn, ...] | None] = []

    def on_mount(self) -> None:
        def preview_columns(chosen: Sequence[ChosenColumn]) -> tuple[Column, ...]:
            self.layout = self.layout.choosing(chosen, LOTS, len)
            return self.layout.shown

        screen = ColumnsScreen(self._chosen, self.layout.shown, paths_seen(LOTS), LOTS[0].fields, preview_columns)
        self.push_screen(screen, self.answers.append)

    @property
    def behind(self) -> list[str]:
        """What the table behind shows."""
        return [column.name for column in self.layout.shown]

    @property
    def lines(self) -> list[str]:
        """The lines of the list as they are drawn."""
        marks = [line for line in picture(self) if "│ ✓ " in line or "│   " in line]
        return [line[line.index("│") + 2 :].split("  ")[0] for line in marks]


async def opened(app: ColumnsStage, pilot: Pilot[object]) -> None:
    await until(pilot, lambda: any("Columns" in line for line in picture(app)))


def on_line(app: ColumnsStage) -> int:
    at = app.screen.query_one(OptionList).highlighted
    assert at is not None
    return at


async def test_it_lists_what_is_shown_then_every_other_path_with_an_example() -> None:
    app = ColumnsStage(ChosenColumn("id"), ChosenColumn("massKg", 9))
    async with app.run_test(size=(80, 30)) as pilot:
        await opened(app, pilot)
        text = "\n".join(picture(app))
        assert text.index("✓ id") < text.index("✓ massKg") < text.index("assay.goldPpm")
        assert "fixed 9" in text
        assert "lot-000001" in text
        assert "Columns · 2 of 12" in text


async def test_a_nested_field_is_shown_by_space_and_the_choice_kept_by_enter() -> None:
    app = ColumnsStage(ChosenColumn("id"))
    async with app.run_test(size=(80, 30)) as pilot:
        await opened(app, pilot)
        await pilot.press("slash", *"goldppm", "enter", "space")
        assert app.behind == ["id", "assay.goldPpm"]
        await pilot.press("enter")
        assert app.answers == [(ChosenColumn("id"), ChosenColumn("assay.goldPpm"))]


async def test_space_hides_and_the_cursor_goes_on() -> None:
    app = ColumnsStage()
    async with app.run_test(size=(80, 30)) as pilot:
        await opened(app, pilot)
        await pilot.press("down", "space", "space")
        assert app.behind == [OWN[0], *OWN[3:]]


async def test_the_last_column_can_not_be_hidden() -> None:
    app = ColumnsStage(ChosenColumn("id"))
    async with app.run_test(size=(80, 30)) as pilot:
        await opened(app, pilot)
        await pilot.press("space")
        assert app.behind == ["id"]


async def test_columns_move_with_the_cursor_on_them() -> None:
    app = ColumnsStage(*map(ChosenColumn, ("id", "grade", "massKg")))
    async with app.run_test(size=(80, 30)) as pilot:
        await opened(app, pilot)
        await pilot.press("J", "shift+down")
        assert app.behind == ["grade", "massKg", "id"]
        assert on_line(app) == 2
        await pilot.press("K", "shift+up", "shift+up")
        assert app.behind == ["id", "grade", "massKg"]


async def test_widths_are_set_by_keys_and_given_back_to_the_values() -> None:
    app = ColumnsStage(ChosenColumn("massKg"))
    async with app.run_test(size=(80, 30)) as pilot:
        await opened(app, pilot)
        width = app.layout.shown[0].width
        await pilot.press("greater_than_sign", "right", "right", "less_than_sign")
        assert app.layout.shown[0].width == width + 2
        await pilot.press("equals_sign")
        assert app.layout.shown[0].width == width
        assert not app.layout.shown[0].by_hand


async def test_esc_leaves_everything_as_it_was() -> None:
    app = ColumnsStage(ChosenColumn("id"), ChosenColumn("massKg", 9))
    async with app.run_test(size=(80, 30)) as pilot:
        await opened(app, pilot)
        before = app.layout.shown
        await pilot.press("space", "right", "a", "escape")
        assert app.layout.shown == before
        assert app.answers == [None]


async def test_automatic_is_nothing_chosen() -> None:
    app = ColumnsStage(ChosenColumn("massKg"))
    async with app.run_test(size=(80, 30)) as pilot:
        await opened(app, pilot)
        await pilot.press("a")
        assert app.behind == OWN
        await until(pilot, lambda: any("Columns · automatic" in line for line in picture(app)))
        await pilot.press("enter")
        assert app.answers == [()]


async def test_nothing_changed_keeps_automatic_columns_automatic() -> None:
    app = ColumnsStage()
    async with app.run_test(size=(80, 30)) as pilot:
        await opened(app, pilot)
        await pilot.press("enter")
        assert app.answers == [()]


async def test_a_column_whose_field_was_never_seen_stays_chosen() -> None:
    app = ColumnsStage(ChosenColumn("id"), ChosenColumn("later.on"))
    async with app.run_test(size=(80, 30)) as pilot:
        await opened(app, pilot)
        await pilot.press("J", "enter")
        assert app.answers == [(ChosenColumn("later.on"), ChosenColumn("id"))]


async def test_typing_narrows_the_list_and_esc_shows_all_again() -> None:
    app = ColumnsStage()
    async with app.run_test(size=(80, 30)) as pilot:
        await opened(app, pilot)
        options = app.screen.query_one(OptionList)
        everything = options.option_count
        await pilot.press("slash", *"ASSAY")
        assert options.option_count == 3
        await pilot.press("escape")
        assert options.option_count == everything
        assert app.answers == []
        await pilot.press("escape")
        assert app.answers == [None]


async def test_the_mouse_shows_hides_and_keeps() -> None:
    app = ColumnsStage(*map(ChosenColumn, ("id", "grade", "massKg")))
    async with app.run_test(size=(80, 30)) as pilot:
        await opened(app, pilot)
        await pilot.click(OptionList, offset=(5, 1))
        assert app.behind == ["id", "massKg"]
        await pilot.click("#automatic")
        assert app.behind == OWN
        await pilot.click(OptionList, offset=(5, 0))
        await pilot.click("#keep")
        await until(pilot, lambda: app.answers)
        assert app.answers == [tuple(map(ChosenColumn, OWN[1:]))]


async def test_the_mouse_leaves_everything_as_it_was() -> None:
    app = ColumnsStage(*map(ChosenColumn, ("id", "grade")))
    async with app.run_test(size=(60, 16)) as pilot:
        await opened(app, pilot)
        await pilot.click(OptionList, offset=(5, 1))
        await pilot.click("#back")
        assert app.behind == ["id", "grade"]
        assert app.answers == [None]
