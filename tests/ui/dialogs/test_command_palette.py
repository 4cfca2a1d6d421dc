"""The command palette is read from the bindings, runs them where they belong, and adds the program's own commands."""

from textual.app import ComposeResult
from textual.binding import Binding
from textual.command import CommandList
from textual.widget import Widget

from svc_tui.ui.dialogs.command_palette import Command, CommandPaletteScreen, command_provider, rank_command
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
    """Has the palette on ctrl+p."""

    ENABLE_COMMAND_PALETTE = True

    def __init__(self) -> None:
        super().__init__()
        self.chosen: list[str] = []
        self.seen: list[str] = []

    def compose(self) -> ComposeResult:
        yield KeyCounter()

    def get_commands(self) -> tuple[Command, ...]:
        messages = Command("Messages [x]", "What was said so far", lambda: self.seen.append("messages"))
        return Command("Themes…", "Choose one", lambda: self.chosen.append("theme"), "Dusk"), messages

    def on_mount(self) -> None:
        self.query_one(KeyCounter).focus()
        self.push_screen(CommandPaletteScreen([command_provider(self.get_commands)]))


async def test_a_binding_runs_on_the_widget_that_has_it() -> None:
    app = PaletteStage()
    async with app.run_test(size=(80, 40)) as pilot:
        await until(pilot, lambda: "Messages [x]" in "\n".join(picture(app)))
        shown = "\n".join(picture(app))
        assert "Adds two [/x]" in shown
        assert "Themes…" in shown
        assert "Messages [x]" in shown
        assert "Going up" not in shown
        assert "To the end" not in shown
        assert "Dim" not in shown
        assert "Focus Next" not in shown
        assert shown.index("Bed: Count") < shown.index("Bed: Hidden in the footer")
        bed = app.screen_stack[0].query_one(KeyCounter)
        await pilot.press(*"count")
        await until(pilot, lambda: "Themes…" not in "\n".join(picture(app)))
        await pilot.press("enter")
        await until(pilot, lambda: bed.counted)
        assert bed.counted == 2


async def test_other_words_of_a_command_find_it() -> None:
    app = PaletteStage()
    async with app.run_test(size=(80, 40)) as pilot:
        await pilot.press(*"dusk theme")
        await until(pilot, lambda: "Bed: Count" not in "\n".join(picture(app)))
        await pilot.press("enter")
        await until(pilot, lambda: app.chosen)
        assert app.chosen == ["theme"]


def test_a_whole_word_ranks_before_a_beginning_and_that_before_a_part_and_before_the_help() -> None:
    titles = ("Copy as curl", "Curling", "Uncurl", "Paste", "Replay")
    helps = ("", "", "", "a curl command", "what curls")
    commands = [Command(title, about, lambda: None) for title, about in zip(titles, helps, strict=True)]
    ranks = [rank_command("curl", command) for command in commands]
    assert ranks == sorted(ranks, reverse=True)
    assert len(set(ranks)) == len(ranks)
    assert rank_command("CURL copy", commands[0]) > rank_command("cop curl", commands[0]) > 0
    # Letters that only stand somewhere in it, one after the other, are no match.
    assert rank_command("curl", Command("Clear request history…", "Forget all requests", lambda: None)) == 0
    assert rank_command("curl themes", commands[0]) == 0


async def test_words_of_the_help_find_a_command_too() -> None:
    app = PaletteStage()
    async with app.run_test(size=(80, 40)) as pilot:
        await pilot.press(*"so far")
        await until(pilot, lambda: "Bed: Count" not in "\n".join(picture(app)))
        await pilot.press("enter")
        await until(pilot, lambda: app.seen)
        assert app.seen == ["messages"]


async def test_a_page_key_before_the_list_has_been_given_room_turns_no_page() -> None:
    app = PaletteStage()
    async with app.run_test(size=(80, 40)) as pilot:
        await until(pilot, lambda: "Messages [x]" in "\n".join(picture(app)))
        commands = app.screen.query_one(CommandList)
        commands.display = False
        await until(pilot, lambda: not commands.size)
        # So it is for a moment whenever the palette opens: there are commands, and no room for a line of them.
        options = list(commands.options)
        commands.clear_options()
        commands.add_options(options)
        commands.highlighted = 0
        await pilot.press("pagedown")
        assert not commands.highlighted
        commands.display = True
        await until(pilot, lambda: commands.size)
        await pilot.press("pagedown")
        assert commands.highlighted
