"""The strip of the tour: its three sizes, its words with the keys that somebody has, and that it takes no focus."""

from collections import defaultdict

import pytest
from textual.content import Content
from textual.widgets import Input, Static

from svc_tui.ui.app.tour import TourBar, sentence_content
from svc_tui.ui.keys import keymap
from svc_tui.ui.tour_steps import TOUR_STEPS, FocusedPane, OpenDialog, ScreenSnapshot, Tour
from tests.ui.stage import Stage, picture, until

CALLED = defaultdict(lambda: "?", {"record.follow": "f", "tour.next": "f12", "tour.back": "f11", "tour.end": "ctrl+x"})
TOUR = Tour(at=3, feedback="Its fields, in groups.", done=True)
WORDS = "On a value with an arrow {record.follow} follows it."


async def shown(size: tuple[int, int], tour: Tour = TOUR, words: str = WORDS) -> tuple[TourBar, list[str]]:
    strip = TourBar(CALLED)
    app = Stage(lambda: [strip])
    async with app.run_test(size=size) as pilot:
        strip.show(tour, words)
        await until(pilot, lambda: strip.size.height and strip.outer_size.height == strip.rows)
        return strip, [line for line in picture(app) if line]


async def test_where_there_is_room_it_has_a_frame_with_its_title_and_its_keys() -> None:
    strip, (top, feedback, words, bottom) = await shown((120, 40))
    assert top.startswith("╭─ Tour 4 of 10 · References ─")
    assert feedback.startswith("│ ✓ Its fields, in groups.")
    assert words.startswith("│ On a value with an arrow f follows it.")
    assert bottom.endswith("─ f12 skip · f11 back · ctrl+x end ─╯")
    assert strip.rows == 4


async def test_in_24_rows_it_has_two_lines_with_the_keys_at_the_end_of_the_first() -> None:
    strip, lines = await shown((80, 24))
    assert lines[0].startswith(" Tour 4 of 10  ✓ Its fields, in groups.")
    assert lines[0].endswith(" ctrl+x end")
    assert lines[1:] == [" On a value with an arrow f follows it."]
    assert strip.rows == 2


async def test_in_fewer_rows_it_has_one_line() -> None:
    strip, lines = await shown((80, 16))
    assert lines == [" 4 of 10 On a value with an arrow f follows it."]
    assert strip.rows == 1


async def test_in_a_narrow_terminal_its_words_take_more_lines_and_none_is_lost() -> None:
    _, lines = await shown((30, 24))
    assert " ".join(" ".join(lines[1:]).split()) == "On a value with an arrow f follows it."


async def test_where_nothing_was_done_two_lines_have_the_title() -> None:
    _, lines = await shown((80, 24), Tour(at=3, feedback=""), "Words.")
    assert lines[0].startswith(" Tour 4 of 10  References")


async def test_it_never_takes_the_focus() -> None:
    strip = TourBar(CALLED)
    app = Stage(lambda: [Input(), strip, Static()])
    async with app.run_test(size=(80, 24)) as pilot:
        strip.show(TOUR, WORDS)
        field = app.query_one(Input)
        field.focus()
        await until(pilot, lambda: app.focused is field)
        await until(pilot, lambda: strip.size.height == 2)
        await pilot.press("tab")
        await pilot.click(TourBar)
        assert app.focused is field


@pytest.mark.parametrize("number", range(len(TOUR_STEPS)), ids=[step.title for step in TOUR_STEPS])
def test_the_words_of_every_step_name_keys_that_there_are_and_fit_in_one_line(number: int) -> None:
    for task in TOUR_STEPS[number].tasks:
        for words in (task.words, *(need.words for need in task.needs)):
            line = by_default(words)
            assert line.cell_length + len("10 of 10 ") <= 78, line.plain


@pytest.mark.parametrize(
    "words", [Tour().feedback, *(step.feedback(ScreenSnapshot(rows=5_000)) for step in TOUR_STEPS)]
)
def test_what_is_confirmed_leaves_room_for_the_key_that_ends_the_tour(words: str) -> None:
    line = by_default(words)
    assert len("Tour 10 of 10  ✓ ") + line.cell_length + len("  ctrl+x end") <= 78, line.plain


@pytest.mark.parametrize(
    "now",
    [
        ScreenSnapshot(dialog=OpenDialog.OTHER),
        ScreenSnapshot(dialog=OpenDialog.MENU),
        ScreenSnapshot(pane=FocusedPane.CONSOLE),
    ],
    ids=["dialog", "menu", "console"],
)
def test_what_is_said_elsewhere_names_keys_and_fits_too(now: ScreenSnapshot) -> None:
    assert by_default(Tour().words(now)).cell_length + len("10 of 10 ") <= 78
    assert by_default(Tour(at=len(TOUR_STEPS)).words(now)).cell_length + len("10 of 10 ") <= 78


def by_default(words: str) -> Content:
    """A sentence as the strip shows it with the keys that the program comes with."""
    keymap.bindings()
    return sentence_content(words, keymap.key_label({}))


def test_keys_that_somebody_chose_are_the_ones_that_are_named() -> None:
    keymap.bindings()
    assert keymap.key_label({})["table.last"] == "G"
    assert keymap.key_label({})["record.review"] == "ctrl+s"
    assert keymap.key_label({})["table.filter"] == "/"
    assert keymap.key_label({})["filter.done"] == "enter"
    chosen = keymap.key_label({"table.last": "ctrl+end", "go.to": "f7"})
    assert (chosen["table.last"], chosen["go.to"]) == ("ctrl+end", "f7")
