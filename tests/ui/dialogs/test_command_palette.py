"""The command palette is read from the bindings, runs them where they belong, and adds the program's own commands."""

from functools import partial

from textual.app import ComposeResult
from textual.binding import Binding
from textual.widget import Widget

from svc_tui.ui.dialogs.command_palette import CommandPaletteScreen, commands_of_keys
from svc_tui.ui.keys.command import Command
from tests.ui.stage import Stage, picture, until


class KeyCounter(Widget, can_focus=True):
    """Takes a key and counts."""

    BINDINGS = [
        Binding("h", "count(1)", "Hidden in the footer", show=False, id="bed.hidden"),
        Binding("up", "count(1)", "Going up", id="bed.up"),
        Binding("end", "count(1)", "To the end", id="bed.last"),
        Binding("u", "count(2)", "Count", id="bed.count", tooltip="Adds two [/x]"),
        Binding("d", "dim", "Dim", id="bed.dim"),
    ]
    counted = 0

    def action_count(self, by: int) -> None:
        self.counted += by

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        return None if action == "dim" else True


class PaletteStage(Stage):
    """Has the palette open over a widget with bindings."""

    def __init__(self, *recent: str, others: int = 0) -> None:
        super().__init__()
        self.recent, self.others = recent, others
        self.ran: list[str] = []

    def compose(self) -> ComposeResult:
        yield KeyCounter()

    def on_mount(self) -> None:
        self.query_one(KeyCounter).focus()
        commands = [
            Command("Themes…", "Choose one", lambda: self.ran.append("theme"), "Dusk"),
            Command("Messages [x]", "What was said so far", lambda: self.ran.append("messages")),
            *(Command(f"Other {number}", "", lambda: None) for number in range(self.others)),
        ]
        palette = CommandPaletteScreen(
            commands_of_keys(self), commands, self.recent, lambda text: self.ran.append(f"search {text}")
        )
        self.push_screen(palette, self.run_command)

    def run_command(self, command: Command | None) -> None:
        if command is not None:
            self.call_later(command.run)

    @property
    def lines(self) -> list[str]:
        """What stands in the frame of the palette, line by line, without the bar of the cursor."""
        inner = [line.partition("│")[2].rpartition("│")[0].strip(" ▌") for line in picture(self)]
        return [" ".join(line.split()) for line in inner if line]


async def test_what_fits_here_comes_first_then_what_was_run_last_and_movements_are_left_out() -> None:
    app = PaletteStage("Themes…", "Gone", "Hidden in the footer")
    async with app.run_test(size=(80, 40)) as pilot:
        await until(pilot, lambda: "Messages [x]" in app.lines)
        assert app.lines[1:] == [
            "Here",
            "Count u",
            "Recent",
            "Hidden in the footer Bed h",
            "Themes…",
            "Work",
            "Messages [x]",
            "Adds two [/x]",
        ]


async def test_a_binding_runs_on_the_widget_that_has_it() -> None:
    app = PaletteStage()
    async with app.run_test(size=(80, 40)) as pilot:
        bed = app.screen_stack[0].query_one(KeyCounter)
        await pilot.press(*"count", "enter")
        await until(pilot, lambda: bed.counted)
        assert bed.counted == 2


async def test_what_is_typed_finds_a_command_by_its_words_its_help_and_other_words() -> None:
    for typed, ran in (("dusk theme", "theme"), ("so far", "messages")):
        app = PaletteStage()
        async with app.run_test(size=(80, 40)) as pilot:
            await pilot.press(*typed)
            await pilot.press("enter")
            await until(pilot, partial(len, app.ran))
            assert app.ran == [ran]


async def test_what_is_no_command_is_searched_in_all_records() -> None:
    app = PaletteStage()
    async with app.run_test(size=(80, 40)) as pilot:
        await pilot.press(*"kowal")
        await until(pilot, lambda: "Search all records for “kowal”" in app.lines)
        assert "No matching command" in app.lines
        await pilot.press("enter")
        await until(pilot, lambda: app.ran)
        assert app.ran == ["search kowal"]


async def test_the_keys_move_past_the_headings_and_esc_runs_nothing() -> None:
    app = PaletteStage()
    async with app.run_test(size=(80, 40)) as pilot:
        await pilot.press("down", "up", "down", "enter")
        await until(pilot, lambda: app.ran)
        assert app.ran == ["theme"]
    app = PaletteStage()
    async with app.run_test(size=(80, 40)) as pilot:
        await pilot.press("escape")
        await until(pilot, lambda: not isinstance(app.screen, CommandPaletteScreen))
        assert not app.ran


async def test_at_most_fifty_are_listed_and_all_are_found_on_a_small_screen_too() -> None:
    app = PaletteStage(others=80)
    async with app.run_test(size=(80, 24)) as pilot:
        screen = app.screen
        assert isinstance(screen, CommandPaletteScreen)
        enabled = [option for option in screen.options.options if not option.disabled]
        assert len(enabled) == 50
        await pilot.press("pagedown")
        assert screen.options.highlighted is not None
        assert screen.options.highlighted > 5
        await pilot.press(*"other 79")
        await until(pilot, lambda: "Other 79" in app.lines)
        assert all(len(line) <= 80 for line in picture(app))
