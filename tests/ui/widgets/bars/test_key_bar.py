"""The line of keys: whole labels at every width, the most important first, help always at the end."""

from collections.abc import Sequence

import pytest
from textual.app import ComposeResult
from textual.binding import Binding
from textual.widget import Widget
from textual.widgets import Input

from svc_tui.ui.keys.availability import DisabledReason, ExplainsAvailability
from svc_tui.ui.widgets.bars.key_bar import KeyBar, KeyEmphasis, count_fitting
from tests.ui.stage import Stage, picture, until

WORDS = ("Open", "Edit this field", "Review", "Actions", "Go to", "Filter", "Größe 鉱山", "Commands", "Summary", "Undo")


class ManyKeys(ExplainsAvailability, Widget, can_focus=True):
    """Has more keys than there is room for."""

    BINDINGS = [
        Binding("question_mark", "help", "Help", key_display="?", id="panel.help"),
        *(
            Binding(f"f{number}", f"do({number})", word, id=f"panel.{number}", tooltip=f"More on {word}")
            for number, word in enumerate(WORDS, 1)
        ),
    ]
    asleep: dict[int, DisabledReason] = {}

    def __init__(self) -> None:
        super().__init__()
        self.done: list[int] = []
        self.asked = 0

    def action_do(self, number: int) -> None:
        self.done.append(number)

    def disabled_reason(self, action: str, parameters: tuple[object, ...]) -> DisabledReason | None:
        self.asked += 1
        return self.asleep.get(int(str(parameters[0]))) if parameters else None


class KeyBarStage(Stage):
    """Shows the line below a panel."""

    def compose(self) -> ComposeResult:
        yield ManyKeys()
        yield KeyBar()

    def keys(self) -> list[str]:
        return [key.word for key in self.query_one(KeyBar).keys]

    def line(self) -> str:
        return picture(self)[-1]


def whole(app: KeyBarStage) -> bool:
    """Whether the line shows the labels that it has, and nothing else."""
    labels = "".join(f" {key.display} {key.word} " for key in app.query_one(KeyBar).keys).rstrip()
    return bool(labels) and app.line() == labels


class TypingStage(Stage):
    """Shows the line below a text field, among keys that are letters."""

    BINDINGS = [
        Binding("e", "edit", "Edit"),
        Binding("ctrl+s", "review", "Review"),
        Binding("question_mark,f1", "help", "Help", key_display="?"),
    ]

    def compose(self) -> ComposeResult:
        yield Input()
        yield ManyKeys()
        yield KeyBar()


async def test_help_is_offered_by_the_key_that_a_text_field_does_not_take_as_text() -> None:
    app = TypingStage()
    async with app.run_test(size=(160, 10)) as pilot:
        app.query_one(ManyKeys).focus()
        await until(pilot, lambda: "e Edit" in picture(app)[-1])
        app.query_one(Input).focus()
        await until(pilot, lambda: picture(app)[-1].endswith("f1 Help"))
        assert "^s Review" in picture(app)[-1]
        assert "e Edit" not in picture(app)[-1]
        assert "? Help" not in picture(app)[-1]


@pytest.mark.parametrize("width", [20, 60, 61, 62, 63, 64, 65, 66, 80, 120, 200, 300])
async def test_no_label_is_cut_and_help_is_always_there(width: int) -> None:
    app = KeyBarStage()
    async with app.run_test(size=(width, 10)) as pilot:
        app.query_one(ManyKeys).focus()
        await until(pilot, lambda: whole(app))
        assert app.line().endswith("? Help")
        assert app.keys()[:-1] == list(WORDS[: len(app.keys()) - 1])
        assert len(app.keys()) == len(WORDS) + 1 or width < 150


async def test_a_wider_terminal_has_room_for_more_and_a_narrower_one_for_fewer() -> None:
    app = KeyBarStage()
    async with app.run_test(size=(60, 10)) as pilot:
        app.query_one(ManyKeys).focus()
        await until(pilot, lambda: whole(app))
        few = app.keys()
        await pilot.resize_terminal(200, 10)
        await until(pilot, lambda: len(app.keys()) == len(WORDS) + 1 and whole(app))
        await pilot.resize_terminal(60, 10)
        await until(pilot, lambda: app.keys() == few and whole(app))


async def test_what_is_covered_is_left_out_and_what_waits_is_greyed() -> None:
    app = KeyBarStage()
    async with app.run_test(size=(200, 10)) as pilot:
        panel = app.query_one(ManyKeys)
        panel.asleep = {
            1: DisabledReason("The console covers it.", covered=True),
            2: DisabledReason("A write is on its way."),
        }
        panel.focus()
        await until(pilot, lambda: whole(app) and app.keys()[0] == WORDS[1])
        assert [key.enabled for key in app.query_one(KeyBar).keys][:2] == [False, True]


async def test_keys_are_looked_at_once_where_they_change_several_times_in_a_row() -> None:
    app = KeyBarStage()
    async with app.run_test(size=(200, 10)) as pilot:
        panel = app.query_one(ManyKeys)
        panel.focus()
        await until(pilot, lambda: whole(app))

        async def asked_for(changes: int) -> int:
            before = panel.asked
            panel.asleep = {changes: DisabledReason("A write is on its way.")}
            for _ in range(changes):
                app.screen.refresh_bindings()
            await until(pilot, lambda: not app.query_one(KeyBar).keys[changes - 1].enabled)
            return panel.asked - before

        # A look that was due before may be among them.
        assert 0 < await asked_for(5) < 3 * await asked_for(1)


@pytest.mark.parametrize(
    ("cells", "room", "count"), [((), 0, 0), ((8, 8), 16, 2), ((8, 8), 15, 1), ((8, 4), 7, 0), ((8, 9, 1), 10, 1)]
)
def test_what_comes_after_something_that_does_not_fit_is_left_out_too(
    cells: Sequence[int], room: int, count: int
) -> None:
    assert count_fitting(cells, room) == count


async def test_a_click_on_a_key_presses_it_unless_it_is_greyed_and_the_mouse_is_told_more() -> None:
    app = KeyBarStage()
    async with app.run_test(size=(200, 10)) as pilot:
        panel, line = app.query_one(ManyKeys), app.query_one(KeyBar)
        panel.asleep = {2: DisabledReason("A write is on its way.")}
        panel.focus()
        await until(pilot, lambda: whole(app))
        at = [app.line().index(f"f{number} ") for number in (1, 2, 3)]
        for column in at:
            await pilot.click(KeyBar, offset=(column, 0))
        await until(pilot, lambda: panel.done == [1, 3])
        await pilot.hover(KeyBar, offset=(at[0], 0))
        await until(pilot, lambda: line.tooltip == "More on Open")
        await pilot.click(KeyBar, offset=(199, 0))
        await pilot.hover(ManyKeys)
        await until(pilot, lambda: line.tooltip is None)
        assert panel.done == [1, 3]


class EmphasisStage(KeyBarStage):
    """Speaks of some keys first, while it is told to."""

    emphasis: KeyEmphasis | None = None

    def compose(self) -> ComposeResult:
        yield ManyKeys()
        yield KeyBar(lambda: self.emphasis)


async def test_keys_that_matter_now_come_first_in_their_own_words_and_others_are_left_out() -> None:
    app = EmphasisStage()
    async with app.run_test(size=(80, 10)) as pilot:
        app.query_one(ManyKeys).focus()
        await until(pilot, lambda: app.keys()[:1] == ["Open"])
        app.emphasis = KeyEmphasis({"panel.9": "Sum", "panel.2": "12 marked…"}, frozenset({"panel.1", "panel.3"}))
        app.screen.refresh_bindings()
        await until(pilot, lambda: app.keys()[:3] == ["Sum", "12 marked…", "Actions"] and whole(app))
        assert app.keys()[-1] == "Help"
        # Where one of those keys does not work, the line is as usual.
        app.emphasis = KeyEmphasis({"elsewhere": "Sum"}, frozenset({"panel.1"}))
        app.screen.refresh_bindings()
        await until(pilot, lambda: app.keys()[:1] == ["Open"])
